"""One query after the other: linear minorants are raised until few orders are below the best one known.

The bound max over minorants of min_x G(x) is a concave maximum. It is approached along supergradients with Polyak's
steps towards a target: the best value known, or less far where that was too far. It closes most often, since
min_x sum_t v_t e_t(x) has a linear relaxation, orders and answers in their polytopes, that is rarely fractional.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from infimum.feedback_arc.subset_dp import _cheapest

from .bits import put, put_all
from .ends import code_of, explore
from .minorants import UNIT, sums_over_subsets
from .state import objective, respond

STEP = 0.5  # of the way to the best value known
INERTIA = 0.5  # of the last direction that stays


@njit(cache=True, nogil=True)
def solve(rel, v, heavy, counts, tol, rounds, looks, nodes, state, orders, values, bounds):
    """Write the best orders found for sum_t v_qt d_t, their values and lower bounds to orders, values and bounds.

    A query has at most `rounds`, which look at `looks` ends of orders each time that the gap has become smaller, and in
    the end at `nodes`. heavy[q, : counts[q]] are the terms that no linear cost stands for, heaviest first.
    """
    order = np.arange(orders.shape[1])  # of the query before, which is often near
    for q in range(len(v)):
        weights = v[q]
        _known_costs(rel.known, weights, state.known_cost)
        terms = heavy[q, : counts[q]]
        put(orders[q], order)
        values[q] = objective(rel, weights, order, state)
        bounds[q] = _ascend(rel, weights, terms, tol, rounds, looks, nodes, state, orders[q], values[q : q + 1])
        put(order, orders[q])


@njit(cache=True, nogil=True)
def _ascend(rel, v, terms, tol, rounds, looks, nodes, state, order, value):
    """Return a lower bound, which is `value` if that is proved; order and value get the best order found."""
    best, counted = -np.inf, np.inf  # counted: the gap at the last look
    for t in terms:
        for p in range(state.move.shape[1]):
            state.move[t, p] = 0.0
    for turn in range(rounds + 1):
        if turn == rounds:  # back to the best minorants, for a longer look
            put_all(state.nu, state.kept_nu)
            put_all(state.mean, state.kept_mean)
            looks, counted = nodes, np.inf
        _minimise(v, terms, rel.open, state)
        total = objective(rel, v, state.found, state)
        if total < value[0]:
            value[0] = total
            put(order, state.found)
        constant, size = _directions(rel, v, terms, state)
        low = state.f[-1] + constant
        if low > best:
            best = low
            put_all(state.kept_nu, state.nu)
            put_all(state.kept_mean, state.mean)
        if best >= value[0] - tol:
            return value[0]
        if value[0] - low < 0.8 * counted and looks > 0:
            counted = value[0] - low
            value[0], seen = explore(rel, terms, v, constant, value[0], tol, looks, state, order)
            if seen <= looks:
                return value[0]
        if size > 0:
            _move(v, terms, STEP * (value[0] - low) / size, state)
    return best


@njit(cache=True, nogil=True)
def _known_costs(known, v, cost):
    """Write the costs of known pairs: cost[i, j] is the sum of v_t over the relations t that put j before i."""
    m = len(cost)
    for i in range(m):
        for j in range(m):
            cost[i, j] = 0.0
    for t in range(len(v)):
        if v[t] != 0:
            for i in range(m):
                for j in range(m):
                    cost[j, i] += v[t] * known[t, i, j]


@njit(cache=True, nogil=True)
def _minimise(v, terms, is_open, state):
    """Write the order that minimises the sum of the minorants to state.found and state.x."""
    m = len(state.cost)
    slope = np.zeros(len(state.x))
    for t in terms:
        if v[t] > 0:
            unit = v[t] / UNIT
            for p in range(len(slope)):
                slope[p] += unit * state.nu[t, p]
        else:
            for p in range(len(slope)):
                slope[p] += v[t] * is_open[t, p] * (1 - 2 * state.mean[t, p])
    put_all(state.cost, state.known_cost)
    p = 0
    for i in range(m):
        for j in range(i + 1, m):
            state.cost[i, j] += slope[p]
            p += 1
    sums_over_subsets(state.cost, 0, m // 2, state.lower)
    sums_over_subsets(state.cost, m // 2, m - m // 2, state.upper)
    _cheapest(state.lower, state.upper, np.zeros(m, dtype=np.int64), state.f, state.found)
    code_of(state.found, state.place, state.x)


@njit(cache=True, nogil=True)
def _directions(rel, v, terms, state):
    """Write the supergradients to state.move; return the constant of the sum of minorants, and their squared length."""
    constant = size = 0.0
    x, y = state.x, state.y
    for t in terms:
        nu, mean, move, is_open = state.nu[t], state.mean[t], state.move[t], rel.open[t]
        if v[t] > 0:
            state.h[t] = respond(rel, t, nu, state)
            constant += v[t] * (state.h[t] / UNIT)
            for p in range(len(x)):
                way = is_open[p] * (x[p] - y[p]) + INERTIA * move[p]
                # at the end of [-1, 1] there is no way on
                move[p] = 0.0 if (way > 0 and nu[p] >= UNIT) or (way < 0 and nu[p] <= -UNIT) else way
                size += v[t] * move[p] * move[p]
        else:
            respond(rel, t, state.zero, state)
            for p in range(len(x)):
                constant += v[t] * is_open[p] * mean[p]
                move[p] = is_open[p] * (y[p] - mean[p])
                size -= v[t] * (2 * x[p] - 1) * move[p]
    return constant, size


@njit(cache=True, nogil=True)
def _move(v, terms, step, state):
    """Move nu and the means along `state.move`."""
    for t in terms:
        move = state.move[t]
        if v[t] > 0:
            for p in range(len(move)):
                to = state.nu[t, p] + np.int64(np.round(UNIT * step * move[p]))
                state.nu[t, p] = min(UNIT, max(-UNIT, to))
        else:
            for p in range(len(move)):
                state.mean[t, p] += min(1.0, step) * move[p]
