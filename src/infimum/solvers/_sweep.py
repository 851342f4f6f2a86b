"""The sweep of `Piecewise`, compiled: many queries at a time, one pass over the breakpoints."""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 16  # queries side by side: the compiler turns the inner loop into vector instructions


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def sweep(alpha, start, at, row, bend, kink, tol, steep, t, best):
    """t <- argmin of F, best <- min of F over [at[0], at[-1]], for every row of alpha.

    `start` (n, 3) holds h_i, h_i'/2 and h_i''/2 at at[0]; at breakpoint e, of row[e], h'/2 jumps by kink[e], or else
    h''/2 by bend[e]. F = sum_i alpha_i h_i falls and then rises only at a minimum: the vertex of a segment or a
    breakpoint. Of a flat minimum, one where F stays within tol sum_i |alpha_i| of its least and |F'/2| within steep
    sum_i |alpha_i| of 0, t is the middle.
    """
    weights = np.zeros((alpha.shape[1], LANES))
    state = np.zeros((2, 3 * LANES))  # F, F'/2, F''/2 before and after a segment
    found = np.empty((LANES, 3))  # the state at the breakpoint that follows the minimum, and which one that is
    event = np.empty(LANES, dtype=np.int64)
    size = np.empty(LANES)
    for q in range(0, len(alpha), LANES):
        lanes = min(LANES, len(alpha) - q)
        weights[:, :lanes] = alpha[q : q + lanes].T
        old, new = state[0], state[1]
        _start(weights, start, old, size)
        for j in range(lanes):
            for s in range(3):
                found[j, s] = old[s * LANES + j]
            best[q + j], t[q + j], event[j] = old[j], at[0], 0
        for e in range(1, len(at)):
            width, jump, curl, a = at[e] - at[e - 1], kink[e], bend[e], weights[row[e]]
            turns = 0
            if jump == 0:
                for j in range(LANES):
                    g, c = old[LANES + j], old[2 * LANES + j]
                    end = g + c * width
                    new[j] = old[j] + width * (g + end)
                    new[LANES + j] = end
                    new[2 * LANES + j] = c + a[j] * curl
                    turns += (g < 0) & (end >= 0)
            else:
                for j in range(LANES):
                    g, c = old[LANES + j], old[2 * LANES + j]
                    end = g + c * width
                    after = end + a[j] * jump
                    new[j] = old[j] + width * (g + end)
                    new[LANES + j] = after
                    new[2 * LANES + j] = c
                    turns += (min(g, end) < 0) & (max(end, after) >= 0)
            if turns > 0 or e == len(at) - 1:
                for j in range(lanes):
                    g, c = old[LANES + j], old[2 * LANES + j]
                    end = g + c * width
                    low, where = new[j], at[e]
                    if g < 0 and end > 0:
                        low -= end * end / c
                        where -= end / c
                    if low < best[q + j]:
                        best[q + j], t[q + j], event[j] = low, where, e
                        found[j, 0], found[j, 1], found[j, 2] = new[j], new[LANES + j], new[2 * LANES + j]
            old, new = new, old
        for j in range(lanes):
            k = q + j
            limit = best[k] + tol * size[j]
            right = _reach_right(alpha[k], found[j], event[j], t[k], limit, steep * size[j], at, row, bend, kink)
            left = _reach_left(alpha[k], found[j], event[j], t[k], limit, steep * size[j], at, row, bend, kink)
            t[k] = (left + right) / 2


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def _start(weights, start, state, size):
    """F, F'/2 and F''/2 at the left end, and sum_i |alpha_i|, for every lane."""
    state[:] = 0
    size[:] = 0
    for i in range(len(weights)):
        a, h, slope, curvature = weights[i], start[i, 0], start[i, 1], start[i, 2]
        for j in range(LANES):
            state[j] += a[j] * h
            state[LANES + j] += a[j] * slope
            state[2 * LANES + j] += a[j] * curvature
            size[j] += abs(a[j])


@njit(nogil=True, cache=True, error_model="numpy")
def _reach_right(alpha, found, e, t, limit, steep, at, row, bend, kink):
    """The last breakpoint up to which F stays below limit, and nowhere steep."""
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
    """The first breakpoint from which F stays below limit, and nowhere steep."""
    value, g, c = found
    inside = t < at[e]  # of the first segment, only what is left of t counts, where F' = 0
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
