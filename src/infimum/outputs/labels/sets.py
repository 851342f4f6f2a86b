"""CandidateLabels: candidate sets of classes."""

from __future__ import annotations

import math
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import Column, ValueTable, normalise_y, table_of
from ...data.errors import BadRows, InputError, shown
from ...data.names import Names
from ..base import Embedding, OutputSpace, Sets, rows_of
from ..sets import ANYTHING, same_names

FORMS = (
    'A row of y is a label "cat", candidates {"cat", "dog"} or "cat|dog", an exclusion Not("cat") or "!cat",'
    " or None for an unlabelled row."
)

MANY = 12  # names that are listed when a set is shown


class CandidateLabels(Sets):
    """Candidate sets of labels, one per row; stored as listed labels or, if that is shorter, as excluded labels.

    Parameters
    ----------
    listed : (n, m) boolean array or sparse matrix
        The candidates.
    classes : (m,), optional
        The names of the columns; 0, …, m-1 by default.
    negated : (n,) boolean, optional
        Rows of `listed` that contain the excluded labels instead. Such a row without entries is unlabelled.
    cost : (m, m), optional
        The loss of predicting z (rows) if y is true (columns); the 0-1 loss by default.
    strict : bool, default True
        Whether a set without labels raises an error.

    Examples
    --------
    >>> CandidateLabels([[True, True, False], [False, False, True]], classes=["cat", "dog", "owl"])
    <CandidateLabels of 3 classes: 2 rows, 50 % exact, 1.5 candidates on average>
    """

    kind = "labels"
    size_unit = "candidates"

    def __init__(self, listed: Any, classes: Any = None, negated: Any = None, *, cost: Any = None, strict: bool = True):
        table = listed if sparse.issparse(listed) else normalise_y(listed, FORMS)
        if isinstance(table, Column) and (rows := table_of(table)) is not None:
            table = rows
        if isinstance(table, ValueTable):
            classes = table.names if classes is None else classes
            table = np.where(table.missing, 1, table.values) if table.missing.any() else table.values
        elif not sparse.issparse(table):
            raise InputError(
                f"CandidateLabels need an (n, m) table of candidates, one column per class. Got {shown(listed)}."
            )
        mask = as_mask(table)
        n, m = mask.shape
        names = None if classes is None else Names(classes, "classes").array
        if names is not None and len(names) != m:
            raise InputError(
                f"CandidateLabels of {m} columns need {m} classes. Got {len(names)}: {names.tolist()[:10]}."
            )
        if negated is not None:
            negated = as_flags(negated, n, "negated")
        self._keep(mask, names, np.zeros(n, bool) if negated is None else negated, cost, strict)

    @classmethod
    def of(cls, listed: Any, classes: Any, negated: NDArray, cost: Any = None, strict: bool = True) -> CandidateLabels:
        """Build sets from a CSR matrix of booleans in canonical form and arrays that were checked before."""
        sets = cls.__new__(cls)
        sets._keep(listed, classes, negated, cost, strict)
        return sets

    @classmethod
    def of_mask(cls, mask: NDArray, classes: Any, cost: Any = None) -> CandidateLabels:
        """Build sets, which may be empty, from a boolean array (n, m)."""
        return cls.of(sparse.csr_matrix(mask), classes, np.zeros(len(mask), bool), cost, strict=False)

    def _keep(self, listed: Any, classes: NDArray | None, negated: NDArray, cost: Any, strict: bool) -> None:
        n, m = listed.shape
        counts = np.diff(listed.indptr)
        self.sizes = np.where(negated, m - counts, counts)
        if strict and not self.sizes.all():
            bad = BadRows("y")
            for row in np.flatnonzero(self.sizes == 0):
                bad.add(row, "an empty set: all classes are excluded" if negated[row] else "an empty set of candidates")
            bad.raise_if_any(f"Every set must contain the true label. {FORMS}")
        self.listed, self.negated, self.classes, self.cost = listed, negated, classes, cost
        self.shape = (n,)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> CandidateLabels:
        rows = rows_of(rows, len(self))
        found = self.of(self.listed[rows], self.classes, self.negated[rows], self.cost, strict=False)
        return found if self.group_constraints is None else found.with_constraints(self.group_constraints[rows])

    def with_constraints(self, constraints: Any) -> CandidateLabels:
        """Return the same sets with constraints on groups of rows."""
        found = copy(self)
        found.group_constraints = constraints
        return found

    @cached_property
    def mask(self) -> NDArray:
        """(n, m) boolean, dense."""
        return self.listed.toarray() != self.negated[:, None]

    def argmin(self, c: NDArray) -> NDArray:
        best = np.argmin(np.where(self.mask, self._losses(c), math.inf), axis=-1)
        if self.cost is not None:
            return self.cost.T[best]
        out = np.ones((*best.shape, self.listed.shape[1]))  # l(., y), without the m x m matrix of the 0-1 loss
        np.put_along_axis(out, best[..., None], 0.0, axis=-1)
        return out

    def assign(self, c: NDArray) -> NDArray:
        if self.group_constraints is None:
            return self.argmin(c)
        best = self.group_constraints.assign(self._losses(c), self.mask)
        return self.expected(np.eye(self.mask.shape[1])[best][:, None])

    def center(self) -> NDArray:
        share = self.mask / np.maximum(self.sizes, 1)[:, None]
        if self.cost is None:
            return np.where(self.sizes[:, None] > 0, 1 - share, float(share.shape[1] > 1))
        return np.where(self.sizes[:, None] > 0, share @ self.cost.T, self.cost.max(axis=1))

    def options(self) -> NDArray:
        return self.mask[:, None, :]

    def expected(self, q: NDArray) -> NDArray:
        return 1 - q[:, 0] if self.cost is None else q[:, 0] @ self.cost.T

    def option_of(self, z: NDArray) -> NDArray:
        return np.asarray(z, dtype=int)[:, None]

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        # |phi - l(., y)|² for every y in S
        length = 0.0 if self.cost is None else np.square(self.cost).sum(axis=0)
        return np.argmin(np.where(self.mask, length - 2 * self._losses(phi), math.inf), axis=1)

    @property
    def is_unlabelled(self) -> NDArray:
        return self.sizes == self.listed.shape[1]

    def contains(self, z: NDArray) -> NDArray:
        z = np.asarray(z)
        if self.classes is not None and z.dtype.kind in "OUS":  # names of classes instead of their numbers
            places = map(Names(self.classes, "classes").find, z.tolist())
            known = np.array([-1 if place is None else place for place in places], dtype=int)
            return (known >= 0) & self.contains(known)
        at = np.asarray(self.listed[np.arange(len(self)), np.asarray(z, dtype=int)]).ravel()
        return at != self.negated

    def embed(self, principle: str) -> Embedding:
        if self.cost is None:
            return self._embed_zero_one(principle)
        if principle == "average":
            return Embedding(CandidateLabels.center(self), np.zeros(len(self)))  # not of soft labels or votes
        # L(z, S_i) = min or max of cost[z, y] over y in S_i
        best, worst = (np.minimum, math.inf) if principle == "infimum" else (np.maximum, -math.inf)
        out = np.full((len(self), self.listed.shape[1]), worst)
        for y, column in enumerate(self.mask.T):
            out[column] = best(out[column], self.cost[:, y])
        out[self.sizes == 0] = self.cost.max(axis=1)  # a set that holds no class, as in `score`: z costs what it can
        return Embedding(out, np.zeros(len(self)))

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        if self.cost is not None:
            return super().rowwise_loss(psi, principle)
        return 1 - self._share(principle) * np.einsum("nm,nm->n", psi, self.mask)

    def _share(self, principle: str) -> NDArray:
        """Return s in L(z, S) = 1 - s 1[z in S]: 1 (infimum), 1 / |S| (average), or 1[|S| = 1] (supremum)."""
        if principle == "infimum":
            return np.ones(len(self))
        if principle == "average":
            return 1 / np.maximum(self.sizes, 1)
        return (self.sizes == 1).astype(float)

    def _embed_zero_one(self, principle: str) -> Embedding:
        # A negated row has 1[z in S] = 1 - 1[z listed]: its constant moves, what is stored stays short.
        share = self._share(principle)
        phi = sparse.diags_array(np.where(self.negated, share, -share)) @ self.listed.astype(float)
        return Embedding(_worth_sparse(phi.tocsr()), 1 - np.where(self.negated, share, 0))

    def _check_classes(self, other: Any, purpose: str) -> None:
        """Raise an error unless the classes of both are the same; `purpose` says what for."""
        if self.listed.shape[1] != other.listed.shape[1]:
            raise InputError(
                f"CandidateLabels must have the same classes to be {purpose}. Got {self.listed.shape[1]} and"
                f" {other.listed.shape[1]} classes."
            )
        same_names(self.classes, other.classes, "classes")

    def _check_comparable(self, other: Any) -> None:
        self._check_pair(other, CandidateLabels)
        self._check_classes(other, "compared")

    def intersect(self, other: Any) -> CandidateLabels:
        """Return the labels that are in both, row by row.

        >>> a = CandidateLabels([[True, True, False]], classes=["cat", "dog", "owl"])
        >>> a.intersect(CandidateLabels([[True, False, False]], ["cat", "dog", "owl"], negated=[True])).format(0)
        'dog'
        """
        self._check_not_empty(other, ~self.meets(other))
        negated = self.negated & other.negated  # exclusions stay exclusions
        listed = sparse.csr_matrix((self.mask & other.mask) != negated[:, None])
        return self.of(listed, self.classes, negated, self.cost)

    def join(self, other: Any) -> CandidateLabels:
        self._check_classes(other, "joined")
        listed = sparse.vstack([self.listed, other.listed], format="csr")
        return self.of(listed, self.classes, np.concatenate([self.negated, other.negated]), self.cost, strict=False)

    @property
    def is_exact(self) -> NDArray:
        return self.sizes == 1

    @property
    def size(self) -> NDArray:
        """The number of candidates."""
        return self.sizes.astype(float)

    def bits(self) -> NDArray:
        return np.log2(self.listed.shape[1] / np.maximum(self.sizes, 1))

    def format(self, row: int) -> str:
        """Return the candidates as text, or the excluded labels if these are few.

        >>> CandidateLabels([[True, True, False]], classes=["cat", "dog", "owl"]).format(0)
        'cat | dog'
        """
        size, m = int(self.sizes[row]), self.listed.shape[1]
        if size in (0, m):
            return ANYTHING if size else "no label"
        listed = self.listed.indices[self.listed.indptr[row] : self.listed.indptr[row + 1]]
        negated, excluded = bool(self.negated[row]), m - size
        few = size > 3 and (excluded < 3 or (negated and excluded < size))
        shown = listed if few == negated else np.setdiff1d(np.arange(m), listed)
        names = [str(k if self.classes is None else self.classes[k]) for k in shown[:MANY]]
        more = f"… ({len(shown)} in all)" if len(shown) > MANY else ""
        return (
            "not " + " or ".join(names) + f" {more}".rstrip()
            if few
            else " | ".join([*names, *([more] if more else [])])
        )

    def _losses(self, c: NDArray) -> NDArray:
        """Return <c, l(., y)> for every y; for the 0-1 loss, without the sum of c, which is the same for all y."""
        return -c if self.cost is None else c @ self.cost

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """Return each row as the frozenset of its labels, which scikit-learn's splitters use."""
        names = np.arange(self.listed.shape[1]) if self.classes is None else self.classes
        out = np.empty(len(self), dtype=object)
        out[:] = [frozenset(names[row].tolist()) for row in self.mask]
        return out

    def __repr__(self) -> str:
        n = max(len(self), 1)
        return (
            f"<CandidateLabels of {self.listed.shape[1]} classes: {len(self)} rows,"
            f" {100 * np.sum(self.sizes == 1) / n:.0f} % exact, {np.sum(self.sizes) / n:.3g} candidates on average>"
        )


