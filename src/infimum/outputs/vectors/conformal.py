"""Conformal scores of vectors: balls of one radius, or of a radius that depends on x."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..distance_score import DistanceScore, LocalScale
from ..score import upto
from .balls import Balls
from .boxes import Boxes


class VectorDistance(DistanceScore):
    """The distance to the prediction: balls of one radius, everything if it is infinite.

    s(x, y) = |f(x) - y|.
    """

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Any:
        z, unit = self.center_and_unit(forecast)
        reach = upto(radius) * unit
        return Balls(z, reach) if np.isfinite(reach).all() else Boxes(z - reach[:, None], z + reach[:, None])

    def union(self, parts: list) -> Any:
        """Return the ball around the mean of the centres."""
        if any(isinstance(part, Boxes) for part in parts):
            lower, upper = zip(*(part.box() for part in parts))
            return Boxes(np.min(lower, axis=0), np.max(upper, axis=0))
        center = np.mean([part.centers for part in parts], axis=0)
        reach = [np.linalg.norm(part.centers - center, axis=1) + part.outer for part in parts]
        return Balls(center, np.max(reach, axis=0))


class ScaledVectorDistance(LocalScale, VectorDistance):
    """The distance in units of a local scale: larger balls for larger errors.

    s(x, y) = |f(x) - y| / sigma(x).

    Parameters
    ----------
    scale : regressor, optional
        Estimates sigma; by default the mean error of the nearest rows. See :class:`LocalScale`.
    """
