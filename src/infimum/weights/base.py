"""Weights alpha(x): how much every training row counts at x.

Shapes, once for all families: n training rows, q queries, r features, d embedding.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator

from .holdout.operators import Holdout, LeaveOneOut, LeftOut, Refitted, product


class Target:
    """What supervised weights learn from: the embedded sets phi (n, d), and which rows are labelled.

    Parameters
    ----------
    phi : (n, d)
        The embedded sets.
    known : (n,) booleans, optional
        Which rows are labelled; all by default.
    """

    def __init__(self, phi: Any, known: NDArray | None = None):
        self.phi = phi
        self.known = np.ones(phi.shape[0], dtype=bool) if known is None else known

    def __getitem__(self, rows: Any) -> Target:
        return Target(self.phi[rows], self.known[rows])


def as_target(target: Any) -> Target | None:
    """A Target from one, from an array phi, or from nothing."""
    return target if target is None or isinstance(target, Target) else Target(target)


class Weights(BaseEstimator, ABC):
    """alpha(x) = v(x) M in R^n, such that sum_i alpha_i(x) delta_{S_i} approximates the law of S given x.

    A family gives `fit`, `features` (v) and `fold` (M phi); it knows nothing about outputs but the target of `fit`.
    Sums ``sum_i alpha_i(x) phi_i = v(x) (M phi)`` never form alpha; ``np.asarray(weights(X))`` does.
    """

    signed: ClassVar[bool] = True
    """Whether alpha_i(x) may be negative."""

    blockwise: ClassVar[bool] = False
    """Whether `fit` and `fold` take `infimum.Blocks`."""

    supervised: ClassVar[bool] = False
    """Whether alpha(x) depends on the target, so that another target needs another fit."""

    loo_by_substitution: ClassVar[bool] = False
    """Whether leaving row i out is the same as giving it what is predicted there without it, as in a ridge."""

    n_rows_: int

    @abstractmethod
    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Learn from inputs X; `target`, a `Target` or an array (n, d), is for families that look at outputs too."""

    def check_rows(self, rows: Any) -> Self:
        """Return self, or raise an error if these weights do not support rows in chunks."""
        if not rows.in_memory and not self.blockwise:
            raise ValueError(
                "Rows in blocks need weights.Nystrom or weights.LinearRidge, and negative_weights='inside'. Got"
                f" {self!r}."
            )
        return self

    @abstractmethod
    def features(self, X: Any) -> Any:
        """v(x), of shape (q, r), dense or sparse."""

    @abstractmethod
    def project(self, phi: Any) -> Any:
        """M phi, of shape (r, d): fold once, then every query costs one product."""

    def project_many(self, *phis: Any) -> tuple:
        """fold(phi) of each, in one pass over the rows where the family can."""
        return tuple(self.project(phi) for phi in phis)

    @property
    def width(self) -> int:
        """How many numbers the features of a query take: r, or fewer where they are sparse."""
        return self.n_rows_

    @property
    def pairwise(self) -> bool:
        """Whether the rows of X are similarities to training rows, so that leaving rows out leaves out columns too."""
        return False

    def leave_one_out(self, phi: Any) -> NDArray:
        """sum_{j != i} alpha_j^{(-i)}(x_i) phi_j for every training row i, (n, d): what is predicted at x_i without it.

        alpha^{(-i)} are the weights fitted to the other rows. ``leave_one_out(np.eye(n))`` are these weights. Of a row
        of sample weight 2, one copy is left out.
        """
        left_out = self.left_out()
        if left_out is None:
            name = type(self).__name__
            raise ValueError(f"{name} has no closed-form leave-one-out predictions. Hold out blocks of rows instead.")
        return left_out(phi)

    def left_out(self) -> LeftOut | None:
        """phi -> leave_one_out(phi), prepared once to be applied many times; None where there is no closed form."""
        return None

    def held_out(self, X: Any, target: Any, sample_weight: Any, blocks: list[NDArray] | None) -> Holdout:
        """Predictions without whole blocks of the rows that the weights were fitted on; if None, without each row."""
        if blocks is None:
            return LeaveOneOut(self.left_out() or self.leave_one_out, self.n_rows_, lambda: np.asarray(self(X)))
        return Refitted.of(self, X, as_target(target), sample_weight, blocks)

    def alpha_matrix(self, features: Any) -> NDArray:
        """v(x) M, the weights themselves, (q, n)."""
        return product(features, self.project(np.eye(self.n_rows_)))

    @property
    def norm(self) -> float | None:
        """At least |alpha(x)|, the root of sum_i alpha_i(x)², whatever x is; None where no such number is known."""
        return None

    def bound(self, rows: NDArray, r: NDArray) -> NDArray:
        """At least |sum_k alpha_rows[k](x) r_k|, whatever x is, for every column of r, (k, m) -> (m,): a norm."""
        return (np.inf if self.norm is None else self.norm) * np.linalg.norm(r, axis=0)

    def explicit(self) -> NDArray | None:
        """The transpose of M, (n, r), whose row i times v(x) is alpha_i(x), of a family with a `norm`.

        None where memory does not suffice. The family may keep it in place of what it was made from.
        """
        return None

    def release(self, summed: bool = False) -> None:
        """Let go of what only later folds would need; a later fold computes it again.

        `summed` says that queries will only ask for sums, never for the weights themselves.
        """

    def __call__(self, X: Any) -> Alpha:
        return Alpha(self.features(X), self)


class Alpha:
    """The (q, n) matrix alpha_i(x_j), kept as its two factors.

    ``alpha @ phi`` and ``alpha.sum(fold)`` never form it; ``np.asarray(alpha)`` does.

    Parameters
    ----------
    weights : Weights
        The fitted family.
    features : (q, r)
        v(x) of q queries.
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

    def sum(self, folded: Any) -> NDArray:
        """sum_i alpha_i(x) phi_i, of shape (q, d), where ``folded = weights.project(phi)``."""
        return product(self.features, folded)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.weights.alpha_matrix(self.features), dtype=dtype)

    def __repr__(self) -> str:
        return f"<Alpha of {self.shape[0]} queries x {self.shape[1]} rows by {self.weights!r}>"


class PrecomputedWeights(Weights):
    """The rows of X are the weights: alpha(x) = x.

    For weights that come from elsewhere, and for the laws in the tests.

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
    """An Alpha, from one or from a plain (q, n) array of weights.

    Parameters
    ----------
    alpha : (q, n) or Alpha
        Weights of n rows at q queries.
    """
    return alpha if isinstance(alpha, Alpha) else PrecomputedWeights().fit(alpha)(alpha)
