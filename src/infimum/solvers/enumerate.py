"""Enumerate: the definition, for small Y; the oracle of the tests."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ..weights.base import Weights
from .base import Minimum, Solver

CELLS = 2**25  # entries of L(z, S_i) held at a time: 256 MiB


class Enumerate(Solver):
    """min over all z in Y of sum_i alpha_i(x) L(z, S_i).

    Parameters
    ----------
    max_outputs : int, default 2**16
        Spaces with more outputs are refused.
    """

    exact = True

    def __init__(self, max_outputs: int = 2**16):
        self.max_outputs = max_outputs

    def accepts(self, L: Any) -> bool:
        return L.output.size <= self.max_outputs

    def needs(self) -> str:
        return f"an output space of at most {self.max_outputs} outputs"

    def fit(self, L: Any, weights: Weights | None = None) -> Self:
        self.outputs_ = L.output.outputs()
        n = len(L)
        # sum_i alpha_i L(z, S_i) is linear in alpha: fold the table L(z, S_i) as if it were an embedding
        self.table_ = self._weights(L, weights).fold(L(self.outputs_).T) if n * len(self.outputs_) <= CELLS else None
        self.loss_ = L if self.table_ is None else None
        return self

    def risks(self, alpha: Any) -> NDArray:
        """sum_i alpha_i(x) L(z, S_i) for every z, (q, size)."""
        alpha = self._alpha(alpha)
        if self.table_ is not None:
            return alpha.sum(self.table_)
        assert self.loss_ is not None
        weights = np.asarray(alpha)
        blocks = gen_batches(len(self.outputs_), max(1, CELLS // len(self.loss_)))
        return np.hstack([weights @ self.loss_(self.outputs_[block]).T for block in blocks])

    def minimise(self, alpha: Any) -> Minimum:
        risks = self.risks(alpha)
        best = np.argmin(risks, axis=1)
        value = risks[np.arange(len(best)), best]
        return Minimum(self.outputs_[best], value, value)
