"""Boxes: every coordinate within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, InputError, raise_for_rows
from ..base import Sets, rows_of
from ..numbers import Intervals
from ..numbers.lines import UNBOUNDED_HINT, IntervalUnions
from ..sets import ANYTHING
from .base import VectorSets, numbers


class Boxes(VectorSets):
    """Hyperrectangles: bounds for each coordinate.

    S_i = {y : lower_i <= y <= upper_i}, with ±inf for an open side.

    Parameters
    ----------
    lower, upper : (n, m)
        The bounds of each coordinate; -inf or inf for an unbounded side.

    Examples
    --------
    >>> boxes = Boxes([[0., 0.], [1., -np.inf]], [[1., 1.], [1., np.inf]])
    >>> boxes.nearest(np.array([[2., .5], [0., 7.]]))
    array([[1. , 0.5],
           [1. , 7. ]])
    """

    def __init__(self, lower: Any, upper: Any):
        lower, upper = numbers(lower, "lower"), numbers(upper, "upper")
        if lower.ndim != 2 or lower.shape != upper.shape:
            raise InputError(f"Boxes need (n, m) lower and upper corners. Got shapes {lower.shape} and {upper.shape}.")
        bad = BadRows("y")
        for row in np.flatnonzero(~(lower <= upper).all(axis=1)):
            bad.add(row, f"expected lower <= upper, got {lower[row].tolist()} and {upper[row].tolist()}")
        for row in np.flatnonzero(((lower == upper) & np.isinf(lower)).any(axis=1)):
            bad.add(row, f"expected at least one number, got {lower[row].tolist()}")
        bad.raise_if_any("An open side is -inf below and inf above.")
        self.lower, self.upper = lower, upper
        n, self.m = lower.shape
        self.shape = (n,)

    def __getitem__(self, rows: Any) -> Boxes:
        rows = rows_of(rows, len(self))
        return Boxes(self.lower[rows], self.upper[rows])._like(self)

    def nearest(self, z: NDArray) -> NDArray:
        return np.clip(z, self.lower, self.upper)

    def extreme(self, a: NDArray, b: NDArray) -> NDArray:
        self._bounded("the supremum")
        low, high = (y * (b + a[..., None] * y) for y in (self.lower, self.upper))
        return np.where(low <= high, self.lower, self.upper)

    def moments(self) -> tuple[NDArray, NDArray]:
        self._bounded("the average")
        return (self.lower + self.upper) / 2, ((self.upper - self.lower) ** 2 / 12).sum(axis=1)

    def box(self) -> tuple[NDArray, NDArray]:
        return self.lower, self.upper

    def middle(self) -> NDArray:
        """Return the middle; the end of a side that is unbounded on one side, the origin if on both."""
        with np.errstate(invalid="ignore"):
            middle = (self.lower + self.upper) / 2
        end = np.where(np.isfinite(self.lower), self.lower, self.upper)
        end = np.where(np.isfinite(end), end, np.broadcast_to(self.origin, end.shape))
        return np.where(np.isfinite(middle), middle, end)

    def coordinates(self) -> list[Sets]:
        return [Intervals(np.column_stack(sides)) for sides in zip(self.lower.T, self.upper.T)]

    def lines(self) -> list[IntervalUnions]:
        low, high = ((side - self.origin) / self.unit for side in (self.lower, self.upper))
        return [IntervalUnions(*sides, np.arange(len(self)), len(self)) for sides in zip(low.T, high.T)]

    def meets(self, other: Any) -> NDArray:
        if not isinstance(other, Boxes):
            return other.meets(self)
        self._check_pair(other, Boxes)
        return (np.maximum(self.lower, other.lower) <= np.minimum(self.upper, other.upper)).all(axis=1)

    def intersect(self, other: Any) -> Any:
        """Return the points that are in both sets: a box for two boxes, otherwise a set of the other kind.

        >>> Boxes([[0., 0.]], [[2., 2.]]).intersect(Boxes([[1., -np.inf]], [[np.inf, 1.]])).format(0)
        '[1 to 2, 0 to 1]'
        """
        if not isinstance(other, Boxes):
            return other.intersect(self)
        self._check_not_empty(other, ~self.meets(other))
        both = np.maximum(self.lower, other.lower), np.minimum(self.upper, other.upper)
        return Boxes(*both)._like(self)

    def _contains_set(self, other: VectorSets) -> NDArray:
        low, high = other.box()
        return ((self.lower <= low) & (high <= self.upper)).all(axis=1)

    def join(self, other: Any) -> Boxes:
        return Boxes(np.vstack([self.lower, other.lower]), np.vstack([self.upper, other.upper]))._like(self)

    def format(self, row: int) -> str:
        if self.is_unlabelled[row]:
            return ANYTHING
        return f"[{', '.join(map(_coordinate, self.lower[row].tolist(), self.upper[row].tolist()))}]"

    @property
    def is_unlabelled(self) -> NDArray:
        return (np.isneginf(self.lower) & np.isposinf(self.upper)).all(axis=1)

    def _bounded(self, what: str) -> None:
        low, high = self.lower.tolist(), self.upper.tolist()
        raise_for_rows(
            ~self.is_bounded, lambda i: f"{low[i]} to {high[i]} is unbounded, so {what} is undefined", UNBOUNDED_HINT
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.stack([self.lower, self.upper], axis=-1).astype(dtype or float)

    def __repr__(self) -> str:
        return f"<Boxes in R^{self.m}: {len(self)} rows, {100 * self.is_exact.mean():.0f} % exact>"


def _coordinate(low: float, high: float) -> str:
    if low == high:
        return f"{low:g}"
    return ANYTHING if np.isneginf(low) and np.isposinf(high) else f"{low:g} to {high:g}"
