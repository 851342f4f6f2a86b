"""The compiled sweep of `Piecewise`: one pass over the breakpoints for many queries at a time."""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from .piecewise import ROUNDING

LANES = 32  # queries per inner loop, which the compiler turns into vector instructions
CACHED = 256  # rows of weights transposed at a time, few enough to stay in the cache
MIDDLE = (2.0**-400, 2.0**400)  # sums of weights in this range need no scaling


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def sweep(alpha, start, at, row, bend, kink, tol, steep, t, best):
    """Store the minimiser of F over [at[0], at[-1]] in t and its minimum in best, for each row of alpha.

    `start` (3, n) holds h_i, h_i'/2 and h_i''/2 at at[0]. At breakpoint e, which belongs to row[e], h'/2 jumps by
    kink[e], or else h''/2 jumps by bend[e]. F = sum_i alpha_i h_i falls and then rises only at a minimum, which is the
    vertex of a segment or a breakpoint. Of minima that are equal up to rounding the first is taken. A minimum is flat
    as long as F stays within tol sum_i |alpha_i| of it and |F'/2| within steep sum_i |alpha_i| of 0; then t is the
    middle of the flat part.
    """
    weights = np.zeros((alpha.shape[1], LANES))
    S = np.zeros((4, LANES))  # F, F'/2, F''/2 after a breakpoint, and sum_i |alpha_i|
    F, G, C, size = S[0], S[1], S[2], S[3]
    least, bar = np.empty(LANES), np.empty(LANES)  # the least F so far, and the value that the next one must be below
    found = np.empty((LANES, 3))  # the state at the breakpoint that follows the minimum
    event = np.empty(LANES, dtype=np.int64)
    exponent = np.zeros(LANES, dtype=np.int64)
    for q in range(0, len(alpha), LANES):
        lanes = min(LANES, len(alpha) - q)
        _load(alpha[q : q + lanes], start, weights, S)
        if _rescale(weights, size, exponent):
            _load(weights.T, start, weights, S)
        for j in range(LANES):
            found[j, 0], found[j, 1], found[j, 2] = F[j], G[j], C[j]
            least[j], event[j], bar[j] = F[j], 0, _bar(F[j], G[j], size[j])
        t[q : q + lanes] = at[0]
        for e in range(1, len(at)):
            width, jump, curl, a = at[e] - at[e - 1], kink[e], bend[e], weights[row[e]]
            turns = 0
            if jump == 0:
                for j in range(LANES):
                    g, c = S[1, j], S[2, j]
                    stop = g + c * width
                    S[0, j] += width * (g + stop)
                    S[1, j] = stop
                    S[2, j] = c + a[j] * curl
                    turns += (g < 0) & (stop >= 0)
            else:
                for j in range(LANES):
                    g = S[1, j]
                    stop = g + S[2, j] * width
                    after = stop + a[j] * jump
                    S[0, j] += width * (g + stop)
                    S[1, j] = after
                    turns += (min(g, stop) < 0) & (max(stop, after) >= 0)
            if turns > 0 or e == len(at) - 1:
                for j in range(lanes):
                    stop = G[j] - a[j] * jump
                    g, low, where = stop - (C[j] - a[j] * curl) * width, F[j], at[e]
                    if stop > 0:  # back to the vertex, or to the last breakpoint if rounding has removed F' < 0
                        back = width * stop / (stop - min(g, 0.0))
                        low -= stop * back
                        where -= back
                    if low < bar[j]:
                        least[j], t[q + j], event[j], bar[j] = low, where, e, _bar(low, G[j], size[j])
                        found[j, 0], found[j, 1], found[j, 2] = F[j], G[j], C[j]
        for j in range(lanes):
            k, own = q + j, weights[:, j]
            limit, flat = least[j] + tol * size[j], steep * size[j]
            right = _reach_right(own, found[j], event[j], t[k], limit, flat, at, row, bend, kink)
            left = _reach_left(own, found[j], event[j], t[k], limit, flat, at, row, bend, kink)
            t[k] = (left + right) / 2
            best[k] = math.ldexp(least[j], exponent[j])


@njit(nogil=True, cache=True, error_model="numpy")
def _bar(low, g, size):
    """Return the value that another minimum must be below; as long as F falls, any lower value is taken."""
    return low if g < 0 else low - ROUNDING * size


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def _load(alpha, start, weights, S):
    """Transpose alpha into weights (n, LANES), and store F, F'/2, F''/2 at the left end and sum_i |alpha_i| in S."""
    n = len(weights)
    S[:, :] = 0
    for first in range(0, n, CACHED):
        last = min(first + CACHED, n)
        for j in range(len(alpha)):
            own = alpha[j]
            value = slope = curvature = size = 0.0
            for i in range(first, last):
                a = own[i]
                value += a * start[0, i]
                slope += a * start[1, i]
                curvature += a * start[2, i]
                size += abs(a)
            S[0, j] += value
            S[1, j] += slope
            S[2, j] += curvature
            S[3, j] += size
        for i in range(first, last):
            for j in range(len(alpha)):
                weights[i, j] = alpha[j, i]


@njit(nogil=True, cache=True, error_model="numpy")
def _rescale(weights, size, exponent):
    """Scale the weights of queries whose sums would overflow or vanish; return whether there were any.

    The factors are powers of two, which round nothing, and are applied in two steps because one of them alone may be
    beyond the largest number.
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
