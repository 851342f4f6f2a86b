"""SourceModel: how likely each source is to give an answer, if a given option is true."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from .answers import Answers
from .confusions import Confusions


@dataclass(frozen=True)
class Prior:
    """What is assumed about sources before their answers are compared; in numbers of answers."""

    guessing: float = 0.3
    """The share of guesses that the estimation starts from; 0 is a perfect source, 1 guesses at random."""
    population: float = 10.0
    """Answers that `guessing` counts as, among those of all sources."""
    source: float = 4.0
    """Answers that the share of all sources counts as, among those of one source. Larger values shrink more."""


MAX_CELLS = 20_000_000  # (source, option, option): beyond, sources have a share of guesses and no confusion matrix
LEAST = 1e-3  # the least likelihood of an answer, relative to a random one, unless the source is exact
EXACT = 1e-12  # the likelihood of an answer that a source without errors cannot give


class SourceModel:
    """Likelihood R_w(S | y) of an answer S of source w if option y is true, for k copies of the items.

    A source selects an option l with probability pi_w(l | y), and gives a set that contains l. Then R_w(S | y) is the
    sum of pi_w(l | y) over l in S, up to a factor that depends on the size of S only. A source that guesses a share g
    of its answers has pi_w(l | y) = (1 - g) 1[l = y] + g / c. A share of 0 is a perfect source, 1 is a source that
    contributes nothing, and a larger one belongs to an adversary. With `confusion`, pi_w is a matrix that is estimated
    from the answers of all sources; see `Confusions`.

    Parameters
    ----------
    answers : Answers
        What the sources have answered.
    prior : Prior
        What is assumed before.
    confusion : bool
        Whether sources have confusion matrices.
    fixed : (n_sources,), optional
        Shares of guesses that are known, such as 0 for known labels, and NaN for those that are estimated.
    """

    def __init__(self, answers: Answers, prior: Prior, confusion: bool = False, fixed: NDArray | None = None):
        self.answers, self.prior, c = answers, prior, answers.n_options
        self.fixed = np.full(answers.n_sources, np.nan) if fixed is None else fixed
        self.free = np.isnan(self.fixed)
        # sources without answers about these items have no matrices, which saves most of the time if rows are few
        self._used, self._at = np.unique(answers.source, return_inverse=True)
        self.confusion = confusion and len(self._used) * c * c <= MAX_CELLS and c > 1
        self._given = answers.given.toarray()
        self._inside = self._given > 0
        self._chance = 1 - self._inside.sum(axis=1) / c  # of an answer that is a random set of this size to miss
        if self.confusion:
            coo = answers.given.tocoo()
            at = self._at[coo.row] * c + coo.col
            self._labels = sparse.csr_matrix((coo.data, (coo.row, at)), (len(self._given), len(self._used) * c))
        self._start()

    def _start(self) -> None:
        self.guessing = np.where(self.free, self.prior.guessing, self.fixed)[None]
        self.number = np.zeros_like(self.guessing)
        self._pi: NDArray | None = None
        self._confusions: list[Confusions] = []
        self.R = self._likelihood(self.guessing[0], None)[None]

    def unfitted(self, guessing: float | None = None) -> SourceModel:
        """Return a model of the same answers in which nothing is estimated yet; it starts from a share of guesses."""
        new = copy(self)
        new.prior = self.prior if guessing is None else replace(self.prior, guessing=guessing)
        new._start()
        return new

    def with_answers(self, answers: Answers) -> SourceModel:
        """Return the sources as they are estimated, with other answers."""
        new = SourceModel(answers, self.prior, self.confusion, self.fixed)
        return new.with_estimates(self.guessing[0], self.pi)

    def with_estimates(self, guessing: NDArray, pi: NDArray | None) -> SourceModel:
        """Set the shares of guesses (n_sources,) and the matrices (n_sources, c, c) of the sources."""
        self.guessing = guessing[None]
        self._pi = None if pi is None or not self.confusion else pi[None, self._used]
        self.R = self._likelihood(guessing, None if self._pi is None else self._pi[0])[None]
        return self

    @property
    def pi(self) -> NDArray | None:
        """The matrices of all sources for the first copy of the items, (n_sources, c, c): answer, then true option."""
        if self._pi is None:
            return None
        pi = self._guesses(self.guessing[0])
        pi[self._used] = self._pi[0]
        return pi

    def fit(self, q: NDArray, sample_weight: NDArray | None = None) -> None:
        """Estimate the sources from probabilities q of the options of each item, (k, items, c)."""
        if self.confusion and len(self._confusions) != len(q):
            k, c = int(self.free[self._used].sum()), self.answers.n_options
            self._confusions = [Confusions(k, c, 1 - self.prior.guessing) for _ in q]
        found = [self._fit(part, f % len(self.R), sample_weight) for f, part in enumerate(q)]
        self.guessing, self.number, self.R = (np.stack([one[k] for one in found]) for k in range(3))
        self._pi = np.stack([one[3] for one in found]) if self.confusion else None

    def _fit(self, q: NDArray, f: int, w: NDArray | None) -> tuple[NDArray, ...]:
        """Return the share of guesses, the answers, the likelihoods and pi, from one copy of the items."""
        answers, prior = self.answers, self.prior
        total = answers.counts.T @ (q if w is None else q * w[:, None])  # (keys, c)
        number = total.sum(axis=1)
        missed = number - (total * self._inside).sum(axis=1)

        def per_source(values: NDArray) -> NDArray:
            return np.bincount(answers.source, values, answers.n_sources)

        missed, chance = per_source(missed), per_source(number * self._chance)
        start = prior.guessing * prior.population
        mean = (missed[self.free].sum() + start) / (chance[self.free].sum() + prior.population)
        guessing = np.where(self.free, (missed + prior.source * mean) / (chance + prior.source), self.fixed)
        pi = self._confusion(total / self.R[f], f, guessing) if self.confusion else np.empty(0)
        return guessing, per_source(number), self._likelihood(guessing, pi if self.confusion else None), pi

    def _confusion(self, ratio: NDArray, f: int, guessing: NDArray) -> NDArray:
        """Return pi of the sources with answers, (k, c, c) with the answer before the true option."""
        model, free, pi = self._confusions[f], self.free[self._used], self._guesses(guessing[self._used])
        old = pi.copy()
        old[free] = model.pi
        model.fit((old * (self._labels.T @ ratio).reshape(old.shape))[free], pi[free])
        pi[free] = model.pi
        return pi

    def _guesses(self, guessing: NDArray) -> NDArray:
        """Return the matrices of sources that guess these shares of their answers, (k, c, c)."""
        c, g = self.answers.n_options, guessing[:, None, None]
        pi = np.maximum((1 - g) * np.eye(c) + g / c, 1e-6)  # an adversary avoids the true option
        return pi / pi.sum(axis=1, keepdims=True)

    def _likelihood(self, guessing: NDArray, pi: NDArray | None) -> NDArray:
        """Return R of each key, (keys, c)."""
        share = self._given.mean(axis=1, keepdims=True)
        if pi is not None:
            R = self._labels @ pi.reshape(-1, pi.shape[-1])
        else:
            g = guessing[self.answers.source][:, None]
            R = (1 - g) * self._given + g * share
        exact = (guessing == 0)[self.answers.source][:, None]
        return np.where(exact, np.maximum(self._given, EXACT), np.maximum(R, LEAST * share))

    def log_likelihood(self) -> NDArray:
        """Return the sum of log R over the answers about each item, (k, items, c)."""
        return np.stack([self.answers.counts @ np.log(R) for R in self.R])


def log_sum(log_p: NDArray) -> NDArray:
    """Return log sum exp over the last axis, which is kept."""
    high = log_p.max(axis=-1, keepdims=True)
    return high + np.log(np.exp(log_p - high).sum(axis=-1, keepdims=True))
