"""Normal distributions truncated to intervals and to unions of intervals: probability, moments, maximum likelihood."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from .lines import IntervalUnions

NARROW = 1e-3  # standard deviations: below this width the density is replaced by its Taylor expansion
FAR = 30.0  # standard deviations: beyond, the mean excess is 1 / x to 3 digits and the exact formula cancels
LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)

POINT_WIDTH = 1e-6  # units: narrower intervals, and points, are as probable as an interval of this width
SCALE_STEP = 1.1  # ratio of neighbouring scales on the grid; a grid makes the fitted scale robust to rounding
MIN_EXPONENT, MAX_EXPONENT = -150, 30  # ends of the grid: scales of 6e-7 to 17 units
START_EXPONENTS = (-60, -36, -12, 12)  # scales of 0.003 to 3 units, from which the search for the best scale starts
COARSE_STEPS, FINE_STEPS = (16, 8, 4, 2, 1), (4, 1)  # grid steps of the search; fine from a known start
MAX_MOVES = 12  # moves per step size of that search

MAX_SCALE = 2.0  # units: the likelihood of one-sided intervals alone would grow with the scale without end
EXCESS = 4.0  # one-sided intervals end this many mean excesses beyond all finite ends
MAX_ROWS = 2000  # rows that the population is fitted to; more change it little and cost time
MEAN_STEP = 1 / 32  # units: the finest step of the search for the population mean
MAX_MEAN_MOVES = 40  # moves per step size of that search
QUANTILES = (0.1, 0.5)  # of all finite ends: where most of them begin, whatever the outliers, and the median


class TruncatedMoments(NamedTuple):
    """Mean, variance and log-probability of truncated normal distributions."""

    mean: NDArray
    variance: NDArray
    log_mass: NDArray
    """The log-probability of the interval under the normal distribution before truncation."""


def truncated_normal(mean: Any, scale: Any, low: Any, high: Any, min_width: float = 0.0) -> TruncatedMoments:
    """Compute the moments of normal distributions that are truncated to intervals.

    All arguments broadcast. Far tails and narrow intervals keep their digits.

    Parameters
    ----------
    mean, scale : float or array
        Mean and standard deviation before truncation.
    low, high : float or array
        Ends of the intervals. They may be infinite.
    min_width : float, default 0
        The log-probability of a narrower interval is that of an interval of this width with the same centre. With the
        default, the log-probability of a point is -inf.

    Returns
    -------
    TruncatedMoments
        Mean, variance and log-probability of the interval, each of the broadcast shape.

    Examples
    --------
    >>> found = truncated_normal(0.0, 1.0, np.array([0., -np.inf, 2.]), np.array([np.inf, np.inf, 2.]))
    >>> found.mean.round(3), found.variance.round(3)
    (array([0.798, 0.   , 2.   ]), array([0.363, 1.   , 0.   ]))
    """
    wide_low, wide_high = _widened(np.asarray(low, dtype=float), np.asarray(high, dtype=float), min_width)
    a, b = (wide_low - mean) / scale, (wide_high - mean) / scale
    log = log_mass(a, b)
    first, variance = _standard_moments(a, b, log)
    # no variance exceeds that of the two ends, whatever the rounding
    variance = np.minimum(np.square(scale) * variance, np.square(high - low) / 4)
    return TruncatedMoments(np.clip(mean + scale * first, low, high), variance, log)


def log_mass(low: NDArray, high: NDArray) -> NDArray:
    """Compute log P(low < x < high) for a standard normal x."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        width = high - low
        middle = low + width / 2
        narrow = _is_narrow(width, middle)
        if narrow.all():
            return _log_mass_narrow(width, middle)
        flip = low + high > 0  # compute in the lower tail, where log_ndtr keeps its digits
        right = log_ndtr(np.where(flip, -low, high))
        wide = right + np.log1p(-np.exp(np.minimum(log_ndtr(np.where(flip, -high, low)) - right, 0.0)))
        return np.where(narrow, _log_mass_narrow(width, middle), wide) if narrow.any() else wide


def _log_mass_narrow(width: NDArray, middle: NDArray) -> NDArray:
    """Compute log P by a Taylor expansion of the density around the middle."""
    return _log_density(middle) + np.log(width) + np.log1p(np.square(width) * (np.square(middle) - 1) / 24)


def _standard_moments(low: NDArray, high: NDArray, log: NDArray) -> tuple[NDArray, NDArray]:
    """Compute mean and variance of a standard normal between low and high, given its log-probability there."""
    with np.errstate(invalid="ignore", over="ignore"):
        left, right = np.exp(_log_density(low) - log), np.exp(_log_density(high) - log)
        mean = left - right
        slope = np.where(np.isinf(low), 0.0, low * left) - np.where(np.isinf(high), 0.0, high * right)
        width, middle = high - low, low + (high - low) / 2
        narrow = _is_narrow(width, middle)
        mean = np.where(narrow, middle * (1 - np.square(width) / 12), mean)
        variance = np.where(narrow, np.square(width) / 12, np.clip(1 + slope - np.square(mean), 0.0, 1.0))
    return mean, variance


