"""Predictions at the training rows from the other rows, as operators that are prepared once and applied many times.

A `LooOperator` maps phi (n, d) to the leave-one-out predictions. A `Holdout` does the same for k folds. It maps a stack
q (k, n, d), whose q[f] is 0 on fold f, to out (k, n, d). There out[f, i] is predicted at x_i from the rows outside
fold f and without row i itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...data.hashes import hash_of
from ..linalg import dense, multiplied, single_factors

LooOperator = Callable[[Any], NDArray]
"""phi (n, d) -> leave-one-out predictions (n, d)."""


class Fold(NamedTuple):
    """A fold of rows, and the weights fitted to the other rows."""

    test: NDArray
    """The rows of the fold."""
    train: NDArray
    """The other rows."""
    train_weights: NDArray
    """alpha_j(x_i) for i and j in `train`."""
    test_weights: NDArray
    """alpha_j(x_i) for i in `test` and j in `train`."""


class Holdout(ABC):
    """Predictions at the training rows by weights that are fitted without a fold."""

    n: int
    largest_power: float = np.inf
    """The largest exponent of the updates of soft disambiguation."""
    is_ridge: bool = False
    """Whether the weights are those of a ridge regression, so that there is `fitted`."""

    @abstractmethod
    def __call__(self, q: NDArray) -> NDArray:
        """Map (k, n, d) to (k, n, d); q[f] must be 0 on fold f."""

    def fitted(self, q: NDArray) -> NDArray:
        """Do the same with the own row of each prediction included; for ridge regression."""
        raise NotImplementedError

    @abstractmethod
    def predict(self, phi: Any) -> NDArray:
        """Return sum_j alpha_j(x_i) phi_j for each row i, fitted without the fold of i: (n, d) -> (n, d)."""

    @abstractmethod
    def folds(self) -> Iterator[Fold]:
        """Yield the folds with their weights."""

    @abstractmethod
    def mask_out(self, mask: NDArray) -> NDArray:
        """Repeat a mask (n, ...) for each fold and set it to 0 on that fold: (k, n, ...)."""

    @abstractmethod
    def out_of_fold(self, q: NDArray) -> NDArray:
        """Predict each row without its fold: (k, n, d) -> (n, d); q[f] must be 0 on fold f."""

    def with_fewer_trees(self, n_trees: int) -> tuple[Holdout, float] | None:
        """Return the same predictions from half of the trees, and a factor; None for predictions without trees.

        A score s of these predictions and the score s' of the half give s + factor (s - s') for the `n_trees` of a
        final model, all of which predict a new row. This assumes that scores change as 1 / (number of trees).
        """
        return None

    def in_single_precision(self) -> Self:
        """Store large matrices in single precision, in which models of labels are compared twice as fast."""
        return self

    def weights(self) -> NDArray:
        """Return alpha_j(x_i) fitted without the fold of i, (n, n); it is 0 for j in that fold."""
        return self.predict(np.eye(self.n))

    def columns(self) -> Iterator[NDArray]:
        """Yield the columns of the maps q[f] -> out[f], (k, n, some); they are 0 for the rows of fold f."""
        return (self(self.mask_out(part)) for part in identity(self.n))


class LeaveOneOut(Holdout):
    """Folds of one row each; one operator computes them all."""

    def __init__(
        self, operator: LooOperator, n: int, train_weights: Callable[[], NDArray] | None = None, is_ridge: bool = False
    ):
        self.operator, self.n, self.train_weights = operator, n, train_weights
        self.is_ridge = is_ridge and train_weights is not None

    def __call__(self, q: NDArray) -> NDArray:
        return self.operator(q[0])[None]

    @cached_property
    def _alpha(self) -> NDArray:
        assert self.train_weights is not None
        return self.train_weights()

    def fitted(self, q: NDArray) -> NDArray:
        return (self._alpha @ q[0])[None]

    def predict(self, phi: Any) -> NDArray:
        return self.operator(phi)

    def folds(self) -> Iterator[Fold]:
        rows, weights = np.arange(self.n), self.weights()
        yield Fold(rows, rows, weights if self.train_weights is None else self._alpha, weights)

    def mask_out(self, mask: NDArray) -> NDArray:
        return mask[None]

    def out_of_fold(self, q: NDArray) -> NDArray:
        return self(q)[0]


class BlockHoldout(Holdout):
    """Folds of several rows; `tests` lists the rows of each fold."""

    def __init__(self, n: int, tests: list[NDArray]):
        self.n, self.tests = n, tests

    def mask_out(self, mask: NDArray) -> NDArray:
        out = np.repeat(mask[None], len(self.tests), axis=0)
        for f, test in enumerate(self.tests):
            out[f, test] = 0
        return out

    def out_of_fold(self, q: NDArray) -> NDArray:
        F, out = self(q), np.empty(q.shape[1:])
        for f, test in enumerate(self.tests):
            out[test] = F[f, test]
        return out


class FoldFit(NamedTuple):
    """Weights that are fitted without a fold, and the inputs of its training and test rows."""

    test: NDArray
    train: NDArray
    weights: Any
    X_train: Any
    X_test: Any


class Refitted(BlockHoldout):
    """Hold-out for any family: the weights are fitted again without each fold."""

    def __init__(self, n: int, fits: list[FoldFit]):
        super().__init__(n, [fit.test for fit in fits])
        self.fits = fits
        self._operators: list[LooOperator] | None = None
        self._alphas: list | None = None
        self._inside: list | None = None
        self.is_ridge = all(fit.weights.is_ridge for fit in fits)

    @classmethod
    def of(cls, family: Any, X: Any, target: Any, sample_weight: NDArray | None, folds: list[NDArray]) -> Self:
        """Fit clones of the family without each fold."""
        fits = []
        for test in folds:
            train = np.delete(np.arange(X.shape[0]), test)
            w = None if sample_weight is None else sample_weight[train]
            if family.pairwise:
                X_train, X_test = X[np.ix_(train, train)], X[np.ix_(test, train)]
            else:
                X_train, X_test = X[train], X[test]
            fitted = clone(family).fit(X_train, None if target is None else target[train], w)
            fits.append(FoldFit(test, train, fitted, X_train, X_test))
        return cls(X.shape[0], fits)

    def __call__(self, q: NDArray) -> NDArray:
        if self._operators is None:
            self._operators = [fit.weights.loo_operator() or fit.weights.leave_one_out for fit in self.fits]
        out = np.zeros(q.shape)
        for f, (alpha, fit) in enumerate(zip(self._test_alphas(), self.fits)):
            out[f, fit.train] = self._operators[f](q[f, fit.train])
            out[f, fit.test] = alpha @ q[f, fit.train]
        return out

    def fitted(self, q: NDArray) -> NDArray:
        if self._inside is None:
            self._inside = [np.asarray(fit.weights(fit.X_train)) for fit in self.fits]
        out = np.zeros(q.shape)
        for f, (inside, alpha, fit) in enumerate(zip(self._inside, self._test_alphas(), self.fits)):
            out[f, fit.train], out[f, fit.test] = inside @ q[f, fit.train], alpha @ q[f, fit.train]
        return out

    def _test_alphas(self) -> list:
        """Return the weights at the test rows of each fold."""
        if self._alphas is None:
            self._alphas = [fit.weights(fit.X_test) for fit in self.fits]
        return self._alphas

    def predict(self, phi: Any) -> NDArray:
        return self.out_of_fold(np.broadcast_to(dense(phi), (len(self.fits), *phi.shape)))

    def out_of_fold(self, q: NDArray) -> NDArray:
        out = np.empty(q.shape[1:])
        for alpha, fit, part in zip(self._test_alphas(), self.fits, q):
            out[fit.test] = alpha @ part[fit.train]
        return out

    def folds(self) -> Iterator[Fold]:
        for test, train, weights, X_train, X_test in self.fits:
            yield Fold(test, train, np.asarray(weights(X_train)), np.asarray(weights(X_test)))


def identity(n: int, columns: int = 256) -> Iterator[NDArray]:
    """Yield the columns of the (n, n) identity, some at a time."""
    for first in range(0, n, columns):
        last = min(n, first + columns)
        part = np.zeros((n, last - first))
        part[np.arange(first, last), np.arange(last - first)] = 1.0
        yield part


def folds_of(
    X: Any, k: int, seed: int = 0, sample_weight: NDArray | None = None, groups: NDArray | None = None
) -> list[NDArray]:
    """Divide the rows into k folds of about the same size, by a hash of each row.

    The order of the rows does not matter. Equal rows, or rows of the same group, are in one fold. There are fewer folds
    if there are fewer distinct rows. Rows of sample weight 0 do not move the others.

    >>> [len(fold) for fold in folds_of(np.arange(10.)[:, None], 5)]
    [2, 2, 2, 2, 2]
    """
    if k < 2:
        raise ValueError(f"Cross-validation needs at least 2 folds. Got {k}.")
    code = hash_of(X if groups is None else np.asarray(groups, dtype=float)[:, None], seed)
    distinct = np.unique(code if sample_weight is None else code[sample_weight > 0])
    n_folds = max(1, min(k, len(distinct)))
    at = np.searchsorted(distinct, code) % k % n_folds
    return [np.flatnonzero(at == f) for f in range(n_folds)]


def rounded(X: Any) -> Any:
    """Return X in single precision, so the assignment to folds is robust to rounding errors of a scaling."""
    return multiplied(X, single_factors(X)).astype(np.float32)
