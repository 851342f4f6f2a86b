"""Orders in the time of a sort: scores and pivots, both respecting the partial order."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from infimum.feedback_arc.relations import Bool, Float, Int, order_value, sort_by


def borda(cost: Float, before: Bool) -> Int:
    """Sort by sum_j cost[i, j] - cost[j, i], the price of putting i first rather than last.

    >>> borda(np.array([[0.0, 1, 3], [2, 0, 1], [1, 4, 0]]), np.zeros((3, 3), dtype=bool))
    array([1, 0, 2])
    """
    return sort_by((cost - cost.T).sum(axis=1), before)


def majority(cost: Float, before: Bool) -> Bool:
    """The tournament of the cheaper directions, the lower index first on ties, the partial order above all."""
    cheaper = (cost < cost.T) | ((cost == cost.T) & np.triu(np.ones(cost.shape, dtype=bool), 1))
    return before | (cheaper & ~before.T)


def kwik_sort(cost: Float, before: Bool, random_state: int | None = 0) -> Int:
    """Quicksort on the majority tournament with random pivots (Ailon, Charikar and Newman, 2008)."""
    rng = np.random.default_rng(random_state)
    return _quicksort(majority(cost, before), before, lambda items, left: int(rng.integers(len(items))))


def pivot_sort(cost: Float, before: Bool, x: Float | None = None) -> Int:
    """Quicksort on a tournament, each pivot chosen to decide pairs at the least excess cost (van Zuylen et al., 2007).

    `x` is a fractional order, x[i, j] in [-1, 1] and 1 for i before j: i goes before j where
    x[i, j] > 0. Without it the tournament is the majority's.
    """
    tournament = majority(cost if x is None else -x, before)
    excess = np.maximum(cost - cost.T, 0.0)

    def cheapest(items: Int, left: Bool) -> int:
        # pivot p decides i before j for i left and j right of p (p itself never pays)
        right = ~left & ~np.eye(len(items), dtype=bool)
        paid = np.einsum("pi,pi->p", left.astype(float), right.astype(float) @ excess[np.ix_(items, items)].T)
        decided = left.sum(axis=1) * right.sum(axis=1) + len(items) - 1
        excess_each = paid / decided
        # among the cheapest the one that decides most: a split in halves
        return int(np.argmax(np.where(excess_each == excess_each.min(), decided, -1)))

    return _quicksort(tournament, before, cheapest)


def _quicksort(tournament: Bool, before: Bool, choose: Callable[..., Any]) -> Int:
    """Split by a pivot; what must come before an item on the left goes left too, so the result extends `before`."""
    done: list[int] = []
    stack = [np.arange(len(tournament))]
    while stack:
        items = stack.pop()
        if len(items) < 2:
            done.extend(items.tolist())
            continue
        inside = np.ix_(items, items)
        # left[p, i]: i beats pivot p, or must come before some j that beats p
        beats = tournament[inside].T
        left = beats | (beats.astype(float) @ before[inside].T > 0)
        np.fill_diagonal(left, False)
        p = choose(items, left)
        right = ~left[p]
        right[p] = False
        stack += [items[right], items[[p]], items[left[p]]]
    return np.array(done, dtype=np.int64)


def sorted_orders(cost: Float, before: Bool) -> list[Int]:
    """The orders of all sorting heuristics."""
    return [borda(cost, before), kwik_sort(cost, before), pivot_sort(cost, before)]


def best_order(cost: Float, orders: list[Int]) -> Int:
    """The first of the cheapest orders."""
    return min(orders, key=lambda order: order_value(cost, order))