def mean_excess(x: float) -> float:
    """Compute E[t - x | t > x] for a standard normal t."""
    return 1 / x if x > FAR else math.exp(float(_log_density(np.array(x)) - log_ndtr(-x))) - x


def _log_density(x: NDArray) -> NDArray:
    return -0.5 * np.square(x) - LOG_SQRT_2PI


def _is_narrow(width: NDArray, middle: NDArray) -> NDArray:
    return width * np.maximum(1.0, np.abs(middle)) < NARROW


def _widened(low: NDArray, high: NDArray, width: float) -> tuple[NDArray, NDArray]:
    """Widen intervals that are narrower than `width` to it, around their middle."""
    thin = high - low < width
    middle = np.where(thin, low, 0.0) / 2 + np.where(thin, high, 0.0) / 2
    return np.where(thin, middle - width / 2, low), np.where(thin, middle + width / 2, high)


class Population(NamedTuple):
    """Normal distribution of the values of all rows, whatever their features, and the range of these values."""

    mean: float
    scale: float
    low: float = -1.0
    high: float = 1.0
    unit: float = 1.0
    """The distance between most ends of sets. Scales are measured in it."""
    is_censored: bool = False
    """Whether some sets are one-sided."""


class TruncatedNormals:
    """Normal distributions with a mean per row and a common scale, truncated to one union of intervals per row.

    A mean has the shape (..., n) and a scale (..., 1); results have the shape (..., n).

    Parameters
    ----------
    unions : IntervalUnions
        The sets of the rows.
    unit : float, default 1
        The unit of scales, for their grid and for `POINT_WIDTH`.

    Examples
    --------
    >>> ends = np.array([0., -np.inf, 2.]), np.array([np.inf, np.inf, 2.])
    >>> normals = TruncatedNormals(IntervalUnions(*ends, np.arange(3), 3))
    >>> np.exp(normals.log_mass(np.zeros(3), 1.0)[:2])
    array([0.5, 1. ])
    >>> normals.moments(np.zeros(3), 1.0)[0].round(3)
    array([0.798, 0.   , 2.   ])
    """

    def __init__(self, unions: IntervalUnions, unit: float = 1.0):
        self.unions, self.unit, self.n = unions, unit, unions.n

    def scale_at(self, exponent: Any) -> NDArray:
        """Return the scale at an exponent of the grid."""
        return self.unit * SCALE_STEP ** np.asarray(exponent, dtype=float)

    def log_mass(self, mean: NDArray, scale: Any) -> NDArray:
        """Compute log P(t_i in S_i) for normal t_i."""
        (low, high), at, starts = self._wide, self._per_interval(mean), self.unions.starts
        log = log_mass((low - at) / scale, (high - at) / scale)
        return log if starts is None else np.logaddexp.reduceat(log, starts, axis=-1)

    def moments(self, mean: NDArray, scale: Any) -> tuple[NDArray, NDArray]:
        """Compute E[t_i | t_i in S_i] and E[t_i² | t_i in S_i]."""
        share, first, second = self._intervals(mean, scale)
        starts = self.unions.starts
        if starts is None:
            return first, second
        return np.add.reduceat(share * first, starts, axis=-1), np.add.reduceat(share * second, starts, axis=-1)

    def nearest_moments(self, t: float) -> tuple[NDArray, NDArray]:
        """Compute E[t_i] and E[t_i²] if each interval of a row counts the same and is replaced by its point next to t.

        This start ignores the width of intervals, so a narrow one is as probable as a wide one beside it.
        """
        near, starts = np.clip(t, self.unions.low, self.unions.high), self.unions.starts
        if starts is None:
            return near, near**2
        share = 1 / self.unions.counts[self.unions.row]
        return np.add.reduceat(share * near, starts), np.add.reduceat(share * near**2, starts)

    def most_probable(self, mean: NDArray, scale: float) -> tuple[NDArray, NDArray, NDArray]:
        """Find the most probable interval of each row: the mean of t_i in it, its share, and that of the next, (n,)."""
        share, first, _ = self._intervals(mean, scale)
        starts = self.unions.starts
        if starts is None:
            return first, np.ones(self.n), np.zeros(self.n)
        order = np.lexsort((np.arange(len(share)), -share, self.unions.row))
        best, after = order[starts], order[np.minimum(starts + 1, len(share) - 1)]
        return first[best], share[best], np.where(self.unions.counts > 1, share[after], 0.0)

    def fit_scale(self, mean: NDArray, w: NDArray, start: Any = None) -> NDArray:
        """Find the scale of maximum likelihood, for k stacks of means and sample weights: (k, n) -> (k,) exponents.

        The search starts from the exponents `start`, or from the best of a few that are far apart, because unions often
        have two maxima, one at a small and one at a large scale.
        """
        total = np.maximum(w.sum(axis=-1), 1e-300)

        def value(at: NDArray) -> NDArray:
            return np.einsum("kn,kn->k", self.log_mass(mean, self.scale_at(at)[:, None]), w) / total

        if start is None:
            each = np.stack([value(np.full(len(mean), at)) for at in START_EXPONENTS])
            best, now = np.asarray(START_EXPONENTS)[np.argmax(each, axis=0)], each.max(axis=0)
        else:
            best = np.broadcast_to(np.asarray(start, dtype=int), len(mean)).copy()
            now = value(best)
        for step in COARSE_STEPS if start is None else FINE_STEPS:
            before = best
            for way in (step, -step):
                moving = best == before  # one direction at most has larger values
                for _ in range(MAX_MOVES if moving.any() else 0):
                    at = np.clip(best + way * moving, MIN_EXPONENT, MAX_EXPONENT)
                    new = value(at)
                    moving &= new > now + 1e-12
                    best, now = np.where(moving, at, best), np.where(moving, new, now)
                    if not moving.any():
                        break
        return best

    @cached_property
    def _wide(self) -> tuple[NDArray, NDArray]:
        return _widened(self.unions.low, self.unions.high, POINT_WIDTH * self.unit)

    def _per_interval(self, mean: NDArray) -> NDArray:
        """Repeat the mean of a row for each of its intervals, (..., n) -> (..., p)."""
        return mean if self.unions.starts is None else mean[..., self.unions.row]

    def _intervals(self, mean: NDArray, scale: Any) -> tuple[NDArray, NDArray, NDArray]:
        """Compute the share of each interval in its row, and the means of t and t² in it, (..., p)."""
        unions, at = self.unions, self._per_interval(mean)
        first, variance, log = truncated_normal(at, scale, unions.low, unions.high, POINT_WIDTH * self.unit)
        second = first**2 + variance
        if unions.starts is None:
            return np.ones_like(first), first, second
        share = np.exp(log - np.maximum.reduceat(log, unions.starts, axis=-1)[..., unions.row])
        return share / np.add.reduceat(share, unions.starts, axis=-1)[..., unions.row], first, second


