"""Insertion local search: take an item out and put it back where it costs least, until no move helps."""

from __future__ import annotations

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Float, Int


@njit(cache=True, nogil=True)
def _move(order, start, stop):
    """Take the item at `start` out and put it back at `stop`."""
    item = order[start]
    step = 1 if stop > start else -1
    for q in range(start, stop, step):
        order[q] = order[q + step]
    order[stop] = item


@njit(cache=True, nogil=True)
def _descend(order, w, before, tol):
    """Insertion moves until none gains more than `tol`, for w[i, j] = cost[i, j] - cost[j, i]."""
    m, improved = len(order), True
    while improved:
        improved = False
        for p in range(m):
            item, best, target = order[p], -tol, p
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
            if target != p:
                _move(order, p, target)
                improved = True


@njit(cache=True, nogil=True)
def _shake(order, before, moves, rng):
    """Random insertions of random items, each as far as the partial order lets it go."""
    m = len(order)
    for _ in range(moves):
        p, q = rng.integers(0, m), rng.integers(0, m)
        step = 1 if q > p else -1
        stop = p
        while stop != q:
            other = order[stop + step]
            if before[other, order[p]] if step < 0 else before[order[p], other]:
                break
            stop += step
        _move(order, p, stop)


@njit(cache=True, nogil=True)
def _iterate(order, w, before, tol, rounds, rng):
    _descend(order, w, before, tol)
    trial = order.copy()
    for _ in range(rounds):
        trial[:] = order
        change = 0.0
        _shake(trial, before, 1 + rng.integers(0, 1 + len(order) // 8), rng)
        # the value of `trial` against that of `order`, after the descent
        _descend(trial, w, before, tol)
        for p in range(len(order)):
            for q in range(p + 1, len(order)):
                change += w[trial[p], trial[q]] - w[order[p], order[q]]
        if change < -tol:
            order[:] = trial


def insertion_search(cost: Float, order: Int, before: Bool, rounds: int = 0, random_state: int | None = 0) -> Int:
    """A linear extension of `before` that no single insertion improves, started from the linear extension `order`.

    `rounds` more descents start from random shakes of the best order so far (iterated local search).

    >>> cost = np.array([[0.0, 1, 3], [2, 0, 1], [1, 4, 0]])
    >>> insertion_search(cost, np.array([0, 1, 2]), np.zeros((3, 3), dtype=bool))
    array([1, 2, 0])
    """
    order = np.array(order, dtype=np.int64)
    if len(order) > 1:
        w = cost - cost.T
        # moves within rounding of a tie would go round in circles
        _iterate(order, w, before, 1e-10 * np.abs(w).max(), rounds, np.random.default_rng(random_state))
    return order
