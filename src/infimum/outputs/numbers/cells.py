"""Numbers as cells: 3.5, (1, 2), {1, 2}, [(1, 2), (5, 6)]; as text ``3.5``, ``[1,2]``, ``1|2``, ``[1,2]|[5,6]``."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..cells import CellFormat, Conflict
from .forms import cell_pieces

DIGITS = 10
"""Significant digits of a predicted number in a cell."""


class NumberCells(CellFormat):
    """Cells of values, intervals (low, high), sets of values and lists of intervals.

    >>> from infimum.outputs import Reals
    >>> reals = Reals()
    >>> reals.intersect_cells([(1, 5), (3, 9)]), reals.union_cells([4, 3, 4]) == {3, 4}, reals.vote_cells([4, 3, 4])
    ((3.0, 5.0), True, 4.0)
    """

    reads_text = True
    text_of_all_outputs = "[-inf,inf]"

    def to_cells(self, sets: Any) -> list:
        rows = ([(low, high) for low, high in row if low == low] for row in np.asarray(sets).tolist())
        return [None if pieces == [(-math.inf, math.inf)] else number_cell(pieces) for pieces in rows]

    def outputs_to_cells(self, z: NDArray) -> list:
        return [float(f"{float(value):.{DIGITS}g}") for value in np.ravel(z)]

    def _to_text(self, cell: Any) -> str:
        return "|".join(
            plain_number(low) if low == high else f"[{plain_number(low)},{plain_number(high)}]"
            for low, high in cell_pieces(cell)
        )

    def intersect_cells(self, cells: list) -> Any:
        left = cell_pieces(cells[0])
        for cell in cells[1:]:
            both = [(max(a, c), min(b, d)) for a, b in left for c, d in cell_pieces(cell)]
            left = [(low, high) for low, high in both if low <= high]
        if not left:
            raise Conflict("no number is left")
        return number_cell(left)

    def union_cells(self, cells: list) -> Any:
        return number_cell([piece for cell in cells for piece in cell_pieces(cell)])

    def vote_cells(self, cells: list) -> Any:
        votes = Counter(tuple(cell_pieces(cell)) for cell in cells)
        most = max(votes.values())
        return number_cell([piece for pieces, count in votes.items() if count == most for piece in pieces])


def number_cell(pieces: Iterable[tuple]) -> Any:
    """Return the shortest cell of a union of intervals."""
    pieces = sorted(set(pieces))
    if all(low == high for low, high in pieces):
        values = {low for low, _ in pieces}
        return values.pop() if len(values) == 1 else values
    return pieces[0] if len(pieces) == 1 else pieces


def plain_number(value: float) -> str:
    """Return the shortest text of a number.

    >>> plain_number(3.0), plain_number(0.1), plain_number(-math.inf)
    ('3', '0.1', '-inf')
    """
    return repr(float(value)).removesuffix(".0")