def fit_population(unions: IntervalUnions, w: NDArray | None = None) -> Population:
    """Fit one normal distribution to the sets of all rows by maximum likelihood, and find the range of values.

    One-sided intervals do not say how far values go. If all sets around x are of this kind, the likelihood grows with
    the prediction without end. Therefore the range ends `EXCESS` mean excesses of this distribution beyond all finite
    ends, on a side that has one-sided intervals.
    """
    labelled = np.flatnonzero(~unions.is_unlabelled)
    if w is not None:
        labelled = labelled[w[labelled] > 0]
    if not len(labelled):
        return Population(0.0, 1.0)
    some = labelled[np.linspace(0, len(labelled) - 1, min(len(labelled), MAX_ROWS)).astype(int)]
    mean, scale, unit = _fit_normal(unions[some], np.ones(len(some)) if w is None else w[some])
    low, high = unions[labelled].hull()
    if np.isinf(unions.high[unions.is_one_sided]).any():
        high += EXCESS * scale * mean_excess((high - mean) / scale)
    if np.isinf(unions.low[unions.is_one_sided]).any():
        low -= EXCESS * scale * mean_excess((mean - low) / scale)
    return Population(mean, scale, low, high, unit, bool(unions[labelled].is_one_sided.any()))


def _fit_normal(unions: IntervalUnions, w: NDArray) -> tuple[float, float, float]:
    """Find mean and scale of maximum likelihood by a search on a grid; return them with the unit of the grid."""
    first, mean, last = _central_ends(unions, w)
    bottom, top = unions.hull()
    unit = last - first or top - bottom or 1.0
    normals = TruncatedNormals(unions, unit)
    scale, now = int(normals.fit_scale(np.full((1, unions.n), mean), w[None])[0]), -math.inf
    for step in COARSE_STEPS:
        for _ in range(MAX_MEAN_MOVES):
            # the mean stays between the ends: the likelihood of one-sided intervals alone has no maximum
            means = np.clip(mean + np.array([0, 1, -1]) * unit * step * MEAN_STEP, bottom, top)
            each = np.repeat(means[:, None], unions.n, axis=1)
            scales = normals.fit_scale(each, np.tile(w, (3, 1)), scale)
            values = normals.log_mass(each, normals.scale_at(scales)[:, None]) @ w
            best = int(np.argmax(values))
            slack = 1e-9 * abs(values[best]) + 1e-12
            tied = best > 0 and abs(values[1] - values[2]) <= slack  # stay if both directions are equally good
            if tied or values[best] <= now + slack:
                break
            mean, scale, now = float(means[best]), int(scales[best]), float(values[best])
    return mean, min(float(normals.scale_at(scale)), MAX_SCALE * unit), unit


def _central_ends(unions: IntervalUnions, w: NDArray) -> tuple[float, float, float]:
    """Return a low quantile, the median and a high quantile of all finite ends, symmetric under reflection."""
    ends, weight = np.concatenate([unions.low, unions.high]), np.tile(w[unions.row], 2)
    ends, weight = ends[np.isfinite(ends)], weight[np.isfinite(ends)]
    up, down = (np.quantile(sign * ends, QUANTILES, weights=weight, method="inverted_cdf") for sign in (1, -1))
    return float(up[0]), float(up[1] - down[1]) / 2, float(-down[0])
