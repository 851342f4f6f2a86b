"""Labels: one class among m, with any cost."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..base import OutputSpace
from ..forms import BadRows
from .costs import Cost, as_cost
from .forms import FORMS, _cell, _classes_of, _column_of, _columns, _comparable, _has_text_sets, _matrix_of, _shown
from .sets import Subsets


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
    >>> from infimum.outputs import Not
    >>> space = Labels().fit([{"cat", "dog"}, "owl", None])
    >>> space.classes_.tolist()
    ['cat', 'dog', 'owl']
    >>> space.read(["cat|owl", Not("cat"), None]).mask.astype(int)
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

    def read(self, y: Any, strict: bool = True) -> Subsets:
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
