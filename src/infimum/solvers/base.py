"""Solver: argmin over z in Y of sum_i alpha_i(x) L(z, S_i)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..loss import Loss
from ..outputs.base import Embedding
from ..weights.base import Alpha, PrecomputedWeights, Weights, as_alpha


class Minimum(NamedTuple):
    """What a solver found, and what is known about it."""

    z: NDArray
    """(q, *z): the outputs."""
    value: NDArray
    """(q,): the objective sum_i alpha_i(x) L(z, S_i)."""
    bound: NDArray
    """(q,): no output has a smaller objective; -inf where no bound is known."""

    @property
    def gap(self) -> NDArray:
        """(q,): value - bound; 0 where the minimum is proved."""
        return np.maximum(self.value - self.bound, 0)


class Solver(BaseEstimator, ABC):
    """Minimises z -> sum_i alpha_i(x) L(z, S_i).

    A solver holds settings; `fit` keeps of the loss what `minimise` needs, folded into the weights once.
    """

    exact: ClassVar[bool]
    """Whether the minimum is always attained."""

    summed: bool = False
    """Whether `minimise` only asks for sums over the rows, never for the weight of a row."""

    listed: ClassVar[bool] = False
    """Whether `risks` gives the objective of every output of a finite Y."""

    @abstractmethod
    def accepts(self, L: Loss) -> bool:
        """Whether this loss has what the solver needs of it."""

    @abstractmethod
    def needs(self) -> str:
        """What the solver needs of a loss, for the message when it is missing."""

    @property
    @abstractmethod
    def width(self) -> int:
        """How many numbers `minimise` forms a query, beside the features of the weights; once fitted."""

    @abstractmethod
    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        """Keep what `minimise` needs; without weights, alpha will be given as a plain (q, n) array."""

    @abstractmethod
    def minimise(self, alpha: Any) -> Minimum:
        """The minimum for every query, from an Alpha or a (q, n) array."""

    def argmin(self, alpha: Any) -> NDArray:
        """The minimiser for every query, (q, *z)."""
        return self.minimise(alpha).z

    def risks(self, alpha: Any) -> NDArray:
        """sum_i alpha_i(x) L(z, S_i) for every z of a finite Y, (q, size); for solvers that are `listed`."""
        raise ValueError(f"{type(self).__name__} does not look at every output.")

    def of_sums(self, c: NDArray) -> NDArray:
        """The minimiser from sum_i alpha_i phi_i, (q, d) -> (q, *z); for solvers that are `summed`."""
        raise ValueError(f"{type(self).__name__} needs the weights of the rows, not only their sums.")

    def brief(self) -> Solver:
        """The same with less patience, to compare settings by: itself, where the work is bounded anyway."""
        return self

    @staticmethod
    def _weights(weights: Weights | None) -> Weights:
        return PrecomputedWeights() if weights is None else weights

    @staticmethod
    def _alpha(alpha: Any) -> Alpha:
        return as_alpha(alpha)


class LinearRisk:
    """x -> sum_i alpha_i(x) (phi_i, constant_i, 1), folded into the weights once."""

    def __init__(self, embedding: Embedding, weights: Weights):
        self.phi, self.scalars = weights.project_many(*embedding.columns())

    def __call__(self, alpha: Alpha) -> tuple[NDArray, NDArray]:
        """sum_i alpha_i phi_i, (q, d), and sum_i alpha_i constant_i, (q,)."""
        return alpha.sum(self.phi), alpha.sum(self.scalars)[:, 0]

    def total(self, alpha: Alpha) -> NDArray:
        """sum_i alpha_i, (q,)."""
        return alpha.sum(self.scalars)[:, 1]
