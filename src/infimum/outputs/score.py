"""Conformal scores: how unusual an output y is at an input x, for one output type.

The scores of an output type are in ``outputs/<type>/conformal.py``; :meth:`OutputSpace.conformal_scores` lists them.
Shapes: n rows; a forecast has one entry per row of X; sets have n rows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from .base import OutputSpace, Sets

ROUNDING = 1e-10  # scores that differ by less, relative to their size, count as equal


class Predictor(Protocol):
    """What a score may ask of a fitted model at inputs X, (n, d)."""

    space: OutputSpace

    def provides(self, quantity: str) -> bool:
        """Whether the method of this name returns values."""

    def outputs(self, X: Any) -> NDArray:
        """Return the predictions as elements of the space, (n, *z)."""

    def probabilities(self, X: Any) -> NDArray:
        """Return P(y | x) for each class, (n, m)."""

    def risks(self, X: Any) -> NDArray:
        """Return the estimated set risk of each output of a finite space, (n, size)."""

    def sums(self, X: Any) -> NDArray:
        """Return sum_i alpha_i(x) phi(S_i), (n, d), for a loss that is linear in psi."""

    def features(self, X: Any) -> Any:
        """Return X as numbers."""

    def local_mean(self) -> Any:
        """Return an unfitted regressor: the mean over the nearest rows."""


REQUIREMENTS = {
    "outputs": "any model of the output type",
    "probabilities": "a model with predict_proba",
    "risks": "a model with decision_function",
    "sums": "a model whose loss is linear (solvers.ClosedForm), such as principle='average'",
}
"""What a model must offer for each quantity, for error messages."""


class Score(BaseEstimator, ABC):
    """A conformal score s(x, y) of one output type.

    It comes with its largest and its smallest value over a set, and with {y : s(x, y) <= r} as sets of the same type.
    """

    name: ClassVar[str]
    requires: ClassVar[str] = "outputs"
    """The quantity of the :class:`Predictor` that the forecast is made of."""
    learns: ClassVar[bool] = False
    """Whether `learn` needs rows of its own, used neither for the model nor for the radius."""
    per_class: ClassVar[bool] = False
    """Whether `table` gives every class a score."""

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        """Return what the score needs from the model at X, (n, ...)."""
        return getattr(predictor, self.requires)(X)

    def learn(self, predictor: Predictor, X: Any, sets: Sets) -> Self:
        """Learn from rows of its own, for scores with `learns`."""
        return self

    def randomise(self, forecast: NDArray, random: np.random.RandomState) -> NDArray:
        """Append random numbers to the forecast of calibration rows, for randomised scores."""
        return forecast

    @abstractmethod
    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        """Return the maximum of s(x_i, y) over y in S_i, (n,)."""

    @abstractmethod
    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        """Return the minimum of s(x_i, y) over y in S_i, (n,)."""

    @abstractmethod
    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Any:
        """Return {y : s(x_i, y) <= radius_i}, or the smallest set of the output type that contains it."""

    @abstractmethod
    def union(self, parts: list) -> Any:
        """Return the smallest set of the output type that contains all parts, row by row."""

    def by_count(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> Any:
        """Return the CV+ set {y : #{i : R_i < s_k(i)(x, y)} < rank}, or a set that contains it.

        `forecasts` are those of the model of each fold at the queries, `scores` the R_i of the rows of that fold.
        """
        return self.by_union(forecasts, scores, rank, space)

    def by_union(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> Any:
        """Return the union over folds of {y : s_k(x, y) <= r_k}, r_k the largest R_i of fold k up to the rank-th.

        Only n - rank rows are dropped. A set S that meets {y : s_k(i)(x, y) <= R_i} for more rows i than that meets the
        union.
        """
        last = rank_of(np.concatenate(scores), rank)
        parts = []
        for forecast, R in zip(forecasts, scores):
            inside = R[last >= R] if math.isfinite(last) else np.array([math.inf])
            if len(inside):
                parts.append(self.within(forecast, np.full(len(forecast), inside.max()), space))
        return self.union(parts)


def rank_of(scores: NDArray, rank: float) -> float:
    """Return the rank-th smallest score, rank rounded up; infinite beyond the last, minus infinity before the first."""
    k = math.ceil(rank - 1e-9)  # (n + 1) level is rounded: 10 * .7 is 7
    if k > len(scores):
        return math.inf
    return float(np.partition(scores, k - 1)[k - 1]) if k > 0 else -math.inf


def upto(radius: NDArray) -> NDArray:
    """Return the radius plus a rounding error: equal scores are inside."""
    finite = np.isfinite(radius)
    return np.where(finite, radius + ROUNDING * (1 + np.abs(np.where(finite, radius, 0))), radius)
