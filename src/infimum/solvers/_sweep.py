"""The sweep of `Piecewise`, compiled: many queries at a time, one pass over the breakpoints."""

from __future__ import annotations

import numpy as np
from numba import njit

LANES = 32  # queries side by side: the compiler turns the inner loop into vector instructions


@njit(nogil=True, cache=True, error_model="numpy", fastmath={"contract"})
def sweep(alpha, value, slope, curvature, at, row, bend, kink, t, best):
    """t <- argmin of F, best <- min of F over [at[0], at[-1]], for every row of alpha.

    F starts with `value`, F'/2 = `slope` and F''/2 = `curvature` at at[0]; at breakpoint e, alpha[row[e]] bend[e] is
    added to the curvature and alpha[row[e]] kink[e] to the slope. F falls and then rises only at a minimum: the vertex
    of a segment or a breakpoint.
    """
    weights = np.empty((alpha.shape[1], LANES))
    state = np.zeros((2, 3 * LANES))  # F, F'/2, F''/2 before and after a segment
    for q in range(0, len(alpha), LANES):
        lanes = min(LANES, len(alpha) - q)
        weights[:, :lanes] = alpha[q : q + lanes].T
        old, new = state[0], state[1]
        for j in range(lanes):
            old[j], old[LANES + j], old[2 * LANES + j] = value[q + j], slope[q + j], curvature[q + j]
            best[q + j], t[q + j] = value[q + j], at[0]
        for e in range(1, len(at)):
            width = at[e] - at[e - 1]
            a = weights[row[e]]
            turns = 0
            for j in range(LANES):
                g = old[LANES + j]
                end = g + old[2 * LANES + j] * width
                after = end + a[j] * kink[e]
                new[j] = old[j] + width * (g + end)
                new[LANES + j] = after
                new[2 * LANES + j] = old[2 * LANES + j] + a[j] * bend[e]
                turns += ((g < 0) | (end < 0)) & ((end >= 0) | (after >= 0))
            if turns > 0 or e == len(at) - 1:
                for j in range(lanes):
                    g, c = old[LANES + j], old[2 * LANES + j]
                    end = g + c * width
                    low, where = new[j], at[e]
                    if g < 0 and end > 0:
                        low -= end * end / c
                        where -= end / c
                    if low < best[q + j]:
                        best[q + j], t[q + j] = low, where
            old, new = new, old
