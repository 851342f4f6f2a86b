"""Forest weights: rows count that share leaves with x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from ...data.checks import check_number
from ..holdout.operators import Holdout, LooOperator
from ..holdout.out_of_bag import OutOfBag
from ..linalg import dense, product
from .trees import KINDS, Trees


class Forest(Trees):
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
        Z, target = self._prepare(X, target, sample_weight)
        self.seeds_ = check_random_state(self.random_state).randint(2**31 - 1, size=self.n_estimators)
        self._means: sparse.csc_matrix | None = None
        self._drawn: NDArray | None = self._draws()
        phi = np.ascontiguousarray(dense(target.phi), dtype=float)

        def grow(numbers: NDArray) -> list[Any]:
            drawn = zip(self._masses()[numbers], self.seeds_[numbers])
            return [self._grow_one(self.kind, Z, phi, mass, seed) for mass, seed in drawn]

        parts = np.array_split(np.arange(self.n_estimators), effective_n_jobs(self.n_jobs))
        grown = Parallel(n_jobs=self.n_jobs, prefer="threads")(delayed(grow)(part) for part in parts)
        self._number_leaves([tree for part in grown for tree in part])
        return self

    def features(self, X: Any) -> sparse.csr_matrix:
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

    def _masses(self) -> NDArray:
        """Return m_ti, (n_trees, n)."""
        if self._drawn is None:
            self._drawn = self._draws()
        return self._drawn

    def _draws(self) -> NDArray:
        w = np.ones(self.n_rows_) if self.sample_weight_ is None else self.sample_weight_
        if not self.draws_rows:
            return np.broadcast_to(w, (len(self.seeds_), self.n_rows_))
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
