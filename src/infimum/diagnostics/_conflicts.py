"""Rows that contradict each other, and rows that contradict themselves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..outputs import OutputSpace, Sets

NEIGHBOURS = 5  # of every row that are looked at


def unreadable(output: OutputSpace, y: Any) -> tuple[list, dict[int, str]]:
    """y with None in place of rows that no output satisfies, and what is wrong with each of them.

    >>> from infimum.outputs import Reals
    >>> unreadable(Reals(), [1.0, (3, 2), (2, 4)])
    ([1.0, None, (2, 4)], {1: 'the lower bound is above the upper one, got (3, 2)'})
    """
    cells = list(y)
    bad: dict[int, str] = {}
    while True:
        try:
            parsed = output.from_cells(cells)
            output.fit(parsed).read(parsed)
            return cells, bad
        except InputError as error:
            found = error.rows
            if not found or found.keys() <= bad.keys():
                raise
        bad |= found
        cells = [None if row in found else cell for row, cell in enumerate(cells)]


def disjoint(sets: Sets, i: NDArray, j: NDArray) -> NDArray | None:
    """Return whether S_i and S_j have no member in common, for pairs of rows (k,); None for sets without `meets`."""
    try:
        return ~sets[i].meets(sets[j])
    except ValueError:
        return None


def conflicts(X: NDArray, sets: Sets) -> list[tuple[int, int, float]]:
    """(i, j, distance): rows that are the same or unusually near, with sets that have nothing in common.

    Near is nearer than three quarters of the rows are to their nearest neighbour.
    """
    from sklearn.neighbors import NearestNeighbors

    n = X.shape[0]
    if n < 2:
        return []
    distance, at = NearestNeighbors(n_neighbors=min(NEIGHBOURS, n - 1)).fit(X).kneighbors()
    near = distance <= np.quantile(distance[:, 0], 0.25)
    i = np.repeat(np.arange(n), near.sum(axis=1))
    j, d = at[near], distance[near]
    found = disjoint(sets, i, j)
    if found is None:
        return []
    seen: dict[tuple[int, int], float] = {}
    for a, b, far in zip(i[found].tolist(), j[found].tolist(), d[found].tolist()):
        seen.setdefault((min(a, b), max(a, b)), far)
    return sorted(((a, b, far) for (a, b), far in seen.items()), key=lambda pair: (pair[2], pair[:2]))
