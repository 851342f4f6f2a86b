"""Hashes of rows, which select the same rows in any order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse


def hashed(X: Any, pairwise: bool = False) -> NDArray:
    """Return a hash of each row that does not depend on the units of the features."""
    return hash_of(column_ranks(X, pairwise), 0)


def column_ranks(X: Any, pairwise: bool = False) -> Any:
    """Replace each entry by its rank in its column, so units do not matter; return a sparse X unchanged."""
    if sparse.issparse(X):
        return X
    if pairwise:  # sorted similarities do not depend on the order of the other rows
        return np.sort(np.asarray(X, dtype=float), axis=1)
    return np.column_stack([np.unique(column, return_inverse=True)[1].ravel() for column in X.T]).astype(float)


def hash_of(X: Any, seed: int) -> NDArray:
    """Return a 64-bit hash of each row; equal rows, sparse or dense, have equal hashes."""
    odd = np.random.default_rng(seed).integers(0, 2**63, X.shape[1], dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    if sparse.issparse(X):
        bits = np.ascontiguousarray(X.data + 0.0, dtype=np.float64).view(np.uint64)
        mixed = sparse.csr_matrix((_mix(bits), X.indices, X.indptr), shape=X.shape)
        return _mix(np.asarray(mixed @ odd))
    bits = np.ascontiguousarray(X + 0.0, dtype=np.float64).view(np.uint64)  # -0.0 becomes 0.0
    return _mix(_mix(bits) @ odd)


NEAR = 1e-3
"""Standard deviations: the side of the cells in which rows count as repetitions of one row."""


def near_duplicates(Z: Any) -> NDArray:
    """Return a code for each row of standardised features that rows with (almost) the same features share.

    Features are rounded to multiples of `NEAR` standard deviations, and rows that are then equal have the same code.

    >>> len(np.unique(near_duplicates(np.array([[0.0, 1.0], [1e-5, 1.0], [0.1, 1.0]]))))
    2
    """
    if sparse.issparse(Z):
        cells = sparse.csr_matrix((np.rint(Z.data / NEAR), Z.indices, Z.indptr), shape=Z.shape)
        return hash_of(cells, 0)
    return hash_of(np.rint(np.asarray(Z, dtype=float) / NEAR), 0)


def _mix(h: NDArray) -> NDArray:
    """Mix the bits by the finaliser of splitmix64 (Steele et al., 2014), which maps 0 to 0."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))
