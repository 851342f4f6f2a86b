"""BradleyTerry: the posterior of rankings, by scores of the items."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit, log_expit

from ..outputs.base import OutputSpace, Sets
from ..weights.holdout import Holdout
from .posterior import TIE, LabelErrors, Members, SetPosterior

SCALES = 2.0 ** np.arange(-4, 4.5, 0.5)
"""Factors of held-out scores that are compared by the likelihood of the comparisons."""

FEW_ROUNDS = 4
"""Rounds with weights that are no ridge regression. More of them amplify the noise of their predictions."""
ROUNDS_FACTOR = 8
"""Rounds of a full run with ridge regression, in units of those of the schedule."""
REGRESSION_ROUNDS = 200, 50
"""Rounds for held-out rows with ridge regression, for few and for many items."""
MANY_ITEMS = 32
"""Items beyond which these rounds are fewer, because each takes longer."""
REGRESSION_TOL = 5e-4
"""Mean change of a score, below which these rounds end."""


class BradleyTerry(SetPosterior):
    """Scores of the items for each row, under which item a comes before item b with probability sigma(u_a - u_b).

    The state q_i holds the m scores of row i. The other rows predict the scores F_i. The row's own comparisons then
    move them by a gradient step of their log-likelihood,

        q_i = F_i + 4 * sum over comparisons (a, b) of row i of w_ab (1 - sigma(F_ia - F_ib)) (e_a - e_b).

    A comparison weighs w_ab = 1 / (items that the row compares), because the comparisons of a long chain depend on each
    other. With these weights no step overshoots: the log-likelihood is concave, and its curvature is at most 1/4. A
    comparison may be wrong, so rows may contradict themselves.

    `for_scores` changes the loop. If F is the fit of a ridge regression to all q, the own row included, a round is a
    proximal gradient step, and the loop ends at the largest penalised likelihood

        4 * sum over rows and comparisons of w_ab log sigma(F_ia - F_ib) - (n lam / 2) |F|²

    of a Bradley-Terry model whose scores are linear in x, or functions of x in the space of a kernel. Other weights
    have no such objective, and few rounds.

    Parameters
    ----------
    sets : Sets
        Sets with `Sets.comparisons`.
    sample_weight : (n,) array, optional
        Sample weights.
    in_training : (k, n) boolean array, optional
        The rows outside of each held-out fold.
    scale : float, optional
        The factor of held-out scores. Fitted to the comparisons by default.

    References
    ----------
    Bradley and Terry (1952), Rank analysis of incomplete block designs: I. The method of paired comparisons.
    """

    axes = 1
    held_out_rounds = 25

    def __init__(
        self, sets: Sets, sample_weight: Any = None, in_training: NDArray | None = None, scale: float | None = None
    ):
        found = sets.comparisons()
        assert found is not None
        self.sets: Any = sets
        self.w, self.in_training, self.scale, self.pairs = sample_weight, in_training, scale, found

    @property
    def shape(self) -> tuple[int, ...]:
        own = self.pairs.n, self.pairs.m
        return own if self.in_training is None else (len(self.in_training), *own)

    @cached_property
    def _differences(self) -> sparse.csr_matrix:
        """The linear map from all scores, flattened, to u_a - u_b of each comparison."""
        n, m, row, better, worse, _ = self.pairs
        e = len(row)
        at, sign = np.r_[row * m + better, row * m + worse], np.repeat([1.0, -1.0], e)
        return sparse.csr_matrix((sign, (np.tile(np.arange(e), 2), at)), (e, n * m))

    @cached_property
    def _sum_rows(self) -> sparse.csr_matrix:
        """The sum over the comparisons of each row with their weights, twice: one lone comparison counts 1."""
        e = len(self.pairs.row)
        return sparse.csr_matrix((2 * self.pairs.weight, (self.pairs.row, np.arange(e))), (self.pairs.n, e))

    def for_scores(self, is_ridge: bool) -> Self:
        found = copy(self)
        if is_ridge:
            found.is_regression, found.rounds_factor = True, ROUNDS_FACTOR
            found.held_out_rounds = REGRESSION_ROUNDS[self.pairs.m > MANY_ITEMS]
            found.held_out_tol = REGRESSION_TOL
        else:
            found.held_out_rounds = found.max_rounds = FEW_ROUNDS
        return found

    def _like(self, other: BradleyTerry) -> Self:
        """Return the same posterior with the loop of another."""
        limited = other.is_regression or other.max_rounds is not None
        return self.for_scores(other.is_regression) if limited else self

    def prior(self) -> NDArray:
        return np.zeros(self.shape)

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        """Return the scores after the step; `power` is not used, because comparisons have a likelihood."""
        flat = F.reshape(-1, self.pairs.n * self.pairs.m).T
        push = 4 * self.pairs.weight[:, None] * expit(-(self._differences @ flat))
        new = F + (self._differences.T @ push).T.reshape(F.shape)
        return new if self.in_training is None else new * self.in_training[..., None]

    def mean_log_likelihood(self, F: NDArray) -> NDArray | None:
        if self.is_regression:  # the penalised likelihood is concave, so the loop cannot diverge
            return None
        flat = F.reshape(-1, self.pairs.n * self.pairs.m).T
        each = (self._sum_rows @ log_expit(self._differences @ flat)).T
        w = np.broadcast_to(1.0 if self.w is None else self.w, each.shape)
        w = w if self.in_training is None else w * self.in_training
        return np.einsum("kn,kn->k", each, w) / np.maximum(w.sum(axis=-1), 1e-300)

    def change(self, new: NDArray, q: NDArray) -> NDArray:
        return np.abs(new - q).mean(axis=-1)

    def hold_out(self, operator: Holdout) -> BradleyTerry:
        found = copy(self)
        found.in_training = operator.mask_out(np.ones((self.pairs.n, 1), dtype=bool))[..., 0].astype(bool)
        return found

    def without_rows(self, F: NDArray) -> BradleyTerry:
        found = self.with_sets(self.sets[:0])
        found.scale = self._fit_scale(F)
        return found

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> BradleyTerry:
        return BradleyTerry(sets, sample_weight, scale=self.scale)._like(self)

    def phi(self, q: NDArray) -> NDArray:
        return self.sets.phi_of_differences(q) if self.is_regression else self.sets.expected(q)

    def growth_target(self, phi: NDArray) -> NDArray:
        return self.sets.item_sums(phi)

    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        return self.sets.phi_of_scores(self._fit_scale(F) * F), self._log_likelihood(F)

    def outputs(self, F: NDArray, output: OutputSpace) -> tuple[NDArray, NDArray]:
        # sorted by score, every pair is in its more probable order
        return np.argsort(-F, axis=-1, kind="stable"), self._log_likelihood(F)

    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        return self.describe(self.sets.member(self.phi(q), output), q)

    def describe(self, z: NDArray, q: NDArray) -> Members:
        """Return the members, and the probability of their least certain pair."""
        certain = self.sets.least_certain(z, q)
        return Members(z, (1 + certain) / 2, np.flatnonzero(np.abs(certain) < TIE))

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find rows with a comparison that is much less probable than its opposite."""
        probability = expit(self._fit_scale(F) * (self._differences @ F.ravel()))
        support = np.ones(self.pairs.n)
        np.minimum.at(support, self.pairs.row, probability)
        return LabelErrors(support, np.flatnonzero(support < threshold / (1 + threshold)))

    def mean(self, q: NDArray) -> NDArray:
        return q

    def center(self, F: NDArray) -> NDArray:
        return F

    def moved(self, F: NDArray, step: NDArray) -> NDArray:
        return F + step

    def _fit_scale(self, F: NDArray) -> float:
        """Return the factor of the scores F that maximises the likelihood of the comparisons."""
        if self.scale is not None or not len(self.pairs.row):
            return 1.0 if self.scale is None else self.scale
        difference = self._differences @ F.ravel()
        w = self.pairs.weight * (1.0 if self.w is None else np.asarray(self.w)[self.pairs.row])
        return float(SCALES[np.argmax([w @ log_expit(scale * difference) for scale in SCALES])])

    def _log_likelihood(self, F: NDArray) -> NDArray:
        """Return the log-likelihood of the comparisons of each row, (n,)."""
        return self._sum_rows @ log_expit(self._fit_scale(F) * (self._differences @ F.ravel()))
