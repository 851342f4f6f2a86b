"""What a row of interval data may look like: values, bounds, unions, cells, text, frames -> flat pieces."""

from __future__ import annotations

import math
import re
from numbers import Number
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import column_or_1d

from ..forms import BadRows, is_missing

FORMS = (
    "A row of y is a value 3.5, bounds (1, 2) or (5, inf), a union [(-2, -1), (1, 2)], candidates {1, 2}, text such as"
    ' "[1,2]", "800-1200", ">=3", "<0.1", "5±0.2" or "[-2,-1]|[1,2]", or None where nothing is known. Bounds go from'
    " low to high, with -inf or inf on a side that is open."
)

NUMBER = r"[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|inf|∞)"
BRACKETS = re.compile(rf"[\[\](]\s*({NUMBER})\s*[,;]\s*({NUMBER})\s*[\[\])]")
DASH = re.compile(rf"({NUMBER})\s*(?:-|–|\.\.|to)\s*({NUMBER})")
AT_LEAST = re.compile(rf"(?:>=?|≥)\s*({NUMBER})|({NUMBER})\s*\+")
AT_MOST = re.compile(rf"(?:<=?|≤)\s*({NUMBER})")
AROUND = re.compile(rf"({NUMBER})\s*(?:±|\+/-|\+-)\s*({NUMBER})")


class Pieces(NamedTuple):
    """Flat pieces [lower, upper], (p,), and the row that each belongs to, (p,)."""

    lower: NDArray
    upper: NDArray
    row: NDArray
    n: int


def read(y: Any) -> Pieces:
    """The pieces of every row of y, unmerged and unchecked but for their form."""
    y = _column_of(y)
    if isinstance(y, np.ndarray) and y.dtype != object:
        if y.ndim == 1:
            missing = np.isnan(y)
            infinite = np.flatnonzero(np.isinf(y))
            if len(infinite):
                raise ValueError(
                    f"Input y contains infinity, which is no value (row {infinite[0]}). An open side goes into bounds:"
                    " (5, inf)."
                )
            return Pieces(np.where(missing, -math.inf, y), np.where(missing, math.inf, y), np.arange(len(y)), len(y))
        return _pieces_of_array(y)
    bad = BadRows("y")
    flat: list[tuple[float, float]] = []
    rows: list[int] = []
    for row, cell in enumerate(y):
        try:
            pieces = cell_pieces(cell)
        except ValueError as error:
            bad.add(row, str(error))
            continue
        flat += pieces
        rows += [row] * len(pieces)
    bounds = np.array(flat, dtype=float).reshape(-1, 2)
    found = Pieces(bounds[:, 0], bounds[:, 1], np.array(rows, dtype=int), len(y))
    refuse_bad(found, bad)
    return found


def refuse_bad(pieces: Pieces, bad: BadRows | None = None) -> None:
    """All rows that are no set of numbers in one error, beside those that were bad already."""
    bad = BadRows("y") if bad is None else bad
    unread = {row for row, _ in bad.rows}
    for p in np.flatnonzero(~(pieces.lower <= pieces.upper)):
        low, high = pieces.lower[p], pieces.upper[p]
        what = "NaN inside" if math.isnan(low) or math.isnan(high) else "the lower bound is above the upper one"
        bad.add(pieces.row[p], f"{what}, got ({low:g}, {high:g})")
    for p in np.flatnonzero((pieces.lower == pieces.upper) & np.isinf(pieces.lower)):
        bad.add(pieces.row[p], f"no number at all, got ({pieces.lower[p]:g}, {pieces.upper[p]:g})")
    for row in np.flatnonzero(np.bincount(pieces.row, minlength=pieces.n) == 0):
        if row not in unread:
            bad.add(row, "an empty set")
    bad.rows.sort(key=lambda found: found[0])
    bad.refuse(FORMS)


def cell_pieces(cell: Any) -> list[tuple[float, float]]:
    """The pieces of one cell.

    >>> cell_pieces("[-2,-1]|[1,2]"), cell_pieces(">=3"), cell_pieces((5, None)), cell_pieces(None)
    ([(-2.0, -1.0), (1.0, 2.0)], [(3.0, inf)], [(5.0, inf)], [(-inf, inf)])
    """
    if is_missing(cell):
        return [(-math.inf, math.inf)]
    if isinstance(cell, str):
        return text_pieces(cell)
    if isinstance(cell, Number | np.generic) and not isinstance(cell, bool | np.bool_ | complex):
        return [_point(cell)]
    if hasattr(cell, "left") and hasattr(cell, "right"):  # an interval of pandas
        return [(float(cell.left), float(cell.right))]
    if isinstance(cell, set | frozenset):
        return _union(sorted(cell), cell)
    if isinstance(cell, list | tuple | np.ndarray):
        cell = list(cell)
        if len(cell) == 2 and all(v is None or isinstance(v, Number | np.generic) for v in cell):
            low, high = cell
            return [(-math.inf if low is None else float(low), math.inf if high is None else float(high))]
        return _union(cell, cell)
    raise ValueError(f"expected a value or a set of values, got {cell!r}")


