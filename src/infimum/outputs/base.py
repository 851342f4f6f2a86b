"""OutputSpace (Y with its loss) and Sets (S_1 … S_n): what an output structure must give.

Axes are always in the order query or output (n_z), example (n), embedding (d).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .cells import CellFormat

if TYPE_CHECKING:
    from ..loss import Loss
    from .numbers.lines import Line
    from .question_model import QuestionModel

PRINCIPLES = ("infimum", "average", "supremum")


class Embedding(NamedTuple):
    """phi(S_i) and a constant such that L(z, S_i) = <psi(z), phi(S_i)> + constant_i."""

    phi: Any
    """(n, d), dense or sparse."""
    constant: NDArray
    """(n,)."""

    def columns(self) -> tuple:
        """phi and (constant, 1): what a linear risk sums over the rows."""
        return self.phi, np.column_stack([self.constant, np.ones(len(self.constant))])


class Curves(NamedTuple):
    """h_i(t) = L(z, S_i) / unit^p, t = (z - origin) / unit, p = 2 for the squared loss and 1 for the absolute one.

    h_i'(t) / 2 = curvature_i t + slope_i to the left of every breakpoint. At breakpoint `at[e]` of row `row[e]`,
    `bend[e]` is added to the curvature and h'/2 jumps by `kink[e]`.
    """

    curvature: NDArray
    slope: NDArray
    at: NDArray
    row: NDArray
    bend: NDArray
    kink: NDArray


class Profiles(NamedTuple):
    """L(z, S_i) = h_i(d(z, center_i)) + price #{j : z_j = 1}, d the Hamming distance on {-1, 1}^m."""

    centers: NDArray
    """(n, m)."""
    h: NDArray
    """(n, m + 1)."""
    price: float


class Decoded(NamedTuple):
    """A minimum of z -> <psi(z), c>, for n objectives c."""

    z: NDArray
    """(n, *z): the outputs."""
    value: NDArray
    """(n,): <psi(z), c>."""
    bound: NDArray
    """(n,): no output has a smaller value."""


