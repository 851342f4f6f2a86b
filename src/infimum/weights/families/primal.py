"""Ridge regression in r features, from normal equations that are summed over chunks of rows."""

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

from ...data.chunks import ROWS, Chunk, Chunks
from ...data.errors import InfimumWarning
from ...data.memory import require
from ..base import Weights
from ..holdout.operators import LooOperator
from ..linalg import dense, product
from .kernel import FINITE, check_lam

KEPT = 2**30  # bytes of features that `loo_operator` keeps; larger ones are computed again at each call


class Sums(NamedTuple):
    """The sums of one pass over the rows; their size does not depend on the number of rows."""

    n: int
    total: float
    gram: NDArray | None
    """The lower triangle of B'WB."""
    cross: tuple
    """B'W phi of each phi."""
    ones: NDArray
    """B'W 1."""

    def __add__(self, other: Any) -> Sums:
        gram = None if self.gram is None else self.gram + other.gram
        cross = tuple(a + b for a, b in zip(self.cross, other.cross))
        return Sums(self.n + other.n, self.total + other.total, gram, cross, self.ones + other.ones)


class Primal(Weights):
    """The base class of ridge regression in r features b(x).

    The weights are alpha(x) = b(x) (B'WB + n lam P)^{-1} B'W. A family implements `_fit_features`, `_map`, which
    returns b(x), and `_penalty`, which returns P. `fit` only learns the features. The first call of `project` reads the
    rows and sums B'WB and B'W phi in one pass.
    """

    supports_chunks: ClassVar[bool] = True
    is_ridge: ClassVar[bool] = True
    lam: float | None
    verbose: int
    n_features_in_: int

    def _fit_features(self, chunks: Chunks) -> None:
        """Learn the features b from the rows."""
        raise NotImplementedError

    def _map(self, X: Any) -> Any:
        """Return b(x), (q, r)."""
        raise NotImplementedError

    def _penalty(self) -> NDArray:
        """Return P, (r, r)."""
        raise NotImplementedError

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Learn the features from X (n, d) or from `infimum.Chunks`."""
        check_lam(self)
        w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)
        chunks = X if isinstance(X, Chunks) else Chunks.of_columns(X, None, w)
        self._fit_features(chunks)
        r = self.width
        require(4 * 8 * r**2, f"The normal equations of {r} features", "Use fewer centres or features.")
        self._factor: NDArray | None = None
        self._gram: NDArray | None = None
        self._sums_only = False
        self.X_fit_: Any = None if chunks is X else X
        self.sample_weight_ = w
        if chunks is not X:
            self.n_rows_ = X.shape[0]
        return self

    def features(self, X: Any) -> Any:
        check_is_fitted(self, "n_features_in_")
        return self._map(X)

    def project(self, phi: Any) -> NDArray:
        """Return (B'WB + n lam P)^{-1} B'W phi, (r, d)."""
        return self.project_many(phi)[0]

    def project_many(self, *phis: Any) -> tuple:
        """Return `project` of each array, or of each part of the targets of one `infimum.Chunks`, in one pass."""
        chunks = phis[0] if isinstance(phis[0], Chunks) else self._with(phis)
        return self.solve(self._accumulate(chunks))

    def sums_of(self, X: Any, phis: tuple, sample_weight: Any = None) -> Sums:
        """Return the sums over some rows, which can be added to those of other rows."""
        return Chunks.of_columns(X, phis, sample_weight).reduce(partial(self._sums, gram=True), _add)

    def solve(self, sums: Sums) -> tuple:
        """Return (B'WB + n lam P)^{-1} B'W phi of each phi, and keep the factor if the sums contain B'WB."""
        if sums.gram is not None:
            if not 0 < sums.total < np.inf:
                raise ValueError(f"The sum of sample_weight must be positive and finite. Got {sums.total:g}.")
            self.lam_ = sums.total**-0.5 if self.lam is None else float(self.lam)
            self.n_rows_, self._total, self._gram = sums.n, sums.total, sums.gram
            self._factor = self._cholesky(sums.total * self.lam_)
        return tuple(linalg.cho_solve((self._factor, True), c, check_finite=False) for c in sums.cross)

    def _ready(self) -> None:
        """Factor the normal equations if that has not been done."""
        if self._factor is None:
            self.project(np.empty((self.n_rows_, 0)))

    def alpha_matrix(self, features: Any) -> NDArray:
        self._ready()
        # b(x) (B'WB + n lam P)^{-1}, then the columns B'W chunk by chunk
        left = linalg.cho_solve((self._factor, True), dense(features).T, check_finite=False).T
        return np.hstack([left @ dense(self._map(X)).T * (1 if w is None else w) for X, _, w, _ in self._with(None)])

    def release(self, sums_only: bool = False) -> None:
        self._gram = None
        self._sums_only = sums_only

    def loo_operator(self) -> LooOperator:
        """Return the function phi -> (H phi - h phi) / (1 - h).

        Here H = B (B'WB + R P)^{-1} B'W, R = n lam, and h_i is the leverage of one copy of row i. The features B are
        kept if they take at most 1 GiB, and are computed again at each call otherwise.
        """
        self._ready()
        half = partial(linalg.solve_triangular, self._factor, lower=True, check_finite=False)

        def leverage(B: NDArray, w: NDArray | None) -> NDArray:
            return np.square(half(B.T)).sum(axis=0) * (1 if w is None else np.minimum(w, 1))

        kept: list | None = [] if 8 * self.n_rows_ * self.width <= KEPT else None
        h = []
        for chunk in self._with(()):
            B = dense(self._map(chunk.X))
            h.append(leverage(B, chunk.w))
            if kept is not None:
                kept.append((B, chunk.w))
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
            projected = linalg.cho_solve((self._factor, True), cross, check_finite=False)
            F = np.vstack([B @ projected for B, _ in features()])
            return (F - leverages[:, None] * phi) / (1 - leverages[:, None])

        return apply

    def _with(self, phis: Any) -> Chunks:
        """Return the training rows with targets phis, in chunks."""
        if self.X_fit_ is None:
            raise ValueError(
                "The training rows are not stored, because the weights were fitted on chunked data or loaded."
                " Fit on arrays to get the weights of single rows and leave-one-out predictions."
            )
        return Chunks.of_columns(self.X_fit_, phis, self.sample_weight_)

    def _accumulate(self, chunks: Chunks) -> Sums:
        """Sum B'W phi over all chunks, and B'WB unless it has been factored."""
        function = partial(self._sums, gram=self._factor is None)
        return chunks.reduce(function, _add, type(self).__name__, self.verbose)

    def _sums(self, chunk: Chunk, gram: bool) -> Sums:
        """Sum over a chunk, some rows at a time, so memory does not grow with the rows of a chunk."""
        pieces = (self._piece(chunk, rows, gram) for rows in gen_batches(max(chunk.X.shape[0], 1), ROWS))
        return reduce(_add, pieces)

    def _piece(self, chunk: Chunk, rows: slice, gram: bool) -> Sums:
        B, phis = self._map(chunk.X[rows]), tuple(phi[rows] for phi in chunk.y)
        n = B.shape[0]
        w = np.ones(n) if chunk.w is None else np.asarray(chunk.w[rows], dtype=float)
        ones = np.ones((n, 1))
        if chunk.w is not None:
            root = np.sqrt(w)[:, None]
            B = sparse.diags_array(root[:, 0]) @ B if sparse.issparse(B) else B * root
            ones, phis = root, tuple(sparse.diags_array(root[:, 0]) @ phi for phi in phis)
        *cross, total = _cross(B, (*phis, ones))
        return Sums(n, float(w.sum()), _syrk(B) if gram else None, tuple(cross), total[:, 0])

    def _cholesky(self, ridge: float) -> NDArray:
        """Return the lower Cholesky factor of B'WB + ridge P + jitter; the jitter is 0 unless rounding requires it.

        Directions v with |Pv| < jitter / ridge are lost. They do not matter as long as that is far below r lam.
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
        if self.jitter_ > 1e-2 * r * ridge * ridge / self._total:
            warnings.warn(
                f"The normal equations are numerically singular at lam = {ridge / self._total:.3g}. {self.jitter_:.3g}"
                f" was added to n lam = {ridge:.3g}, which changes the predictions. Increase lam, narrow the kernel, or"
                " use fewer centres.",
                InfimumWarning,
                stacklevel=5,
            )
        return factor

    def __getstate__(self) -> dict:
        # a model whose predictions are sums is saved without its rows
        state = {**super().__getstate__(), "_gram": None}
        return {**state, "X_fit_": None, "sample_weight_": None} if state.get("_sums_only") else state


def _add(a: Sums, b: Sums) -> Sums:
    return a + b


def _syrk(B: Any) -> NDArray:
    """Return the lower triangle of B'B, by a symmetric rank-k update, which is half the work of a product."""
    if sparse.issparse(B):
        return np.tril((B.T @ B).toarray())
    syrk = linalg.get_blas_funcs("syrk", (B,))
    # the transpose of an array in C order is in Fortran order, which BLAS reads in place
    return np.asarray(syrk(1.0, B.T, trans=0, lower=1), dtype=float)


def _cross(B: Any, phis: tuple) -> tuple:
    """Return B' phi of each phi, by one product if all are dense."""
    if sparse.issparse(B) or any(map(sparse.issparse, phis)):
        return tuple(np.asarray(dense(B.T @ phi), dtype=float) for phi in phis)
    together = product(B.T, np.hstack(phis))
    return tuple(np.split(together, np.cumsum([phi.shape[1] for phi in phis])[:-1], axis=1))
