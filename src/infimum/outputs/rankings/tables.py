"""The distance of all m! orders to each of n partial orders, by breadth-first search.

Kendall's distance, the number of discordant pairs, is the distance in the graph whose vertices are the orders and whose
edges swap two neighbours (the permutohedron). So the distance to the nearest linear extension is one search from all
extensions at once: m! (m - 1) steps for all orders together, where a feedback arc problem takes 2^m m for each.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import permutations

import numpy as np
from numba import njit
from numpy.typing import NDArray


def all_orders(m: int) -> NDArray:
    """Return the m! orders of 0 … m-1, (m!, m), in lexicographic order.

    >>> all_orders(3)[[0, 1, 5]]
    array([[0, 1, 2],
           [0, 2, 1],
           [2, 1, 0]], dtype=int8)
    """
    flat = np.fromiter((item for order in permutations(range(m)) for item in order), dtype=np.int8)
    return flat.reshape(-1, m)


@njit(cache=True, nogil=True)
def rank_orders(orders: NDArray) -> NDArray:
    """Return the place of each order (n, m) in `all_orders`: sum_p (m - 1 - p)! #{q > p : order_q < order_p}."""
    n, m = orders.shape
    ranks = np.zeros(n, dtype=np.int64)
    for row in range(n):
        for p in range(m):
            smaller = 0
            for q in range(p + 1, m):
                smaller += orders[row, q] < orders[row, p]
            ranks[row] = ranks[row] * (m - p) + smaller
    return ranks


@njit(cache=True, nogil=True)
def _search(orders: NDArray, before: NDArray, neighbours: NDArray, distance: NDArray) -> None:
    size, m = orders.shape
    queue = np.empty(size, dtype=np.int32)
    for row in range(len(before)):
        first = last = 0
        for rank in range(size):
            member = True
            for p in range(m):
                for q in range(p + 1, m):
                    if before[row, orders[rank, q], orders[rank, p]]:
                        member = False
                        break
                if not member:
                    break
            distance[row, rank] = 0 if member else -1
            if member:
                queue[last] = rank
                last += 1
        while first < last:
            here = queue[first]
            first += 1
            for p in range(m - 1):
                there = neighbours[here, p]
                if distance[row, there] < 0:
                    distance[row, there] = distance[row, here] + 1
                    queue[last] = there
                    last += 1


@lru_cache(maxsize=1)
def _graph(m: int) -> tuple[NDArray, NDArray]:
    """Return all orders, and the place of each of them after its items p and p + 1 are swapped, (m!, m - 1)."""
    orders = all_orders(m)
    neighbours = np.empty((len(orders), max(m - 1, 0)), dtype=np.int32)
    for p in range(m - 1):
        swapped = orders.copy()
        swapped[:, [p, p + 1]] = orders[:, [p + 1, p]]
        neighbours[:, p] = rank_orders(swapped)
    return orders, neighbours


def distance_table(before: NDArray) -> NDArray:
    """Return the discordant pairs of each order and its nearest linear extension of each partial order, (n, m!), int8.

    >>> before = np.zeros((1, 3, 3), dtype=bool)
    >>> before[0, 0, 1] = True
    >>> distance_table(before)
    array([[0, 0, 1, 2, 0, 1]], dtype=int8)
    """
    orders, neighbours = _graph(before.shape[-1])
    distance = np.empty((len(before), len(orders)), dtype=np.int8)
    _search(orders, before, neighbours, distance)
    return distance
