"""X as an array of numbers; columns of DataFrames are matched by name."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import _safe_indexing, check_array

from .containers import frame_of
from .errors import listed, shown

LARGEST = 1e150  # squares of larger numbers overflow
FIRST = 64  # rows that are checked before all of them
FILL = (
    "Fill it in, with infimum.Features() or scikit-learn's SimpleImputer in a pipeline, or leave out the row or the"
    " column."
)
FINITE = "Replace it by a finite number."
TOO_LARGE = f"X must contain numbers up to {LARGEST:g}, because squares of larger ones overflow."
RESCALE = "Scale X (StandardScaler, or divide by its largest entry)."
RESCALE_TINY = "Scale X: divide it by its largest entry."
ENCODE = "Encode it, with infimum.Features() or scikit-learn's OneHotEncoder in a pipeline, or leave it out."


def is_frame(X: Any) -> bool:
    """Return whether X is a DataFrame of pandas or polars, or an Arrow table."""
    if type(X).__name__ == "LazyFrame":  # its columns are expensive to determine
        return True
    return hasattr(X, "columns") and not hasattr(X, "to_delayed") and hasattr(X, "shape")


def names_of(X: Any, kind: type = str) -> list | None:
    """Return the column names of a DataFrame if all are strings, or all of another kind; otherwise None."""
    if not is_frame(X):
        return None
    names = frame_of(X, "X").columns
    return names if names and all(isinstance(name, kind) for name in names) else None


def in_order(X: Any, names: list[str] | None, what: str = "X") -> Any:
    """Return a DataFrame with its columns in the order of `names`; return anything else unchanged."""
    found = names_of(X)
    if names is None or found is None or found == names:
        return X
    present, known = set(found), set(names)
    missing, extra = [n for n in names if n not in present], [n for n in found if n not in known]
    if missing or extra:
        problems = [f"{kind} {listed(some)}" for kind, some in (("misses", missing), ("also has", extra)) if some]
        raise ValueError(f"{what} {' and '.join(problems)}. Its columns must be those of fit: {listed(names)}.")
    return X.select(names) if hasattr(X, "select") else X[names]


def as_numbers(X: Any) -> Any:
    """Return X as a two-dimensional array or a CSR matrix of finite numbers."""
    names = names_of(X)
    table = _table(X) if is_frame(X) else readable(X)
    numbers = check_array(
        table, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False, input_name="X"
    )
    _check_finite(numbers, names)
    return in_range(numbers, names)


def _check_finite(X: Any, names: list[str] | None) -> None:
    """Raise an error with the place of the first entry that is NaN or infinite."""
    entries = X.data if sparse.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(entries.sum()):  # one pass, without a copy
            return
    places = np.argwhere(~np.isfinite(entries))
    if not len(places):
        return
    what, fix = ("NaN", FILL) if np.isnan(entries[tuple(places[0])]) else ("infinity", FINITE)
    if sparse.issparse(X):
        table = X.tocoo()
        places = np.column_stack([table.row, table.col])[places[:, 0]]
    raise ValueError(f"Input X contains {what} in {_first_place(places, names)}. {fix}")


def _first_place(places: Any, names: list[str] | None = None) -> str:
    """Return the first of some (row, column) pairs as text."""
    row, column = places[0]
    more = f" (the first of {len(places)} such entries)" if len(places) > 1 else ""
    return f"row {row}, column {column if names is None else repr(names[column])}{more}"


def readable(X: Any) -> Any:
    """Return X, or raise an error with the row and the entry that is not a number.

    >>> readable([[1.0], ["red"]])
    Traceback (most recent call last):
    ...
    ValueError: X must contain numbers. Row 1 contains 'red'. Encode it, with infimum.Features() or ...
    """
    if sparse.issparse(X):
        return X.tocsr()  # a matrix in the format DOK is a dict
    if X is None or isinstance(X, str | bytes | dict | set | frozenset):
        alone = " Only fit accepts None, with Votes as y; labels_ contains the result." if X is None else ""
        raise ValueError(f"X must be a table of numbers, rows by features. Got {shown(X)}.{alone}")
    if isinstance(X, np.ma.MaskedArray):
        masked = np.argwhere(np.ma.getmaskarray(X))
        if X.ndim == 2 and len(masked):
            raise ValueError(
                f"Input X contains a masked entry, which is missing like NaN, in {_first_place(masked)}. {FILL}"
            )
        return X.data
    if isinstance(X, list | tuple) or (isinstance(X, np.ndarray) and X.ndim > 0 and X.dtype.kind in "OUS"):
        rows = list(X)
        lengths = {len(row) for row in rows if _is_row(row)}
        if len(lengths) > 1:
            raise ValueError(f"The rows of X must have the same number of features. They have {sorted(lengths)[:5]}.")
        for k, row in enumerate(rows):
            for cell in row if _is_row(row) else [row]:
                _check_cell(cell, k)
    return X


def _is_row(row: Any) -> bool:
    return isinstance(row, list | tuple) or (isinstance(row, np.ndarray) and row.ndim > 0)


def _check_cell(cell: Any, row: int) -> None:
    if isinstance(cell, str | bytes):
        try:
            float(cell)
        except ValueError:
            raise ValueError(f"X must contain numbers. Row {row} contains {shown(cell)}. {ENCODE}") from None
    elif isinstance(cell, dict | set | frozenset) or type(cell) is object:
        raise TypeError(
            f"X must contain numbers. Row {row} contains {shown(cell)}: an argument must be a number, or a string"
            " that is a number."
        )
    elif isinstance(cell, int) and abs(cell) > LARGEST:
        raise ValueError(f"{TOO_LARGE} Row {row} contains {shown(cell)}. {RESCALE}")


def some_rows(X: Any, rows: NDArray) -> Any:
    """Return some rows of X: an array, a sparse matrix, a DataFrame or a list."""
    X = X.tocsr() if hasattr(X, "tocsr") else X
    return _safe_indexing(X if hasattr(X, "__getitem__") else np.asarray(X), rows)


def in_range(X: Any, names: list[str] | None = None) -> Any:
    """Return X, or raise an error with the place of its largest entry if its squares would overflow."""
    entries = X.data if hasattr(X, "tocsr") else X
    if entries.size and float(max(entries.max(), -entries.min())) > LARGEST:  # without a copy of X
        row, column = np.unravel_index(int(abs(X).argmax()), X.shape)
        place = _first_place([(row, column)], names)
        raise ValueError(f"{TOO_LARGE} Got {np.abs(entries).max():g} in {place}. {RESCALE}")
    return X


def check_not_tiny(X: Any, names: list[str] | None = None) -> None:
    """Raise an error if a column varies so little that squares of its differences are 0 in floating point."""
    if not X.shape[0]:
        return
    left = np.flatnonzero(_spread(X[:FIRST]) < 1 / LARGEST)  # most columns vary enough among the first rows
    if not len(left):
        return
    spread = np.full(X.shape[1], np.inf)
    spread[left] = _spread(X)[left] if sparse.issparse(X) else _spread(X[:, left])
    tiny = np.flatnonzero((spread > 0) & (spread < 1 / LARGEST))
    if len(tiny):
        column = tiny[0] if names is None else repr(names[tiny[0]])
        raise ValueError(
            f"X must contain numbers whose differences are above {1 / LARGEST:g}, because squares of smaller ones"
            f" underflow. The values of column {column} differ by {spread[tiny[0]]:g}. {RESCALE_TINY}"
        )


def _spread(X: Any) -> NDArray:
    """Return the difference of the largest and the smallest entry of each column."""
    spread = X.max(axis=0) - X.min(axis=0)
    return np.ravel(spread.toarray() if sparse.issparse(spread) else spread)


def _table(X: Any) -> Any:
    import narwhals.stable.v1 as nw

    frame = frame_of(X, "X")
    text = [series for series in frame.iter_columns() if not (series.dtype.is_numeric() or series.dtype == nw.Boolean)]
    if text:
        cell = next((v for v in text[0].to_list() if v is not None), None)
        raise ValueError(
            f"X must contain numbers. The column {text[0].name!r} contains {shown(cell)}"
            f"{f' (so do {len(text) - 1} other columns)' if len(text) > 1 else ''}. {ENCODE}"
        )
    columns = [_floats(series) for series in frame.iter_columns()]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def _floats(series: Any) -> Any:
    """Return a column of numbers; NumPy has no integers of 128 bits."""
    import narwhals.stable.v1 as nw

    wide = series.dtype in (nw.Int128, nw.UInt128)
    return np.asarray((series.cast(nw.Float64) if wide else series).to_numpy(), dtype=float)


def narrow(X: Any) -> Any:
    """Return a sparse X with 32-bit indices if they suffice, because some of scikit-learn's kernels need them."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
