"""The orders that minorants leave below the best value known: examined one after the other, all of them.

Orders grow from their last item. What the items that are left add to the sum of minorants is known exactly, from the
dynamic programme that minimised it. And the pairs that an end decides no longer need a minorant: with D these pairs,

    e_t(x)  >=  <nu, x>_{not D} + min_{y in S_t} ( sum_{p in D} |x_p - y_p| - <nu, y>_{not D} ),

which for D = all pairs is e_t(x) itself. Term by term, heaviest first, this takes the place of the minorant.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest, put
from .minorants import UNIT, cheapest_extension


@njit(cache=True, nogil=True)
def explore(rel, terms, v, constant, value, tol, nodes, state, best):
    """Return the least objective of all orders, or `value` if none is below value - tol, and the number of ends.

    `best` gets the order if one is below. The search stops after more than `nodes` ends.
    """
    m = len(best)
    half = m // 2
    mask = (1 << half) - 1
    sets, rests, paid = np.zeros(m + 1, dtype=np.int64), np.zeros(m + 1, dtype=np.int64), np.zeros(m + 1)
    order, place = np.zeros(m, dtype=np.int64), np.zeros(m, dtype=np.int64)
    gains = np.zeros((m + 1, len(v)))
    sets[0] = rests[0] = (1 << m) - 1
    depth = seen = 0
    while depth >= 0:
        rest, here = rests[depth], sets[depth]
        if rest == 0:
            depth -= 1
            continue
        low = rest & -rest
        rests[depth] = rest ^ low
        i, there = lowest(low), here ^ low
        cost = paid[depth] + state.lower[here & mask, i] + state.upper[here >> half, i]
        total = constant + cost + state.f[there]
        for t in terms:
            total += gains[depth, t]
        if total >= value - tol:
            continue
        seen += 1
        if seen > nodes:
            break
        order[m - 1 - depth] = i
        place[i] = m - 1 - depth
        _decide(there, place, state.x, state.decided)
        for t in terms:
            gains[depth + 1, t] = max(gains[depth, t], _gain(rel, t, v[t], state))
            total += gains[depth + 1, t] - gains[depth, t]
            if total >= value - tol:
                break
        if total >= value - tol:
            continue
        if depth == m - 1:
            value = total
            put(best, order)
            continue
        depth += 1
        sets[depth] = rests[depth] = there
        paid[depth] = cost
    return value, seen


@njit(cache=True, nogil=True)
def _decide(left, place, x, decided):
    """Write which pairs p have an item that is placed to `decided`, and the code of these pairs to `x`."""
    m, p = len(place), 0
    for i in range(m):
        for j in range(i + 1, m):
            first, second = left >> i & 1, left >> j & 1
            decided[p] = not (first and second)
            if first or second:
                x[p] = first
            else:
                x[p] = place[i] < place[j]
            p += 1


@njit(cache=True, nogil=True)
def _gain(rel, t, v, state):
    """Return |v| times the least amount that the decided pairs add to the minorant of sign(v) e_t."""
    m = len(state.place)
    nu, mean, x, decided, is_open, cost = state.nu[t], state.mean[t], state.x, state.decided, rel.open[t], state.y_cost
    p, linear = 0, 0
    for i in range(m):
        for j in range(i + 1, m):
            if is_open[p] == 0:
                cost[i, j] = cost[j, i] = 0
            elif decided[p]:
                cost[i, j], cost[j, i] = (1 - x[p]) * UNIT, x[p] * UNIT
                linear += nu[p] * x[p]
            elif v > 0:
                cost[i, j], cost[j, i] = -nu[p], 0
            else:
                cost[i, j] = np.int32((1 - mean[p]) * UNIT)
                cost[j, i] = np.int32(mean[p] * UNIT)
            p += 1
    part = slice(rel.start[t], rel.start[t + 1])
    least = cheapest_extension(
        rel.ideals[part], rel.last[part], cost, state.y_lower, state.y_upper, state.y_f, state.back, state.place
    )
    if v > 0:
        return v * ((least - linear - state.h[t]) / UNIT)
    # any y gives a majorant: sum over D of the old one less the new one, and over the rest no less than this
    p, gain = 0, 0.0
    for i in range(m):
        for j in range(i + 1, m):
            if is_open[p]:
                y = 1.0 if state.place[i] < state.place[j] else 0.0
                if decided[p]:
                    gain += x[p] + mean[p] - 2 * x[p] * mean[p] - abs(x[p] - y)
                else:
                    gain -= abs(mean[p] - y)
            p += 1
    return -v * gain


@njit(cache=True, nogil=True)
def code_of(order, place, x):
    """Write the code of an order: x_p is 1 if i comes before j, for the pair p = (i < j)."""
    m, p = len(order), 0
    for k in range(m):
        place[order[k]] = k
    for i in range(m):
        for j in range(i + 1, m):
            x[p] = place[i] < place[j]
            p += 1
