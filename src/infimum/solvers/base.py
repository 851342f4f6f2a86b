"""The base class of solvers, which minimise the weighted set loss over outputs."""

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
    """Predictions of a solver, their objective and a lower bound of it."""

    z: NDArray
    """(q, *z): the outputs."""
    value: NDArray
    """(q,): the objective sum_i alpha_i(x) L(z, S_i)."""
    bound: NDArray
    """(q,): a lower bound of the objective over all outputs; -inf if there is none."""

    @property
    def gap(self) -> NDArray:
        """(q,): value - bound; 0 if the prediction is provably optimal."""
        return np.maximum(self.value - self.bound, 0)


class Solver(BaseEstimator, ABC):
    """An algorithm that minimises the weighted set loss, the sum over i of alpha_i(x) L(z, S_i), over outputs z.

    `fit` prepares what `minimise` needs of the loss. Sums over the rows are computed once, by `Weights.project`.
    """

    exact: bool
    """Whether `minimise` always returns a minimum."""

    needs_sums_only: bool = False
    """Whether `minimise` uses only sums over the rows, and not the weight of each row."""

    scores_all_outputs: ClassVar[bool] = False
    """Whether `risks` returns the objective of every output of a finite Y."""

    @abstractmethod
    def accepts(self, L: Loss) -> bool:
        """Return whether the solver supports this loss."""

    @abstractmethod
    def needs(self) -> str:
        """Describe the losses that the solver supports, for error messages."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Return how many numbers a fitted solver holds per query, besides the features of the weights."""

    @abstractmethod
    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        """Prepare `minimise`; without weights, alpha is expected as a (q, n) array."""

    @abstractmethod
    def minimise(self, alpha: Any) -> Minimum:
        """Return the minimum for each query, from an Alpha or a (q, n) array."""

    def argmin(self, alpha: Any) -> NDArray:
        """Return the minimiser for each query, (q, *z)."""
        return self.minimise(alpha).z

    def risks(self, alpha: Any) -> NDArray:
        """Return the objective of every output of a finite Y, (q, size), if the solver `scores_all_outputs`."""
        raise ValueError(f"{type(self).__name__} does not compute the objective of every output.")

    def of_sums(self, c: NDArray) -> NDArray:
        """Return the minimiser from sum_i alpha_i phi_i, (q, d) -> (q, *z), if the solver `needs_sums_only`."""
        raise ValueError(f"{type(self).__name__} needs the weight of each row, not only sums over the rows.")

    def cheap(self, L: Loss) -> Solver:
        """Return a cheaper solver of the same loss for model selection; the solver itself by default."""
        return self

    def suits(self, L: Loss) -> bool:
        """Return whether ``solver="auto"`` takes it: if it supports the loss and a prediction does not take long."""
        return self.accepts(L)

    @staticmethod
    def _weights(weights: Weights | None) -> Weights:
        return PrecomputedWeights() if weights is None else weights

    @staticmethod
    def _alpha(alpha: Any) -> Alpha:
        return as_alpha(alpha)


class LinearRisk:
    """The weighted sums of phi_i, of constant_i and of 1, which are projected once and computed for each query."""

    def __init__(self, embedding: Embedding, weights: Weights):
        self.phi, self.scalars = weights.project_many(*embedding.columns())

    @classmethod
    def of(cls, phi: Any, scalars: Any) -> LinearRisk:
        """Return the risk from projected sums."""
        risk = cls.__new__(cls)
        risk.phi, risk.scalars = phi, scalars
        return risk

    def __call__(self, alpha: Alpha) -> tuple[NDArray, NDArray]:
        """Return sum_i alpha_i phi_i, (q, d), and sum_i alpha_i constant_i, (q,)."""
        return alpha.sum(self.phi), alpha.sum(self.scalars)[:, 0]
