"""Bounds of large feedback arc problems by proximal steps, where the simplex would need thousands of pivots a round.

Every order satisfies the rows 0 <= u_ij + u_jk - u_ik <= 1, one for each triple i < j < k. With some of these rows,
0 <= A u <= 1, step s minimises

    <w, u> + gamma / 2 |u - u_s|^2     over the rows and the boxes, approximately, to u_{s+1}

by cyclic projections with their multipliers (Hildreth, Naval Research Logistics Quarterly, 1957). The steps tend to a
solution of the linear program (Rockafellar, SIAM Journal on Control and Optimization, 1976), and any multipliers y
bound it from below, converged or not: see `Proximal.bound`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Float, Int

GAMMA = 0.1  # times the mean of |w|
SWEEPS = 30  # over the rows, a step
TRIPLES_PER_ITEM = 20  # new rows in a round, per item
IDLE = 6  # steps after which a row without a multiplier goes


@njit(cache=True, nogil=True)
def _project(v, y, z, index, gamma, lower, upper, sweeps):
    """Project cyclically on the rows and boxes; v = u_s - (w - A'y - z) / gamma is preserved."""
    for _ in range(sweeps):
        for r in range(len(y)):
            # the value of the row without its own multiplier
            s = v[index[r, 0]] + v[index[r, 1]] - v[index[r, 2]] - 3.0 * y[r] / gamma
            new = gamma * (min(max(s, 0.0), 1.0) - s) / 3.0
            if new == y[r]:
                continue
            step = (new - y[r]) / gamma
            y[r] = new
            for t in range(3):
                p = index[r, t]
                v0 = v[p] + (step if t < 2 else -step) - z[p] / gamma
                v[p] = min(max(v0, lower[p]), upper[p])
                z[p] = gamma * (v[p] - v0)


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


class TriangleRows:
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


class Proximal:
    """The linear program of `rows` over the boxes of a partial order, solved approximately and bounded exactly.

    Attributes
    ----------
    v : array of shape (n_pairs,)
        In the box of every pair, close to a solution; v_ij = 1 puts i before j, for i < j.
    reduced_cost : array of shape (n_pairs,)
        d = w - A'y.
    bound : float
        constant + sum_r min(y_r, 0) + sum_p min(d_p lower_p, d_p upper_p): below the cost of every order, whatever y.
    """

    def __init__(self, cost: Float, before: Bool):
        self.m = m = len(cost)
        self.rows, self.cols = np.triu_indices(m, 1)
        self.w: Float = (cost - cost.T)[self.rows, self.cols]
        self.constant = float(cost.T[self.rows, self.cols].sum())
        self.gamma = GAMMA * float(np.abs(self.w).sum()) / max(len(self.w), 1) or 1.0
        self.pool = TriangleRows(m)
        self.v: Float = np.where(self.w < 0, 1.0, np.where(self.w > 0, 0.0, 0.5))
        self.reduced_cost = self.w
        self.fix(before)

    def fix(self, before: Bool) -> None:
        """Set the boxes: i before j and j before i in `before` fix u_ij at 1 and 0."""
        self.lower: Float = before[self.rows, self.cols].astype(np.float64)
        self.upper: Float = (~before[self.cols, self.rows]).astype(np.float64)
        self.v = np.clip(self.v, self.lower, self.upper)

    @property
    def u(self) -> Float:
        """v as a matrix (m, m) with u_ij + u_ji = 1 off the diagonal."""
        u = np.zeros((self.m, self.m))
        u[self.rows, self.cols] = self.v
        u[self.cols, self.rows] = 1.0 - self.v
        return u

    def step(self, sweeps: int = SWEEPS) -> float:
        """Take one proximal step from `v`, and return the bound."""
        pool = self.pool
        _project(self.v, pool.y, self.reduced_cost.copy(), pool.index, self.gamma, self.lower, self.upper, sweeps)
        self.reduced_cost = self.w - pool.combined(len(self.w))
        d = self.reduced_cost
        self.bound = self.constant + pool.value() + float(np.minimum(d * self.lower, d * self.upper).sum())
        pool.forget(IDLE)
        return self.bound
