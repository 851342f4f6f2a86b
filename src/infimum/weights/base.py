"""The base class of weights, which say how much each training row counts for a prediction.

Shapes in all families: n training rows, q queries, r features, d entries of an embedding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .holdout.operators import Holdout, LeaveOneOut, LooOperator, Refitted
from .linalg import product


class Target:
    """The embedded sets that supervised weights are fitted to.

    Parameters
    ----------
    phi : (n, d)
        The embedded sets.
    labelled : (n,) booleans, optional
        Which rows are labelled; all by default.
    groups : (n,) integers, optional
        Rows of the same group are drawn and held out together. By default, each row is its own group, except for
        repeated rows.
    exact : (n,) booleans, optional
        Which rows have an exact label; all labelled rows by default.
    options : (n, c) array, optional
        The candidates if each row has one of c labels: booleans, or likelihoods of soft labels.
    """

    def __init__(
        self, phi: Any, labelled: NDArray | None = None, groups: NDArray | None = None, exact: NDArray | None = None,
        options: NDArray | None = None,
    ):  # fmt: skip
        self.phi = phi
        self.labelled = np.ones(phi.shape[0], dtype=bool) if labelled is None else labelled
        self.groups = groups
        self.exact = self.labelled if exact is None else exact
        self.options = options

    def __getitem__(self, rows: Any) -> Target:
        groups = None if self.groups is None else self.groups[rows]
        options = None if self.options is None else self.options[rows]
        return Target(self.phi[rows], self.labelled[rows], groups, self.exact[rows], options)

    def with_phi(self, phi: Any) -> Target:
        """Return the same rows with other embedded sets."""
        return Target(phi, self.labelled, self.groups, self.exact, self.options)

    def exact_only(self) -> Target:
        """Return the same rows, of which only those with an exact label count as labelled."""
        return Target(self.phi, self.exact, self.groups, self.exact, self.options)


def as_target(target: Any) -> Target | None:
    """Return a Target from a Target, an array phi, or None."""
    return target if target is None or isinstance(target, Target) else Target(target)


class Weights(BaseEstimator, ABC):
    """A base learner that returns the weights alpha(x) of the training rows at each x.

    The weights have the form alpha(x) = v(x) M, and sum_i alpha_i(x) delta_{S_i} estimates the distribution of S given
    x. A family implements `fit`, `features`, which returns v, and `project`, which returns M phi. Weighted sums
    ``sum_i alpha_i(x) phi_i = v(x) (M phi)`` do not form alpha; ``np.asarray(weights(X))`` does.
    """

    signed: ClassVar[bool] = True
    """Whether alpha_i(x) may be negative."""

    supports_chunks: ClassVar[bool] = False
    """Whether `fit` and `project` accept `infimum.Chunks`."""

    supervised: ClassVar[bool] = False
    """Whether alpha(x) depends on the target, so a new target requires a new fit."""

    largest_power: ClassVar[float] = np.inf
    """The largest exponent of the updates of soft disambiguation that these weights support."""

    is_ridge: ClassVar[bool] = False
    """Whether the predictions f at the training rows minimise sum_i w_i |f(x_i) - phi_i|² plus a quadratic penalty."""

    has_leave_one_out: ClassVar[bool] = True
    """Whether `loo_operator` returns leave-one-out predictions from one fit."""

    n_rows_: int

    @abstractmethod
    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Fit to inputs X. Supervised families also need `target`, a `Target` or an array (n, d)."""

    def refit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Fit again to the same X with another target."""
        return self.fit(X, target, sample_weight)

    def fit_roughly(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Fit for a first estimate of the labels, after which `refit` follows; some families save time here."""
        return self.fit(X, target, sample_weight)

    def first_operator(self) -> LooOperator | None:
        """Return leave-one-out predictions of the parts that do not depend on the target; None if there are none."""
        return None if self.supervised else self.loo_operator()

    def check_rows(self, rows: Any) -> Self:
        """Return self, or raise an error if these weights do not support rows in chunks."""
        if not rows.in_memory and not self.supports_chunks:
            raise ValueError(
                "Chunked data requires weights.Nystrom or weights.LinearRidge, and negative_weights='inside'. Got"
                f" {self!r}."
            )
        return self

    @abstractmethod
    def features(self, X: Any) -> Any:
        """Return v(x) of each row of X, (q, r), dense or sparse."""

    @abstractmethod
    def project(self, phi: Any) -> Any:
        """Return M phi, (r, d). After that, each query needs one product."""

    def project_many(self, *phis: Any) -> tuple:
        """Return `project` of each array; some families do this in one pass over the rows."""
        return tuple(self.project(phi) for phi in phis)

    @property
    def width(self) -> int:
        """Number of entries of v(x) that are held in memory: r, or fewer if v(x) is sparse."""
        return self.n_rows_

    @property
    def pairwise(self) -> bool:
        """Whether X holds similarities to the training rows, so rows are left out together with their columns."""
        return False

    def leave_one_out(self, phi: Any) -> NDArray:
        """Return the leave-one-out predictions of all training rows, (n, d).

        Row i is sum_{j != i} alpha_j^{(-i)}(x_i) phi_j, where alpha^{(-i)} are the weights fitted to the other rows.
        ``leave_one_out(np.eye(n))`` returns these weights. Of a row of sample weight 2, one copy is left out.
        """
        operator = self.loo_operator()
        if operator is None:
            name = type(self).__name__
            raise ValueError(f"{name} has no closed-form leave-one-out predictions. Use folds instead, such as cv=5.")
        return operator(phi)

    def loo_operator(self) -> LooOperator | None:
        """Return a function phi -> leave_one_out(phi) that is prepared once; None if there is no closed form."""
        return None

    def held_out(self, X: Any, target: Any, sample_weight: Any, folds: list[NDArray] | None) -> Holdout:
        """Return the predictions of the training rows without each fold; without each single row if `folds` is None."""
        if folds is None:
            operator = self.loo_operator() or self.leave_one_out
            return LeaveOneOut(operator, self.n_rows_, lambda: np.asarray(self(X)), self.is_ridge)
        return Refitted.of(self, X, as_target(target), sample_weight, folds)

    def alpha_matrix(self, features: Any) -> NDArray:
        """Return the weights v(x) M, (q, n)."""
        return product(features, self.project(np.eye(self.n_rows_)))

    def release(self, sums_only: bool = False) -> None:
        """Free what only later calls of `project` need; it is computed again on demand.

        With `sums_only`, later queries use weighted sums and not the weights themselves.
        """

    def __call__(self, X: Any) -> Alpha:
        return Alpha(self.features(X), self)


