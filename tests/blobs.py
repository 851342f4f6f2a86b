"""Three well separated classes, and one small base learner of each family."""

import numpy as np

from infimum import weights

FAMILIES = [
    weights.KernelRidge(lam=1e-3),
    weights.LinearRidge(lam=1e-2),
    weights.Nystrom(n_centers=15, lam=1e-3),
    weights.Neighbors(4),
    weights.Forest(30, random_state=0),
]


def blobs(rng, n=90, m=3, extra=0.4, noise=0.5):
    """Three well separated classes, and sets that contain them."""
    truth = np.arange(n) % m
    X = 3 * np.eye(m)[truth] + noise * rng.standard_normal((n, m))
    return X, truth, np.eye(m, dtype=bool)[truth] | (rng.random((n, m)) < extra)