class OutputSpace(CellFormat, BaseEstimator, ABC):
    """Y with a bilinear loss l(z, y) = <psi(z), phi(y)>.

    Settings go to the constructor; `fit` learns from y what y alone tells (the classes, the items, the range).
    """

    kind: ClassVar[str] = "output"
    """The name of the output type in files and on the command line: "labels", "tags", "ranking", "number", …"""

    size: float = math.inf
    """The number of outputs, infinite where `outputs` cannot list them."""

    is_product: bool = True
    """Whether every combination of coordinates is an output, for spaces of several."""

    bilinear: bool = True
    """Whether l(z, y) = <psi(z), phi(y)>; otherwise only solvers that look at `Sets.loss` or more can serve."""

    def fit(self, y: Any) -> Self:
        """Decide how y is read and learn what y alone tells: ``fit_summary(summarise(y))``."""
        return self.fit_summary(self.summarise(y))

    @abstractmethod
    def read(self, y: Any, strict: bool = True) -> Sets:
        """The rows of y as sets, in the form that `fit` settled on.

        With ``strict=False``, labels unknown at fit make a set that covers nothing.
        """

    @property
    def mergeable(self) -> bool:
        """Whether `fit` is ``fit_summary(summarise(y))``, so that chunks of y can be summarised one by one and merged."""
        return type(self).fit is OutputSpace.fit

    def read_chunks(self, chunks: Any) -> Any:
        """Parse y chunk by chunk, when it is needed; see :class:`infimum.outputs.chunked.SetsInBlocks`."""
        from .chunked import SetsInBlocks

        return SetsInBlocks(self, chunks)

    def summarise(self, y: Any) -> Any:
        """What y alone tells and what decides how it is read, never y itself; None, unless the space says so."""
        return None

    def merge(self, a: Any, b: Any) -> Any:
        """The summary of the rows of a followed by those of b."""
        return None

    def fit_summary(self, summary: Any) -> Self:
        """Learn from a summary; an error where it allows two readings of y."""
        return self

    def check(self, parts: Iterable[Sets]) -> None:
        """Warn about training sets, given in one part or block by block, that cannot teach what is asked."""

    @abstractmethod
    def psi(self, z: Any) -> NDArray:
        """(..., *z) -> (..., d)."""

    @abstractmethod
    def decode(self, c: NDArray) -> NDArray:
        """argmin over z in Y of <psi(z), c>: (n, d) -> (n, *z). Ties go to the lowest index."""

    def outputs(self) -> NDArray:
        """All of Y, (size, *z)."""
        raise NotImplementedError(f"{type(self).__name__} cannot list its outputs.")

    def bound(self, c: NDArray) -> NDArray:
        """A lower bound of min_z <psi(z), c>, (n,): the minimum itself, unless `decode` may miss it."""
        return np.einsum("nd,nd->n", self.psi(self.decode(c)), c)

    def minimise(self, c: NDArray) -> Decoded:
        """decode(c), its value and bound(c) together, for spaces that find them in one go."""
        z = self.decode(c)
        value = np.einsum("nd,nd->n", self.psi(z), c)
        return Decoded(z, value, np.minimum(self.bound(c), value))

    def lower_bound(self, L: Loss, alpha: NDArray, z: NDArray) -> NDArray:
        """A lower bound of min over Y of sum_i alpha_i L(., S_i), from what z tells, (q,); -inf where none is known."""
        return np.full(len(alpha), -np.inf)

    def coordinates(self) -> list[OutputSpace] | None:
        """Where Y is a product of intervals and the loss a sum over coordinates: the factors, one a coordinate."""
        return None

    def is_unlabelled(self, sets: Sets) -> NDArray:
        """Whether S_i = Y, which rules nothing out, (n,) boolean."""
        return sets.is_unlabelled

    def expanded_to(self, low: NDArray, high: NDArray) -> OutputSpace:
        """The same space, grown to hold [low, high] in units of the loss, for sets with `Sets.lines`."""
        return self

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        """A random objective c, (1, d): where sets answer it, alternation starts again."""
        return random.standard_normal((1, d))

    def readable(self, z: NDArray) -> NDArray:
        """Outputs as the user names them."""
        return z

    # Description of outputs and sets, with defaults. Report, conformal prediction, questions, files and the command
    # line use these methods and never ask which output type it is.

    def format(self, z: NDArray) -> list[str]:
        """Return the outputs (k, *z) as text, one per output."""
        return [np.array2string(np.asarray(row), precision=4, threshold=8) for row in self.readable(z)]

    def questions(self) -> QuestionModel:
        """Return what can be asked about an output; by default only the full output, see `infimum.active`."""
        from .question_model import QuestionModel

        return QuestionModel(self)

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the outputs that a prediction z is compared with, (k, *z); all of Y if it can be listed."""
        return self.outputs() if self.size <= 10_000 else np.empty((0, *np.shape(z)))


class Sets(ABC):
    """S_1 … S_n, frozen. A set answers one question: argmin over y in S_i of <c, phi(y)>.

    What comes after `contains` is optional: None, or an error that says so, where a kind of set does not have it.
    """

    shape: tuple[int, ...]
    n_starts: int = 1
    """How often alternation starts, unless it is told."""
    in_memory: bool = True
    """Whether single rows can be asked; otherwise only sums over blocks of rows are formed."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, rows: Any) -> Any:
        """Rows by index, slice or mask, as Sets of the same kind."""

    @abstractmethod
    def argmin(self, c: NDArray) -> NDArray:
        """phi(y_i) for y_i = argmin over y in S_i of <c_i, phi(y)>, one objective a row: (..., n, d) -> (..., n, d)."""

    @abstractmethod
    def contains(self, z: NDArray) -> NDArray:
        """Whether z_i is in S_i: (n, *z) -> (n,) boolean."""

    def answers(self, c: NDArray) -> NDArray:
        """What all rows answer to the same objective, for k objectives: (k, d) -> (k, n, d)."""
        return self.argmin(np.broadcast_to(c[:, None, :], (len(c), len(self), c.shape[1])))

    def center(self) -> NDArray:
        """The mean of phi over S_i, (n, d), or an error where S_i has none."""
        raise ValueError(f"{type(self).__name__} have no center, which the average principle needs.")

    def start(self) -> NDArray:
        """Where alternation starts, (n, d); not always the center."""
        return self.center()

    def embed(self, principle: str) -> Embedding | None:
        """phi(S_i), where L(., S_i) is linear in psi; otherwise None."""
        if principle == "average":
            return Embedding(self.center(), np.zeros(len(self)))
        return None

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        """L(z, S_i) for every z and i: (n_z, d) -> (n_z, n)."""
        embedding = self.embed(principle)
        if embedding is not None:
            return np.asarray((embedding.phi @ psi.T).T) + embedding.constant
        sign = -1.0 if principle == "supremum" else 1.0
        rows = [np.einsum("nd,d->n", self.answers(sign * p[None])[0], p) for p in psi]
        return np.array(rows).reshape(len(psi), len(self))

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        """L(z_i, S_i), of output i on row i: (n, d) -> (n,)."""
        embedding = self.embed(principle)
        if embedding is not None:
            phi, constant = embedding
            own = phi.multiply(psi).sum(axis=1) if sparse.issparse(phi) else np.einsum("nd,nd->n", psi, phi)
            return np.asarray(own).ravel() + constant
        return np.einsum("nd,nd->n", psi, self.argmin(-psi if principle == "supremum" else psi))

    def table(self, psi: NDArray, principle: str) -> Any:
        """L(z, S_i) with a column for every z, (n, n_z), to be folded into weights."""
        return self.loss(psi, principle).T

    def bracket(self) -> tuple[Embedding, Embedding] | None:
        """Losses that are linear in psi, the first below every infimum and the second above every supremum."""
        return None

    def curves(self, principle: str) -> Curves | None:
        """L(z, S_i) as piecewise quadratic functions of a number z."""
        return None

    def coordinates(self) -> list[Sets] | None:
        """Where S_i is a product of sets of R and the loss a sum over coordinates: the factors, one a coordinate."""
        return None

    def profiles(self, principle: str) -> Profiles | None:
        """L(z, S_i) as functions of the Hamming distance of z to a center."""
        return None

    def relations(self) -> tuple[NDArray, NDArray] | None:
        """Where S_i are the linear extensions of partial orders: the distinct ones (k, m, m), and which S_i is (n,)."""
        return None

    def options(self) -> NDArray | None:
        """Where S_i is a product of g choices among c options: which are open, (n, g, c) boolean."""
        return None

    def expected(self, q: NDArray) -> NDArray:
        """The mean of phi under weights q (n, g, c) on the options, (n, d)."""
        raise ValueError(f"{type(self).__name__} have no options to weigh.")

    def option_of(self, z: NDArray) -> NDArray:
        """Which option every choice of z_i is: (n, *z) -> (n, g)."""
        raise ValueError(f"{type(self).__name__} have no options to weigh.")

    def lines(self) -> list[Line] | None:
        """Where S_i is a product of m unions of intervals and phi(y) = (1, t_1, …, t_m, |t|²): the factors, in t."""
        return None

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        """y_i from phi(y_i), for members y_i of S_i: (n, d) -> (n, *z). By default, the output of loss 0 at y_i."""
        return space.decode(phi)

    @property
    def is_unlabelled(self) -> NDArray:
        """Whether S_i holds every output there could be, (n,) boolean; nowhere, unless the sets know better."""
        return np.zeros(len(self), dtype=bool)

    def agreement(self, z: NDArray) -> NDArray:
        """How well z_i agrees with S_i, in [0, 1]; 1 where it is in it."""
        return self.contains(z).astype(float)

    def meets(self, other: Sets) -> NDArray:
        """Whether S_i and T_i share a member, (n,) boolean."""
        raise ValueError(f"{type(self).__name__} cannot say whether they meet other sets.")

    def intersect(self, other: Sets) -> Any:
        """S_i ∩ T_i, row by row: what is left when both are true. Rows where nothing is left are refused together."""
        raise ValueError(f"{type(self).__name__} have no intersection with other sets.")

    def join(self, other: Sets) -> Any:
        """The rows of both, one after the other."""
        raise ValueError(f"{type(self).__name__} cannot be joined with other sets.")

    def replace_rows(self, rows: Any, other: Sets) -> Any:
        """The same sets, with some rows replaced by those of `other`, in the order of `rows`."""
        order = np.arange(len(self))
        order[rows_of(rows, len(self))] = len(self) + np.arange(len(other))
        return self.join(other)[order]

    def format(self, row: int) -> str:
        """S_i in words."""
        return f"row {row} of {self!r}"

    @property
    def is_exact(self) -> NDArray:
        """Whether S_i has a single member, (n,) boolean; False unless the kind of sets can tell."""
        return np.zeros(len(self), dtype=bool)

    def __iter__(self) -> Iterator[Self]:
        return (self[i : i + 1] for i in range(len(self)))


