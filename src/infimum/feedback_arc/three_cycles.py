"""The linear program over the transitivity polytope, with its 3-cycle rows added when they are violated.

    minimise  sum_{i<j} cost[i, j] u_ij + cost[j, i] (1 - u_ij)     u_ij = 1 when i comes before j
    subject to  0 <= u_ij <= 1   and   0 <= u_ij + u_jk - u_ik <= 1   for i < j < k.

This is the canonical polytope of App. C with u = (1 + x) / 2. Most of its m(m-1)(m-2)/6 rows are slack at the optimum:
rows are added in rounds, the dual simplex of HiGHS going on from the last basis.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Float, Int
from infimum.feedback_arc.rows import Rows, violated_triples

VIOLATION = 1e-6
ROWS_PER_ITEM = 15  # new rows in a round, per item
ROWS_PER_PAIR = 3  # new rows in a round on any one pair: rows on different pairs tell the simplex more


@njit(cache=True, nogil=True)
def _spread(triples: Any, m: int, limit: int, per_pair: int) -> Any:
    """The first `limit` triples with no pair used more than `per_pair` times."""
    used = np.zeros((m, m), dtype=np.int64)
    kept = np.empty(min(limit, len(triples)), dtype=np.int64)
    count = 0
    for t in range(len(triples)):
        i, j, k = triples[t]
        if count < len(kept) and max(used[i, j], used[j, k], used[i, k]) < per_pair:
            used[i, j] += 1
            used[j, k] += 1
            used[i, k] += 1
            kept[count] = t
            count += 1
    return kept[:count]


class ThreeCycleLP:
    """The linear program above, on HiGHS; `before` fixes pairs and may change between solves.

    Any multipliers y of the rows bound the optimum from below, as every variable lives in a box: with the reduced costs
    d = w - A'y, the bound is  constant + sum min(y, 0) + sum min(d lower, d upper). So the bounds reported here hold
    whatever the tolerances of the simplex, and also when it is stopped early.
    """

    def __init__(self, cost: Float, before: Bool):
        import highspy

        self.m = m = len(cost)
        self.rows, self.cols = np.triu_indices(m, 1)
        self.w: Float = (cost - cost.T)[self.rows, self.cols]
        self.constant = float(cost.T[self.rows, self.cols].sum())
        self.scale = float(np.abs(self.w).max(initial=0.0)) or 1.0
        self.pool = Rows(m)
        self.u: Float = np.full((m, m), 0.5)
        self.highs = highspy.Highs()
        self.highs.setOptionValue("output_flag", False)
        self.highs.setOptionValue("presolve", "off")
        self.highs.setOptionValue("solver", "simplex")
        n = len(self.w)
        empty = np.empty(0, dtype=np.int32)
        self.highs.addCols(n, self.w / self.scale, np.zeros(n), np.ones(n), 0, empty, empty, np.empty(0))
        self.fix(before)

    def fix(self, before: Bool) -> None:
        """Set the boxes: i before j and j before i in `before` fix u_ij at 1 and 0."""
        self.lower: Float = before[self.rows, self.cols].astype(np.float64)
        self.upper: Float = (~before[self.cols, self.rows]).astype(np.float64)
        n = len(self.w)
        self.highs.changeColsBounds(n, np.arange(n, dtype=np.int32), self.lower, self.upper)

    def box_bound(self, reduced_cost: Float) -> float:
        """constant + the least of <reduced_cost, u> over the boxes."""
        return self.constant + float(np.minimum(reduced_cost * self.lower, reduced_cost * self.upper).sum())

    def solve(self, deadline: float = np.inf) -> bool:
        """Minimise over the rows present; sets `bound`, `reduced_cost` and `u` (m, m). False if time ran out."""
        import highspy

        self.bound = -np.inf
        remaining = deadline - time.perf_counter()
        if remaining <= 0:
            return False
        self.highs.setOptionValue("time_limit", self.highs.getRunTime() + min(remaining, 1e9))
        self.highs.run()
        solution, status = self.highs.getSolution(), self.highs.getModelStatus()
        expected = highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kTimeLimit
        if status not in expected and len(self.w):
            raise RuntimeError(f"HiGHS ended with status {status} on a feasible, bounded linear program.")
        y = np.asarray(solution.row_dual) * self.scale
        if len(y) < len(self.pool):
            return False
        self.pool.y = y
        self.reduced_cost: Float = self.w - self.pool.combined(len(self.w))
        self.bound = self.box_bound(self.reduced_cost) + self.pool.value()
        self.u = np.zeros((self.m, self.m))
        self.u[self.rows, self.cols] = np.clip(solution.col_value, 0.0, 1.0)
        self.u[self.cols, self.rows] = 1.0 - self.u[self.rows, self.cols]
        return status != highspy.HighsModelStatus.kTimeLimit

    def cut(self) -> int:
        """Add rows that `u` violates, the most violated first; returns how many."""
        triples, excess = violated_triples(self.u, VIOLATION)
        triples = triples[np.argsort(-excess, kind="stable")]
        triples = triples[_spread(triples, self.m, ROWS_PER_ITEM * self.m, ROWS_PER_PAIR)]
        return self.add(triples)

    def add(self, triples: Int) -> int:
        """Add the rows of the triples that are new; returns how many."""
        old = len(self.pool)
        count = self.pool.add(triples)
        index = self.pool.index[old:].ravel().astype(np.int32)
        starts = np.arange(0, len(index), 3, dtype=np.int32)
        coef = np.tile([1.0, 1.0, -1.0], count)
        self.highs.addRows(count, np.zeros(count), np.ones(count), len(index), starts, index, coef)
        return count
