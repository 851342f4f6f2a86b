"""Kernel ridge without blocks of rows that count more or less than once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .operators import FromInverse, Holdout, Part


class FromWeightedInverse(FromInverse):
    """As `FromInverse`, with sample weights w: C = (W^½ K W^½ + R)^{-1}, and sums of W^½ phi predict W^½ f.

    Of a row of weight w > 1 outside the block, one copy is left out; a row of weight 0 was not there, and is predicted
    as any other point would be.

    Parameters
    ----------
    root : (n, 1)
        W^½.
    features : callable
        rows -> k(x_i, x_j), for some rows i and all j.
    """

    def __init__(
        self,
        off: NDArray,
        diagonal: NDArray,
        ridge: float,
        blocks: list[NDArray],
        root: NDArray,
        features: Callable[[NDArray], NDArray],
    ):
        super().__init__(off, diagonal, ridge, blocks)
        w = np.square(root)
        self.root, self.kept = root, np.where(w > 1, 1 - 1 / np.maximum(w, 1), 0.0)
        self.divisor = np.where(root > 0, root, 1.0)
        self.absent = np.flatnonzero(root == 0)
        self.K = features(self.absent) if len(self.absent) else np.empty((0, self.n))

    def __call__(self, q: NDArray) -> NDArray:
        v = self.root * q
        out = super().__call__(v) / self.divisor
        for b, (block, gain, _, left) in enumerate(self.solves):
            # what stays of a row when one copy is left out, times R
            stay = self.kept * np.maximum(1 - self.ridge * left, 0)
            stay[block] = 0
            mixed = (self.ridge * left * out[b] + stay * q[b]) / np.where(stay > 0, self.ridge * left + stay, 1.0)
            out[b] = np.where(stay > 0, mixed, out[b])
            if len(self.absent):
                out[b, self.absent] = self.K @ (self.root * self._solved(block, gain, v[b]))
        return out

    def predict(self, phi: Any) -> NDArray:
        phi = phi.toarray() if sparse.issparse(phi) else np.asarray(phi, dtype=float)
        out = super().predict(self.root * phi) / self.divisor
        for block, gain, _, _ in self.solves:
            here = np.isin(self.absent, block)
            if here.any():
                v = self.root * phi
                v[block] = 0
                out[self.absent[here]] = self.K[here] @ (self.root * self._solved(block, gain, v))
        return out

    def weights(self) -> NDArray:
        return self.predict(np.eye(self.n))

    def columns(self) -> Iterator[NDArray]:
        return Holdout.columns(self)

    def parts(self) -> Iterator[Part]:
        for (block, rest, inside, outside), (_, gain, _, _) in zip(super().parts(), self.solves):
            inside = inside * self.root[rest].T / self.divisor[rest]
            outside = outside * self.root[rest].T / self.divisor[block]
            if len(self.absent):
                only = np.zeros((self.n, len(rest)))
                only[rest, np.arange(len(rest))] = self.root[rest, 0]
                weights = self.K @ (self.root * self._solved(block, gain, only))
                at, out = np.isin(rest, self.absent), np.isin(block, self.absent)
                inside[at] = weights[np.isin(self.absent, rest)]
                outside[out] = weights[np.isin(self.absent, block)]
            yield Part(block, rest, inside, outside)

    def _solved(self, block: NDArray, gain: NDArray, v: NDArray) -> NDArray:
        """A_TT^{-1} v, and 0 on the block, for v that is 0 there."""
        u = self.off @ v
        x = u + self.diagonal[:, None] * v - gain @ u[block]
        x[block] = 0
        return x