class Alpha:
    """The matrix of the weights alpha_i(x_j), (q, n), stored as two factors.

    ``alpha @ phi`` and ``alpha.sum(projected)`` do not form it; ``np.asarray(alpha)`` does.

    Parameters
    ----------
    features : (q, r)
        v(x) of q queries.
    weights : Weights
        The fitted family.
    """

    __array_ufunc__ = None

    def __init__(self, features: Any, weights: Weights):
        self.features = features
        self.weights = weights

    @property
    def shape(self) -> tuple[int, int]:
        return self.features.shape[0], self.weights.n_rows_

    def __len__(self) -> int:
        return self.features.shape[0]

    def __matmul__(self, phi: Any) -> NDArray:
        return self.sum(self.weights.project(phi))

    def sum(self, projected: Any) -> NDArray:
        """Return sum_i alpha_i(x) phi_i, (q, d), from ``projected = weights.project(phi)``."""
        return product(self.features, projected)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.weights.alpha_matrix(self.features), dtype=dtype)

    def __repr__(self) -> str:
        return f"<Alpha of {self.shape[0]} queries x {self.shape[1]} rows by {self.weights!r}>"


class PrecomputedWeights(Weights):
    """Weights that are given: the rows of X are alpha(x).

    Use them for weights that are computed elsewhere.

    >>> PrecomputedWeights().fit(np.eye(3))(np.array([[.5, .5, 0]])) @ np.array([[1.], [2.], [9.]])
    array([[1.5]])
    """

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        self.n_rows_ = X.shape[1]
        return self

    def features(self, X: Any) -> Any:
        return X

    def project(self, phi: Any) -> Any:
        return phi

    def alpha_matrix(self, features: Any) -> NDArray:
        return features.toarray() if sparse.issparse(features) else np.asarray(features, dtype=float)


def as_alpha(alpha: Any) -> Alpha:
    """Return an Alpha, from an Alpha or an array of weights.

    Parameters
    ----------
    alpha : (q, n) array or Alpha
        Weights of n rows at q queries.

    Returns
    -------
    Alpha
    """
    return alpha if isinstance(alpha, Alpha) else PrecomputedWeights().fit(alpha)(alpha)
