"""Options: sets that are products of choices among listed options; labels, tags, masks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..calibration import Temperature, fitted_map, log_likelihoods, outweighed, probabilities, shared
from ..outputs.base import OutputSpace, Sets
from ..weights.holdout import Holdout
from .posterior import Doubts, Members, Read, SetPosterior

TIE = 0.05  # options whose weights differ by less are tied
CHANCE = 0.5  # times the probability that a set has where nothing is known: no suspect is more probable
STEP, ROWS = 4, 600  # of a temperature that only serves to compare


class Options(SetPosterior):
    """Weights q_i on the candidates of row i: proportional to max(F_i, 0)^p there.

    Parameters
    ----------
    mask : (..., n, g, c) booleans
        The candidates. Where a row has none, q stays 0.
    sets : Sets, optional
        Whose options they are.
    sample_weight : (n,), optional
        How much rows count.
    """

    axes = 2

    def __init__(self, mask: NDArray, sets: Sets | None = None, sample_weight: NDArray | None = None):
        self.mask, self.sets, self.w = mask, sets, sample_weight

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mask.shape

    @property
    def size(self) -> int:
        return self.mask.size

    def even(self) -> NDArray:
        return uniform(self.mask)

    def moved(self, F: NDArray, q: NDArray, p: float) -> NDArray:
        return sharpened(F, self.mask, q, p)

    def step(self, new: NDArray, q: NDArray) -> NDArray:
        return np.abs(new - q).sum(axis=(-2, -1)) / self.mask.shape[-2]

    def without(self, operator: Holdout) -> Options:
        return Options(operator.mask_out(self.mask), self.sets, self.w)

    def fitted(self, F: NDArray) -> Options:
        return Options(self.mask[:0])

    def like(self, sets: Sets, sample_weight: Any = None) -> Options:
        mask = sets.options()
        assert mask is not None
        return Options(mask, sets, sample_weight)

    def phi(self, q: NDArray) -> NDArray:
        return self._sets.expected(q)

    @property
    def _sets(self) -> Sets:
        assert self.sets is not None
        return self.sets

    def read(self, F: NDArray) -> Read:
        P = probabilities(F)
        return Read(self.phi(P), log_likelihoods(self._tempered(P), self.mask))

    def _tempered(self, P: NDArray) -> NDArray:
        """P as sure as the sets allow: by the temperature of their largest likelihood, roughly."""
        there = slice(None) if self.w is None else np.asarray(self.w) > 0
        w = None if self.w is None else self.w[there]
        return Temperature().fit(P[there], self.mask[there], w, STEP, ROWS)(P)

    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        best = np.argmax(q, axis=-1)[..., None] == np.arange(q.shape[-1])  # the lowest index on a tie
        return self.chosen(self._sets.member(self.phi(best.astype(float)), output), q)

    def chosen(self, z: NDArray, q: NDArray) -> Members:
        own = np.take_along_axis(q, self._sets.option_of(z)[..., None], axis=-1)
        tied = np.empty(0, dtype=int)
        if q.shape[-1] > 1:
            two = np.sort(q, axis=-1)[..., -2:]
            tied = np.flatnonzero((two[..., 1] - two[..., 0] < TIE).any(axis=-1))
        return Members(z, own[..., 0].min(axis=-1), tied, q=q)

    def doubts(self, F: NDArray, threshold: float) -> Doubts:
        """Sets of little support that others outdo; with many classes, what is hard to predict is no suspect yet."""
        P, read = probabilities(F), self.map_of(F)
        sure = read(shared(F))
        few = (P * self.mask).sum(axis=-1) < threshold
        outdone = outweighed(sure, self.mask) < threshold
        unlikely = (sure * self.mask).sum(axis=-1) < CHANCE * self.mask.mean(axis=-1)
        return Doubts(support(P, self.mask), np.flatnonzero((few & outdone & unlikely).any(axis=-1)), read)

    def map_of(self, F: NDArray) -> Any:
        """What reads predictions as probabilities."""
        return fitted_map("temperature", shared(F), self.mask, self.w)


def uniform(mask: NDArray) -> NDArray:
    """The same weight on every candidate; 0 where there is none."""
    return mask / np.maximum(mask.sum(axis=-1, keepdims=True), 1)


def sharpened(F: NDArray, mask: NDArray, q: NDArray, p: float) -> NDArray:
    """max(F, 0)^p on the candidates, summing to one; q where all of it is 0."""
    new = np.where(mask, np.maximum(F, 0), 0)
    # powers of numbers up to 1: a row of tiny scores is not lost to underflow
    new /= np.maximum(new.max(axis=-1, keepdims=True), 1e-300)
    new **= p
    total = new.sum(axis=-1, keepdims=True)
    return np.where(total > 0, new / np.where(total > 0, total, 1), q)


def support(P: NDArray, mask: NDArray) -> NDArray:
    """P_i(S_i), (n,): the probability of the candidates; of the least supported choice where there are several."""
    return (P * mask).sum(axis=-1).min(axis=-1)
