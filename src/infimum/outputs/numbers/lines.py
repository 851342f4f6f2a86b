"""Lines: unions of intervals under normal laws: how probable they are, and where in them a number then lies."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

NO_END = (  # what to do with half-lines
    "Use principle='disambiguation', or 'infimum' with negative_weights='inside'; or give bounds=(low, high): rows end"
    " there."
)
WIDTH = 1e-6  # in units of the line: what is narrower counts as so wide, a point too
NARROW = 1e-3  # in deviations: pieces over which the density is straight but for rounding
HALF_LOG = 0.5 * math.log(2 * math.pi)
EXCESS = 4.0  # half-lines end beyond all ends that are told, by so many times the mean by which numbers go beyond these
STEP = 1.1  # deviations stand on a lattice, so that rounding does not move them
FINEST, WIDEST = -150, 30  # its ends: about 6e-7 to 17
PLACES = (-60, -36, -12, 12)  # on it, from which on it is searched
LARGEST = 2.0  # deviation of the law of all rows, in units of the line: half-lines alone would let it grow for ever
MOST = 2000  # rows that tell the law of all of them
MIDDLE = (0.1, 0.5)  # of the ends that are told: where most of them begin, however far some are, and the median


class Law(NamedTuple):
    """A normal law of all rows, and the ends of the numbers that it allows."""

    mean: float
    scale: float
    low: float = -1.0
    high: float = 1.0
    unit: float = 1.0
    """That of the line: how far apart most ends of sets are."""


class Moments(NamedTuple):
    """Means of t and of t² in S_i, (..., n) both."""

    first: NDArray
    second: NDArray


class Line:
    """S_1 … S_n, unions of pieces [low, high] of the real line, under normal laws of given means and one deviation.

    A point is as probable as WIDTH units around it, so that all sets have a probability.

    Parameters
    ----------
    low, high : (p,)
        Ends of the pieces, which may be infinite.
    row : (p,)
        The row of every piece, in order; every row has one.
    n : int
        The number of rows.
    unit : float, default 1
        What deviations are measured in, for places on their lattice and for what counts as a point.

    Examples
    --------
    >>> line = Line(np.array([0., -np.inf, 2.]), np.array([np.inf, np.inf, 2.]), np.arange(3), 3)
    >>> np.exp(line.log_mass(np.zeros(3), 1.0)[:2])
    array([0.5, 1. ])
    >>> line.moments(np.zeros(3), 1.0).first.round(3)
    array([0.798, 0.   , 2.   ])
    """

    def __init__(self, low: NDArray, high: NDArray, row: NDArray, n: int, unit: float = 1.0):
        self.low, self.high, self.row, self.n, self.unit = low, high, row, n, unit

    @classmethod
    def stacked(cls, lines: list[Line]) -> Line:
        """The rows of several lines one after the other, in the largest of their units."""
        low, high = (np.concatenate([getattr(line, side) for line in lines]) for side in ("low", "high"))
        first = np.cumsum([0, *(line.n for line in lines)])
        row = np.concatenate([line.row + start for line, start in zip(lines, first)])
        return cls(low, high, row, int(first[-1]), max(line.unit for line in lines))

    def scale_at(self, exponent: Any) -> NDArray:
        """The deviation at a place of the lattice."""
        return self.unit * STEP ** np.asarray(exponent, dtype=float)

    @cached_property
    def starts(self) -> NDArray | None:
        """The first piece of every row; None where every row has one piece."""
        return None if len(self.row) == self.n else np.searchsorted(self.row, np.arange(self.n))

    @property
    def is_open(self) -> NDArray:
        """Pieces without an end on one side, (p,)."""
        return np.isinf(self.low) != np.isinf(self.high)

    @property
    def is_whole(self) -> NDArray:
        """Pieces without any end, (p,): their rows know nothing."""
        return np.isinf(self.low) & np.isinf(self.high)

    def log_mass(self, mean: NDArray, scale: Any) -> NDArray:
        """log P(t in S_i), t normal around mean_i: (..., n) and (..., 1) -> (..., n)."""
        return self._joined(_log_masses(*self._standard(mean, scale)))

    def moments(self, mean: NDArray, scale: Any) -> Moments:
        """The means of t and t² given that t is in S_i: (..., n) and (..., 1) -> (..., n)."""
        pieces = self._pieces(mean, scale)
        if self.starts is None:
            return Moments(*pieces[1:])
        share, first, second = pieces
        return Moments(*(np.add.reduceat(share * part, self.starts, axis=-1) for part in (first, second)))

    def even(self, law: Law) -> Moments:
        """The means of t and t² before anything is predicted: every piece by its point that is nearest to most numbers.

        All pieces alike: weighed by the law of all rows, a narrow one beside a wide one would have no weight to begin
        with.
        """
        near = np.clip(law.mean, self.low, self.high)
        if self.starts is None:
            return Moments(near, near**2)
        share = 1 / np.diff(np.append(self.starts, len(self.row)))[self.row]
        return Moments(*(np.add.reduceat(share * part, self.starts) for part in (near, near**2)))

    def probable(self, mean: NDArray, scale: float) -> tuple[NDArray, NDArray, NDArray]:
        """The mean of t in the most probable piece of every row, the share of that piece and that of the next, (n,)."""
        share, first, _ = self._pieces(mean, scale)
        if self.starts is None:
            return first, np.ones(self.n), np.zeros(self.n)
        order = np.lexsort((np.arange(len(share)), -share, self.row))
        best = order[self.starts]
        number = np.diff(np.append(self.starts, len(share)))
        after = order[np.minimum(self.starts + 1, len(share) - 1)]
        return first[best], share[best], np.where(number > 1, share[after], 0.0)

    def fitted_scale(self, mean: NDArray, w: NDArray, start: Any = None) -> NDArray:
        """Exponents on the lattice of the deviation under which the sets are most probable, a law a line of `mean`.

        (k, n) means and weights -> (k,): the deviation is `STEP` to this power, in units. It moves from `start`, or
        from the best of a few that are far apart: unions have two explanations, a narrow and a wide one.
        """
        total = np.maximum(w.sum(axis=-1), 1e-300)

        def value(at: NDArray) -> NDArray:
            return np.einsum("kn,kn->k", self.log_mass(mean, self.scale_at(at)[:, None]), w) / total

        if start is None:
            each = np.stack([value(np.full(len(mean), at)) for at in PLACES])
            best = np.asarray(PLACES)[np.argmax(each, axis=0)]
        else:
            best = np.broadcast_to(np.asarray(start, dtype=int), len(mean)).copy()
        now = value(best)
        for step in (16, 8, 4, 2, 1) if start is None else (4, 2, 1):
            for _ in range(12):
                before = best
                for way in (step, -step):
                    at = np.clip(best + way, FINEST, WIDEST)
                    new = value(at)
                    best, now = np.where(new > now + 1e-12, at, best), np.maximum(now, new)
                if (best == before).all():
                    break
        return best

    def law(self, w: NDArray | None = None) -> Law:
        """The normal law under which the sets are most probable, whatever x is; its ends are those of Y.

        Nothing in half-lines says how far numbers go: where all sets around x are such, the probability grows with the
        prediction for ever. So Y ends, where there are any, beyond all ends that are told, by four times the mean by
        which numbers of this law go beyond these.
        """
        known = np.flatnonzero(~np.isin(np.arange(self.n), self.row[self.is_whole]))
        if w is not None:
            known = known[w[known] > 0]
        if not len(known):
            return Law(0.0, 1.0)
        some = known[np.linspace(0, len(known) - 1, min(len(known), MOST)).astype(int)]
        counts = np.ones(len(some)) if w is None else w[some]
        mean, scale, unit = self[some]._likeliest(counts)
        low, high = self[known].hull()
        if np.isinf(self.high[self.is_open]).any():
            high += EXCESS * scale * float(_excess(np.array((high - mean) / scale)))
        if np.isinf(self.low[self.is_open]).any():
            low -= EXCESS * scale * float(_excess(np.array((mean - low) / scale)))
        return Law(mean, scale, low, high, unit)

    def _likeliest(self, w: NDArray) -> tuple[float, float, float]:
        """The mean and the deviation under which the sets are most probable, and the unit of their search."""
        first, mean, last = self._middle(w)
        bottom, top = self.hull()
        unit = last - first or top - bottom or 1.0
        line = Line(self.low, self.high, self.row, self.n, unit)
        scale, now = int(line.fitted_scale(np.full((1, self.n), mean), w[None])[0]), -math.inf
        for step in (16, 8, 4, 2, 1):  # of a thirty-second of the unit, and of the lattice
            for _ in range(40):
                # half-lines alone would let it run away
                means = np.clip(mean + np.array([0, 1, -1]) * line.unit * step / 32, bottom, top)
                each = np.repeat(means[:, None], self.n, axis=1)
                scales = line.fitted_scale(each, np.tile(w, (3, 1)), scale)
                values = line.log_mass(each, line.scale_at(scales)[:, None]) @ w
                best = int(np.argmax(values))
                alike = 1e-9 * abs(values[best]) + 1e-12
                two = best > 0 and abs(values[1] - values[2]) <= alike  # sides between which nothing tells
                if two or values[best] <= now + alike:
                    break
                mean, scale, now = float(means[best]), int(scales[best]), float(values[best])
        return mean, min(float(line.scale_at(scale)), LARGEST * line.unit), line.unit

    def _middle(self, w: NDArray) -> tuple[float, float, float]:
        """Where most ends lie, and their median: the same from either side."""
        ends, of = np.concatenate([self.low, self.high]), np.concatenate([w[self.row], w[self.row]])
        ends, of = ends[np.isfinite(ends)], of[np.isfinite(ends)]
        up, down = (np.quantile(way * ends, MIDDLE, weights=of, method="inverted_cdf") for way in (1, -1))
        return float(up[0]), float(up[1] - down[1]) / 2, float(-down[0])

    def ended(self, law: Law) -> Line:
        """The same sets in units of this law, half-lines cut off where it has Y end."""
        low = np.where(self.is_open, np.maximum(self.low, np.minimum(law.low, self.high)), self.low)
        high = np.where(self.is_open, np.minimum(self.high, np.maximum(law.high, self.low)), self.high)
        return Line(low, high, self.row, self.n, law.unit)

    def hull(self) -> tuple[float, float]:
        """The first and the last of all ends."""
        ends = np.concatenate([self.low, self.high])
        ends = ends[np.isfinite(ends)]
        return float(ends.min()), float(ends.max())

    def distance(self, t: NDArray) -> NDArray:
        """Of t_i to S_i, (n,)."""
        far = np.maximum(np.maximum(self.low - t[self.row], t[self.row] - self.high), 0.0)
        return far if self.starts is None else np.minimum.reduceat(far, self.starts)

    def __getitem__(self, rows: NDArray) -> Line:
        if self.starts is None:
            return Line(self.low[rows], self.high[rows], np.arange(len(rows)), len(rows), self.unit)
        number = np.diff(np.append(self.starts, len(self.row)))[rows]
        first = np.repeat(self.starts[rows] - np.cumsum(number) + number, number)
        at = first + np.arange(number.sum())
        return Line(self.low[at], self.high[at], np.repeat(np.arange(len(rows)), number), len(rows), self.unit)

    def _standard(self, mean: NDArray, scale: Any) -> tuple[NDArray, NDArray]:
        """Ends in deviations from the mean, at least WIDTH apart."""
        low, high = self._wide
        at = mean[..., self.row] if self.starts is not None else mean
        return (low - at) / scale, (high - at) / scale

    @cached_property
    def _wide(self) -> tuple[NDArray, NDArray]:
        width = WIDTH * self.unit
        thin = self.high - self.low < width
        middle = np.where(thin, self.low, 0.0) / 2 + np.where(thin, self.high, 0.0) / 2
        return np.where(thin, middle - width / 2, self.low), np.where(thin, middle + width / 2, self.high)

    def _joined(self, log: NDArray) -> NDArray:
        """log of the sum over the pieces of a row, (..., p) -> (..., n)."""
        return log if self.starts is None else np.logaddexp.reduceat(log, self.starts, axis=-1)

    def _pieces(self, mean: NDArray, scale: Any) -> tuple[NDArray, NDArray, NDArray]:
        """The share of every piece in its row, and the means of t and t² in it, (..., p)."""
        low, high = self._standard(mean, scale)
        log = _log_masses(low, high)
        first, variance = _moments(low, high, log)
        at = mean[..., self.row] if self.starts is not None else mean
        first = np.clip(at + scale * first, self.low, self.high)
        # no variance is larger than that of the two ends, whatever rounding says
        second = first**2 + np.minimum(np.square(scale) * variance, np.square(self.high - self.low) / 4)
        if self.starts is None:
            return np.ones_like(first), first, second
        share = np.exp(log - np.maximum.reduceat(log, self.starts, axis=-1)[..., self.row])
        return share / np.add.reduceat(share, self.starts, axis=-1)[..., self.row], first, second


def _log_density(x: NDArray) -> NDArray:
    return -0.5 * np.square(x) - HALF_LOG


def _log_masses(low: NDArray, high: NDArray) -> NDArray:
    """log P(low < x < high), x standard normal."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        flip = low + high > 0  # the side on which tails keep their digits
        a, b = np.where(flip, -high, low), np.where(flip, -low, high)
        right = log_ndtr(b)
        wide = right + np.log1p(-np.exp(np.minimum(log_ndtr(a) - right, 0.0)))
        width, middle = high - low, low + (high - low) / 2
        # the density at the middle, and its bend
        thin = _log_density(middle) + np.log(width) + np.log1p(np.square(width) * (np.square(middle) - 1) / 24)
        return np.where(_is_narrow(width, middle), thin, wide)


