"""Random finite problems on which the theorems are tried."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def random_loss(rng: np.random.Generator, m: int) -> NDArray[np.float64]:
    """Return a symmetric proper loss, (m, m): entries uniform on [0.1, 1] off the diagonal."""
    upper = np.triu(rng.uniform(0.1, 1, size=(m, m)), 1)
    return upper + upper.T


def random_weak(rng: np.random.Generator, m: int, y: int, k: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return k random sets that contain y, (k, m), with random probabilities, (k,)."""
    sets = rng.uniform(size=(k, m)) < rng.uniform(0.2, 0.9)
    sets[:, y] = True
    return sets, rng.dirichlet(np.ones(k))
