"""Score: how strange y is at x, for one structure; and the radius within which a share of the scores lies.

Shapes, once for all: n rows, a forecast has one row a row of X, sets have n rows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..outputs.base import OutputSpace, Sets

ROUNDING = 1e-10  # scores that differ by less, relative to their size, are the same


class Score(BaseEstimator, ABC):
    """s(x, y), with its largest and smallest value over a set, and {y : s(x, y) <= r} as sets of the structure.

    A structure is one file with its scores; `register` puts it among those that :class:`~infimum.conformal.Conformal`
    knows. All that a score asks of a model is its `forecast` at x: probabilities, risks, outputs.
    """

    name: ClassVar[str]
    learns: ClassVar[bool] = False
    """Whether `learn` wants rows of its own, which neither the model nor the radius has seen."""

    def usable(self, model: Any, space: OutputSpace) -> bool:
        """Whether the model, fitted or not, gives what the score asks for."""
        return True

    def needs(self) -> str:
        """What the score asks for, for the message where it is missing."""
        return "any model of the structure"

    @abstractmethod
    def forecast(self, model: Any, X: Any) -> NDArray:
        """What the score needs to know of x, (n, ...)."""

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray | None:
        """The same from weights of the training rows, for leave-one-out in closed form; None where it needs more."""
        return None

    def learn(self, model: Any, X: Any, sets: Sets) -> Score:
        """The score, with what it learns from rows of its own."""
        return self

    def drawn(self, forecast: NDArray, random: np.random.RandomState) -> NDArray:
        """The forecast of calibration rows, with random numbers where the score wants them."""
        return forecast

    @abstractmethod
    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        """max over y in S_i of s(x_i, y), (n,)."""

    @abstractmethod
    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        """min over y in S_i of s(x_i, y), (n,)."""

    @abstractmethod
    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Any:
        """{y : s(x_i, y) <= radius_i}, or the smallest set of the structure that holds it."""

    @abstractmethod
    def union(self, parts: list) -> Any:
        """The smallest set of the structure that holds all of the parts, row by row."""

    @abstractmethod
    def meets(self, found: Any, sets: Any) -> NDArray:
        """Whether the predicted set and S_i have a point in common, (n,) boolean."""

    @abstractmethod
    def holds(self, found: Any, sets: Any) -> NDArray:
        """Whether the predicted set holds all of S_i, (n,) boolean."""

    @abstractmethod
    def exact(self, sets: Any) -> NDArray:
        """Whether S_i is a single point, (n,) boolean."""

    @abstractmethod
    def size(self, found: Any) -> NDArray:
        """How large the predicted sets are, (n,): labels, unknown tags, unsure pairs, a width, a radius."""

    def bounded(self, sets: Any) -> NDArray:
        """Whether S_i has an end on every side, (n,) boolean."""
        return np.ones(len(sets), dtype=bool)

    def void(self, size: NDArray) -> NDArray:
        """Which sets are empty, by their size; only those of labels can be."""
        return np.zeros(len(size), dtype=bool)

    @abstractmethod
    def joined(self, parts: list) -> Any:
        """The rows of several sets, one after the other."""

    def counted(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> Any:
        """CV+: {y : #{i : R_i < s_k(i)(x, y)} < rank}, or a set that holds it.

        `forecasts` are those of every fold's model at the queries, `scores` the R_i of the rows that it did not see. By
        default, the union over folds of what is within the largest R_i that is left when the largest are dropped.
        """
        return self.kept(forecasts, scores, rank, space)

    def kept(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> Any:
        """The union over folds of {y : s_k(x, y) <= r_k}, r_k the largest R_i of fold k that is at most the rank-th.

        Every set S that meets {y : s_k(i)(x, y) <= R_i} for more than n - rank of the rows i meets it, for only n -
        rank of them are dropped.
        """
        last = rank_of(np.concatenate(scores), rank)
        parts = []
        for forecast, R in zip(forecasts, scores):
            inside = R[last >= R] if math.isfinite(last) else np.array([math.inf])
            if len(inside):
                parts.append(self.within(forecast, np.full(len(forecast), inside.max()), space))
        return self.union(parts)


SCORES: dict[type, dict[str, type[Score]]] = {}
"""For every space, its scores by name; the first that a model can serve is "auto"."""


def register(space: type, *scores: type[Score]) -> None:
    """Make scores known for a space.

    Parameters
    ----------
    space : type
        A class of output spaces.
    *scores : type
        Classes of scores, the one for "auto" first.
    """
    SCORES.setdefault(space, {}).update({score.name: score for score in scores})


def named(score: Any, space: OutputSpace) -> Score | None:
    """A score as it is given or by its name; None for "auto"."""
    known = known_for(space)
    if isinstance(score, Score):
        return score
    if isinstance(score, str) and score in known:
        return known[score]()
    if isinstance(score, str) and score == "auto":
        return None
    names = ", ".join(map(repr, ["auto", *known]))
    raise ValueError(f"score must be one of {names} for {type(space).__name__}, or a Score. Got {score!r} instead.")


def known_for(space: OutputSpace) -> dict[str, type[Score]]:
    """The scores of a space, by name."""
    known = next((SCORES[cls] for cls in type(space).__mro__ if cls in SCORES), None)
    if known is None:
        raise ValueError(f"No score is known for {space!r}: give score=, a conformal.Score of its own.")
    return known


def score_of(score: Any, model: Any, space: OutputSpace) -> Score:
    """The score itself, by its name, or the first that the model can serve ("auto")."""
    found = named(score, space)
    if found is None:
        known = known_for(space)
        found = next((cls() for cls in known.values() if cls().usable(model, space)), None)
        if found is None:
            wanted = "; ".join(f"{name} needs {cls().needs()}" for name, cls in known.items())
            raise ValueError(f"No score serves {model!r}: {wanted}.")
    if not found.usable(model, space):
        raise ValueError(f"The score {found.name!r} needs {found.needs()}. Got {model!r}.")
    return found


def rank_of(scores: NDArray, rank: float) -> float:
    """The rank-th smallest score, the rank rounded up; infinite beyond the last, minus infinity before the first."""
    k = math.ceil(rank - 1e-9)  # (n + 1) level is rounded: 10 * .7 is 7
    if k > len(scores):
        return math.inf
    return float(np.partition(scores, k - 1)[k - 1]) if k > 0 else -math.inf


def radius_of(scores: NDArray, level: float) -> float:
    """The radius r with P(s <= r) >= level for a new score, if it is exchangeable with these n.

    The ceil((n + 1) level)-th smallest of them; infinite where there are too few, n < level / (1 - level).

    Parameters
    ----------
    scores : (n,)
        Of held-out rows.
    level : float
        Between 0 and 1.

    Examples
    --------
    >>> radius_of(np.arange(1., 10.), .9), radius_of(np.arange(1., 9.), .9)
    (9.0, inf)
    """
    return rank_of(scores, (len(scores) + 1) * level)


def upto(radius: NDArray) -> NDArray:
    """The radius, a rounding error larger: what is equal on paper is inside."""
    finite = np.isfinite(radius)
    return np.where(finite, radius + ROUNDING * (1 + np.abs(np.where(finite, radius, 0))), radius)
