"""Conformal scores of numbers: intervals of constant width, or of a width that depends on x."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distance_score import DistanceScore, LocalScale
from .forms import Pieces
from .sets import Intervals


class Distance(DistanceScore):
    """The distance to the prediction: intervals of one width.

    s(x, y) = |f(x) - y|.
    """

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Intervals:
        z, unit = self.center_and_unit(forecast)
        return intervals(z - radius * unit, z + radius * unit, space)

    def by_count(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> Intervals:
        """Return the interval from the (n + 1 - rank)-th smallest lower end to the rank-th smallest upper end."""
        low, high = [], []
        for forecast, R in zip(forecasts, scores):
            z, unit = self.center_and_unit(forecast[:, None])  # (q, rows of the fold)
            low.append(z - R * unit)
            high.append(z + R * unit)
        return intervals(-nth(-np.concatenate(low, axis=1), rank), nth(np.concatenate(high, axis=1), rank), space)

    def union(self, parts: list) -> Intervals:
        lower, upper, row = (np.concatenate([getattr(p, name) for p in parts]) for name in ("lower", "upper", "row"))
        return Intervals(Pieces(lower, upper, row, len(parts[0])))


class ScaledDistance(LocalScale, Distance):
    """The distance in units of a local scale: wider intervals for larger errors.

    s(x, y) = |f(x) - y| / sigma(x).

    Parameters
    ----------
    scale : regressor, optional
        Estimates sigma; by default the mean error of the nearest rows. See :class:`LocalScale`.
    """

    def center_and_unit(self, forecast: NDArray) -> tuple[NDArray, Any]:
        z, unit = super().center_and_unit(forecast)
        return z[..., 0], unit


def intervals(low: NDArray, high: NDArray, space: Any) -> Intervals:
    """Return [low, high] within the bounds of the space; its middle if it is empty, since intervals never are."""
    middle = (low + high) / 2 if np.isfinite(low).all() and np.isfinite(high).all() else np.nan
    low, high = np.where(low > high, middle, low), np.where(low > high, middle, high)
    return Intervals(np.clip(np.column_stack([low, high]), *space.bounds_))


def nth(values: NDArray, rank: float) -> NDArray:
    """Return the rank-th smallest of each row, rank rounded up; infinite beyond the last: (q, n) -> (q,)."""
    k = math.ceil(rank - 1e-9)
    if k > values.shape[1]:
        return np.full(len(values), math.inf)
    return np.partition(values, k - 1, axis=1)[:, k - 1]
