"""Formats of interval data: values, bounds, unions, text, DataFrames; all become flat pieces."""

from __future__ import annotations

import math
import re
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import Column, ValueTable, is_number, is_row, normalise_y
from ...data.errors import BadRows, InputError, is_missing, listed, shown
from .survival import check_ordered, durations_to_bounds, events_in, from_structured, is_structured
from .text import decimal_of, parse_interval

FORMS = (
    "A row of y is a value 3.5, bounds (1, 2) or (5, inf), a union [(-2, -1), (1, 2)], candidates {1, 2}, text such as"
    ' "[1,2]", "800-1200", ">=3", "<0.1", "5±0.2" or "[-2,-1]|[1,2]", or None for an unlabelled row. Write bounds'
    " from low to high, with -inf or inf for an unbounded side."
)

LOWER = {"lower", "low", "lo", "min", "minimum", "left", "start", "from"}
UPPER = {"upper", "high", "hi", "max", "maximum", "right", "end", "to"}
"""Words in the names of columns of bounds, such as y_lower and y_upper."""
LIMIT = 1e150  # squares of larger numbers, and of smaller than its inverse, have no room in floating point


class Pieces(NamedTuple):
    """Flat pieces [lower, upper], (p,), and the row that each belongs to, (p,)."""

    lower: NDArray
    upper: NDArray
    row: NDArray
    n: int


def read(y: Any, columns: tuple | None = None, decimal: str | None = None) -> Pieces:
    """Return the pieces of every row of y, unmerged, with only their format checked.

    `columns` are the names of lower and upper bounds, if they are known, and `decimal` is the decimal mark of text; by
    default it is found from all texts of the column.
    """
    check_ordered(y)
    if is_structured(y):
        return _durations(*from_structured(y))
    found = normalise_y(y, FORMS)
    if sparse.issparse(found):
        raise InputError("y must not be sparse. Pass y.toarray().")
    if isinstance(found, ValueTable):
        if found.missing.shape[1] == 1:
            found = found.column()
        elif found.missing.shape[1] == 2:
            events = events_in(found)
            return _bounds(found, columns) if events is None else _durations(*events)
        elif found.names is not None:
            raise InputError(f"A DataFrame of bounds has two columns, lower and upper. Got {list(found.names)}.")
    if isinstance(found, ValueTable | np.ndarray):
        return _unions(found.values if isinstance(found, ValueTable) else found)
    if found.typed:
        return _values(found)
    return _cells(found, decimal)


def _durations(duration: NDArray, event: NDArray) -> Pieces:
    bounds = durations_to_bounds(duration, event)
    return _sided(bounds, np.isnan(bounds))


def names_of(y: Any) -> tuple | None:
    """Return the names of the columns of lower and upper bounds, if y is a DataFrame of two columns."""
    check_ordered(y)
    found = normalise_y(y, FORMS) if hasattr(y, "columns") else None
    names = found.names if isinstance(found, ValueTable) else None
    return _sides(names, None) if names and len(names) == 2 else None


def texts_in(y: Any) -> list[str]:
    """Return the cells of a column, an empty text for those that are not text; nothing if no cell is text."""
    found = normalise_y(y, FORMS) if not isinstance(y, np.ndarray) or y.dtype.kind in "OUST" else None
    if not isinstance(found, Column) or found.typed:
        return []
    return _texts(found)


def _texts(column: Column) -> list[str]:
    return [cell if isinstance(cell, str) else "" for cell in column.cells]


def _values(column: Column) -> Pieces:
    y = column.cells
    if np.iscomplexobj(y):
        raise InputError("Complex data not supported: a complex amplitude is a vector of two coordinates, see Vectors.")
    bad = BadRows("y")
    if y.dtype.kind not in "iuf":
        what = "booleans" if y.dtype == bool else "dates"
        for row in np.flatnonzero(~column.missing):
            bad.add(row, f"expected a number, got {shown(y[row])}")
        bad.raise_if_any(f"y must contain numbers, not {what}. To read them as numbers, pass y.astype(float).")
        y = np.full(column.n, math.nan)
    for row in np.flatnonzero(np.isinf(y) & ~column.missing):
        bad.add(row, f"Input y contains infinity as a value, got {y[row]}")
    bad.raise_if_any("Write one-sided intervals as bounds, such as (5, inf).")
    lower, upper = (np.where(column.missing, side, y).astype(float) for side in (-math.inf, math.inf))
    return Pieces(lower, upper, np.arange(column.n), column.n)


