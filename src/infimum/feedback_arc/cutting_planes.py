"""Exact orders by cutting planes and branch and bound, with the best order and a certified bound when time runs out.

A node of the tree is a partial order `before`, closed transitively; its bound is a linear program over the 3-cycles,
with the pairs of `before` fixed, which proximal steps bound. Branching adds i before j to one child and j before i to
the other.
"""

from __future__ import annotations

import heapq
import time
from itertools import count
from typing import Any

import numpy as np

from infimum.feedback_arc.local_search import insertion_search
from infimum.feedback_arc.proximal import Proximal
from infimum.feedback_arc.relations import Bool, Float, Int, borda, order_value, sort_by, transitive_closure

KICKS = 3000  # of the local search
QUICK_KICKS = 300  # the same, if the number of steps is limited
NODE_KICKS = 100  # the same, below the root
ROOT_STEPS, NODE_STEPS = 16, 4  # steps over which the bound must gain
ROOT_GAIN, NODE_GAIN = 0.05, 0.02  # of the gap that is left, or the steps end


class Branching:
    """The search for a cheapest linear extension of `before`; `run` sets `order`, `value`, `bound` and `proved`."""

    def __init__(
        self, cost: Float, before: Bool, time_limit: float | None = None, max_steps: int | None = None
    ):
        self.steps_left = np.inf if max_steps is None else max_steps
        self.deadline = np.inf if time_limit is None else time.perf_counter() + time_limit
        self.cost, self.root = cost, before
        self.m = len(cost)
        self.rows, self.cols = np.triu_indices(self.m, 1)
        self.w: Float = (cost - cost.T)[self.rows, self.cols]
        self.slack = resolution(cost)
        self.proximal = Proximal(cost, before)
        self.nodes = 0
        self.order = borda(cost, before)
        self.value = order_value(cost, self.order)
        self.offer(self.order, before, KICKS if max_steps is None else min(KICKS, QUICK_KICKS))

    def offer(self, order: Int, before: Bool, kicks: int = 0) -> None:
        """Improve an order by insertion moves and keep it if it is the best so far."""
        order = insertion_search(self.cost, order, before, kicks, self.nodes)
        value = order_value(self.cost, order)
        if value < self.value:
            self.order, self.value = order, value

    def closed(self, bound: Any) -> Any:
        """Whether no order above `bound` is better than the best so far."""
        return bound >= self.value - self.slack

    def run(self) -> Branching:
        tie = count()
        forward = np.where(self.root.T, np.inf, self.cost)
        cheaper_directions = float(np.triu(np.minimum(forward, forward.T), 1).sum())
        tree: list[tuple[float, int, Bool]] = [(cheaper_directions, next(tie), self.root)]
        open_bound, finished = np.inf, True
        while finished and tree and not self.closed(tree[0][0]):
            bound, _, before = heapq.heappop(tree)
            bound, before, u, finished = self.relax(before, bound)
            self.nodes += 1
            if self.closed(bound):
                continue
            children = self.branch(before, u) if finished else []
            for child in children:
                heapq.heappush(tree, (bound, -next(tie), child))
            if not children:
                # out of time, or every pair is fixed and the bound meets the order up to rounding only
                open_bound = min(open_bound, bound)
        open_bound = min([open_bound, *(node[0] for node in tree[:1])])
        self.proved = bool(self.closed(open_bound))
        self.bound = self.value if self.proved else open_bound
        return self

    def relax(self, before: Bool, bound: float) -> tuple[float, Bool, Float, bool]:
        """Return the bound of a node, its partial order with fixed pairs, a fractional order, and if time was enough.

        The proximal steps start from the multipliers of the last node, and end when the bound closes this one or hardly
        gains.
        """
        lp, is_root = self.proximal, self.nodes == 0
        lp.fix(before)
        wait, least = (ROOT_STEPS, ROOT_GAIN) if is_root else (NODE_STEPS, NODE_GAIN)
        history: list[float] = []
        for step in count():
            if time.perf_counter() > self.deadline or self.steps_left <= 0:
                return bound, before, lp.u, False
            self.steps_left -= 1
            lp.pool.add_violated(lp.u, 1e-4)
            bound = max(bound, lp.step())
            if self.closed(bound):
                return bound, before, lp.u, True
            if step % 4 == 3:
                before = self.fix_by_reduced_cost(before)
                if before.diagonal().any():
                    return np.inf, before, lp.u, True
                lp.fix(before)
            history.append(lp.bound)
            # the bound of another node's multipliers begins low, and may fall with new rows
            if step >= 2 * wait:
                gain = max(history[-wait:]) - max(history[-2 * wait : -wait])
                if gain < least * (self.value - self.slack - bound):
                    break
        kicks = KICKS if is_root and self.steps_left == np.inf else NODE_KICKS
        self.offer(sort_by(-lp.u.sum(axis=1), before), before, kicks)
        return bound, before, lp.u, True

    def fix_by_reduced_cost(self, before: Bool) -> Bool:
        """Add the pairs whose other direction lifts the bound to the best value; a cycle says the node is closed."""
        lp = self.proximal
        d = lp.reduced_cost
        fixed = before.copy()
        hopeless = self.closed(lp.bound + np.abs(d)) & (lp.upper > lp.lower)
        # d < 0 holds u_ij at 1
        fixed[self.rows[hopeless & (d < 0)], self.cols[hopeless & (d < 0)]] = True
        fixed[self.cols[hopeless & (d > 0)], self.rows[hopeless & (d > 0)]] = True
        return transitive_closure(fixed) if hopeless.any() else before

    def branch(self, before: Bool, u: Float) -> list[Bool]:
        """Return both directions of the most expensive pair among the least decided ones, closed transitively.

        There is none if every pair is fixed.
        """
        free = ~(before | before.T)[self.rows, self.cols]
        if not free.any():
            return []
        undecided = np.where(free, np.minimum(u, 1.0 - u)[self.rows, self.cols], -1.0)
        pick = np.argmax(np.where(undecided >= 0.8 * undecided.max(), np.abs(self.w) + undecided, -1.0))
        i, j = self.rows[pick], self.cols[pick]
        children = []
        for first, second in ((i, j), (j, i)):
            child = before.copy()
            # all that is before `first`, and itself, comes before all that is after `second`, and itself
            up, down = before[:, first].copy(), before[second].copy()
            up[first] = down[second] = True
            child |= up[:, None] & down
            children.append(child)
        return children


def resolution(cost: Float) -> float:
    """Return how far a bound may lie below the best value and still prove that it is optimal.

    The values of two orders differ by a sum of cost[i, j] - cost[j, i], a multiple of the greatest common divisor of
    these where they are integers.

    >>> round(resolution(np.array([[0.0, 10, 4], [0, 0, 6], [2, 0, 0]])), 3)
    2.0
    """
    w = cost - cost.T
    total = float(np.abs(cost).sum())
    if total < 2**50 and (w == np.round(w)).all():
        return float(max(np.gcd.reduce(np.abs(w).astype(np.int64), axis=None), 1)) - 1e-6
    return 1e-9 * total
