"""Soft disambiguation: iterative update of soft labels, similar to expectation maximisation."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs.base import Sets
from ..weights.base import Target, Weights
from ..weights.holdout import Holdout, LooOperator
from .bradley_terry import BradleyTerry
from .categorical import Categorical, SparseCategorical, is_sparse
from .constrained import ConstrainedCategorical
from .coupled import Coupled, labelled_in
from .fallible import fallible
from .fallible_comparisons import FallibleComparisons
from .fallible_normal import FallibleNormal
from .posterior import SetPosterior
from .truncated_normal import TruncatedNormal

DIVERGED = 0.01  # nats per row: the loop diverges if the mean log-likelihood falls by more from its best value
PATIENCE = 4  # rounds of divergence after which the loop ends
MIN_GAIN = 0.1  # nats per row: a further start replaces the first one only if it gains more


@dataclass(frozen=True)
class Schedule:
    """How many rounds of updates there are, and how their exponent grows.

    The exponent of round t = 0, 1, … is min(cap, 1 + t / ramp). Soft labels stay undecided while predictions are poor,
    and become sharper later.
    """

    ramp: float = 20
    """Rounds until the exponent has grown by 1. Larger values decide later and take longer."""
    cap: float = 2.0
    """The largest exponent. Larger values give probabilities closer to 0 and 1."""
    max_iter: int = 50
    """The largest number of rounds."""
    tol: float = 2e-3
    """The loop ends if the exponent is `cap` and soft labels change by less than this on average."""

    def power(self, t: int) -> float:
        """Return the exponent of round t."""
        return min(self.cap, 1 + t / self.ramp)

    def extended(self, factor: int) -> Schedule:
        """Return `factor` times as many rounds, which end at a change that is as many times smaller."""
        return replace(self, max_iter=factor * self.max_iter, tol=self.tol / factor)

    def capped(self, largest_power: float) -> Schedule:
        """Return the same rounds with exponents up to `largest_power`."""
        return replace(self, cap=min(self.cap, largest_power))


HELD_OUT_SCHEDULE = Schedule(ramp=5, cap=2.0, tol=0.0)  # ranks models as well, in half the time


class SoftResult(NamedTuple):
    """The result of soft disambiguation."""

    q: NDArray
    """(..., n, *e): the states of the rows, in the form of their `SetPosterior`."""
    n_iter: int
    """The number of rounds."""
    converged: bool
    """Whether the loop ended before `max_iter` rounds."""


def soft(
    loo_operator: LooOperator,
    posterior: SetPosterior,
    schedule: Schedule | None = None,
    sample_weight: NDArray | None = None,
) -> SoftResult:
    """Update the soft labels of each row by what the other rows predict, until they no longer change.

    The prediction F_i for row i uses the soft labels of the *other* rows. Without this, the loop would confirm its
    first guess. Probabilities of candidates are proportional to max(F_i(y), 0)^p on S_i, with an exponent p that grows
    (see `Schedule`). Numbers have a truncated normal distribution around F_i, with a scale that is fitted in each
    round.

    Parameters
    ----------
    loo_operator : callable
        The linear map q -> F of the weights, with the state of a row flattened: (..., n, e) -> (..., n, e).
    posterior : SetPosterior
        The state q and its update.
    schedule : Schedule, optional
        The rounds.
    sample_weight : (n,) array, optional
        Sample weights, for the mean change of the soft labels.

    Returns
    -------
    SoftResult
        The soft labels, the number of rounds, and whether the loop converged.

    Examples
    --------
    Row 0 has two candidates, and the other rows predict the first one:

    >>> from infimum.disambiguation import Categorical
    >>> mask = np.array([[[True, True]], [[True, False]]])
    >>> found = soft(lambda q: np.array([[.6, .4], [.5, .5]]), Categorical(mask))
    >>> found.q[:, 0].round(2)
    array([[0.69, 0.31],
           [1.  , 0.  ]])
    """
    schedule = Schedule() if schedule is None else schedule
    predict = posterior.predictor(loo_operator)

    def run_from(q: NDArray) -> tuple[SoftResult, BestState]:
        best, momentum = BestState(q), Momentum(q) if posterior.is_regression else None
        for t in range(schedule.max_iter):
            power = schedule.power(t)
            F = predict(q)
            new = posterior.update(F, q, power)
            goes_on = best.watch(q, posterior.mean_log_likelihood(F))
            change = np.average(posterior.change(new, q), axis=-1, weights=sample_weight).max()
            q = new if momentum is None else momentum.extrapolate(new, q)
            if (power == schedule.cap and change < schedule.tol) or not goes_on:
                return SoftResult(best.of(q), t + 1, True), best
        return SoftResult(best.of(q), schedule.max_iter, False), best

    (found, best), *others = map(run_from, posterior.starts())
    for other, its in others:
        better = its.now > best.now + MIN_GAIN
        q = _choose(better, other.q, found.q)
        found = SoftResult(q, found.n_iter + other.n_iter, found.converged and other.converged)
        best.now = np.where(better, its.now, best.now)
    return found


class Momentum:
    """Nesterov's extrapolation of the states, for each fold; it restarts when a step points back.

    With ridge regression, a round is a proximal gradient step on a penalised likelihood, which momentum speeds up from
    an error of 1 / rounds to 1 / rounds².

    References
    ----------
    Beck and Teboulle (2009), A fast iterative shrinkage-thresholding algorithm for linear inverse problems.

    O'Donoghue and Candès (2015), Adaptive restart for accelerated gradient schemes.
    """

    def __init__(self, q: NDArray):
        self.last, self.t = q, np.ones(1)

    def extrapolate(self, new: NDArray, q: NDArray) -> NDArray:
        """Return the state of the next round, given the state q and its update."""
        step = new - self.last
        back = ((q - new) * step).sum(axis=(-2, -1), keepdims=True) > 0
        t = np.where(back, 1.0, self.t)
        self.last, self.t = new, (1 + np.sqrt(1 + 4 * t**2)) / 2
        return new + (t - 1) / self.t * step


class BestState:
    """The state with the highest log-likelihood so far, for each fold.

    The updates are no contraction. With little regularisation, rows with wide sets can drive each other away from what
    the other rows predict, and the log-likelihood falls. The best state is then kept instead of the last one.
    """

    def __init__(self, q: NDArray):
        self.q, self.n_diverged = q, 0
        self.best, self.now = np.array(-np.inf), np.empty(0)

    def watch(self, q: NDArray, log_likelihood: NDArray | None) -> bool:
        """Record a state; return False once all folds have diverged for `PATIENCE` rounds."""
        if log_likelihood is None:
            return True
        self.q = _choose(log_likelihood > self.best, q, self.q)
        self.best, self.now = np.maximum(log_likelihood, self.best), log_likelihood
        self.n_diverged = self.n_diverged + 1 if self.diverged.all() else 0
        return self.n_diverged < PATIENCE

    @property
    def diverged(self) -> NDArray:
        """Whether the current state is clearly worse than the best one, (k,)."""
        return self.now < self.best - DIVERGED

    def of(self, last: NDArray) -> NDArray:
        """Return the last state, or the best one for folds that have diverged."""
        if not self.diverged.any():
            return last
        self.now = np.where(self.diverged, self.best, self.now)
        return _choose(self.now == self.best, self.q, last)


def _choose(first: NDArray, q: NDArray, other: NDArray) -> NDArray:
    """Return q for folds in which `first` is true, and the other state elsewhere."""
    return np.where(first[:, None], q.reshape(len(first), -1), other.reshape(len(first), -1)).reshape(q.shape)


def held_out_sums(operator: Holdout, posterior: SetPosterior, rounds: int | None = None) -> NDArray:
    """Predict F_i for each row by a disambiguation that did not use the sets of its fold, (n, *e).

    With 0 rounds, all members of a set have the same probability.
    """
    held_out = posterior.hold_out(operator)
    rounds = held_out.held_out_rounds if rounds is None else rounds
    schedule = replace(HELD_OUT_SCHEDULE, max_iter=rounds, tol=held_out.held_out_tol).capped(operator.largest_power)
    predict = operator.fitted if held_out.is_regression else operator
    return held_out.out_of_fold(soft(predict, held_out, schedule).q, operator)


def run(
    weights: Weights, X: Any, posterior: SetPosterior, schedule: Schedule, sample_weight: NDArray | None = None
) -> SoftResult:
    """Run soft disambiguation with fitted weights that have leave-one-out predictions in closed form."""
    if posterior.is_regression:
        alpha = weights(X)
        return soft(lambda q: alpha @ q, posterior, schedule.extended(posterior.rounds_factor), sample_weight)
    operator = weights.loo_operator()
    assert operator is not None
    if posterior.max_rounds is None:
        return soft(operator, posterior, schedule, sample_weight)
    few = replace(schedule, max_iter=min(schedule.max_iter, posterior.max_rounds))
    return soft(operator, posterior, few, sample_weight)._replace(converged=True)


def fit_growing(
    weights: Weights, X: Any, target: Target, posterior: SetPosterior | None, sample_weight: Any = None,
    n_growths: int = 0,
) -> tuple[Weights, NDArray | None]:  # fmt: skip
    """Fit weights; supervised ones are fitted again `n_growths` times to the labels that they estimate.

    Returns the weights, and the state that they were fitted to if it is final (`SetPosterior.confirms_growths`).

    Sets are a poor target: a forest that is grown on the middles of wide intervals splits by their widths. Each round
    estimates the labels from what the other rows predict, and fits the weights to these.
    """
    if posterior is None or not n_growths or not weights.supervised:
        return weights.fit(X, target, sample_weight), None
    posterior = copy(posterior)  # other threads use it, and annotators are estimated again
    q = posterior.prior()

    def regrown(fitted: Weights) -> Weights:
        phi = posterior.growth_target(posterior.phi(q))
        return fitted.refit(X, target.with_phi(phi), sample_weight)

    phi = posterior.growth_target(posterior.phi(q))
    fitted = weights.fit_roughly(X, target.with_phi(phi), sample_weight)
    for _ in range(n_growths):
        operator = fitted.loo_operator()
        if operator is None:  # weights without leave-one-out predictions cannot estimate labels
            return fitted, None
        q = posterior.growth_state(posterior.predictor(operator)(q), q)
        fitted = regrown(fitted)
    return fitted, q if posterior.confirms_growths else None


def posterior_of(sets: Sets, sample_weight: NDArray | None = None, noise: Any = None) -> SetPosterior | None:
    """Return the posterior for a kind of sets; None if members can only be selected one at a time.

    `noise` is the share of sets that miss the true label, or "estimate"; see `Disambiguation`.
    """
    found = fallible(sets, sample_weight, noise)
    if found is not None:
        return found
    mask = sets.options()
    if mask is not None:
        likelihood = sets.likelihood()
        if sets.group_constraints is not None:
            return ConstrainedCategorical(mask, sets, sample_weight)
        if likelihood is not None:
            return Categorical(likelihood, sets, sample_weight)
        return (SparseCategorical if is_sparse(mask) else Categorical)(mask, sets, sample_weight)
    lines = sets.lines()
    if lines is not None and noise and len(lines) == 1:
        return FallibleNormal(lines, sample_weight, noise)
    if lines is not None:
        return TruncatedNormal(lines, sample_weight)
    if sets.comparisons() is not None:
        return FallibleComparisons(sets, sample_weight, noise) if noise else BradleyTerry(sets, sample_weight)
    return _coupled(sets, sample_weight) if supports_soft(sets) else None


def _coupled(sets: Sets, sample_weight: NDArray | None) -> Coupled:
    """Return the posterior of several outputs."""
    parts: list[SetPosterior] = []
    each = sets.coordinates() or []
    for own in each:
        mask, likelihood = own.options(), own.likelihood()
        found = posterior_of(own, sample_weight) if mask is None else None
        if mask is not None:
            found = Categorical(mask if likelihood is None else likelihood, own, sample_weight)
        assert found is not None
        parts.append(found)
    factors = np.ones(len(parts)) if sets.coordinate_weights is None else sets.coordinate_weights
    return Coupled(parts, factors, labelled_in(each), sample_weight)


def supports_soft(sets: Sets) -> bool:
    """Whether members of the sets can be assigned probabilities, so that sets have a likelihood."""
    if any(found is not None for found in (sets.options(), sets.lines(), sets.comparisons())):
        return True
    return all(map(supports_soft, sets.coordinates() or [])) if sets.coordinates() else False


def has_density(sets: Sets) -> bool:
    """Whether sets have a likelihood around any predicted output, as numbers do, and not only after disambiguation."""
    return sets.options() is None and sets.lines() is not None
