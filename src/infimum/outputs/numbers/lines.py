"""Unions of intervals on the real line, one union per row."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

UNBOUNDED_HINT = (
    "Use principle='disambiguation', or 'infimum' with negative_weights='inside', or limit the range of y with"
    " bounds=(low, high)."
)


class IntervalUnions:
    """One union of intervals per row: the values of one coordinate that the sets of the rows allow.

    Parameters
    ----------
    low, high : (p,) arrays
        Ends of the intervals. They may be infinite.
    row : (p,) array
        The row of each interval, in ascending order. Every row has at least one interval.
    n : int
        The number of rows.

    Examples
    --------
    >>> unions = IntervalUnions(np.array([0., 2., 5.]), np.array([1., 3., np.inf]), np.array([0, 0, 1]), 2)
    >>> unions.distance(np.array([1.8, 4.]))
    array([0.2, 1. ])
    """

    def __init__(self, low: NDArray, high: NDArray, row: NDArray, n: int):
        self.low, self.high, self.row, self.n = low, high, row, n

    @classmethod
    def concatenate(cls, parts: list[IntervalUnions]) -> IntervalUnions:
        """Return the rows of all parts, one part after the other."""
        low, high = (np.concatenate([getattr(part, side) for part in parts]) for side in ("low", "high"))
        first = np.cumsum([0, *(part.n for part in parts)])
        row = np.concatenate([part.row + start for part, start in zip(parts, first)])
        return cls(low, high, row, int(first[-1]))

    @cached_property
    def starts(self) -> NDArray | None:
        """The first interval of each row, (n,); None if every row has exactly one interval."""
        return None if len(self.row) == self.n else np.searchsorted(self.row, np.arange(self.n))

    @property
    def counts(self) -> NDArray:
        """The number of intervals of each row, (n,)."""
        return np.ones(self.n, dtype=int) if self.starts is None else np.diff(np.append(self.starts, len(self.row)))

    @property
    def is_one_sided(self) -> NDArray:
        """Whether an interval is bounded on one side only, (p,)."""
        return np.isinf(self.low) != np.isinf(self.high)

    @property
    def is_unlabelled(self) -> NDArray:
        """Whether a row contains the whole real line, (n,)."""
        whole = np.isinf(self.low) & np.isinf(self.high)
        return np.isin(np.arange(self.n), self.row[whole])

    @property
    def bounded_below(self) -> bool | None:
        """Whether all labelled rows are one-sided and give a lower bound (True) or an upper one (False); else None."""
        known = ~self.is_unlabelled[self.row]
        if not known.any() or not self.is_one_sided[known].all():
            return None
        below = np.isfinite(self.low[known])
        return bool(below[0]) if (below == below[0]).all() else None

    def at_bounds(self) -> IntervalUnions:
        """Return the finite end of each one-sided interval as an exact value."""
        low = np.where(self.is_one_sided & np.isinf(self.low), self.high, self.low)
        high = np.where(self.is_one_sided & np.isinf(self.high), self.low, self.high)
        return IntervalUnions(low, high, self.row, self.n)

    def clip_one_sided(self, low: float, high: float) -> IntervalUnions:
        """Return the same unions with one-sided intervals cut off at `low` and `high`, but never empty."""
        cut = self.is_one_sided
        lower = np.where(cut, np.maximum(self.low, np.minimum(low, self.high)), self.low)
        upper = np.where(cut, np.minimum(self.high, np.maximum(high, self.low)), self.high)
        return IntervalUnions(lower, upper, self.row, self.n)

    def hull(self) -> tuple[float, float]:
        """Return the smallest and the largest finite end."""
        ends = np.concatenate([self.low, self.high])
        ends = ends[np.isfinite(ends)]
        return float(ends.min()), float(ends.max())

    def distance(self, t: NDArray) -> NDArray:
        """Return the distance of t_i to the union of row i, (n,)."""
        far = np.maximum(np.maximum(self.low - t[self.row], t[self.row] - self.high), 0.0)
        return far if self.starts is None else np.minimum.reduceat(far, self.starts)

    def __getitem__(self, rows: NDArray) -> IntervalUnions:
        if self.starts is None:
            return IntervalUnions(self.low[rows], self.high[rows], np.arange(len(rows)), len(rows))
        counts = self.counts[rows]
        at = np.repeat(self.starts[rows] - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
        return IntervalUnions(self.low[at], self.high[at], np.repeat(np.arange(len(rows)), counts), len(rows))
