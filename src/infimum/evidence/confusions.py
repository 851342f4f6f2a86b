"""Confusions: confusion matrices of many sources, averaged over two priors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.special import digamma, gammaln

STRENGTHS = 2.0 ** np.arange(11)  # answers that a prior counts as; the largest one is almost no deviation from it
SKILL_STRENGTHS = slice(1, 7)  # of the share of known answers, in which sources always differ a little
FIRST_STRENGTH = 3  # the place of the strength of the share of known answers, before it is estimated
OWN_STRENGTH = 4.0  # answers that one share of guesses counts as in a matrix of a source alone; larger shrinks more
NEGLIGIBLE = 0.01  # answers: smaller expected counts do not change the strength of a prior


class Confusions:
    """Confusion matrices pi_w(l | y) of k sources with c options: the mean of the estimates under two priors.

    Sources err together about hard rows, and matrices that fit the answers best then confirm these errors. The mean
    over priors does so less. Under the first prior, the rows of pi_w have Dirichlet distributions around a share of
    guesses. The second one is a hierarchical model: a source w knows the true option y with probability t_w. Otherwise
    it answers with an option that all sources confuse with y, or with one that it prefers itself whatever is true:

    M_w(l | y) = t_w 1[l = y] + (1 - t_w) (b_w C(l | y) + (1 - b_w) x_w(l)).

    The rows of pi_w have Dirichlet distributions with mean M_w. The parameters t_w, b_w, C and x_w have Dirichlet
    distributions around values of all sources, too. The strength of each prior is the one with the largest marginal
    likelihood (empirical Bayes). Few answers therefore give one share of right answers per source, and many answers of
    sources that differ give a confusion matrix for each one.

    Parameters
    ----------
    k, c : int
        The numbers of sources and of options.
    share : float
        The share of known answers that the estimation starts from.
    """

    def __init__(self, k: int, c: int, share: float):
        self.c = c
        self.start = share
        self.t, self.t_all = np.full(k, share), np.array([share, 1 - share])
        self.b, self.b_all = np.full(k, 0.5), np.array([0.5, 0.5])
        self.C = (1 - np.eye(c)) / (c - 1)
        self.x, self.x_all = np.full((k, c), 1 / c), np.full(c, 1 / c)
        last = len(STRENGTHS) - 1
        self.places = {"t": FIRST_STRENGTH, "b": last, "C": last, "x": last, "pi": last}
        self.mean = self._mean()
        self.pi = self.mean

    def _mean(self) -> NDArray:
        """Return M, (k, c, c) with the answer before the true label."""
        wrong = (1 - self.t)[:, None, None]
        b = self.b[:, None, None]
        return self.t[:, None, None] * np.eye(self.c) + wrong * (b * self.C + (1 - b) * self.x[:, :, None])

    def fit(self, number: NDArray, guesses: NDArray) -> None:
        """Estimate all parameters from the expected numbers of answers, (k, c, c): answer, then true label.

        `guesses` are the means of the first prior, of the same shape.
        """
        strength = self._strength("pi", number, self.mean, axis=1)
        # what the answers of a source indicate about the mean, if the source may deviate from it
        ratio = _informed(number, strength * self.mean) / self.mean
        wrong = (1 - self.t)[:, None, None]
        known = np.einsum("wyy,w->w", ratio, self.t)
        confused = ratio * (wrong * self.b[:, None, None]) * self.C
        prefers = ratio.sum(axis=2) * (wrong[:, 0] * (1 - self.b)[:, None] * self.x)
        by_kind = confused.sum(axis=(1, 2)), prefers.sum(axis=1)
        prior = 2 * np.array([self.start, 1 - self.start])
        t, self.t_all = self._shrunk("t", np.stack([known, sum(by_kind)], 1), self.t_all, prior)
        b, self.b_all = self._shrunk("b", np.stack(by_kind, axis=1), self.b_all, np.ones(2))
        self.t, self.b = t[:, 0], b[:, 0]
        self.x, self.x_all = self._shrunk("x", prefers, self.x_all, np.full(self.c, 10 / self.c))
        equal = (1 - np.eye(self.c)) / (self.c - 1)
        total = confused.sum(axis=0) + self._strength("C", confused.sum(axis=0), equal, axis=0) * equal
        self.C = total / total.sum(axis=0)
        self.mean = self._mean()
        each = (number + strength * self.mean, number + OWN_STRENGTH * guesses)
        self.pi = np.mean([one / one.sum(axis=1, keepdims=True) for one in each], axis=0)

    def _shrunk(self, name: str, number: NDArray, mean: NDArray, prior: NDArray) -> tuple[NDArray, NDArray]:
        """Return the shares of each source, (k, ...), and of all sources together, given their numbers."""
        strength = self._strength(name, number, mean, axis=1)
        total = _informed(number, strength * mean).sum(axis=0) + prior
        mean = total / total.sum()
        return (number + strength * mean) / (number.sum(axis=1, keepdims=True) + strength), mean

    def _strength(self, name: str, number: NDArray, mean: NDArray, axis: int) -> float:
        """Return the strength of a Dirichlet prior with this mean; its likelihood is climbed from the last strength."""
        total = number.sum(axis=axis)
        at = number > NEGLIGIBLE
        some, centre = number[at], np.broadcast_to(mean, number.shape)[at]
        seen: dict[int, float] = {}

        def value(place: int) -> float:
            if place not in seen:
                s = STRENGTHS[place]
                own = gammaln(some + s * centre) - gammaln(s * centre)
                seen[place] = float(own.sum() - (gammaln(s + total) - gammaln(s)).sum())
            return seen[place]

        places = range(len(STRENGTHS))[SKILL_STRENGTHS if name == "t" else slice(None)]
        best = self.places[name]
        while True:
            near = [place for place in (best - 1, best, best + 1) if place in places]
            new = max(near, key=lambda place: (value(place), place))
            if new == best:
                break
            best = new
        self.places[name] = best
        return float(STRENGTHS[best])


def _informed(number: NDArray, prior: NDArray) -> NDArray:
    """Return how many answers inform a prior mean: all if the prior is strong, and about one if it is weak."""
    prior = np.maximum(prior, 1e-12)
    return prior * (digamma(number + prior) - digamma(prior))
