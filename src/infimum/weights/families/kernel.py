"""Kernels by name, as functions or precomputed."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from sklearn.metrics.pairwise import PAIRWISE_KERNEL_FUNCTIONS, pairwise_kernels

from ...data.checks import check_number
from ..base import Weights
from ..linalg import Moments

FINITE = "Scale X (StandardScaler, or divide by its largest entry), or change the kernel's parameters."


def check_lam(family: Any) -> None:
    """Raise an error unless lam is a finite number >= 0, or None."""
    check_number(family, "lam", 0, optional=True)


class Kernel(Weights):
    """The base class of weights with a positive-definite kernel.

    `gamma` is 1 / (2 sigma^2) for "rbf" and 1 / sigma for "laplacian", as in scikit-learn; "scale" is
    1 / (n_features * X.var()).
    """

    kernel: Any
    gamma: Any
    sigma: Any
    degree: float
    coef0: float
    kernel_params: dict | None

    def _fit_kernel(self, X: Any, sample_weight: NDArray | None = None, variance: float | None = None) -> None:
        self._check_kernel()
        if self.sigma is not None:
            if self.kernel not in ("rbf", "laplacian"):
                raise ValueError(
                    f"sigma= requires kernel='rbf' or 'laplacian'. Got {self.kernel!r}. Use gamma=."
                )
            self.gamma_: float | None = float(1 / (2 * self.sigma**2) if self.kernel == "rbf" else 1 / self.sigma)
        elif isinstance(self.gamma, str):
            variance = Moments.of(X, sample_weight).variance_of_entries() if variance is None else variance
            self.gamma_ = 1 / (X.shape[1] * variance) if variance > 0 else 1.0
        else:
            self.gamma_ = None if self.gamma is None else float(self.gamma)

    def _check_kernel(self) -> None:
        has_name = isinstance(self.kernel, str) and self.kernel in (*PAIRWISE_KERNEL_FUNCTIONS, "precomputed")
        if not has_name and not callable(self.kernel):
            names = ", ".join(map(repr, sorted(PAIRWISE_KERNEL_FUNCTIONS)))
            raise ValueError(
                f"The 'kernel' parameter of {type(self).__name__} must be one of {names}, 'precomputed', or a function"
                f" of two rows. Got {self.kernel!r} instead."
            )
        check_number(self, "sigma", 0, above=True, optional=True)
        if self.sigma is not None:
            check_number(self, "sigma", 1e-150, 1e150)  # its square must be finite
        check_number(self, "gamma", 0, above=True, words=["scale"], optional=True)
        check_number(self, "degree", 0)
        check_number(self, "coef0")

    @property
    def pairwise(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel == "precomputed"

    def _k(self, A: Any, B: Any) -> NDArray:
        """Return k(a, b) of all rows a and b, (len(A), len(B))."""
        if self.kernel == "precomputed":
            return A
        if callable(self.kernel):
            params = self.kernel_params or {}
        else:
            params = {"gamma": self.gamma_, "degree": self.degree, "coef0": self.coef0}
        return pairwise_kernels(A, B, metric=self.kernel, filter_params=True, **params)
