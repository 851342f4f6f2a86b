"""Feature relevance: how much the outputs change along each feature."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import euclidean_distances

from .families.kernel_ridge import KernelRidge
from .holdout.from_inverse import FromInverse
from .holdout.operators import folds_of, rounded
from .linalg import dense

ROWS = 1500  # largest number of rows for the kernel ridge
POINTS = 500  # largest number of rows at which gradients are computed
FOLD_POINTS = 200  # the same for relevances without a fold, which only compare models
OUTPUTS = 32  # largest number of columns of phi; more are projected at random on as many
LAM = 3e-3  # regularisation strength of the kernel ridge


def relevance(Z: Any, phi: Any, sample_weight: NDArray | None = None) -> NDArray:
    """Estimate how much the outputs depend on each feature.

    The relevance of a feature is the root mean square of the partial derivative of F along it, where F is a kernel
    ridge regression of phi on Z. Features that are multiplied by their relevance lead to distances in which features
    without influence on the outputs do not count.

    Parameters
    ----------
    Z : (n, d)
        Features on a common scale.
    phi : (n, r)
        The embedded sets.
    sample_weight : (n,), optional
        Weights of the rows.

    Returns
    -------
    (d,) array
        Relevances, with mean square 1.

    Notes
    -----
    The kernel is Gaussian, and its width is the median distance. At most 1,500 rows are used. They are selected by a
    hash, so their order does not matter. This is one step of a recursive feature machine (A. Radhakrishnan, D.
    Beaglehole, P. Pandit and M. Belkin, Science 383, 2024) with a diagonal matrix.

    Examples
    --------
    >>> Z = np.random.default_rng(0).standard_normal((100, 2))
    >>> relevance(Z, np.sign(Z[:, :1])).round(1)
    array([1.4, 0.2])
    """
    Z = dense(Z)
    rows = _some(Z, ROWS, sample_weight)
    w = None if sample_weight is None else sample_weight[rows]
    Z, phi = Z[rows], _narrow(phi[rows])
    K, ridge = _fitted(Z, w)
    coef = np.asarray(ridge.project(phi - np.average(phi, axis=0, weights=w)))
    return _slopes(Z, K, coef, _some(Z, POINTS, w), w)


def held_out_relevances(Z: Any, phi: Any, folds: list[NDArray], sample_weight: NDArray | None = None) -> list[NDArray]:
    """Estimate the relevance of each feature without the rows of each fold, from one factorisation.

    The kernel width and the ridge are those of all rows. Gradients are computed at fewer rows than in `relevance`.
    """
    Z, phi = dense(Z), _narrow(phi)
    K, ridge = _fitted(Z, sample_weight)
    holdout = ridge.held_out(K, None, sample_weight, folds)
    assert isinstance(holdout, FromInverse)
    points, found = _some(Z, FOLD_POINTS, sample_weight), []
    for f, test in enumerate(folds):
        inside = np.ones(len(Z)) if sample_weight is None else sample_weight.copy()
        inside[test] = 0
        coef = holdout.coefficients(f, phi - np.average(phi, axis=0, weights=inside))
        found.append(_slopes(Z, K, coef, np.setdiff1d(points, test), sample_weight))
    return found


def _fitted(Z: NDArray, w: NDArray | None) -> tuple[NDArray, KernelRidge]:
    """Return the kernel matrix of the rows, and the kernel ridge."""
    D = euclidean_distances(Z, squared=True)
    K = np.exp(np.multiply(D, -1 / (median(D, w) or 1.0), out=D), out=D)
    return K, KernelRidge(LAM, kernel="precomputed", gamma=None).fit(K, None, w)


def _slopes(Z: NDArray, K: NDArray, coef: NDArray, points: NDArray, w: NDArray | None) -> NDArray:
    """Return the root mean square of the derivatives at some rows along each feature, with mean square 1."""
    mass = np.ones(len(points)) if w is None else w[points]
    near, at = K[points], Z[points]
    square = np.zeros(Z.shape[1])
    for c in coef.T:  # dF/dx_j = -2 gamma sum_i c_i K(x, x_i) (x_j - x_ij)
        square += mass @ np.square(at * (near @ c)[:, None] - near @ (c[:, None] * Z))
    mean = square.mean()
    return np.sqrt(square / mean) if mean > 0 else np.ones(len(square))


def _some(Z: NDArray, most: int, sample_weight: NDArray | None) -> NDArray:
    """Select at most `most` rows by a hash, independently of their order."""
    k = -(-len(Z) // most)
    return np.arange(len(Z)) if k == 1 else folds_of(rounded(Z), k, sample_weight=sample_weight)[0][:most]


def _narrow(phi: Any) -> NDArray:
    """Return phi as a dense array, with at most `OUTPUTS` columns."""
    if phi.shape[1] > OUTPUTS:
        phi = phi @ np.random.default_rng(0).standard_normal((phi.shape[1], OUTPUTS))
    return dense(phi)


def median(D: NDArray, w: NDArray | None) -> float:
    """Return the median of the distances D between rows, with sample weights w."""
    if w is None:
        return _middle(D)
    order = np.argsort(D, axis=None)
    total = np.cumsum(np.outer(w, w).ravel()[order])
    half = total[-1] / 2
    at = D.ravel()[order]
    # the two middle values, which are equal unless exactly half of the weight is below
    low, high = np.searchsorted(total, half * (1 - 1e-12)), np.searchsorted(total, half * (1 + 1e-12), side="right")
    return float((at[low] + at[min(high, len(at) - 1)]) / 2)


def _middle(D: NDArray) -> float:
    """Return the median of a symmetric matrix >= 0 with a zero diagonal, from half of its entries."""
    n = len(D)
    if n < 3:
        return float(np.median(D))
    low, high = ((n * n - 1) // 2 - n) // 2, (n * n // 2 - n) // 2
    below = np.partition(D[np.tri(n, k=-1, dtype=bool)], (low, high))
    return float((below[low] + below[high]) / 2)
