"""Hold-out predictions of kernel ridge weights in closed form, from one inverse matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .. import cholesky
from ..linalg import dense
from .operators import BlockHoldout, Fold, Holdout, identity


class FromInverse(BlockHoldout):
    """Hold-out for kernel ridge, from C = (K + R)^{-1} with R = n lam; R is not changed when rows are left out.

    Let B be a fold and T the other rows. Then A_TT^{-1} = C_TT - C_TB C_BB^{-1} C_BT, the weights at B are
    -C_BB^{-1} C_BT, and those at T are I - R A_TT^{-1}. No sum adds the term of a row and subtracts it again, so the
    predictions of a row that is far from all others are accurate although they are small.

    Parameters
    ----------
    off : (n, n)
        C with a zero diagonal.
    diagonal : (n,)
        The diagonal of C.
    ridge : float
        R.
    folds : list of arrays
        The rows of each fold.
    """

    is_ridge = True

    def __init__(self, off: NDArray, diagonal: NDArray, ridge: float, folds: list[NDArray]):
        super().__init__(len(off), folds)
        self.off, self.diagonal, self.ridge = off, diagonal, ridge
        self.solves = []
        for test in folds:
            columns = self._columns(test)
            factor = cholesky.factor(columns[test])
            own = cholesky.half_solve(factor, np.eye(len(test), order="F")).T  # C_BB^{-1} = own own'
            half = cholesky.half_solve(factor, columns.T).T  # C_.B C_BB^{-1} = half own'
            taken = np.einsum("nb,nb->n", half, half)  # diagonal of C minus that of A_TT^{-1}
            left = diagonal - taken
            left[test] = 1.0
            half[test] = own  # C_BB^{-1} in place of I: one product computes both
            self.solves.append((test, half, own, taken[:, None], left[:, None]))

    def _columns(self, test: NDArray) -> NDArray:
        """Return C_.B, (n, b)."""
        columns = np.take(self.off, test, axis=1)
        columns[test, np.arange(len(test))] = self.diagonal[test]
        return columns

    def _others(self, q: NDArray) -> NDArray:
        """Return the sums over the other rows, (k, n, d) -> (n, k, d), by one product for all folds."""
        k, n, d = q.shape
        return (self.off @ q.transpose(1, 0, 2).reshape(n, k * d).astype(self.off.dtype, copy=False)).reshape(n, k, d)

    def in_single_precision(self) -> Self:
        self.off = self.off.astype(np.float32)
        single = ((half.astype(np.float32), own.astype(np.float32)) for _, half, own, _, _ in self.solves)
        self.solves = [(one[0], *both, *one[3:]) for one, both in zip(self.solves, single)]
        return self

    def fitted(self, q: NDArray) -> NDArray:
        others, out = self._others(q), np.empty(q.shape)
        for f, (test, half, own, _, _) in enumerate(self.solves):
            u = others[:, f]
            back = half @ (own.T @ u[test])
            out[f] = q[f] - self.ridge * (u + self.diagonal[:, None] * q[f] - back)
            out[f, test] = -back[test]
        return out

    def __call__(self, q: NDArray) -> NDArray:
        others, out = self._others(q), np.empty(q.shape)
        for f, (test, half, own, taken, left) in enumerate(self.solves):
            u = others[:, f]
            back = half @ (own.T @ u[test])
            out[f] = (back - u - taken * q[f]) / left
            out[f, test] = -back[test]
        return out

    def predict(self, phi: Any) -> NDArray:
        return self.out_of_fold(self.mask_out(dense(phi)))

    def out_of_fold(self, q: NDArray) -> NDArray:
        out = np.empty(q.shape[1:])
        for (test, _, own, _, _), part in zip(self.solves, q):
            out[test] = -own @ (own.T @ (self.off[test] @ part.astype(self.off.dtype, copy=False)))
        return out

    def weights(self) -> NDArray:
        out = np.empty_like(self.off)
        for test, half, own, _, _ in self.solves:
            out[test] = -own @ half.T
            out[np.ix_(test, test)] = 0.0
        return out

    def coefficients(self, f: int, phi: NDArray) -> NDArray:
        """Return A_TT^{-1} phi_T of fold f, and 0 for the rows of the fold: (n, d) -> (n, d)."""
        v = phi.copy()
        v[self.solves[f][0]] = 0
        return self._solve(f, v)

    def _solve(self, f: int, v: NDArray) -> NDArray:
        """Return A_TT^{-1} v, and 0 on the fold, for v that is 0 on fold f."""
        test, half, own, _, _ = self.solves[f]
        u = self.off @ v
        x = u + self.diagonal[:, None] * v - half @ (own.T @ u[test])
        x[test] = 0
        return x

    def columns(self) -> Iterator[NDArray]:
        for part in identity(self.n):
            at = np.flatnonzero(part.any(axis=1))
            off, out = self.off[:, at], np.empty((len(self.solves), *part.shape))
            for f, (test, half, own, taken, left) in enumerate(self.solves):
                back = half @ (own.T @ off[test])
                out[f] = (back - off - taken * part) / left
                out[f, test] = -back[test]
                out[f, :, np.isin(at, test)] = 0.0
            yield out

    def folds(self) -> Iterator[Fold]:
        for test, half, own, _, _ in self.solves:
            train = np.delete(np.arange(self.n), test)
            outside = -own @ half[train].T
            inverse = self.off[np.ix_(train, train)] + self.off[np.ix_(train, test)] @ outside
            inverse[np.diag_indices_from(inverse)] += self.diagonal[train]
            inside = -self.ridge * inverse
            inside[np.diag_indices_from(inside)] += 1
            yield Fold(test, train, inside, outside)


class FromWeightedInverse(FromInverse):
    """Hold-out for kernel ridge with sample weights w, from C = (W^½ K W^½ + R)^{-1}.

    Sums of W^½ phi predict W^½ f. Of a row of weight w > 1 outside the fold, one copy is left out. A row of weight 0 is
    predicted like a new query.

    Parameters
    ----------
    off, diagonal, ridge, folds : (n, n), (n,), float, list of arrays
        As in `FromInverse`, with this C.
    root : (n, 1)
        W^½.
    features : callable
        rows -> k(x_i, x_j), for these rows i and all j.
    """

    def __init__(
        self,
        off: NDArray,
        diagonal: NDArray,
        ridge: float,
        folds: list[NDArray],
        root: NDArray,
        features: Callable[[NDArray], NDArray],
    ):
        super().__init__(off, diagonal, ridge, folds)
        w = np.square(root)
        self.root, self.kept = root, np.where(w > 1, 1 - 1 / np.maximum(w, 1), 0.0)
        self.divisor = np.where(root > 0, root, 1.0)
        self.absent = np.flatnonzero(root == 0)
        self.K = features(self.absent) if len(self.absent) else np.empty((0, self.n))

    def fitted(self, q: NDArray) -> NDArray:
        v = self.root * q
        out = super().fitted(v) / self.divisor
        for f in range(len(self.solves)):
            if len(self.absent):
                out[f, self.absent] = self.K @ (self.root * self._solve(f, v[f]))
        return out

    def __call__(self, q: NDArray) -> NDArray:
        v = self.root * q
        out = super().__call__(v) / self.divisor
        for f, (test, _, _, _, left) in enumerate(self.solves):
            # the part of a row that remains when one copy is left out, times R
            stay = self.kept * np.maximum(1 - self.ridge * left, 0)
            stay[test] = 0
            mixed = (self.ridge * left * out[f] + stay * q[f]) / np.where(stay > 0, self.ridge * left + stay, 1.0)
            out[f] = np.where(stay > 0, mixed, out[f])
            if len(self.absent):
                out[f, self.absent] = self.K @ (self.root * self._solve(f, v[f]))
        return out

    def out_of_fold(self, q: NDArray) -> NDArray:
        v = self.root * q
        out = super().out_of_fold(v) / self.divisor
        for f, (test, *_) in enumerate(self.solves):
            here = np.isin(self.absent, test)
            if here.any():
                out[self.absent[here]] = self.K[here] @ (self.root * self._solve(f, v[f]))
        return out

    def weights(self) -> NDArray:
        return self.predict(np.eye(self.n))

    def columns(self) -> Iterator[NDArray]:
        return Holdout.columns(self)

    def folds(self) -> Iterator[Fold]:
        for f, (test, train, inside, outside) in enumerate(super().folds()):
            inside = inside * self.root[train].T / self.divisor[train]
            outside = outside * self.root[train].T / self.divisor[test]
            if len(self.absent):
                only = np.zeros((self.n, len(train)))
                only[train, np.arange(len(train))] = self.root[train, 0]
                weights = self.K @ (self.root * self._solve(f, only))
                inside[np.isin(train, self.absent)] = weights[np.isin(self.absent, train)]
                outside[np.isin(test, self.absent)] = weights[np.isin(self.absent, test)]
            yield Fold(test, train, inside, outside)

    def coefficients(self, f: int, phi: NDArray) -> NDArray:
        return self.root * super().coefficients(f, self.root * phi)
