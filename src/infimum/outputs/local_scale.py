"""A local scale for conformal scores: errors are divided by their typical size around x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .score import Predictor, Score


class LocalScale(Score):
    """A score in units of sigma(x), the last column of the forecast.

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
        error = sets.distance(z)
        rows = np.flatnonzero(sets.is_bounded)
        if len(rows):
            error[rows] = (error[rows] + sets[rows].farthest(z[rows])) / 2
        made = predictor.local_mean() if self.scale is None else clone(self.scale)
        self.scale_, self.least_ = made.fit(predictor.features(X), error), float(error.mean() / 10) or 1.0
        return self

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        sigma = np.maximum(self.scale_.predict(predictor.features(X)), self.least_)
        return np.column_stack([predictor.outputs(X), sigma])
