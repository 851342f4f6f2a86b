"""Products of dense and sparse matrices, and moments of weighted rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def dense(A: Any) -> NDArray:
    """Return a dense array of floats, from a dense or a sparse matrix."""
    return A.toarray() if sparse.issparse(A) else np.asarray(A, dtype=float)


def product(A: Any, B: Any) -> NDArray:
    """Return A @ B as a dense array; both may be sparse."""
    out = A @ B
    return out.toarray() if sparse.issparse(out) else np.asarray(out)


def single_factors(X: Any) -> NDArray | None:
    """Return one power of two per feature, by which X has room in single precision; None if X has it already.

    Trees of scikit-learn compute in single precision and do not split differences below 1e-7.

    >>> single_factors(np.array([[1e-100, 3.0], [-2e-100, 5.0]])), single_factors(np.array([[3.0]]))
    (array([4.37450145e+99, 1.00000000e+00]), None)
    """
    largest = abs(X).max(axis=0)
    largest = np.asarray(largest.todense()).ravel() if sparse.issparse(largest) else largest
    exponent = np.frexp(largest)[1]
    far = (largest > 0) & ((exponent < -10) | (exponent > 100))
    return np.where(far, np.ldexp(1.0, -exponent), 1.0) if far.any() else None


def multiplied(X: Any, factors: NDArray | None) -> Any:
    """Return X with its features multiplied by factors; X itself for None."""
    if factors is None:
        return X
    return sparse.csr_matrix(X @ sparse.diags_array(factors)) if sparse.issparse(X) else X * factors


class Moments(NamedTuple):
    """The sum of weights, the mean and the summed squared deviations of each feature.

    Moments of several chunks are merged by the update of Chan, Golub and LeVeque (1979).
    """

    total: float
    mean: NDArray
    square: NDArray

    @classmethod
    def of(cls, X: Any, w: NDArray | None = None) -> Moments:
        """Compute the moments of the rows of X, with sample weights w."""
        w = np.ones(X.shape[0]) if w is None else w
        total = float(w.sum())
        if sparse.issparse(X):
            mean = np.asarray(w @ X).ravel() / max(total, 1e-300)
            return cls(total, mean, np.asarray(w @ X.multiply(X)).ravel() - total * mean**2)
        mean = w @ X / max(total, 1e-300)
        return cls(total, mean, w @ np.square(X - mean))

    def merge(self, other: Moments) -> Moments:
        """Return the moments of the rows of both."""
        total = max(self.total + other.total, 1e-300)
        step = other.mean - self.mean
        square = self.square + other.square + step**2 * self.total * other.total / total
        return Moments(self.total + other.total, self.mean + step * other.total / total, square)

    @property
    def variance(self) -> NDArray:
        """(d,): the variance of each feature."""
        return np.maximum(self.square, 0) / max(self.total, 1e-300)

    def variance_of_entries(self) -> float:
        """Return the variance of all entries of X, as in ``X.var()``."""
        return float(np.mean(self.variance) + np.var(self.mean)) if self.total > 0 and len(self.mean) else 0.0
