"""Kernel ridge weights, the paper's choice: alpha(x) = (K + n lam)^{-1} v(x)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from ...data.errors import InfimumWarning
from ...data.memory import available, require
from ..holdout.operators import FromInverse, Holdout, LeftOut, product
from ..holdout.weighted import FromWeightedInverse
from . import cholesky
from .kernel import FINITE, UNIT, Kernel, check_lam

ROWS = 512  # kernel rows computed at a time: large enough for BLAS, small beside n
WAY_OUT = "Use weights.Nystrom(n_centers=1000), which never forms it."
MOST_ROWS = 46_340  # n² entries must be counted by the 32-bit integers of LAPACK


class KernelRidge(Kernel):
    """alpha(x) = (K + n lam)^{-1} v(x), with K = k(x_i, x_j) and v(x) = k(x, x_i).

    Parameters
    ----------
    lam : float, optional
        The paper's lambda; the ridge is n * lam. By default n^(-1/2), as in its Theorem 3.
    kernel : str or callable, default "rbf"
        A scikit-learn kernel name, a function of two rows, or "precomputed" (then X is K at fit and
        k(x, x_i) afterwards).
    gamma : float or "scale", default "scale"
        Kernel width; "scale" is 1 / (n_features * X.var()).
    sigma : float, optional
        The paper's bandwidth, instead of gamma: gamma = 1 / (2 sigma^2) for "rbf", 1 / sigma for "laplacian".
    degree, coef0, kernel_params
        As in :class:`sklearn.kernel_ridge.KernelRidge`.

    Notes
    -----
    With sample weights w the ridge is lam * sum(w), so that a weight of 2 is a row given twice and a weight
    of 0 a row left out. One kernel matrix is held, and factored in place.

    Examples
    --------
    >>> X = np.array([[0.], [1.], [2.]])
    >>> alpha = KernelRidge(lam=1e-9, sigma=.1).fit(X)(X)
    >>> np.round(np.asarray(alpha), 3) + 0.
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """

    loo_by_substitution = True
    _whole: NDArray | None = None

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
            raise ValueError(f"The sample weights must have a positive and finite sum. Theirs is {total:g}.")
        check_lam(self)
        if n > MOST_ROWS:
            raise MemoryError(
                f"The kernel matrix of {n} rows has more entries than LAPACK can count: at most {MOST_ROWS} rows."
                f" {WAY_OUT}"
            )
        self.lam_ = total**-0.5 if self.lam is None else float(self.lam)
        self.total_ = total
        self.ridge_ = total * self.lam_
        self._fit_kernel(X, w)
        self.X_fit_ = X
        self.n_rows_ = n
        self.root_weight_ = None if w is None else np.sqrt(w)[:, None]
        self._factor = None
        self._whole = None
        self._inverted: tuple[NDArray, NDArray] | None = None

    def features(self, X: Any) -> NDArray:
        check_is_fitted(self)
        return self._k(X, self.X_fit_)

    def project(self, phi: Any) -> Any:
        if sparse.issparse(phi):
            if phi.shape[1] > self.n_rows_:
                return Unfolded(self, phi.tocsr())
            phi = phi.toarray()
        return self._solve(np.array(phi, dtype=float, order="F"))

    def alpha_matrix(self, features: NDArray) -> NDArray:
        return self._solve(np.array(features.T, dtype=float, order="F")).T

    def release(self, summed: bool = False) -> None:
        self._inverted = None
        if summed:
            self._factor = self._whole = None

    @property
    def norm(self) -> float | None:
        """1 / (2 sqrt(n lam)) where k(x, x) <= 1.

        Since k is positive definite, v(x) = K^½ u with |u|² <= k(x, x), and the singular values of (K + n lam)^{-1} K^½
        are sqrt(s) / (s + n lam) <= 1 / (2 sqrt(n lam)). A row's weight w multiplies what it has by at most sqrt(w).
        """
        if not isinstance(self.kernel, str) or self.kernel not in UNIT or self.ridge_ <= 0:
            return None
        root = 1.0 if self.root_weight_ is None else float(self.root_weight_.max())
        return root / (2 * self.ridge_**0.5)

    def bound(self, rows: NDArray, r: NDArray) -> NDArray:
        """|g| in the space of the kernel, where g(x) = sum_i alpha_i(x) r_i = <g, k(x, .)> and k(x, x) <= 1.

        |g|² = r' C K C r = r' (C - n lam C²) r, with C = (K + n lam)^{-1}.
        """
        C, norm = self.explicit(), self.norm
        if C is None or norm is None:
            return super().bound(rows, r)
        own = C[rows]
        gram = own[:, rows].copy()
        if self.root_weight_ is not None:
            own = own / np.where(self.root_weight_ > 0, self.root_weight_, np.inf).T
        gram -= self.ridge_ * (own @ own.T)
        # C is off by its condition number, at most total / ridge, times what rounding adds up to
        rounding = (self.n_rows_ + self.total_ / self.ridge_) * np.finfo(float).eps * 4 * norm**2
        square = np.einsum("km,km->m", r, gram @ r) + rounding * np.einsum("km,km->m", r, r)
        return np.sqrt(np.maximum(square, 0))

    def explicit(self) -> NDArray | None:
        """(K + n lam)^{-1}, which then takes the place of the factor; weighted as alpha is."""
        if self._whole is None:
            factor = self._cholesky() if self._factor is None else self._factor
            if available() < 8 * self.n_rows_**2:
                return None
            C = cholesky.inverse(factor)
            if self.root_weight_ is not None:
                C *= self.root_weight_
                C *= self.root_weight_.T
            self._whole, self._factor = C, None
        return self._whole

    def left_out(self) -> LeftOut:
        """(F_i - h_i phi_i) / (1 - h_i), with H = K (K + R)^{-1}, F = H phi, h its diagonal, and R = n lam kept.

        With C = (K + R)^{-1}, formed once: F_i - h_i phi_i = -R sum_{j != i} C_ij phi_j and 1 - h_i = R C_ii, where
        nothing cancels. Of a row of weight w, one copy is left out, or all of it where w <= 1.
        """
        off, diagonal = self._inverse()
        if self.root_weight_ is None:
            return lambda phi: -product(off, phi) / diagonal[:, None]
        root = self.root_weight_
        w = np.square(root)
        kept = np.where(w > 1, 1 - 1 / np.maximum(w, 1), 0.0)  # the share of its weight that a row keeps
        C = diagonal[:, None]
        with np.errstate(divide="ignore"):
            stay = np.where(kept > 0, kept * np.maximum(1 - self.ridge_ * C, 0) / self.ridge_, 0.0)
        absent = np.flatnonzero(root == 0)  # rows that were not there: there is nothing to leave out

        def apply(phi: Any) -> NDArray:
            phi = phi.toarray() if sparse.issparse(phi) else np.asarray(phi, dtype=float)
            others = -(off @ (root * phi)) / np.where(root > 0, root, 1)
            out = np.where(np.isinf(stay), phi, (others + np.where(np.isinf(stay), 0, stay) * phi) / (C + stay))
            if len(absent):
                folded = root * (off @ (root * phi) + C * root * phi)
                out[absent] = self.features(self.X_fit_[absent]) @ folded
            return out

        return apply

    def held_out(self, X: Any, target: Any, sample_weight: Any, blocks: list[NDArray] | None) -> Holdout:
        if blocks is None:
            return super().held_out(X, target, sample_weight, blocks)
        if self.root_weight_ is None:
            return FromInverse(*self._inverse(), self.ridge_, blocks)
        some = self.X_fit_
        return FromWeightedInverse(
            *self._inverse(), self.ridge_, blocks, self.root_weight_, lambda rows: self.features(some[rows])
        )

    def _inverse(self) -> tuple[NDArray, NDArray]:
        """(K + n lam)^{-1}: what is off its diagonal, as a full matrix, and the diagonal."""
        if self._factor is None:
            self._factor = self._cholesky()
        if self._inverted is None:
            require(3 * 8 * self.n_rows_**2, "The inverse of the kernel matrix", WAY_OUT)
            inverse = cholesky.inverse(self._factor)
            diagonal = np.diagonal(inverse).copy()
            np.fill_diagonal(inverse, 0)
            self._inverted = inverse, diagonal
        return self._inverted

    def _present(self, left_out: NDArray, phi: NDArray, folded: NDArray) -> NDArray:
        """Rows of weight 0 were not there: there is nothing to leave out of them."""
        absent = np.flatnonzero(np.ones(1) if self.root_weight_ is None else self.root_weight_ == 0)
        if self.root_weight_ is not None and len(absent):
            left_out[absent] = self.features(self.X_fit_[absent]) @ folded
        return left_out

    def _solve(self, b: NDArray) -> NDArray:
        """(K + n lam)^{-1} b, where b may be overwritten."""
        whole, factor = self._whole, self._factor
        if whole is not None:
            return whole @ b
        if factor is None:
            self._factor = factor = self._cholesky()
        if self.root_weight_ is not None:
            b *= self.root_weight_
        out = cholesky.solve(factor, b)
        if self.root_weight_ is not None:
            out *= self.root_weight_
        return out

    def _cholesky(self) -> NDArray:
        """The Cholesky factor of W^½ K W^½ + n lam, computed in the memory of K; n lam is raised where it must be."""
        ridge = self.ridge_
        while True:
            K = self._gram()
            K[np.diag_indices_from(K)] += ridge
            size = np.diagonal(K).max(initial=0.0)
            if not np.isfinite(size):
                raise ValueError(f"K + n lam is not finite: {self!r} has no weights on these rows. {FINITE}")
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
                f"K + n lam is numerically singular at n lam = {ridge:.3g} (duplicate rows of X or a very wide kernel"
                f" do this); n lam is raised to {raised:.3g}. Choose lam >= {raised / self.total_:.3g}, or merge"
                " duplicate rows.",
                InfimumWarning,
                stacklevel=4,
            )
            ridge = raised

    def _gram(self) -> NDArray:
        """K on and below the diagonal (what is above it is not read)."""
        n, w = self.n_rows_, self.root_weight_
        if self.kernel == "precomputed":
            K = np.array(self.X_fit_.toarray() if sparse.issparse(self.X_fit_) else self.X_fit_, dtype=float, order="C")
            if not np.isfinite(K).all():
                raise ValueError("The precomputed kernel contains NaN or infinity.")
        else:
            # and some of its rows a few times over, while they are computed
            require(8 * n**2 + 4 * 8 * n * min(n, ROWS), f"The kernel matrix of {n} rows", WAY_OUT)
            K = np.zeros((n, n))  # what is never written is never allocated
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
        # the factor is n² numbers and follows from the rest: a saved model does without it
        state = super().__getstate__()
        return {**state, "_factor": None, "_whole": None, "_inverted": None} if "_factor" in state else state


def _alone(one: Callable, k: int, U: NDArray, root: NDArray, phi: Any) -> NDArray:
    """Leave-one-out predictions at the k-th setting of a path."""
    phi = phi.toarray() if sparse.issparse(phi) else np.asarray(phi, dtype=float)
    return one(k, phi, U.T @ (root * phi))


class Unfolded:
    """(K + n lam)^{-1} phi for sparse phi with more columns than rows: never formed, applied to the features.

    n x d numbers would be more than the n x n of alpha itself.
    """

    __array_ufunc__ = None

    def __init__(self, weights: KernelRidge, phi: Any):
        self.weights = weights
        self.phi = phi
        self.shape = phi.shape

    def __rmatmul__(self, features: NDArray) -> NDArray:
        return self.weights.alpha_matrix(features) @ self.phi
