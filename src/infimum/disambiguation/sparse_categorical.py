"""SparseCategorical: few candidates among many options, of which nothing but the candidates is weighed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..outputs.base import Sets
from ..weights.holdout import Holdout, LooOperator, identity
from .categorical import Options

MANY = 64  # options from which on it may pay
SHARE = 0.02  # of all (row, row, option), those in which both rows have the option as a candidate: at most
MOST = 5_000_000  # the same as a number, for memory
ROUNDS = 20  # a map is worked out by as many products as there are rows; rounds have as many as there are options


class SparseCategorical(Options):
    """As `Options`, with q and F on the candidates alone, (..., e): one number for every (row, choice, candidate).

    q is 0 elsewhere, and F is asked for nowhere else while weights move: rows need only those others that share a
    candidate with them, and a round is one sparse product.
    """

    axes = 1

    def __init__(self, mask: NDArray, sets: Sets | None = None, sample_weight: Any = None):
        super().__init__(mask, sets, sample_weight)
        self.entries = row, group, option = np.nonzero(mask)
        self.row, self.at = row, group * mask.shape[2] + option
        choice = row * mask.shape[1] + group
        self.starts = np.flatnonzero(np.diff(choice, prepend=-1))
        self.number = np.diff(np.append(self.starts, len(row)))
        self.operator: Holdout | None = None
        self.live: Any = True
        """Whether entries are not held out, (k, e)."""

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(np.shape(self.live), self.row.shape)

    def without(self, operator: Holdout) -> SparseCategorical:
        _ = self.pattern  # worked out once
        found = copy(self)
        found.operator = operator
        found.live = operator.mask_out(np.ones(len(self.mask), dtype=bool))[:, self.row]
        return found

    def even(self) -> NDArray:
        return np.repeat(1 / self.number, self.number) * self.live

    def moved(self, F: NDArray, q: NDArray, p: float) -> NDArray:
        new = np.maximum(F, 0)
        new /= np.maximum(self._over(np.maximum, new), 1e-300)
        new **= p
        total = self._over(np.add, new)
        return np.where(total > 0, new / np.where(total > 0, total, 1), q) * self.live

    def step(self, new: NDArray, q: NDArray) -> NDArray:
        n, g, _ = self.mask.shape
        rows = sparse.csr_matrix((np.ones(len(self.row)), (self.row, np.arange(len(self.row)))), (n, len(self.row)))
        return (rows @ np.abs(new - q).T).T / g

    def _over(self, join: np.ufunc, values: NDArray) -> NDArray:
        """The sum or the largest over the candidates of a choice, for each of them."""
        if not len(self.starts):
            return values
        return np.repeat(join.reduceat(values, self.starts, axis=-1), self.number, axis=-1)

    def sums(self, left_out: LooOperator) -> Callable[[NDArray], NDArray]:
        if self.operator is None:
            (M,) = self._shared(left_out(part)[None] for part in identity(len(self.mask)))
            return lambda q: M @ q
        each = self._shared(self.operator.columns())
        return lambda q: np.stack([M @ part for M, part in zip(each, q)])

    @cached_property
    def pattern(self) -> sparse.csc_matrix:
        """Entries (e, e) of the same option: F at the first depends on q at the second."""
        e, options = len(self.at), int(np.prod(self.mask.shape[1:]))
        here = sparse.csr_matrix((np.ones(e, dtype=bool), (np.arange(e), self.at)), (e, options))
        return sparse.csc_matrix(here @ here.T)

    def _shared(self, columns: Iterable[NDArray]) -> list[sparse.csc_matrix]:
        """Maps of weights, of which some columns (k, n, c) come at a time, at entries that share an option."""
        indices, indptr = self.pattern.indices, self.pattern.indptr
        second = np.repeat(self.row, np.diff(indptr))  # in order, as entries are
        values, done = [], 0
        for part in columns:
            start, end = np.searchsorted(second, (done, done + part.shape[2]))
            values.append(part[:, self.row[indices[start:end]], second[start:end] - done])
            done += part.shape[2]
        return [sparse.csc_matrix((one, indices, indptr), self.pattern.shape) for one in np.concatenate(values, 1)]

    def own(self, q: NDArray, operator: Holdout) -> NDArray:
        weights, out = operator.weights(), np.empty((len(self.mask), np.prod(self.mask.shape[1:])))
        seen = operator.mask_out(np.ones(len(self.mask), dtype=bool))
        for part, there in zip(q, seen):
            rows = slice(None) if there.all() else ~there  # where single rows are held out, all at once
            out[rows] = weights[rows] @ sparse.csr_matrix((part, (self.row, self.at)), out.shape)
        return out.reshape(self.mask.shape)

    def full(self, q: NDArray) -> NDArray:
        out = np.zeros(self.mask.shape)
        out[self.entries] = q
        return out


def are_few(mask: NDArray) -> bool:
    """Whether so few options are candidates, (n, g, c), that only they should be weighed."""
    n, g, c = mask.shape
    if g * c < max(MANY, n / ROUNDS):
        return False
    shared = np.square(mask.reshape(n, g * c).sum(axis=0, dtype=float)).sum()
    return bool(shared <= min(SHARE * n**2 * g * c, MOST))
