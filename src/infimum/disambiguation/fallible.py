"""Fallible: the posterior of labels under sources that may be wrong."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..evidence.answers import Answers
from ..evidence.calibration import PRIOR_MASS, TemperatureScaling
from ..evidence.reliability import Prior, SourceModel, log_sum
from ..evidence.sources import noise_of, sources_of
from ..outputs.base import Sets
from ..weights.holdout import Holdout
from .categorical import COARSE_ROWS, COARSE_STEP, Categorical
from .posterior import LabelErrors

HELD_OUT_ROUNDS = 20  # of the updates of labels, which converge more slowly if many sets miss the true label
N_GROWTHS = 2  # of forests to labels that may be outside of the sets; the first ones underestimate the errors
ROUNDS = 8  # of the estimation of sources from held-out predictions, which do not change
MIN_MISS = 0.5  # probability that a set misses the true label, from which on the row is a suspect
HELD_OUT_GUESSING = 0.6  # from below, the estimate may end at a smaller share and flatter predictions
SETS = Prior(guessing=0.1, source=20.0)  # of sets by their size, which are given by one and the same source
Calibrated = tuple[TemperatureScaling, SourceModel, NDArray]


class Fallible(Categorical):
    """Probabilities of all options, given predictions and the answers of fallible sources.

    q_i(y) is proportional to P_i(y)^p times the product of R_w(S_iw | y) over the sources w. P_i are the predicted
    scores with a small mass for each option. The sources are estimated again in each round, from the q of all rows.

    Parameters
    ----------
    sets : Sets
        Sets with options.
    sample_weight : (n,) array, optional
        Sample weights.
    sources : SourceModel
        The answers and what is known about their sources, one item per choice.
    names, option_names : list, optional
        The names of the sources, if they are annotators, and of the options. Otherwise sources are groups of sets.
    """

    is_fallible = True

    def __init__(
        self, sets: Sets, sample_weight: NDArray | None, sources: SourceModel, names: list | None = None,
        option_names: list | None = None,
    ):  # fmt: skip
        mask = sets.options()
        assert mask is not None
        super().__init__(np.broadcast_to(np.True_, mask.shape), sets, sample_weight)
        self.candidates, self.sources, self.names, self.option_names = mask, sources, names, option_names or []
        self.in_training: NDArray | None = None
        if names is not None:
            # wrong answers are a worse target than estimated labels, which the final fit uses
            self.n_growths_compared = 1
        elif mask.shape[1] == 1:
            self.held_out_rounds = HELD_OUT_ROUNDS
            self.n_growths, self.confirms_growths = N_GROWTHS, True
        self.frozen = False
        """Whether the sources are given, and not estimated from these rows."""
        self._calibrated: tuple[NDArray, Calibrated] | None = None
        self.noise: Any = None
        """The share of sets that miss the true label, as it was given; see `fallible`."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.mask.shape if self.in_training is None else (len(self.in_training), *self.mask.shape)

    def hold_out(self, operator: Holdout) -> Fallible:
        found = copy(self)
        found.sources = self.sources.unfitted()
        found.in_training = operator.mask_out(np.ones(len(self.mask), dtype=bool))
        return found

    def prior(self) -> NDArray:
        self.sources = self.sources if self.frozen else self._start()
        q = _normalised(self._log_likelihood())[0]
        return self._in_training(np.broadcast_to(q, self.shape).copy())

    def _start(self, guessing: float | None = None) -> SourceModel:
        """Return sources that are estimated from the known labels only, or not at all if there are none."""
        sources = self.sources.unfitted(guessing)
        exact = (sources.fixed == 0)[sources.answers.source]
        known = np.asarray(sources.answers.counts[:, exact].sum(axis=1)).ravel() > 0
        if known.any():
            w = known * (1.0 if self._item_weight is None else self._item_weight)
            sources.fit(_normalised(sources.log_likelihood()), w)
        return sources

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        stacked = F.reshape(-1, *self.mask.shape)
        if not self.frozen:
            self.sources.fit(q.reshape(len(stacked), -1, q.shape[-1]), self._item_weight)
        log_P = power * np.log(np.maximum(stacked, 0) + PRIOR_MASS / F.shape[-1])
        return self._in_training(_normalised(log_P + self._log_likelihood()).reshape(F.shape))

    @property
    def _item_weight(self) -> NDArray | None:
        return None if self.w is None else np.repeat(np.asarray(self.w, dtype=float), self.mask.shape[1])

    def _in_training(self, q: NDArray) -> NDArray:
        return q if self.in_training is None else q * self.in_training[..., None, None]

    def _log_likelihood(self) -> NDArray:
        """Return log R of all sources together, (k, n, g, c)."""
        return self.sources.log_likelihood().reshape(-1, *self.mask.shape)

    def calibrated(self, F: NDArray) -> Calibrated:
        """Return the temperature and the sources under which the answers are most likely, given held-out predictions.

        The third part is log P + log R of each option, (n, g, c). The result for the last F is kept.
        """
        kept = self._calibrated
        if kept is None or kept[0] is not F:
            kept = self._calibrated = F, self._calibrate(F)
        return kept[1]  # not that of the attribute, which other threads change

    def _calibrate(self, F: NDArray) -> Calibrated:
        found = copy(self)
        found.sources = self._start(None if self.names else HELD_OUT_GUESSING)
        used = slice(None) if self.w is None else np.asarray(self.w) > 0
        w = None if self.w is None else self.w[used]
        for _ in range(ROUNDS):
            log_R = found._log_likelihood()[0]
            R = np.exp(log_R - log_R.max(axis=-1, keepdims=True))
            scaling = TemperatureScaling().fit(F[used], R[used], w, COARSE_STEP, COARSE_ROWS)
            q = _normalised(scaling.log(F) + log_R)
            found.sources.fit(q.reshape(1, -1, q.shape[-1]), self._item_weight)
        return scaling, found.sources, scaling.log(F) + found._log_likelihood()[0]

    def label_probabilities(self, q: NDArray, F: NDArray | None) -> NDArray:
        """Return the probabilities of all options given calibrated predictions, except for tags.

        The exponent of the updates is a compromise for all rows. A fitted temperature gives predictions the influence
        that agrees best with the answers or sets. Forests need it most, because the means that they predict are flat.
        """
        return q if F is None or self.mask.shape[1] > 1 else _normalised(self.calibrated(F)[2])

    def growth_state(self, F: NDArray, q: NDArray) -> NDArray:
        return self.label_probabilities(q, F) if self.confirms_growths else super().growth_state(F, q)

    def of_rows(self, rows: NDArray) -> Fallible:
        found = fallible(self._sets[rows], None if self.w is None else self.w[rows], self.noise)
        assert found is not None
        return found

    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        scaling, _, total = self.calibrated(F)
        return self.phi(scaling(F)), log_sum(total)[..., 0].mean(axis=-1)

    def miss_share(self, F: NDArray) -> float:
        if self.names is not None:
            return 0.0
        q = _normalised(self.calibrated(F)[2])
        miss = 1 - (q * self.candidates).sum(axis=-1)
        return float(np.average(miss, weights=self._choice_weight()))

    def _choice_weight(self) -> NDArray:
        """Return how much each choice counts in the share of errors, (n, g); unknown tags do not."""
        n, g = self.candidates.shape[:2]
        w = np.repeat((np.ones(n) if self.w is None else np.asarray(self.w, dtype=float))[:, None], g, axis=1)
        known = w * ~np.all(self.candidates, axis=-1)
        return known if g > 1 and known.any() else w

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find rows in which no candidate is likely, given what the other rows predict and all answers.

        Leave-one-out predictions use all other rows, so they are preferred to those without a fold.
        """
        scaling, sources, total = self.calibrated(F)
        if leave_one_out is not None:
            F = leave_one_out
            own, sources, total = self.calibrated(F)
        else:
            own = scaling
        q = _normalised(total)
        each = 1 - (q * self.candidates).sum(axis=-1)
        miss = each.max(axis=-1)
        flat = q.reshape(-1, q.shape[-1])
        found = LabelErrors(1 - miss, np.flatnonzero(miss > MIN_MISS), scaling, miss)
        if self.names is not None:
            about = sources_of(sources, sources.answers, flat, self.names, self.option_names, self._item_weight)
            return found._replace(sources=about)
        return found._replace(noise=self._noise(own(F), each))

    def _noise(self, P: NDArray, miss: NDArray) -> Any:
        """Return the share of sets that miss the true label, or of known tags that are wrong, from `miss` (n, g)."""
        mask, c = self.candidates, self.candidates.shape[-1]
        inside, size = (P * mask).sum(axis=-1), mask.sum(axis=-1)
        informs = size < c
        wrong = (1 - inside) * size / np.maximum(c - size, 1)  # the likelihood of a set of this size that misses
        w = self._choice_weight()
        share = np.average(miss, weights=w)
        slope = np.where(informs, (wrong - inside) / np.maximum((1 - share) * inside + share * wrong, 1e-12), 0.0)
        if mask.shape[1] == 1:
            groups = {str(s): float(miss[size[:, 0] == s].mean()) for s in np.unique(size[:, 0])}
        else:
            of_tag = (miss * w).sum(axis=0) / np.maximum(w.sum(axis=0), 1e-300)
            groups = {str(k): float(one) for k, one in enumerate(of_tag)}
        return noise_of(miss.ravel(), slope.ravel(), groups, w.ravel())

    def without_rows(self, F: NDArray) -> Fallible:
        found = copy(self)
        found.mask, found.candidates, found.w = self.mask[:0], self.candidates[:0], None
        return found

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> Fallible:
        found = fallible(sets, sample_weight, "estimate")
        assert found is not None
        found.sources, found.frozen = self.sources.with_answers(found.sources.answers), True
        return found

    def refine(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        self.frozen = False
        for _ in range(ROUNDS):
            q = self.update(F, q, power)
        return q


def fallible(sets: Sets, sample_weight: Any = None, noise: Any = None) -> Fallible | None:
    """Return the posterior of sets whose sources may be wrong.

    These are the annotators, if there are several. Otherwise `noise` is the known share of sets that miss the true
    label, or "estimate"; None and 0 return None.
    """
    found = sets.answers_of_sources()
    if found is not None:
        fixed = np.where(found.exact, 0.0, np.nan)
        sources = SourceModel(found.answers, Prior(), True, fixed)
        return Fallible(sets, sample_weight, sources, found.names, found.options)
    mask = sets.options()
    if not noise or mask is None:
        return None
    n, g, c = mask.shape
    flat = mask.reshape(n * g, c)
    source, k = (np.tile(np.arange(g), n), g) if g > 1 else (flat.sum(axis=1), c + 1)
    given = sets.likelihood()
    given = flat if given is None else given.reshape(n * g, c)
    answers = Answers.of(given, np.arange(n * g), source, n * g, k)
    size = np.arange(k) if g == 1 else np.ones(k)
    # a share e of sets of size s that miss the true label is a share e / (1 - s / c) of guesses
    known = None if isinstance(noise, str) else float(noise) / np.maximum(1 - size / c, 1e-9)
    posterior = Fallible(sets, sample_weight, SourceModel(answers, SETS, False, known))
    posterior.noise = noise
    return posterior


def _normalised(log_q: NDArray) -> NDArray:
    return np.exp(log_q - log_sum(log_q))
