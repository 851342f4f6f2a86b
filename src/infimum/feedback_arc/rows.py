"""Linear inequalities that every order satisfies, kept by row: low <= <coef, u> <= high."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Float, Int

TRIPLES_PER_ITEM = 20  # new rows in a round, per item


@njit(cache=True, nogil=True, fastmath=True)
def violated_triples(u: Any, tolerance: float) -> Any:
    """The triples i < j < k with u_ij + u_jk - u_ik outside [0, 1] by more than `tolerance`, and by how much."""
    m, count = len(u), 0
    triples, excess = np.empty((1024, 3), dtype=np.int64), np.empty(1024)
    for i in range(m):
        for j in range(i + 1, m):
            most, least, uij = 0.0, 1.0, u[i, j]
            for k in range(j + 1, m):
                row = uij + u[j, k] - u[i, k]
                most, least = max(most, row), min(least, row)
            if most - 1.0 <= tolerance and -least <= tolerance:
                continue
            for k in range(j + 1, m):
                row = uij + u[j, k] - u[i, k]
                violation = max(row - 1.0, -row)
                if violation > tolerance:
                    if count == len(excess):
                        triples = np.concatenate((triples, np.empty_like(triples)))
                        excess = np.concatenate((excess, np.empty_like(excess)))
                    triples[count] = i, j, k
                    excess[count] = violation
                    count += 1
    return triples[:count], excess[:count]


class Rows:
    """Rows in compressed form with a multiplier y each; every row is there once.

    A row is recognised by <coef, h> for random numbers h: `name` holds these sums in units of 1e-9.
    """

    def __init__(self, m: int):
        rows, cols = np.triu_indices(m, 1)
        self.pair = np.zeros((m, m), dtype=np.int64)
        self.pair[rows, cols] = np.arange(len(rows))
        self.h = np.random.default_rng(0).standard_normal(len(rows))
        self.known: set[int] = set()
        self.start = np.zeros(1, dtype=np.int64)
        self.index, self.name, self.idle = (np.empty(0, dtype=np.int64) for _ in range(3))
        self.coef, self.low, self.high, self.norm, self.y = (np.empty(0) for _ in range(5))

    def __len__(self) -> int:
        return len(self.y)

    def add(self, index: Int, coef: Float, size: Int, low: Float, high: Float) -> Int:
        """Add those of the rows index[r, :size[r]], coef[r, :size[r]] that are new; returns which."""
        filled = np.arange(index.shape[1]) < size[:, None]
        coef, index = np.where(filled, coef, 0.0), np.where(filled, index, 0)
        names = np.round(1e9 * (coef * self.h[index]).sum(axis=1)).astype(np.int64)
        fresh = np.array([r for r, name in enumerate(names.tolist()) if self._is_new(name)], dtype=np.int64)
        filled, coef, index = filled[fresh], coef[fresh], index[fresh]
        self.start = np.concatenate([self.start, self.start[-1] + np.cumsum(size[fresh])])
        self.index = np.concatenate([self.index, index[filled]])
        self.coef = np.concatenate([self.coef, coef[filled]])
        self.name = np.concatenate([self.name, names[fresh]])
        self.low, self.high = np.concatenate([self.low, low[fresh]]), np.concatenate([self.high, high[fresh]])
        self.norm = np.concatenate([self.norm, (coef**2).sum(axis=1)])
        self.y = np.concatenate([self.y, np.zeros(len(fresh))])
        self.idle = np.concatenate([self.idle, np.zeros(len(fresh), dtype=np.int64)])
        return fresh

    def _is_new(self, name: int) -> bool:
        new = name not in self.known
        self.known.add(name)
        return new

    def add_triples(self, u: Float, tolerance: float) -> Int:
        """Add 3-cycle rows that u (m, m) violates, the most violated first."""
        triples, excess = violated_triples(u, tolerance)
        most = np.argsort(-excess, kind="stable")[: TRIPLES_PER_ITEM * len(u)]
        return self.add(*self.of_triples(triples[most]))

    def of_triples(self, triples: Int) -> tuple[Int, Float, Int, Float, Float]:
        """The rows 0 <= u_ij + u_jk - u_ik <= 1 of the triples i < j < k, as `add` takes them."""
        i, j, k = triples.T
        index = np.stack([self.pair[i, j], self.pair[j, k], self.pair[i, k]], axis=1)
        n = len(index)
        return index, np.tile([1.0, 1.0, -1.0], (n, 1)), np.full(n, 3), np.zeros(n), np.ones(n)

    def active(self) -> tuple[Int, Float, Int, Float, Float]:
        """The rows with a multiplier, as `add` takes them."""
        size = np.diff(self.start)
        width = np.arange(int(size.max(initial=0)))
        place = np.minimum(self.start[:-1, None] + width, max(len(self.index) - 1, 0))
        kept = self.y != 0.0
        return self.index[place[kept]], self.coef[place[kept]], size[kept], self.low[kept], self.high[kept]

    def combined(self, n_pairs: int) -> Float:
        """A'y."""
        entries = self.coef * np.repeat(self.y, np.diff(self.start))
        return np.bincount(self.index, entries, minlength=n_pairs).astype(np.float64)

    def value(self) -> float:
        """sum_r of y_r low_r where y_r > 0 and y_r high_r where y_r < 0."""
        up, down = self.y > 0, self.y < 0
        return float(self.y[up] @ self.low[up] + self.y[down] @ self.high[down])

    def forget(self, patience: int) -> None:
        """Count a call without a multiplier against a row; drop the rows with `patience` of them."""
        self.idle = np.where(self.y == 0.0, self.idle + 1, 0)
        kept = self.idle < patience
        if kept.all():
            return
        self.known.difference_update(self.name[~kept].tolist())
        size = np.diff(self.start)
        entries = np.repeat(kept, size)
        self.start = np.concatenate([[0], np.cumsum(size[kept])])
        self.index, self.coef = self.index[entries], self.coef[entries]
        for field in ("name", "idle", "low", "high", "norm", "y"):
            setattr(self, field, getattr(self, field)[kept])

    def recall(self, name: Int, y: Float) -> None:
        """Give the rows called `name` the multipliers y, the others 0."""
        order = np.argsort(name)
        place = np.minimum(np.searchsorted(name[order], self.name), max(len(name) - 1, 0))
        known = name[order][place] == self.name if len(name) else np.zeros(len(self), dtype=bool)
        self.y = np.zeros(len(self))
        self.y[known] = y[order][place[known]]
