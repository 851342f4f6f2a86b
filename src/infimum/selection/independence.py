"""A permutation test of whether labels depend on X."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from ..outputs.soft_labels import uniform
from .kernel_cache import KernelCache, exponential, scaled


def dependence(kernels: KernelCache, clusters: NDArray | None = None) -> float:
    """Return how clearly the candidate sets depend on X, in standard errors: the normal quantile of a p-value.

    If labels are independent of X, all permutations of the sets are equally likely, whatever the sets are. Three
    statistics are compared with those of random permutations: the Hilbert-Schmidt independence criterion of X and the
    mean of the candidates, with a wide and with a narrow Gaussian kernel, and the largest covariance with one feature.
    The smallest of the three p-values is itself compared with that of each permutation, so the test is exact. Rows of
    the same cluster, such as copies, are no independent evidence and are summed.

    The result is 0 if rows do not list their candidates, have answers of several annotators or constraints on groups.

    References
    ----------
    Gretton, Fukumizu, Teo, Song, Schölkopf and Smola (2007), A kernel statistical test of independence.
    """
    sets, config = kernels.sets, kernels.config
    mask, soft = sets.options(), sets.likelihood()
    if mask is None or sets.answers_of_sources() is not None or sets.group_constraints is not None:
        return 0.0
    there = np.asarray(~sets.is_unlabelled) & (kernels.w is None or np.asarray(kernels.w) > 0)
    rows = np.flatnonzero(there)[: config.permuted_rows]
    if len(rows) < 2:
        return 0.0
    w = np.ones(len(rows)) if kernels.w is None else kernels.w[rows]
    means = uniform((mask if soft is None else soft)[rows]).reshape(len(rows), -1)
    units = np.unique(rows if clusters is None else clusters[rows], return_inverse=True)[1].ravel()
    to_unit = (np.arange(units.max() + 1)[:, None] == units) * 1.0
    phi = to_unit @ (w[:, None] * (means - np.average(means, axis=0, weights=w)))
    to_unit /= to_unit.sum(axis=1, keepdims=True)
    to_unit -= to_unit.mean(axis=0)  # features and kernels are centred
    D, width = kernels.distances("standard", "rbf")
    D = D[np.ix_(rows, rows)]
    grams = [to_unit @ exponential(D, rate / width) @ to_unit.T for rate in config.permuted_gammas]
    Z = np.asarray(to_unit @ scaled("standard", kernels.X[rows], w))
    return _quantile(grams, Z, phi, config.n_permutations)


def _quantile(grams: list[NDArray], Z: NDArray, phi: NDArray, n_permutations: int) -> float:
    """Return the normal quantile of the p-value of three statistics, given centred kernels and features."""
    rng = np.random.default_rng(0)
    found = []
    for k in range(n_permutations + 1):
        f = phi if k == 0 else phi[rng.permutation(len(phi))]
        found.append([*(np.sum((K @ f) * f) for K in grams), np.square(Z.T @ f).sum(axis=1).max(initial=0.0)])
    each = np.round(np.array(found) / np.maximum(np.abs(found[0]), 1e-300), 9)
    p = (each[:, None] <= each).mean(axis=1).min(axis=1)  # of the data, and as if each permutation were the data
    total = float(np.mean(p <= p[0] + 1e-9))
    return -float(ndtri(min(total, 1 - 1 / len(p))))