def text_pieces(text: str) -> list[tuple[float, float]]:
    """The pieces that a text names; round and square brackets mean the same, for a set is kept with its ends.

    >>> text_pieces("800-1200"), text_pieces("<0.1"), text_pieces("-2"), text_pieces("65+")
    ([(800.0, 1200.0)], [(-inf, 0.1)], [(-2.0, -2.0)], [(65.0, inf)])
    """
    pieces = []
    for part in text.split("|"):
        part = part.strip()
        if re.fullmatch(NUMBER, part):
            pieces.append(_point(_number(part)))
        elif match := BRACKETS.fullmatch(part) or DASH.fullmatch(part):
            pieces.append((_number(match[1]), _number(match[2])))
        elif match := AT_LEAST.fullmatch(part):
            pieces.append((_number(match[1] or match[2]), math.inf))
        elif match := AT_MOST.fullmatch(part):
            pieces.append((-math.inf, _number(match[1])))
        elif match := AROUND.fullmatch(part):
            pieces.append((_number(match[1]) - _number(match[2]), _number(match[1]) + _number(match[2])))
        else:
            raise ValueError(f"cannot read {text!r} as a number, an interval or a union of them")
    return pieces


def _union(parts: list, cell: Any) -> list[tuple[float, float]]:
    if not parts:
        raise ValueError(f"an empty set, got {cell!r}")
    if isinstance(cell, list) and len(parts) > 1 and all(isinstance(p, Number | np.generic) for p in parts):
        raise ValueError(f"expected a pair or a list of pairs, got {cell!r}; candidates go into a set {{…}}")
    pieces: list[tuple[float, float]] = []
    for part in parts:
        if part is None or (isinstance(part, list | tuple | np.ndarray) and np.size(part) != 2):
            raise ValueError(f"expected a value, a pair or a list of pairs, got {cell!r}")
        pieces += cell_pieces(part)
    return pieces


def _point(value: Any) -> tuple[float, float]:
    value = float(value)
    if not math.isfinite(value):
        raise ValueError(f"{value} is no value; an open side goes into bounds, as in (5, inf)")
    return value, value


def _number(text: str) -> float:
    return float(text.replace("∞", "inf"))


def _pieces_of_array(y: NDArray) -> Pieces:
    """(n, 2) bounds, or (n, k, 2) unions padded with NaN."""
    if y.ndim == 2 and y.shape[1] == 2:
        return Pieces(y[:, 0].astype(float), y[:, 1].astype(float), np.arange(len(y)), len(y))
    if y.ndim != 3 or y.shape[2] != 2:
        raise ValueError(f"y must be (n,) values, (n, 2) bounds or (n, k, 2) unions. Got shape {y.shape}. {FORMS}")
    used = ~np.isnan(y).all(axis=2)
    row, piece = np.nonzero(used)
    return Pieces(y[row, piece, 0].astype(float), y[row, piece, 1].astype(float), row, len(y))


def _column_of(y: Any) -> Any:
    """y as a numeric array, or as a list of cells."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if hasattr(y, "columns"):
        import narwhals.stable.v1 as nw

        frame = nw.from_native(y, eager_only=True)
        if len(frame.columns) not in (1, 2):
            raise ValueError(f"A frame of bounds has two columns, lower and upper. Got {list(frame.columns)}.")
        y = frame.to_numpy() if len(frame.columns) == 2 else frame[frame.columns[0]].to_numpy()
    elif hasattr(y, "to_numpy"):
        y = y.to_numpy()
    elif not hasattr(y, "__len__") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, str) or not hasattr(y, "__len__"):
        raise ValueError(f"y should be a 1d array or a list with one entry a row. Got {y!r}. {FORMS}")
    if not isinstance(y, np.ndarray):
        y = list(y)
        if not all(isinstance(v, Number) for v in y) and not all(
            isinstance(v, tuple | list) and len(v) == 2 and all(isinstance(b, Number) for b in v) for v in y
        ):
            return y
        y = np.array(y, dtype=float)
    if y.dtype == object or y.dtype.kind in "US":
        return [cell[0] if isinstance(cell, np.ndarray) and cell.shape == (1,) else cell for cell in y]
    if np.iscomplexobj(y):
        raise ValueError("Complex data not supported: a complex amplitude is a vector of two coordinates, see Vectors.")
    y = y.astype(float)
    return column_or_1d(y, warn=True) if y.ndim == 2 and y.shape[1] == 1 else y
