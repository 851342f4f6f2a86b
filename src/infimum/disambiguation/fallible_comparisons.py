"""FallibleComparisons: the posterior of rankings if each comparison may be wrong."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from ..evidence.sources import noise_of
from ..outputs.base import Sets
from ..weights.holdout import Holdout
from .bradley_terry import SCALES, BradleyTerry
from .posterior import LabelErrors

RATES = np.array([0.0, 0.005, 0.01, 0.02, *np.arange(0.03, 0.46, 0.015)])
"""Shares of wrong comparisons that are compared by the likelihood; larger ones are indistinguishable from guesses."""
START = 0.1  # the share of wrong comparisons that the estimation starts from
PRIOR = 10.0  # comparisons that `START` counts as
MIN_MISS = 0.5  # probability of a wrong comparison, from which on the row is a suspect


class FallibleComparisons(BradleyTerry):
    """Scores of the items for each row, if each comparison is wrong with the same probability e.

    A row states a > b with probability e + (1 - 2e) sigma(u_a - u_b). Given the predicted scores F, the comparison is
    right with probability r = sigma(s (F_a - F_b) + log((1 - e) / e)), where the factor s is fitted with e. The
    update counts it with r and its opposite with 1 - r,

        q_i = F_i + 4 * sum over comparisons (a, b) of row i of w_ab (r_ab - sigma(F_ia - F_ib)) (e_a - e_b),

    and the code of a known pair is 2r - 1 instead of 1. With e = 0 this is `BradleyTerry`.

    Parameters
    ----------
    sets : Sets
        Sets with `Sets.comparisons`.
    sample_weight : (n,) array, optional
        Sample weights.
    noise : "estimate" or float
        The share e of wrong comparisons.
    """

    is_fallible = True

    def __init__(self, sets: Sets, sample_weight: Any = None, noise: Any = "estimate"):
        super().__init__(sets, sample_weight)
        self.known = None if isinstance(noise, str) else min(float(noise), float(RATES[-1]))
        self.rate = np.full(1, START if self.known is None else self.known)
        """e for each fold that is held out."""
        self.factor = np.ones(1)
        """s for each of them."""

    def hold_out(self, operator: Holdout) -> FallibleComparisons:
        found = copy(self)
        found.in_training = super().hold_out(operator).in_training
        k = found.shape[0]
        found.rate, found.factor = (np.full(k, part[0]) for part in (self.rate, self.factor))
        return found

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        D = self._differences @ F.reshape(-1, self.pairs.n * self.pairs.m).T  # (comparisons, folds)
        self._fit(D)
        push = 4 * self.pairs.weight[:, None] * (self._right(D) - expit(D))
        new = F + (self._differences.T @ push).T.reshape(F.shape)
        return new if self.in_training is None else new * self.in_training[..., None]

    def _right(self, D: NDArray) -> NDArray:
        """Return the probability that each comparison is right, from differences (comparisons, folds)."""
        return expit(self.factor * D + logit(1 - np.maximum(self.rate, 1e-12)))

    def _weight(self) -> NDArray:
        """Return the weights of the comparisons in the likelihood, (comparisons, folds or 1)."""
        w = 2 * self.pairs.weight * (1.0 if self.w is None else np.asarray(self.w)[self.pairs.row])
        return w[:, None] if self.in_training is None else w[:, None] * self.in_training.T[self.pairs.row]

    def _fit(self, D: NDArray) -> None:
        """Move the factor by at most one step, and the share by steps of expectation maximisation."""
        w = self._weight()
        steps = [np.clip(self.factor * step, SCALES[0], SCALES[-1]) for step in (1.0, 2.0, 0.5)]
        values = [(w * np.log(mixed(expit(one * D), self.rate))).sum(axis=0) for one in steps]
        self.factor = np.choose(np.argmax(values, axis=0), steps)
        if self.known is None:
            wrong = 1 - self._right(D)
            rate = ((w * wrong).sum(axis=0) + PRIOR * START) / (w.sum(axis=0) + PRIOR)
            self.rate = np.minimum(rate, RATES[-1])

    def mean_log_likelihood(self, F: NDArray) -> NDArray:
        D = self._differences @ F.reshape(-1, self.pairs.n * self.pairs.m).T
        each = (self._sum_rows @ np.log(mixed(expit(self.factor * D), self.rate))).T
        w = np.broadcast_to(1.0 if self.w is None else self.w, each.shape)
        w = w if self.in_training is None else w * self.in_training
        return np.einsum("kn,kn->k", each, w) / np.maximum(w.sum(axis=-1), 1e-300)

    def phi(self, q: NDArray) -> NDArray:
        return super().phi(q) if self.is_regression else self.sets.expected(q, float(self.rate[0]))

    def _fitted(self, F: NDArray) -> tuple[float, float]:
        """Return the factor and the share of largest likelihood, given held-out scores."""
        if self.scale is not None or not len(self.pairs.row):
            return (1.0 if self.scale is None else self.scale), float(self.rate[0])
        d, w = self._differences @ F.ravel(), self._weight()[:, 0]
        rates = RATES if self.known is None else np.array([self.known])
        best = max(
            (float(w @ np.log(mixed(p, rate))), scale, rate) for scale in SCALES for p in [expit(scale * d)]
             for rate in rates
        )  # fmt: skip
        return float(best[1]), float(best[2])

    def _fit_scale(self, F: NDArray) -> float:
        return self._fitted(F)[0]

    def _log_likelihood(self, F: NDArray) -> NDArray:
        scale, rate = self._fitted(F)
        return self._sum_rows @ np.log(mixed(expit(scale * (self._differences @ F.ravel())), rate))

    def miss_share(self, F: NDArray) -> float:
        return self._fitted(F)[1]

    def without_rows(self, F: NDArray) -> FallibleComparisons:
        found = copy(self.with_sets(self.sets[:0]))
        found.scale, rate = self._fitted(F)
        found.rate = np.full(1, rate)
        return found

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> FallibleComparisons:
        found = FallibleComparisons(sets, sample_weight, "estimate" if self.known is None else self.known)
        found.scale, found.rate, found.factor = self.scale, self.rate[:1], self.factor[:1]
        return found._like(self)

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find comparisons that are probably wrong, given what the other rows predict.

        Leave-one-out predictions are not used: the scores of the other rows were updated with this row's comparisons,
        which makes these seem to be right more often than they are.
        """
        scale, rate = self._fitted(F)
        p = expit(scale * (self._differences @ F.ravel()))
        wrong = rate * (1 - p) / mixed(p, rate)
        miss = np.zeros(self.pairs.n)
        np.maximum.at(miss, self.pairs.row, wrong)
        noise = noise_of(wrong, (1 - 2 * p) / mixed(p, rate), {}, self._weight()[:, 0])
        return LabelErrors(1 - miss, np.flatnonzero(miss > MIN_MISS), miss=miss, noise=noise)


def mixed(p: NDArray, rate: Any) -> NDArray:
    """Return the probability of a comparison that is wrong with probability `rate`, not below 1e-12."""
    return np.maximum(rate + (1 - 2 * rate) * p, 1e-12)
