"""Containers of y: lists, arrays, masked arrays, sparse matrices, Series and DataFrames of any library."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Set
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import DataConversionWarning

from .errors import BadRows, InputError, is_missing, listed, shown
from .names import Names

FRAMES = ("pandas", "polars", "pyarrow", "modin", "cudf", "narwhals")
EXACT = 2**53 - 1  # whole numbers up to here are floating-point numbers that no other whole number rounds to


class Column(NamedTuple):
    """One entry per row: numbers, booleans and dates as a typed array, anything else as a list."""

    cells: Any
    missing: NDArray
    """(n,) boolean; `cells` is meaningless there, except for NaN in numbers."""
    name: Any = None
    """The name of the only column of a DataFrame."""
    order: tuple | None = None
    """The categories of an ordered Categorical or an Enum, in their order."""

    @property
    def typed(self) -> bool:
        return isinstance(self.cells, np.ndarray)

    @property
    def n(self) -> int:
        return len(self.missing)

    def cell(self, row: int) -> Any:
        return None if self.missing[row] else self.cells[row]


class ValueTable(NamedTuple):
    """Several columns: booleans or numbers as a typed array, anything else as objects."""

    values: NDArray
    missing: NDArray
    """(n, c) boolean; `values` is meaningless there, except for NaN in numbers."""
    names: tuple | None = None

    @property
    def n(self) -> int:
        return len(self.missing)

    def row(self, k: Any) -> list:
        """Return a row as the user wrote it."""
        row = [
            None if gone else v.item() if isinstance(v, np.number | np.bool_) else v
            for v, gone in zip(self.values[k].tolist(), self.missing[k])
        ]
        return [int(v) if isinstance(v, float) and v.is_integer() else v for v in row]

    def column(self) -> Column:
        """Return the only column of a two-dimensional array, with the warning of scikit-learn."""
        if self.names is None:
            warnings.warn(
                "A column-vector y was passed when a 1d array was expected. Please change the shape of y to"
                " (n_samples,), for example using ravel().",
                DataConversionWarning,
                stacklevel=2,
            )
        return Column(self.values[:, 0], self.missing[:, 0])

    def arranged(self, known: Names, what: str) -> ValueTable:
        """Return the columns in the order of the known names; raise an error if a name is missing or unknown."""
        if self.names is None:
            return self
        place = {known.find(name): k for k, name in enumerate(self.names)}
        absent = [name for k, name in enumerate(known.list) if k not in place]
        extra = [name for name in self.names if known.find(name) is None]
        if absent or extra:
            raise InputError(
                f"The columns of y must be named as the {what} are: {listed(known.list)}."
                + (f" Missing: {listed(absent)}." if absent else "")
                + (f" Unknown: {listed(extra)}." if extra else "")
                + " To match columns by position, pass y.to_numpy()."
            )
        index = [place[k] for k in range(len(known))]
        return ValueTable(self.values[:, index], self.missing[:, index], tuple(known.list))


def normalise_y(y: Any, forms: str) -> Any:
    """Return y in one of four forms: a Column, a Table, a CSR matrix, or an array of three or more axes."""
    if y is None:
        raise InputError("This estimator requires y to be passed, but the target y is None.")
    if isinstance(y, str | bytes | Set) or (isinstance(y, Mapping) and not sparse.issparse(y)):  # DOK is a mapping
        raise InputError(
            f"y should be a 1d array or a list with one entry per row (a non-string sequence). Got {shown(y)}. {forms}"
        )
    if sparse.issparse(y):
        if y.ndim != 2:
            raise InputError(f"A sparse y has shape (n, m). Got shape {y.shape}.")
        out = sparse.csr_matrix(y, copy=True)
        out.sum_duplicates()
        return out
    if type(y).__module__.partition(".")[0] in FRAMES:
        return _framed(y)
    if isinstance(y, np.ndarray) or hasattr(y, "__array__"):
        return _of_array(y if isinstance(y, np.ndarray) else np.asarray(y), forms)
    if not isinstance(y, Iterable):
        raise InputError(f"y should be a 1d array or a list with one entry per row. Got {shown(y)}. {forms}")
    return column_of(list(y))


def materialise(y: Any) -> Any:
    """Return y in a form that can be read twice: a generator becomes a list."""
    return list(y) if hasattr(y, "__next__") else y


def column_of(cells: list) -> Column:
    """Return cells as a column, typed if all are numbers, booleans or dates, or missing; integers stay integers.

    >>> column_of([3, None, 2**53 + 1]).cells.tolist(), column_of([True, None]).cells.dtype.name
    ([3, 0, 9007199254740993], 'bool')
    """
    if any(hasattr(kind, "as_py") for kind in set(map(type, cells))):  # scalars of Arrow
        cells = [cell.as_py() if hasattr(cell, "as_py") else cell for cell in cells]
    missing = np.fromiter(map(is_missing, cells), bool, len(cells))
    types = {type(cell) for cell, gone in zip(cells, missing) if not gone}

    def filled(gap: Any) -> list:
        return [gap if gone else cell for cell, gone in zip(cells, missing)]

    if not types:
        return Column(np.full(len(cells), math.nan) if float in map(type, cells) else cells, missing)
    whole = {kind for kind in types if issubclass(kind, int | np.integer) and not issubclass(kind, bool)}
    if types <= {bool, np.bool_}:
        return Column(np.array(filled(False), bool), missing)
    if whole == types:
        values = np.array(filled(0))
        return Column(values if values.dtype.kind in "iu" else cells, missing)
    if all(kind in whole or issubclass(kind, float | np.floating) for kind in types):
        try:
            values = np.array(filled(math.nan), float)
        except OverflowError:  # a whole number beyond floating point
            return Column(cells, missing)
        if not whole or np.abs(values[~missing]).max() <= EXACT:
            return Column(values, missing)
    if all(issubclass(kind, datetime | np.datetime64) for kind in types):
        dates = [_date(cell) for cell in filled(np.datetime64("NaT"))]
        if None not in dates:
            return Column(np.array(dates), missing)
    return Column(cells, missing)


class Distinct(NamedTuple):
    """The distinct cells of a column, and which of them each row has: equal cells are parsed once."""

    cells: list
    which: NDArray

    def rows(self, k: int) -> list[int]:
        return np.flatnonzero(self.which == k).tolist()


def distinct(column: Column) -> Distinct:
    """Return the distinct cells of a column, None first; cells that cannot be hashed are all kept."""
    if column.typed:
        values = column.cells[~column.missing]
        found, inverse = np.unique(values, return_inverse=True)
        which = np.zeros(column.n, dtype=int)
        which[~column.missing] = inverse.ravel() + 1
        return Distinct([None, *(found if found.dtype.kind in "mM" else found.tolist())], which)
    place: dict[Hashable, int] = {}
    cells, which = [None], np.zeros(column.n, dtype=int)
    for row, cell in enumerate(column.cells):
        if column.missing[row]:
            continue
        try:
            k = place.setdefault(_mark(cell), len(cells))
        except TypeError:
            k = len(cells)
        if k == len(cells):
            cells.append(cell)
        which[row] = k
    return Distinct(cells, which)


def _mark(cell: Any) -> Hashable:
    """Return a key that is equal for equal cells of equal types only; in Python, (True, "a") == (1, "a")."""
    if type(cell) is str:  # equals no other type
        return cell
    if isinstance(cell, tuple | list):
        return type(cell), tuple(map(_mark, cell))
    if isinstance(cell, set | frozenset):
        return type(cell), frozenset(map(_mark, cell))
    return type(cell), cell


def _date(cell: Any) -> np.datetime64 | None:
    """Return a date as a NumPy date; None if it has a time zone."""
    if getattr(cell, "tzinfo", None) is not None:
        return None
    return cell.to_datetime64() if hasattr(cell, "to_datetime64") else np.datetime64(cell)


def table_of(column: Column) -> ValueTable | None:
    """Return a column of lists of scalars of equal length as a table; None for any other column."""
    if column.typed:
        return None
    width = None
    for cell, gone in zip(column.cells, column.missing):
        if gone:
            continue
        if not is_row(cell) or (width is not None and len(cell) != width):
            return None
        width = len(cell)
        if any(isinstance(v, list | tuple | Mapping | Set | np.ndarray) for v in cell):
            return None
    if not width:
        return None
    values = np.empty((column.n, width), dtype=object)
    for k, (cell, gone) in enumerate(zip(column.cells, column.missing)):
        values[k, :] = None if gone else list(cell)
    return tidy(values)


def is_row(cell: Any) -> bool:
    """Return whether a cell is a list, tuple or flat array, which may be a row of a table."""
    return isinstance(cell, list | tuple) or (isinstance(cell, np.ndarray) and cell.ndim == 1)


def tidy(values: NDArray, names: tuple | None = None) -> ValueTable:
    """Return a table of objects, typed if all cells are booleans, or all are numbers, or missing."""
    flat = values.ravel().tolist()
    missing = np.fromiter(map(is_missing, flat), bool, len(flat)).reshape(values.shape)
    types = {type(v) for v, gone in zip(flat, missing.ravel()) if not gone}
    if types and types <= {bool, np.bool_}:
        return ValueTable(np.where(missing, False, values).astype(bool), missing, names)
    if all(is_number(kind) for kind in types):
        bad = BadRows("y")
        out = np.full(values.shape, math.nan)
        for row, cells in enumerate(np.where(missing, math.nan, values)):
            try:
                out[row] = [float(v) for v in cells]
            except OverflowError:
                bad.add(row, f"a number too large for floating point, got {shown(cells.tolist())}")
        bad.raise_if_any("The largest floating-point number is about 1.8e308. Rescale y.")
        return ValueTable(out, missing, names)
    return ValueTable(values, missing, names)


def is_number(kind: type) -> bool:
    """Return whether a type is one of real numbers: no booleans, no dates."""
    if issubclass(kind, bool | np.bool_ | complex | np.complexfloating | np.timedelta64):
        return False
    return issubclass(kind, int | float | np.integer | np.floating | Decimal) or hasattr(kind, "numerator")


def _of_array(y: NDArray, forms: str) -> Any:
    hidden = np.ma.getmaskarray(y) if isinstance(y, np.ma.MaskedArray) else np.zeros(y.shape, bool)
    y = np.asarray(y.data if isinstance(y, np.ma.MaskedArray) else y)
    if y.ndim == 0:
        raise InputError(f"y should be a 1d array or a list with one entry per row. Got only {shown(y[()])}. {forms}")
    if y.dtype.fields is not None:
        fields = list(y.dtype.fields)
        raise InputError(f"y is a structured array of the fields {fields}. Pass one of them, or a DataFrame.")
    if y.dtype.kind in "OUSVT":
        y = y.astype(object)
        y[hidden] = None
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        return column_of(list(y)) if y.ndim == 1 else tidy(y) if y.ndim == 2 else y
    missing = hidden | (np.isnan(y) if y.dtype.kind in "fc" else np.isnat(y) if y.dtype.kind in "mM" else False)
    if y.dtype.kind in "iuf" and y.ndim > 1 and hidden.any():
        y = np.where(hidden, math.nan, y)
    return Column(y, missing) if y.ndim == 1 else ValueTable(y, missing) if y.ndim == 2 else y


def frame_of(frame: Any, what: str) -> Any:
    """Return a DataFrame of pandas, polars or Arrow as one of narwhals; its columns have different names."""
    import narwhals.stable.v1 as nw

    if type(frame).__name__ == "LazyFrame":
        raise InputError(f"{what} is a LazyFrame, whose rows are not computed yet. Pass {what}.collect().")
    if type(frame).__name__ == "RecordBatch":
        import pyarrow

        frame = pyarrow.Table.from_batches([frame])
    names = list(frame.column_names if hasattr(frame, "column_names") else frame.columns)
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise InputError(f"The columns of {what} must have different names. Twice: {listed(twice)}. Rename them first.")
    return nw.from_native(frame, eager_only=True)


def _framed(y: Any) -> Column | ValueTable:
    """Return the column or table of a Series or DataFrame of pandas, polars or Arrow."""
    import narwhals.stable.v1 as nw

    if type(y).__name__ in ("DataFrame", "LazyFrame", "RecordBatch", "Table"):
        return _of_frame(frame_of(y, "y"))
    if hasattr(y, "to_series"):  # an index of pandas
        y = y.to_series()
    series = nw.from_native(y, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _of_series(series)
    cells = y.to_pylist() if hasattr(y, "to_pylist") else y.tolist()  # an array of Arrow or of pandas
    return column_of(_mapped(cells, y))._replace(order=_order(y))


def _of_frame(frame: Any) -> Column | ValueTable:
    columns = [_of_series(series) for series in frame.iter_columns()]
    if len(columns) == 1:
        return columns[0]._replace(name=frame.columns[0])
    names, missing = tuple(frame.columns), np.empty((len(frame), len(columns)), bool)
    for k, column in enumerate(columns):
        missing[:, k] = column.missing
    kinds = {c.cells.dtype.kind if c.typed else "O" for c in columns if not c.missing.all()}
    if kinds <= set("iuf") or kinds == {"b"}:
        values = np.full(missing.shape, False if kinds == {"b"} else math.nan)
        for k, column in enumerate(columns):
            there = ~column.missing
            values[there, k] = column.cells[there] if there.any() else []
        return ValueTable(values, missing, names)
    values = np.empty(missing.shape, dtype=object)
    for k, column in enumerate(columns):
        for row in range(column.n):
            values[row, k] = column.cell(row)
    return tidy(values, names)


def _order(native: Any) -> tuple | None:
    """Return the categories of an ordered Categorical of pandas, an Enum of polars, or an ordered Arrow dictionary."""
    kind: Any = getattr(native, "dtype", getattr(native, "type", None))
    if not getattr(kind, "ordered", type(kind).__name__ == "Enum"):
        return None
    if hasattr(kind, "categories"):
        return tuple(kind.categories.to_list())
    chunks = native.chunks if hasattr(native, "chunks") else [native]
    return tuple(dict.fromkeys(name for chunk in chunks for name in chunk.dictionary.to_pylist()))


def _mapped(cells: list, native: Any) -> list:
    """Return the cells of a map column of Arrow as dicts; other cells as they are."""
    kind = getattr(native, "type", getattr(getattr(native, "dtype", None), "pyarrow_dtype", None))
    if not str(kind).startswith("map<"):
        return cells
    bad = BadRows("y")
    for row, cell in enumerate(cells):
        if not is_missing(cell) and len(dict(cell)) < len(cell):
            bad.add(row, "a key of the map occurs twice", cell)
    bad.raise_if_any("Each key must occur once.")
    return [None if is_missing(cell) else dict(cell) for cell in cells]


def _of_series(series: Any) -> Column:
    import narwhals.stable.v1 as nw

    kind = series.dtype
    if kind.is_float():
        values = series.to_numpy().astype(float)
        return Column(values, np.isnan(values))
    if (kind.is_integer() and kind not in (nw.Int128, nw.UInt128)) or kind == nw.Boolean:  # NumPy ends at 64 bits
        missing = series.is_null().to_numpy().astype(bool)
        values = (series.fill_null(False if kind == nw.Boolean else 0) if missing.any() else series).to_numpy()
        return Column(values.astype(bool) if kind == nw.Boolean else values, missing)
    if kind == nw.Date or (kind == nw.Datetime and getattr(kind, "time_zone", None) is None):
        values = series.to_numpy()
        if values.dtype.kind == "M":
            return Column(values, np.isnat(values))  # otherwise Python's dates, as Arrow gives them
    native = series.to_native()
    if type(kind) is nw.Unknown and "Sparse" in str(getattr(native, "dtype", "")):
        return _of_array(np.asarray(native), "")
    cells = series.to_list()
    if kind == nw.String:
        return column_of(cells)
    cells = [cell.tolist() if isinstance(cell, np.ndarray) else cell for cell in cells]
    return column_of(_mapped(cells, native))._replace(order=_order(native))
