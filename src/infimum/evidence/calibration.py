"""Calibration: probabilities from predictions, fitted to the likelihood of candidate sets, and how reliable they are.

A model predicts scores F (n, g, c) for the c options of g choices. They sum to about one and may be negative.
Calibration maps them to probabilities P (n, g, c) that maximise the mean of log P_i(S_i), where P_i(S_i) is the
probability of the candidates of row i.

This is the likelihood of the data if candidates are *coarsened at random*: given x, a set is equally likely whichever
of its members is the true label. Then P is calibrated: among rows with P(y | x) = p, a fraction p has the label y. If a
distractor comes with a class more often than not, the likelihood cannot separate the two, and both get a part of the
probability.
"""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

PRIOR_MASS = 0.25  # shared by all options of a choice and added to their scores, whatever the number of options
PRIOR_ROWS = 0.5  # rows with a random label that the likelihood contains besides those of the data
MIN_PROBABILITY = 1e-6  # of a set: a smaller one counts as this, so that one row cannot dominate the likelihood
MAX_ROWS, MAX_SCORES = 5000, 400_000  # rows and scores that two parameters are fitted to; more change them little
MIN_ROWS = 200  # rows that are used even if they have more than MAX_SCORES scores
GRID_RATIO = 1.05  # of neighbouring values of both parameters; a grid makes them robust to rounding
STARTS = ((0, 0), (-16, -50), (-50, 60))  # grid points (temperature, mass) from which the search starts
STEPS = (32, 16, 8, 4, 2, 1)  # grid steps of the search
TEMPERATURES, MASSES = (0.01, 50.0), (1e-4, 100.0)  # ranges of the two parameters


def normalise(F: NDArray) -> NDArray:
    """Turn scores into probabilities without calibration: (max(F, 0) + 0.25 / c) / sum, (..., c)."""
    P = np.maximum(F, 0) + PRIOR_MASS / F.shape[-1]
    return P / P.sum(axis=-1, keepdims=True)


def with_unit_sum(F: NDArray) -> NDArray:
    """Shift the scores of each choice by a constant so that they sum to one, (..., c)."""
    return F + (1 - F.sum(axis=-1, keepdims=True)) / F.shape[-1]


class TemperatureScaling:
    """Map from scores to probabilities with two parameters, fitted to the likelihood of candidate sets.

    P(y) is proportional to (max(F_y, 0) + e / c)^(1 / T), with a temperature T and a mass e that all c options share.
    The order of the options is kept. Before `fit`, T = 1 and e = 0.25, as in `normalise`.

    Attributes
    ----------
    temperature_ : float
        T. Values below 1 give probabilities closer to 0 and 1.
    mass_ : float
        e. Larger values give more similar probabilities.

    Examples
    --------
    >>> F = np.array([[[.9, .1]], [[.9, .1]], [[.9, .1]], [[.1, .9]]])
    >>> mask = np.array([[[True, False]], [[True, False]], [[False, True]], [[False, True]]])
    >>> TemperatureScaling().fit(F, mask)(F)[0, 0].round(2)  # right in three rows of four
    array([0.75, 0.25])
    """

    def __init__(self) -> None:
        self.temperature_, self.mass_ = 1.0, PRIOR_MASS

    def fit(
        self, F: NDArray, mask: NDArray, sample_weight: Any = None, min_step: int = 1, max_rows: int = MAX_ROWS,
        prior_rows: float = 0.0,
    ) -> Self:  # fmt: skip
        """Maximise the mean of log P_i(S_i) over a grid, given held-out scores and candidates, (n, g, c).

        A larger `min_step`, in grid points, and fewer rows are faster and less exact. `prior_rows` rows with scores as
        they are given, and labels that have nothing to do with them, are added to the likelihood. Without them, scores
        that are right in each of a few rows would get probabilities of 0 and 1.
        """
        n_all = float(len(F) if sample_weight is None else np.sum(sample_weight))
        prior = prior_rows / (n_all + prior_rows) if prior_rows else 0.0
        F, mask, sample_weight = _thinned(F, mask.astype(float), sample_weight, max_rows)
        F, mask = (np.ascontiguousarray(part.transpose(2, 1, 0)) for part in (F, mask))  # options first: faster sums
        n = F.shape[-1]
        w = np.full(n, 1 / n) if sample_weight is None else np.asarray(sample_weight) / np.sum(sample_weight)
        seen: dict[tuple[int, int], float] = {}
        logs: dict[float, NDArray] = {}  # log-scores by mass, which do not depend on the temperature

        def value(at: tuple[int, int]) -> float:
            if at not in seen:
                temperature, mass = _parameters(at)
                if mass not in logs:
                    logs[mass] = _log_scores(F, mass, axis=0)
                E = np.exp(logs[mass] / temperature)
                total = E.sum(axis=0)
                unrelated = ((logs[mass].mean(axis=0) / temperature - np.log(total)) @ w).mean() if prior else 0.0
                E *= mask
                likelihood = (np.log(np.maximum(E.sum(axis=0) / total, MIN_PROBABILITY)) @ w).mean()
                seen[at] = float((1 - prior) * likelihood + prior * unrelated)
            return seen[at]

        best = max(STARTS, key=value)
        for step in STEPS:
            while step >= min_step:
                around = [(best[0] + i * step, best[1] + j * step) for i in (-1, 0, 1) for j in (-1, 0, 1)]
                new = max([best, *around], key=value)
                if not value(new) > value(best) + 1e-12:  # also if both are NaN
                    break
                best = new
        self.temperature_, self.mass_ = _parameters(best)
        return self

    def __call__(self, F: NDArray) -> NDArray:
        """Return the probabilities of the options, (..., c)."""
        P = np.exp(_log_scores(F, self.mass_) / self.temperature_)
        return P / P.sum(axis=-1, keepdims=True)

    def log(self, F: NDArray) -> NDArray:
        """Return the logarithms of the probabilities, (..., c)."""
        log = _log_scores(F, self.mass_) / self.temperature_
        return log - np.log(np.exp(log).sum(axis=-1, keepdims=True))

    def __repr__(self) -> str:
        return f"TemperatureScaling(T = {self.temperature_:.3g}, e = {self.mass_:.3g})"


