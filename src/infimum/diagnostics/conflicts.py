"""Rows that contradict each other, and rows that no output satisfies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..outputs import OutputSpace, Sets

NEIGHBOURS = 5  # nearest rows with which a row is compared


def unreadable(output: OutputSpace, y: Any) -> tuple[list, dict[int, str]]:
    """Return y with None for the rows that cannot be parsed, and what is wrong with each of them.

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
            if not error.rows or error.rows.keys() <= bad.keys():
                raise
            bad |= error.rows
            cells = [None if row in error.rows else cell for row, cell in enumerate(cells)]


def conflicts(X: NDArray, sets: Sets) -> list[tuple[int, int, float]]:
    """Find pairs of rows (i, j, distance) that are equal or unusually near, with disjoint sets.

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
    found = ~sets[i].meets(sets[j])
    seen: dict[tuple[int, int], float] = {}
    for a, b, far in zip(i[found].tolist(), j[found].tolist(), d[found].tolist()):
        seen.setdefault((min(a, b), max(a, b)), far)
    return sorted(((a, b, far) for (a, b), far in seen.items()), key=lambda pair: (pair[2], pair[:2]))
