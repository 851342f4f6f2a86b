"""Counting and sampling the linear extensions of a partial order."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def count_extensions(below, counts, pairs):
    """Count the linear extensions of each row of bitmasks, and those that put i before j.

    With down(I) the orders of an ideal I and up(I) those of its complement, both counted along the chains of ideals,
    down(I) up(I + i) extensions add i right after I, and then i comes before every j outside I + i.
    """
    m = below.shape[1]
    full = (1 << m) - 1
    down, up = np.empty(1 << m, dtype=np.int64), np.empty(1 << m, dtype=np.int64)
    for row in range(len(below)):
        down[:], up[:] = 0, 0
        down[0] = up[full] = 1
        for I in range(full + 1):
            if down[I]:
                for i in range(m):
                    if not (I >> i) & 1 and not below[row, i] & ~I:
                        down[I | (1 << i)] += down[I]
        for I in range(full, -1, -1):
            if down[I]:
                for i in range(m):
                    if not (I >> i) & 1 and not below[row, i] & ~I:
                        J = I | (1 << i)
                        up[I] += up[J]
                        through = down[I] * up[J]
                        for j in range(m):
                            # through, where j is outside J, and 0 elsewhere
                            pairs[row, i, j] += through & -(~(J >> j) & 1)
        counts[row] = down[full]


@njit(cache=True, nogil=True)
def walk_extensions(order, before, steps, seed, samples):
    """Run the chain of Karzanov and Khachiyan: swap a random adjacent pair with probability 1/2, if it is free.

    The draws are those of xorshift64* (Marsaglia, 2003; Vigna, 2016): a Generator is several times slower in this loop.
    """
    state = np.uint64(seed)
    choices = np.uint64(2 * (len(order) - 1))
    for s in range(len(samples)):
        for _ in range(steps):
            state ^= state >> np.uint64(12)
            state ^= state << np.uint64(25)
            state ^= state >> np.uint64(27)
            # the upper 32 bits, spread over the choices
            draw = (((state * np.uint64(0x2545F4914F6CDD1D)) >> np.uint64(32)) * choices) >> np.uint64(32)
            p = np.int64(draw >> np.uint64(1))
            a, b = order[p], order[p + 1]
            if draw & np.uint64(1) and not before[a, b]:
                order[p], order[p + 1] = b, a
        samples[s] = order
