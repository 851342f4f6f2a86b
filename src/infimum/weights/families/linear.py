"""Linear ridge weights, for many rows and a moderate number of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.chunks import Chunks
from ..linalg import dense
from .primal import Primal


class LinearRidge(Primal):
    """Linear ridge weights, those of least squares with penalised slopes and a free intercept.

    They are alpha(x) = b(x) (B'B + n lam P)^{-1} B', with b(x) = (1, x - c) and P = diag(0, 1, …, 1), and sum to one.
    The origin c does not change them; it is the mean of the first rows, so sums do not cancel. `fit` reads the rows
    once. Memory grows as the square of the number of features.

    Parameters
    ----------
    lam : float, optional
        Regularisation strength; the ridge is n * lam. By default n^(-1/2).
    intercept : bool, default True
        Whether to fit an intercept. Without it, b(x) = x and P = I.
    verbose : int, default 0
        If positive, show a progress bar.

    Attributes
    ----------
    lam_ : float
        The value that is used.
    jitter_ : float
        Number that was added to the diagonal of the normal equations because they were numerically singular.

    Notes
    -----
    With sample weights w the ridge is lam * sum(w). A weight of 2 equals a row that is given twice, and a weight of 0
    a row that is left out.

    Examples
    --------
    >>> X = np.array([[0.], [1.], [2.]])
    >>> np.round(np.asarray(LinearRidge(lam=0).fit(X)(np.array([[2.]]))), 3)
    array([[-0.167,  0.333,  0.833]])
    """

    def __init__(self, lam: float | None = None, intercept: bool = True, verbose: int = 0) -> None:
        self.lam = lam
        self.intercept = intercept
        self.verbose = verbose

    def _fit_features(self, chunks: Chunks) -> None:
        X = chunks.first().X
        # a sparse X stays sparse
        self.n_features_in_ = X.shape[1]
        self.origin_ = np.zeros(X.shape[1]) if sparse.issparse(X) else np.asarray(X, dtype=float).mean(axis=0)

    @property
    def width(self) -> int:
        return self.n_features_in_ + bool(self.intercept)

    def _map(self, X: Any) -> Any:
        if not self.intercept:
            return X
        one = np.ones((X.shape[0], 1))
        if sparse.issparse(X) and not self.origin_.any():
            return sparse.hstack([one, X], format="csr")
        return np.hstack([one, dense(X) - self.origin_])

    def _penalty(self) -> NDArray:
        P = np.eye(self.width)
        P[0, 0] = 0.0 if self.intercept else 1.0
        return P
