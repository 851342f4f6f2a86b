"""Ridge regression in r features b(x): normal equations summed over blocks of rows, r x r numbers in memory."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial, reduce
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_is_fitted

from ...data.chunks import ROWS, Block, Blocks
from ...data.errors import InfimumWarning
from ...data.memory import require
from ..base import Weights
from ..holdout.operators import LeftOut, product
from .kernel import FINITE, check_lam

KEPT = 2**30  # bytes of features kept for leave-one-out predictions that are asked for many times


class Sums(NamedTuple):
    """What one pass over the rows leaves behind: numbers of the size of the features, whatever the number of rows."""

    n: int
    total: float
    gram: NDArray | None
    """B'WB, its lower triangle."""
    cross: tuple
    """B'W phi, for every phi."""
    ones: NDArray
    """B'W 1."""

    def __add__(self, other: Any) -> Sums:
        gram = None if self.gram is None else self.gram + other.gram
        cross = tuple(a + b for a, b in zip(self.cross, other.cross))
        return Sums(self.n + other.n, self.total + other.total, gram, cross, self.ones + other.ones)


class Primal(Weights):
    """alpha(x) = b(x) (B'WB + n lam P)^{-1} B'W, for a family that gives b (`_map`) and the penalty P (`_penalty`).

    `fit` only settles b; the rows are read once, by the first `fold`, which sums B'WB and B'W phi together.
    """

    blockwise: ClassVar[bool] = True
    loo_by_substitution: ClassVar[bool] = True
    lam: float | None
    verbose: int
    n_features_in_: int

    def _settle(self, blocks: Blocks) -> None:
        """Learn the features b from the rows."""
        raise NotImplementedError

    def _map(self, X: Any) -> Any:
        """b(x), (q, r)."""
        raise NotImplementedError

    def _penalty(self) -> NDArray:
        """P, (r, r)."""
        raise NotImplementedError

    def _is_rough(self, sums: Sums) -> bool:
        """Whether the rows must be summed again: in single precision that turned out not to be enough."""
        return False

    def _in_double(self) -> None:
        """No single precision, unless it was asked for."""

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Learn the features from X (n, d), or from `infimum.Blocks` of rows."""
        check_lam(self)
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        blocks = X if isinstance(X, Blocks) else Blocks.sliced(X, None, w)
        self._settle(blocks)
        r = self.width
        require(4 * 8 * r**2, f"The normal equations of {r} features", "Use fewer centres or features.")
        self._factor: NDArray | None = None
        self._gram: NDArray | None = None
        self._summed = False
        self.X_fit_: Any = None if blocks is X else X
        self.sample_weight_ = w
        if blocks is not X:
            self.n_rows_ = X.shape[0]
        return self

    def features(self, X: Any) -> Any:
        check_is_fitted(self, "n_features_in_")
        return self._map(X)

    def project(self, phi: Any) -> NDArray:
        """(B'WB + n lam P)^{-1} B'W phi, (r, d)."""
        return self.project_many(phi)[0]

    def project_many(self, *phis: Any) -> tuple:
        """fold(phi) of each array, or of each part of the targets of one `infimum.Blocks`, in one pass."""
        blocks = phis[0] if isinstance(phis[0], Blocks) else self._with(phis)
        sums = self._accumulate(blocks)
        if self._factor is None:
            if not 0 < sums.total < np.inf:
                raise ValueError(f"sample_weight must have a positive and finite sum. Theirs is {sums.total:g}.")
            self.lam_ = sums.total**-0.5 if self.lam is None else float(self.lam)
            if self._is_rough(sums):
                sums = self._accumulate(blocks)
            self.n_rows_, self._total, self._gram = sums.n, sums.total, sums.gram
            self._factor = self._cholesky(sums.total * self.lam_)
        return tuple(linalg.cho_solve((self._factor, True), c, check_finite=False) for c in sums.cross)

    def _ready(self) -> None:
        """Factor the normal equations, if no target has asked for it yet."""
        if self._factor is None:
            self._in_double()
            self.project(np.empty((self.n_rows_, 0)))

    def alpha_matrix(self, features: Any) -> NDArray:
        self._ready()
        # b(x) (B'WB + n lam P)^{-1}, then the columns B'W block by block
        left = linalg.cho_solve((self._factor, True), dense(features).T, check_finite=False).T
        return np.hstack([left @ dense(self._map(X)).T * (1 if w is None else w) for X, _, w, _ in self._with(None)])

    def release(self, summed: bool = False) -> None:
        self._gram = None
        self._summed = summed

    def left_out(self) -> LeftOut:
        """(H phi - h phi) / (1 - h), with H = B (B'WB + R P)^{-1} B'W, R = n lam, and h_i what one copy of row i gives.

        h is computed once. The features B are kept while they take at most 1 GiB; beyond, they are mapped again at
        every call.
        """
        self._ready()
        half = partial(linalg.solve_triangular, self._factor, lower=True, check_finite=False)

        def leverage(B: NDArray, w: NDArray | None) -> NDArray:
            return np.square(half(B.T)).sum(axis=0) * (1 if w is None else np.minimum(w, 1))

        kept: list | None = [] if 8 * self.n_rows_ * self.width <= KEPT else None
        h = []
        for block in self._with(()):
            B = dense(self._map(block.X))
            h.append(leverage(B, block.w))
            if kept is not None:
                kept.append((B, block.w))
        leverages = np.concatenate(h)

        def features() -> Iterator[tuple[NDArray, NDArray | None]]:
            return iter(kept) if kept is not None else ((dense(self._map(b.X)), b.w) for b in self._with(()))

        def apply(phi: Any) -> NDArray:
            phi = dense(phi)
            cross = np.zeros((self.width, phi.shape[1]))
            end = 0
            for B, w in features():
                part = phi[end : (end := end + len(B))]
                cross += B.T @ (part if w is None else w[:, None] * part)
            folded = linalg.cho_solve((self._factor, True), cross, check_finite=False)
            F = np.vstack([B @ folded for B, _ in features()])
            return _without_self(F, leverages, phi)

        return apply

    def _alone(self, V: NDArray, inverse: NDArray, phi: Any) -> NDArray:
        return next(self._left_out(V, inverse, phi))

    def _left_out(self, V: NDArray, inverse: NDArray, phi: Any) -> Iterator[NDArray]:
        """Leave-one-out sums at every column of `inverse`, (r, n_lams)."""
        cross = V.T @ self._accumulate(self._with((phi,)), gram=False).cross[0]
        folded = (inverse[:, :, None] * cross[:, None, :]).reshape(len(V), -1)
        require(8 * self.n_rows_ * folded.shape[1], "Leave-one-out along the path", "Try fewer values of lam.")

        def one(X: Any, y: Any, w: Any, where: str) -> NDArray:
            G = dense(self._map(X)) @ V
            h = np.square(G) @ inverse * (1 if w is None else np.minimum(w, 1)[:, None])
            return _without_self((G @ folded).reshape(*h.shape, -1), h, dense(y[0])[:, None])

        return iter(np.concatenate([one(*block) for block in self._with((phi,))]).swapaxes(0, 1))

    def _with(self, phis: Any) -> Blocks:
        """The training rows with targets phis."""
        if self.X_fit_ is None:
            raise ValueError(
                "The training rows are not kept (the weights were fitted on Blocks, or saved in a model that needs sums"
                " only). Fit on arrays for the weights of single rows and for leave-one-out."
            )
        return Blocks.sliced(self.X_fit_, phis, self.sample_weight_)

    def _accumulate(self, blocks: Blocks, gram: bool | None = None) -> Sums:
        """One pass: sum over blocks of B'WB (unless it is known) and of B'W phi."""
        gram = self._factor is None if gram is None else gram
        return blocks.reduce(partial(self._sums, gram=gram), _add, type(self).__name__, self.verbose)

    def _sums(self, block: Block, gram: bool) -> Sums:
        """The sums over a block, some rows at a time: memory does not grow with the rows of a block."""
        pieces = (self._piece(block, rows, gram) for rows in gen_batches(max(block.X.shape[0], 1), ROWS))
        return reduce(_add, pieces)

    def _piece(self, block: Block, rows: slice, gram: bool) -> Sums:
        B, phis = self._map(block.X[rows]), tuple(phi[rows] for phi in block.y)
        n = B.shape[0]
        w = np.ones(n) if block.w is None else np.asarray(block.w[rows], dtype=float)
        ones = np.ones((n, 1))
        if block.w is not None:
            root = np.sqrt(w)[:, None]
            B = sparse.diags_array(root[:, 0]) @ B if sparse.issparse(B) else B * root.astype(B.dtype)
            ones, phis = root, tuple(sparse.diags_array(root[:, 0]) @ phi for phi in phis)
        *cross, total = _cross(B, (*phis, ones))
        return Sums(n, float(w.sum()), _syrk(B) if gram else None, tuple(cross), total[:, 0])

    def _cholesky(self, ridge: float, warn: bool = True) -> NDArray:
        """The lower Cholesky factor of B'WB + ridge P + jitter, with no jitter unless rounding asks for it.

        Features with |Pv| < jitter / ridge are lost to it; they have no say in the predictions as long as that is far
        below r lam.
        """
        assert self._gram is not None
        if not np.isfinite(self._gram).all():
            raise ValueError(f"The normal equations of {self!r} are not finite on these rows. {FINITE}")
        M = self._gram + np.tril(ridge * self._penalty())
        r = len(M)
        scale = np.abs(np.diagonal(M)).max(initial=0.0) or 1.0
        norm = linalg.norm(M, 1)
        floor = r * np.finfo(float).eps
        self.jitter_ = 0.0
        while True:
            M[np.diag_indices(r)] += self.jitter_
            try:
                factor = linalg.cholesky(M, lower=True, check_finite=False)
                if linalg.lapack.dpocon(factor, norm, uplo=b"L")[0] > floor or self.jitter_ > 1e3 * floor * norm:
                    break
            except linalg.LinAlgError:
                pass
            M[np.diag_indices(r)] -= self.jitter_
            self.jitter_ = 10 * self.jitter_ or floor * scale
        if warn and self.jitter_ > 1e-2 * r * ridge * ridge / self._total:
            warnings.warn(
                f"The normal equations are numerically singular at lam = {ridge / self._total:.3g}: a jitter of"
                f" {self.jitter_:.3g} beside n lam = {ridge:.3g} changes the predictions. Raise lam, narrow the kernel,"
                " or use fewer centres.",
                InfimumWarning,
                stacklevel=5,
            )
        return factor

    def __getstate__(self) -> dict:
        # a model that needs sums only is saved without its rows
        state = {**super().__getstate__(), "_gram": None}
        return {**state, "X_fit_": None, "sample_weight_": None} if state.get("_summed") else state


def _without_self(F: NDArray, h: NDArray, phi: NDArray) -> NDArray:
    """(H phi - h phi) / (1 - h), with the embedding on the last axis."""
    return (F - h[..., None] * phi) / (1 - h[..., None])


def _add(a: Sums, b: Sums) -> Sums:
    return a + b


def _syrk(B: Any) -> NDArray:
    """The lower triangle of B'B (a symmetric rank-k update: half the work of a product)."""
    if sparse.issparse(B):
        return np.tril((B.T @ B).toarray())
    syrk = linalg.get_blas_funcs("syrk", (B,))
    # the transpose of B in C order is in Fortran's order: BLAS reads it in place
    return np.asarray(syrk(1.0, B.T, trans=0, lower=1), dtype=float)


def _cross(B: Any, phis: tuple) -> tuple:
    """B' phi of each, by one product where they are dense."""
    if sparse.issparse(B) or any(map(sparse.issparse, phis)):
        return tuple(np.asarray(dense(B.T @ phi), dtype=float) for phi in phis)
    together = product(B.T, np.hstack(phis))
    return tuple(np.split(together, np.cumsum([phi.shape[1] for phi in phis])[:-1], axis=1))


def dense(A: Any) -> NDArray:
    return A.toarray() if sparse.issparse(A) else np.asarray(A)
