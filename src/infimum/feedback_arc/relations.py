"""Strict partial orders on {0, ..., m-1} as boolean matrices: ``before[i, j]`` is True if i comes before j."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import ArrayLike, NDArray

Bool = NDArray[np.bool_]
Float = NDArray[np.float64]
Int = NDArray[np.int64]


def as_costs(cost: ArrayLike) -> Float:
    """Return finite costs (..., m, m) as floats with a zero diagonal."""
    c = np.array(cost, dtype=float)
    if c.ndim < 2 or c.shape[-1] != c.shape[-2]:
        raise ValueError(
            f"cost must have shape (..., m, m), cost[i, j] being paid when i comes before j. Got shape {c.shape}."
        )
    m = c.shape[-1]
    c[..., np.arange(m), np.arange(m)] = 0.0
    if not np.isfinite(c).all():
        where = tuple(int(a) for a in np.argwhere(~np.isfinite(c))[0])
        raise ValueError(f"cost must be finite off the diagonal. Got {c[where]} at {where}. Use `precedes` to forbid.")
    return c


def as_partial_orders(precedes: ArrayLike | None, m: int) -> Bool:
    """Return the transitive closures (..., m, m) of `precedes`; None is the empty order. A cycle raises an error."""
    if precedes is None:
        return np.zeros((m, m), dtype=bool)
    given = np.asarray(precedes)
    if given.shape[-2:] != (m, m):
        raise ValueError(
            f"precedes must have shape (..., {m}, {m}), True at (i, j) when i must come before j. Got {given.shape}."
        )
    if given.dtype != bool and not np.isin(given, (0, 1)).all():
        raise ValueError(f"precedes must be boolean, True at (i, j) when i must come before j. Got {given.dtype}.")
    given = given.astype(bool)
    closed = transitive_closure(given)
    cyclic = np.diagonal(closed, axis1=-2, axis2=-1)
    if cyclic.any():
        *row, item = (int(a) for a in np.argwhere(cyclic)[0])
        name = "precedes" + (f"[{', '.join(map(str, row))}]" if row else "")
        cycle = " > ".join(map(str, find_cycle(given[tuple(row)], item)))
        raise ValueError(f"{name} contains the cycle {cycle}, which no order satisfies. Remove one of these pairs.")
    return closed


def transitive_closure(relation: Bool) -> Bool:
    """Return the transitive closure of each (..., m, m) relation, by Warshall's algorithm.

    >>> transitive_closure(np.eye(3, k=1, dtype=bool)).astype(int)
    array([[0, 1, 1],
           [0, 0, 1],
           [0, 0, 0]])
    """
    active = np.asarray(relation.any(axis=-1) | relation.any(axis=-2))
    most = int(active.sum(axis=-1).max(initial=0))
    if 2 * most < relation.shape[-1]:  # few items are related: close the relation on these alone
        return _closure_of_active(relation, active, most)
    closed = relation.copy()
    for k in range(closed.shape[-1]):
        # i -> k and k -> j give i -> j
        closed |= closed[..., :, k, None] & closed[..., None, k, :]
    return closed


def transitive_reduction(closed: Bool) -> Bool:
    """Return the pairs of a closed (m, m) relation that imply all others.

    >>> transitive_reduction(np.triu(np.ones((3, 3), dtype=bool), 1)).astype(int)
    array([[0, 1, 0],
           [0, 0, 1],
           [0, 0, 0]])
    """
    steps = closed.astype(np.float32)
    return closed & ~(steps @ steps > 0)


def _closure_of_active(relation: Bool, active: Bool, most: int) -> Bool:
    """Return the closures of relations of at most `most` of their items each."""
    m = relation.shape[-1]
    flat, there = relation.reshape(-1, m, m), active.reshape(-1, m)
    items = np.argsort(~there, axis=-1, kind="stable")[:, :most]  # the active ones first
    rows = np.arange(len(flat))[:, None, None]
    closed = np.zeros_like(flat)
    closed[rows, items[:, :, None], items[:, None, :]] = transitive_closure(
        flat[rows, items[:, :, None], items[:, None, :]]
    )
    return closed.reshape(relation.shape)


def is_weak_order(before: Bool) -> Bool:
    """Return which (..., m, m) partial orders are bucket orders, those in which incomparability is transitive.

    >>> is_weak_order(np.array([[[0, 1, 1], [0, 0, 0], [0, 0, 0]], [[0, 1, 0], [0, 0, 0], [0, 0, 0]]], dtype=bool))
    array([ True, False])
    """
    # in buckets, and only there, i comes before j if and only if fewer items come before i than before j
    ahead = before.sum(axis=-2)
    return np.asarray((before == (ahead[..., :, None] < ahead[..., None, :])).all(axis=(-1, -2)))


def find_cycle(relation: Bool, item: int) -> list[int]:
    """Return a shortest cycle item, ..., item of `relation`, by breadth-first search."""
    parent: dict[int, int] = {}
    queue = deque([item])
    while item not in parent:
        i = queue.popleft()
        for j in np.flatnonzero(relation[i]).tolist():
            if j not in parent:
                parent[j] = i
                queue.append(j)
    cycle = [item, parent[item]]
    while cycle[-1] != item:
        cycle.append(parent[cycle[-1]])
    return cycle[::-1]


def order_value(cost: Float, order: Int) -> float:
    """Return the sum of cost[i, j] over the pairs in which i comes before j in `order`."""
    return float(np.triu(cost[np.ix_(order, order)], 1).sum())


def sort_by(score: Float, before: Bool) -> Int:
    """Return the linear extension of `before` that always takes the free item of lowest score next.

    Ties go to the lowest index.

    >>> sort_by(np.array([2.0, 1.0, 0.0]), np.eye(3, k=1, dtype=bool))
    array([0, 1, 2])
    """
    waits_for = before.sum(axis=0)
    key = np.where(waits_for == 0, score, np.inf)
    order = np.empty(len(score), dtype=np.int64)
    for position in range(len(order)):
        i = order[position] = np.argmin(key)
        key[i], waits_for[i] = np.inf, -1
        waits_for -= before[i]
        freed = before[i] & (waits_for == 0)
        key[freed] = score[freed]
    return order


def borda(cost: Float, before: Bool) -> Int:
    """Sort by sum_j cost[i, j] - cost[j, i], the price of putting i first rather than last.

    >>> borda(np.array([[0.0, 1, 3], [2, 0, 1], [1, 4, 0]]), np.zeros((3, 3), dtype=bool))
    array([1, 0, 2])
    """
    return sort_by((cost - cost.T).sum(axis=1), before)
