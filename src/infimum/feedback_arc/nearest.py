"""The linear extension of a partial order that is nearest to an order: dynamic programming over its compared items.

Call an item active if the partial order compares it with another one, and free otherwise. In a nearest extension the
free items keep their order in z: two of them that are exchanged put a pair right, and no item between them is worse
off. A state is therefore an ideal I of the active items and the number t of free items that are placed. Placing an item
costs the items that are still to come although z puts them before it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Bool, Int

MAX_WORK = 2**22  # transitions of one dynamic program


class ActiveItems(NamedTuple):
    """The compared items of k relations, padded to the same number."""

    items: Int
    """(k, a): the active items, -1 beyond their number."""
    number: Int
    """(k,): how many there are."""
    below: Int
    """(k, a): bit b of below[r, i] is set if active item b comes before active item i."""


def active_items(before: Bool) -> ActiveItems:
    """Return the compared items of closed relations (k, m, m)."""
    active = before.any(axis=-1) | before.any(axis=-2)
    number = active.sum(axis=-1)
    most = int(number.max(initial=0))
    items = np.argsort(~active, axis=-1, kind="stable")[:, :most].astype(np.int64)
    rows = np.arange(len(before))[:, None, None]
    inside = before[rows, items[:, :, None], items[:, None, :]]
    bits = np.int64(1) << np.minimum(np.arange(most, dtype=np.int64), 62)
    below = np.einsum("kij,i->kj", inside.astype(np.int64), bits)
    items[np.arange(most) >= number[:, None]] = -1
    return ActiveItems(items, number.astype(np.int64), below)


def work(active: ActiveItems, m: int) -> Int:
    """Return the transitions of the dynamic program of each relation of m items, at most 2^62."""
    a = np.minimum(active.number, 40)
    return (1 << a) * (m - active.number + 1) * (active.number + 1)


@njit(cache=True, nogil=True)
def _count_ideals(number, below, counts):
    for r in range(len(number)):
        for I in range(1 << number[r]):
            closed = True
            for i in range(number[r]):
                if (I >> i) & 1 and below[r, i] & ~I:
                    closed = False
                    break
            counts[r] += closed


def count_ideals(active: ActiveItems, m: int) -> np.ndarray:
    """Return the number of down-closed sets of each relation of m items, of which at most 16 are compared."""
    counts = np.zeros(len(active.number))
    _count_ideals(active.number, active.below, counts)
    return counts * 2.0 ** (m - active.number)


@njit(cache=True, nogil=True)
def _popcount(x):
    count = 0
    while x:
        x &= x - 1
        count += 1
    return count


@njit(cache=True, nogil=True)
def _nearest(place, z, items, below, a, cost, last, order):
    """Write the nearest extension of a relation with `a` active items to `order`, and return its distance."""
    m = len(z)
    free = m - a
    full = (1 << a) - 1
    is_active = np.zeros(m, dtype=np.bool_)
    for i in range(a):
        is_active[items[i]] = True
    ahead = np.zeros(a, dtype=np.int64)  # free items that z puts before active item i
    earlier = np.zeros(a, dtype=np.int64)  # active items that z puts before it
    for i in range(a):
        p = place[items[i]]
        count = 0
        for j in range(a):
            if place[items[j]] < p:
                earlier[i] |= 1 << j
                count += 1
        ahead[i] = p - count
    for state in range((full + 1) * (free + 1)):
        cost[state] = 2**30
    cost[0] = 0
    for I in range(full + 1):
        for t in range(free + 1):
            here = cost[I * (free + 1) + t]
            if here == 2**30:
                continue
            if t < free:
                waiting = 0
                for i in range(a):
                    if not (I >> i) & 1 and ahead[i] <= t:
                        waiting += 1
                to = I * (free + 1) + t + 1
                if here + waiting < cost[to]:
                    cost[to], last[to] = here + waiting, -1
            for i in range(a):
                if not (I >> i) & 1 and not below[i] & ~I:
                    paid = here + _popcount(earlier[i] & ~I) + max(0, ahead[i] - t)
                    to = (I | (1 << i)) * (free + 1) + t
                    if paid < cost[to]:
                        cost[to], last[to] = paid, i
    I, t = full, free
    at = m
    while at > 0:
        at -= 1
        i = last[I * (free + 1) + t]
        if i < 0:
            t -= 1
            order[at] = -1
        else:
            I ^= 1 << i
            order[at] = items[i]
    t = 0
    for p in range(m):
        if order[p] < 0:
            while is_active[z[t]]:
                t += 1
            order[p] = z[t]
            t += 1
    return cost[full * (free + 1) + free]


@njit(cache=True, nogil=True)
def _nearest_all(orders, items, number, below, which_order, which_relation, size, out, distance):
    cost, last = np.empty(size, dtype=np.int64), np.empty(size, dtype=np.int64)
    place = np.empty(orders.shape[1], dtype=np.int64)
    before = -1
    for problem in range(len(out)):
        z = orders[which_order[problem]]
        if which_order[problem] != before:
            before = which_order[problem]
            for p in range(len(z)):
                place[z[p]] = p
        r = which_relation[problem]
        distance[problem] = _nearest(place, z, items[r], below[r], number[r], cost, last, out[problem])


def nearest_orders(orders: Int, active: ActiveItems, which_order: Any, which_relation: Any) -> tuple[Int, Int]:
    """Return the linear extension of a relation with the fewest pairs against an order, for many problems.

    Parameters
    ----------
    orders : (q, m)
        The orders, items best first.
    active : ActiveItems
        The relations, each with at most `MAX_WORK` transitions (see `work`).
    which_order, which_relation : (p,)
        The order and the relation of each problem.

    Returns
    -------
    (p, m) and (p,)
        The extensions, and the number of pairs that they order differently.

    Examples
    --------
    >>> before = np.zeros((1, 4, 4), dtype=bool)
    >>> before[0, 3, 0] = True
    >>> nearest_orders(np.array([[0, 1, 2, 3]]), active_items(before), [0], [0])
    (array([[1, 2, 3, 0]]), array([3]))
    """
    m = orders.shape[1]
    size = int(((1 << active.number) * (m - active.number + 1)).max(initial=1))
    first, second = np.asarray(which_order, dtype=np.int64), np.asarray(which_relation, dtype=np.int64)
    out, distance = np.empty((len(first), m), dtype=np.int64), np.empty(len(first), dtype=np.int64)
    _nearest_all(np.asarray(orders, dtype=np.int64), *active, first, second, size, out, distance)
    return out, distance
