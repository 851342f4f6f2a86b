"""The conformal score of tags: their margins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..score import Predictor, Score, upto
from .sets import HammingBalls, PartialTags


class Margin(Score):
    """The largest score of a wrong tag.

    s(x, y) = max over j of -y_j g_j(x), at least 0.

    g_j(x) is the score of tag j. Tags with \\|g_j(x)\\| > r are decided by the sign of g_j(x); the others stay unknown.
    """

    name = "margin"
    requires = "sums"
    constants = 1
    """How many coordinates of phi, at its end, belong to no tag."""

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        return 2 * predictor.sums(X)[:, : -self.constants]

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        free, centers, radius = as_balls(sets)
        # with a positive radius, any free tag may differ
        wrong = np.where(free & (radius[:, None] > 0), np.abs(forecast), -centers * forecast)
        return np.maximum(wrong.max(axis=1), 0)

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        free, centers, radius = as_balls(sets)
        wrong = np.maximum(-centers * forecast, 0)
        fixed = np.where(free, 0, wrong).max(axis=1)
        # the worst free tags differ, as many as the radius allows
        left = np.column_stack([np.sort(np.where(free, wrong, 0), axis=1)[:, ::-1], np.zeros(len(wrong))])
        return np.maximum(fixed, np.take_along_axis(left, radius.astype(int)[:, None], axis=1)[:, 0])

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Any:
        decided = np.abs(forecast) > upto(np.maximum(radius, 0))[:, None]
        return self.of_signs(np.where(decided, np.sign(forecast), 0), space)

    def of_signs(self, values: NDArray, like: Any) -> Any:
        """Return sets of signs in {-1, 0, 1}, with the loss of a space or of other sets."""
        return PartialTags(values.astype(np.int8), tag_cost=like.tag_cost)

    def union(self, parts: list) -> Any:
        """Return the tags on which all parts agree."""
        first = parts[0].values
        same = np.all([part.values == first for part in parts], axis=0)
        return self.of_signs(np.where(same, first, 0), parts[0])


def as_balls(sets: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Return which tags are free (n, m), centres (n, m), and how many free tags may differ from them (n,).

    Partly known tags are balls whose radius is the number of unknown tags.
    """
    if isinstance(sets, HammingBalls):
        return np.ones(sets.centers.shape, dtype=bool), sets.centers, sets.radius
    free = sets.values == 0
    return free, np.where(free, 1, sets.values), free.sum(axis=1)
