"""Losses over sets of R as functions of z: continuous, quadratic between breakpoints."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..base import Curves

NARROW = 1e-8  # in units where Y is [-1, 1]: the slope of a narrower piece would drown in rounding


def nearest(low: NDArray, high: NDArray, row: NDArray, loss: str) -> Curves:
    """Return the infimum of |t - y|^p over y in S_i, from the pieces [low, high] of the rows.

    Up to low it is (low - t)^p; on the piece 0; then (t - high)^p up to the middle of the gap, where it turns down.
    """
    first = np.flatnonzero(np.r_[True, np.diff(row) != 0]) if len(row) else np.empty(0, dtype=int)
    inner = np.flatnonzero(np.diff(row) == 0)
    middle, gap = (high[inner] + low[inner + 1]) / 2, low[inner + 1] - high[inner]
    closed = np.isfinite(low[first])
    p, g = len(low), len(inner)
    if loss == "squared":
        curvature, slope = closed.astype(float), np.where(closed, -low[first], 0.0)
        bend, kink = np.r_[np.full(p, -1.0), np.ones(p), np.zeros(g)], np.r_[np.zeros(2 * p), -gap]
    else:
        curvature, slope = np.zeros(len(first)), np.where(closed, -0.5, 0.0)
        bend, kink = np.zeros(2 * p + g), np.r_[np.full(2 * p, 0.5), np.full(g, -1.0)]
    at, rows = np.r_[low, high, middle], np.r_[row, row, row[inner]]
    keep = np.isfinite(at)
    return Curves(curvature, slope, at[keep], rows[keep], bend[keep], kink[keep])


def farthest(first: NDArray, last: NDArray, loss: str) -> Curves:
    """Return the supremum of |t - y|^p over y in S_i, max(t - first, last - t)^p, which turns in the middle."""
    n = len(first)
    one, zero = np.ones(n), np.zeros(n)
    if loss == "squared":
        return Curves(one, -last, (first + last) / 2, np.arange(n), zero, last - first)
    return Curves(zero, -one / 2, (first + last) / 2, np.arange(n), zero, one)


def mean(low: NDArray, high: NDArray, row: NDArray, share: NDArray, length: NDArray, loss: str, n: int) -> Curves:
    """Return the mean of |t - y|^p over y in S_i, to which each piece contributes by its share."""
    if loss == "squared":
        center = np.bincount(row, share * (low + high) / 2, minlength=n)
        none = np.empty(0)
        return Curves(np.ones(n), -center, none, none.astype(int), none, none)
    # h' runs from -share to share over a piece; over a point it jumps, and over a piece as narrow as rounding too
    solid = length > NARROW
    low, high = np.where(solid, low, (low + high) / 2), np.where(solid, high, (low + high) / 2)
    bend = np.where(solid, share / np.where(solid, length, 1), 0.0)
    kink = np.where(solid, 0.0, share)
    return Curves(
        np.zeros(n), np.full(n, -0.5), np.r_[low, high], np.r_[row, row], np.r_[bend, -bend], np.r_[kink, 0 * kink]
    )
