"""The compiled sweep of `Piecewise`: one pass over the breakpoints for each query."""

from __future__ import annotations

from numba import njit

from .piecewise import ROUNDING


@njit(nogil=True, cache=True, error_model="numpy")
def sweep(alpha, start, at, row, bend, kink, tol, steep, t, best):
    """Store the minimiser of F over [at[0], at[-1]] in t and its minimum in best, for each row of alpha.

    `start` (3, n) holds h_i, h_i'/2 and h_i''/2 at at[0]. At breakpoint e, which belongs to row[e], h'/2 jumps by
    kink[e], or else h''/2 jumps by bend[e]. F = sum_i alpha_i h_i falls and then rises only at a minimum, which is the
    vertex of a segment or a breakpoint. Of minima that are equal up to rounding the first is taken. A minimum is flat
    as long as F stays within tol sum_i |alpha_i| of it and |F'/2| within steep sum_i |alpha_i| of 0; then t is the
    middle of the flat part.
    """
    for q in range(len(alpha)):
        weights = alpha[q]
        value = g = c = size = 0.0  # F, F'/2 and F''/2 after a breakpoint
        for i in range(len(weights)):
            value += weights[i] * start[0, i]
            g += weights[i] * start[1, i]
            c += weights[i] * start[2, i]
            size += abs(weights[i])
        least, place, event, found = value, at[0], 0, (value, g, c)
        bar = _bar(value, g, size)  # the value that the next minimum must be below
        for e in range(1, len(at)):
            width, weight = at[e] - at[e - 1], weights[row[e]]
            end = g + c * width
            after = end + weight * kink[e]
            value += width * (g + end)
            turns = min(g, end) < 0 and max(end, after) >= 0
            falling, g, c = min(g, 0.0), after, c + weight * bend[e]
            if turns or e == len(at) - 1:
                low, where = value, at[e]
                if end > 0:  # back to the vertex, or to the last breakpoint if rounding has removed F' < 0
                    back = width * end / (end - falling)
                    low -= end * back
                    where -= back
                if low < bar:
                    least, place, event, found = low, where, e, (value, g, c)
                    bar = _bar(low, g, size)
        limit, flat = least + tol * size, steep * size
        right = _reach_right(weights, found, event, place, limit, flat, at, row, bend, kink)
        left = _reach_left(weights, found, event, place, limit, flat, at, row, bend, kink)
        t[q], best[q] = (left + right) / 2, least


@njit(nogil=True, cache=True, error_model="numpy")
def _bar(low, g, size):
    """Return the value that another minimum must be below; as long as F falls, any lower value is taken."""
    return low if g < 0 else low - ROUNDING * size


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
