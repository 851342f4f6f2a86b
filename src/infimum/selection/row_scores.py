"""Scores of rows, and whether those of one candidate are worse than those of another."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NEGLIGIBLE_NATS = 1e-4  # standard errors of log-likelihoods below this are rounding: almost all sets have P(S) = 1


class RowScores(NamedTuple):
    """Scores of out-of-fold predictions, row by row."""

    losses: NDArray
    """(n,): inf over S_i of l(z_i, y)."""
    log_likelihood: NDArray | None
    """(n,): log P_i(S_i); with every principle for regression, otherwise after soft disambiguation only."""
    weight: NDArray | None
    """(n,): sample weights."""
    compared: NDArray | None = None
    """(n,): losses by which candidates are compared, if these are not the infimum losses."""
    miss: float = 0.0
    """The estimated share of sets that miss the true label."""
    clusters: NDArray | None = None
    """(n,): groups of rows that are no independent evidence, such as copies; None if each row is its own."""

    dependence: NDArray | None = None
    """(n,): how much more probable a set is than those of other rows, for mixtures; see `evaluate.dependence`."""

    def costs(self, likelihood: bool) -> NDArray:
        """Return minus the log-likelihoods if they are wanted and available, otherwise the losses."""
        if likelihood and self.log_likelihood is not None:
            return -self.log_likelihood
        return self.losses if self.compared is None else self.compared

    def extrapolated(self, fewer: RowScores, factor: float) -> RowScores:
        """Return the scores of a forest whose trees all predict; see `Holdout.with_fewer_trees`."""
        losses = self.losses + factor * (self.losses - fewer.losses)
        compared, likelihood = self.compared, self.log_likelihood
        if compared is not None and fewer.compared is not None:
            compared = compared + factor * (compared - fewer.compared)
        if likelihood is not None and fewer.log_likelihood is not None:
            likelihood = np.minimum(likelihood + factor * (likelihood - fewer.log_likelihood), 0.0)
        return self._replace(losses=losses, compared=compared, log_likelihood=likelihood)

    def is_worse(self, than: RowScores, n_se: float, likelihood: bool = False, slack: float = 1e-12) -> bool:
        """Whether the mean cost is larger by more than `n_se` standard errors of the difference, plus `slack`.

        A row of sample weight 2 counts as two rows. Weights that are smaller than 1 on average are divided by their
        mean, so that shares of rows do not count as a lack of evidence.
        """
        mean, error = self._difference(than, likelihood)
        return bool(mean > n_se * error + slack)

    def standard_errors_below(self, than: RowScores) -> float:
        """Return by how many standard errors of the difference the costs are smaller: of both scores, summed."""
        nats, loss = self._difference(than, True), self._difference(than, False)
        return -nats[0] / max(nats[1], NEGLIGIBLE_NATS) - loss[0] / max(loss[1], 1e-12)

    @property
    def standard_errors_dependent(self) -> float:
        """By how many standard errors own sets are more probable than those of other rows."""
        assert self.dependence is not None
        mean, error = self._mean(self.dependence)
        return mean / max(error, 1e-12)

    def _difference(self, than: RowScores, likelihood: bool) -> tuple[float, float]:
        """Return the mean difference of the costs, and its standard error."""
        likelihood = likelihood and self.log_likelihood is not None and than.log_likelihood is not None
        return self._mean(self.costs(likelihood) - than.costs(likelihood))

    def _mean(self, values: NDArray) -> tuple[float, float]:
        """Return the mean of the values of all rows, and its standard error."""
        w = np.ones(len(values)) if self.weight is None else self.weight / self.weight.max()
        if self.weight is not None:
            w = w * max(float(self.weight.max()), 1 / w[w > 0].mean())
        mean = np.average(values, weights=w)
        squares = w * (values - mean) ** 2
        if self.clusters is not None:
            squares = np.bincount(self.clusters, w * (values - mean)) ** 2
        return float(mean), float(np.sqrt(squares.sum()) / w.sum())
