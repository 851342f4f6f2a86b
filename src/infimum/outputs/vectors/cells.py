"""Vectors as cells: a point [1, 2] with None for unknown coordinates, a box [(0, 1), 2], points [[0, 1], [1, 2]].

A ball is {"center": [1, 2], "radius": 0.5}. As text, points and boxes are products of values and intervals: ``1 x 2``,
``[0,1] x 2 x [-inf,inf]``. Candidate points and balls are JSON; a point may be JSON, too: ``[1, null]``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...data.errors import BadRows, InputError, shown
from ..cells import CellFormat
from ..numbers.cells import plain_number
from ..numbers.text import parse_interval
from .balls import Balls
from .boxes import Boxes
from .candidates import CandidatePoints

PRODUCT = " x "


class VectorCells(CellFormat):
    """Cells of points, boxes, balls and candidate points."""

    def to_cells(self, sets: Any) -> list:
        if isinstance(sets, CandidatePoints):
            rows = [sets.points[a:b].tolist() for a, b in zip(sets.starts, sets.starts[1:])]
            return [row[0] if len(row) == 1 else row for row in rows]
        if isinstance(sets, Balls):
            pairs = zip(sets.centers.tolist(), sets.outer.tolist())
            return [{"center": center, "radius": radius} for center, radius in pairs]
        if not isinstance(sets, Boxes):
            raise ValueError(f"{type(sets).__name__} cannot be written as cells. Use boxes, balls or candidate points.")
        unlabelled = self.is_unlabelled(sets)  # type: ignore[attr-defined]
        rows = [list(map(_coordinate, low, high)) for low, high in zip(sets.lower.tolist(), sets.upper.tolist())]
        return [None if gone else row for gone, row in zip(unlabelled, rows)]

    def from_cells(self, cells: list) -> Any:
        """Return balls or boxes if cells have a radius or intervals as coordinates; otherwise the cells themselves."""
        if cells and all(isinstance(cell, dict) for cell in cells):
            return Balls([cell.get("center") for cell in cells], [cell.get("radius") for cell in cells])
        if not any(isinstance(cell, list) and any(isinstance(t, tuple) for t in cell) for cell in cells):
            return cells
        m = max(len(cell) for cell in cells if cell is not None)
        bounds, bad = np.full((len(cells), m, 2), [-math.inf, math.inf]), BadRows("y")
        for row, cell in enumerate(cells):
            try:
                if cell is not None:
                    bounds[row] = [_bounds(coordinate) for coordinate in cell]
            except (TypeError, ValueError):
                bad.add(row, f"expected a box of {m} coordinates, got {shown(cell)}")
        bad.raise_if_any("A column must contain boxes or candidate points, not both.")
        return Boxes(bounds[..., 0], bounds[..., 1])

    def _to_text(self, cell: Any) -> str:
        if isinstance(cell, dict) or len(cell) == 1 or isinstance(cell[0], list):
            return super()._to_text(cell)
        pairs = map(_bounds, cell)
        parts = (plain_number(a) if a == b else f"[{plain_number(a)},{plain_number(b)}]" for a, b in pairs)
        return PRODUCT.join(parts)

    def _from_text(self, text: str) -> Any:
        if PRODUCT not in text:
            return super()._from_text(text)
        pieces = [parse_interval(part) for part in text.split(PRODUCT)]
        if any(len(coordinate) > 1 for coordinate in pieces):
            raise InputError(f"expected one interval for each coordinate, got {shown(text)}")
        return [_coordinate(low, high) for [(low, high)] in pieces]


def _coordinate(low: float, high: float) -> Any:
    """Return a value, bounds, or None for an unknown coordinate."""
    return low if low == high else None if math.isinf(low) and math.isinf(high) else (low, high)


def _bounds(coordinate: Any) -> tuple[float, float]:
    """Return the bounds of a coordinate of a box."""
    if coordinate is None:
        return -math.inf, math.inf
    low, high = coordinate if isinstance(coordinate, tuple) else (coordinate, coordinate)
    return float(low), float(high)
