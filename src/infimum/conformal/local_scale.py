"""A local scale: errors are divided by how large they are around x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from ..estimators import PartialModel
from .base import Score


class LocalScale(Score):
    """Scores in units of sigma(x), which comes last in the forecast.

    sigma(x) is learned from rows of its own, from their distances to the nearest and the farthest point of their set,
    halved and added up (the nearest alone, where a set has no end).

    Parameters
    ----------
    scale : regressor, optional
        What learns sigma; by default the mean over the nearest rows, the features being standardised.
    """

    name = "scaled"
    learns = True

    def __init__(self, scale: Any = None):
        self.scale = scale

    def learn(self, model: Any, X: Any, sets: Any) -> Self:
        z = np.asarray(model.predict(X), dtype=float)
        self.scale_, self.least_ = local_scale(self.scale, numbers(model, X), errors(sets, z, self.bounded(sets)))
        return self

    def forecast(self, model: Any, X: Any) -> NDArray:
        sigma = np.maximum(self.scale_.predict(numbers(model, X)), self.least_)
        return np.column_stack([np.asarray(model.predict(X), dtype=float), sigma])

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray | None:
        return None


def errors(sets: Any, z: NDArray, bounded: NDArray) -> NDArray:
    """How far z_i is from a point of S_i, about: half way between the nearest and the farthest."""
    near = sets.distance(z)
    out = near.copy()
    rows = np.flatnonzero(bounded)
    if len(rows):
        out[rows] = (near[rows] + sets[rows].farthest(z[rows])) / 2
    return out


def local_scale(scale: Any, X: Any, error: NDArray) -> tuple[Any, float]:
    """sigma(x), fitted, and the least it may be: a tenth of the mean error, 1 where all are 0."""
    k = max(1, min(len(error), 5 + round(len(error) ** 0.5)))
    near = make_pipeline(StandardScaler(with_mean=False), KNeighborsRegressor(k))
    made = near if scale is None else clone(scale)
    return made.fit(X, error), float(error.mean() / 10) or 1.0


def numbers(model: Any, X: Any) -> Any:
    """X as the model sees it: numbers."""
    return model._validated(X) if isinstance(model, PartialModel) else np.asarray(X, dtype=float)
