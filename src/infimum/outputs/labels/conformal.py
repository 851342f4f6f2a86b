"""Conformal scores of labels, from probabilities or from set risks."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..score import Predictor, Score, upto
from .sets import CandidateLabels


class LabelScore(Score):
    """A score with one number for each class, (n, m)."""

    per_class = True

    def table(self, forecast: NDArray) -> NDArray:
        """Return s(x, y) for each class y, (n, m), as it is compared with the radius."""
        return forecast

    def calibration_table(self, forecast: NDArray) -> NDArray:
        """Return the same for calibration rows, with the random numbers of `randomise`."""
        return self.table(forecast)

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return np.where(sets.mask, self.calibration_table(forecast), -np.inf).max(axis=1)

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return np.where(sets.mask, self.calibration_table(forecast), np.inf).min(axis=1)

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> CandidateLabels:
        radius = radius[:, None] if np.ndim(radius) == 1 else radius  # one per row, or one per row and class
        return self.of_mask(self.table(forecast) <= upto(radius), space)

    def of_mask(self, mask: NDArray, space: Any) -> CandidateLabels:
        """Return the classes of a mask (n, m) as candidate sets, which may be empty."""
        return CandidateLabels.of_mask(mask, space.classes_, space.cost_)

    def by_count(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> CandidateLabels:
        smaller = np.zeros(self.table(forecasts[0]).shape, dtype=int)  # how many R_i are below s(x, y)
        for forecast, R in zip(forecasts, scores):
            smaller += np.searchsorted(np.sort(upto(R)), self.table(forecast), side="left")
        return self.of_mask(smaller < rank, space)

    def union(self, parts: list) -> CandidateLabels:
        return CandidateLabels.of_mask(np.any([part.mask for part in parts], axis=0), parts[0].classes, parts[0].cost)


class LAC(LabelScore):
    """One minus the probability: the smallest sets on average, which may be empty.

    s(x, y) = 1 - P(y | x).

    References
    ----------
    Sadinle, Lei and Wasserman (2019), Least ambiguous set-valued classifiers with bounded error levels.
    """

    name = "lac"
    requires = "probabilities"

    def table(self, forecast: NDArray) -> NDArray:
        return 1 - forecast


class APS(LabelScore):
    """The probability of more probable classes, plus a random part of the class's own.

    s(x, y) is the sum of the P(z | x) above P(y | x), plus U P(y | x) with U uniform. Sets are larger for harder x.
    U is drawn for calibration rows and is 0 for new ones, so that sets are never empty for a positive radius.

    References
    ----------
    Romano, Sesia and Candès (2020), Classification with valid and adaptive coverage.
    """

    name = "aps"
    requires = "probabilities"

    def randomise(self, forecast: NDArray, random: np.random.RandomState) -> NDArray:
        return np.column_stack([forecast, 1 - random.uniform(size=len(forecast))])

    def calibration_table(self, forecast: NDArray) -> NDArray:
        P, U = forecast[:, :-1], forecast[:, -1:]
        return mass_above(P) + U * P

    def table(self, forecast: NDArray) -> NDArray:
        return mass_above(forecast)


def mass_above(P: NDArray) -> NDArray:
    """Return the sum of the P_z that are larger than P_y for every y, (n, m) -> (n, m).

    >>> mass_above(np.array([[.5, .25, .25]]))
    array([[0. , 0.5, 0.5]])
    """
    order = np.argsort(-P, axis=1, kind="stable")
    ranked = np.take_along_axis(P, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    first = np.concatenate([np.ones((len(P), 1), bool), ranked[:, 1:] < ranked[:, :-1]], axis=1)
    # equal classes share what lies before the first of them
    at = np.maximum.accumulate(np.where(first, np.arange(P.shape[1]), 0), axis=1)
    out = np.empty_like(before)
    np.put_along_axis(out, order, np.take_along_axis(before, at, axis=1), axis=1)
    return out


class Regret(LabelScore):
    """The set risk above the smallest one, for every principle and cost.

    s(x, y) = R(y) - min over z of R(z).

    R(z) = sum_i alpha_i(x) L(z, S_i) is the estimated set risk.
    """

    name = "regret"
    requires = "risks"

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        risks = predictor.risks(X)
        return risks - risks.min(axis=1, keepdims=True)
