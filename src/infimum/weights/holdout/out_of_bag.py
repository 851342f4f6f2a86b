"""OutOfBag: what one forest predicts without blocks of its rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .operators import InParts, Part


class OutOfBag(InParts):
    """Row i through the trees that did not draw it, with leaf means over the rows outside the block that is held out.

    The trees are those of all rows: what a tree learned from the block lies in its splits, never in its means. So one
    forest serves every block and every target. Trees whose leaf holds no row outside the block are left out; where
    all are, the prediction is 0.

    Parameters
    ----------
    leaves : (n, t)
        The leaf of every row in every tree, numbered over all trees.
    mass : (n, t)
        How often a tree drew the row.
    n_leaves : int
        r.
    """

    def __init__(self, leaves: NDArray, mass: NDArray, n_leaves: int, blocks: list[NDArray]):
        super().__init__(len(leaves), blocks)
        n, t = leaves.shape
        ends = np.arange(0, n * t + 1, t)
        shape = (n, n_leaves)
        self.drawn = sparse.csr_matrix((np.ascontiguousarray(mass).ravel(), leaves.ravel(), ends), shape=shape)
        self.drawn.eliminate_zeros()
        out = (mass == 0).astype(float)
        self.outside = sparse.csr_matrix((out.ravel(), leaves.ravel(), ends), shape=shape)
        self.outside.eliminate_zeros()
        live = self.live(np.ones(n)).T  # (n, k)
        total = self.drawn.T @ live
        self.share = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)  # (r, k)
        trees = self.outside @ (total > 0).astype(float)
        self.trees = np.maximum(trees, 1)  # (n, k)

    def __call__(self, q: NDArray) -> NDArray:
        k, n, d = q.shape
        sums = self.drawn.T @ q.transpose(1, 0, 2).reshape(n, k * d)
        means = (sums.reshape(-1, k, d) * self.share[:, :, None]).reshape(-1, k * d)
        out = (self.outside @ means).reshape(n, k, d) / self.trees[:, :, None]
        return out.transpose(1, 0, 2)

    def predict(self, phi: Any) -> NDArray:
        phi = phi.toarray() if sparse.issparse(phi) else np.asarray(phi, dtype=float)
        if phi.shape[1] > self.n:  # the weights themselves are fewer
            return self.weights() @ phi
        out = np.empty((self.n, phi.shape[1]))
        for b, block in enumerate(self.blocks):
            rest = phi.copy()
            rest[block] = 0
            means = (self.drawn.T @ rest) * self.share[:, [b]]
            out[block] = (self.outside[block] @ means) / self.trees[block, b][:, None]
        return out

    def weights(self) -> NDArray:
        out = np.zeros((self.n, self.n))
        for b, block in enumerate(self.blocks):
            rest = np.delete(np.arange(self.n), block)
            out[np.ix_(block, rest)] = self._alpha(b, block, rest)
        return out

    def parts(self) -> Iterator[Part]:
        for b, block in enumerate(self.blocks):
            rest = np.delete(np.arange(self.n), block)
            yield Part(block, rest, self._alpha(b, rest, rest), self._alpha(b, block, rest))

    def _alpha(self, b: int, at: NDArray, rest: NDArray) -> NDArray:
        """alpha_j(x_i) for i in `at` and j in the rest, without block b."""
        shared = self.outside[at] @ sparse.diags_array(self.share[:, b]) @ self.drawn[rest].T
        return shared.toarray() / self.trees[at, b][:, None]
