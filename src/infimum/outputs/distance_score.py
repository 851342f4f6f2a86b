"""Conformal scores of numbers and vectors: the distance to the prediction, which may be divided by a local scale."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .score import Predictor, Score


class DistanceScore(Score):
    """The distance to the prediction, s(x, y) = |f(x) - y|."""

    name = "distance"

    def center_and_unit(self, forecast: NDArray) -> tuple[NDArray, Any]:
        """Return f(x) and the unit of distances at x."""
        return forecast, 1.0

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        z, unit = self.center_and_unit(forecast)
        return _farthest(sets, z) / unit

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        z, unit = self.center_and_unit(forecast)
        return sets.distance(z) / unit


class LocalScale(DistanceScore):
    """The distance in units of sigma(x), the last column of the forecast, s(x, y) = |f(x) - y| / sigma(x).

    sigma is learned from rows of its own. The error of a row is the mean of its distances to the nearest and to the
    farthest point of its set; for an unbounded set, the distance to the nearest point. sigma(x) is at least a tenth of
    the mean error.

    Parameters
    ----------
    scale : regressor, optional
        Estimates sigma; by default the mean error of the nearest rows, with standardised features.
    """

    name = "scaled"
    learns = True

    def __init__(self, scale: Any = None):
        self.scale = scale

    def learn(self, predictor: Predictor, X: Any, sets: Any) -> Self:
        z = predictor.outputs(X)
        nearest, farthest = sets.distance(z), _farthest(sets, z)
        error = np.where(np.isfinite(farthest), (nearest + farthest) / 2, nearest)
        made = predictor.local_mean() if self.scale is None else clone(self.scale)
        self.scale_, self.least_ = made.fit(predictor.features(X), error), float(error.mean() / 10) or 1.0
        return self

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        sigma = np.maximum(self.scale_.predict(predictor.features(X)), self.least_)
        return np.column_stack([predictor.outputs(X), sigma])

    def center_and_unit(self, forecast: NDArray) -> tuple[NDArray, Any]:
        return forecast[..., :-1], forecast[..., -1]


def _farthest(sets: Any, z: NDArray) -> NDArray:
    """Return the distance of z_i to the farthest point of S_i, (n,); infinite for unbounded sets."""
    out, rows = np.full(len(sets), np.inf), np.flatnonzero(sets.is_bounded)
    if len(rows):
        out[rows] = sets[rows].farthest(z[rows])
    return out
