"""Posteriors on listed candidates: sets that are products of choices among options (labels, tags, masks)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from copy import copy
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..evidence.calibration import (
    TemperatureScaling,
    fit_temperature,
    normalise,
    ratio_to_best_set,
    row_log_likelihood,
    with_unit_sum,
)
from ..outputs.base import OutputSpace, Sets
from ..outputs.soft_labels import soft_update, uniform
from ..weights.holdout import Holdout, LooOperator, identity
from .posterior import TIE, LabelErrors, Members, SetPosterior, flatten_state

CHANCE_RATIO = 0.5  # a suspect is at most this times as probable as a random set of the same size
COARSE_STEP, COARSE_ROWS = 4, 600  # grid steps and rows of a temperature that is only used to compare models

LARGEST_STEP = 8.0  # nats by which another output of the row changes the probability of an option, at most

SPARSE_OPTIONS = 64  # options per row, from which on the sparse form may be faster
SPARSE_SHARE = 0.02  # at most this share of all (row, row, option) has the option as a candidate in both rows
SPARSE_ENTRIES = 5_000_000  # the same as a number, to limit memory
SPARSE_ROUNDS = 20  # building the sparse operator costs n products; this many dense rounds cost as much


class Categorical(SetPosterior):
    """Probabilities q_i of the candidates of each row, updated by `soft_update`.

    Parameters
    ----------
    mask : (..., n, g, c) array
        The candidates: row i makes g choices, each among c options. Booleans, or likelihoods in [0, 1] of soft labels.
    sets : Sets, optional
        The sets with these options.
    sample_weight : (n,) array, optional
        Sample weights.
    """

    axes = 2
    ranks_errors = True

    def __init__(self, mask: NDArray, sets: Sets | None = None, sample_weight: NDArray | None = None):
        self.mask, self.sets, self.w = mask, sets, sample_weight

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mask.shape

    @property
    def size(self) -> int:
        return self.mask.size

    def prior(self) -> NDArray:
        return uniform(self.mask)

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        return soft_update(F, self.mask, power, q)

    def change(self, new: NDArray, q: NDArray) -> NDArray:
        return np.abs(new - q).sum(axis=(-2, -1)) / self.mask.shape[-2]

    def hold_out(self, operator: Holdout) -> Categorical:
        return Categorical(operator.mask_out(self.mask), self.sets, self.w)

    def without_rows(self, F: NDArray) -> Categorical:
        return Categorical(self.mask[:0])

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> Categorical:
        mask, likelihood = sets.options(), sets.likelihood()
        assert mask is not None
        return Categorical(mask if likelihood is None else likelihood, sets, sample_weight)

    def phi(self, q: NDArray) -> NDArray:
        return self._sets.expected(q)

    @property
    def _sets(self) -> Sets:
        assert self.sets is not None
        return self.sets

    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        P = normalise(F)
        used = slice(None) if self.w is None else np.asarray(self.w) > 0
        w = None if self.w is None else self.w[used]
        scaling = TemperatureScaling().fit(P[used], self.mask[used], w, COARSE_STEP, COARSE_ROWS)
        return self.phi(P), row_log_likelihood(scaling(P), self.mask)

    def mean(self, q: NDArray) -> NDArray:
        return flatten_state(q, self.axes)

    def center(self, F: NDArray) -> NDArray:
        return flatten_state(normalise(F), self.axes)

    def moved(self, F: NDArray, step: NDArray) -> NDArray:
        """Multiply by exp(step / share of the option), which moves the probability of a typical row by `step`."""
        share = np.maximum(normalise(F).mean(axis=-3, keepdims=True), 1e-300)
        return F * np.exp(np.clip(step.reshape(F.shape) / share, -LARGEST_STEP, LARGEST_STEP))

    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        best = np.argmax(q, axis=-1)[..., None] == np.arange(q.shape[-1])  # the lowest index on a tie
        phi = self.phi(best.astype(float))
        # the most probable option may be outside of a set that misses the true label
        return self.describe(output.decode(phi) if self.is_fallible else self._sets.member(phi, output), q)

    def describe(self, z: NDArray, q: NDArray) -> Members:
        own = np.take_along_axis(q, self._sets.option_of(z)[..., None], axis=-1)
        tied = np.empty(0, dtype=int)
        if q.shape[-1] > 1:
            two = np.sort(q, axis=-1)[..., -2:]
            tied = np.flatnonzero((two[..., 1] - two[..., 0] < TIE).any(axis=-1))
        return Members(z, own[..., 0].min(axis=-1), tied, q=q)

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find sets with little support, if sets of the same size have much more and chance alone has more.

        The last two conditions matter for many classes: there a correct label that is hard to predict has little
        support as well. Leave-one-out predictions use more rows than those without a fold, so they rank rows better.
        """
        P, calibrator = normalise(F), fit_temperature(with_unit_sum(F), self.mask, self.w)
        calibrated = calibrator(with_unit_sum(F))
        unsupported = (P * self.mask).sum(axis=-1) < threshold
        surpassed = ratio_to_best_set(calibrated, self.mask) < threshold
        below_chance = (calibrated * self.mask).sum(axis=-1) < CHANCE_RATIO * self.mask.mean(axis=-1)
        suspects = np.flatnonzero((unsupported & surpassed & below_chance).any(axis=-1))
        miss = None
        if leave_one_out is not None:
            scores = with_unit_sum(leave_one_out)
            miss = 1 - support(fit_temperature(scores, self.mask, self.w)(scores), self.mask)
        return LabelErrors(support(P, self.mask), suspects, calibrator, miss)


