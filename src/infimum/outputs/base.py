"""OutputSpace: the possible outputs Y with their loss, the interface that every output type implements.

Each class lists the required methods first, then the optional ones, then the methods that describe sets to people. The
axes of arrays are always in the order query or output (n_z), example (n), embedding (d).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .cells import CellFormat
from .sets import ANYTHING, Curves, Embedding, Points, Sets, rows_of
from .summary import Summary, frequent_sets

if TYPE_CHECKING:
    from .choices import Choices
    from .question_model import QuestionModel
    from .score import Score

__all__ = [
    "Curves", "Decoded", "Embedding", "OutputSpace", "Points", "SetStatistics", "Sets", "rows_of",
]  # fmt: skip

LISTED = 10_000  # outputs: members are counted and neighbours are listed up to this size of Y


class Decoded(NamedTuple):
    """Minimisers of <psi(z), c> for n objectives c."""

    z: NDArray
    """(n, *z): the outputs."""
    value: NDArray
    """(n,): <psi(z), c>."""
    bound: NDArray
    """(n,): no output has a smaller value."""


class SetStatistics(NamedTuple):
    """How precise each set is."""

    is_exact: NDArray
    """(n,) boolean: one output is possible."""
    is_unlabelled: NDArray
    """(n,) boolean: every output is possible."""
    size: NDArray
    """(n,): how large the set is, in `unit`; NaN if the output type cannot tell."""
    unit: str
    """What `size` counts: "candidates", "unknown tags", "length", …"""
    bits: NDArray
    """(n,): the information in the set, log2 of the number of outputs over the number of members; NaN if unknown."""


class OutputSpace(CellFormat, BaseEstimator, ABC):
    """The possible outputs Y, with a bilinear loss.

    The loss is l(z, y) = <psi(z), phi(y)>.

    Settings are passed to the constructor. `fit` learns the rest from y: classes, items, ranges, and the format of y.
    A subclass must define `read`, `psi` and `decode`.
    """

    kind: ClassVar[str] = "output"
    """The name of the output type in files and on the command line: "labels", "tags", "ranking", "number", …"""

    size: float = math.inf
    """The number of outputs; infinite if `outputs` cannot list them."""

    is_product: bool = True
    """Whether every combination of coordinates is an output, for outputs with several coordinates."""

    reads_votes: bool = False
    """Whether y may contain the answers of several annotators (`Votes`)."""

    bilinear: bool = True
    """Whether l(z, y) = <psi(z), phi(y)>. Otherwise a solver must support `Sets.loss` or `Sets.curves`."""

    # Required

    @abstractmethod
    def read(self, y: Any, strict: bool = True) -> Sets:
        """Parse the rows of y as sets, in the format that `fit` found.

        With ``strict=False``, labels that did not occur in fit give a set without members instead of an error.
        """

    @abstractmethod
    def psi(self, z: Any) -> NDArray:
        """Embed outputs: (..., *z) -> (..., d)."""

    @abstractmethod
    def decode(self, c: NDArray) -> NDArray:
        """Minimise <psi(z), c> over z in Y: (n, d) -> (n, *z). Ties go to the lowest index."""

    # Optional: learning from y

    def fit(self, y: Any) -> Self:
        """Detect the format of y and learn its classes, items or range: ``fit_summary(summarise(y))``."""
        return self.fit_summary(self.summarise(y))

    @property
    def mergeable(self) -> bool:
        """Whether `fit` is ``fit_summary(summarise(y))``, so that chunks of y can be summarised and merged."""
        return type(self).fit is OutputSpace.fit

    def summarise(self, y: Any) -> Any:
        """Summarise y for `fit_summary`: classes, ranges and the detected format, never y itself."""
        return None

    def merge(self, a: Any, b: Any) -> Any:
        """Return the summary of the rows of a followed by those of b."""
        return None

    def fit_summary(self, summary: Any) -> Self:
        """Learn from a summary; raise an error if the format of y is ambiguous."""
        return self

    def read_chunks(self, chunks: Any) -> Any:
        """Parse y chunk by chunk, when it is needed; see :class:`infimum.outputs.chunked.SetsInChunks`."""
        from .chunked import SetsInChunks

        return SetsInChunks(self, chunks)

    def constrain(self, sets: Sets, constraints: Any) -> Sets:
        """Return sets with constraints on groups of rows, for output types that support them."""
        raise ValueError(f"Constraints on groups of rows are for labels, not for {type(self).__name__}.")

    def check(self, parts: Iterable[Sets]) -> None:
        """Warn about training sets, given in one part or chunk by chunk, from which nothing can be learned."""

    # Optional: more solvers and principles

    def outputs(self) -> NDArray:
        """Return all of Y, (size, *z)."""
        raise NotImplementedError(f"{type(self).__name__} cannot list its outputs.")

    def bound(self, c: NDArray) -> NDArray:
        """Return a lower bound of min_z <psi(z), c>, (n,): the minimum itself, unless `decode` is inexact."""
        return np.einsum("nd,nd->n", self.psi(self.decode(c)), c)

    def minimise(self, c: NDArray) -> Decoded:
        """Return decode(c), its value and bound(c); override it if they are found together."""
        z = self.decode(c)
        value = np.einsum("nd,nd->n", self.psi(z), c)
        return Decoded(z, value, np.minimum(self.bound(c), value))

    def lower_bound(self, L: Any, alpha: NDArray, z: NDArray) -> NDArray:
        """Return a lower bound of min over Y of sum_i alpha_i L(., S_i), (q,), from good outputs z; -inf if unknown."""
        return np.full(len(alpha), -np.inf)

    def coordinates(self) -> list[OutputSpace] | None:
        """Return the spaces of the coordinates, if Y is a product of spaces and the loss a sum over coordinates."""
        return None

    def coordinate_weights(self) -> NDArray | None:
        """Return the factor of the loss of each coordinate; None if all are 1."""
        return None

    def with_coordinates(self, spaces: list[OutputSpace]) -> OutputSpace:
        """Return the space with those of its coordinates replaced, after `expanded_to`."""
        return self

    def expanded_to(self, low: NDArray, high: NDArray) -> OutputSpace:
        """Return the space enlarged to contain [low, high] in units of the loss, for sets with `Sets.lines`."""
        return self

    def reduced(self, phi: Any) -> Any:
        """Return fewer columns than phi, (n, d), that supervised weights learn from; phi itself by default."""
        return phi

    def cheap(self) -> OutputSpace:
        """Return a space whose `decode` is cheaper and may be inexact, for model selection; itself by default."""
        return self

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        """Return a random objective c, (1, d), from which alternation restarts."""
        return random.standard_normal((1, d))

    # Description

    def readable(self, z: NDArray) -> NDArray:
        """Return outputs as the user names them."""
        return z

    def tabulate(self, named: NDArray) -> Any:
        """Return outputs, as `readable` names them, in the container that `predict` returns."""
        return named

    def is_unlabelled(self, sets: Sets) -> NDArray:
        """Return whether S_i = Y, (n,) boolean; override it if the sets are not enough to decide."""
        return sets.is_unlabelled

    def format(self, z: NDArray) -> list[str]:
        """Return the outputs (k, *z) as text, one per output."""
        return [np.array2string(np.asarray(row), precision=4, threshold=8) for row in self.readable(z)]

    def format_sets(self, sets: Sets, rows: Any = None) -> list[str]:
        """Return sets as text, all of them or those of some rows.

        >>> from infimum.outputs import Labels
        >>> space = Labels().fit(["cat|dog", "!owl", "cat", None])
        >>> space.format_sets(space.read(["cat|dog", "!owl", "cat", None]))
        ['cat | dog', 'cat | dog', 'cat', 'anything']
        """
        some = sets if rows is None else sets[rows]
        unlabelled = self.is_unlabelled(some)
        return [ANYTHING if unlabelled[row] else self._format_set(some, row) for row in range(len(some))]

    def _format_set(self, sets: Any, row: int) -> str:
        """Return one set as text; override it if the space has names that the sets do not have."""
        return sets.format(row)

    def describe(self, sets: Sets) -> SetStatistics:
        """Return how precise each set is. If the sets cannot tell and Y is small, members are counted."""
        exact, unlabelled = np.array(sets.is_exact), np.array(self.is_unlabelled(sets))
        size, bits = np.array(sets.size), np.array(sets.bits())
        unknown = np.flatnonzero(np.isnan(bits) & np.isnan(size))
        if len(unknown) and self.size <= LISTED:
            count = self.members(sets[unknown]).sum(axis=1)
            size[unknown], bits[unknown] = count, np.log2(self.size / np.maximum(count, 1))
            exact[unknown], unlabelled[unknown] = count == 1, count == self.size
        return SetStatistics(exact, unlabelled, size, sets.size_unit, bits)

    def members(self, sets: Sets) -> NDArray:
        """Return which outputs are in which sets, (n, size) boolean, in the order of `outputs`."""
        Y = self.outputs()
        inside = [sets.contains(np.broadcast_to(z, (len(sets), *np.shape(z)))) for z in Y]
        return np.array(inside, dtype=bool).reshape(len(Y), len(sets)).T

    def conformal_scores(self) -> dict[str, type[Score]]:
        """Return the conformal scores of this output type by name, the preferred one first; by default the loss."""
        from .loss_score import LossScore

        return {"loss": LossScore}

    def choices(self, sets: Sets) -> Choices:
        """Return sets as choices among named options, which identifiability counts and asks about.

        By default the options of the sets, or all outputs if they can be listed.
        """
        from .choices import Choices

        mask = sets.options()
        if mask is not None:
            _, g, c = mask.shape
            return Choices(mask, [f"choice {k}" for k in range(g)], [[str(k) for k in range(c)]] * g)
        if self.size > LISTED:
            raise ValueError(
                f"Identifiability is not available, because {type(self).__name__} does not describe its sets as choices"
                " among options. Check each output alone, or add the method choices(sets) to your own output type."
            )
        return Choices(self.members(sets)[:, None], [""], [self.format(self.outputs())])

    def distance(self, z: NDArray, sets: Sets) -> NDArray:
        """Return how far z_i is from S_i, (n,): by default the infimum loss."""
        return sets.rowwise_loss(self.psi(z), "infimum")

    def compared_losses(self, sets: Sets, z: NDArray) -> NDArray | None:
        """Return losses by which model selection compares predictions, (n,); None for the infimum loss."""
        return None

    def error_ranges(self, sets: Sets, z: NDArray, sample_weight: Any = None) -> dict[str, tuple[float, float]]:
        """Return further scores by name, each with its lowest and highest value for members of the sets; or none."""
        return {}

    def names_from_data(self) -> dict[str, Any]:
        """Return constructor settings that sets do not carry and `fit` took from y, such as the names of tags."""
        return {}

    def questions(self) -> QuestionModel:
        """Return what can be asked about an output; by default only the full output, see `infimum.active`."""
        from .question_model import QuestionModel

        return QuestionModel(self)

    def summary(self, sets: Sets) -> Summary:
        """Return what a report shows about sets; by default the most frequent ones."""
        return frequent_sets(self, sets)

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the outputs that a prediction z is compared with, (k, *z): all others, if Y is small; else none."""
        if self.size > LISTED:
            return np.empty((0, *np.shape(z)))
        found = self.outputs()
        return found[(found != z).reshape(len(found), -1).any(axis=1)]
