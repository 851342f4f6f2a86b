"""Predictions at the training rows from the other rows, as operators that are prepared once and applied many times.

`LeftOut` maps phi (n, d) to what is predicted at every x_i without row i. `Holdout` does the same k times over, each
time without a whole block of rows: of a stack q (k, n, d) whose q[b] is 0 on block b, out[b, i] is predicted at x_i
from the rows outside block b, and without row i itself.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from ...data.hashes import hash_of
from ..families import cholesky

LeftOut = Callable[[Any], NDArray]
"""phi (n, d) -> (n, d)."""


class Part(NamedTuple):
    """Some rows held out, and the weights fitted to the rest."""

    block: NDArray
    rest: NDArray
    inside: NDArray
    """alpha_j(x_i) for i and j in the rest."""
    outside: NDArray
    """alpha_j(x_i) for i in the block and j in the rest."""


class Holdout(ABC):
    """Predictions without blocks of rows."""

    n: int

    @abstractmethod
    def __call__(self, q: NDArray) -> NDArray:
        """(k, n, d) -> (k, n, d); q[b] must be 0 on block b."""

    @abstractmethod
    def predict(self, phi: Any) -> NDArray:
        """For every row, sum_j alpha_j phi_j fitted without its block: (n, d) -> (n, d)."""

    @abstractmethod
    def parts(self) -> Iterator[Part]:
        """The blocks one after the other, with the weights themselves."""

    @abstractmethod
    def live(self, mask: NDArray) -> NDArray:
        """mask (n, ...) once for every block, with nothing on that block: (k, n, ...)."""

    @abstractmethod
    def own(self, F: NDArray) -> NDArray:
        """For every row, the prediction made without its block: (k, n, d) -> (n, d)."""

    def weights(self) -> NDArray:
        """alpha_j(x_i) fitted without the block of i, (n, n); 0 for j in that block."""
        return self.predict(np.eye(self.n))

    def columns(self) -> Iterator[NDArray]:
        """The maps q[b] -> out[b] themselves, (k, n, n), some columns at a time; nothing in those of block b."""
        return (self(self.live(part)) for part in identity(self.n))


class LeaveOneOut(Holdout):
    """Every row is a block of its own: one operator serves all of them."""

    def __init__(self, left_out: LeftOut, n: int, inside: Callable[[], NDArray] | None = None):
        self.left_out, self.n, self.inside = left_out, n, inside

    def __call__(self, q: NDArray) -> NDArray:
        return self.left_out(q[0])[None]

    def predict(self, phi: Any) -> NDArray:
        return self.left_out(phi)

    def parts(self) -> Iterator[Part]:
        rows, outside = np.arange(self.n), self.weights()
        yield Part(rows, rows, outside if self.inside is None else self.inside(), outside)

    def live(self, mask: NDArray) -> NDArray:
        return mask[None]

    def own(self, F: NDArray) -> NDArray:
        return F[0]


class InParts(Holdout):
    """Whole blocks of rows are held out."""

    def __init__(self, n: int, blocks: list[NDArray]):
        self.n, self.blocks = n, blocks

    def live(self, mask: NDArray) -> NDArray:
        live = np.repeat(mask[None], len(self.blocks), axis=0)
        for b, block in enumerate(self.blocks):
            live[b, block] = 0
        return live

    def own(self, F: NDArray) -> NDArray:
        out = np.empty(F.shape[1:])
        for b, block in enumerate(self.blocks):
            out[block] = F[b, block]
        return out


class Fit(NamedTuple):
    """Weights fitted without a block of rows, and the features of the rows as these weights see them."""

    block: NDArray
    rest: NDArray
    fitted: Any
    inner: Any
    outer: Any


class Refitted(InParts):
    """For any family: it is fitted again without each block."""

    def __init__(self, n: int, fits: list[Fit]):
        super().__init__(n, [fit.block for fit in fits])
        self.fits = fits
        self._prepared: list[LeftOut] | None = None
        self._outside: list | None = None

    @classmethod
    def of(cls, family: Any, X: Any, target: Any, sample_weight: NDArray | None, blocks: list[NDArray]) -> Self:
        """The same family without every block."""
        fits = []
        for block in blocks:
            rest = np.delete(np.arange(X.shape[0]), block)
            w = None if sample_weight is None else sample_weight[rest]
            inner, outer = (X[np.ix_(rest, rest)], X[np.ix_(block, rest)]) if family.pairwise else (X[rest], X[block])
            fitted = clone(family).fit(inner, None if target is None else target[rest], w)
            fits.append(Fit(block, rest, fitted, inner, outer))
        return cls(X.shape[0], fits)

    def __call__(self, q: NDArray) -> NDArray:
        if self._prepared is None:  # once, for all the calls
            self._prepared = [fitted.left_out() or fitted.leave_one_out for _, _, fitted, _, _ in self.fits]
        out = np.zeros(q.shape)
        for b, (alpha, (block, rest, *_)) in enumerate(zip(self._alphas(), self.fits)):
            out[b, rest] = self._prepared[b](q[b, rest])
            out[b, block] = alpha @ q[b, rest]
        return out

    def _alphas(self) -> list:
        """The weights at the rows of every block."""
        if self._outside is None:
            self._outside = [fitted(outer) for _, _, fitted, _, outer in self.fits]
        return self._outside

    def predict(self, phi: Any) -> NDArray:
        out = np.empty(phi.shape)
        for alpha, (block, rest, *_) in zip(self._alphas(), self.fits):
            out[block] = alpha @ phi[rest]
        return out

    def parts(self) -> Iterator[Part]:
        for block, rest, fitted, inner, outer in self.fits:
            yield Part(block, rest, np.asarray(fitted(inner)), np.asarray(fitted(outer)))


class FromInverse(InParts):
    """For kernel ridge, everything from C = (K + R)^{-1}, R = n lam; R is kept where rows are left out.

    With T the rows outside block B, A_TT^{-1} = C_TT - C_TB C_BB^{-1} C_BT, the weights at B are -C_BB^{-1} C_BT, and
    those at T are I - R A_TT^{-1}. No sum counts a row's own term and takes it out again: a row that is far from all
    others has predictions as small as they are.
    """

    def __init__(self, off: NDArray, diagonal: NDArray, ridge: float, blocks: list[NDArray]):
        super().__init__(len(off), blocks)
        self.off, self.diagonal, self.ridge = off, diagonal, ridge  # C is off + diag(diagonal)
        self.solves = []
        for block in blocks:
            columns = self._columns(block)
            factor = cholesky.factor(columns[block])
            gain = cholesky.solve(factor, columns.copy().T).T  # C_.B C_BB^{-1}
            taken = np.einsum("nb,nb->n", gain, columns)  # what A_TT^{-1} lacks to C on the diagonal
            left = diagonal - taken
            left[block] = 1.0
            gain[block] = cholesky.inverse(factor)  # where it would be I: one product serves both
            self.solves.append((block, gain, taken[:, None], left[:, None]))

    def _columns(self, block: NDArray) -> NDArray:
        """C_.B, (n, b)."""
        columns = np.take(self.off, block, axis=1)
        columns[block, np.arange(len(block))] = self.diagonal[block]
        return columns

    def __call__(self, q: NDArray) -> NDArray:
        k, n, d = q.shape
        # one product for all blocks
        others = (self.off @ q.transpose(1, 0, 2).reshape(n, k * d)).reshape(n, k, d)
        out = np.empty(q.shape)
        for b, (block, gain, taken, left) in enumerate(self.solves):
            u = others[:, b]
            back = gain @ u[block]
            out[b] = (back - u - taken * q[b]) / left
            out[b, block] = -back[block]
        return out

    def predict(self, phi: Any) -> NDArray:
        phi = phi.toarray() if sparse.issparse(phi) else np.asarray(phi, dtype=float)
        out = np.empty(phi.shape)
        for block, gain, _, _ in self.solves:
            rest = phi.copy()
            rest[block] = 0
            out[block] = -gain[block] @ (self.off[block] @ rest)
        return out

    def weights(self) -> NDArray:
        out = np.empty_like(self.off)
        for block, gain, _, _ in self.solves:
            out[block] = -gain.T
            out[np.ix_(block, block)] = 0.0
        return out

    def columns(self) -> Iterator[NDArray]:
        for part in identity(self.n):
            at = np.flatnonzero(part.any(axis=1))
            off, out = self.off[:, at], np.empty((len(self.solves), *part.shape))
            for b, (block, gain, taken, left) in enumerate(self.solves):
                back = gain @ off[block]
                out[b] = (back - off - taken * part) / left
                out[b, block] = -back[block]
                out[b, :, np.isin(at, block)] = 0.0
            yield out

    def parts(self) -> Iterator[Part]:
        for block, gain, _, _ in self.solves:
            rest = np.delete(np.arange(self.n), block)
            inverse = self.off[np.ix_(rest, rest)] - self.off[np.ix_(rest, block)] @ gain[rest].T
            inverse[np.diag_indices_from(inverse)] += self.diagonal[rest]
            inside = -self.ridge * inverse
            inside[np.diag_indices_from(inside)] += 1
            yield Part(block, rest, inside, -gain[rest].T)


def identity(n: int, columns: int = 256) -> Iterator[NDArray]:
    """The columns of the (n, n) identity, some at a time."""
    for first in range(0, n, columns):
        last = min(n, first + columns)
        part = np.zeros((n, last - first))
        part[np.arange(first, last), np.arange(last - first)] = 1.0
        yield part


def product(features: Any, folded: Any) -> NDArray:
    """features @ folded as a dense array, whichever of the two is sparse; in the precision of the features."""
    if isinstance(features, np.ndarray) and features.dtype == np.float32 and isinstance(folded, np.ndarray):
        # columns of at most 1, for single precision has a narrow range
        size = np.abs(folded).max(axis=0, initial=0.0)
        size = np.where(size > 0, size, 1.0)
        return (features @ (folded / size).astype(np.float32)).astype(float) * size
    out = features @ folded
    return out.toarray() if sparse.issparse(out) else np.asarray(out)


def blocks_of(X: Any, k: int, seed: int = 0, sample_weight: NDArray | None = None) -> list[NDArray]:
    """k blocks of rows of about the same size, by a hash: the order of rows does not matter, equal ones stay together.

    Fewer blocks where there are fewer distinct rows. Rows of sample weight 0 do not move the others.

    >>> [len(block) for block in blocks_of(np.arange(10.)[:, None], 5)]
    [2, 2, 2, 2, 2]
    """
    if k < 2:
        raise ValueError(f"Rows are held out in at least 2 blocks. Got {k}.")
    code = hash_of(X, seed)
    distinct = np.unique(code if sample_weight is None else code[sample_weight > 0])
    n_blocks = max(1, min(k, len(distinct)))
    at = np.searchsorted(distinct, code) % k % n_blocks
    return [np.flatnonzero(at == b) for b in range(n_blocks)]


def rounded(X: Any) -> Any:
    """X in single precision: the last digits that a scaling leaves then move no row to another block."""
    with np.errstate(over="ignore"):
        return X.astype(np.float32)
