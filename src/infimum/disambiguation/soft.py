"""Soft disambiguation: weights on the members of sets, moved towards what the other rows predict."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs.base import Sets
from ..weights.holdout import Holdout, LooOperator
from .categorical import Options
from .posterior import SetPosterior
from .sparse_categorical import SparseCategorical, are_few
from .truncated_normal import Normal

LOST = 0.01  # of a nat a row: sets that are less probable by more than before have been led away from
PATIENCE = 4  # rounds of that, after which it is over
CLEARLY = 0.1  # of a nat a row: another start must lead to sets that are more probable by more


class Settled(NamedTuple):
    """Where the weights came to rest."""

    q: NDArray
    """(..., n, *e): what is known of the rows, as their `SetPosterior` has it."""
    rounds: int
    settled: bool
    """False where `max_iter` rounds were not enough."""


def soft(
    left_out: LooOperator,
    weighing: SetPosterior,
    ramp: float = 20,
    cap: float = 2.0,
    max_iter: int = 50,
    tol: float = 2e-3,
    sample_weight: NDArray | None = None,
) -> Settled:
    """Every set is weighed by F_i, which is predicted from the weights of the *other* rows, again and again.

    Leaving row i out of its own update is what stops the loop from confirming its first guess. Weights on options
    are proportional to max(F_i(y), 0)^p on S_i, where the exponent p = min(cap, 1 + t / ramp) grows with the rounds t:
    q stays undecided while little is known, and sharpens later. Numbers are normal around F_i, of a deviation that is
    fitted in every round.

    Parameters
    ----------
    left_out : callable
        q -> F, linear, of the shape of q with the axes of a row flattened: (..., n, e).
    weighing : SetPosterior
        What q is, and how it is moved.
    ramp, cap : float
        How fast, and up to where, the exponent grows.
    sample_weight : (n,), optional
        How much rows count.
    max_iter, tol
        Rounds at most; the loop ends when, at p = cap, the rows move by less than tol on average.

    Examples
    --------
    Two candidates, of which the neighbours favour the first:

    >>> from infimum.disambiguation import Options
    >>> mask = np.array([[[True, True]], [[True, False]]])
    >>> found = soft(lambda q: np.array([[.6, .4], [.5, .5]]), Options(mask))
    >>> found.q[:, 0].round(2)
    array([[0.69, 0.31],
           [1.  , 0.  ]])
    """
    sums = weighing.sums(left_out)

    def begun(q: NDArray) -> tuple[Settled, Best]:
        best = Best(q)
        for t in range(max_iter):
            p = min(cap, 1 + t / ramp)
            F = sums(q)
            new = weighing.moved(F, q, p)
            goes_on = best.watch(q, weighing.worth(F))
            moved = np.average(weighing.step(new, q), axis=-1, weights=sample_weight).max()
            q = new
            if (p == cap and moved < tol) or not goes_on:
                return Settled(best.of(q), t + 1, True), best
        return Settled(best.of(q), max_iter, False), best

    (found, best), *others = map(begun, weighing.begin())
    for other, its in others:
        better = its.now > best.now + CLEARLY
        found = Settled(either(better, other.q, found.q), found.rounds + other.rounds, found.settled and other.settled)
        best.now = np.where(better, its.now, best.now)
    return found


class Best:
    """The q under which sets were most probable, a line at a time: kept where later rounds lead away from it.

    Leaving a row out is no contraction: with a small lam, rows whose sets are wide may drive each other away from where
    the others want them. What they then predict makes the sets less probable.
    """

    def __init__(self, q: NDArray):
        self.q, self.rounds = q, 0
        self.worth, self.now = np.array(-np.inf), np.empty(0)

    def watch(self, q: NDArray, worth: NDArray | None) -> bool:
        """Whether to go on: not once all lines have been lost for some rounds."""
        if worth is None:
            return True
        self.q = either(worth > self.worth, q, self.q)
        self.worth, self.now = np.maximum(worth, self.worth), worth
        self.rounds = self.rounds + 1 if self.lost.all() else 0
        return self.rounds < PATIENCE

    @property
    def lost(self) -> NDArray:
        """Which lines have been led away, (k,)."""
        return self.now < self.worth - LOST

    def of(self, last: NDArray) -> NDArray:
        """The last q, or the best one where it was lost."""
        if not self.lost.any():
            return last
        self.now = np.where(self.lost, self.worth, self.now)
        return either(self.now == self.worth, self.q, last)


def either(first: NDArray, q: NDArray, other: NDArray) -> NDArray:
    """Line by line, the first or the other."""
    return np.where(first[:, None], q.reshape(len(first), -1), other.reshape(len(first), -1)).reshape(q.shape)


def held_out_sums(
    operator: Holdout, weighing: SetPosterior, ramp: float = 5, cap: float = 2.0, max_iter: int = 8
) -> NDArray:
    """F_i for every row, by a disambiguation that never saw the sets of its block: (n, *e).

    A shorter schedule than that of `soft`: it ranks settings as well, at half the cost.
    """
    without = weighing.without(operator)
    return without.own(soft(operator, without, ramp, cap, max_iter, tol=0.0).q, operator)


def weighing_of(sets: Sets, sample_weight: NDArray | None = None) -> SetPosterior | None:
    """How these sets are weighed; None where their members can only be chosen one at a time."""
    mask = sets.options()
    if mask is not None:
        return (SparseCategorical if are_few(mask) else Options)(mask, sets, sample_weight)
    lines = sets.lines()
    return None if lines is None else Normal(lines, sample_weight)


def has_laws(sets: Sets) -> bool:
    """Whether sets have a probability around any prediction, as numbers have: likelihoods compare all principles."""
    return sets.options() is None and sets.lines() is not None


def is_weighed(sets: Sets) -> bool:
    """Whether members can be weighed, so that sets have a likelihood."""
    return sets.options() is not None or sets.lines() is not None
