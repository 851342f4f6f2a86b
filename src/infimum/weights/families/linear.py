"""Linear ridge weights in primal form, for many rows of a moderate number of features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.chunks import Blocks
from .primal import Primal, dense


class LinearRidge(Primal):
    """alpha(x) = b(x) (B'B + n lam P)^{-1} B', with b(x) = (1, x - c) and P = diag(0, 1, …, 1).

    The weights of least squares with a ridge on the slopes and a free intercept (which makes them sum to one, and any
    origin c serve: it is the mean of the first rows, so that sums do not cancel). One pass over the rows, memory of the
    order of d².

    Parameters
    ----------
    lam : float, optional
        The ridge is n * lam. By default n^(-1/2).
    intercept : bool, default True
        Without it, b(x) = x and P = I.
    verbose : int, default 0
        Show progress.

    Attributes
    ----------
    lam_, jitter_
        What was used; the jitter is what had to be added to the diagonal of the normal equations.

    Notes
    -----
    With sample weights w the ridge is lam * sum(w): 2 is a row given twice, 0 a row left out.

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

    def _settle(self, blocks: Blocks) -> None:
        X = blocks.first().X
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