def _thinned(F: NDArray, mask: NDArray, w: Any, max_rows: int) -> tuple[NDArray, NDArray, Any]:
    """Keep rows at equal distances, so that there are not too many."""
    number = min(len(F), max_rows, max(MIN_ROWS, MAX_SCORES // (F.shape[1] * F.shape[2])))
    at = np.linspace(0, len(F) - 1, number).astype(int)
    return F[at], mask[at], None if w is None else np.asarray(w)[at]


def _parameters(at: tuple[int, int]) -> tuple[float, float]:
    """Return temperature and mass at a grid point."""
    values = GRID_RATIO ** at[0], PRIOR_MASS * GRID_RATIO ** at[1]
    temperature, mass = (min(max(value, low), high) for value, (low, high) in zip(values, (TEMPERATURES, MASSES)))
    return temperature, mass


def _log_scores(F: NDArray, mass: float, axis: int = -1) -> NDArray:
    """Return log(max(F, 0) + mass / c), less its maximum over the options."""
    log = np.log(np.maximum(F, 0) + mass / F.shape[axis])
    log -= log.max(axis=axis, keepdims=True)
    return log


def fit_temperature(F: NDArray, mask: NDArray, sample_weight: Any = None) -> TemperatureScaling:
    """Fit a `TemperatureScaling` to held-out scores and candidates, (n, g, c); rows of weight 0 do not count.

    As in Platt scaling, a few rows that are all right do not make the model certain.
    """
    if sample_weight is not None:
        keep = np.asarray(sample_weight) > 0
        F, mask, sample_weight = F[keep], mask[keep], np.asarray(sample_weight)[keep]
    return TemperatureScaling().fit(F, mask, sample_weight, prior_rows=PRIOR_ROWS)


def row_log_likelihood(P: NDArray, mask: NDArray) -> NDArray:
    """Return log P_i(S_i) of each row, with no P_i(S_i) below 1e-6, (n,); the mean over several choices."""
    return np.log(np.maximum((P * mask).sum(axis=-1), MIN_PROBABILITY)).mean(axis=-1)


def mean_log_likelihood(P: NDArray, mask: NDArray, sample_weight: Any = None) -> float:
    """Return the weighted mean of log P_i(S_i) over the rows."""
    return float(np.average(row_log_likelihood(P, mask), weights=sample_weight))


def ratio_to_best_set(P: NDArray, mask: NDArray) -> NDArray:
    """Return P(S) divided by the probability of the most probable set of the same size, (n, g)."""
    number = np.maximum((mask > 0).sum(axis=-1, keepdims=True), 1)
    sums = np.cumsum(-np.sort(-P, axis=-1), axis=-1)
    best = np.take_along_axis(sums, number - 1, axis=-1)[..., 0]
    return (P * mask).sum(axis=-1) / best


class Reliability(NamedTuple):
    """Reliability diagram from candidate sets: how often the most probable option is right, in k bins."""

    confidence: NDArray
    """(k,): the mean probability of the most probable option."""
    low: NDArray
    """(k,): the fraction of rows in which it is the only candidate, so that it is right."""
    high: NDArray
    """(k,): the fraction of rows in which it is a candidate; elsewhere it is wrong."""
    expected: NDArray
    """(k,): the expected fraction in which it is right, if sets are coarsened at random."""
    number: NDArray
    """(k,): the number of rows, or of choices, in the bin."""


def reliability(P: NDArray, mask: NDArray, n_bins: int = 10) -> Reliability:
    """Compute a reliability diagram from probabilities and candidate sets.

    The fraction of rows in which the most probable option is right lies between `low` and `high`, whatever the origin
    of the sets. For exact labels both are equal to `expected`, and the result is the usual diagram.

    Parameters
    ----------
    P : (n, c) or (n, g, c) array
        Probabilities.
    mask : boolean array of the same shape
        The candidates.
    n_bins : int, default 10
        The number of bins. All bins have about the same number of rows.

    Returns
    -------
    Reliability
        Five arrays with one entry per bin.

    Examples
    --------
    >>> found = reliability(np.array([[.8, .2], [.6, .4]]), np.array([[True, False], [True, True]]), 1)
    >>> found.confidence.round(2), found.low, found.high, found.expected.round(2)
    (array([0.7]), array([0.5]), array([1.]), array([0.8]))
    """
    c = P.shape[-1]
    P, mask = P.reshape(-1, c), np.asarray(mask).reshape(-1, c)
    if P.shape != mask.shape or not len(P):
        raise ValueError(f"Probabilities and candidates must have the same shape. Got {P.shape} and {mask.shape}.")
    best = P.argmax(axis=1)
    rows = np.arange(len(P))
    confidence, inside = P[rows, best], mask[rows, best]
    alone = inside & (mask.sum(axis=1) == 1)
    # P(option | S) = P(option) / P(S) if the option is a candidate, else 0
    share = np.where(inside, confidence / np.maximum((P * mask).sum(axis=1), MIN_PROBABILITY), 0)
    bins = np.array_split(np.argsort(confidence, kind="stable"), max(1, min(n_bins, len(P))))
    mean = [np.array([values[bin].mean() for bin in bins]) for values in (confidence, alone, inside, share)]
    return Reliability(mean[0], mean[1], mean[2], mean[3], np.array([len(bin) for bin in bins]))
