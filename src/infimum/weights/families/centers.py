"""Centres of the Nyström approximation: which rows stand for all of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse

from ...data.chunks import Block, single_blas
from ...data.hashes import hash_of

POOL = 10  # k-means++ and leverage scores look at this many times the number of centres


class Sketch(NamedTuple):
    """What one pass over the rows tells: their number, the law of their entries, and a uniform sample of them.

    The sample is the distinct rows with the smallest hashes (a bottom-k sketch: Cohen, 1997). It depends neither on how
    the rows are cut into blocks, nor on their order, nor on how often a row is repeated or weighted.
    """

    n: int
    total: float
    """sum of weights, over the entries of X."""
    mean: float
    square: float
    """sum of squared deviations from the mean, over the entries of X."""
    keys: NDArray
    rows: Any

    @classmethod
    def of(cls, block: Block, size: int, seed: int) -> Sketch:
        X = block.X
        w = np.ones(X.shape[0]) if block.w is None else block.w
        total = float(w.sum()) * X.shape[1]
        mean = float(np.sum(w @ X)) / max(total, 1e-300)
        square = float(np.sum(w @ (X.multiply(X) if sparse.issparse(X) else np.square(X - mean))))
        if sparse.issparse(X):
            square -= total * mean**2
        keys = hash_of(X, seed)
        order = _smallest(keys, w > 0, size)
        return cls(X.shape[0], total, mean, square, keys[order], X[order])

    def merge(self, other: Sketch, size: int) -> Sketch:
        # Chan's update of the sum of squares
        total = max(self.total + other.total, 1e-300)
        step = other.mean - self.mean
        mean = self.mean + step * other.total / total
        square = self.square + other.square + step**2 * self.total * other.total / total
        keys = np.concatenate([self.keys, other.keys])
        stack = sparse.vstack if sparse.issparse(self.rows) else np.concatenate
        order = _smallest(keys, np.ones(len(keys), bool), size)
        rows: Any = stack([self.rows, other.rows])
        rows = rows.tocsr() if sparse.issparse(rows) else rows
        return Sketch(self.n + other.n, self.total + other.total, mean, square, keys[order], rows[order])

    @property
    def variance(self) -> float:
        return self.square / self.total if self.total > 0 else 0.0


def uniform(rows: Any, m: int, k: Callable, ridge: float, seed: int) -> Any:
    """The first m rows of the sketch."""
    return rows[:m]


def spread_out(rows: Any, m: int, k: Callable, ridge: float, seed: int) -> Any:
    """m rows by k-means++: each new one with probability proportional to its squared distance to those before."""
    from sklearn.cluster import kmeans_plusplus  # slow to import

    with single_blas():  # m small products, which threads would only delay
        return rows[np.sort(kmeans_plusplus(rows, m, random_state=seed)[1])]


def by_leverage(rows: Any, m: int, k: Callable, ridge: float, seed: int) -> Any:
    """m rows with probability proportional to their approximate ridge leverage scores.

    With s pilot rows of p, score(x) = k(x, x) - k(x, pilot) (K_s + s ridge)^{-1} k(pilot, x), the part of k(x, .) that
    the pilot does not explain (Alaoui and Mahoney, 2015; Rudi et al., 2018).
    """
    s = min(m, rows.shape[0])
    pilot = rows[:s]
    factor = linalg.cholesky(k(pilot, pilot) + max(s * ridge, 1e-10 * s) * np.eye(s), lower=True)
    score = np.empty(rows.shape[0])
    for start in range(0, rows.shape[0], s):
        some = rows[start : start + s]
        own = np.diagonal(k(some, some))
        half = linalg.solve_triangular(factor, k(pilot, some), lower=True)
        score[start : start + s] = np.maximum(own - np.square(half).sum(axis=0), 1e-12 * own)
    # the m largest of u^(1 / score), u uniform, are drawn without replacement (Efraimidis and Spirakis, 2006)
    draw = np.log(np.random.default_rng(seed).random(len(score))) / score
    return rows[np.sort(np.argsort(-draw, kind="stable")[:m])]


CHOICES = {"uniform": uniform, "kmeans++": spread_out, "leverage": by_leverage}


def _smallest(keys: NDArray, allowed: NDArray, size: int) -> NDArray:
    """Where the `size` smallest distinct keys are, in their order."""
    at = np.flatnonzero(allowed)
    if len(at) > 4 * size:
        at = at[keys[at] <= np.partition(keys[at], 4 * size)[4 * size]]
    _, first = np.unique(keys[at], return_index=True)
    found = at[first[:size]]
    if len(found) < size and len(at) < allowed.sum():  # many repeated rows among the smallest
        _, first = np.unique(keys[allowed], return_index=True)
        found = np.flatnonzero(allowed)[first[:size]]
    return found
