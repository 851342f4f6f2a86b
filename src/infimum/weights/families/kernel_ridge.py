"""Kernel ridge weights, which the paper uses."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from ...data.errors import InfimumWarning
from ...data.memory import require
from .. import cholesky
from ..holdout.from_inverse import FromInverse, FromWeightedInverse
from ..holdout.operators import Holdout, LooOperator
from ..linalg import dense, product
from .kernel import FINITE, Kernel, check_lam

ROWS = 512  # kernel rows computed at a time: enough for BLAS, and few compared with n
USE_NYSTROM = "Use weights.Nystrom(n_centers=1000), which never forms it."
MAX_ROWS = 46_340  # the largest n for which LAPACK can count n² entries with 32-bit integers


class KernelRidge(Kernel):
    """Kernel ridge weights.

    They are alpha(x) = (K + n lam)^{-1} v(x), with K_ij = k(x_i, x_j) and v(x)_i = k(x, x_i).

    Parameters
    ----------
    lam : float, optional
        Regularisation strength, the paper's lambda; the ridge is n * lam. By default n^(-1/2), as in its Theorem 3.
    kernel : str or callable, default "rbf"
        Name of a scikit-learn kernel, a function of two rows, or "precomputed". If it is precomputed, X is K in `fit`
        and k(x, x_i) afterwards.
    gamma : float or "scale", default "scale"
        Inverse width of the kernel; "scale" is 1 / (n_features * X.var()).
    sigma : float, optional
        The paper's bandwidth, instead of gamma: gamma = 1 / (2 sigma^2) for "rbf", 1 / sigma for "laplacian".
    degree, coef0 : float, default 3 and 1
        Degree and constant of the "polynomial" and "sigmoid" kernels.
    kernel_params : dict, optional
        Further arguments of a kernel that is a function.

    Attributes
    ----------
    lam_, gamma_, ridge_
        The values that are used; `ridge_` is n * lam, and larger than that if the matrix is numerically singular.

    Notes
    -----
    With sample weights w the ridge is lam * sum(w). A weight of 2 equals a row that is given twice, and a weight of 0
    a row that is left out. One kernel matrix is held in memory, and factored in place.

    Examples
    --------
    >>> X = np.array([[0.], [1.], [2.]])
    >>> alpha = KernelRidge(lam=1e-9, sigma=.1).fit(X)(X)
    >>> np.round(np.asarray(alpha), 3) + 0.
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    is_ridge = True

    def __init__(
        self,
        lam: float | None = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        sigma: float | None = None,
        degree: float = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
    ) -> None:
        self.lam = lam
        self.kernel = kernel
        self.gamma = gamma
        self.sigma = sigma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        self._prepare(X, sample_weight)
        self._factor: NDArray | None = self._cholesky()
        return self

    def _prepare(self, X: Any, sample_weight: Any) -> None:
        n = X.shape[0]
        if self.kernel == "precomputed" and X.shape != (n, n):
            raise ValueError(f"With kernel='precomputed', fit needs the (n, n) kernel matrix. Got shape {X.shape}.")
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        total = float(n) if w is None else float(w.sum())
        if not 0 < total < np.inf:
            raise ValueError(f"The sum of the sample weights must be positive and finite. Got {total:g}.")
        check_lam(self)
        if n > MAX_ROWS:
            raise MemoryError(
                f"The kernel matrix of {n} rows has more entries than LAPACK can count: at most {MAX_ROWS} rows."
                f" {USE_NYSTROM}"
            )
        self.lam_ = total**-0.5 if self.lam is None else float(self.lam)
        self.total_ = total
        self.ridge_ = total * self.lam_
        self._fit_kernel(X, w)
        self.X_fit_ = X
        self.n_rows_ = n
        self.root_weight_ = None if w is None else np.sqrt(w)[:, None]
        self._factor = None
        self._inverted: tuple[NDArray, NDArray] | None = None

    def features(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return self._k(X, self.X_fit_)

    def project(self, phi: Any) -> Any:
        if sparse.issparse(phi):
            if phi.shape[1] > self.n_rows_:
                return Unprojected(self, phi.tocsr())
            phi = phi.toarray()
        return self._solve(np.array(phi, dtype=float, order="F"))

    def alpha_matrix(self, features: NDArray) -> NDArray:
        return self._solve(np.array(features.T, dtype=float, order="F")).T

    def release(self, sums_only: bool = False) -> None:
        self._inverted = None
        if sums_only:
            self._factor = None

    def loo_operator(self) -> LooOperator:
        """Return the function phi -> (F_i - h_i phi_i) / (1 - h_i), with H = K (K + R)^{-1}, F = H phi and h = diag H.

        R = n lam is not changed. It is computed from C = (K + R)^{-1}, which is formed once, by
        F_i - h_i phi_i = -R sum_{j != i} C_ij phi_j and 1 - h_i = R C_ii, so nothing cancels. Of a row of weight w > 1,
        one copy is left out; otherwise the whole row.
        """
        off, diagonal = self._inverse()
        if self.root_weight_ is None:
            return lambda phi: -product(off, phi) / diagonal[:, None]
        root = self.root_weight_
        w = np.square(root)
        kept = np.where(w > 1, 1 - 1 / np.maximum(w, 1), 0.0)  # share of its weight that a row keeps
        C = diagonal[:, None]
        with np.errstate(divide="ignore"):
            stay = np.where(kept > 0, kept * np.maximum(1 - self.ridge_ * C, 0) / self.ridge_, 0.0)
        absent = np.flatnonzero(root == 0)  # rows of weight 0, which are predicted like queries

        def apply(phi: Any) -> NDArray:
            phi = dense(phi)
            others = -(off @ (root * phi)) / np.where(root > 0, root, 1)
            out = np.where(np.isinf(stay), phi, (others + np.where(np.isinf(stay), 0, stay) * phi) / (C + stay))
            if len(absent):
                projected = root * (off @ (root * phi) + C * root * phi)
                out[absent] = self.features(self.X_fit_[absent]) @ projected
            return out

        return apply

    def held_out(self, X: Any, target: Any, sample_weight: Any, folds: list[NDArray] | None) -> Holdout:
        if folds is None:
            return super().held_out(X, target, sample_weight, folds)
        if self.root_weight_ is None:
            return FromInverse(*self._inverse(), self.ridge_, folds)
        X_fit = self.X_fit_
        return FromWeightedInverse(
            *self._inverse(), self.ridge_, folds, self.root_weight_, lambda rows: self.features(X_fit[rows])
        )

    def _inverse(self) -> tuple[NDArray, NDArray]:
        """Return (K + n lam)^{-1} with a zero diagonal, and its diagonal."""
        if self._factor is None:
            self._factor = self._cholesky()
        if self._inverted is None:
            require(3 * 8 * self.n_rows_**2, "The inverse of the kernel matrix", USE_NYSTROM)
            inverse = cholesky.inverse(self._factor)
            diagonal = np.diagonal(inverse).copy()
            np.fill_diagonal(inverse, 0)
            self._inverted = inverse, diagonal
        return self._inverted

    def _solve(self, b: NDArray) -> NDArray:
        """Return (K + n lam)^{-1} b; b may be overwritten."""
        factor = self._factor
        if factor is None:
            self._factor = factor = self._cholesky()
        if self.root_weight_ is not None:
            b *= self.root_weight_
        out = cholesky.solve(factor, b)
        if self.root_weight_ is not None:
            out *= self.root_weight_
        return out

    def _cholesky(self) -> NDArray:
        """Return the Cholesky factor of W^½ K W^½ + n lam, in the memory of K; n lam is raised if it must be."""
        ridge = self.ridge_
        while True:
            K = self._gram()
            K[np.diag_indices_from(K)] += ridge
            size = np.diagonal(K).max(initial=0.0)
            if not np.isfinite(size):
                raise ValueError(f"The kernel matrix of {self!r} is not finite on these rows. {FINITE}")
            try:
                factor = cholesky.factor(K)
                pivots = np.square(np.diagonal(factor))
                if pivots.min(initial=np.inf) > np.finfo(float).eps * size:
                    self.ridge_, self.lam_ = ridge, ridge / self.total_
                    return factor
            except linalg.LinAlgError:
                pass
            del K
            raised = max(4 * ridge, self.n_rows_ * np.finfo(float).eps * size, 1e-300)
            if raised > 4 * self.n_rows_ * max(size, 1e-300):  # beyond this any kernel is positive definite
                raise ValueError(f"The kernel of {self!r} is not positive definite on these rows. {FINITE}")
            warnings.warn(
                f"The regularised kernel matrix K + n lam is numerically singular at n lam = {ridge:.3g}, for example"
                f" because of duplicate rows or a very wide kernel. n lam is raised to {raised:.3g}. To avoid this,"
                f" set lam >= {raised / self.total_:.3g}, or merge duplicate rows.",
                InfimumWarning,
                stacklevel=4,
            )
            ridge = raised

    def _gram(self) -> NDArray:
        """Return K on and below the diagonal; the entries above it are not read."""
        n, w = self.n_rows_, self.root_weight_
        if self.kernel == "precomputed":
            K = np.array(self.X_fit_.toarray() if sparse.issparse(self.X_fit_) else self.X_fit_, dtype=float, order="C")
            if not np.isfinite(K).all():
                raise ValueError("The precomputed kernel contains NaN or infinity.")
        else:
            # K, and temporary copies of the rows that are being computed
            require(8 * n**2 + 4 * 8 * n * min(n, ROWS), f"The kernel matrix of {n} rows", USE_NYSTROM)
            K = np.zeros((n, n))  # pages that are not written are not allocated
            for rows in gen_batches(n, ROWS):
                with np.errstate(over="ignore", invalid="ignore"):
                    K[rows, : rows.stop] = self._k(self.X_fit_[rows], self.X_fit_[: rows.stop])
                if not np.isfinite(K[rows, : rows.stop]).all():
                    bad = rows.start + int(np.argmin(np.isfinite(K[rows, : rows.stop]).all(axis=1)))
                    raise ValueError(f"The kernel of {self!r} is not finite at row {bad} of X. {FINITE}")
        if w is not None:
            K *= w
            K *= w.T
        return K

    def __getstate__(self) -> dict:
        # the factor has n² entries and can be computed again, so it is not saved
        state = super().__getstate__()
        return {**state, "_factor": None, "_inverted": None} if "_factor" in state else state


class Unprojected:
    """The product (K + n lam)^{-1} phi for sparse phi with more columns than rows, which is not formed.

    It would have n x d entries, more than the n x n entries of the weights themselves.
    """

    __array_ufunc__ = None

    def __init__(self, weights: KernelRidge, phi: Any):
        self.weights = weights
        self.phi = phi
        self.shape = phi.shape

    def __rmatmul__(self, features: NDArray) -> NDArray:
        return self.weights.alpha_matrix(features) @ self.phi
