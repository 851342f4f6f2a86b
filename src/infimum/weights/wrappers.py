"""Weights around other weights: scaled features, and labelled rows only."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from ..data import Chunk, Chunks
from ..data.checks import check_number
from .base import Weights, as_target
from .families.kernel_ridge import KernelRidge
from .holdout.operators import Holdout, LooOperator
from .linalg import Moments, product
from .relevance import relevance

SCALINGS = ("standard", "unit", "relevant", "relevant unit")


def is_relevant(scaling: str) -> bool:
    """Return whether a scaling multiplies features by their relevance."""
    return scaling.startswith("relevant")


class WeightsWrapper(Weights):
    """The base class of weights around others, which `fit` clones and keeps as `weights_`.

    Capabilities of the inner weights, and methods about queries, are passed on.
    """

    weights: Any
    weights_: Any

    @property
    def signed(self) -> bool:  # type: ignore[override]
        return self.inner.signed

    @property
    def supports_chunks(self) -> bool:  # type: ignore[override]
        return self.inner.supports_chunks

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return self.inner.supervised

    @property
    def largest_power(self) -> float:  # type: ignore[override]
        return self.inner.largest_power

    @property
    def is_ridge(self) -> bool:  # type: ignore[override]
        return self.inner.is_ridge

    @property
    def inner(self) -> Weights:
        """The inner weights before `fit`."""
        return self.weights

    @property
    def width(self) -> int:
        return self.weights_.width

    def features(self, X: Any) -> Any:
        return self.weights_.features(X)

    def release(self, sums_only: bool = False) -> None:
        self.weights_.release(sums_only)


class Scaled(WeightsWrapper):
    """Any weights on features of mean 0 and the same scale, so the units of features do not matter.

    Parameters
    ----------
    weights : Weights, optional
        Weights that are fitted to the scaled features; ``KernelRidge()`` by default.
    scaling : {"standard", "unit", "relevant", "relevant unit"}, default "standard"
        "standard" brings each feature to mean 0 and variance 1. A feature with only two values is divided by half of
        their difference instead, because a rare value would outweigh all other features otherwise. "unit" also scales
        each row to length 1, so only its direction counts. "relevant" also multiplies each feature by its `relevance`.
    relevance : (d,) array, optional
        Factors of the standardised features. By default, if the scaling is "relevant", they are computed from the
        target of `fit` by :func:`infimum.weights.relevance`.
    margin : float, optional
        Features of new rows are clipped to the range of the training rows, extended by this many standard deviations
        in both directions. Linear models extrapolate to any number otherwise, and kernels are 0 far from all rows. By
        default they are not clipped. Sparse features are never clipped.

    Attributes
    ----------
    mean_, scale_ : (d,)
        What features are shifted by and divided by.
    range_ : (2, d) array or None
        The ends to which features are clipped.
    weights_ : Weights
        The fitted inner weights.

    Notes
    -----
    A sparse X stays sparse: its features are divided by the same scale and not centered. Constant features
    become 0. Relevances that are computed from the target are computed again without the rows that are held out.

    Examples
    --------
    >>> from infimum.weights import Neighbors
    >>> X = np.array([[0., 0.], [1., 0.], [0., 1000.]])
    >>> np.asarray(Scaled(Neighbors(1)).fit(X)(np.array([[.1, 900.]])))
    array([[0., 0., 1.]])
    """

    def __init__(
        self, weights: Any = None, scaling: str = "standard", relevance: Any = None, margin: float | None = None
    ) -> None:
        self.weights = weights
        self.scaling = scaling
        self.relevance = relevance
        self.margin = margin

    @property
    def inner(self) -> Weights:
        return KernelRidge() if self.weights is None else self.weights

    @property
    def supports_chunks(self) -> bool:  # type: ignore[override]
        return self.inner.supports_chunks and not self._learns

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return self._learns or self.inner.supervised

    @property
    def _learns(self) -> bool:
        """Whether relevances are computed from the target."""
        return is_relevant(self.scaling) and self.relevance is None

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        if self.scaling not in SCALINGS:
            raise ValueError(f"scaling must be one of {', '.join(map(repr, SCALINGS))}. Got {self.scaling!r} instead.")
        if self.inner.pairwise:
            raise ValueError("A precomputed kernel has no features to scale. Leave out Scaled.")
        self.fit_scale(X, target, sample_weight)
        self.weights_ = clone(self.inner).fit(self.scaled(X), target, sample_weight)
        return self

    def fit_scale(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """Compute `mean_`, `scale_` and `range_`, and leave the inner weights unfitted."""
        check_number(self, "margin", 0, optional=True)
        found = X.reduce(_summary, _merged) if isinstance(X, Chunks) else _summary(Chunk(X, None, sample_weight))
        self.mean_, self.scale_ = _standard(*found)
        self.range_: NDArray | None = None
        if sparse.issparse(X.first().X if isinstance(X, Chunks) else X):
            self.mean_ = np.zeros_like(self.mean_)  # sparse rows stay sparse, and later ones are treated alike
        elif self.margin is not None:
            ends = found[1]
            deviation = np.where(np.isinf(self.scale_), 0.0, self.scale_)
            self.range_ = ends + self.margin * np.array([-deviation, deviation])
        found = self.relevance
        if self._learns:
            labels = as_target(target)
            if labels is None:
                raise ValueError(
                    f"scaling={self.scaling!r} requires the embedded sets. Call fit(X, phi), phi of shape (n, d)."
                )
            found = relevance(self._divided(X), labels.phi, sample_weight)
        if found is not None:
            found = np.asarray(found, dtype=float)
            if found.shape != self.scale_.shape or not (found >= 0).all():
                raise ValueError(
                    f"relevance must have a number >= 0 for each of the {len(self.scale_)} features. Got"
                    f" {found.shape if found.shape != self.scale_.shape else found[~(found >= 0)][0]}."
                )
            with np.errstate(divide="ignore"):
                self.scale_ = self.scale_ / found
        return self

    def scaled(self, X: Any) -> Any:
        """Return the scaled features of X, which may be an array, a sparse matrix or chunks."""
        if isinstance(X, Chunks):
            return X.map(self._chunk)
        if sparse.issparse(X) and self.mean_.any():  # the weights were fitted to a dense X
            X = X.toarray()
        Z = self._divided(X)
        if not self.scaling.endswith("unit"):
            return Z
        if sparse.issparse(Z):
            length = np.sqrt(np.asarray(Z.multiply(Z).sum(axis=1)).ravel())
            return sparse.csr_matrix(sparse.diags_array(1 / np.where(length > 0, length, 1)) @ Z)
        length = np.linalg.norm(Z, axis=1, keepdims=True)
        Z /= np.where(length > 0, length, 1)
        return Z

    def _divided(self, X: Any) -> Any:
        if sparse.issparse(X):
            return sparse.csr_matrix(X @ sparse.diags_array(1 / self.scale_))
        X = np.asarray(X) if self.range_ is None else np.clip(X, *self.range_)
        return (X - self.mean_) / self.scale_

    def _chunk(self, chunk: Chunk) -> Chunk:
        return chunk._replace(X=self.scaled(chunk.X))

    @property
    def n_rows_(self) -> int:  # type: ignore[override]
        return self.weights_.n_rows_

    def features(self, X: Any) -> Any:
        return self.weights_.features(self.scaled(X))

    def project(self, phi: Any) -> Any:
        return self.project_many(phi)[0]

    def project_many(self, *phis: Any) -> tuple:
        return self.weights_.project_many(*(self.scaled(phi) if isinstance(phi, Chunks) else phi for phi in phis))

    def alpha_matrix(self, features: Any) -> NDArray:
        return self.weights_.alpha_matrix(features)

    def loo_operator(self) -> LooOperator | None:
        return self.weights_.loo_operator()

    def held_out(self, X: Any, target: Any, sample_weight: Any, folds: list[NDArray] | None) -> Holdout:
        if self._learns and folds is not None:
            return super().held_out(X, target, sample_weight, folds)
        # the scale is that of all rows
        return self.weights_.held_out(self.scaled(X), target, sample_weight, folds)


def _summary(chunk: Chunk) -> tuple[Moments, NDArray]:
    """Return the moments of each feature, and its least and largest value in rows of positive weight, (2, d)."""
    X = chunk.X if chunk.w is None else chunk.X[np.asarray(chunk.w) > 0]
    if not sparse.issparse(X):
        X = np.asarray(X, dtype=float)
        ends = np.array([X.min(axis=0, initial=np.inf), X.max(axis=0, initial=-np.inf)])
    else:
        ends = np.array([X.min(axis=0).toarray().ravel(), X.max(axis=0).toarray().ravel()], dtype=float)
    return Moments.of(chunk.X, chunk.w), ends


def _merged(a: tuple[Moments, NDArray], b: tuple[Moments, NDArray]) -> tuple[Moments, NDArray]:
    """Return the summary of the rows of both."""
    return a[0].merge(b[0]), np.array([np.minimum(a[1][0], b[1][0]), np.maximum(a[1][1], b[1][1])])


def _standard(found: Moments, ends: NDArray) -> tuple[NDArray, NDArray]:
    """Return what each feature is shifted by and divided by, rounded."""
    variance, (low, high) = found.variance, ends
    # a constant feature has a variance of rounding errors, which must not become its scale
    constant = variance <= (1e-14 * np.abs(found.mean)) ** 2
    # few digits, so other chunks of the same rows give the same features
    fraction, exponent = np.frexp(np.sqrt(variance))
    scale = np.where(constant, np.inf, np.ldexp(np.rint(fraction * 2**24) / 2**24, exponent))
    # the variance is largest if there are only two values (Bhatia and Davis, "A better bound on the variance", 2000)
    half = (high - low) / 2
    two_values = variance >= (1 - 1e-6) * (high - found.mean) * (found.mean - low)
    scale = np.where(two_values & np.isfinite(scale), half, scale)
    scale = np.where(scale > 0, scale, np.inf)
    finite = np.where(np.isinf(scale), 1.0, scale)
    units = np.where(np.isinf(scale), 0.0, found.mean / finite)
    return np.where(np.isinf(scale), found.mean, np.rint(units * 2**20) / 2**20 * finite), scale


class LabelledRowsOnly(WeightsWrapper):
    """Any weights, fitted to the labelled rows; unlabelled rows have weight 0.

    A ridge that is fitted to all rows gives part of each prediction to the unlabelled ones. Without them it is the
    ridge of the labelled rows. The target of `fit` contains which rows are labelled; without a target, all are.

    Parameters
    ----------
    weights : Weights
        Weights that are fitted to the labelled rows.
    exact : bool, default False
        Whether only rows with an exact label count as labelled. Ambiguous rows then have weight 0 as well.

    Attributes
    ----------
    labelled_ : (n_labelled,) integers
        The rows that the inner weights are fitted to.
    weights_ : Weights
        The fitted inner weights.

    Examples
    --------
    >>> from infimum.weights import KernelRidge, Target
    >>> X = np.array([[0.], [1.], [2.]])
    >>> family = LabelledRowsOnly(KernelRidge(lam=.1)).fit(X, Target(np.zeros((3, 1)), np.array([True, False, True])))
    >>> alone = KernelRidge(lam=.1).fit(X[[0, 2]])
    >>> np.asarray(family(X))[:, 1]
    array([0., 0., 0.])
    >>> bool(np.allclose(np.asarray(family(X))[:, [0, 2]], np.asarray(alone(X))))
    True
    """

    def __init__(self, weights: Any, exact: bool = False) -> None:
        self.weights = weights
        self.exact = exact

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        if self.weights.pairwise:
            raise ValueError("Rows of a precomputed kernel cannot be left out. Leave them out of X and y.")
        target = as_target(target)
        labelled = np.ones(X.shape[0], dtype=bool)
        if target is not None:
            labelled = target.exact if self.exact else target.labelled
        if not labelled.any():
            labelled = np.ones_like(labelled)
        self.labelled_ = np.flatnonzero(labelled)
        inner_target = None if target is None else target[self.labelled_]
        w = None if sample_weight is None else np.asarray(sample_weight)[self.labelled_]
        self.weights_ = clone(self.weights).fit(X[self.labelled_], inner_target, w)
        self.n_rows_ = len(labelled)
        self._unlabelled = X[~labelled]
        return self

    def refit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        target = as_target(target)
        w = None if sample_weight is None else np.asarray(sample_weight)[self.labelled_]
        inner_target = None if target is None else target[self.labelled_]
        self.weights_ = self.weights_.refit(X[self.labelled_], inner_target, w)
        return self

    def project(self, phi: Any) -> Any:
        return self.weights_.project(phi[self.labelled_])

    def alpha_matrix(self, features: Any) -> NDArray:
        out = np.zeros((features.shape[0], self.n_rows_))
        out[:, self.labelled_] = self.weights_.alpha_matrix(features)
        return out

    def loo_operator(self) -> LooOperator | None:
        inner = self.weights_.loo_operator()
        if inner is None or len(self.labelled_) == self.n_rows_:
            return inner
        unlabelled = np.delete(np.arange(self.n_rows_), self.labelled_)
        features = self.weights_.features(self._unlabelled)

        def predict(phi: Any) -> NDArray:
            phi = phi[self.labelled_]
            labelled = inner(phi)
            out = np.empty((self.n_rows_, labelled.shape[1]))
            out[self.labelled_], out[unlabelled] = labelled, product(features, self.weights_.project(phi))
            return out

        return predict

    def release(self, sums_only: bool = False) -> None:
        super().release(sums_only)
        self._sums_only = sums_only

    def __getstate__(self) -> dict:
        """Return the state without the unlabelled rows if the inner weights are saved without their rows."""
        state = super().__getstate__()
        without = self.supports_chunks and state.get("_sums_only", False)
        return {**state, "_unlabelled": state["_unlabelled"][:0]} if without else state
