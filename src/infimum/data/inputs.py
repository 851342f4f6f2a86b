"""X as an array of numbers; columns of DataFrames are matched by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

from .errors import listed

LARGEST = 1e150  # squares of larger numbers overflow
FILL = (
    "Fill it in, with infimum.Features() or scikit-learn's SimpleImputer in a pipeline, or leave out the row or the"
    " column."
)
ENCODE = "Encode it, with infimum.Features() or scikit-learn's OneHotEncoder in a pipeline, or leave it out."


def is_frame(X: Any) -> bool:
    """Return whether X is a DataFrame of pandas or polars, or an Arrow table."""
    return hasattr(X, "columns") and not hasattr(X, "to_delayed") and hasattr(X, "shape")


def names_of(X: Any) -> list[str] | None:
    """Return the column names of a DataFrame if all are strings; otherwise None."""
    if not is_frame(X):
        return None
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def in_order(X: Any, names: list[str] | None, what: str = "X") -> Any:
    """Return a DataFrame with its columns in the order of `names`; return anything else unchanged."""
    found = names_of(X)
    if names is None or found is None or found == names:
        return X
    present = set(found)
    missing, extra = [n for n in names if n not in present], [n for n in found if n not in set(names)]
    if missing or extra or len(present) < len(found):
        problems = [f"{kind} {shown(some)}" for kind, some in (("misses", missing), ("also has", extra)) if some]
        problem = " and ".join(problems) or "names a column twice"
        raise ValueError(f"{what} {problem}. Its columns must be those of fit: {shown(names)}.")
    return X.select(names) if hasattr(X, "select") else X[names]


def shown(names: list) -> str:
    """Return the first names of a list as text.

    >>> shown(["a", "b"])
    "'a', 'b'"
    """
    return listed(names)


def as_numbers(X: Any, what: str = "X") -> Any:
    """Return X as a two-dimensional array or a CSR matrix of finite numbers."""
    names = names_of(X)
    table = _table(X, what) if is_frame(X) else readable(X, what)

    def check() -> Any:
        return check_array(table, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=what)

    return in_range(explaining_gaps(check, table, names, what))


def explaining_gaps(check: Callable[[], Any], X: Any, names: list[str] | None = None, what: str = "X") -> Any:
    """Return ``check()``; if it fails because X has missing or infinite entries, the error names the first one."""
    try:
        return check()
    except ValueError as error:
        found = _first_gap(X, names)
        if found is None or not any(word in str(error) for word in ("NaN", "infinity")):
            raise
        entry, place = found
        fix = FILL if entry == "NaN" else "Replace it by a finite number."
        raise ValueError(f"Input {what} contains {entry} in {place}. {fix}") from None


def _first_gap(X: Any, names: list[str] | None) -> tuple[str, str] | None:
    """Return what the first entry is that is not a finite number, "NaN" or "infinity", and its place as text."""
    if sparse.issparse(X):
        X = X.tocoo()
        bad = np.flatnonzero(~np.isfinite(X.data))
        places, entries = np.column_stack([X.row[bad], X.col[bad]]), X.data[bad]
    else:
        X = np.asarray(X, dtype=float)
        places = np.argwhere(~np.isfinite(X)) if X.ndim == 2 else np.empty((0, 2), dtype=int)
        entries = X[tuple(places.T)] if len(places) else np.empty(0)
    if not len(places):
        return None
    return "NaN" if np.isnan(entries[0]) else "infinity", _first_place(places, names)


def _first_place(places: Any, names: list[str] | None = None) -> str:
    """Return the first of some (row, column) pairs as text."""
    row, column = places[0]
    more = f" (the first of {len(places)} such entries)" if len(places) > 1 else ""
    return f"row {row}, column {column if names is None else repr(names[column])}{more}"


def readable(X: Any, what: str = "X") -> Any:
    """Return X, or raise an error with the row and the entry that is not a number.

    >>> readable([[1.0], ["red"]])
    Traceback (most recent call last):
    ...
    ValueError: X must hold numbers. Row 1 holds 'red'. Encode it, with infimum.Features() or ...
    """
    if X is None or isinstance(X, str | bytes | dict | set | frozenset):
        raise ValueError(f"X must be a table of numbers, rows by features. Got {X!r:.100}.")
    if isinstance(X, np.ma.MaskedArray):
        masked = np.argwhere(np.ma.getmaskarray(X))
        if X.ndim == 2 and len(masked):
            raise ValueError(
                f"Input {what} contains a masked entry, which is missing like NaN, in {_first_place(masked)}. {FILL}"
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
            raise ValueError(f"X must hold numbers. Row {row} holds {plain(cell)!r:.100}. {ENCODE}") from None
    elif isinstance(cell, dict | set | frozenset) or type(cell) is object:
        raise TypeError(
            f"X must hold numbers. Row {row} holds {cell!r:.100}: an argument must be a number, or a string that is a"
            " number."
        )


def plain(cell: Any) -> Any:
    """Return a NumPy scalar as a Python object."""
    return cell.item() if isinstance(cell, np.generic) else cell


def in_range(X: Any) -> Any:
    """Return X, or raise an error if its squares would overflow."""
    entries = X.data if hasattr(X, "tocsr") else X
    if entries.size and max(entries.max(), -entries.min()) > LARGEST:  # without a copy of X
        rows = np.asarray(abs(X).max(axis=1).todense()).ravel() if hasattr(X, "tocsr") else np.abs(X).max(axis=1)
        row = int(np.argmax(rows))
        raise ValueError(
            f"X must hold numbers up to {LARGEST:g}, for squares of larger ones overflow. Row {row} holds"
            f" {np.abs(entries).max():g}. Scale X (StandardScaler, or divide by its largest entry)."
        )
    return X


def _table(X: Any, what: str) -> Any:
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True)
    text = [name for name, dtype in frame.schema.items() if not (dtype.is_numeric() or dtype == nw.Boolean)]
    if text:
        cell = next((v for v in frame[text[0]].to_list() if v is not None), None)
        raise ValueError(
            f"{what} must hold numbers. The column {text[0]!r} holds {cell!r}"
            f"{f' (so do {len(text) - 1} other columns)' if len(text) > 1 else ''}. {ENCODE}"
        )
    columns = [np.asarray(frame[name].to_numpy(), dtype=float) for name in frame.columns]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def narrow(X: Any) -> Any:
    """Return a sparse X with 32-bit indices if they suffice, because some of scikit-learn's kernels need them."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
