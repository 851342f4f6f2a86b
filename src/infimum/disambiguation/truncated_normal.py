"""TruncatedNormal: the posterior of numbers and vectors on intervals, unions of intervals and boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from ..outputs.base import OutputSpace, Sets
from ..outputs.numbers.lines import IntervalUnions
from ..outputs.numbers.truncated_normal import Population, TruncatedNormals, fit_population
from ..weights.holdout import Holdout, LooOperator
from .posterior import TIE, LabelErrors, Members, SetPosterior

SLOPE_STEP = 1.1  # ratio of neighbouring slopes on their grid
LOG_SLOPE_STEP = math.log(SLOPE_STEP)
SLOPE_SPREAD = 0.5  # prior standard deviation of the logarithm of a slope; smaller values stretch few rows less
MAX_SLOPE_MOVES = 8  # moves on that grid per round
SLOPE_ROUNDS = 4  # rounds in which slope and scale are fitted in turn, from an unknown start


class TruncatedNormal(SetPosterior):
    """Normal distribution around the prediction from the other rows, truncated to the set, for each coordinate.

    The state q_i holds the means of (1, t, |t|²) under this distribution. Its centre is the minimiser of the squared
    loss, mu_i = (sum_j alpha_j t_j) / (sum_j alpha_j). Its scale is one number per coordinate, which maximises the
    likelihood of the sets. If predictions are good and sets are wide, the scale is much smaller than the sets, and the
    labels are almost known. If nothing can be predicted, labels lie near the middle of their sets. One-sided
    intervals end where the population of all rows ends (see `fit_population`). If all of them are bounded in the same
    direction, nothing indicates how far values are from their bounds, and the bounds are used as values.

    If some intervals are one-sided, a centre is the population mean plus a slope times the difference of mu_i to it.
    The slope maximises the likelihood together with the scale. Without it, estimated labels would be too close to each
    other: the value of a one-sided interval is estimated from the predictions, which are regularised, and these are
    trained on the estimates again. The model is trained on labels that are stretched by the slope, so predictions are
    stretched, too.

    Parameters
    ----------
    lines : list of m IntervalUnions
        The sets, one coordinate after the other.
    sample_weight : (n,) array, optional
        Sample weights.
    populations : list of m Population, optional
        Distributions of all rows, whatever their features. Fitted by default.
    fitted : list of m pairs of int, optional
        Slope and scale of each coordinate, as exponents of their grids. Fitted by default.
    in_training : (k, n) boolean array, optional
        The rows outside of each held-out fold.
    """

    axes = 1
    n_growths = n_growths_compared = 1
    holds_out_folds = False

    def __init__(
        self,
        lines: list[IntervalUnions],
        sample_weight: Any = None,
        populations: list[Population] | None = None,
        fitted: list[tuple[int, int]] | None = None,
        in_training: NDArray | None = None,
    ):
        self.n, self.w = lines[0].n, sample_weight
        if populations is None:  # bounds in one direction only do not tell how far off values are
            lines = [line if line.bounded_below is None else line.at_bounds() for line in lines]
        self.populations = (
            [fit_population(line, sample_weight) for line in lines] if populations is None else populations
        )
        self.normals = [
            TruncatedNormals(line.clip_one_sided(all_rows.low, all_rows.high), all_rows.unit)
            for line, all_rows in zip(lines, self.populations)
        ]
        self.fitted, self.in_training = fitted, in_training
        # slopes and scales of the last update, to start the next search from
        self._last: list[Any] = [None if fitted is None else np.array(one)[:, None] for one in fitted or lines]

    @property
    def shape(self) -> tuple[int, ...]:
        own = self.n, len(self.normals) + 2
        return own if self.in_training is None else (len(self.in_training), *own)

    @property
    def _lines(self) -> list[IntervalUnions]:
        return [normals.unions for normals in self.normals]

    @property
    def _weights(self) -> NDArray:
        return np.ones(self.n) if self.w is None else np.asarray(self.w, dtype=float)

    def hold_out(self, operator: Holdout) -> TruncatedNormal:
        in_training = operator.mask_out(np.ones((self.n, 1), dtype=bool))[..., 0].astype(bool)
        return TruncatedNormal(self._lines, self.w, self.populations, self.fitted, in_training)

    def with_sets(self, sets: Sets, sample_weight: Any = None) -> TruncatedNormal:
        lines = sets.lines()
        assert lines is not None
        return TruncatedNormal(lines, sample_weight, self.populations, self.fitted)

    def without_rows(self, F: NDArray) -> TruncatedNormal:
        none = [line[np.arange(0)] for line in self._lines]
        return TruncatedNormal(none, None, self.populations, self.fit_to(F))

    def fit_to(self, F: NDArray) -> list[tuple[int, int]]:
        """Return slope and scale of each coordinate for predictions F, as exponents of their grids."""
        each = [self._fit(j, mean) for j, mean in enumerate(self._means(F[None]))]
        return [(int(slope[0]), int(scale[0])) for slope, scale in each]

    def prior(self) -> NDArray:
        return self._state([
            normals.moments(np.full(self.n, all_rows.mean), all_rows.scale)
            for normals, all_rows in zip(self.normals, self.populations)
        ])  # fmt: skip

    def starts(self) -> Iterator[NDArray]:
        """Start from the population; if there are unions, also with equal probabilities of their intervals."""
        yield self.prior()
        if any(line.starts is not None for line in self._lines):
            self._last = [None] * len(self.normals)
            yield self._state([
                normals.nearest_moments(all_rows.mean) for normals, all_rows in zip(self.normals, self.populations)
            ])  # fmt: skip

    def update(self, F: NDArray, q: NDArray, power: float) -> NDArray:
        """Return the truncated moments around F; `power` is not used, because the scale is fitted instead."""
        found = []
        for j, (normals, mean) in enumerate(zip(self.normals, self._means(_stacked(F)))):
            slope, scale = self._last[j] = self._fit(j, mean)
            found.append(normals.moments(self._stretched(j, mean, slope), normals.scale_at(scale)[:, None]))
        return self._state(found, F.shape)

    def mean_log_likelihood(self, F: NDArray) -> NDArray:
        stacked = _stacked(F)
        w = np.broadcast_to(self._weights, stacked.shape[:2])
        w = w if self.in_training is None else w * self.in_training
        each = [
            self.normals[j].log_mass(self._stretched(j, mean, slope), self.normals[j].scale_at(scale)[:, None])
            for j, (mean, (slope, scale)) in enumerate(zip(self._means(stacked), self._last))
        ]
        return np.einsum("kn,kn->k", np.sum(each, axis=0), w) / np.maximum(w.sum(axis=-1), 1e-300)

    def change(self, new: NDArray, q: NDArray) -> NDArray:
        """Return the mean change of the coordinates, in units of the scale around predictions."""
        scale = np.stack([normals.scale_at(last[1]) for normals, last in zip(self.normals, self._last)], axis=-1)
        found = (_stacked(np.abs(new - q)[..., 1:-1]) / scale[:, None]).mean(axis=-1)
        return found if q.ndim == 3 else found[0]

    def predictor(self, loo_operator: LooOperator) -> Callable[[NDArray], NDArray]:
        """Prepare q -> F without its last entry, which is not used; sums of the weights are the same in all rounds."""
        totals: list[NDArray] = []

        def predict(q: NDArray) -> NDArray:
            if not totals:
                totals.append(loo_operator(q[..., :1]))
            return np.concatenate([totals[0], loo_operator(q[..., 1:-1]), np.zeros_like(totals[0])], axis=-1)

        return predict

    def phi(self, q: NDArray) -> NDArray:
        """Return the labels that the model is trained on, stretched by the slopes of the last update."""
        if all(last is None or not last[0].any() for last in self._last):
            return q
        t = q[..., 1:-1]
        variance = q[..., -1] - np.square(t).sum(axis=-1)
        slopes = [last[0][0] for last in self._last]
        new = np.stack([self._stretched(j, t[..., j], slope, np.inf) for j, slope in enumerate(slopes)], axis=-1)
        return np.concatenate([q[..., :1], new, (variance + np.square(new).sum(axis=-1))[..., None]], axis=-1)

    def growth_target(self, phi: NDArray) -> NDArray:
        """Return the means: the variance of the coordinates is the squared loss, that of |t|² is not."""
        return phi[:, 1:-1]

    def predict(self, F: NDArray) -> tuple[NDArray, NDArray]:
        fitted = self.fit_to(F)
        means = [self._stretched(j, mean[0], fitted[j][0]) for j, mean in enumerate(self._means(F[None]))]
        phi = np.stack([np.ones(self.n), *means, np.sum(np.square(means), axis=0)], axis=-1)
        return phi, self._log_likelihood(means)

    def log_likelihood_at(self, psi: NDArray) -> NDArray:
        return self._log_likelihood(list((-psi[:, 1:-1] / (2 * psi[:, -1:])).T))

    def mean(self, q: NDArray) -> NDArray:
        return q[..., 1:-1]

    def center(self, F: NDArray) -> NDArray:
        return np.stack(self._means(F), axis=-1)

    def moved(self, F: NDArray, step: NDArray) -> NDArray:
        t = self.center(F) + step
        return np.concatenate([np.ones((*t.shape[:-1], 1)), t, np.square(t).sum(axis=-1, keepdims=True)], axis=-1)

    def members(self, q: NDArray, F: Callable[[], NDArray], output: OutputSpace) -> Members:
        """Return the posterior means; for a union, the mean in its most probable interval."""
        each, variance = [], []
        for j, (normals, mean) in enumerate(zip(self.normals, self._means(F()[None]))):
            slope, exponent = self._last[j] = self._fit(j, mean)  # for `phi` of this state
            at, scale = self._stretched(j, mean, slope)[0], float(normals.scale_at(exponent)[0])
            each.append(normals.most_probable(at, scale))
            (first, second), t = normals.moments(at, scale), each[-1][0]
            variance.append(np.maximum(second - 2 * t * first + t**2, 0.0))
        t, share, next_share = (np.stack(part, axis=-1) for part in zip(*each))
        z = self.expand(output).decode(np.concatenate([np.ones((self.n, 1)), t, t[:, :1]], axis=-1))
        unit = np.sqrt(output.psi(z)[..., -1:])  # psi(z) = unit² (|t|², -2t, 1)
        deviation = (unit * np.sqrt(np.stack(variance, axis=-1))).reshape(z.shape)
        return Members(z, None, np.flatnonzero((share - next_share < TIE).any(axis=-1)), deviation)

    def label_errors(self, F: NDArray, threshold: float, leave_one_out: NDArray | None = None) -> LabelErrors:
        """Find outliers by Chauvenet's criterion: fewer than `threshold` of n correct sets are expected so far off."""
        support = np.ones(self.n)
        for j, (normals, mean) in enumerate(zip(self.normals, self._means(F[None]))):
            slope, exponent = self._fit(j, mean)
            distance = normals.unions.distance(self._stretched(j, mean, slope)[0])
            support = np.minimum(support, 2 * np.exp(log_ndtr(-distance / normals.scale_at(exponent[0]))))
        number = float(self._weights.sum()) * len(self.normals)
        return LabelErrors(support, np.flatnonzero(number * support < threshold))

    def expand(self, output: OutputSpace) -> OutputSpace:
        low, high = (np.array([getattr(one, end) for one in self.populations]) for end in ("low", "high"))
        return output.expanded_to(low, high)

    def _log_likelihood(self, means: list[NDArray]) -> NDArray:
        """Compute log P_i(S_i) under normal distributions around these means, (n,).

        All coordinates have the same scale here, as in the loss. With one scale each, a coordinate that is almost
        exact would outweigh the errors of all others.
        """
        if len(means) == 1:
            normals, mean = self.normals[0], means[0]
            return normals.log_mass(mean, normals.scale_at(self._fit_scale(0, mean[None], None)[0]))
        normals = TruncatedNormals(IntervalUnions.concatenate(self._lines), max(one.unit for one in self.normals))
        mean, w = np.concatenate(means), np.tile(self._weights, len(means))
        scale = normals.scale_at(normals.fit_scale(mean[None], w[None])[0])
        return normals.log_mass(mean, scale).reshape(len(means), self.n).sum(axis=0)

    def _means(self, F: NDArray) -> list[NDArray]:
        """Return mu_i of each coordinate, (k, n); the population mean for rows without positive weights."""
        total = F[..., 0]
        positive = total > 0
        found = []
        for j, all_rows in enumerate(self.populations):
            with np.errstate(over="ignore"):
                mean = np.where(positive, F[..., 1 + j] / np.where(positive, total, 1.0), all_rows.mean)
            found.append(np.clip(mean, all_rows.low, all_rows.high))
        return found

    def _stretched(self, j: int, mean: NDArray, slope: Any, beyond: float = 0.0) -> NDArray:
        """Multiply the difference of means to that of the population, for slopes per fold (k,) or one slope.

        The result is at most `beyond` the range of the population.
        """
        if not np.any(slope):
            return mean
        all_rows, factor = self.populations[j], SLOPE_STEP ** np.asarray(slope, dtype=float)
        factor = factor[:, None] if factor.ndim else factor
        return np.clip(all_rows.mean + factor * (mean - all_rows.mean), all_rows.low - beyond, all_rows.high + beyond)

    def _fit(self, j: int, mean: NDArray) -> NDArray:
        """Return slope and scale of coordinate j that maximise the likelihood, (2, k), as exponents of their grids."""
        k = len(mean)
        if self.fitted is not None:
            return np.tile(np.array(self.fitted[j])[:, None], k)
        last = self._last[j]
        slope, start = np.zeros(k, dtype=int), None
        if last is not None and last.shape[1] == k:
            slope, start = last
        scale = self._fit_scale(j, self._stretched(j, mean, slope), start)
        if self.populations[j].is_censored:
            for _ in range(SLOPE_ROUNDS if start is None else 1):
                slope = self._fit_slope(j, mean, slope, scale)
                scale = self._fit_scale(j, self._stretched(j, mean, slope), scale)
        return np.stack([slope, scale])

    def _fit_slope(self, j: int, mean: NDArray, slope: NDArray, scale: NDArray) -> NDArray:
        """Return the slope of each fold, given its scale, (k,), as exponents of the grid."""
        normals, w = self.normals[j], self._weights_of(mean)
        scales = normals.scale_at(scale)[:, None]

        def value(at: NDArray) -> NDArray:
            log = np.einsum("kn,kn->k", normals.log_mass(self._stretched(j, mean, at), scales), w)
            return log - np.square(at * LOG_SLOPE_STEP / SLOPE_SPREAD) / 2

        best, now = slope, value(slope)
        for way in (1, -1):
            moving = best == slope  # one direction at most has larger values
            for _ in range(MAX_SLOPE_MOVES):
                new = value(best + way * moving)
                moving = moving & (new > now + 1e-9)
                best, now = np.where(moving, best + way, best), np.where(moving, new, now)
                if not moving.any():
                    break
        return best

    def _fit_scale(self, j: int, mean: NDArray, start: Any) -> NDArray:
        """Return the scale of coordinate j for each fold, (k,), as exponents of the grid."""
        if self.fitted is not None:
            return np.full(len(mean), self.fitted[j][1])
        return self.normals[j].fit_scale(mean, self._weights_of(mean), start)

    def _weights_of(self, mean: NDArray) -> NDArray:
        """Return the weights of the rows that parameters of each fold are fitted to, (k, n)."""
        w = np.broadcast_to(self._weights, mean.shape)
        return w if self.in_training is None or len(mean) != len(self.in_training) else w * self.in_training

    def _state(self, moments: list[tuple[NDArray, NDArray]], shape: tuple[int, ...] | None = None) -> NDArray:
        """Return (1, t, |t|²) from the moments of each coordinate, with 0 for held-out rows."""
        first, second = zip(*moments)
        q = np.stack([np.ones_like(first[0]), *first, np.sum(second, axis=0)], axis=-1)
        q = q if shape is None else q.reshape(shape)
        return q if self.in_training is None else q * self.in_training[..., None]


def _stacked(F: NDArray) -> NDArray:
    """Return F with an axis for folds, (k, n, e)."""
    return F if F.ndim == 3 else F[None]
