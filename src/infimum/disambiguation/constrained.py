"""ConstrainedCategorical: soft labels that satisfy constraints on groups of rows."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evidence.calibration import normalise, row_log_likelihood
from ..outputs.base import Sets
from ..outputs.constraints import GroupConstraints
from ..outputs.soft_labels import soft_update
from ..weights.holdout import Holdout
from .categorical import Categorical

POWERS = (1.0, 2.0, 4.0)  # exponents of held-out predictions, of which the likeliest calibrates them
LEAST = 1e-12  # probability, so that logarithms are finite


class ConstrainedCategorical(Categorical):
    """Probabilities of candidates, projected on the constraints of the sets after each update.

    The likelihood of held-out predictions includes the soft labels that the constraints require; see `predict`. Models
    can therefore be compared without any labelled row.
    """

    @property
    def constraints(self) -> Any:
        return self._sets.group_constraints

    def prior(self) -> NDArray:
        return self._projected(super().prior())

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        return self._projected(super().update(F, q, power))

    def _projected(self, q: NDArray) -> NDArray:
        """Project the soft labels of all folds, (..., n, 1, c); rows that are held out have no candidates."""
        rows, mask, constraints = self._in_training
        found = np.zeros((q.size // q.shape[-1], q.shape[-1]))
        found[rows] = constraints.project(q.reshape(found.shape)[rows], mask)
        return found.reshape(q.shape)

    @cached_property
    def _in_training(self) -> tuple[NDArray, NDArray, GroupConstraints]:
        """The rows of each fold that are not held out, one fold after the other; their candidates and constraints."""
        n, _, c = self.mask.shape[-3:]
        folds = self.mask.reshape(-1, n, c)
        there = np.asarray(folds.any(axis=2))
        constraints = GroupConstraints.stacked([self.constraints[np.flatnonzero(one)] for one in there])
        return np.flatnonzero(there), folds[there], constraints

    def hold_out(self, operator: Holdout) -> ConstrainedCategorical:
        return ConstrainedCategorical(operator.mask_out(self.mask), self.sets, self.w)

    def without_rows(self, F: NDArray) -> Categorical:
        return ConstrainedCategorical(self.mask[:0], self._sets[:0])

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> ConstrainedCategorical:
        mask = sets.options()
        assert mask is not None
        return ConstrainedCategorical(mask, sets, sample_weight)

    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        """Return phi, and the likelihood of the sets and of the soft labels that the constraints require.

        The held-out predictions are projected on the constraints. The expected log-likelihood of the result is high if
        the predictions are certain and satisfy the constraints already.
        """
        P, found = normalise(F), []
        for power in POWERS:
            sharp = P**power / np.sum(P**power, axis=-1, keepdims=True)
            q = self._projected(soft_update(sharp, self.mask))
            expected = np.sum(q * np.log(np.maximum(sharp, LEAST)), axis=(-2, -1))
            found.append(row_log_likelihood(sharp, self.mask) + expected)
        w = np.ones(len(P)) if self.w is None else np.asarray(self.w, dtype=float)
        return self.phi(P), found[int(np.argmax([w @ one for one in found]))]
