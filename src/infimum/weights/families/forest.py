"""Forest weights: rows count that share leaves with x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from ...data.checks import check_number
from ...data.hashes import near_duplicates
from ..base import Weights, as_target
from ..holdout.operators import Holdout, LooOperator
from ..holdout.out_of_bag import OutOfBag
from ..linalg import Moments, dense, product

KINDS = {"random": "DecisionTreeRegressor", "extra": "ExtraTreeRegressor"}

MAX_OUTPUTS = 100
"""Entries of the target beyond which each tree is grown on random projections of it."""
N_PROJECTIONS = 16
"""The number of projections. The time of a split grows with the number of entries.

Distances between targets, which splits depend on, are kept on average (Joly et al., "Random forests with random
projections of the output space", ECML 2014). For 20 to 78 classes, projections cost 3 to 6 points of accuracy.
"""


class Forest(Weights):
    """Weights of a random forest that is grown on the embedded sets.

    They are alpha_i(x) = mean over t of m_ti 1[leaf_t(x_i) = leaf_t(x)] / sum_j m_tj 1[leaf_t(x_j) = leaf_t(x)], where
    m_ti is how often tree t drew row i. ``alpha(x) @ phi`` is the mean over trees of the mean of phi in the leaf of x.
    Features need no scaling.

    Parameters
    ----------
    n_estimators : int, default 100
        Number of trees.
    kind : {"random", "extra"}, default "random"
        Whether thresholds of splits are the best ones (:class:`sklearn.tree.DecisionTreeRegressor`) or the best of
        random ones (:class:`sklearn.tree.ExtraTreeRegressor`).
    min_samples_leaf : int or float, default 5
        Smallest number of rows in a leaf. Leaves estimate a distribution of sets and not one value, so they need
        several rows.
    max_features : {"sqrt", "log2"}, int, float or None, default "sqrt"
        Number of features that are considered for a split.
    max_depth : int, optional
        The largest depth of a tree; unlimited by default.
    n_jobs : int, optional
        The number of threads.
    random_state : int, RandomState or None, optional
        Seed of the trees. None draws a new one in every fit.
    bootstrap : bool, optional
        Whether each tree draws its rows; by default, for kind "random" only. Out-of-bag weights need it.

    Attributes
    ----------
    trees_ : list
        The fitted trees of scikit-learn.
    group_ : (n,) integers
        The group of each row. Trees draw whole groups, so out-of-bag predictions of a row come from trees that have
        not seen any row of its group. Without groups in the target of `fit`, rows with (almost) the same features are
        a group; see :func:`infimum.data.hashes.near_duplicates`.

    Notes
    -----
    Unlabelled rows of the target have weight 0: splits cannot learn from them, and they would dilute the leaf means.

    Sample weights multiply the draws, so they act on the splits and on the leaf means. A weight of 2 equals a row that
    is given twice, because equal rows are drawn together; only `min_samples_leaf` counts it once.

    Examples
    --------
    >>> X, phi = np.array([[0.], [1.], [2.], [3.]]), np.array([[0.], [0.], [1.], [1.]])
    >>> alpha = Forest(min_samples_leaf=1, bootstrap=False, random_state=0).fit(X, phi)(X[:1])
    >>> np.asarray(alpha), alpha @ phi
    (array([[0.5, 0.5, 0. , 0. ]]), array([[0.]]))
    """

    signed = False
    supervised = True
    largest_power = OutOfBag.largest_power

    def __init__(
        self,
        n_estimators: int = 100,
        kind: str = "random",
        min_samples_leaf: float = 5,
        max_features: Any = "sqrt",
        max_depth: int | None = None,
        bootstrap: bool | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.kind = kind
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.max_depth = max_depth
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def draws_rows(self) -> bool:
        """Whether each tree draws its rows."""
        return self.kind == "random" if self.bootstrap is None else self.bootstrap

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        if not isinstance(self.kind, str) or self.kind not in KINDS:
            raise ValueError(f"The 'kind' of Forest must be one of {list(KINDS)}. Got {self.kind!r} instead.")
        check_number(self, "n_estimators", 1, integer=True)
        target = as_target(target)
        if target is None:
            raise ValueError("Forest requires the embedded sets. Call fit(X, phi) with phi of shape (n, d).")
        self.X_fit_, self.n_rows_ = X, X.shape[0]
        self.sample_weight_ = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        if target.labelled.any() and not target.labelled.all():
            self.sample_weight_ = (1.0 if sample_weight is None else self.sample_weight_) * target.labelled
        moments = Moments.of(X, sample_weight)
        self.center_ = np.zeros(X.shape[1]) if sparse.issparse(X) else moments.mean
        self.scale_ = np.where(moments.variance > 0, np.sqrt(moments.variance), 1.0)
        Z = self._narrow(X)
        groups = near_duplicates(Z) if target.groups is None else target.groups
        self.group_ = np.unique(groups, return_inverse=True)[1].ravel().astype(np.int32)
        self.seeds_ = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        self._leaves: NDArray | None = None
        self._means: sparse.csc_matrix | None = None
        self._drawn: NDArray | None = self._draws()
        phi = np.ascontiguousarray(dense(target.phi), dtype=float)
        parts = np.array_split(np.arange(self.n_estimators), effective_n_jobs(self.n_jobs))
        grown = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(self._grow)(Z, phi, part) for part in parts)
        self.trees_ = [tree for part in grown for tree in part]
        trees = [tree.tree_ for tree in self.trees_]
        # the leaves of all trees are numbered consecutively; column_[first_[t] + node] is the number of a leaf
        leaf = np.concatenate([tree.children_left == -1 for tree in trees])
        self.first_ = np.cumsum([0] + [tree.node_count for tree in trees])[:-1]
        self.column_ = np.cumsum(leaf, dtype=np.int32) - 1
        self.n_leaves_ = int(leaf.sum())
        return self

    def _grow(self, Z: Any, phi: NDArray, numbers: NDArray) -> list[Any]:
        """Grow the trees of these numbers, on rows that count as often as the tree drew them."""
        from sklearn import config_context, tree  # slow to import

        grown = []
        # scikit-learn's checks of each tree would take as long as small trees
        with config_context(skip_parameter_validation=True, assume_finite=True):
            for seed, mass in zip(self.seeds_[numbers], self._masses()[numbers]):
                target = phi
                if phi.shape[1] > MAX_OUTPUTS:
                    target = phi @ np.random.default_rng(seed).standard_normal((phi.shape[1], N_PROJECTIONS))
                one = getattr(tree, KINDS[self.kind])(
                    min_samples_leaf=self.min_samples_leaf, max_features=self.max_features, max_depth=self.max_depth,
                    random_state=seed,
                )  # fmt: skip
                mass = np.ascontiguousarray(mass, dtype=float)
                grown.append(one.fit(Z, target, mass, check_input=sparse.issparse(Z)))
        return grown

    def _narrow(self, X: Any) -> Any:
        """Return X in the single precision of trees, in units in which no feature overflows or loses its digits."""
        if sparse.issparse(X):
            return sparse.csr_matrix(X @ sparse.diags_array(1 / self.scale_), dtype=np.float32)
        limit = np.finfo(np.float32).max
        with np.errstate(over="ignore"):
            Z = np.clip((np.asarray(X) - self.center_) / self.scale_, -limit, limit)
        return np.ascontiguousarray(Z, dtype=np.float32)

    def features(self, X: Any) -> sparse.csr_matrix:
        check_is_fitted(self, "n_rows_")
        return self._indicators(self._leaves_of(X), 1 / len(self.first_))

    @property
    def width(self) -> int:
        return len(self.first_)

    def project(self, phi: Any) -> NDArray:
        """Return the mean of phi in each leaf, (r, d)."""
        if self._means is None:
            self._means = self._leaf_means()
        return product(self._means, phi)

    def alpha_matrix(self, features: Any) -> NDArray:
        if self._means is None:
            self._means = self._leaf_means()
        return (features @ self._means).toarray()

    def release(self, sums_only: bool = False) -> None:
        self._leaves = self._means = self._drawn = None

    def loo_operator(self) -> LooOperator:
        """Return the function phi -> out-of-bag predictions, over the trees that did not draw the row."""
        outside = self.out_of_bag()
        return lambda phi: product(outside, self.project(phi))

    def out_of_bag(self) -> sparse.csr_matrix:
        """Return v(x_i) over the trees that did not draw row i, (n, r)."""
        if not self.draws_rows:
            raise ValueError("Out-of-bag weights require bootstrap samples. Use Forest(bootstrap=True).")
        outside = self._masses().T == 0
        trees = outside.sum(axis=1)
        if not trees.all():
            row = int(np.argmin(trees))
            raise ValueError(
                f"Row {row} was drawn by all {len(self.first_)} trees, so no tree is out of bag. Increase n_estimators."
            )
        return self._indicators(self._training_leaves(), outside / trees[:, None])

    def held_out(self, X: Any, target: Any, sample_weight: Any, folds: list[NDArray] | None) -> Holdout:
        if folds is None or not self.draws_rows:
            return super().held_out(X, target, sample_weight, folds)
        return OutOfBag(self._training_leaves(), self._masses().T, self.n_leaves_, folds)

    def _leaves_of(self, X: Any) -> NDArray:
        """Return the leaf of each row in each tree, (q, n_trees)."""
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

    def _masses(self) -> NDArray:
        """Return m_ti, (n_trees, n)."""
        if self._drawn is None:
            self._drawn = self._draws()
        return self._drawn

    def _draws(self) -> NDArray:
        w = np.ones(self.n_rows_) if self.sample_weight_ is None else self.sample_weight_
        if not self.draws_rows:
            return np.broadcast_to(w, (self.n_estimators, self.n_rows_))
        # rows of weight 0 are not drawn: a tree that draws no others cannot be grown
        groups, n_groups = np.unique(self.group_[w != 0]), int(self.group_.max()) + 1
        drawn = [groups[np.random.default_rng(seed).integers(0, len(groups), len(groups))] for seed in self.seeds_]
        return np.array([np.bincount(one, minlength=n_groups)[self.group_] for one in drawn]) * w

    def _leaf_means(self) -> sparse.csc_matrix:
        """Return the matrix that maps phi to its mean in each leaf, (r, n)."""
        leaves, mass = self._training_leaves(), self._masses().T
        total = np.bincount(leaves.ravel(), weights=mass.ravel(), minlength=self.n_leaves_)
        drawn = mass > 0
        at = leaves[drawn]
        ends = np.concatenate([[0], np.cumsum(drawn.sum(axis=1))])
        return sparse.csc_matrix((mass[drawn] / total[at], at, ends), shape=(self.n_leaves_, self.n_rows_))

    def __getstate__(self) -> dict:
        state = super().__getstate__()
        return {**state, "_leaves": None, "_means": None} if "_means" in state else state
