"""The cheapest way to settle a label: a Huffman tree of yes-or-no questions, a list to choose from, or all labels."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .question import Question

SAME = 1.02  # a way that is this much dearer at most, and easier to read, is taken


def huffman(weights: list[float]) -> tuple[float, list[int], list[int]]:
    """The expected number of yes-or-no questions, and the two sides of the first one, as places in `weights`.

    >>> huffman([.5, .25, .25])
    (1.5, [0], [1, 2])
    """
    if len(weights) < 2:
        return 0.0, list(range(len(weights))), []
    heap = [(w, k, [k]) for k, w in enumerate(weights)]
    heapq.heapify(heap)
    length = 0.0
    while len(heap) > 2:
        a, b = heapq.heappop(heap), heapq.heappop(heap)
        length += a[0] + b[0]
        heapq.heappush(heap, (a[0] + b[0], min(a[1], b[1]), a[2] + b[2]))
    a, b = heap
    sides = sorted([sorted(a[2]), sorted(b[2])], key=lambda side: (len(side), side))
    return length + a[0] + b[0], sides[0], sides[1]


def cheapest(structure: Any, i: int, E: NDArray, q: NDArray, kinds: set[str], price: Any) -> Question:
    """The first question about row i of the way with the smallest expected cost, among these kinds."""
    from .labels import Is, OneOf, Which
    from .whole import Whole

    space = structure.space
    left = np.flatnonzero(E)
    left = left[np.argsort(-q[left], kind="stable")]
    p = np.maximum(q[left], 1e-9)
    p = p / p.sum()
    one = float(price("Is", 2.0, 1.0))
    every = float(price("Whole", float(len(left)), float(len(left))))
    ask = bool(kinds & {"Is", "OneOf"})

    def rest(weights: NDArray) -> float:
        """The cost of settling what is left, whose weights need not sum to one."""
        if len(weights) < 2:
            return 0.0
        ways = [huffman(weights.tolist())[0] * one] if ask else []
        if "Whole" in kinds or not ways:
            ways.append(float(weights.sum()) * float(price("Whole", float(len(weights)), float(len(weights)))))
        return min(ways)

    ways: list[tuple[float, Any]] = []
    if "Is" in kinds:
        ways.append((one + rest(p[1:]), lambda: Is(i, _name(space, left[0]), space, one)))
        for node, members in structure.nodes:
            inside = members[left]
            if 0 < inside.sum() < len(left):
                cost = (one + rest(p[inside]) + rest(p[~inside])) / SAME
                ways.append((cost, lambda node=node: Is(i, node, space, one)))
    if "OneOf" in kinds:
        length, some, _ = huffman(p.tolist())
        cost = float(price("OneOf", 2.0, float(len(some))))
        names = [_name(space, left[k]) for k in some]
        if len(some) > 1:
            ways.append((cost + (length - 1) * one, lambda names=names, cost=cost: OneOf(i, names, space, cost)))
        elif "Is" not in kinds:
            ways.append((length * one, lambda names=names: OneOf(i, names, space, one)))
    if "Which" in kinds:
        for k in range(2, min(structure.most_shown, len(left)) + 1):
            cost = float(price("Which", float(min(k + 1, len(left))), float(k)))
            some_names = [_name(space, at) for at in left[:k]]
            way = cost + rest(p[k:])
            ways.append((way, lambda names=some_names, cost=cost: Which(i, names, space, cost)))
    if "Whole" in kinds:
        ways.append((every, lambda: Whole(i, space, every)))
    return min(ways, key=lambda way: way[0])[1]()


def _name(space: Any, at: Any) -> Any:
    return space.classes_[int(at)].item()
