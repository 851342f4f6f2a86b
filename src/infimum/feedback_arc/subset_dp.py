"""Exact orders by dynamic programming over the ideals (down-closed subsets) of the partial order.

With f(I) the cheapest order of the items of an ideal I, and i its last item,

    f(I) = min over i in I, I \\ {i} an ideal, of  f(I \\ {i}) + sum_{j in I} cost[j, i],        f({}) = 0.

The sums over I are read from two tables, over the lower and the upper half of the bits of I.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Float, Int

MAX_ITEMS = 24  # 2^24 values of f are 128 MB


@njit(cache=True, nogil=True)
def _sums_over_subsets(cost, first, size):
    """Return sums over subsets: table[I, i] is the sum of cost[first + b, i] over the bits b of I < 2^size."""
    table = np.zeros((1 << size, cost.shape[1]))
    for I in range(1, 1 << size):
        low = 0
        while not (I >> low) & 1:
            low += 1
        rest = I & (I - 1)
        for i in range(cost.shape[1]):
            table[I, i] = table[rest, i] + cost[first + low, i]
    return table


@njit(cache=True, nogil=True)
def _unions_over_subsets(masks, first, size):
    """Return unions over subsets: table[I] is the union of masks[first + b] over the bits b of I < 2^size."""
    table = np.zeros(1 << size, dtype=np.int64)
    for I in range(1, 1 << size):
        low = 0
        while not (I >> low) & 1:
            low += 1
        table[I] = table[I & (I - 1)] | masks[first + low]
    return table


@njit(cache=True, nogil=True)
def _cheapest(lower, upper, below, f, order):
    """Fill f over the ideals, then read the order back from the full set, lowest index on ties."""
    m, half = lower.shape[1], lower.shape[0]
    bits_half = 0
    while 1 << bits_half < half:
        bits_half += 1
    below_lower = _unions_over_subsets(below, 0, bits_half)
    below_upper = _unions_over_subsets(below, bits_half, m - bits_half)
    f[0] = 0.0
    for high in range(upper.shape[0]):
        for low in range(half):
            I = high * half + low
            if I == 0:
                continue
            f[I] = np.inf
            if (below_lower[low] | below_upper[high]) & ~I:
                continue
            best = np.inf
            for i in range(m):
                # no branch: f is infinite off the ideals and still at I, which is where an i outside I leads;
                # cost[i, i] = 0, so the sum may run over I
                best = min(best, f[I & ~(1 << i)] + (lower[low, i] + upper[high, i]))
            f[I] = best
    I = (1 << m) - 1
    for position in range(m - 1, -1, -1):
        low, high = I & (half - 1), I >> bits_half
        best = np.inf
        last = 0
        for i in range(m - 1, -1, -1):
            if (I >> i) & 1:
                value = f[I ^ (1 << i)] + (lower[low, i] + upper[high, i])
                if value < best:
                    best, last = value, i
        order[position] = last
        I ^= 1 << last


@njit(cache=True, nogil=True)
def _batch(costs, below, which_cost, which_order, orders, values):
    m = costs.shape[1]
    half = m // 2
    f = np.empty(1 << m)
    lower = upper = np.empty((1, m))
    for problem in range(len(orders)):
        k = which_cost[problem]
        if problem == 0 or k != which_cost[problem - 1]:
            lower = _sums_over_subsets(costs[k], 0, half)
            upper = _sums_over_subsets(costs[k], half, m - half)
        order = orders[problem]
        _cheapest(lower, upper, below[which_order[problem]], f, order)
        for p in range(m):
            for q in range(p + 1, m):
                values[problem] += costs[k, order[p], order[q]]


def bitmasks(before: Bool) -> Int:
    """Return relations as bitmasks: below[..., j] has bit i set if i comes before j."""
    m = before.shape[-1]
    return np.einsum("...ij,i->...j", before.astype(np.int64), np.int64(1) << np.arange(m, dtype=np.int64))


def subset_orders(costs: Float, before: Bool, which_cost: Int, which_order: Int) -> tuple[Int, Float]:
    """Return optimal orders (n_problems, m) and values of the problems costs[which_cost[p]], before[which_order[p]].

    >>> cost = np.array([[[0.0, 1, 3], [2, 0, 1], [1, 4, 0]]])
    >>> subset_orders(cost, np.zeros((1, 3, 3), dtype=bool), np.zeros(1, dtype=int), np.zeros(1, dtype=int))
    (array([[1, 2, 0]]), array([4.]))
    """
    m = costs.shape[-1]
    if m > MAX_ITEMS:
        raise ValueError(
            f"Dynamic programming stores 2^m values, so it supports at most {MAX_ITEMS} items per component. Got {m}. "
            "Use method='cutting_planes'."
        )
    orders, values = np.zeros((len(which_cost), m), dtype=np.int64), np.zeros(len(which_cost))
    if m:
        _batch(costs, bitmasks(before), which_cost, which_order, orders, values)
    return orders, values


@njit(cache=True, nogil=True)
def _agreed(cost, agreed):
    m = len(cost)
    full = (1 << m) - 1
    first, rest = np.full(full + 1, np.inf), np.full(full + 1, np.inf)
    first[0] = rest[full] = 0.0
    paid = _sums_over_subsets(cost, 0, m)  # paid[I, i]: i comes after the items of I
    for I in range(full + 1):
        for i in range(m):
            if not (I >> i) & 1:
                J = I | (1 << i)
                first[J] = min(first[J], first[I] + paid[I, i])
    for I in range(full - 1, -1, -1):
        for i in range(m):
            if not (I >> i) & 1:
                rest[I] = min(rest[I], rest[I | (1 << i)] + paid[I, i])
    agreed[:] = True
    for I in range(full + 1):
        if first[I] + rest[I] == rest[0]:
            # a cheapest order begins with the items of I: none of the others comes before them all
            for i in range(m):
                for j in range(m):
                    if (I >> j) & 1 and not (I >> i) & 1:
                        agreed[i, j] = False
    for i in range(m):
        agreed[i, i] = False


def agreed_pairs(cost: Float) -> Bool:
    """Return (m, m) booleans: whether i comes before j in every cheapest order, for costs (m, m) that are integers.

    >>> agreed_pairs(np.array([[0.0, 0, 1], [2, 0, 0], [0, 2, 0]])).astype(int)  # the cheapest order is a, b, c
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    agreed = np.zeros(cost.shape, dtype=bool)
    _agreed(np.asarray(cost, dtype=float), agreed)
    return agreed
