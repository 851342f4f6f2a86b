"""The solver that evaluates all outputs, for small output spaces; it is also the reference of the tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ..data.checks import check_number
from ..loss import Loss
from ..weights.base import Alpha, Weights
from .alternate import Alternate
from .base import Minimum, Solver

CHEAP_OUTPUTS = 2000  # beyond, model selection alternates instead


class Enumerate(Solver):
    """Exact minimiser that computes the objective of every output.

    Parameters
    ----------
    max_outputs : int, default 2**16
        Largest size of the output space. Larger spaces raise an error.
    """

    exact = True
    scores_all_outputs = True
    max_cells: ClassVar[int] = 2**25
    """Entries of L(z, S_i) held at a time: 256 MiB."""

    def __init__(self, max_outputs: int = 2**16):
        self.max_outputs = max_outputs

    def accepts(self, L: Loss) -> bool:
        check_number(self, "max_outputs", 1, infinite=True)
        return L.output.size <= self.max_outputs

    def cheap(self, L: Loss) -> Solver:
        """Return alternating minimisation from one start if there are many outputs."""
        other = Alternate()
        return other.cheap(L) if L.output.size > CHEAP_OUTPUTS and other.accepts(L) else self

    def needs(self) -> str:
        return f"an output space of at most {self.max_outputs} outputs"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        self.outputs_ = L.output.outputs()
        # the objective is linear in alpha, so the table L(z, S_i) is projected like an embedding
        fits = not L.in_memory or len(L) * len(self.outputs_) <= self.max_cells
        self.table_ = self._weights(weights).project_many(L.table(self.outputs_))[0] if fits else None
        self.loss_ = None if fits else L
        self.rows_ = 0 if self.loss_ is None else len(L)
        return self

    @property
    def width(self) -> int:
        return len(self.outputs_) if self.loss_ is None else self.rows_

    def risks(self, alpha: Any) -> NDArray:
        """Return the objective of every output, (q, size)."""
        return np.hstack([risks for _, risks in self._batches(self._alpha(alpha))])

    def minimise(self, alpha: Any) -> Minimum:
        alpha = self._alpha(alpha)
        best, value = np.zeros(len(alpha), dtype=int), np.full(len(alpha), np.inf)
        for first, risks in self._batches(alpha):
            at = np.argmin(risks, axis=1)
            least = risks[np.arange(len(at)), at]
            better = least < value
            best[better], value[better] = first + at[better], least[better]
        return Minimum(self.outputs_[best], value, value)

    def _batches(self, alpha: Alpha) -> Iterator[tuple[int, NDArray]]:
        """Yield the objective of some outputs at a time, with the index of the first of them."""
        if self.loss_ is None:
            yield 0, alpha.sum(self.table_)
            return
        weights = np.asarray(alpha)
        for batch in gen_batches(len(self.outputs_), max(1, self.max_cells // (8 * (self.rows_ + len(weights))))):
            yield batch.start, weights @ self.loss_(self.outputs_[batch]).T