def _cells(column: Column, decimal: str | None = None) -> Pieces:
    """Parse one entry per row, of any format."""
    types = set(map(type, column.cells))
    if types <= {tuple, list} and set(map(len, column.cells)) == {2}:
        inside = set(map(type, chain.from_iterable(column.cells)))
        if inside <= {int, float, type(None), np.float64, np.float32, np.int64, np.int32}:
            try:
                pairs = np.array(column.cells, dtype=float)
            except OverflowError:
                pairs = np.empty((0, 2))
            if len(pairs):
                return _sided(pairs, np.isnan(pairs))
    decimal = decimal_of(_texts(column)) if decimal is None else decimal
    bad = BadRows("y")
    flat: list[tuple[float, float]] = []
    counts = np.zeros(column.n, dtype=int)
    for row, cell in enumerate(column.cells):
        try:
            pieces = cell_pieces(None if column.missing[row] else cell, decimal)
        except InputError as error:
            bad.add(row, str(error))
            continue
        flat += pieces
        counts[row] = len(pieces)
    bounds = np.array(flat, dtype=float).reshape(-1, 2)
    found = Pieces(bounds[:, 0], bounds[:, 1], np.repeat(np.arange(column.n), counts), column.n)
    raise_bad(found, bad)
    return found


def _bounds(table: ValueTable, columns: tuple | None) -> Pieces:
    """Parse two columns of lower and upper bounds; a missing bound is infinite."""
    if table.names is not None:
        sides = _sides(table.names, columns)
        order = [table.names.index(side) for side in sides]
        table = ValueTable(table.values[:, order], table.missing[:, order], sides)
    if table.values.dtype.kind in "iuf":
        return _sided(table.values, table.missing)
    if np.iscomplexobj(table.values):
        raise InputError("Complex data not supported: a complex amplitude is a vector of two coordinates, see Vectors.")
    bad = BadRows("y")
    out = np.empty(table.missing.shape)
    for row in range(table.n):
        for side, (value, gone) in enumerate(zip(table.values[row].tolist(), table.missing[row])):
            try:
                out[row, side] = (math.inf if side else -math.inf) if gone else _bound(value, side)
            except InputError as error:
                bad.add(row, f"{error}, got {shown(table.row(row))}")
    bad.raise_if_any("A bound must be a number, or text such as '3' or '>3'. An empty cell is an open side.")
    return _sided(out, np.isnan(out))


def _bound(value: Any, side: int) -> float:
    """Parse one bound of a table, lower (0) or upper (1)."""
    if is_number(type(value)):
        return _float(value)
    if isinstance(value, str):
        infinite = value.strip().lower().replace("∞", "inf").lstrip("+-")
        if infinite in ("inf", "infinity"):
            return -math.inf if value.strip().startswith("-") else math.inf
        pieces = parse_interval(value)
        ends = pieces[0] if len(pieces) == 1 else (math.nan, math.nan)
        if ends[0] == ends[1] or ends[1 - side] == (math.inf if side == 0 else -math.inf):
            return ends[side]
    raise InputError(f"expected {'an upper' if side else 'a lower'} bound, not {shown(value)}")


def _sided(pairs: NDArray, missing: NDArray) -> Pieces:
    lower = np.where(missing[:, 0], -math.inf, pairs[:, 0]).astype(float)
    upper = np.where(missing[:, 1], math.inf, pairs[:, 1]).astype(float)
    return Pieces(lower, upper, np.arange(len(pairs)), len(pairs))


def _sides(names: tuple, columns: tuple | None) -> tuple:
    """Return the names of the two columns of a DataFrame, the lower bound first."""
    if columns is not None and set(columns) == set(names):
        return columns
    sides = [_side(name) for name in names]
    if sides == ["upper", "lower"]:
        return names[::-1]
    if columns is not None and sides != ["lower", "upper"]:
        raise InputError(f"The columns of y must be {listed(columns)}, as in fit. Got {listed(names)}.")
    if sides[0] == "upper" or sides[1] == "lower":
        raise InputError(
            f"The columns {listed(names)} of y must be the lower bound, then the upper one. Name them lower and upper."
        )
    return names


def _side(name: Any) -> str | None:
    """Return "lower" or "upper" if a name contains such a word; None if it contains neither, or both."""
    words = set(re.findall("[a-z]+", re.sub("([a-z])([A-Z])", r"\1 \2", str(name)).lower()))
    found = [side for side, some in (("lower", LOWER), ("upper", UPPER)) if words & some]
    return found[0] if len(found) == 1 else None


