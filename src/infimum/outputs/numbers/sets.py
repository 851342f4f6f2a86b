"""Intervals: unions of points, intervals and unbounded intervals of R."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows
from ..base import Curves, Embedding, Sets, rows_of
from ..sets import ANYTHING
from .curves import farthest, mean, nearest
from .forms import Pieces, raise_bad, read
from .lines import UNBOUNDED_HINT, IntervalUnions

FINEST = 10  # bits that a real number has at most in `bits`: a thousandth of the range


class Intervals(Sets):
    """Unions of points, intervals and unbounded intervals, one per row; overlapping and touching pieces are merged.

    Parameters
    ----------
    y : (n,) values, (n, 2) bounds, (n, k, 2) unions padded with NaN, or rows in any of the forms of `Reals`
        The sets; ±inf is an open side.
    loss : {"squared", "absolute"}, default "squared"
        The loss between a prediction and a value.
    origin, unit : float
        The loss is embedded in t = (y - origin) / unit, with phi(y) = (1, t, t²) for the squared loss, and (t,) for the
        absolute loss, which is not bilinear.

    Examples
    --------
    >>> sets = Intervals([3.5, (1, 2), (5, float("inf")), [(-2, -1), (1, 2)], "<0.1", None])
    >>> sets
    <Intervals: 6 rows, 17 % exact, 50 % bounded, 17 % unknown>
    >>> sets[1], sets[3]
    (<Intervals: 1 row, [1, 2]>, <Intervals: 1 row, [-2, -1] | [1, 2]>)
    >>> sets.distance([3, 3, 3, 3, 3, 3])
    array([0.5, 1. , 2. , 1. , 2.9, 0. ])
    """

    kind = "number"
    size_unit = "length"

    def __init__(self, y: Any, *, loss: str = "squared", origin: float = 0.0, unit: float = 1.0):
        pieces = y if isinstance(y, Pieces) else read(y)
        raise_bad(pieces)
        self.lower, self.upper, self.row = _merged(pieces)
        self.shape = (pieces.n,)
        self.loss_name, self.origin, self.unit = loss, float(origin), float(unit)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Intervals:
        index = np.arange(len(self))[rows_of(rows, len(self))]
        counts = np.diff(self.indptr)[index]
        ends = np.cumsum(counts)
        take = np.arange(counts.sum()) - np.repeat(ends - counts, counts) + np.repeat(self.indptr[index], counts)
        pieces = Pieces(self.lower[take], self.upper[take], np.repeat(np.arange(len(index)), counts), len(index))
        return self._with(pieces)

    def _with(self, pieces: Pieces) -> Intervals:
        return Intervals(pieces, loss=self.loss_name, origin=self.origin, unit=self.unit)

    def scaled(self, loss: str, origin: float, unit: float) -> Intervals:
        """Return the same sets, with the loss in these units."""
        pieces = Pieces(self.lower, self.upper, self.row, len(self))
        return Intervals(pieces, loss=loss, origin=origin, unit=unit)

    def clipped(self, low: float, high: float) -> Intervals:
        """Return S_i within [low, high]; raise an error about rows that lie outside."""
        meets = (self.upper >= low) & (self.lower <= high)
        bad = BadRows("y")
        for row in np.flatnonzero(np.bincount(self.row[meets], minlength=len(self)) == 0).tolist():
            bad.add(row, f"{self.format(row)} lies outside of bounds = ({low:g}, {high:g})")
        bad.raise_if_any("Widen bounds, or correct these rows.")
        return self._with(
            Pieces(np.maximum(self.lower[meets], low), np.minimum(self.upper[meets], high), self.row[meets], len(self))
        )

    def _pairs(self, other: Any) -> tuple[NDArray, NDArray]:
        """Return the indices of all pairs of a piece of S_i and a piece of T_i."""
        self._check_pair(other, Intervals)
        number = np.diff(other.indptr)[self.row]
        mine = np.repeat(np.arange(len(self.row)), number)
        theirs = np.arange(len(mine)) - np.repeat(np.cumsum(number) - number, number)
        return mine, theirs + other.indptr[self.row[mine]]

    def _shared(self, other: Any) -> Pieces:
        """Return the pieces of S_i ∩ T_i."""
        mine, theirs = self._pairs(other)
        low = np.maximum(self.lower[mine], other.lower[theirs])
        high = np.minimum(self.upper[mine], other.upper[theirs])
        keep = low <= high
        return Pieces(low[keep], high[keep], self.row[mine][keep], len(self))

    def contains_set(self, other: Any) -> NDArray:
        mine, theirs = self._pairs(other)
        inside = (self.lower[mine] <= other.lower[theirs]) & (other.upper[theirs] <= self.upper[mine])
        covered = np.zeros(len(other.row), dtype=bool)
        covered[theirs[inside]] = True
        return np.bincount(other.row[~covered], minlength=len(self)) == 0

    def meets(self, other: Any) -> NDArray:
        return np.bincount(self._shared(other).row, minlength=len(self)) > 0

    def intersect(self, other: Any) -> Intervals:
        """Return the numbers that are in both sets.

        >>> Intervals(["[-2,-1]|[1,4]"]).intersect(Intervals([">=2"])).format(0)
        '[2, 4]'
        """
        pieces = self._shared(other)
        self._check_not_empty(other, np.bincount(pieces.row, minlength=len(self)) == 0)
        return self._with(pieces)

    def join(self, other: Any) -> Intervals:
        lower, upper = np.concatenate([self.lower, other.lower]), np.concatenate([self.upper, other.upper])
        row = np.concatenate([self.row, len(self) + other.row])
        return self._with(Pieces(lower, upper, row, len(self) + len(other)))

    @cached_property
    def indptr(self) -> NDArray:
        """Row i has the pieces indptr[i], …, indptr[i + 1] - 1."""
        return np.searchsorted(self.row, np.arange(len(self) + 1))

    @cached_property
    def t(self) -> tuple[NDArray, NDArray]:
        """The pieces in units of the loss."""
        return (self.lower - self.origin) / self.unit, (self.upper - self.origin) / self.unit

    @property
    def is_exact(self) -> NDArray:
        return self.lowest == self.highest

    @property
    def is_bounded(self) -> NDArray:
        return np.isfinite(self.lowest) & np.isfinite(self.highest)

    @property
    def size(self) -> NDArray:
        """The total length of the pieces."""
        return np.bincount(self.row, self.upper - self.lower, minlength=len(self))

    def bits(self) -> NDArray:
        """Return -log2 of the share of the range of all finite ends that S_i has, at most ten bits."""
        ends = np.concatenate([self.lower, self.upper])
        ends = ends[np.isfinite(ends)]
        low, high = (ends.min(), ends.max()) if len(ends) else (0.0, 1.0)
        inside = np.maximum(np.minimum(self.upper, high) - np.maximum(self.lower, low), 0)
        share = np.bincount(self.row, inside, minlength=len(self)) / ((high - low) or 1.0)
        return np.clip(-np.log2(np.maximum(share, 2.0**-FINEST)), 0, FINEST)

    @property
    def is_unlabelled(self) -> NDArray:
        return (self.lowest == -math.inf) & (self.highest == math.inf) & (np.diff(self.indptr) == 1)

    @property
    def lowest(self) -> NDArray:
        """The smallest value of each set, (n,); -inf if there is none."""
        return self.lower[self.indptr[:-1]]

    @property
    def highest(self) -> NDArray:
        """The largest value of each set, (n,); inf if there is none."""
        return self.upper[self.indptr[1:] - 1]

    def argmin(self, c: NDArray) -> NDArray:
        # c_0 + c_1 t + c_2 t²: the vertex brought into every piece where c_2 > 0, otherwise an end
        self._needs_bilinear()
        low, high = self.t
        c1, c2 = c[..., 1][..., self.row], c[..., 2][..., self.row]
        with np.errstate(divide="ignore", invalid="ignore"):
            vertex = np.clip(-c1 / (2 * c2), low, high)
            ends = [np.nan_to_num(t * (c1 + c2 * t), nan=0.0, posinf=math.inf, neginf=-math.inf) for t in (low, high)]
            best = np.where(c2 > 0, vertex, np.where(ends[0] <= ends[1], low, high))
            best = np.where((c1 == 0) & (c2 == 0), np.clip(0.0, low, high), best)
            value = best * (c1 + c2 * best)
        lowest = np.minimum.reduceat(value, self.indptr[:-1], axis=-1) if len(self) else value
        if np.isneginf(lowest).any():
            self._bounded("the supremum")
        t = np.where(value == lowest[..., self.row], best, math.inf)
        return self._phi(np.minimum.reduceat(t, self.indptr[:-1], axis=-1) if len(self) else t)

    def contains(self, z: NDArray) -> NDArray:
        # z = origin + unit t is rounded: a minimiser on the border of a set is in it
        z = np.asarray(z, dtype=float)
        scale = abs(self.origin) + self.unit + np.abs(z)
        return self.distance(z) <= 8 * np.finfo(float).eps * scale

    def distance(self, z: Any) -> NDArray:
        """Return the distance of z_i to S_i, (n,)."""
        z = np.asarray(z, dtype=float)[self.row]
        return self._least(np.maximum(np.maximum(self.lower - z, z - self.upper), 0.0))

    def farthest(self, z: Any) -> NDArray:
        """Return the distance of z_i to the farthest point of S_i, (n,); infinite for unbounded sets."""
        z = np.asarray(z, dtype=float)
        return np.maximum(z - self.lowest, self.highest - z)

    def center(self) -> NDArray:
        """Return the mean of phi over S_i, uniform over its length, or over its points if it has no length."""
        self._needs_bilinear()
        mean, square = self._moments()
        return np.column_stack([np.ones(len(self)), mean, square])

    def start(self) -> NDArray:
        """Return the middle of S_i, or its end if it is unbounded on one side."""
        low, high = ((end - self.origin) / self.unit for end in (self.lowest, self.highest))
        with np.errstate(invalid="ignore"):
            middle = (low + high) / 2
        middle = np.where(np.isfinite(middle), middle, np.where(np.isfinite(low), low, high))
        return self._phi(np.where(np.isfinite(middle), middle, 0.0))

    def embed(self, principle: str) -> Embedding | None:
        if self.loss_name == "absolute":
            return None
        if principle == "average":
            return Embedding(self.center(), np.zeros(len(self)))
        # an unlabelled row costs nothing, whatever z
        unlabelled = self.is_unlabelled if principle == "infimum" else np.zeros(len(self), bool)
        if (self.is_exact | unlabelled).all():
            return Embedding(np.where(unlabelled[:, None], 0.0, self.start()), np.zeros(len(self)))
        return None

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        if principle == "average":
            if self.loss_name == "squared":
                return super().loss(psi, principle)
            return self.unit * self._mean_distance(psi[:, :1] / self.unit)
        t = psi[:, 0] / self.unit if self.loss_name == "absolute" else -psi[:, 1] / (2 * self.unit**2)
        if principle == "infimum":
            low, high = self.t
            far = self._least(np.maximum(np.maximum(low - t[:, None], t[:, None] - high), 0.0))
        else:
            self._bounded(principle)
            low, high = ((end - self.origin) / self.unit for end in (self.lowest, self.highest))
            far = np.maximum(t[:, None] - low, high - t[:, None])
        return self.unit * far if self.loss_name == "absolute" else (self.unit * far) ** 2

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        if principle == "average":
            if self.loss_name == "squared":
                return super().rowwise_loss(psi, principle)
            return self.unit * self._mean_distance((psi[:, 0] / self.unit)[self.row])
        t = psi[:, 0] / self.unit if self.loss_name == "absolute" else -psi[:, 1] / (2 * self.unit**2)
        if principle == "supremum":
            self._bounded(principle)
        far = (self.distance if principle == "infimum" else self.farthest)(self.origin + self.unit * t)
        return far if self.loss_name == "absolute" else far**2

    def curves(self, principle: str) -> Curves:
        """Return L(z, S_i) as functions of t = (z - origin) / unit, for `Piecewise`."""
        if principle == "infimum":
            return nearest(*self.t, self.row, self.loss_name)
        self._bounded(principle)
        if principle == "average":
            return mean(*self.t, self.row, *self._shares(), self.loss_name, len(self))
        low, high = self.t
        return farthest(low[self.indptr[:-1]], high[self.indptr[1:] - 1], self.loss_name)

    def lines(self) -> list[IntervalUnions] | None:
        return None if self.loss_name == "absolute" else [IntervalUnions(*self.t, self.row, len(self))]

    def _shares(self) -> tuple[NDArray, NDArray]:
        """Return how much each piece counts in the average, (p,), and its length in units."""
        self._bounded("the average")
        low, high = self.t
        length = high - low
        total = np.add.reduceat(length, self.indptr[:-1])[self.row] if len(self) else length
        number = np.diff(self.indptr)[self.row]
        return np.where(total > 0, length / np.where(total > 0, total, 1), 1 / number), length

    def _moments(self) -> tuple[NDArray, NDArray]:
        """Return the means of t and t² over S_i, (n,)."""
        share, length = self._shares()
        low, high = self.t
        middle = (low + high) / 2
        mean = np.add.reduceat(share * middle, self.indptr[:-1]) if len(self) else middle
        return mean, np.add.reduceat(share * (middle**2 + length**2 / 12), self.indptr[:-1]) if len(self) else middle

    def _mean_distance(self, t: NDArray) -> NDArray:
        """Return the mean of |t - y| over y in S_i, for one t per piece: (..., p) -> (..., n)."""
        share, length = self._shares()
        low, high = self.t
        inside = np.maximum(np.minimum(t - low, high - t), 0.0)
        # |t - middle|, raised near the middle of the piece: by (length / 2 - |t - middle|)² / length
        away = np.abs(t - (low + high) / 2)
        mean = away + np.where(length > 0, inside**2 / np.where(length > 0, length, 1), 0.0)
        return np.add.reduceat(share * mean, self.indptr[:-1], axis=-1) if len(self) else mean

    def _least(self, per_piece: NDArray) -> NDArray:
        """Return the minimum over the pieces of each row: (..., p) -> (..., n)."""
        return np.minimum.reduceat(per_piece, self.indptr[:-1], axis=-1) if len(self) else per_piece

    def _phi(self, t: NDArray) -> NDArray:
        if self.loss_name == "absolute":
            return t[..., None]
        return np.stack([np.ones_like(t), t, t**2], axis=-1)

    def _needs_bilinear(self) -> None:
        if self.loss_name == "absolute":
            raise ValueError(
                "loss='absolute' is not bilinear, which this solver or principle requires. Use solver=Piecewise()."
            )

    def _bounded(self, what: str) -> None:
        bad, unlabelled = BadRows("y"), self.is_unlabelled
        for row in np.flatnonzero(~self.is_bounded).tolist():
            text = "an unlabelled row" if unlabelled[row] else self.format(row)
            bad.add(row, f"{text} is unbounded, so the {what.removeprefix('the ')} is undefined")
        squared = self.loss_name == "squared"
        bad.raise_if_any(UNBOUNDED_HINT if squared else UNBOUNDED_HINT.replace("'disambiguation', or ", ""))

    def format(self, row: int) -> str:
        """Return S_i as text.

        >>> sets = Intervals([[(-2, -1), (1, 2)], (3, float("inf")), 5])
        >>> sets.format(0), sets.format(1), sets.format(2)
        ('[-2, -1] | [1, 2]', '≥ 3', '5')
        """
        pieces = range(self.indptr[row], self.indptr[row + 1])
        return " | ".join(_format_piece(float(self.lower[p]), float(self.upper[p])) for p in pieces)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """Return the pieces as (n, k, 2), padded with NaN."""
        counts = np.diff(self.indptr)
        out = np.full((len(self), counts.max(initial=1), 2), math.nan)
        piece = np.arange(len(self.row)) - self.indptr[self.row]
        out[self.row, piece] = np.column_stack([self.lower, self.upper])
        return out if dtype is None else out.astype(dtype)

    def __repr__(self) -> str:
        if len(self) == 1:
            return f"<Intervals: 1 row, {self.format(0)}>"
        n = max(len(self), 1)
        exact, unknown = self.is_exact.sum(), self.is_unlabelled.sum()
        bounded = self.is_bounded.sum()
        return (
            f"<Intervals: {len(self)} rows, {100 * exact / n:.0f} % exact, {100 * bounded / n:.0f} % bounded,"
            f" {100 * unknown / n:.0f} % unknown>"
        )


def _format_piece(low: float, high: float) -> str:
    if low == high:
        return f"{low:.6g}"
    if high == math.inf:
        return ANYTHING if low == -math.inf else f"≥ {low:.6g}"
    return f"≤ {high:.6g}" if low == -math.inf else f"[{low:.6g}, {high:.6g}]"


def _merged(pieces: Pieces) -> tuple[NDArray, NDArray, NDArray]:
    """Return sorted, disjoint pieces; overlapping pieces are merged."""
    lower, upper, row, _ = pieces
    if len(row) == pieces.n:  # one piece per row
        order = np.argsort(row, kind="stable")
        return lower[order], upper[order], row[order]
    order = np.lexsort((lower, row))
    lower, upper, row = lower[order], upper[order], row[order]
    # the running maximum of upper within a row, by ranks: those of the next row are all larger
    by_size = np.argsort(upper, kind="stable")
    rank = np.empty(len(upper), dtype=int)
    rank[by_size] = np.arange(len(upper))
    reach = upper[by_size[np.maximum.accumulate(rank + row * len(row)) - row * len(row)]]
    starts = np.r_[True, (row[1:] != row[:-1]) | (lower[1:] > reach[:-1])]
    first = np.flatnonzero(starts)
    last = np.r_[first[1:] - 1, len(row) - 1]
    return lower[first], reach[last], row[first]
