"""The sweep of `Piecewise`, compiled: many queries at a time, one pass over the breakpoints."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

LANES = 32  # queries side by side: the compiler turns the inner loop into vector instructions
CACHED = 64  # rows of weights transposed at a time: they stay in the nearest cache
MIDDLE = (2.0**-400, 2.0**400)  # sums of weights that are swept as they are


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def sweep(alpha, start, at, row, bend, kink, tol, steep, t, best, extent):
    """t <- argmin of F, best <- min of F over [at[0], at[-1]], for every row of alpha.

    `start` (n, 3) holds h_i, h_i'/2 and h_i''/2 at at[0]; at breakpoint e, of row[e], h'/2 jumps by kink[e], or else
    h''/2 by bend[e]. F = sum_i alpha_i h_i falls and then rises only at a minimum: the vertex of a segment or a
    breakpoint. Of a flat minimum, one where F stays within tol sum_i |alpha_i| of its least and |F'/2| within steep
    sum_i |alpha_i| of 0, t is the middle.
    """
    weights = np.zeros((alpha.shape[1], LANES))
    # F, F'/2, F''/2 after a breakpoint, the least F so far, F'/2 at both ends of the segment before the breakpoint
    S = np.zeros(6 * LANES)
    F, G, C, least = S[:LANES], S[LANES : 2 * LANES], S[2 * LANES : 3 * LANES], S[3 * LANES : 4 * LANES]
    found = np.empty((LANES, 3))  # the state at the breakpoint that follows the minimum, and which one that is
    event = np.empty(LANES, dtype=np.int64)
    size = np.empty(LANES)
    exponent = np.zeros(LANES, dtype=np.int64)
    for q in range(0, len(alpha), LANES):
        lanes = min(LANES, len(alpha) - q)
        _load(alpha[q : q + lanes], weights)
        _start(weights, start, F, G, C, size)
        if _rescale(weights, size, exponent):
            _start(weights, start, F, G, C, size)
        for j in range(LANES):
            found[j, 0], found[j, 1], found[j, 2] = F[j], G[j], C[j]
            least[j], event[j] = F[j], 0
        t[q : q + lanes] = at[0]
        for e in range(1, len(at)):
            width, jump, curl, a = at[e] - at[e - 1], kink[e], bend[e], weights[row[e]]
            turns = 0
            # a minimum of this segment lies above F at its end less 2 width times F'/2 there: most are no record
            if jump == 0:
                for j in range(LANES):
                    g, c = S[LANES + j], S[2 * LANES + j]
                    stop = g + c * width
                    value = S[j] + width * (g + stop)
                    S[j] = value
                    S[LANES + j] = stop
                    S[2 * LANES + j] = c + a[j] * curl
                    S[4 * LANES + j] = g
                    S[5 * LANES + j] = stop
                    turns += (g < 0) & (stop >= 0) & (value - 2 * stop * width < S[3 * LANES + j])
            else:
                for j in range(LANES):
                    g, c = S[LANES + j], S[2 * LANES + j]
                    stop = g + c * width
                    after = stop + a[j] * jump
                    value = S[j] + width * (g + stop)
                    S[j] = value
                    S[LANES + j] = after
                    S[4 * LANES + j] = g
                    S[5 * LANES + j] = stop
                    low = value - 2 * max(stop, 0.0) * width
                    turns += (min(g, stop) < 0) & (max(stop, after) >= 0) & (low < S[3 * LANES + j])
            if turns > 0 or e == len(at) - 1:
                for j in range(lanes):
                    g, stop, low, where = S[4 * LANES + j], S[5 * LANES + j], F[j], at[e]
                    if g < 0 and stop > 0:
                        back = width * stop / (stop - g)
                        low -= stop * back
                        where -= back
                    if low < least[j]:
                        least[j], t[q + j], event[j] = low, where, e
                        found[j, 0], found[j, 1], found[j, 2] = F[j], G[j], C[j]
        for j in range(lanes):
            k, own = q + j, weights[:, j]
            limit, flat = least[j] + tol * size[j], steep * size[j]
            right = _reach_right(own, found[j], event[j], t[k], limit, flat, at, row, bend, kink)
            left = _reach_left(own, found[j], event[j], t[k], limit, flat, at, row, bend, kink)
            t[k], extent[k] = (left + right) / 2, right - left
            best[k] = math.ldexp(least[j], exponent[j])


@njit(nogil=True, cache=True, error_model="numpy")
def _load(alpha, weights):
    """weights (n, LANES) <- the rows of alpha, side by side."""
    n = len(weights)
    for first in range(0, n, CACHED):
        last = min(first + CACHED, n)
        for j in range(len(alpha)):
            row = alpha[j]
            for i in range(first, last):
                weights[i, j] = row[i]


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def _start(weights, start, F, G, C, size):
    """F, F'/2 and F''/2 at the left end, and sum_i |alpha_i|, for every lane."""
    F[:], G[:], C[:], size[:] = 0, 0, 0, 0
    for i in range(len(weights)):
        a, h, slope, curvature = weights[i], start[i, 0], start[i, 1], start[i, 2]
        for j in range(LANES):
            F[j] += a[j] * h
            G[j] += a[j] * slope
            C[j] += a[j] * curvature
            size[j] += abs(a[j])


@njit(nogil=True, cache=True, error_model="numpy")
def _rescale(weights, size, exponent):
    """Weights whose sums would overflow or vanish are brought to about 1; says whether there were any.

    By powers of two, which round nothing, in two steps: one power may itself be beyond the largest number.
    """
    any_scaled = False
    for j in range(LANES):
        exponent[j] = 0
        if size[j] == 0 or MIDDLE[0] <= size[j] <= MIDDLE[1]:
            continue
        any_scaled = True
        column = weights[:, j]
        exponent[j] = math.frexp(np.abs(column).max())[1]
        half = exponent[j] // 2
        first, second = math.ldexp(1.0, -half), math.ldexp(1.0, half - exponent[j])
        for i in range(len(column)):
            column[i] = column[i] * first * second
    return any_scaled


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
