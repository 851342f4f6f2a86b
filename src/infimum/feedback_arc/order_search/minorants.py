"""Linear minorants of the distance to the nearest linear extension, and the one that is best at an order.

Write x_p = 1 where the order x puts i before j, p = (i < j), else 0. For every nu in [-1, 1]^P, 0 on known pairs,

    e_t(x) = min_{y in S_t} sum_{p open} |x_p - y_p|  >=  <nu, x> + h(nu),     h(nu) = min_{y in S_t} -<nu, y>,

and h(nu) is one dynamic programme over the ideals of S_t. x - y is a supergradient of the right side in nu; of all y
that attain h, the one nearest to x is taken. nu is kept in units of 1/UNIT, so that h is exact in integers.

Where e_t has a negative weight, a majorant is wanted, and any mean of extensions gives one: for ybar in conv S_t,

    e_t(x)  <=  sum_{p open} (x_p + ybar_p - 2 x_p ybar_p) = <1 - 2 ybar, x> + sum_p ybar_p .
"""

from __future__ import annotations

import numpy as np
from numba import njit

from .bits import lowest

UNIT = 1024
SHIFT = 7  # 2^7 is more than the 120 pairs of 16 items: room for the distance to x below the last digit of h


@njit(cache=True, nogil=True)
def sums_over_subsets(cost, first, size, table):
    """Write sums over subsets: table[I, i] is the sum of cost[first + b, i] over the bits b of I < 2^size."""
    m = cost.shape[1]
    for i in range(m):
        table[0, i] = 0
    for subset in range(1, 1 << size):
        row, rest = first + lowest(subset), subset & (subset - 1)
        for i in range(m):
            table[subset, i] = table[rest, i] + cost[row, i]


@njit(cache=True, nogil=True)
def cheapest_extension(ideals, last, cost, lower, upper, f, back, place):
    """Return the least cost of a linear extension, which is the sum of cost[i, j] over the pairs with i before j.

    `place[i]` gets the place of item i in the cheapest extension.
    """
    m = len(place)
    half = m // 2
    mask = (1 << half) - 1
    sums_over_subsets(cost, 0, half, lower)
    sums_over_subsets(cost, half, m - half, upper)
    f[0] = 0
    for k in range(1, len(ideals)):
        ideal, rest = ideals[k], last[k]
        best, item = np.int32(2**30), 0
        low_sums, high_sums = lower[ideal & mask], upper[ideal >> half]
        while rest:
            low = rest & -rest
            rest ^= low
            i = lowest(low)
            value = f[ideal ^ low] + low_sums[i] + high_sums[i]
            if value < best:
                best, item = value, i
        f[ideal] = best
        back[ideal] = item
    ideal = ideals[-1]
    for p in range(m - 1, -1, -1):
        item = back[ideal]
        place[item] = p
        ideal ^= 1 << item
    return f[ideals[-1]]


@njit(cache=True, nogil=True)
def answer(ideals, last, nu, x, cost, lower, upper, f, back, place, y):
    """Return h(nu) in units of 1/UNIT; y gets the code of the extension that attains it and is nearest to x."""
    m, p = len(place), 0
    for i in range(m):
        for j in range(i + 1, m):
            cost[i, j] = (1 - x[p]) - (nu[p] << SHIFT)
            cost[j, i] = x[p]
            p += 1
    value = cheapest_extension(ideals, last, cost, lower, upper, f, back, place)
    p = 0
    for i in range(m):
        for j in range(i + 1, m):
            y[p] = place[i] < place[j]
            p += 1
    return value >> SHIFT
