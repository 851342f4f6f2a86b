"""The inequalities 0 <= u_ij + u_jk - u_ik <= 1 that every order satisfies, one row for each triple i < j < k."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Float, Int

TRIPLES_PER_ITEM = 20  # new rows in a round, per item


@njit(cache=True, nogil=True, fastmath=True)
def violated_triples(u: Any, tolerance: float) -> Any:
    """Return the triples i < j < k with u_ij + u_jk - u_ik outside [0, 1] by more than `tolerance`, and by how much."""
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
    """The rows of some triples with a multiplier y each; every triple is there once."""

    def __init__(self, m: int):
        rows, cols = np.triu_indices(m, 1)
        self.pair = np.zeros((m, m), dtype=np.int64)
        self.pair[rows, cols] = np.arange(len(rows))
        self.triples = np.empty((0, 3), dtype=np.int64)
        self.y, self.idle = np.empty(0), np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self.y)

    def _name(self, triples: Int) -> Int:
        """Return a number for each triple."""
        m = len(self.pair)
        return (triples[:, 0] * m + triples[:, 1]) * m + triples[:, 2]

    @property
    def index(self) -> Int:
        """The pairs ij, jk and ik of each triple, (n, 3)."""
        i, j, k = self.triples.T
        return np.stack([self.pair[i, j], self.pair[j, k], self.pair[i, k]], axis=1)

    def add(self, triples: Int) -> int:
        """Add the triples that are new; return how many there are."""
        name, first = np.unique(self._name(triples), return_index=True)
        fresh = triples[np.sort(first[~np.isin(name, self._name(self.triples))])]
        self.triples = np.concatenate([self.triples, fresh])
        self.y = np.concatenate([self.y, np.zeros(len(fresh))])
        self.idle = np.concatenate([self.idle, np.zeros(len(fresh), dtype=np.int64)])
        return len(fresh)

    def add_violated(self, u: Float, tolerance: float) -> int:
        """Add the rows that u (m, m) violates, the most violated first."""
        triples, excess = violated_triples(u, tolerance)
        return self.add(triples[np.argsort(-excess, kind="stable")[: TRIPLES_PER_ITEM * len(u)]])

    def combined(self, n_pairs: int) -> Float:
        """Return A'y."""
        entries = np.outer(self.y, [1.0, 1.0, -1.0])
        return np.bincount(self.index.ravel(), entries.ravel(), minlength=n_pairs).astype(np.float64)

    def value(self) -> float:
        """Return the least value of sum_r y_r s_r over all s_r in [0, 1]."""
        return float(np.minimum(self.y, 0.0).sum())

    def forget(self, patience: int) -> None:
        """Count a call without a multiplier against a row; drop the rows with `patience` of them."""
        self.idle = np.where(self.y == 0.0, self.idle + 1, 0)
        kept = self.idle < patience
        self.triples, self.y, self.idle = self.triples[kept], self.y[kept], self.idle[kept]
