"""The compiled sweep of `Piecewise`: one pass over the breakpoints for several queries side by side."""

from __future__ import annotations

import numpy as np
from numba import njit

from .piecewise import ROUNDING

LANES = 32  # queries side by side: the compiler turns the loop over them into vector instructions


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def sweep(alpha, start, at, row, bend, kink, tol, steep, t, best):
    """Store the minimiser of F over [at[0], at[-1]] in t and its minimum in best, for each row of alpha.

    `start` (3, n) holds h_i, h_i'/2 and h_i''/2 at at[0]. At breakpoint e, which belongs to row[e], h'/2 jumps by
    kink[e], or else h''/2 jumps by bend[e]. F = sum_i alpha_i h_i falls and then rises only at a minimum, which is the
    vertex of a segment or a breakpoint. Of minima that are equal up to rounding the first is taken. A minimum is flat
    as long as F stays within tol sum_i |alpha_i| of it and |F'/2| within steep sum_i |alpha_i| of 0; then t is the
    middle of the flat part.
    """
    n = alpha.shape[1]
    weights = np.zeros((n, LANES))
    value, g, c, size = np.zeros((4, LANES))  # F, F'/2 and F''/2 after a breakpoint, and sum_i |alpha_i|
    before, end = np.zeros((2, LANES))  # F'/2 at the two ends of a segment
    least, place, bar = np.zeros((3, LANES))  # `bar` is the value that the next minimum must be below
    event, found = np.zeros(LANES, dtype=np.int64), np.zeros((LANES, 3))
    for q in range(0, len(alpha), LANES):
        lanes = min(LANES, len(alpha) - q)
        value[:], g[:], c[:], size[:] = 0.0, 0.0, 0.0, 0.0
        for i in range(n):
            for j in range(lanes):
                weights[i, j] = alpha[q + j, i]
            for j in range(LANES):
                value[j] += weights[i, j] * start[0, i]
                g[j] += weights[i, j] * start[1, i]
                c[j] += weights[i, j] * start[2, i]
                size[j] += abs(weights[i, j])
        for j in range(lanes):
            _record(j, value[j], at[0], 0, value, g, c, size, least, place, event, found, bar)
        for e in range(1, len(at)):
            width, jump, curl, own = at[e] - at[e - 1], kink[e], bend[e], weights[row[e]]
            turns = 0
            for j in range(LANES):
                before[j] = g[j]
                end[j] = g[j] + c[j] * width
                value[j] += width * (before[j] + end[j])
                g[j] = end[j] + own[j] * jump
                c[j] += own[j] * curl
                turns += (min(before[j], end[j]) < 0) & (max(end[j], g[j]) >= 0)
            if turns == 0 and e < len(at) - 1:
                continue
            for j in range(lanes):
                low, where = value[j], at[e]
                if end[j] > 0:  # back to the vertex, or to the last breakpoint if rounding has removed F' < 0
                    back = width * end[j] / (end[j] - min(before[j], 0.0))
                    low -= end[j] * back
                    where -= back
                if low < bar[j]:
                    _record(j, low, where, e, value, g, c, size, least, place, event, found, bar)
        for j in range(lanes):
            limit, flat, own = least[j] + tol * size[j], steep * size[j], weights[:, j]
            right = _reach_right(own, found[j], event[j], place[j], limit, flat, at, row, bend, kink)
            left = _reach_left(own, found[j], event[j], place[j], limit, flat, at, row, bend, kink)
            t[q + j], best[q + j] = (left + right) / 2, least[j]


@njit(nogil=True, cache=True, error_model="numpy")
def _record(j, low, where, e, value, g, c, size, least, place, event, found, bar):
    """Store a minimum of query j, and the state after the breakpoint e that follows it."""
    least[j], place[j], event[j] = low, where, e
    found[j, 0], found[j, 1], found[j, 2] = value[j], g[j], c[j]
    bar[j] = low if g[j] < 0 else low - ROUNDING * size[j]  # as long as F falls, any lower value is taken


@njit(nogil=True, cache=True, error_model="numpy")
def _reach_right(alpha, found, e, t, limit, steep, at, row, bend, kink):
    """Return the last breakpoint up to which F stays below limit and is not steep."""
    value, g, c = found
    if t < at[e] and abs(g - alpha[row[e]] * kink[e]) > steep:
        return t
    while value <= limit:
        t = max(t, at[e])
        e += 1
        if e == len(at):
            break
        width = at[e] - at[e - 1]
        end = g + c * width
        if max(abs(g), abs(end)) > steep or (g > 0 and end < 0 and value - g * g / c > limit):  # a hump in between
            break
        value += width * (g + end)
        a = alpha[row[e]]
        g, c = end + a * kink[e], c + a * bend[e]
    return t


@njit(nogil=True, cache=True, error_model="numpy")
def _reach_left(alpha, found, e, t, limit, steep, at, row, bend, kink):
    """Return the first breakpoint from which F stays below limit and is not steep."""
    value, g, c = found
    inside = t < at[e]  # of the first segment only the part left of t counts, and F'(t) = 0
    while e > 0:
        width = at[e] - at[e - 1]
        a = alpha[row[e]]
        end, c = g - a * kink[e], c - a * bend[e]
        g = end - c * width
        slope = abs(g) if inside else max(abs(g), abs(end))
        inside = False
        if slope > steep or (g > 0 and end < 0 and value - end * end / c > limit):
            break
        value -= width * (g + end)
        if value > limit:
            break
        e -= 1
        t = min(t, at[e])
    return t
