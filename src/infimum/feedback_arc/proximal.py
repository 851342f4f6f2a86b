"""Bounds of large feedback arc problems by proximal steps, where the simplex would need thousands of pivots a round.

With rows  0 <= A u <= 1  that every order satisfies, step s minimises

    <w, u> + gamma / 2 |u - u_s|^2     over the rows and the boxes, approximately, to u_{s+1}

by cyclic projections with their multipliers (Hildreth, Naval Research Logistics Quarterly, 1957). The steps tend to a
solution of the linear program (Rockafellar, SIAM Journal on Control and Optimization, 1976), and any multipliers y
bound it from below, converged or not: see `Proximal.bound`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Float
from infimum.feedback_arc.rows import Rows

GAMMA = 0.1  # times the mean of |w|
SWEEPS = 30  # over the rows, a step
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
        self.pool = Rows(m)
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
