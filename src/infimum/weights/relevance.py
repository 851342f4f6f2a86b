"""Relevance: how much the outputs change along each feature, so that distances may count what matters."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances

from .holdout.operators import blocks_of, rounded

ROWS = 1500  # that relevances are learned from
POINTS = 500  # at which slopes are taken
OUTPUTS = 32  # columns of phi beyond which it is projected on as many
LAM = 3e-3


def relevance(Z: Any, phi: Any, sample_weight: NDArray | None = None) -> NDArray:
    """The root mean square of the slope of F along every feature, (d,), where F is a kernel ridge of phi on Z.

    Their mean square is 1. Multiplying features by them makes distances those of the mean outer product of gradients
    of F, as far as that is diagonal: features that say nothing of the outputs no longer move rows apart.

    Parameters
    ----------
    Z : (n, d)
        Features of one scale.
    phi : (n, r)
        The embedded sets.
    sample_weight : (n,), optional
        How much rows count.

    Notes
    -----
    The kernel is Gaussian, as wide as the median distance. At most 1,500 rows are looked at, by a hash: their order
    does not matter. One step of what A. Radhakrishnan, D. Beaglehole, P. Pandit and M. Belkin call a recursive feature
    machine (Science 383, 2024), with a diagonal matrix.

    Examples
    --------
    >>> Z = np.random.default_rng(0).standard_normal((100, 2))
    >>> relevance(Z, np.sign(Z[:, :1])).round(1)
    array([1.4, 0.2])
    """
    from .families.kernel_ridge import KernelRidge

    Z = Z.toarray() if sparse.issparse(Z) else np.asarray(Z, dtype=float)
    rows = _some(Z, ROWS, sample_weight)
    Z, phi = Z[rows], _narrow(phi[rows])
    sample_weight = None if sample_weight is None else sample_weight[rows]
    D = euclidean_distances(Z, squared=True)
    gamma = 1 / (median(D, sample_weight) or 1.0)
    K = np.exp(np.multiply(D, -gamma, out=D), out=D)
    phi = phi - np.average(phi, axis=0, weights=sample_weight)
    ridge = KernelRidge(LAM, kernel="precomputed", gamma=None).fit(K, None, sample_weight)
    coef = np.asarray(ridge.project(phi))
    points = _some(Z, POINTS, sample_weight)
    w = np.ones(len(points)) if sample_weight is None else sample_weight[points]
    near, at = K[points], Z[points]
    square = np.zeros(Z.shape[1])
    for c in coef.T:  # dF/dx_j = -2 gamma sum_i c_i K(x, x_i) (x_j - x_ij)
        square += w @ np.square(at * (near @ c)[:, None] - near @ (c[:, None] * Z))
    mean = square.mean()
    return np.sqrt(square / mean) if mean > 0 else np.ones(len(square))


def _some(Z: NDArray, most: int, sample_weight: NDArray | None) -> NDArray:
    """At most so many rows, by a hash: the same ones in any order, but for rows that are equal."""
    k = -(-len(Z) // most)
    return np.arange(len(Z)) if k == 1 else blocks_of(rounded(Z), k, sample_weight=sample_weight)[0][:most]


def _narrow(phi: Any) -> NDArray:
    """phi, or as many columns as serve to add up squares."""
    if phi.shape[1] > OUTPUTS:
        phi = phi @ np.random.default_rng(0).standard_normal((phi.shape[1], OUTPUTS))
    return phi.toarray() if sparse.issparse(phi) else np.asarray(phi, dtype=float)


def median(D: NDArray, w: NDArray | None) -> float:
    """The median distance between two rows, each as often as it counts."""
    if w is None:
        return _middle(D)
    order = np.argsort(D, axis=None)
    total = np.cumsum(np.outer(w, w).ravel()[order])
    half = total[-1] / 2
    at = D.ravel()[order]
    # the two in the middle, which are one and the same unless exactly half of the weight is below
    low, high = np.searchsorted(total, half * (1 - 1e-12)), np.searchsorted(total, half * (1 + 1e-12), side="right")
    return float((at[low] + at[min(high, len(at) - 1)]) / 2)


def _middle(D: NDArray) -> float:
    """The median of a symmetric matrix, nowhere below the zeros of its diagonal: of half of its entries."""
    n = len(D)
    if n < 3:
        return float(np.median(D))
    low, high = ((n * n - 1) // 2 - n) // 2, (n * n // 2 - n) // 2
    below = np.partition(D[np.tri(n, k=-1, dtype=bool)], (low, high))
    return float((below[low] + below[high]) / 2)
