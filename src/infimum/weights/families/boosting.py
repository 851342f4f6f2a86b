"""Boosting weights: those of gradient boosted trees, averaged over folds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.parallel import Parallel, delayed

from ...data.checks import check_number
from ...data.hashes import column_ranks
from ..holdout.operators import BlockHoldout, Fold, Holdout, LooOperator, folds_of
from ..linalg import dense, product
from .trees import Trees

MIN_DRAWN = 10
"""Rows that each tree draws at least, or all rows if there are fewer. With fewer, small leaves allow no split."""
SMALLEST_SUM = 1e-9
"""Sums of weights below this are not divided by."""


class Step(NamedTuple):
    """One tree of each fold, as an operator on the residuals of all folds, (folds * n, d)."""

    means: sparse.csr_matrix
    """(r, folds * n): maps residuals to their means in the leaves of these trees."""
    leaf: NDArray
    """(folds * n,): the leaf of each row."""


class Boosting(Trees):
    """Weights of gradient boosted trees for the squared loss, averaged over folds.

    For each fold, small trees are grown one after the other on the other rows. Each tree is fitted to what its
    predecessors leave unexplained, and adds `learning_rate` times its leaf means. Given the trees, predictions are
    linear in the target, so they are weighted sums. Weights sum to one and may be negative. Sums of small trees suit
    effects that add up, and need fewer rows for them than a forest. Features need no scaling.

    Parameters
    ----------
    n_estimators : int, default 60
        Number of trees per fold.
    learning_rate : float, default 0.1
        Factor of each tree. Smaller values need more trees.
    max_depth : int or None, default 4
        The largest depth of a tree; 1 allows no interactions between features.
    min_samples_leaf : int or float, default 3
        Smallest number of rows in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default None
        Number of features that are considered for a split; all by default.
    subsample : float, default 0.5
        Share of the rows that each tree is grown on, in (0, 1].
    n_folds : int, default 5
        Number of folds. Each row is held out by the trees of one fold, which give its leave-one-out prediction.
    n_jobs : int, optional
        The number of threads.
    random_state : int, RandomState or None, optional
        Seed of the trees. None draws a new one in every fit.

    Attributes
    ----------
    trees_ : list
        The fitted trees of scikit-learn: the first one of each fold, then the second ones, and so on.
    fold_ : (n,) integers
        The fold of each row.

    Notes
    -----
    With the leaf means M_t of tree t, predictions at the training rows follow F_t = F_(t-1) + c P_t (phi - F_(t-1)), in
    which c is the learning rate and P_t maps rows to the mean of their leaf. This recursion is applied to each phi, so
    the matrix of the weights is formed only if a solver needs it.

    Unlabelled rows of the target have weight 0.

    References
    ----------
    Friedman (2002), Stochastic gradient boosting.

    Examples
    --------
    >>> X = np.arange(40.)[:, None]
    >>> alpha = Boosting(random_state=0).fit(X, np.sqrt(X))(np.array([[9.]]))
    >>> np.round(alpha @ np.sqrt(X), 1), np.round(np.asarray(alpha).sum(), 6)
    (array([[3.]]), np.float64(1.0))
    """

    largest_power = 1.0

    def __init__(
        self,
        n_estimators: int = 60,
        learning_rate: float = 0.1,
        max_depth: int | None = 4,
        min_samples_leaf: float = 3,
        max_features: Any = None,
        subsample: float = 0.5,
        n_folds: int = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.subsample = subsample
        self.n_folds = n_folds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        check_number(self, "n_estimators", 1, integer=True)
        check_number(self, "n_folds", 2, integer=True)
        check_number(self, "learning_rate", 0, 1, above=True)
        check_number(self, "subsample", 0, 1, above=True)
        Z, target = self._prepare(X, target, sample_weight)
        self._kept: list[Step] | None = None
        folds = folds_of(column_ranks(X), self.n_folds, sample_weight=sample_weight, groups=target.groups)
        self.fold_ = np.empty(self.n_rows_, dtype=int)
        for k, fold in enumerate(folds):
            self.fold_[fold] = k
        self._inside = self._rows_of_folds(len(folds))
        self.seeds_ = check_random_state(self.random_state).randint(2**31 - 1, size=(self.n_estimators, len(folds)))
        phi = np.ascontiguousarray(dense(target.phi), dtype=float)
        grown = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(self._grow)(Z, phi, k) for k in range(len(folds))
        )
        self._number_leaves([tree for step in zip(*grown) for tree in step])
        return self

    def _rows_of_folds(self, n_folds: int) -> NDArray:
        """Return the weights of the rows that the trees of each fold are grown on, (folds, n)."""
        w = np.ones(self.n_rows_) if self.sample_weight_ is None else self.sample_weight_
        inside = w * (self.fold_ != np.arange(n_folds)[:, None])
        return np.where(inside.any(axis=1, keepdims=True), inside, w)  # all labelled rows are in one fold

    def _mass(self, t: int, k: int) -> NDArray:
        """Return the weights of the rows that tree t of fold k has drawn, (n,); equal rows are drawn together."""
        inside, n_groups = self._inside[k], int(self.group_.max()) + 1
        groups = np.flatnonzero(np.bincount(self.group_, inside, n_groups))
        drawn = np.random.default_rng(self.seeds_[t, k]).permutation(groups)
        chosen = np.zeros(n_groups)
        chosen[drawn[: max(MIN_DRAWN, round(self.subsample * len(groups)))]] = 1.0
        return inside * chosen[self.group_]

    def _grow(self, Z: Any, phi: NDArray, k: int) -> list[Any]:
        """Grow the trees of one fold, each on the residuals of its predecessors."""
        grown, rest = [], phi - np.average(phi, axis=0, weights=self._inside[k])
        for t in range(self.n_estimators):
            mass = self._mass(t, k)
            tree = self._grow_one("random", Z, rest, mass, int(self.seeds_[t, k]))
            leaf = tree.tree_.apply(Z)
            rest = rest - self.learning_rate * (_means_in(leaf, mass, tree.tree_.node_count) @ rest)[leaf]
            grown.append(tree)
        return grown

    def _steps(self) -> list[Step]:
        """Return the trees as operators, one step after the other."""
        if self._kept is None:
            n_folds, leaves = len(self._inside), self._training_leaves()
            starts = np.append(0, self.column_[self.first_[1:] - 1] + 1)  # the first leaf of each tree
            starts = np.append(starts[::n_folds], self.n_leaves_)
            self._kept = []
            for t in range(len(self.seeds_)):
                leaf = leaves[:, t * n_folds : (t + 1) * n_folds].T.ravel() - starts[t]
                mass = np.concatenate([self._mass(t, k) for k in range(n_folds)])
                self._kept.append(Step(_means_in(leaf, mass, starts[t + 1] - starts[t]), leaf))
        return self._kept

    def _boost(self, phi: Any) -> tuple[NDArray, NDArray]:
        """Boost the trees again on phi (n, d); return M phi, and the prediction of each row by its own fold."""
        phi = dense(phi)
        (n_folds, n), d = self._inside.shape, phi.shape[1]
        start = self._inside @ phi / self._inside.sum(axis=1, keepdims=True)
        rest = (phi - start[:, None]).reshape(n_folds * n, d)
        values = []
        for step in self._steps():
            values.append(product(step.means, rest))
            rest -= self.learning_rate * values[-1][step.leaf]
        out_of_fold = phi - rest.reshape(n_folds, n, d)[self.fold_, np.arange(n)]
        return np.vstack([*values, start.mean(axis=0, keepdims=True)]), out_of_fold

    def features(self, X: Any) -> sparse.csr_matrix:
        trees = self._indicators(self._leaves_of(X), self.learning_rate / len(self._inside))
        return sparse.csr_matrix(sparse.hstack([trees, np.ones((trees.shape[0], 1))]))

    @property
    def width(self) -> int:
        return len(self.first_) + 1

    def project(self, phi: Any) -> NDArray:
        """Return the means of the residuals of phi in each leaf, and its mean, (r, d)."""
        return self._boost(phi)[0]

    def release(self, sums_only: bool = False) -> None:
        self._leaves = self._kept = None

    def loo_operator(self) -> LooOperator:
        """Return the function phi -> predictions of each row by the trees of its own fold."""
        return lambda phi: self._boost(phi)[1]

    def held_out(self, X: Any, target: Any, sample_weight: Any, folds: list[NDArray] | None) -> Holdout:
        if folds is None:
            return super().held_out(X, target, sample_weight, folds)
        return OutOfFold(self, folds)

    def __getstate__(self) -> dict:
        state = super().__getstate__()
        return {**state, "_leaves": None, "_kept": None} if "_kept" in state else state


class OutOfFold(BlockHoldout):
    """Hold-out for boosting: predictions by the trees that did not see the row, without growing them again.

    If the rows of a held-out fold are in one fold of the trees, these have not seen any of them. Otherwise, weights of
    the other rows of the fold are left out, and the rest is divided by its sum.
    """

    largest_power = Boosting.largest_power

    def __init__(self, weights: Boosting, tests: list[NDArray]):
        super().__init__(weights.n_rows_, tests)
        self._operator = weights.loo_operator()
        self._is_nested = all(len(np.unique(weights.fold_[test])) == 1 for test in tests)

    def __call__(self, q: NDArray) -> NDArray:
        k, n, d = q.shape
        return self._operator(q.transpose(1, 0, 2).reshape(n, k * d)).reshape(n, k, d).transpose(1, 0, 2)

    def predict(self, phi: Any) -> NDArray:
        phi = dense(phi)
        if self._is_nested:
            return self._operator(phi)
        both = self.out_of_fold(self.mask_out(np.hstack([phi, np.ones((self.n, 1))])))
        return both[:, :-1] / np.maximum(both[:, -1:], SMALLEST_SUM)

    def folds(self) -> Iterator[Fold]:
        alpha = self._operator(np.eye(self.n))
        for test in self.tests:
            train = np.delete(np.arange(self.n), test)
            inside, outside = (_normalised(alpha[np.ix_(rows, train)]) for rows in (train, test))
            yield Fold(test, train, inside, outside)


def _normalised(alpha: NDArray) -> NDArray:
    """Divide the weights of each row by their sum."""
    return np.asarray(alpha / np.maximum(alpha.sum(axis=1, keepdims=True), SMALLEST_SUM))


def _means_in(leaf: NDArray, mass: NDArray, n_leaves: int) -> sparse.csr_matrix:
    """Return the matrix that maps values of rows to their weighted means in each leaf, (leaves, rows)."""
    total = np.bincount(leaf, weights=mass, minlength=n_leaves)
    drawn = np.flatnonzero(mass)
    return sparse.csr_matrix((mass[drawn] / total[leaf[drawn]], (leaf[drawn], drawn)), (n_leaves, len(leaf)))
