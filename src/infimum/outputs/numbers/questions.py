"""Questions about numbers: is it below t?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr, ndtri

from ..data.errors import InputError
from ..outputs import Intervals, Reals
from .question import Question
from .structure import Forms, Structure

STEPS = 100.0  # a number read off to a hundredth of the range is one of so many answers


class Below(Question):
    """Is it below t? Yes or no.

    Parameters
    ----------
    row : int
        The row of X and y.
    t : float
        A finite number.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Reals(bounds=(0, 10)).fit([])
    >>> question = Below(0, 5.0, space)
    >>> question.text(), question.told([None], False).format(0)
    ('Is it below 5?', '[5, 10]')
    """

    def __init__(self, row: int, t: float, space: Reals, cost: float | None = None):
        if not isinstance(t, int | float | np.number) or not math.isfinite(t):
            raise InputError(f"Below compares with a finite number. Got {t!r}.")
        self.t = float(t)
        self._keep(row, space, cost)

    @property
    def about(self) -> float:
        return self.t

    def text(self) -> str:
        return f"Is it below {self.t:g}?"

    def leaves(self, answer: Any) -> Intervals:
        ends = (-math.inf, math.inf)
        if answer is not None:
            # the largest number below t, so that yes and no share nothing
            ends = (-math.inf, np.nextafter(self.t, -math.inf)) if self._yes(answer) else (self.t, math.inf)
        return Intervals([ends], loss=self.space.loss, origin=self.space.origin_, unit=self.space.unit_)

    def truth(self, z: Any) -> bool:
        return bool(z < self.t)


class NumberStructure(Structure):
    """Numbers: the target is t = (y - origin) / unit; a row is believed to be normal, cut at the ends of its set."""

    kinds = ("Below", "Whole")
    numbers = True

    def __init__(self, space: Reals):
        super().__init__(space)
        self.prior = np.zeros(1)

    def encode(self, sets: Any) -> NDArray:
        """The lowest and the highest number of every set, in t: gaps inside of it are not looked at."""
        low = (np.maximum(sets.lowest, self.space.low_) - self.space.origin_) / self.space.unit_
        high = (np.minimum(sets.highest, self.space.high_) - self.space.origin_) / self.space.unit_
        return np.column_stack([low, np.maximum(high, low)])

    def _whole_range(self) -> tuple[float, float]:
        return self.space.ends()

    def known(self, E: NDArray) -> NDArray:
        low, high = self._whole_range()
        return (E[:, 0] > low) | (E[:, 1] < high)

    def open(self, E: NDArray) -> NDArray:
        low, high = self._whole_range()
        return E[:, 1] - E[:, 0] > 1e-9 * (high - low)

    def narrow(self, E: NDArray, F: NDArray, spread: Any, power: Any) -> NDArray:
        return cut_normal(F[:, 0], self._deviation(F, spread), E[:, 0], E[:, 1])[0][:, None]

    def _deviation(self, F: NDArray, spread: Any) -> NDArray:
        low, high = self._whole_range()
        return np.full(len(F), (high - low) / 4) if spread is None else np.broadcast_to(spread, (len(F),))

    def scale(self, E: NDArray, F: NDArray) -> float:
        """The deviation for which cut normals have the residuals that predictions without the row leave."""
        low, high = self._whole_range()
        found = (high - low) / 4
        for _ in range(10):
            mean, variance = cut_normal(F[:, 0], np.full(len(F), found), E[:, 0], E[:, 1])
            found = float(np.sqrt(np.mean((mean - F[:, 0]) ** 2 + variance)))
        return max(found, 1e-3 * (high - low))

    def spread(self, scale: Any, variance: NDArray) -> NDArray:
        low, high = self._whole_range()
        base = (high - low) / 4 if scale is None else scale
        # as far off as rows that were left out, and more where no row is near
        return base * np.sqrt(np.clip(0.5 + variance, 0.5, 1.5))

    def likelihood(self, E: NDArray, F: NDArray, power: Any) -> float:
        s = self.scale(E, F)
        a, b = (E[:, 0] - F[:, 0]) / s, (E[:, 1] - F[:, 0]) / s
        point = b - a < 1e-6
        inside = np.log(np.maximum(ndtr(b) - ndtr(a), 1e-12))
        density = -(((a + b) / 2) ** 2) / 2 - math.log(s * math.sqrt(2 * math.pi)) - 3.0
        return float(np.where(point, density, inside).mean())

    def output(self, F: NDArray) -> NDArray:
        return self.space.at(F[:, 0])

    def forms(self, E: NDArray, T: NDArray, spread: Any) -> list[Forms]:
        """The median cut, and the whole number; T is the mean of the cut normal and `spread` its deviation before."""
        n = len(T)
        variance = self._variance(E, T, spread)[:, None]
        one, two = np.ones((n, 1)), np.full((n, 1), 2.0)
        is_open = self.open(E)[:, None]
        choices = self.whole_choices(E)[:, None]
        return [
            Forms("Below", np.where(is_open, variance * 2 / math.pi, 0.0), np.where(is_open, one, 0.0), two, one,
                  self._below(E, T, spread)),
            Forms("Whole", np.where(is_open, variance, 0.0), np.where(is_open, np.log2(choices), 0.0), choices, one,
                  self._whole(E)),
        ]  # fmt: skip

    def _variance(self, E: NDArray, T: NDArray, spread: Any) -> NDArray:
        s = self._deviation(T, spread)
        flat = (E[:, 1] - E[:, 0]) / math.sqrt(12)  # of a set that is narrow beside it
        return 1 / (1 / np.maximum(s, 1e-12) ** 2 + 1 / np.maximum(flat, 1e-12) ** 2)

    def whole_choices(self, E: NDArray) -> NDArray:
        low, high = self._whole_range()
        return np.maximum(STEPS * (E[:, 1] - E[:, 0]) / (high - low), 2.0)

    def _at(self, E: NDArray, T: NDArray, s: float) -> float:
        """The median of what is believed, in units of y, at a round number where there is room."""
        a, b = ndtr((E[0] - T[0]) / s), ndtr((E[1] - T[0]) / s)
        t = T[0] + s * float(ndtri(np.clip((a + b) / 2, 1e-9, 1 - 1e-9)))
        if not E[0] < t < E[1]:
            t = float(E.mean())
        low, high = (self.space.origin_ + self.space.unit_ * end for end in E)
        return rounded(self.space.origin_ + self.space.unit_ * t, low, high, self.space.unit_ * s / 8)

    def _below(self, E: NDArray, T: NDArray, spread: Any) -> Any:
        s = self._deviation(T, spread)
        return lambda i, f, c: Below(i, self._at(E[i], T[i], float(s[i])), self.space, c)

    def random(self, i: int, E: NDArray, rng: np.random.Generator, price: Any) -> Below:
        t = self.space.origin_ + self.space.unit_ * rng.uniform(*E)
        return Below(i, float(t), self.space, float(price("Below", 2.0, 1)))

    def halving(self, i: int, E: NDArray, T: NDArray, spread: Any, price: Any) -> Below:
        s = (E[1] - E[0]) / 4 if spread is None else float(np.ravel(spread)[0])
        return Below(i, self._at(E, T, s), self.space, float(price("Below", 2.0, 1)))


def cut_normal(mean: NDArray, s: NDArray, low: NDArray, high: NDArray) -> tuple[NDArray, NDArray]:
    """Mean and variance of normals with this mean and deviation within [low, high], (n,) each.

    >>> m, v = cut_normal(np.zeros(2), np.ones(2), np.array([0., -np.inf]), np.array([np.inf, np.inf]))
    >>> m.round(3), v.round(3)
    (array([0.798, 0.   ]), array([0.363, 1.   ]))
    """
    a, b = (low - mean) / s, (high - mean) / s
    with np.errstate(invalid="ignore"):
        flip = a + b > 0  # the left tail keeps its digits
        a, b = np.where(flip, -b, a), np.where(flip, -a, b)
        middle = (a + b) / 2
    log_b = log_ndtr(b)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        log_mass = log_b + np.log1p(-np.exp(np.minimum(log_ndtr(a) - log_b, -1e-300)))
        pa, pb = (np.exp(-(x**2) / 2 - log_mass) / math.sqrt(2 * math.pi) for x in (a, b))
        step = pa - pb
        bend = np.where(np.isfinite(a), a * pa, 0.0) - np.where(np.isfinite(b), b * pb, 0.0)
        variance = 1 + bend - step**2
    width = b - a
    thin = ~(np.isfinite(step) & np.isfinite(variance)) | (width < 1e-3) | (variance <= 0)
    step = np.where(thin, np.clip(np.where(width < 1e-3, middle, b), a, b), step)
    variance = np.where(thin, np.minimum(np.where(np.isfinite(width), width, 1.0) ** 2 / 12, 1.0), variance)
    step = np.clip(step, a, b)
    return mean + s * np.where(flip, -step, step), s**2 * variance


def rounded(t: float, low: float, high: float, room: float) -> float:
    """The number with the fewest digits within `room` of t, strictly between low and high.

    >>> rounded(4.9371, 0, 10, .1), rounded(4.9371, 4.93, 4.94, .1)
    (5.0, 4.937)
    """
    for digits in range(1, 16):
        found = float(f"{t:.{digits}g}")
        if abs(found - t) <= room and low < found < high:
            return found
    return t