class SparseCategorical(Categorical):
    """The same posterior, stored for the candidates only: few candidates among many options.

    q and F have the shape (..., e), with one entry per (row, choice, candidate). q is 0 elsewhere, and updates need F
    nowhere else. Two rows interact only if they share a candidate, so a round is one sparse product.
    """

    axes = 1

    def __init__(self, mask: NDArray, sets: Sets | None = None, sample_weight: Any = None):
        super().__init__(mask, sets, sample_weight)
        self.entries = row, group, option = np.nonzero(mask)
        self.row, self.at = row, group * mask.shape[2] + option
        choice = row * mask.shape[1] + group
        self.first = np.flatnonzero(np.diff(choice, prepend=-1))
        self.counts = np.diff(np.append(self.first, len(row)))
        self.operator: Holdout | None = None
        self.in_training: Any = True
        """Whether the row of an entry is outside of the held-out fold, (k, e)."""

    @property
    def shape(self) -> tuple[int, ...]:
        return np.broadcast_shapes(np.shape(self.in_training), self.row.shape)

    def hold_out(self, operator: Holdout) -> SparseCategorical:
        _ = self.pattern  # computed once, and shared with the copy
        found = copy(self)
        found.operator = operator
        found.in_training = operator.mask_out(np.ones(len(self.mask), dtype=bool))[:, self.row]
        return found

    def prior(self) -> NDArray:
        return np.repeat(1 / self.counts, self.counts) * self.in_training

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        """Apply `soft_update` to each choice; candidates of one choice are consecutive entries here."""
        new = np.maximum(F, 0)
        new /= np.maximum(self._per_choice(np.maximum, new), 1e-300)
        new **= power
        total = self._per_choice(np.add, new)
        return np.where(total > 0, new / np.where(total > 0, total, 1), q) * self.in_training

    def change(self, new: NDArray, q: NDArray) -> NDArray:
        n, g, _ = self.mask.shape
        rows = sparse.csr_matrix((np.ones(len(self.row)), (self.row, np.arange(len(self.row)))), (n, len(self.row)))
        return (rows @ np.abs(new - q).T).T / g

    def _per_choice(self, reduce: np.ufunc, values: NDArray) -> NDArray:
        """Reduce the candidates of each choice, and repeat the result for each of them."""
        if not len(self.first):
            return values
        return np.repeat(reduce.reduceat(values, self.first, axis=-1), self.counts, axis=-1)

    def predictor(self, loo_operator: LooOperator) -> Callable[[NDArray], NDArray]:
        if self.operator is None:
            (M,) = self._at_pattern(loo_operator(part)[None] for part in identity(len(self.mask)))
            return lambda q: M @ q
        each = self._at_pattern(self.operator.columns())
        return lambda q: np.stack([M @ part for M, part in zip(each, q)])

    @cached_property
    def pattern(self) -> sparse.csc_matrix:
        """Pairs of entries with the same option, (e, e): F at the first depends on q at the second."""
        e, options = len(self.at), int(np.prod(self.mask.shape[1:]))
        here = sparse.csr_matrix((np.ones(e, dtype=bool), (np.arange(e), self.at)), (e, options))
        return sparse.csc_matrix(here @ here.T)

    def _at_pattern(self, columns: Iterable[NDArray]) -> list[sparse.csc_matrix]:
        """Restrict k operators to `pattern`; their columns arrive in batches of shape (k, n, columns)."""
        indices, indptr = self.pattern.indices, self.pattern.indptr
        second = np.repeat(self.row, np.diff(indptr))  # ascending, as entries are
        values, done = [], 0
        for part in columns:
            start, end = np.searchsorted(second, (done, done + part.shape[2]))
            values.append(part[:, self.row[indices[start:end]], second[start:end] - done])
            done += part.shape[2]
        return [sparse.csc_matrix((one, indices, indptr), self.pattern.shape) for one in np.concatenate(values, 1)]

    def out_of_fold(self, q: NDArray, operator: Holdout) -> NDArray:
        weights, out = operator.weights(), np.empty((len(self.mask), np.prod(self.mask.shape[1:])))
        seen = operator.mask_out(np.ones(len(self.mask), dtype=bool))
        for part, there in zip(q, seen):
            rows = slice(None) if there.all() else ~there  # leave-one-out has one operator for all rows
            out[rows] = weights[rows] @ sparse.csr_matrix((part, (self.row, self.at)), out.shape)
        return out.reshape(self.mask.shape)

    def dense(self, q: NDArray) -> NDArray:
        out = np.zeros(self.mask.shape)
        out[self.entries] = q
        return out


def is_sparse(mask: NDArray) -> bool:
    """Whether the candidates (n, g, c) are so few that `SparseCategorical` is faster."""
    n, g, c = mask.shape
    if g * c < max(SPARSE_OPTIONS, n / SPARSE_ROUNDS):
        return False
    shared = np.square(mask.reshape(n, g * c).sum(axis=0, dtype=float)).sum()
    return bool(shared <= min(SPARSE_SHARE * n**2 * g * c, SPARSE_ENTRIES))


def support(P: NDArray, mask: NDArray) -> NDArray:
    """Return P_i(S_i), (n,): the probability of the candidates, and the smallest one over several choices."""
    return (P * mask).sum(axis=-1).min(axis=-1)
