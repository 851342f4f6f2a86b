"""X as numbers: names bind, positions do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

SHOWN = 10
LARGEST = 1e150
ENCODE = (
    "Encode it, with infimum.Features() or scikit-learn's OneHotEncoder in a pipeline, or leave it out."
)


def is_frame(X: Any) -> bool:
    """Whether X is a table with named columns: pandas, polars, Arrow."""
    return hasattr(X, "columns") and not hasattr(X, "to_delayed") and hasattr(X, "shape")


def names_of(X: Any) -> list[str] | None:
    """The names of the columns of a frame, where all of them are text; otherwise None."""
    if not is_frame(X):
        return None
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def in_order(X: Any, names: list[str] | None, what: str = "X") -> Any:
    """The columns of a frame in the order of `names`; anything else, and where there are no names, as it is."""
    found = names_of(X)
    if names is None or found is None or found == names:
        return X
    known = set(found)
    missing, extra = [n for n in names if n not in known], [n for n in found if n not in set(names)]
    if missing or extra or len(known) < len(found):
        said = [f"{kind} {shown(some)}" for kind, some in (("misses", missing), ("also has", extra)) if some]
        problem = " and ".join(said) or "names a column twice"
        raise ValueError(f"{what} {problem}. Its columns must be those of fit: {shown(names)}.")
    return X.select(names) if hasattr(X, "select") else X[names]


def shown(names: list) -> str:
    """The first names of a list.

    >>> shown(["a", "b"])
    "'a', 'b'"
    """
    return ", ".join(map(repr, names[:SHOWN])) + (f", … ({len(names)} in all)" if len(names) > SHOWN else "")


def as_numbers(X: Any, what: str = "X") -> Any:
    """X as a two-dimensional array or CSR matrix of finite numbers; frames by their columns."""
    if is_frame(X):
        X = _table(X, what)
    return in_range(check_array(readable(X), accept_sparse="csr", dtype=[np.float64, np.float32], input_name=what))


def readable(X: Any) -> Any:
    """X, or an error that names the row and the entry that is no number.

    >>> readable([[1.0], ["red"]])
    Traceback (most recent call last):
    ...
    ValueError: X must hold numbers. Row 1 holds 'red'. Encode it, with infimum.Features() or ...
    """
    if X is None or isinstance(X, str | bytes | dict | set | frozenset):
        raise ValueError(f"X must be a table of numbers, rows by features. Got {X!r:.100}.")
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
    """A scalar of NumPy as the object of Python that it stands for."""
    return cell.item() if isinstance(cell, np.generic) else cell


def in_range(X: Any) -> Any:
    """X, or an error where its squares would overflow."""
    entries = X.data if hasattr(X, "tocsr") else X
    if entries.size and max(entries.max(), -entries.min()) > LARGEST:  # no copy of X beside it
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
    """A sparse X with indices of 32 bits, where they are enough: some of scikit-learn's kernels take no others."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
