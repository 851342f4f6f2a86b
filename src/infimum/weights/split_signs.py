"""Weights split by their sign, for the joint rule for negative weights."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .base import Weights
from .wrappers import WeightsWrapper


def split(alpha: Any) -> NDArray:
    """Split weights into their positive and their negative parts, (q, n) -> (q, 2 n).

    >>> split(np.array([[1., -2.]]))
    array([[ 1.,  0.,  0., -2.]])
    """
    alpha = np.asarray(alpha)
    q, n = alpha.shape
    out = np.empty((q, 2 * n))
    np.maximum(alpha, 0, out=out[:, :n])
    np.minimum(alpha, 0, out=out[:, n:])
    return out


class SplitSigns(WeightsWrapper):
    """The positive and the negative parts of other weights, as weights of 2 n rows.

    They turn ``negative_weights="joint"`` into "inside" with twice as many terms: the positive parts multiply the
    infimum loss, the negative parts the supremum loss.

    Parameters
    ----------
    weights : Weights
        Weights that may be negative.

    Attributes
    ----------
    weights_ : Weights
        The fitted inner weights.
    """

    signed = True
    supports_chunks = False

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
    def pairwise(self) -> bool:
        return self.weights.pairwise

    def release(self, sums_only: bool = False) -> None:
        self.weights_.release(sums_only=False)
