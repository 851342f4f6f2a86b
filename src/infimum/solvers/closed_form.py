"""The solver for losses that are linear in psi(z): one decoding per query."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..loss import Loss
from ..weights.base import Weights
from .base import LinearRisk, Minimum, Solver


class ClosedForm(Solver):
    """Exact minimiser of losses that are linear in psi(z).

    If L(z, S) = <psi(z), phi(S)> + constant, the prediction is argmin_z <psi(z), sum_i alpha_i(x) phi(S_i)>.
    """

    exact = True
    needs_sums_only = True
    scores_all_outputs = True

    def accepts(self, L: Loss) -> bool:
        return L.embedding is not None

    def needs(self) -> str:
        return "a loss that is linear in an embedding of the output"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        self.output_ = L.output
        embedding: Any = L.embedding
        self.risk_ = LinearRisk(embedding, self._weights(weights))
        return self

    def fit_projected(self, output: Any, phi: Any, scalars: Any) -> Self:
        """Prepare `minimise` from sums over the rows that are projected already; see `LinearRisk`."""
        self.output_, self.risk_ = output, LinearRisk.of(phi, scalars)
        return self

    @property
    def width(self) -> int:
        return int(self.risk_.phi.shape[1]) + 2

    def minimise(self, alpha: Any) -> Minimum:
        c, constant = self.risk_(self._alpha(alpha))
        z, value, bound = self.output_.minimise(c)
        return Minimum(z, value + constant, bound + constant)

    def argmin(self, alpha: Any) -> Any:
        return self.of_sums(self._alpha(alpha).sum(self.risk_.phi))

    def of_sums(self, c: np.ndarray) -> np.ndarray:
        return self.output_.decode(c)

    def sums(self, alpha: Any) -> np.ndarray:
        """Return sum_i alpha_i(x) phi(S_i), (q, d)."""
        return self._alpha(alpha).sum(self.risk_.phi)

    def risks(self, alpha: Any) -> np.ndarray:
        """Return the objective of every z of a finite Y whose psi is the identity, (q, size)."""
        c, constant = self.risk_(self._alpha(alpha))
        return c + constant[:, None]
