"""Insertion local search: take an item out and put it back where it costs least, until no move helps."""

from __future__ import annotations

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Float, Int

HEAT = 0.2  # times the median of |w| > 0: how much worse an order the first rounds go on from, on average


@njit(cache=True, nogil=True)
def _move(order, start, stop):
    """Take the item at `start` out and put it back at `stop`."""
    item = order[start]
    step = 1 if stop > start else -1
    for q in range(start, stop, step):
        order[q] = order[q + step]
    order[stop] = item


@njit(cache=True, nogil=True)
def _best_move(order, p, w, before, tol):
    """Return the best new place of the item at `p` and the change; `p` itself if no gain is above `tol`."""
    m, item, best, target = len(order), order[p], -tol, p
    for step in (-1, 1):
        change, q = 0.0, p + step
        # passing item `other` to the left pays w[item, other], to the right w[other, item] = -w[item, other]
        while 0 <= q < m:
            other = order[q]
            if before[other, item] if step < 0 else before[item, other]:
                break
            change -= step * w[item, other]
            if change < best:
                best, target = change, q
            q += step
    return target, best


@njit(cache=True, nogil=True)
def _descend(order, waiting, w, before, tol):
    """Insert queued items at their best places until the queue is empty; passed items are queued. Return the change."""
    m, total, idle, p = len(order), 0.0, 0, 0
    while idle < m:
        item = order[p]
        if waiting[item]:
            waiting[item] = False
            target, change = _best_move(order, p, w, before, tol)
            if target != p:
                _move(order, p, target)
                total += change
                for q in range(min(p, target), max(p, target) + 1):
                    waiting[order[q]] = True
            idle = -1
        idle += 1
        p = p + 1 if p + 1 < m else 0
    return total


@njit(cache=True, nogil=True)
def _kick(order, waiting, w, before, rng):
    """Make one to four random insertions near each other, as far as the partial order allows. Return the change."""
    m, total = len(order), 0.0
    centre, reach = rng.integers(0, m), 2 + rng.integers(0, 1 + m // 4)
    for _ in range(1 + rng.integers(0, 4)):
        p = min(max(centre + rng.integers(-reach, reach + 1), 0), m - 1)
        q = min(max(centre + rng.integers(-reach, reach + 1), 0), m - 1)
        step, stop, item = 1 if q > p else -1, p, order[p]
        while stop != q:
            other = order[stop + step]
            if before[other, item] if step < 0 else before[item, other]:
                break
            stop += step
            total -= step * w[item, other]
        _move(order, p, stop)
        for r in range(min(p, stop), max(p, stop) + 1):
            waiting[order[r]] = True
    return total


@njit(cache=True, nogil=True)
def _iterate(order, w, before, tol, rounds, heat, rng):
    m = len(order)
    waiting = np.ones(m, dtype=np.bool_)
    _descend(order, waiting, w, before, tol)
    trial, excess = order.copy(), 0.0
    kept = order.copy()
    for r in range(rounds):
        temperature = heat * (1.0 - r / rounds)
        change = _kick(trial, waiting, w, before, rng)
        change += _descend(trial, waiting, w, before, tol)
        if change <= tol - temperature * np.log(1.0 - rng.random()):
            # ties are taken: they lead along plateaus
            kept[:] = trial
            excess += change
            if excess < -tol:
                order[:] = trial
                excess = 0.0
        else:
            trial[:] = kept
    waiting[:] = True
    _descend(order, waiting, w, before, tol)


def insertion_search(cost: Float, order: Int, before: Bool, rounds: int = 0, random_state: int | None = 0) -> Int:
    """Return a linear extension of `before` that no single insertion improves, starting from `order`.

    `rounds` more descents start from random kicks of the last order that was not much worse (iterated local search,
    annealed): each kick moves one to four items that lie near one another.

    >>> cost = np.array([[0.0, 1, 3], [2, 0, 1], [1, 4, 0]])
    >>> insertion_search(cost, np.array([0, 1, 2]), np.zeros((3, 3), dtype=bool))
    array([1, 2, 0])
    """
    order = np.array(order, dtype=np.int64)
    if len(order) > 1:
        w = cost - cost.T
        size = np.abs(w[w != 0.0])
        # moves within rounding of a tie would go round in circles
        tol, heat = 1e-10 * size.max(initial=0.0), HEAT * float(np.median(size)) if len(size) else 0.0
        _iterate(order, w, before, tol, rounds, heat, np.random.default_rng(random_state))
    return order


@njit(cache=True, nogil=True)
def _search_all(w, rounds, rng, orders):
    free = np.zeros(w.shape[1:], dtype=np.bool_)
    for k in range(len(w)):
        size = np.abs(w[k])
        order = np.argsort(w[k].sum(axis=1), kind="mergesort")
        _iterate(order, w[k], free, 1e-10 * size.max(), rounds, HEAT * size.mean(), rng)
        orders[k] = order


def local_orders(costs: Float, rounds: int = 0) -> Int:
    """Return orders (q, m) of low cost for costs (q, m, m): sorted by scores, then improved by insertions; no bound.

    >>> local_orders(np.array([[[0.0, 1, 3], [2, 0, 1], [1, 4, 0]]]))
    array([[1, 2, 0]])
    """
    q, m = costs.shape[:2]
    orders = np.tile(np.arange(m), (q, 1))
    if q and m > 1:
        _search_all(costs - costs.swapaxes(1, 2), rounds, np.random.default_rng(0), orders)
    return orders
