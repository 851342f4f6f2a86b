"""Scaled: any weights, on features of mean 0 and variance 1, so that units do not matter; or on those that matter."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from ..data import Block, Blocks
from .around import WeightsWrapper
from .base import Weights, as_target
from .holdout.operators import Holdout
from .relevance import relevance

SCALINGS = ("standard", "unit", "relevant", "relevant unit")


def is_relevant(scaling: str) -> bool:
    """Whether features are multiplied by their relevance."""
    return scaling.startswith("relevant")


class Moments(NamedTuple):
    """The weight, mean and summed squares of every feature; Chan's update merges two of them."""

    total: float
    mean: NDArray
    square: NDArray

    @classmethod
    def of(cls, X: Any, w: NDArray | None) -> Moments:
        w = np.ones(X.shape[0]) if w is None else w
        total = float(w.sum())
        if sparse.issparse(X):
            mean = np.asarray(w @ X).ravel() / max(total, 1e-300)
            return cls(total, mean, np.asarray(w @ X.multiply(X)).ravel() - total * mean**2)
        mean = w @ X / max(total, 1e-300)
        return cls(total, mean, w @ np.square(X - mean))

    def merge(self, other: Moments) -> Moments:
        total = max(self.total + other.total, 1e-300)
        step = other.mean - self.mean
        square = self.square + other.square + step**2 * self.total * other.total / total
        return Moments(self.total + other.total, self.mean + step * other.total / total, square)


class Scaled(WeightsWrapper):
    """alpha(s(x)) of other weights, where s brings every feature to mean 0 and variance 1.

    Parameters
    ----------
    weights : Weights, optional
        What sees the scaled features; ``KernelRidge()`` by default.
    scaling : {"standard", "unit", "relevant", "relevant unit"}, default "standard"
        "unit" then brings every row to length 1, so that directions count and sizes do not. "relevant" multiplies every
        feature by its `relevance` before.
    relevance : (d,) array, optional
        What features of variance 1 are multiplied by. By default :func:`infimum.weights.relevance` of the target that
        weights are fitted to, where the scaling is "relevant".

    Notes
    -----
    A sparse X stays sparse: its features are divided by their deviation and keep their mean. Constant ones become 0.
    Where relevances are learned, they are learned again without the rows that are held out.

    Examples
    --------
    >>> from infimum.weights import Neighbors
    >>> X = np.array([[0., 0.], [1., 0.], [0., 1000.]])
    >>> np.asarray(Scaled(Neighbors(1)).fit(X)(np.array([[.1, 900.]])))
    array([[0., 0., 1.]])
    """

    def __init__(self, weights: Any = None, scaling: str = "standard", relevance: Any = None) -> None:
        self.weights = weights
        self.scaling = scaling
        self.relevance = relevance

    def _base(self) -> Weights:
        if self.weights is None:
            from .families.kernel_ridge import KernelRidge

            return KernelRidge()
        return self.weights

    @property
    def signed(self) -> bool:  # type: ignore[override]
        return self._base().signed

    @property
    def blockwise(self) -> bool:  # type: ignore[override]
        return self._base().blockwise and not self._learns

    @property
    def supervised(self) -> bool:  # type: ignore[override]
        return self._learns or self._base().supervised

    @property
    def _learns(self) -> bool:
        """Whether relevances come from the target."""
        return is_relevant(self.scaling) and self.relevance is None

    def fit(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        if self.scaling not in SCALINGS:
            raise ValueError(f"scaling must be one of {', '.join(map(repr, SCALINGS))}. Got {self.scaling!r} instead.")
        if self._base().pairwise:
            raise ValueError("A precomputed kernel has no features to scale. Leave out Scaled.")
        self._learn(X, target, sample_weight)
        self.weights_ = clone(self._base()).fit(self.scaled(X), target, sample_weight)
        return self

    def _learn(self, X: Any, target: Any = None, sample_weight: Any = None) -> Self:
        """mean_ and scale_."""
        self.mean_, self.scale_ = self._learned(X, sample_weight)
        if sparse.issparse(X.first().X if isinstance(X, Blocks) else X):
            self.mean_ = np.zeros_like(self.mean_)  # sparse rows stay sparse, and later ones are treated alike
        found = self.relevance
        if self._learns:
            known = as_target(target)
            if known is None:
                raise ValueError(f"scaling={self.scaling!r} looks at the embedded sets: fit(X, phi) needs phi (n, d).")
            found = relevance(self._divided(X), known.phi, sample_weight)
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

    def _learned(self, X: Any, w: Any) -> tuple[NDArray, NDArray]:
        found = X.reduce(_moments, Moments.merge) if isinstance(X, Blocks) else Moments.of(X, w)
        variance = np.maximum(found.square, 0) / max(found.total, 1e-300)
        # what rounding leaves of a constant feature is not a scale
        constant = variance <= (1e-14 * np.abs(found.mean)) ** 2
        # few digits, so that sums over other blocks of the same rows give the same features
        scale = np.where(constant, np.inf, np.sqrt(variance).astype(np.float32).astype(float))
        scale = np.where(scale > 0, scale, np.inf)
        units = np.where(np.isinf(scale), 0.0, found.mean / np.where(np.isinf(scale), 1.0, scale))
        near = np.rint(units * 2**20) / 2**20 * np.where(np.isinf(scale), 1.0, scale)
        return np.where(np.isinf(scale), found.mean, near), scale

    def scaled(self, X: Any) -> Any:
        """s(x), of the kind that X is."""
        if isinstance(X, Blocks):
            return X.map(self._block)
        if sparse.issparse(X) and self.mean_.any():  # learned from rows that are not sparse
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
        return (np.asarray(X) - self.mean_) / self.scale_

    def _block(self, block: Block) -> Block:
        return block._replace(X=self.scaled(block.X))

    @property
    def n_rows_(self) -> int:  # type: ignore[override]
        return self.weights_.n_rows_

    @property
    def width(self) -> int:
        return self.weights_.width

    def features(self, X: Any) -> Any:
        return self.weights_.features(self.scaled(X))

    def project(self, phi: Any) -> Any:
        return self.project_many(phi)[0]

    def project_many(self, *phis: Any) -> tuple:
        return self.weights_.project_many(*(self.scaled(phi) if isinstance(phi, Blocks) else phi for phi in phis))

    def held_out(self, X: Any, target: Any, sample_weight: Any, blocks: list[NDArray] | None) -> Holdout:
        if self._learns and blocks is not None:
            return super().held_out(X, target, sample_weight, blocks)
        # at the scale of all the rows
        return self.weights_.held_out(self.scaled(X), target, sample_weight, blocks)

    def release(self, summed: bool = False) -> None:
        self.weights_.release(summed)


def _moments(block: Block) -> Moments:
    return Moments.of(block.X, block.w)
