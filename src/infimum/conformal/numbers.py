"""Numbers: intervals of constant width, of a width that a local scale gives, or around local quantiles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..outputs import Intervals, Reals
from ..outputs.numbers.forms import Pieces
from ..weights import Neighbors, Scaled, Target
from .base import Score, register
from .local_scale import LocalScale, numbers


class NumberScore(Score):
    """A score whose values up to r are an interval: `ends`, (n,) and (n,)."""

    def ends(self, forecast: NDArray, radius: Any) -> tuple[NDArray, NDArray]:
        """The ends of {y : s(x, y) <= radius}, the first above the second where it is empty."""
        raise NotImplementedError

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Intervals:
        return intervals(*self.ends(forecast, radius), space)

    def counted(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> Intervals:
        """The interval from the (n + 1 - rank)-th smallest lower end to the rank-th smallest upper end."""
        ends = [self.ends(F[:, None], R) for F, R in zip(forecasts, scores)]  # (q, rows of a fold)
        low, high = (np.concatenate(side, axis=1) for side in zip(*ends))
        return intervals(-nth(-low, rank), nth(high, rank), space)

    def union(self, parts: list) -> Intervals:
        pieces = [(part.lower, part.upper, part.row) for part in parts]
        lower, upper, row = (np.concatenate(side) for side in zip(*pieces))
        return Intervals(Pieces(lower, upper, row, len(parts[0])))

    def joined(self, parts: list) -> Intervals:
        first = np.cumsum([0, *(len(part) for part in parts)])
        rows = np.concatenate([part.row + n for part, n in zip(parts, first)])
        low, high = (np.concatenate([getattr(part, side) for part in parts]) for side in ("lower", "upper"))
        return Intervals(Pieces(low, high, rows, int(first[-1])))

    def meets(self, found: Any, sets: Any) -> NDArray:
        a, b = np.asarray(found)[:, :, None], np.asarray(sets)[:, None]
        return np.asarray(((a[..., 0] <= b[..., 1]) & (b[..., 0] <= a[..., 1])).any(axis=(1, 2)))

    def holds(self, found: Any, sets: Any) -> NDArray:
        a, b = np.asarray(found)[:, :, None], np.asarray(sets)[:, None]
        inside = ((a[..., 0] <= b[..., 0]) & (b[..., 1] <= a[..., 1])).any(axis=1)
        return (inside | np.isnan(np.asarray(sets)[..., 0])).all(axis=1)

    def exact(self, sets: Any) -> NDArray:
        return sets.is_exact

    def bounded(self, sets: Any) -> NDArray:
        return np.isfinite(sets.lowest) & np.isfinite(sets.highest)

    def size(self, found: Any) -> NDArray:
        """The length."""
        return np.bincount(found.row, found.upper - found.lower, minlength=len(found))


def intervals(low: NDArray, high: NDArray, space: Any) -> Intervals:
    """[low, high] within the bounds of the space; where it is empty, its middle, for an interval is never empty."""
    middle = (low + high) / 2 if np.isfinite(low).all() and np.isfinite(high).all() else np.nan
    low, high = np.where(low > high, middle, low), np.where(low > high, middle, high)
    return Intervals(np.clip(np.column_stack([low, high]), *space.bounds_))


def nth(values: NDArray, rank: float) -> NDArray:
    """The rank-th smallest of every row, rounded up; infinite beyond the last: (q, n) -> (q,)."""
    k = math.ceil(rank - 1e-9)
    if k > values.shape[1]:
        return np.full(len(values), math.inf)
    return np.partition(values, k - 1, axis=1)[:, k - 1]


class Distance(NumberScore):
    """s(x, y) = |f(x) - y|: intervals of one width."""

    name = "distance"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return np.asarray(model.predict(X), dtype=float)

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return solver.argmin(alpha)

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        return sets.farthest(forecast)

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        return sets.distance(forecast)

    def ends(self, forecast: NDArray, radius: Any) -> tuple[NDArray, NDArray]:
        return forecast - radius, forecast + radius


class ScaledDistance(LocalScale, NumberScore):
    """s(x, y) = |f(x) - y| / sigma(x): intervals as wide as errors are large around x; see :class:`LocalScale`.

    Parameters
    ----------
    scale : regressor, optional
        What learns sigma; by default the mean over the nearest rows, the features being standardised.
    """

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        return sets.farthest(forecast[:, 0]) / forecast[:, 1]

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        return sets.distance(forecast[:, 0]) / forecast[:, 1]

    def ends(self, forecast: NDArray, radius: Any) -> tuple[NDArray, NDArray]:
        z, sigma = forecast[..., 0], forecast[..., 1]
        return z - radius * sigma, z + radius * sigma


class LocalQuantiles(NumberScore):
    """s(x, y) = max(a(x) - y, y - b(x)), a and b local quantiles: below the one, above the other, whichever is more.

    By the weights alpha(x) of rows of its own, those below 0 counting nothing: a(x) is the share/2 quantile of the
    lower ends of their sets, b(x) the 1 - share/2 quantile of the upper ends; where a set has no end on a side, its
    other end counts (conformalised quantile regression: Romano, Patterson and Candès, 2019).

    Parameters
    ----------
    share : float, default 0.2
        What lies outside of [a(x), b(x)] by the weights.
    weights : Weights, optional
        By default those of the model, fitted to rows of its own; for a model without weights, the nearest rows.
    """

    name = "quantiles"
    learns = True

    def __init__(self, share: float = 0.2, weights: Any = None):
        self.share = share
        self.weights = weights

    def learn(self, model: Any, X: Any, sets: Any) -> LocalQuantiles:
        if not 0 < self.share < 1:
            raise ValueError(f"share must be between 0 and 1. Got {self.share!r} instead.")
        made = self.weights if self.weights is not None else getattr(model, "weights_", None)
        near = Scaled(Neighbors(max(1, min(len(sets), 5 + round(len(sets) ** 0.5)))))
        made = near if made is None else clone(made)
        self.weights_ = made.fit(numbers(model, X), Target(sets.start()), None)
        low, high = sets.lowest, sets.highest
        some = np.median(np.concatenate([low[np.isfinite(low)], high[np.isfinite(high)], [0.0]]))
        self.low_ = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, some))
        self.high_ = np.where(np.isfinite(high), high, np.where(np.isfinite(low), low, some))
        return self

    def forecast(self, model: Any, X: Any) -> NDArray:
        alpha = np.maximum(np.asarray(self.weights_(numbers(model, X))), 0)
        alpha = np.where(alpha.sum(axis=1, keepdims=True) > 0, alpha, 1.0)
        sides = ((self.low_, self.share / 2), (self.high_, 1 - self.share / 2))
        return np.column_stack([weighted_quantile(values, alpha, share) for values, share in sides])

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        return np.maximum(forecast[:, 0] - sets.lowest, sets.highest - forecast[:, 1])

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        a, b = forecast[:, 0][sets.row], forecast[:, 1][sets.row]
        y = np.clip((a + b) / 2, sets.lower, sets.upper)  # the best point of every piece
        return np.minimum.reduceat(np.maximum(a - y, y - b), sets.indptr[:-1])

    def ends(self, forecast: NDArray, radius: Any) -> tuple[NDArray, NDArray]:
        return forecast[..., 0] - radius, forecast[..., 1] + radius


def weighted_quantile(values: NDArray, alpha: NDArray, share: float) -> NDArray:
    """The smallest value with at least this share of the weights up to it: (n,), (q, n) -> (q,).

    >>> weighted_quantile(np.array([3., 1., 2.]), np.array([[1., 1., 1.], [3., 1., 0.]]), .5)
    array([2., 3.])
    """
    order = np.argsort(values, kind="stable")
    total = np.cumsum(alpha[:, order], axis=1)
    at = (total < share * total[:, -1:] * (1 - 1e-12)).sum(axis=1)
    return values[order][at]


register(Reals, Distance, ScaledDistance, LocalQuantiles)
