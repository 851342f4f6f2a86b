"""Constant weights: all rows count the same everywhere."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base import Weights
from ..holdout.operators import LooOperator
from ..linalg import dense


class Constant(Weights):
    """The same weights at every x: each row counts by its sample weight.

    They are alpha_i(x) = w_i / sum_j w_j. The model predicts the best constant output. It is the baseline that other
    weights have to beat.

    Examples
    --------
    >>> X, phi = np.array([[0.], [1.]]), np.array([[1.], [3.]])
    >>> Constant().fit(X)(X) @ phi
    array([[2.],
           [2.]])
    """

    signed = False
    is_ridge = True

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        self.n_rows_ = X.shape[0]
        w = np.ones(self.n_rows_) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        self.w_ = w / min(1.0, w.max())  # sums of the smallest weights would underflow
        return self

    @property
    def width(self) -> int:
        return 1

    def features(self, X: Any) -> NDArray:
        return np.ones((X.shape[0], 1))

    def project(self, phi: Any) -> NDArray:
        return np.asarray((self.w_ / self.w_.sum()) @ phi)[None]

    def alpha_matrix(self, features: Any) -> NDArray:
        return features * (self.w_ / self.w_.sum())

    def loo_operator(self) -> LooOperator:
        one = np.minimum(self.w_, 1.0)[:, None]  # of a row of sample weight 2, one copy is left out
        rest = np.maximum(self.w_.sum() - one, 1e-300)
        return lambda phi: (self.w_ @ dense(phi) - one * dense(phi)) / rest
