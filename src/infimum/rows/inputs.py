"""X as numbers: names bind, positions do not."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_array

SHOWN = 10


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
    return check_array(X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name=what)


def _table(X: Any, what: str) -> Any:
    import narwhals.stable.v1 as nw

    frame = nw.from_native(X, eager_only=True)
    text = [name for name, dtype in frame.schema.items() if not (dtype.is_numeric() or dtype == nw.Boolean)]
    if text:
        cell = next((v for v in frame[text[0]].to_list() if v is not None), None)
        raise ValueError(
            f"{what} must hold numbers. The column {text[0]!r} holds {cell!r}"
            f"{f' (so do {len(text) - 1} other columns)' if len(text) > 1 else ''}. Encode it, with scikit-learn's"
            " OneHotEncoder or skrub's TableVectorizer in a pipeline, or leave it out."
        )
    columns = [np.asarray(frame[name].to_numpy(), dtype=float) for name in frame.columns]
    return np.column_stack(columns) if columns else np.empty((len(frame), 0))


def narrow(X: Any) -> Any:
    """A sparse X with indices of 32 bits, where they are enough: some of scikit-learn's kernels take no others."""
    if not sparse.issparse(X) or X.indices.dtype == np.int32 or max(X.nnz, *X.shape) >= 2**31:
        return X
    return type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
