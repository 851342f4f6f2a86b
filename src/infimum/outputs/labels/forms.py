"""What a row of labels may look like: a class, candidates, exclusions, text, masks, frames."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from numbers import Integral, Number
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d

from ..forms import is_missing
from .sets import FORMS, Subsets


class Not:
    """Anything but these labels.

    >>> Not("cat")
    Not('cat')
    """

    def __init__(self, *labels: Hashable):
        if not labels:
            raise ValueError("Not() needs at least one label. Where nothing is known, give None.")
        self.labels = labels

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Not) and set(self.labels) == set(other.labels)

    def __hash__(self) -> int:
        return hash(("Not", frozenset(self.labels)))

    def __repr__(self) -> str:
        return f"Not({', '.join(map(repr, self.labels))})"


def _matrix_of(y: Any) -> tuple[NDArray | None, Any]:
    """Class names (or None) and the candidates, where y is a boolean matrix or frame; otherwise (None, None)."""
    if sparse.issparse(y):
        return None, sparse.csr_matrix(y, dtype=bool)
    if hasattr(y, "columns") and len(y.columns) != 1:
        import narwhals.stable.v1 as nw

        frame = nw.from_native(y, eager_only=True)
        if all(dtype == nw.Boolean for dtype in frame.schema.values()):
            return np.asarray(frame.columns), frame.to_numpy()
        raise ValueError(
            f"A frame of candidates needs one boolean column a class. Got the columns {dict(frame.schema)}."
        )
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype == bool and y.shape[1] != 1:
        return None, y
    return None, None


def _column_of(y: Any) -> Any:
    """One entry a row: a one-dimensional array, or a list of Python objects."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if not hasattr(y, "__len__") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, str) or not hasattr(y, "__len__"):
        raise ValueError(f"y should be a 1d array or a list with one entry a row. Got {y!r}. {FORMS}")
    if isinstance(y, list | tuple):
        if all(isinstance(cell, Number | np.generic) for cell in y) or all(isinstance(cell, str) for cell in y):
            return _column_of(np.asarray(y))
        return list(y)
    if hasattr(y, "columns"):
        y = y[y.columns[0]]
    if hasattr(y, "to_list"):  # a column of pandas or polars: integers stay integers beside missing ones
        return _column_of(y.to_list())
    if np.ndim(y) == 2 and np.shape(y)[1] > 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {np.shape(y)} instead. A matrix of candidates needs the"
            " boolean type; for tags, use PartialMultilabelClassifier."
        )
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "f":
        finite = y[~np.isnan(y)]
        if np.isinf(finite).any():
            raise ValueError("Input y contains infinity, which is no label.")
        broken = finite[finite != np.floor(finite)]
        if len(broken):
            raise ValueError(
                f"Unknown label type: continuous. Got {broken[0]} in y. For numbers, use PartialRegressor."
            )
    if y.dtype.kind == "S":
        y = y.astype(str)
    return y


def _cell(cell: Any, where: dict) -> tuple[tuple, bool]:
    """The labels that a cell lists, and whether it excludes them."""
    if isinstance(cell, Not):
        return tuple(map(_plain_object, cell.labels)), True
    if is_missing(cell):
        return (), True
    if isinstance(cell, str):
        cell = str(cell)
        if cell in where:
            return (cell,), False
        negated = cell.startswith("!")
        parts = tuple(part.strip() for part in cell.removeprefix("!").split("|"))
        return tuple(part for part in parts if part), negated
    if isinstance(cell, set | frozenset | list | tuple | np.ndarray):
        return tuple(map(_plain_object, cell)), False
    return (_plain_object(cell),), False


def _plain_object(label: Any) -> Any:
    """NumPy scalars as the Python objects they stand for."""
    return label.item() if isinstance(label, np.generic) else label


def _has_text_sets(y: NDArray, where: dict) -> bool:
    """Whether a column of text holds anything but plain class names."""
    return y.dtype.kind == "U" and any(cell not in where for cell in np.unique(y).tolist() if cell.strip())


def _classes_of(y: Any) -> NDArray:
    """Every label that y names, sorted."""
    if isinstance(y, Subsets):
        return np.arange(y.listed.shape[1]) if y.classes is None else y.classes
    names, mask = _matrix_of(y)
    if mask is not None:
        return np.arange(mask.shape[1]) if names is None else names
    y = _column_of(y)
    if isinstance(y, np.ndarray) and y.dtype.kind in "biuf":
        return np.unique(y[~np.isnan(y)] if y.dtype.kind == "f" else y)
    cells: Iterable = np.unique(y).tolist() if isinstance(y, np.ndarray) and y.dtype.kind == "U" else y
    labels = list({label for cell in cells for label in _cell(cell, {})[0]})
    if not labels:
        return np.array([])
    kinds = {Integral if isinstance(label, Integral) else type(label) for label in labels}
    if len(kinds) > 1 and not all(issubclass(kind, Number) for kind in kinds):
        shown = sorted(kind.__name__ for kind in kinds)
        raise ValueError(f"The labels of y mix the types {shown}. Give them one type, or name them all as classes=[…].")
    return np.array(sorted(labels))


def _columns(listed: Any, names: Any, classes: NDArray) -> Any:
    """The columns `names` of a candidate matrix, rearranged to the order of `classes`."""
    where = {label: k for k, label in enumerate(np.asarray(names).tolist())}
    if np.array_equal(np.asarray(names), classes):
        return listed
    unknown = [c for c in where if c not in set(classes.tolist())]
    if unknown:
        raise ValueError(
            f"The candidates name classes that are unknown here: {unknown[:10]}. The classes are {_shown(classes)}."
        )
    listed = sparse.csc_matrix(listed)
    empty = sparse.csc_matrix((listed.shape[0], 1), dtype=bool)
    return sparse.hstack([listed[:, [where[c]]] if c in where else empty for c in classes.tolist()], format="csr")


def _comparable(a: NDArray, b: NDArray) -> bool:
    return (a.dtype.kind == "U") == (b.dtype.kind == "U")


def _shown(classes: NDArray) -> str:
    names = ", ".join(map(repr, classes.tolist()[:10]))
    return names + (f", … ({len(classes)} in all)" if len(classes) > 10 else "")
