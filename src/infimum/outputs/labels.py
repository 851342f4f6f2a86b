"""Labels: one class among m, with any cost; the sets are subsets of the classes."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable
from functools import cached_property
from numbers import Integral, Number
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import column_or_1d

from .._rows import BadRows
from .base import Embedding, OutputSpace, Sets, rows_of
from .costs import Cost, as_cost

FORMS = (
    'A row of y is a label "cat", candidates {"cat", "dog"} or "cat|dog", an exclusion Not("cat") or "!cat",'
    " or None where nothing is known."
)


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


class Labels(OutputSpace):
    """Y = {1, …, m} with l(z, y) = cost[z, y]:  psi(z) = e_z, phi(y) = l(., y).

    Parameters
    ----------
    cost : None, "ordinal", (m, m) array, frame or Taxonomy
        None is the 0-1 loss; "ordinal" is |i - j|; a matrix has the prediction in rows and the truth in columns.
    classes : list, optional
        All the classes in order; by default those named in y (or by the cost), sorted.

    Examples
    --------
    >>> space = Labels().fit([{"cat", "dog"}, "owl", None])
    >>> space.classes_.tolist()
    ['cat', 'dog', 'owl']
    >>> space.as_sets(["cat|owl", Not("cat"), None]).mask.astype(int)
    array([[1, 0, 1],
           [0, 1, 1],
           [1, 1, 1]])
    """

    def __init__(self, cost: Any = None, classes: Any = None):
        self.cost = cost
        self.classes = classes

    def fit(self, y: Any) -> Self:
        self._cost: Cost = as_cost(self.cost)
        declared = self.classes if self.classes is not None else self._cost.classes()
        if declared is not None:
            self.classes_ = np.asarray(declared)
        else:
            self.classes_ = _classes_of(y)
        if len(np.unique(self.classes_)) < len(self.classes_):
            raise ValueError(f"classes must be distinct. Got {_shown(self.classes_)}.")
        if len(self.classes_) == 0:
            raise ValueError("y names no class at all: every row is unknown. Give classes=[…].")
        self.cost_ = self._cost.matrix(self.classes_)
        self.size = len(self.classes_)
        return self

    def digest(self, y: Any) -> list:
        return _classes_of(y).tolist()

    def as_sets(self, y: Any, strict: bool = True) -> Subsets:
        if isinstance(y, Subsets):
            names = y.classes
            if names is None:
                if y.listed.shape[1] != self.size:
                    raise ValueError(
                        f"The sets have {y.listed.shape[1]} classes, not {self.size}: {_shown(self.classes_)}."
                    )
                return Subsets(y.listed, self.classes_, y.negated, cost=self.cost_, strict=strict)
            return Subsets(
                _columns(y.listed, names, self.classes_), self.classes_, y.negated, cost=self.cost_, strict=strict
            )
        names, mask = _matrix_of(y)
        if mask is not None:
            listed = _columns(mask, names if names is not None else np.arange(mask.shape[1]), self.classes_)
            return Subsets(listed, self.classes_, cost=self.cost_, strict=strict)
        listed, negated = self._read(_column_of(y), strict)
        return Subsets(listed, self.classes_, negated, cost=self.cost_, strict=strict)

    def psi(self, z: Any) -> NDArray:
        return np.eye(int(self.size))[np.asarray(z, dtype=int)]

    def decode(self, c: NDArray) -> NDArray:
        return np.argmin(c, axis=-1)

    def outputs(self) -> NDArray:
        return np.arange(int(self.size))

    def bound(self, c: NDArray) -> NDArray:
        return np.min(c, axis=-1)

    def readable(self, z: NDArray) -> NDArray:
        return self.classes_[z]

    def _read(self, y: Any, strict: bool) -> tuple[sparse.csr_matrix, NDArray]:
        """The candidates listed in each row, and which rows list exclusions instead."""
        n, m = len(y), int(self.size)
        where = {label: k for k, label in enumerate(self.classes_.tolist())}
        if isinstance(y, np.ndarray) and y.dtype != object and not _has_text_sets(y, where):
            columns, known, fine = self._plain(y)
            if fine.all():
                indptr = np.concatenate([[0], np.cumsum(known)])
                return sparse.csr_matrix((np.ones(known.sum(), bool), columns[known], indptr), shape=(n, m)), ~known
        bad = BadRows("y")
        indices: list[int] = []
        indptr_: list[int] = [0]
        negated = np.zeros(n, bool)
        for row, cell in enumerate(y.tolist() if isinstance(y, np.ndarray) else y):
            labels, negated[row] = _cell(cell, where)
            found: set[int] = set()
            for label in labels:
                below = self._cost.leaves(label)
                if label in where:
                    found.add(where[label])
                elif below is not None:
                    found.update(where[leaf] for leaf in below if leaf in where)
                elif strict:
                    bad.add(row, f"unknown label {label!r}")
            if not found and not labels and not negated[row] and strict:
                bad.add(row, f"an empty set of candidates, got {cell!r}")
            indices += sorted(found)
            indptr_.append(len(indices))
        bad.refuse(f"The classes are {_shown(self.classes_)}. {FORMS}")
        return sparse.csr_matrix((np.ones(len(indices), bool), indices, indptr_), shape=(n, m)), negated

    def _plain(self, y: NDArray) -> tuple[NDArray, NDArray, NDArray]:
        """Columns of plain labels, which are known, and which are known or NaN."""
        order = np.argsort(self.classes_, kind="stable")
        ordered = self.classes_[order]
        at = (
            np.clip(np.searchsorted(ordered, y), 0, len(ordered) - 1)
            if _comparable(ordered, y)
            else np.zeros(len(y), int)
        )
        known = ordered[at] == y
        missing = np.isnan(y) if y.dtype.kind == "f" else (y == "" if y.dtype.kind == "U" else np.zeros(len(y), bool))
        return order[at], known & ~missing, known | missing


class Subsets(Sets):
    """Subsets of m classes, one a row, kept as the labels listed in it or, where that is shorter, left out of it.

    Parameters
    ----------
    listed : (n, m) boolean array or sparse matrix
        The candidates.
    classes : (m,), optional
        Their names.
    negated : (n,) boolean, optional
        Rows that list what is excluded instead. A negated row that lists nothing is unknown.

    Examples
    --------
    >>> Subsets([[True, True, False], [False, False, True]], classes=["cat", "dog", "owl"])
    <Subsets of 3 classes: 2 rows, 50 % exact, 1.5 candidates on average>
    """

    def __init__(self, listed: Any, classes: Any = None, negated: Any = None, *, cost: Any = None, strict: bool = True):
        listed = sparse.csr_matrix(listed, dtype=bool) if not sparse.isspmatrix_csr(listed) else listed
        listed.eliminate_zeros()
        n, m = listed.shape
        negated = np.zeros(n, bool) if negated is None else np.asarray(negated, dtype=bool)
        counts = np.diff(listed.indptr)
        self.sizes = np.where(negated, m - counts, counts)
        if strict:
            bad = BadRows("y")
            for row in np.flatnonzero(self.sizes == 0):
                bad.add(row, "an empty set: no class is left" if negated[row] else "an empty set of candidates")
            bad.refuse(f"Every set must contain the true label. {FORMS}")
        self.listed = listed
        self.negated = negated
        self.classes = None if classes is None else np.asarray(classes)
        self.cost = cost
        self.shape = (n,)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Subsets:
        rows = rows_of(rows, len(self))
        return Subsets(self.listed[rows], self.classes, self.negated[rows], cost=self.cost, strict=False)

    @cached_property
    def mask(self) -> NDArray:
        """(n, m) boolean, dense."""
        return self.listed.toarray() != self.negated[:, None]

    def argmin(self, c: NDArray) -> NDArray:
        cost = self._dense_cost
        scores = np.where(self.mask, c @ cost, math.inf)  # <c, l(., y)> for every y in S
        return cost.T[np.argmin(scores, axis=-1)]

    def center(self) -> NDArray:
        return (self.mask / self.sizes[:, None]) @ self._dense_cost.T

    def candidates(self) -> NDArray:
        return self.mask[:, None, :]

    def expected(self, q: NDArray) -> NDArray:
        return 1 - q[:, 0] if self.cost is None else q[:, 0] @ self.cost.T

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        # |phi - l(., y)|² for every y in S
        cost = self._dense_cost
        return np.argmin(np.where(self.mask, np.square(cost).sum(axis=0) - 2 * phi @ cost, math.inf), axis=1)

    @property
    def is_unknown(self) -> NDArray:
        return self.sizes == self.listed.shape[1]

    def contains(self, z: NDArray) -> NDArray:
        at = np.asarray(self.listed[np.arange(len(self)), np.asarray(z, dtype=int)]).ravel()
        return at != self.negated

    def embed(self, principle: str) -> Embedding:
        if self.cost is None:
            return self._embed_zero_one(principle)
        if principle == "average":
            return Embedding(self.center(), np.zeros(len(self)))
        # L(z, S_i) = min or max of cost[z, y] over y in S_i
        best, worst = (np.minimum, math.inf) if principle == "infimum" else (np.maximum, -math.inf)
        out = np.full((len(self), self.listed.shape[1]), worst)
        for y, column in enumerate(self.mask.T):
            out[column] = best(out[column], self.cost[:, y])
        return Embedding(out, np.zeros(len(self)))

    def _embed_zero_one(self, principle: str) -> Embedding:
        # infimum 1 - 1[z in S];  average 1 - 1[z in S] / |S|;  supremum 1 - 1[S = {z}].
        # A negated row has 1[z in S] = 1 - 1[z listed]: its constant moves, what is stored stays short.
        if principle == "infimum":
            share = np.ones(len(self))
        elif principle == "average":
            share = 1 / np.maximum(self.sizes, 1)
        else:
            share = (self.sizes == 1).astype(float)
        phi = sparse.diags_array(np.where(self.negated, share, -share)) @ self.listed.astype(float)
        return Embedding(_worth_sparse(phi.tocsr()), 1 - np.where(self.negated, share, 0))

    @cached_property
    def _dense_cost(self) -> NDArray:
        return 1 - np.eye(self.listed.shape[1]) if self.cost is None else self.cost

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """Each row as the frozenset of its labels: what scikit-learn's splitters look at."""
        names = np.arange(self.listed.shape[1]) if self.classes is None else self.classes
        out = np.empty(len(self), dtype=object)
        for row in range(len(self)):
            listed = self.listed.indices[self.listed.indptr[row] : self.listed.indptr[row + 1]]
            out[row] = frozenset(np.delete(names, listed).tolist() if self.negated[row] else names[listed].tolist())
        return out

    def __repr__(self) -> str:
        n = max(len(self), 1)
        return (
            f"<Subsets of {self.listed.shape[1]} classes: {len(self)} rows,"
            f" {100 * np.sum(self.sizes == 1) / n:.0f} % exact, {np.sum(self.sizes) / n:.3g} candidates on average>"
        )


def _worth_sparse(phi: sparse.csr_matrix) -> Any:
    """Dense where at least a tenth is stored: below m = 10 or so, a dense product is faster."""
    return phi.toarray() if phi.nnz * 10 >= phi.shape[0] * phi.shape[1] else phi


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
    if _is_missing(cell):
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


def _is_missing(cell: Any) -> bool:
    """None, NaN, NaT, pandas.NA or blank text."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    return type(cell).__name__ in ("NAType", "NaTType")


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
