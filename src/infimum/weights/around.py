"""WeightsWrapper: weights that stand around others, fitted as `weights_`, and hand on what these say of themselves."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from .base import Weights
from .holdout.operators import LeftOut


class WeightsWrapper(Weights):
    """The queries of the weights inside are the same numbers, so what they know of alpha holds outside too."""

    weights_: Any

    def alpha_matrix(self, features: Any) -> NDArray:
        return self.weights_.alpha_matrix(features)

    @property
    def norm(self) -> float | None:
        return self.weights_.norm

    def bound(self, rows: NDArray, r: NDArray) -> NDArray:
        return self.weights_.bound(rows, r)

    def explicit(self) -> NDArray | None:
        return self.weights_.explicit()

    def left_out(self) -> LeftOut | None:
        return self.weights_.left_out()
