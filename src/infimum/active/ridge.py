"""Kernel ridge regression that rows are added to one by one, and the influence of rows that are not labelled yet.

Shapes: n rows, L labelled ones, r reference rows, d numbers per target.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from scipy.spatial.distance import cdist


class IncrementalRidge:
    """C = (K_LL + ridge I)^{-1} and the posterior covariance of all rows, while L grows.

    Parameters
    ----------
    Z : (n, p) array
        The scaled features of all rows.
    gamma : float
        The kernel is exp(-gamma |z - z'|²).
    ridge : float
        Added to the diagonal of the kernel matrix.
    reference : (r,) array of int
        The rows over which influences are averaged.

    Examples
    --------
    >>> ridge = IncrementalRidge(np.array([[0.0], [0.1], [3.0]]), 1.0, 0.01, np.arange(3))
    >>> ridge.add(np.array([0]))
    >>> ridge.variance.round(2)
    array([0.01, 0.03, 1.  ])
    """

    def __init__(self, Z: NDArray, gamma: float, ridge: float, reference: NDArray):
        self.Z, self.gamma, self.ridge, self.reference = Z, gamma, ridge, reference
        self.rows = np.empty(0, dtype=int)
        self.K, self.C = np.empty((len(Z), 0)), np.empty((0, 0))
        """(n, L): the kernel between all rows and the labelled ones; (L, L): the inverse of theirs plus the ridge."""
        self.variance = np.ones(len(Z))
        """(n,): the posterior variance of each row."""
        self._covariance = self.kernel(reference)
        self._pending: list[tuple[NDArray, NDArray]] = []

    def kernel(self, rows: NDArray) -> NDArray:
        """Return k(x, x_j) for all rows x and some rows j, (n, len(rows))."""
        return np.exp(-self.gamma * cdist(self.Z, self.Z[rows], "sqeuclidean"))

    def add(self, rows: NDArray) -> None:
        """Label more rows, by the block inverse."""
        if not len(rows):
            return
        k, new = self.kernel(rows), len(rows)
        u = self.C @ k[self.rows]
        schur = k[rows] - k[self.rows].T @ u
        schur[np.diag_indices(new)] += self.ridge
        factor = linalg.cho_factor(schur + 1e-10 * np.eye(new), lower=True, check_finite=False)
        inverse = linalg.cho_solve(factor, np.eye(new), check_finite=False)
        gain = u @ inverse
        column = k - self.K @ u
        step = column @ inverse
        self.K, self.C = np.hstack([self.K, k]), np.block([[self.C + gain @ u.T, -gain], [-gain.T, inverse]])
        self.rows = np.concatenate([self.rows, rows])
        self.variance = np.maximum(self.variance - (step * column).sum(axis=1), 0.0)
        self._pending.append((step, column[self.reference]))

    @property
    def covariance(self) -> NDArray:
        """The posterior covariance of all rows with the reference rows, (n, r); updated when it is needed."""
        if self._pending:
            steps, columns = (np.hstack(part) for part in zip(*self._pending))
            # in place: a product of this size takes longer to allocate than to compute
            c = self._covariance.T
            self._covariance = linalg.blas.dgemm(-1.0, columns, steps, 1.0, c, trans_b=True, overwrite_c=True).T
            self._pending = []
        return self._covariance

    def leave_one_out(self, D: NDArray) -> NDArray:
        """Return the prediction at each labelled row from the others, for targets D: (L, d) -> (L, d)."""
        return D - (self.C @ D) / np.diagonal(self.C)[:, None]

    def predict(self, D: NDArray) -> NDArray:
        """Return the predictions at all rows for targets D: (L, d) -> (n, d)."""
        return self.K @ (self.C @ D)

    def labelled_influence(self, chosen: NDArray) -> NDArray:
        """Return (c(x, x) + ridge) times the mean of (∂F(r) / ∂T(x))² over reference rows r.

        x are the labelled rows of a mask, (L,).
        """
        if not chosen.any():
            return np.empty(0)
        squares = np.square(self.K[self.reference] @ self.C[:, chosen]).mean(axis=0)
        return squares * (self.variance[self.rows[chosen]] + self.ridge)


class Lookahead:
    """Variance and influence of all rows, while further rows count as labelled.

    The influence of a row x is the variance that it would remove from the reference rows if it became labelled: the
    weighted mean of c(x, r)² / (c(x, x) + ridge) over the reference rows r, with the posterior covariance c. A row j
    that counts as labelled changes c(x, x') by -c(x, j) c(x', j) / (c(j, j) + ridge). Only sums of squares are
    updated, so c is not changed and a step costs O(n (L + r)).

    Parameters
    ----------
    ridge : IncrementalRidge
        The labelled rows so far; it is not changed.
    weights : (r,) array
        The weights of the reference rows.
    is_open : (n,) array of bool, optional
        The rows that may be asked about, by default all. `factor` is valid for them only.

    Examples
    --------
    >>> ahead = Lookahead(IncrementalRidge(np.array([[0.0], [0.1], [3.0]]), 1.0, 0.01, np.arange(3)), np.ones(3))
    >>> ahead.add(0)
    >>> ahead.variance.round(2), ahead.influence.round(2)
    (array([0.01, 0.03, 1.  ]), array([0.  , 0.01, 0.33]))
    """

    def __init__(self, ridge: IncrementalRidge, weights: NDArray, is_open: NDArray | None = None):
        self.ridge = ridge
        chosen = np.ones(len(ridge.rows), dtype=bool) if is_open is None else is_open[ridge.rows]
        self._open_labelled = ridge.rows[chosen]
        self.variance = ridge.variance.copy()
        self._before, self._labelled = np.maximum(ridge.variance, 1e-12), ridge.labelled_influence(chosen)
        self._weights, self._covariance = weights / len(weights), ridge.covariance
        self._squares = np.einsum("nr,nr,r->n", self._covariance, self._covariance, self._weights)
        self._columns, self._scales = np.empty((0, len(self.variance))), np.empty(0)

    @property
    def influence(self) -> NDArray:
        """(n,)."""
        return np.maximum(self._squares, 0.0) / (self.variance + self.ridge.ridge)

    @property
    def factor(self) -> NDArray:
        """The influence times the share of the variance that the rows that count as labelled leave, (n,)."""
        influence = self.influence
        influence[self._open_labelled] = self._labelled
        return influence * (self.variance / self._before)

    def add(self, j: int) -> None:
        """Count row j as labelled."""
        ridge, before, scales = self.ridge, self._columns, self._scales
        k = ridge.kernel(np.array([j]))[:, 0]
        column = k - ridge.K @ (ridge.C @ k[ridge.rows]) - (scales * before[:, j]) @ before
        at_reference = column[ridge.reference]
        weighted = self._weights * at_reference
        earlier = before[:, ridge.reference] @ weighted
        product = self._covariance @ weighted - (scales * earlier) @ before
        scale = 1 / (self.variance[j] + ridge.ridge)
        step = scale * column
        self._squares = self._squares - 2 * step * product + np.square(step) * (at_reference @ weighted)
        self.variance = np.maximum(self.variance - step * column, 0.0)
        self._columns, self._scales = np.vstack([before, column]), np.append(scales, scale)
