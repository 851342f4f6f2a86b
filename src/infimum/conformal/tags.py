"""Tags: those that are sure, by their margins; or Hamming balls around the prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs import HammingBalls, PartialTags, Tags
from ..solvers import ClosedForm
from .base import Score, register, upto


class Margin(Score):
    """s(x, y) = max over j of -y_j g_j(x), at least 0; g_j(x) is the score of tag j.

    The tags with \\|g_j(x)\\| > r are sure, and have the sign of g_j(x); the others are unknown.
    """

    name = "margin"

    def usable(self, model: Any, space: Any) -> bool:
        return isinstance(getattr(model, "solver_", None), ClosedForm)

    def needs(self) -> str:
        return "a model of tags with a score for every tag, whose loss is linear (solvers.ClosedForm)"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return model._each(X, lambda alpha: self.of_weights(model.solver_, alpha, model.output_))

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return 2 * solver.sums(alpha)[:, :-1]

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        free, centers, radius = as_balls(sets)
        # every free tag may be turned where one may
        wrong = np.where(free & (radius[:, None] > 0), np.abs(forecast), -centers * forecast)
        return np.maximum(wrong.max(axis=1), 0)

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        free, centers, radius = as_balls(sets)
        wrong = np.maximum(-centers * forecast, 0)
        fixed = np.where(free, 0, wrong).max(axis=1)
        # the worst free tags are turned, as many as may be
        left = np.column_stack([np.sort(np.where(free, wrong, 0), axis=1)[:, ::-1], np.zeros(len(wrong))])
        return np.maximum(fixed, np.take_along_axis(left, radius.astype(int)[:, None], axis=1)[:, 0])

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Any:
        sure = np.abs(forecast) > upto(np.maximum(radius, 0))[:, None]
        return self.made(np.where(sure, np.sign(forecast), 0), space)

    def made(self, values: NDArray, space: Any) -> Any:
        """Sets from {-1, 0, 1}."""
        return PartialTags(values.astype(np.int8), epsilon=space.epsilon)

    def again(self, values: NDArray, part: Any) -> Any:
        """The same, of the kind of another."""
        return PartialTags(values, epsilon=part.epsilon)

    def union(self, parts: list) -> Any:
        """What is sure in all of them."""
        first = parts[0].values
        same = np.all([part.values == first for part in parts], axis=0)
        return self.again(np.where(same, first, 0).astype(np.int8), parts[0])

    def joined(self, parts: list) -> Any:
        return self.again(np.concatenate([part.values for part in parts]), parts[0])

    def meets(self, found: Any, sets: Any) -> NDArray:
        free, centers, radius = as_balls(sets)
        against = found.values * centers == -1
        return ~(against & ~free).any(axis=1) & ((against & free).sum(axis=1) <= radius)

    def holds(self, found: Any, sets: Any) -> NDArray:
        free, centers, radius = as_balls(sets)
        fixed = ~free | (radius == 0)[:, None]
        return ((found.values == 0) | (fixed & (found.values == centers))).all(axis=1)

    def exact(self, sets: Any) -> NDArray:
        return as_balls(sets)[2] == 0

    def size(self, found: Any) -> NDArray:
        """How many tags are not sure."""
        return (found.values == 0).sum(axis=1)


def as_balls(sets: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Which tags are free, (n, m), centers (n, m), and how many of the free ones may differ from them, (n,).

    Partly known tags are balls as large as they have unknown tags.
    """
    if hasattr(sets, "centers"):
        return getattr(sets, "free", np.ones(sets.centers.shape, dtype=bool)), sets.centers, sets.radius
    free = sets.values == 0
    return free, np.where(free, 1, sets.values), free.sum(axis=1)


class Hamming(Score):
    """s(x, y) = #{j : f_j(x) != y_j}: Hamming balls around the prediction."""

    name = "hamming"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return model._outputs(X)

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return solver.argmin(alpha)

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        return apart(forecast, sets, "supremum")

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        return apart(forecast, sets, "infimum")

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> HammingBalls:
        return HammingBalls(forecast, np.minimum(upto(radius), forecast.shape[1]), epsilon=space.epsilon)

    def union(self, parts: list) -> HammingBalls:
        """The ball around what most of the centers say."""
        center = np.where(np.sum([part.centers for part in parts], axis=0, dtype=int) > 0, 1, -1)
        reach = [(part.centers != center).sum(axis=1) + part.radius for part in parts]
        return HammingBalls(center, np.max(reach, axis=0), epsilon=parts[0].epsilon)

    def joined(self, parts: list) -> HammingBalls:
        sides = (np.concatenate([getattr(part, side) for part in parts]) for side in ("centers", "radius"))
        return HammingBalls(*sides, epsilon=parts[0].epsilon)

    def meets(self, found: Any, sets: Any) -> NDArray:
        return apart(found.centers, sets, "infimum") <= found.radius

    def holds(self, found: Any, sets: Any) -> NDArray:
        return apart(found.centers, sets, "supremum") <= found.radius

    def exact(self, sets: Any) -> NDArray:
        return Margin().exact(sets)

    def size(self, found: Any) -> NDArray:
        """The radius."""
        return found.radius


def apart(z: NDArray, sets: Any, principle: str) -> NDArray:
    """How many tags of z_i differ from the nearest, or the farthest, member of S_i, (n,)."""
    psi = np.concatenate([-np.asarray(z, dtype=float), np.ones((len(z), 1))], axis=1)
    return np.rint(sets.with_epsilon(0.0).rowwise_loss(psi, principle))


register(Tags, Margin, Hamming)
