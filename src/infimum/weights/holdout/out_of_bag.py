"""Hold-out predictions of one forest, without growing it again."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..linalg import dense
from .operators import BlockHoldout, Fold

DENSE_SHARE = 0.1  # of the entries: products with fewer are faster in sparse form
MATRIX_ROWS = 2000  # rows up to which weights between all rows are formed; beyond, leaves are summed


class OutOfBag(BlockHoldout):
    """Hold-out for forests: leaf means without the fold, over the trees that did not draw the row.

    The trees are grown on all rows, so the fold affects the splits of a tree and not its means. One forest is used for
    all folds and targets. A tree is left out if its leaf has no row outside the fold. If all trees are left out, the
    prediction is 0.

    Parameters
    ----------
    leaves : (n, t)
        The leaf of every row in every tree, numbered over all trees.
    mass : (n, t)
        How often each tree drew the row.
    n_leaves : int
        Number of leaves of all trees, r.
    folds : list of arrays
        The rows of each fold.
    """

    # Predictions are means over few trees, and differ by chance. Larger exponents would turn this into labels.
    largest_power = 1.0

    def __init__(self, leaves: NDArray, mass: NDArray, n_leaves: int, folds: list[NDArray]):
        super().__init__(len(leaves), folds)
        n, t = leaves.shape
        self.leaves, self.mass, self.n_leaves = leaves, mass, n_leaves
        ends = np.arange(0, n * t + 1, t)
        shape = (n, n_leaves)
        # copies, because eliminate_zeros changes the indices in place
        self.drawn = sparse.csr_matrix((np.ascontiguousarray(mass).ravel(), leaves.ravel(), ends), shape, copy=True)
        self.drawn.eliminate_zeros()
        out = (mass == 0).astype(float)
        self.outside = sparse.csr_matrix((out.ravel(), leaves.ravel(), ends), shape, copy=True)
        self.outside.eliminate_zeros()
        total = self.drawn.T @ self.mask_out(np.ones(n)).T  # (r, k)
        self.share = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)  # (r, k)
        trees = self.outside @ (total > 0).astype(float)
        self.trees = np.maximum(trees, 1)  # (n, k)

    @cached_property
    def _matrices(self) -> list[Any]:
        """The weights between all rows without each fold."""
        rows = np.arange(self.n)
        return [_compact(self._alpha(f, rows, rows)) for f in range(len(self.tests))]

    def __call__(self, q: NDArray) -> NDArray:
        k, n, d = q.shape
        if n <= MATRIX_ROWS:
            return np.stack([alpha @ part for alpha, part in zip(self._matrices, q)])
        sums = self.drawn.T @ q.transpose(1, 0, 2).reshape(n, k * d)
        means = (sums.reshape(-1, k, d) * self.share[:, :, None]).reshape(-1, k * d)
        out = (self.outside @ means).reshape(n, k, d) / self.trees[:, :, None]
        return out.transpose(1, 0, 2)

    def with_fewer_trees(self, n_trees: int) -> tuple[OutOfBag, float] | None:
        if self._fewer is None:
            return None
        own, less = (np.mean((one.mass == 0).sum(axis=1)) for one in (self, self._fewer))
        return self._fewer, float((1 / own - 1 / n_trees) / (1 / less - 1 / own))

    @cached_property
    def _fewer(self) -> OutOfBag | None:
        half = slice(None, None, 2)
        if self.leaves.shape[1] < 4 or not (self.mass[:, half] == 0).any(axis=1).all():
            return None
        return OutOfBag(self.leaves[:, half], self.mass[:, half], self.n_leaves, self.tests)

    def predict(self, phi: Any) -> NDArray:
        phi = dense(phi)
        if phi.shape[1] > self.n:  # the matrix of weights is smaller
            return self.weights() @ phi
        out = np.empty((self.n, phi.shape[1]))
        for f, test in enumerate(self.tests):
            train = phi.copy()
            train[test] = 0
            means = (self.drawn.T @ train) * self.share[:, [f]]
            out[test] = (self.outside[test] @ means) / self.trees[test, f][:, None]
        return out

    def weights(self) -> NDArray:
        out = np.zeros((self.n, self.n))
        for f, test in enumerate(self.tests):
            train = np.delete(np.arange(self.n), test)
            out[np.ix_(test, train)] = self._alpha(f, test, train).toarray()
        return out

    def folds(self) -> Iterator[Fold]:
        for f, test in enumerate(self.tests):
            train = np.delete(np.arange(self.n), test)
            yield Fold(test, train, self._alpha(f, train, train).toarray(), self._alpha(f, test, train).toarray())

    def _alpha(self, f: int, at: NDArray, train: NDArray) -> sparse.csr_array:
        """Return alpha_j(x_i) for i in `at` and j in `train`, without fold f."""
        outside = sparse.diags_array(1 / self.trees[at, f]) @ self.outside[at]
        return sparse.csr_array(outside @ sparse.diags_array(self.share[:, f]) @ self.drawn[train].T)


def _compact(alpha: sparse.csr_array) -> Any:
    """Return a matrix in the form in which its products are faster."""
    return alpha.toarray() if alpha.nnz > DENSE_SHARE * np.prod(alpha.shape) else alpha