def _is_narrow(width: NDArray, middle: NDArray) -> NDArray:
    return width * np.maximum(1.0, np.abs(middle)) < NARROW


def _moments(low: NDArray, high: NDArray, log: NDArray) -> tuple[NDArray, NDArray]:
    """The mean and the variance of a standard normal between low and high, where log is that of its probability."""
    with np.errstate(invalid="ignore", over="ignore"):
        left, right = np.exp(_log_density(low) - log), np.exp(_log_density(high) - log)
        mean = left - right
        bent = np.where(np.isinf(low), 0.0, low * left) - np.where(np.isinf(high), 0.0, high * right)
        width, middle = high - low, low + (high - low) / 2
        narrow = _is_narrow(width, middle)
        mean = np.where(narrow, middle * (1 - np.square(width) / 12), mean)
        variance = np.where(narrow, np.square(width) / 12, np.clip(1 + bent - np.square(mean), 0.0, 1.0))
    return mean, variance


def _excess(x: NDArray) -> NDArray:
    """E[t - x | t > x], t standard normal."""
    near = np.minimum(x, 30.0)  # beyond, the difference of two large numbers has no digits left
    return np.where(x > 30, 1 / np.maximum(x, 1.0), np.exp(_log_density(near) - log_ndtr(-near)) - near)
