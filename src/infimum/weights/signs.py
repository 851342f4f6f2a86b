"""Weights by their signs: what the joint reading of negative weights is reduced to."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .base import Weights


def split(alpha: Any) -> NDArray:
    """(alpha^+, alpha^-), (q, n) -> (q, 2 n).

    >>> split(np.array([[1., -2.]]))
    array([[ 1.,  0.,  0., -2.]])
    """
    alpha = np.asarray(alpha)
    q, n = alpha.shape
    out = np.empty((q, 2 * n))
    np.maximum(alpha, 0, out=out[:, :n])
    np.minimum(alpha, 0, out=out[:, n:])
    return out


class SplitSigns(Weights):
    """(alpha^+, alpha^-) in R^{2n}: the doubled weights that turn the joint reading into the inside one.

    The first half goes over the infimum loss, the second over the supremum loss.

    Parameters
    ----------
    weights : Weights
        A family whose weights are signed.
    """

    def __init__(self, weights: Weights):
        self.weights = weights

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        self.weights_ = clone(self.weights).fit(X, target, sample_weight)
        self.n_rows_ = 2 * self.weights_.n_rows_
        return self

    def features(self, X: Any) -> NDArray:
        return split(self.weights_(X))

    def project(self, phi: Any) -> Any:
        return phi

    def alpha_matrix(self, features: Any) -> NDArray:
        return np.asarray(features)

    @property
    def width(self) -> int:
        return self.n_rows_ + self.weights_.width

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return self.weights.supervised

    @property
    def pairwise(self) -> bool:
        return self.weights.pairwise

    def release(self, summed: bool = False) -> None:
        self.weights_.release(summed=False)
