"""Splitting a feedback arc problem where the majority agrees with itself."""

from __future__ import annotations

import numpy as np
from scipy.sparse.csgraph import connected_components

from infimum.feedback_arc.relations import Bool, Float, Int, sort_by, transitive_closure


def components(cost: Float, before: Bool) -> list[Int]:
    """Return blocks of items, in order, such that ordering each block optimally orders all items optimally.

    Draw an arc i -> j where i must come before j, or where the pair is free and cost[i, j] < cost[j, i], none on ties.
    Two strongly connected components have arcs one way only, so putting them in topological order gives every pair
    between them the cheaper of its allowed directions, which no order can beat.

    >>> cost = np.array([[0, 0, 0, 0], [1, 0, 0, 1], [1, 1, 0, 0], [1, 0, 1, 0]])
    >>> components(cost, np.zeros((4, 4), dtype=bool))
    [array([0]), array([1, 2, 3])]
    """
    if not len(cost):
        return []
    arc = (before | (cost < cost.T)) & ~before.T
    count, block = connected_components(arc, connection="strong")
    member = block == np.arange(count)[:, None]
    # arcs between blocks, A -> B when some i in A has an arc to some j in B
    between = (member.astype(float) @ arc @ member.T.astype(float)) > 0
    np.fill_diagonal(between, False)
    first_item = member.argmax(axis=1).astype(float)
    return [np.flatnonzero(member[b]) for b in sort_by(first_item, transitive_closure(between))]
