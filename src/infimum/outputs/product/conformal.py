"""The conformal score of several outputs: the largest of their scores, each in its own unit."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import OutputSpace
from ..loss_score import LossScore
from ..score import Predictor, Score
from .sets import ColumnLayout, ProductSets


class Part(NamedTuple):
    """The score of one output."""

    space: OutputSpace
    score: Score
    forecast: NDArray
    unit: float


class LargestScore(Score):
    """The largest score over the outputs, s(x, y) = max_k s_k(x, y_k) / unit_k: prediction sets are products.

    s_k is the first conformal score of output k that the model supports. The unit is the mean score of the output of
    one training row at another row, so outputs with different scales are comparable.
    """

    name = "largest"

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        """Return the predictions, and sum_i alpha_i(x) phi(S_i), which is NaN for outputs without linear loss."""
        z = predictor.outputs(X)
        if predictor.provides("sums"):
            return np.column_stack([z, predictor.sums(X)])
        layout: ColumnLayout = predictor.space.layout_
        return np.column_stack([z, np.full((len(z), sum(layout.widths)), np.nan)])

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return self._largest("largest", forecast, sets, space)

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return self._largest("smallest", forecast, sets, space)

    def _largest(self, end: str, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        each = zip(parts_of(forecast, space), sets.parts.values())
        return np.max([getattr(one.score, end)(one.forecast, own, one.space) / one.unit for one, own in each], axis=0)

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> ProductSets:
        each = parts_of(forecast, space)
        self.scores_ = [one.score for one in each]
        found = [one.score.within(one.forecast, radius * one.unit, one.space) for one in each]
        return ProductSets(dict(zip(space.spaces_, found)), space.layout_)

    def union(self, parts: list) -> ProductSets:
        """Return the product of the unions of each output, which contains the union of the products."""
        each = zip(parts[0].parts, self.scores_)
        found = {name: score.union([part.parts[name] for part in parts]) for name, score in each}
        return ProductSets(found, parts[0].layout)


def parts_of(forecast: NDArray, space: Any) -> list[Part]:
    """Return the score of each output with its own forecast."""
    layout: ColumnLayout = space.layout_
    width = forecast.shape[1] - sum(layout.widths)
    each = zip(
        space.spaces_.values(), layout.split_outputs(forecast[:, :width]), layout.split(forecast[:, width:]),
        layout.importance, space.units_,
    )  # fmt: skip
    found = []
    for own, z, sums, factor, unit in each:
        score = score_of(own, linear=not np.isnan(sums).any())
        values = score.forecast(Known(own, z, sums / factor), None)
        found.append(Part(own, score, values, unit if score.requires == "outputs" else 1.0))
    return found


class Known:
    """The predictor of one output, from values that are computed already."""

    def __init__(self, space: OutputSpace, z: NDArray, sums: NDArray):
        self.space, self.z, self.values = space, z, sums

    def provides(self, quantity: str) -> bool:
        return quantity in ("outputs", "sums", "risks")

    def outputs(self, X: Any) -> NDArray:
        return self.z

    def sums(self, X: Any) -> NDArray:
        return self.values

    def risks(self, X: Any) -> NDArray:
        """Return the sums, which are the risks of all outputs if psi is the identity, as for labels."""
        return self.values

    def probabilities(self, X: Any) -> NDArray:
        raise NotImplementedError

    def features(self, X: Any) -> Any:
        raise NotImplementedError

    def local_mean(self) -> Any:
        raise NotImplementedError


def score_of(space: OutputSpace, linear: bool) -> Score:
    """Return the first score of an output that needs predictions only or, if the loss is linear, sums or risks."""
    wanted = {"outputs", "sums", "risks"} if linear else {"outputs"}
    for score in space.conformal_scores().values():
        if score.requires in wanted and not score.learns:
            return score()
    return LossScore()


def unit_of(space: OutputSpace, sets: Any, z: NDArray) -> float:
    """Return the mean score of the outputs of some rows at other rows, for a score that needs predictions only."""
    order = np.roll(np.arange(len(sets)), 1)
    found = float(np.mean(score_of(space, False).smallest(np.asarray(z)[order], sets, space)))
    return found if found > 0 else 1.0
