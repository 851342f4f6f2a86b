"""Predictions at the training rows from the other rows, as operators that are prepared once and applied many times.

`LeftOut` maps phi (n, d) to what is predicted at every x_i without row i. `HeldOut` does the same k times over, each
time without a whole block of rows: of a stack q (k, n, d) whose q[b] is 0 on block b, out[b, i] is predicted at x_i
from the rows outside block b, and without row i itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import linalg
from sklearn.base import clone

from .centers import _hash

LeftOut = Callable[[NDArray], NDArray]
"""phi (n, d) -> (n, d)."""


class HeldOut(ABC):
    """Predictions without blocks of rows."""

    blocks: list[NDArray]

    @abstractmethod
    def __call__(self, q: NDArray) -> NDArray:
        """(k, n, d) -> (k, n, d); q[b] must be 0 on block b."""

    @abstractmethod
    def weights(self) -> NDArray:
        """alpha_j(x_i) fitted without the block of i, (n, n); 0 for j in that block."""

    def of_blocks(self, F: NDArray) -> NDArray:
        """For every row, the prediction made without its block: (k, n, d) -> (n, d)."""
        out = np.empty(F.shape[1:])
        for b, block in enumerate(self.blocks):
            out[block] = F[b, block]
        return out


class Refitted(HeldOut):
    """For any family: it is fitted again without each block."""

    def __init__(self, family: Any, X: Any, phi: Any, sample_weight: NDArray | None, blocks: list[NDArray]):
        self.blocks = blocks
        self.n = X.shape[0]
        self.parts = []
        pairwise = getattr(family, "kernel", None) == "precomputed"
        for block in blocks:
            rest = np.delete(np.arange(self.n), block)
            w = None if sample_weight is None else sample_weight[rest]
            inner, outer = (X[np.ix_(rest, rest)], X[np.ix_(block, rest)]) if pairwise else (X[rest], X[block])
            fitted = clone(family).fit(inner, None if phi is None else phi[rest], w)
            self.parts.append((block, rest, fitted.left_out(), fitted(outer)))

    def __call__(self, q: NDArray) -> NDArray:
        out = np.empty(q.shape)
        for b, (block, rest, left_out, alpha) in enumerate(self.parts):
            out[b, rest] = left_out(q[b, rest])
            out[b, block] = alpha @ q[b, rest]
        return out

    def weights(self) -> NDArray:
        out = np.zeros((self.n, self.n))
        for block, rest, _, alpha in self.parts:
            out[np.ix_(block, rest)] = np.asarray(alpha)
        return out


class FromInverse(HeldOut):
    """For kernel ridge, everything from C = (K + n lam)^{-1}; the ridge n lam is kept where rows are left out.

    With T the rows outside block B, A_TT^{-1} = C_TT - C_TB C_BB^{-1} C_BT, and the weights at B are -C_BB^{-1} C_BT.
    """

    def __init__(self, inverse: NDArray, blocks: list[NDArray]):
        self.inverse, self.blocks = inverse, blocks
        self.parts = []
        for block in blocks:
            rows = inverse[block]
            factor = linalg.cho_factor(rows[:, block], lower=True, check_finite=False)
            gain = linalg.cho_solve(factor, rows, check_finite=False)  # C_BB^{-1} C_B.
            diagonal = inverse.diagonal() - np.einsum("bn,bn->n", gain, rows)  # of A_TT^{-1}
            diagonal[block] = 1.0
            self.parts.append((block, factor, gain, diagonal[:, None]))

    def __call__(self, q: NDArray) -> NDArray:
        k, n, d = q.shape
        # one product for all blocks
        folded = (self.inverse @ q.transpose(1, 0, 2).reshape(n, k * d)).reshape(n, k, d)
        out = np.empty(q.shape)
        for b, (block, factor, gain, diagonal) in enumerate(self.parts):
            u = folded[:, b]
            out[b] = q[b] - (u - gain.T @ u[block]) / diagonal
            out[b, block] = -linalg.cho_solve(factor, u[block], check_finite=False)
        return out

    def weights(self) -> NDArray:
        out = np.empty_like(self.inverse)
        for block, _, gain, _ in self.parts:
            gain = -gain
            gain[:, block] = 0.0
            out[block] = gain
        return out


def inverse_of(factor: NDArray) -> NDArray:
    """(U'U)^{-1} as a full matrix, from the upper triangle U."""
    upper = np.triu(linalg.lapack.dpotri(factor, lower=0)[0])
    return upper + np.triu(upper, 1).T


def blocks_of(X: Any, k: int, seed: int = 0) -> list[NDArray]:
    """k blocks of rows of about the same size, by a hash: the order of rows does not matter, equal ones stay together.

    Fewer blocks where there are fewer distinct rows.

    >>> [len(block) for block in blocks_of(np.arange(10.)[:, None], 5)]
    [2, 2, 2, 2, 2]
    """
    rank = np.unique(_hash(X, seed), return_inverse=True)[1]
    if k < 2:
        raise ValueError(f"Rows are held out in at least 2 blocks. Got {k}.")
    return [np.flatnonzero(rank % k == b) for b in range(min(k, rank.max(initial=0) + 1))]