def _worth_sparse(phi: sparse.csr_matrix) -> Any:
    """Return a dense matrix if at least a tenth is stored, because dense products are then faster."""
    return phi.toarray() if phi.nnz * 10 >= phi.shape[0] * phi.shape[1] else phi


def as_mask(table: Any) -> sparse.csr_matrix:
    """Return a new CSR matrix of booleans, in canonical form, from a table of booleans or of 0 and 1.

    Entries that a sparse matrix has twice are summed, as SciPy does.
    """
    whole: Any = sparse.csr_matrix(table, copy=True) if sparse.issparse(table) else np.asarray(table)
    if sparse.issparse(whole):
        whole.sum_duplicates()
        row, value = np.repeat(np.arange(whole.shape[0]), np.diff(whole.indptr)), whole.data
    else:
        if whole.ndim != 2:
            raise InputError(f"A table of candidates has shape (n, m), one column per class. Got shape {whole.shape}.")
        row, value = np.repeat(np.arange(len(whole)), whole.shape[1]), whole.ravel()
    if value.dtype != bool:
        if value.dtype.kind in "iuf":
            fine = np.isin(value, (0, 1))
        else:
            fine = np.array([isinstance(v, int | float) and v in (0, 1) for v in value.tolist()], dtype=bool)
        bad = BadRows("y")
        for r, v in zip(row[~fine].tolist(), value[~fine].tolist()):
            bad.add(r, f"expected True or False (1 or 0) for every class, got {shown(v)}")
        bad.raise_if_any("Write 1 for a candidate and 0 for any other class. Repeated sparse entries are summed.")
    out = sparse.csr_matrix(whole.astype(bool))
    out.eliminate_zeros()
    out.sort_indices()
    return out


def as_flags(values: Any, n: int, name: str) -> NDArray:
    """Return (n,) booleans, from booleans or 0 and 1."""
    flags = np.asarray(values)
    if flags.shape != (n,):
        raise InputError(f"{name} must have one boolean per row, shape ({n},). Got shape {flags.shape}.")
    if flags.dtype != bool and not (flags.dtype.kind in "iuf" and np.isin(flags, (0, 1)).all()):
        raise InputError(f"{name} must be booleans. Got {shown(flags)}.")
    return flags.astype(bool)