def raise_bad(pieces: Pieces, bad: BadRows | None = None) -> None:
    """Raise one error about all rows that are no set of numbers, and about those that were bad already."""
    bad = BadRows("y") if bad is None else bad
    for p in np.flatnonzero(~(pieces.lower <= pieces.upper)):
        low, high = pieces.lower[p], pieces.upper[p]
        what = "NaN inside" if math.isnan(low) or math.isnan(high) else "the lower bound is above the upper one"
        bad.add(pieces.row[p], f"{what}, got ({low:g}, {high:g})")
    for p in np.flatnonzero((pieces.lower == pieces.upper) & np.isinf(pieces.lower)):
        bad.add(pieces.row[p], f"expected at least one number, got ({pieces.lower[p]:g}, {pieces.upper[p]:g})")
    huge = [np.isfinite(end) & (np.abs(end) > LIMIT) for end in (pieces.lower, pieces.upper)]
    for p in np.flatnonzero(huge[0] | huge[1]):
        bad.add(
            pieces.row[p],
            f"beyond ±{LIMIT:g}, where squares overflow: rescale y; got ({pieces.lower[p]:g}, {pieces.upper[p]:g})",
        )
    for row in np.flatnonzero(np.bincount(pieces.row, minlength=pieces.n) == 0):
        if row not in bad:
            bad.add(row, "an empty set")
    bad.raise_if_any(FORMS)


def cell_pieces(cell: Any, decimal: str = ".") -> list[tuple[float, float]]:
    """Return the pieces of one cell.

    >>> cell_pieces("[-2,-1]|[1,2]"), cell_pieces(">=3"), cell_pieces((5, None)), cell_pieces(None)
    ([(-2.0, -1.0), (1.0, 2.0)], [(3.0, inf)], [(5.0, inf)], [(-inf, inf)])
    """
    if isinstance(cell, np.ndarray) and cell.ndim == 0:
        cell = cell.item()
    if is_missing(cell):
        return [(-math.inf, math.inf)]
    if isinstance(cell, str):
        return parse_interval(cell, decimal)
    if is_number(type(cell)):
        return [_point(cell)]
    if hasattr(cell, "left") and hasattr(cell, "right"):  # an interval of pandas
        if cell.left == cell.right and getattr(cell, "closed", "both") != "both":
            raise InputError(f"an interval without any number, got {shown(cell)}")
        return [_pair((cell.left, cell.right), cell)]
    if isinstance(cell, set | frozenset):
        return _union(list(cell), cell)
    if is_row(cell) or isinstance(cell, np.ndarray):
        parts = list(cell)
        if any(isinstance(part, str) for part in parts):
            raise InputError(f"expected numbers, got text inside {shown(cell)}; a union as text is '[1,2]|[5,6]'")
        if len(parts) == 2 and all(is_missing(v) or is_number(type(v)) for v in parts):
            return [_pair(parts, cell)]
        return _union(parts, cell)
    raise InputError(f"expected a value or a set of values, got {shown(cell)}")


def _pair(pair: Any, cell: Any) -> tuple[float, float]:
    low, high = pair
    if not all(is_missing(v) or is_number(type(v)) for v in pair):
        raise InputError(f"expected bounds that are numbers, got {shown(cell)}")
    return -math.inf if is_missing(low) else _float(low), math.inf if is_missing(high) else _float(high)


def _union(parts: list, cell: Any) -> list[tuple[float, float]]:
    if not parts:
        raise InputError(f"an empty set, got {shown(cell)}")
    if isinstance(cell, list | tuple | np.ndarray) and len(parts) > 1 and all(is_number(type(p)) for p in parts):
        raise InputError(f"expected a pair or a list of pairs, got {shown(cell)}; candidates go into a set {{…}}")
    pieces: list[tuple[float, float]] = []
    for part in parts:
        if is_missing(part) or isinstance(part, set | frozenset | dict) or (is_row(part) and len(part) != 2):
            raise InputError(f"expected a value, a pair or a list of pairs, got {shown(cell)}")
        pieces += cell_pieces(part)
    return pieces


def _point(value: Any) -> tuple[float, float]:
    value = _float(value)
    if not math.isfinite(value):
        raise InputError(f"{value} is not a value; write a one-sided interval as bounds, such as (5, inf)")
    return value, value


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        raise InputError(f"a number too large for floating point, got {shown(value)}") from None


def _unions(y: NDArray) -> Pieces:
    """Return unions of intervals as (n, k, 2), padded with NaN."""
    if y.ndim != 3 or y.shape[2] != 2 or y.dtype.kind not in "iufO":
        raise InputError(f"y must be (n,) values, (n, 2) bounds or (n, k, 2) unions. Got shape {y.shape}. {FORMS}")
    if y.dtype == object:
        y = np.array([[[math.nan if is_missing(v) else v for v in piece] for piece in row] for row in y], dtype=float)
    used = ~np.isnan(y).all(axis=2)
    row, piece = np.nonzero(used)
    return Pieces(y[row, piece, 0].astype(float), y[row, piece, 1].astype(float), row, len(y))
