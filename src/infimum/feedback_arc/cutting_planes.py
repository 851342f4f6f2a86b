"""Exact orders by cutting planes and branch and bound, with the best order and a certified bound when time runs out.

A node of the tree is a partial order `before`, closed transitively; its bound is the 3-cycle linear program with the
pairs of `before` fixed. Branching adds i before j to one child and j before i to the other.
"""

from __future__ import annotations

import heapq
import time
from itertools import count

import numpy as np

from infimum.feedback_arc.local_search import insertion_search
from infimum.feedback_arc.relations import Bool, Float, Int, order_value, sort_by, transitive_closure
from infimum.feedback_arc.sorting import best_order, pivot_sort, sorted_orders
from infimum.feedback_arc.three_cycles import ThreeCycleLP

FRACTIONAL = 1e-5
SHAKES = 200


class Branching:
    """The search for a cheapest linear extension of `before`; `run` sets `order`, `value`, `bound` and `proved`."""

    def __init__(self, cost: Float, before: Bool, time_limit: float | None = None):
        self.deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
        self.cost, self.root = cost, before
        self.lp = ThreeCycleLP(cost, before)
        total = float(np.abs(cost).sum())
        integral = bool((cost == np.round(cost)).all()) and total < 2**50
        # a bound this close below the best value proves it: integral values differ by at least one
        self.slack = 1.0 - 1e-6 if integral else 1e-9 * total
        starts = sorted_orders(cost, before)
        self.order = best_order(cost, starts)
        self.value = order_value(cost, self.order)
        for start in starts:
            self.offer(start, before, SHAKES)

    def offer(self, order: Int, before: Bool, shakes: int = 0) -> None:
        """Improve an order by insertion moves and keep it if it is the best so far."""
        order = insertion_search(self.cost, order, before, shakes)
        value = order_value(self.cost, order)
        if value < self.value:
            self.order, self.value = order, value

    def closed(self, bound):
        """Whether no order above `bound` is better than the best so far."""
        return bound >= self.value - self.slack

    def run(self) -> Branching:
        tie = count()
        tree: list[tuple[float, int, Bool]] = [(self.lp.box_bound(self.lp.w), next(tie), self.root)]
        open_bound, finished = np.inf, True
        while finished and tree and not self.closed(tree[0][0]):
            bound, _, before = heapq.heappop(tree)
            bound, before, finished = self.relax(before, bound)
            if self.closed(bound):
                continue
            children = self.branch(before) if finished else []
            for child in children:
                heapq.heappush(tree, (bound, -next(tie), child))
            if not children:
                # out of time, or an integral point that the bound meets to the tolerance of the simplex only
                open_bound = min(open_bound, bound)
        open_bound = min([open_bound, *(node[0] for node in tree[:1])])
        self.proved = bool(self.closed(open_bound))
        self.bound = self.value if self.proved else open_bound
        return self

    def relax(self, before: Bool, bound: float) -> tuple[float, Bool, bool]:
        """Cut until the node is solved or closed: its bound, its partial order with pairs fixed, if time sufficed."""
        while True:
            self.lp.fix(before)
            finished = self.lp.solve(self.deadline)
            bound = max(bound, self.lp.bound)
            if self.closed(bound) or not finished:
                return bound, before, finished
            self.offer(sort_by(-self.lp.u.sum(axis=1), before), before)
            fixed = self.fix_by_reduced_cost(before)
            if fixed.diagonal().any():
                return np.inf, before, True
            if not self.lp.cut() and (fixed == before).all():
                self.offer(pivot_sort(self.cost, before, 2.0 * self.lp.u - 1.0), before, SHAKES)
                return bound, before, True
            before = fixed

    def fix_by_reduced_cost(self, before: Bool) -> Bool:
        """Add the pairs whose other direction lifts the bound to the best value; a cycle says the node is closed."""
        lp, d = self.lp, self.lp.reduced_cost
        fixed = before.copy()
        hopeless = self.closed(lp.bound + np.abs(d)) & (lp.upper > lp.lower)
        # d < 0 holds u_ij at 1
        fixed[lp.rows[hopeless & (d < 0)], lp.cols[hopeless & (d < 0)]] = True
        fixed[lp.cols[hopeless & (d > 0)], lp.rows[hopeless & (d > 0)]] = True
        return transitive_closure(fixed) if hopeless.any() else before

    def branch(self, before: Bool) -> list[Bool]:
        """Both directions of the most expensive pair among the most undecided ones, closed transitively."""
        u, lp = self.lp.u, self.lp
        undecided = np.minimum(u, 1.0 - u)[lp.rows, lp.cols]
        if undecided.max(initial=0.0) <= FRACTIONAL:
            return []
        pick = np.argmax(np.where(undecided >= 0.8 * undecided.max(), np.abs(lp.w) + undecided, -1.0))
        i, j = lp.rows[pick], lp.cols[pick]
        children = []
        for first, second in ((i, j), (j, i)):
            child = before.copy()
            # all that is before `first`, and itself, comes before all that is after `second`, and itself
            up, down = before[:, first].copy(), before[second].copy()
            up[first] = down[second] = True
            child |= up[:, None] & down
            children.append(child)
        return children
