"""What a row of tags may look like: signs, dictionaries, text, frames."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..base import Sets
from ..forms import BadRows, is_missing

FORMS = (
    'A row of y is {"red": True, "round": False}, "+red -round", or a row of an (n, m) array with 1 (has the tag),'
    " -1 (has it not), 0 or NaN (unknown); None where nothing is known."
)


def _array_of(y: Any) -> NDArray | None:
    """y as an array where it is one, or a frame, or a list of numeric rows; None where it is a list of cells."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if not hasattr(y, "__len__") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, str) or not hasattr(y, "__len__"):
        raise ValueError(f"Expected an array-like (array or non-string sequence) of tags. Got {y!r}. {FORMS}")
    if sparse.issparse(y):
        return y.toarray()
    if hasattr(y, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(y, eager_only=True).to_numpy()
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if y.dtype != object:
            return y
        if y.ndim == 2:
            return np.array([[np.nan if is_missing(v) else v for v in row] for row in y], dtype=float)
        return None
    if len(y) and all(isinstance(row, list | tuple | np.ndarray) for row in y):
        return (
            np.array([[np.nan if is_missing(v) else v for v in row] for row in y])
            if not _is_boolean(y)
            else np.array(y)
        )
    return None


def signs(values: NDArray) -> NDArray:
    """{-1, 0, 1} from booleans, or from numbers with NaN for unknown."""
    if values.ndim != 2:
        raise ValueError(f"Tags need an (n, m) array, one column a tag. Got shape {values.shape}. {FORMS}")
    if values.dtype == bool:
        return np.where(values, 1, -1).astype(np.int8)
    filled = np.nan_to_num(values.astype(float), nan=0.0, posinf=np.inf, neginf=-np.inf)
    wrong = ~np.isin(filled, (-1, 0, 1))
    bad = BadRows("y")
    for row in np.flatnonzero(wrong.any(axis=1)):
        bad.add(row, f"expected 1, -1, 0 or NaN, got {values[row][wrong[row]][0]}")
    bad.refuse(FORMS)
    return filled.astype(np.int8)


def _cell(cell: Any) -> dict:
    """tag -> whether it is there, from one cell of a list."""
    if is_missing(cell):
        return {}
    if isinstance(cell, Mapping):
        return {tag: bool(value) for tag, value in cell.items() if not is_missing(value)}
    if isinstance(cell, set | frozenset):
        return dict.fromkeys(cell, True)
    if isinstance(cell, str):
        known: dict[str, bool] = {}
        for tag, positive in _tokens(cell):
            if known.setdefault(tag, positive) != positive:
                raise ValueError(f"the tag {tag!r} is both there and not, got {cell!r}")
        return known
    raise ValueError(f"expected tags, got {cell!r}")


def _tokens(text: str) -> list[tuple[str, bool]]:
    """The tags of "+red -round", and whether each is there."""
    return [(token.lstrip("+-"), not token.startswith("-")) for token in text.replace(",", " ").split()]


def _tags_of(y: Any) -> NDArray:
    """Every tag that y names, sorted, or 0 … m-1."""
    if isinstance(y, Sets):
        return np.arange(y.m)
    if hasattr(y, "columns"):
        return np.asarray(y.columns)
    array = _array_of(y)
    if array is not None:
        if array.ndim != 2:
            raise ValueError(f"Tags need an (n, m) array, one column a tag. Got shape {array.shape}. {FORMS}")
        return np.arange(array.shape[1])
    names: set = set()
    for cell in y:
        if isinstance(cell, str):
            names |= {tag for tag, _ in _tokens(cell)}
        elif isinstance(cell, Mapping | set | frozenset):
            names |= set(cell)
    return np.array(sorted(names))


def _is_boolean(y: Any) -> bool:
    if isinstance(y, list | tuple):
        return len(y) > 0 and all(isinstance(row, list | tuple) and all(isinstance(v, bool) for v in row) for row in y)
    if hasattr(y, "columns"):
        import narwhals.stable.v1 as nw

        return all(dtype == nw.Boolean for dtype in nw.from_native(y, eager_only=True).schema.values())
    return isinstance(y, np.ndarray) and y.dtype.kind == "b"
