"""Reals: a number, with the squared or the absolute loss; the sets are unions of intervals."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base import OutputSpace
from .sets import Intervals

LOSSES = ("squared", "absolute")


class Reals(OutputSpace):
    """Y = [low, high] with l(z, y) = (z - y)² or |z - y|.

    In t = (y - origin) / unit, with Y at [-1, 1]:  phi(y) = (1, t, t²), psi(z) = unit² (t², -2t, 1) for the squared
    loss. The absolute loss is not bilinear: psi(z) is (unit t,) and only `Piecewise` minimises it.

    Parameters
    ----------
    loss : {"squared", "absolute"}, default "squared"
        The absolute loss is less moved by outliers, as a median is.
    bounds : (low, high), optional
        Y; None or an infinite side leaves it to the finite endpoints of y. Sets end where Y does: with bounds,
        half-lines and unknown rows have an average and a supremum.

    Attributes
    ----------
    scale_ : float
        unit² or unit: the loss in t times this is the loss.
    low_, high_ : float
        Y, compact: where the weights sum to a negative number the objective has no minimum on all of R.

    Examples
    --------
    >>> space = Reals().fit([3.5, (1, 2), (5, math.inf), "[-2,-1]|[1,2]", None])
    >>> space.low_, space.high_
    (-2.0, 5.0)
    >>> space.decode(np.array([[2., 1., .6], [-1., .5, 0.]]))  # 1/2 of the way in t, and an end
    array([3.25, 5.  ])
    """

    def __init__(self, loss: str = "squared", bounds: Any = None):
        self.loss = loss
        self.bounds = bounds

    @staticmethod
    def unscaled(y: Any) -> Intervals:
        """y as sets, in units of its own."""
        return y if isinstance(y, Intervals) else Intervals(y)

    def fit(self, y: Any) -> Self:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}. Got {self.loss!r} instead.")
        self.bilinear = self.loss == "squared"
        self.bounds_ = low, high = self._bounds()
        sets = self.unscaled(y).clipped(low, high)
        ends = np.concatenate([sets.lower, sets.upper])
        ends = ends[np.isfinite(ends)]
        if not len(ends) and not (math.isfinite(low) and math.isfinite(high)):
            raise ValueError("No row of y has a finite endpoint that says where to predict. Give bounds=(low, high).")
        self.low_ = low if math.isfinite(low) else float(ends.min())
        self.high_ = high if math.isfinite(high) else float(ends.max())
        self.origin_ = self.low_ / 2 + self.high_ / 2
        self.unit_ = (self.high_ / 2 - self.low_ / 2) or 1.0
        self.scale_ = self.unit_**2 if self.bilinear else self.unit_
        return self

    def digest(self, y: Any) -> NDArray:
        """The lowest and the highest finite endpoint: the range is all that `fit` learns."""
        sets = self.unscaled(y).clipped(*self._bounds())
        ends = np.concatenate([sets.lower, sets.upper])
        ends = ends[np.isfinite(ends)]
        return np.array([ends.min(), ends.max()]) if len(ends) else ends

    def read(self, y: Any, strict: bool = True) -> Intervals:
        sets = self.unscaled(y).scaled(self.loss, self.origin_, self.unit_)
        return sets.clipped(*self.bounds_) if strict else sets

    def psi(self, z: Any) -> NDArray:
        t = (np.asarray(z, dtype=float) - self.origin_) / self.unit_
        if self.loss == "absolute":
            return self.unit_ * t[..., None]
        return self.unit_**2 * np.stack([t**2, -2 * t, np.ones_like(t)], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        # c_0 t² - 2 c_1 t: the vertex c_1 / c_0 brought into [-1, 1] where c_0 > 0, otherwise the better end
        c0, c1 = c[..., 0], c[..., 1]
        vertex = np.clip(c1 / np.where(c0 > 0, c0, 1), -1, 1)
        return self.at(np.where(c0 > 0, vertex, np.where(c1 > 0, 1.0, -1.0)))

    def ends(self) -> tuple[float, float]:
        """Y in t: [-1, 1], or a point."""
        return (self.low_ - self.origin_) / self.unit_, (self.high_ - self.origin_) / self.unit_

    def at(self, t: NDArray) -> NDArray:
        """z = origin + unit t, within Y."""
        return np.clip(self.origin_ + self.unit_ * t, self.low_, self.high_)

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        return self.psi(self.at(random.uniform(-1, 1, size=1)))

    def _bounds(self) -> tuple[float, float]:
        if self.bounds is None:
            return -math.inf, math.inf
        if np.shape(self.bounds) != (2,):
            raise ValueError(f"bounds must be a pair (low, high). Got {self.bounds!r} instead.")
        low, high = self.bounds
        low, high = -math.inf if low is None else float(low), math.inf if high is None else float(high)
        if not low <= high or low == math.inf or high == -math.inf:
            raise ValueError(f"bounds must have low <= high. Got {self.bounds!r} instead.")
        return low, high
