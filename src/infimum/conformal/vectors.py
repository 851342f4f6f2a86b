"""Vectors: balls around the prediction, of one radius or of a radius that a local scale gives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs import Balls, Boxes, Vectors
from .base import Score, register, upto
from .local_scale import LocalScale


class VectorDistance(Score):
    """s(x, y) = |f(x) - y|: balls of one radius; where it is infinite, boxes without an end."""

    name = "distance"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return np.asarray(model.predict(X), dtype=float)

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray | None:
        return solver.argmin(alpha)

    def parts(self, forecast: NDArray) -> tuple[NDArray, NDArray]:
        """f(x), (n, m), and the unit of distances at x, (n,)."""
        return forecast, np.ones(len(forecast))

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        z, unit = self.parts(forecast)
        out, rows = np.full(len(sets), np.inf), np.flatnonzero(self.bounded(sets))
        if len(rows):
            out[rows] = sets[rows].farthest(z[rows]) / unit[rows]
        return out

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        z, unit = self.parts(forecast)
        return sets.distance(z) / unit

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Any:
        z, unit = self.parts(forecast)
        return balls(z, upto(radius) * unit)

    def union(self, parts: list) -> Any:
        """The ball around the mean of the centers."""
        if any(isinstance(part, Boxes) for part in parts):
            lower, upper = zip(*(part.box() for part in parts))
            return Boxes(np.min(lower, axis=0), np.max(upper, axis=0))
        center = np.mean([part.centers for part in parts], axis=0)
        reach = [np.linalg.norm(part.centers - center, axis=1) + part.outer for part in parts]
        return Balls(center, np.max(reach, axis=0))

    def joined(self, parts: list) -> Any:
        if any(isinstance(part, Boxes) for part in parts):
            return Boxes(*(np.concatenate(side) for side in zip(*(part.box() for part in parts))))
        return Balls(np.concatenate([p.centers for p in parts]), np.concatenate([p.outer for p in parts]))

    def meets(self, found: Any, sets: Any) -> NDArray:
        if isinstance(found, Boxes):
            low, high = sets.box()
            return ((found.lower <= high) & (low <= found.upper)).all(axis=1)
        return sets.distance(found.centers) <= upto(found.outer)

    def holds(self, found: Any, sets: Any) -> NDArray:
        if isinstance(found, Boxes):
            low, high = sets.box()
            return ((found.lower <= low) & (high <= found.upper)).all(axis=1)
        out, rows = np.zeros(len(sets), dtype=bool), np.flatnonzero(self.bounded(sets))
        if len(rows):
            out[rows] = sets[rows].farthest(found.centers[rows]) <= upto(found.outer[rows])
        return out

    def exact(self, sets: Any) -> NDArray:
        return sets.is_exact

    def bounded(self, sets: Any) -> NDArray:
        low, high = sets.box()
        return np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)

    def size(self, found: Any) -> NDArray:
        """The radius; that of the ball around a box."""
        return np.linalg.norm((found.upper - found.lower) / 2, axis=1) if isinstance(found, Boxes) else found.outer


def balls(center: NDArray, radius: NDArray) -> Any:
    """Balls, or boxes around them where one has no end."""
    if np.isfinite(radius).all():
        return Balls(center, radius)
    return Boxes(center - radius[:, None], center + radius[:, None])


class ScaledVectorDistance(LocalScale, VectorDistance):
    """s(x, y) = |f(x) - y| / sigma(x): balls as large as errors are around x; see :class:`LocalScale`.

    Parameters
    ----------
    scale : regressor, optional
        What learns sigma; by default the mean over the nearest rows, the features being standardised.
    """

    def parts(self, forecast: NDArray) -> tuple[NDArray, NDArray]:
        return forecast[:, :-1], forecast[:, -1]


register(Vectors, VectorDistance, ScaledVectorDistance)
