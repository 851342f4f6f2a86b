"""Trees: what weights of several decision trees have in common."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from ...data.hashes import near_duplicates
from ..base import Target, Weights, as_target
from ..linalg import Moments

KINDS = {"random": "DecisionTreeRegressor", "extra": "ExtraTreeRegressor"}

MAX_OUTPUTS = 100
"""Entries of the target beyond which each tree is grown on random projections of it."""
N_PROJECTIONS = 16
"""The number of projections. The time of a split grows with the number of entries.

Distances between targets, which splits depend on, are kept on average (Joly et al., "Random forests with random
projections of the output space", ECML 2014). For 20 to 78 classes, projections cost 3 to 6 points of accuracy.
"""


ROUGH_TREES = 30
"""Trees from which a first estimate of the labels is made; a third of them, if that is more."""


class Trees(Weights):
    """The base class of weights of several decision trees, which are grown on the embedded sets.

    The leaves of all trees are numbered consecutively. A family grows `trees_` and implements `project`.
    """

    supervised = True
    n_estimators: int
    min_samples_leaf: float
    max_features: Any
    max_depth: int | None

    def fit_roughly(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Grow fewer trees, which are enough for a first estimate of the labels."""
        all_trees = self.n_estimators
        try:
            self.n_estimators = min(all_trees, max(ROUGH_TREES, all_trees // 3))
            return self.fit(X, target, sample_weight)
        finally:
            self.n_estimators = all_trees

    def _prepare(self, X: Any, target: Any, sample_weight: Any) -> tuple[Any, Target]:
        """Store the rows, their groups and weights; return X as trees see it, and the target."""
        target = as_target(target)
        if target is None:
            name = type(self).__name__
            raise ValueError(f"{name} requires the embedded sets. Call fit(X, phi) with phi of shape (n, d).")
        self.X_fit_, self.n_rows_ = X, X.shape[0]
        self.sample_weight_ = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if target.labelled.any() and not target.labelled.all():
            self.sample_weight_ = (1.0 if sample_weight is None else self.sample_weight_) * target.labelled
        moments = Moments.of(X, sample_weight)
        self.center_ = np.zeros(X.shape[1]) if sparse.issparse(X) else moments.mean
        self.scale_ = np.where(moments.variance > 0, np.sqrt(moments.variance), 1.0)
        self._leaves: NDArray | None = None
        Z = self._narrow(X)
        groups = near_duplicates(Z) if target.groups is None else target.groups
        self.group_ = np.unique(groups, return_inverse=True)[1].ravel().astype(np.int32)
        return Z, target

    def _grow_one(self, kind: str, Z: Any, phi: NDArray, mass: NDArray, seed: int) -> Any:
        """Grow a tree on rows that count by their mass."""
        from sklearn import config_context, tree  # slow to import

        if phi.shape[1] > MAX_OUTPUTS:
            phi = phi @ np.random.default_rng(seed).standard_normal((phi.shape[1], N_PROJECTIONS))
        # scikit-learn's checks of each tree would take as long as small trees
        with config_context(skip_parameter_validation=True, assume_finite=True):
            one = getattr(tree, KINDS[kind])(
                min_samples_leaf=self.min_samples_leaf, max_features=self.max_features, max_depth=self.max_depth,
                random_state=seed,
            )  # fmt: skip
            return one.fit(Z, phi, np.ascontiguousarray(mass, dtype=float), check_input=sparse.issparse(Z))

    def _number_leaves(self, trees: list[Any]) -> None:
        """Store the trees; column_[first_[t] + node] is the number of a leaf."""
        self.trees_ = trees
        leaf = np.concatenate([tree.tree_.children_left == -1 for tree in trees])
        self.first_ = np.cumsum([0] + [tree.tree_.node_count for tree in trees])[:-1]
        self.column_ = np.cumsum(leaf, dtype=np.int32) - 1
        self.n_leaves_ = int(leaf.sum())

    def _narrow(self, X: Any) -> Any:
        """Return X in the single precision of trees, in units in which no feature overflows or loses its digits."""
        if sparse.issparse(X):
            return sparse.csr_matrix(X @ sparse.diags_array(1 / self.scale_), dtype=np.float32)
        limit = np.finfo(np.float32).max
        with np.errstate(over="ignore"):
            Z = np.clip((np.asarray(X) - self.center_) / self.scale_, -limit, limit)
        return np.ascontiguousarray(Z, dtype=np.float32)

    def _leaves_of(self, X: Any) -> NDArray:
        """Return the leaf of each row in each tree, (q, n_trees)."""
        check_is_fitted(self, "n_rows_")
        Z = self._narrow(X)
        return self.column_[np.column_stack([tree.tree_.apply(Z) for tree in self.trees_]) + self.first_]

    def _training_leaves(self) -> NDArray:
        if self._leaves is None:
            self._leaves = self._leaves_of(self.X_fit_)
        return self._leaves

    def _indicators(self, leaves: NDArray, value: Any) -> sparse.csr_matrix:
        q, trees = leaves.shape
        data = np.broadcast_to(value, leaves.shape).ravel()
        return sparse.csr_matrix((data, leaves.ravel(), np.arange(0, q * trees + 1, trees)), shape=(q, self.n_leaves_))
