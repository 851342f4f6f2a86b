"""RMSE and R² of predictions for values that are known to lie in sets: the ranges that the sets allow."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .sets import Intervals

FAR = 1e3  # one-sided intervals end so many times the spread of all finite numbers away
N_MEANS = 17  # means of the values that are tried at a time; more make the range of R² more precise
N_ZOOMS = 3  # times that the range of means is narrowed around the best one
N_ROUNDS = 30  # iterations, at most; the range is found after a few
TOLERANCE = 1e-6  # of the ratio; smaller changes cannot be seen in the reported digits


def rmse_range(sets: Intervals, z: NDArray, sample_weight: Any = None) -> tuple[float, float]:
    """Return the lowest and highest root mean squared error; the highest is infinite for one-sided intervals."""
    labelled = _labelled(sets, sample_weight)
    w = None if sample_weight is None else np.asarray(sample_weight, dtype=float)[labelled]
    sets, z = sets[labelled], np.asarray(z, dtype=float)[labelled]
    low, high = (math.sqrt(np.average(far**2, weights=w)) for far in (sets.distance(z), sets.farthest(z)))
    return low, high


def r2_range(sets: Intervals, z: NDArray, sample_weight: Any = None) -> tuple[float, float]:
    """Return the lowest and highest R² over all values in the sets.

    R² is 1 - e(y) / v(y), with e the squared errors and v the squared deviations from the mean of y. The ratio is
    optimised by Dinkelbach's method: for a given ratio r, e - r v is a maximum over the mean of sums over the rows, so
    each value is found in closed form for each of a few means. Unions of intervals count as the interval around them.
    """
    labelled = _labelled(sets, sample_weight)
    z = np.asarray(z, dtype=float)[labelled]
    w = np.ones(len(z)) if sample_weight is None else np.asarray(sample_weight, dtype=float)[labelled]
    low, high = sets.lowest[labelled], sets.highest[labelled]
    if np.array_equal(low, high):
        found = 1 - _ratio(low, z, w)
        return found, found
    ends = np.concatenate([low, high, z])
    ends = ends[np.isfinite(ends)]
    unit = float(np.ptp(ends)) or 1.0
    origin = float(ends.min())
    far = FAR * unit
    low, high = np.maximum(low, origin - far), np.minimum(high, origin + unit + far)
    low, high, z = (low - origin) / unit, (high - origin) / unit, (z - origin) / unit
    return 1 - _extreme(low, high, z, w, largest=True), 1 - _extreme(low, high, z, w, largest=False)


def _labelled(sets: Intervals, sample_weight: Any) -> NDArray:
    found = np.flatnonzero(~sets.is_unlabelled)
    return found if sample_weight is None else found[np.asarray(sample_weight)[found] > 0]


def _ratio(y: NDArray, z: NDArray, w: NDArray) -> float:
    """Return the squared errors over the squared deviations; 0 or infinite if y is constant, as R² of scikit-learn."""
    errors, deviations = w @ (z - y) ** 2, w @ (y - np.average(y, weights=w)) ** 2
    if deviations > 0:
        return float(errors / deviations)
    return 0.0 if errors == 0 else 1.0


def _extreme(low: NDArray, high: NDArray, z: NDArray, w: NDArray, largest: bool) -> float:
    """Return the largest or the smallest ratio over y in [low, high]."""
    nearest = np.clip(z, low, high)
    farthest = np.where(z - low > high - z, low, high)
    found = _ratio(farthest if largest else nearest, z, w)
    for _ in range(N_ROUNDS):
        y = _best_values(low, high, z, w, found, largest)
        ratio = _ratio(y, z, w)
        if (ratio <= found + TOLERANCE) if largest else (ratio >= found - TOLERANCE):
            break
        found = ratio
    return found


def _best_values(low: NDArray, high: NDArray, z: NDArray, w: NDArray, ratio: float, largest: bool) -> NDArray:
    """Return the y of the largest or smallest e(y) - ratio v(y)."""
    # close to each other where the finite numbers are, because one-sided intervals end far away
    means = np.sinh(np.linspace(math.asinh(low.min()), math.asinh(high.max()), 2 * N_MEANS))
    best, value, at = low, -math.inf, 0
    for _ in range(N_ZOOMS):
        for k, mean in enumerate(means):
            y = _values(low, high, z, ratio, mean, largest)
            # -ratio v(y) is the maximum over the mean, so the mean is maximised in both cases
            here = float(w @ ((z - y) ** 2 - ratio * (y - mean) ** 2))
            if here > value:
                best, value, at = y, here, k
        means = np.linspace(means[max(at - 1, 0)], means[min(at + 1, len(means) - 1)], N_MEANS)
        at = N_MEANS // 2
    return best


def _values(low: NDArray, high: NDArray, z: NDArray, ratio: float, mean: float, largest: bool) -> NDArray:
    """Return the y in [low, high] of the largest or smallest (z - y)² - ratio (y - mean)², for each row."""
    sign = 1.0 if largest else -1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = np.clip((z - ratio * mean) / (1 - ratio), low, high) if ratio != 1 else low
    each = np.stack([low, high, vertex])
    values = sign * ((z - each) ** 2 - ratio * (each - mean) ** 2)
    return each[np.argmax(values, axis=0), np.arange(len(z))]