class Points(Sets):
    """One embedded point a row, phi(y_i), or the mean of several: what disambiguation puts in place of the sets.

    Parameters
    ----------
    phi : (n, d)
        The embedded points.

    Examples
    --------
    >>> Points(np.array([[0., 1.], [1., 0.]])).loss(np.array([[2., 3.]]), "infimum")
    array([[3., 2.]])
    """

    def __init__(self, phi: NDArray):
        self.phi = phi
        self.shape = (len(phi),)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Points:
        return Points(self.phi[rows_of(rows, len(self))])

    def argmin(self, c: NDArray) -> NDArray:
        return np.broadcast_to(self.phi, c.shape)

    def contains(self, z: NDArray) -> NDArray:
        raise ValueError("Points are known by their embedding alone: ask the sets that they came from.")

    def center(self) -> NDArray:
        return self.phi

    def embed(self, principle: str) -> Embedding:
        return Embedding(self.phi, np.zeros(len(self)))

    def __repr__(self) -> str:
        return f"<Points: {len(self)} rows>"


def rows_of(rows: Any, n: int) -> Any:
    """An index that keeps the row axis: a slice, or an integer array from an integer, list or mask."""
    if isinstance(rows, tuple):  # scikit-learn writes y[rows, ...]
        rows = rows[0]
    if isinstance(rows, slice):
        return rows
    index = np.asarray(rows)
    if index.dtype == bool:
        if index.shape != (n,):
            raise IndexError(f"A mask over {n} sets must have shape ({n},). Got {index.shape}.")
        return np.flatnonzero(index)
    return np.atleast_1d(index).astype(int)
