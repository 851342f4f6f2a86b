"""A uniform sample of distinct rows, from which Nyström takes its centres."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.chunks import Chunk
from ...data.hashes import hash_of
from ..linalg import Moments


class Sketch(NamedTuple):
    """A summary of rows from one pass: their number, their moments, and a uniform sample of them.

    The sample consists of the distinct rows with the smallest hashes (a bottom-k sketch: Cohen, 1997). It depends
    neither on the chunks of the rows, nor on their order, nor on how often a row is repeated.
    """

    n: int
    moments: Moments
    keys: NDArray
    rows: Any

    @classmethod
    def of(cls, chunk: Chunk, size: int, seed: int) -> Sketch:
        """Summarise the rows of a chunk."""
        X = chunk.X
        w = np.ones(X.shape[0]) if chunk.w is None else chunk.w
        keys = hash_of(X, seed)
        order = _smallest(keys, w > 0, size)
        return cls(X.shape[0], Moments.of(X, w), keys[order], X[order])

    def merge(self, other: Sketch, size: int) -> Sketch:
        """Return the summary of the rows of both."""
        keys = np.concatenate([self.keys, other.keys])
        order = _smallest(keys, np.ones(len(keys), bool), size)
        stack = sparse.vstack if sparse.issparse(self.rows) else np.concatenate
        rows: Any = stack([self.rows, other.rows])
        rows = rows.tocsr() if sparse.issparse(rows) else rows
        return Sketch(self.n + other.n, self.moments.merge(other.moments), keys[order], rows[order])


def _smallest(keys: NDArray, allowed: NDArray, size: int) -> NDArray:
    """Return the indices of the `size` smallest distinct keys, in ascending order of the keys."""
    at = np.flatnonzero(allowed)
    if len(at) > 4 * size:
        at = at[keys[at] <= np.partition(keys[at], 4 * size)[4 * size]]
    _, first = np.unique(keys[at], return_index=True)
    found = at[first[:size]]
    if len(found) < size and len(at) < allowed.sum():  # there are many repeated rows among the smallest
        _, first = np.unique(keys[allowed], return_index=True)
        found = np.flatnonzero(allowed)[first[:size]]
    return found
