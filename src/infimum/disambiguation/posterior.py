"""SetPosterior: probabilities of the members of each set, given what the other rows predict."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs.base import OutputSpace, Sets
from ..weights.holdout import Holdout, LooOperator


class Read(NamedTuple):
    """What is predicted for rows that were left out."""

    phi: NDArray
    """(n, d): what outputs are decoded from."""
    likely: NDArray
    """(n,): log P_i(S_i)."""


class Members(NamedTuple):
    """The member of its set that every row probably has."""

    z: NDArray
    """(n, *z)."""
    confidence: NDArray | None = None
    """(n,): its weight."""
    tied: NDArray = np.empty(0, dtype=int)
    """Rows in which another one has as much weight."""
    deviation: NDArray | None = None
    """(n, ...): how far the truth may be from it, of numbers."""
    q: NDArray | None = None
    """(n, g, c): the weights, where members are listed."""


class Doubts(NamedTuple):
    """Whether sets hold what is predicted for rows that were left out."""

    support: NDArray
    """(n,), in [0, 1]."""
    suspects: NDArray
    """Rows whose set probably misses the truth."""
    map: Any = None
    """What reads predictions as probabilities."""


class SetPosterior(ABC):
    """What is known of row i is some numbers q_i, and F_i = sum_j alpha_j(x_i) q_j is what other rows say of them.

    q and F have the shape (..., n, *e), with one line of rows for each block that is held out.
    """

    axes: int
    """How many axes e has."""

    @property
    @abstractmethod
    def shape(self) -> tuple[int, ...]:
        """That of q, (..., n, *e)."""

    @property
    def size(self) -> int:
        """How many numbers all of it may need at once, in one piece."""
        return math.prod(self.shape)

    @abstractmethod
    def even(self) -> NDArray:
        """q before anything is predicted."""

    def begin(self) -> Iterator[NDArray]:
        """Where to begin, one q after the other: another than the first is taken where it makes sets more probable."""
        yield self.even()

    @abstractmethod
    def moved(self, F: NDArray, q: NDArray, p: float) -> NDArray:
        """q by what is predicted, at the sharpness p; as it is where nothing is."""

    @abstractmethod
    def step(self, new: NDArray, q: NDArray) -> NDArray:
        """How far q has moved, (..., n)."""

    def worth(self, F: NDArray) -> NDArray | None:
        """How probable F makes the sets, (k,), right after `moved`; None where q comes to rest unwatched."""
        return None

    def sums(self, left_out: LooOperator) -> Callable[[NDArray], NDArray]:
        """q -> F, of one shape, from the linear map of the weights, prepared to be applied many times."""
        return lambda q: left_out(flat(q, self.axes)).reshape(q.shape)

    @abstractmethod
    def without(self, operator: Holdout) -> SetPosterior:
        """The same as often as there are blocks, each time without one: q is 0 there."""

    def own(self, q: NDArray, operator: Holdout) -> NDArray:
        """F_i of every row without its block, from all the q of `without`: (k, n, *e) -> (n, *e)."""
        return operator.out_of_fold(operator(flat(q, self.axes))).reshape(q.shape[1:])

    def full(self, q: NDArray) -> NDArray:
        """q with its members that have no weight, (n, *e)."""
        return q

    @abstractmethod
    def phi(self, q: NDArray) -> NDArray:
        """The mean of phi over every set, (n, d)."""

    @abstractmethod
    def read(self, F: NDArray) -> Read:
        """Predictions for rows that were left out, as sure as the sets allow."""

    @abstractmethod
    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        """Which member a row has, once q has come to rest; F is worked out where it is needed."""

    def chosen(self, z: NDArray, q: NDArray) -> Members:
        """What the weights say of given members."""
        return Members(z)

    @abstractmethod
    def doubts(self, F: NDArray, threshold: float) -> Doubts:
        """Sets that miss what is predicted for rows that were left out."""

    @abstractmethod
    def fitted(self, F: NDArray) -> SetPosterior:
        """What F and these rows tell, without the rows: for others that have no say in it."""

    @abstractmethod
    def like(self, sets: Sets, sample_weight: Any = None) -> SetPosterior:
        """The same for other rows: what was fitted is kept."""

    def around(self, psi: NDArray) -> NDArray | None:
        """log P_i(S_i) if outputs with these psi (n, d) are what is predicted; None where that is no distribution."""
        return None

    def space(self, output: OutputSpace) -> OutputSpace:
        """The space, grown where members may lie outside of it."""
        return output


def flat(q: NDArray, axes: int) -> NDArray:
    """(..., n, *e) -> (..., n, numbers), for sums over rows."""
    return q.reshape(*q.shape[: q.ndim - axes], -1)


def weights_of(n: int, sample_weight: Any) -> NDArray:
    """How much rows count, (n,)."""
    return np.ones(n) if sample_weight is None else np.asarray(sample_weight, dtype=float)
