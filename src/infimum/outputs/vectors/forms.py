"""Formats of vectors: tables with missing values, bounds, lists of candidate points; and clipping to bounds."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import Column, ValueTable, normalise_y, table_of
from ...data.errors import InputError, raise_for_rows, shown
from ...data.names import Names
from .boxes import Boxes
from .candidates import CandidatePoints

FORMS = (
    "y is (n, m) values with NaN for unknown coordinates, (n, m, 2) bounds, a list with a point or a list of"
    " candidate points per row, or Boxes, Balls, Annuli or CandidatePoints."
)
LIMIT = 1e150  # squares of larger numbers have no room in floating point


class Facts(NamedTuple):
    """Summary of y: the box of its finite ends, (m,), and the names of its coordinates."""

    low: NDArray
    high: NDArray
    columns: tuple | None = None


def read(y: Any, columns: tuple | None) -> tuple[Any, tuple | None]:
    """Return y as sets, and the names of its coordinates if it is a DataFrame; `columns` are those of fit."""
    found = normalise_y(y, FORMS)
    if sparse.issparse(found):
        found = ValueTable(found.toarray(), np.zeros(found.shape, bool))
    if isinstance(found, Column):
        if found.name is not None and found.typed:
            found = ValueTable(found.cells[:, None], found.missing[:, None], (found.name,))
        elif found.typed or not found.n:
            raise InputError(f"Cannot read y of shape ({found.n},) as vectors. {FORMS}")
        else:
            table = table_of(found)
            if table is None:
                return _candidates(found), None
            found = table
    if isinstance(found, ValueTable):
        if found.values.dtype.kind not in "iuf":
            raise InputError(
                f"Vectors are made of numbers. Got {shown(found.row(0)) if found.n else found.values.dtype}. {FORMS}"
            )
        if columns is not None and found.names is not None:
            found = found.arranged(Names(columns, "coordinates"), "coordinates")
        lower, upper = (np.where(found.missing, end, found.values) for end in (-math.inf, math.inf))
        return Boxes(lower, upper), found.names
    if found.ndim == 3 and found.shape[2] == 2 and found.dtype.kind in "iuf":
        missing = np.isnan(found)
        return Boxes(
            *(np.where(missing[..., k], end, found[..., k]) for k, end in enumerate((-math.inf, math.inf)))
        ), None
    raise InputError(f"Cannot read y of shape {found.shape} as vectors. {FORMS}")


def _candidates(column: Column) -> CandidatePoints:
    """Return candidate points; raise an error if all of them could also be bounds."""
    points = CandidatePoints([None if gone else cell for cell, gone in zip(column.cells, column.missing)])
    shapes = {np.shape(cell) for cell in column.cells}
    k, width = shapes.pop() if len(shapes) == 1 and np.ndim(column.cells[0]) == 2 else (0, 0)
    if k > 1 and width == 2 and (points.points[:, 0] <= points.points[:, 1]).all():
        raise InputError(
            f"The rows of y, as {shown(column.cells[0])}, can be bounds of {k} coordinates or {k} points in the plane."
            " Pass Boxes(lower, upper), as in Boxes(*np.moveaxis(np.array(y), -1, 0)), or CandidatePoints(y)."
        )
    return points


def clipped(sets: Any, low: NDArray, high: NDArray) -> Any:
    """Return boxes and candidates within [low, high]; raise an error about rows that lie outside."""
    if not (np.isfinite(low).any() or np.isfinite(high).any()):
        return sets
    lower, upper = sets.box()
    if isinstance(sets, CandidatePoints):
        inside = ((sets.points >= low) & (sets.points <= high)).all(axis=1)
        outside = np.bincount(sets.row[inside], minlength=len(sets)) == 0
    else:
        outside = ((lower > high) | (upper < low)).any(axis=1)
    raise_for_rows(
        outside,
        lambda i: f"from {shown(lower[i])} to {shown(upper[i])}, outside of bounds {shown(low)} to {shown(high)}",
        "Widen bounds, or correct these rows.",
    )
    if isinstance(sets, Boxes):
        return Boxes(np.maximum(lower, low), np.minimum(upper, high))
    return sets.kept(inside) if isinstance(sets, CandidatePoints) else sets
