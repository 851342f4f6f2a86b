"""OutputSpace (Y with its loss) and Sets (S_1 … S_n): what an output structure must give.

Axes are always in the order query or output (n_z), example (n), embedding (d).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

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


class Decoded(NamedTuple):
    """A minimum of z -> <psi(z), c>, for n objectives c."""

    z: NDArray
    """(n, *z): the outputs."""
    value: NDArray
    """(n,): <psi(z), c>."""
    bound: NDArray
    """(n,): no output has a smaller value."""


class OutputSpace(BaseEstimator, ABC):
    """Y with a bilinear loss l(z, y) = <psi(z), phi(y)>.

    Settings go to the constructor; `fit` learns from y what y alone tells (the classes, the items, the range).
    """

    size: float = math.inf
    """The number of outputs, infinite where `outputs` cannot list them."""

    bilinear: bool = True
    """Whether l(z, y) = <psi(z), phi(y)>; otherwise only solvers that look at `Sets.loss` or more can serve."""

    def fit(self, y: Any) -> Self:
        """Decide how y is read and learn what y alone tells: ``settle(digest(y))``."""
        return self.settle(self.digest(y))

    @abstractmethod
    def read(self, y: Any, strict: bool = True) -> Sets:
        """The rows of y as sets, in the form that `fit` settled on.

        With ``strict=False``, labels unknown at fit make a set that covers nothing.
        """

    def digest(self, y: Any) -> Any:
        """What y alone tells and what decides how it is read, never y itself; None, unless the space says so."""
        return None

    def merge(self, a: Any, b: Any) -> Any:
        """The digest of the rows of a followed by those of b."""
        return None

    def settle(self, digest: Any) -> Self:
        """Learn from a digest; an error where it allows two readings of y."""
        return self

    def check(self, sets: Sets) -> None:
        """Warn about training sets that cannot teach what is asked."""

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

    def lower_bound(self, L: Any, alpha: NDArray, z: NDArray) -> NDArray:
        """A lower bound of min over Y of sum_i alpha_i L(., S_i), from what z tells, (q,); -inf where none is known."""
        return np.full(len(alpha), -np.inf)

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        """A random objective c, (1, d): where sets answer it, alternation starts again."""
        return random.standard_normal((1, d))

    def readable(self, z: NDArray) -> NDArray:
        """Outputs as the user names them."""
        return z


class Sets(ABC):
    """S_1 … S_n, frozen. A set answers one question: argmin over y in S_i of <c_i, phi(y)>."""

    shape: tuple[int, ...]
    n_starts: int = 1
    """How often alternation starts, unless it is told."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def __getitem__(self, rows: Any) -> Any:
        """Rows by index, slice or mask, as Sets of the same kind."""

    @abstractmethod
    def argmin(self, c: NDArray) -> NDArray:
        """phi(y_i) for y_i = argmin over y in S_i of <c_i, phi(y)>: (..., n, d) -> (..., n, d)."""

    @abstractmethod
    def contains(self, z: NDArray) -> NDArray:
        """Whether z_i is in S_i: (n, *z) -> (n,) boolean."""

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
        rows = [np.einsum("nd,d->n", self.argmin(np.broadcast_to(sign * p, (len(self), len(p)))), p) for p in psi]
        return np.array(rows).reshape(len(psi), len(self))

    def candidates(self) -> NDArray | None:
        """Where S_i is a product of g choices among c options: which are open, (n, g, c) boolean. None elsewhere."""
        return None

    def expected(self, q: NDArray) -> NDArray:
        """The mean of phi under weights q (n, g, c) on the candidates, (n, d)."""
        raise ValueError(f"{type(self).__name__} have no candidates to weigh.")

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        """y_i from phi(y_i), for members y_i of S_i: (n, d) -> (n, *z). By default, the output of loss 0 at y_i."""
        return space.decode(phi)

    @property
    def is_unknown(self) -> NDArray:
        """Whether S_i = Y, which rules nothing out, (n,) boolean; nowhere, unless the sets know better."""
        return np.zeros(len(self), dtype=bool)

    def agreement(self, z: NDArray) -> NDArray:
        """How well z_i agrees with S_i, in [0, 1]; 1 where it is in it."""
        return self.contains(z).astype(float)

    def __iter__(self):
        return (self[i : i + 1] for i in range(len(self)))


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
