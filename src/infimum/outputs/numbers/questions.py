"""Questions about numbers: is it below t?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri

from ...data.errors import InputError
from ..question_model import Belief, QuestionGroup, QuestionModel
from ..questions import Question
from .sets import Intervals
from .space import Reals
from .truncated_normal import truncated_normal

STEPS = 100.0  # a number that is given to a hundredth of the range is one of this many answers


class Below(Question):
    """Ask whether the number is below a threshold.

    Parameters
    ----------
    row : int
        The row of X and y.
    t : float
        A finite number.
    space : Reals
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Reals(bounds=(0, 10)).fit([])
    >>> question = Below(0, 5.0, space)
    >>> question.text(), question.apply_answer([None], False).format(0)
    ('Is it below 5?', '[5, 10]')
    """

    def __init__(self, row: int, t: float, space: Reals, cost: float | None = None):
        if not isinstance(t, int | float | np.number) or not math.isfinite(t):
            raise InputError(f"Below requires a finite number. Got {t!r}.")
        self.t = float(t)
        self._set(row, space, cost)

    @property
    def about(self) -> float:
        return self.t

    def text(self) -> str:
        return f"Is it below {self.t:g}?"

    def consistent_set(self, answer: Any) -> Intervals:
        ends = (-math.inf, math.inf)
        if answer is not None:
            # the largest number below t: the answers yes and no exclude each other
            ends = (-math.inf, np.nextafter(self.t, -math.inf)) if self._yes(answer) else (self.t, math.inf)
        return Intervals([ends], loss=self.space.loss, origin=self.space.origin_, unit=self.space.unit_)

    def true_answer(self, z: Any) -> bool:
        return bool(z < self.t)


class NumberQuestions(QuestionModel):
    """Questions about numbers; the target is t = (y - origin) / unit, normal and truncated to the set of the row."""

    question_types = (Below,)
    full_text = "What number is it?"
    predicts, finite = True, False
    agreement_name, agreement_is_share = "Mean absolute error", False

    def __init__(self, space: Reals):
        super().__init__(space)
        self.low, self.high = space.ends()

    @property
    def names(self) -> list:
        return [self.space.low_, self.space.high_]

    @property
    def unlabelled(self) -> NDArray:
        return np.array([[self.low, self.high]])

    def encode(self, sets: Any) -> NDArray:
        """Return the lowest and the highest number of each set, in t; gaps between them are ignored."""
        low = (np.maximum(sets.lowest, self.space.low_) - self.space.origin_) / self.space.unit_
        high = (np.minimum(sets.highest, self.space.high_) - self.space.origin_) / self.space.unit_
        return np.column_stack([low, np.maximum(high, low)])

    def is_labelled(self, E: NDArray) -> NDArray:
        return (E[:, 0] > self.low) | (E[:, 1] < self.high)

    def is_open(self, E: NDArray) -> NDArray:
        return E[:, 1] - E[:, 0] > 1e-9 * (self.high - self.low)

    def n_outputs(self, E: NDArray) -> NDArray:
        return np.maximum(STEPS * (E[:, 1] - E[:, 0]) / (self.high - self.low), 2.0)

    def posterior_mean(self, E: NDArray, F: NDArray, spread: Any, calibration: Any) -> NDArray:
        return self._truncated(E, F[:, 0], spread)[0][:, None]

    def _truncated(self, E: NDArray, mean: NDArray, spread: Any) -> tuple[NDArray, NDArray]:
        """Return mean and variance of normal distributions truncated to the sets, (n,) each."""
        deviation = np.broadcast_to((self.high - self.low) / 4 if spread is None else spread, (len(E),))
        found = truncated_normal(mean, deviation, E[:, 0], E[:, 1])
        return found.mean, found.variance

    def residual_scale(self, E: NDArray, F: NDArray) -> float:
        """Return the deviation for which truncated normals have the residuals of held-out predictions."""
        found = (self.high - self.low) / 4
        for _ in range(10):
            mean, variance = self._truncated(E, F[:, 0], found)
            found = float(np.sqrt(np.mean((mean - F[:, 0]) ** 2 + variance)))
        return max(found, 1e-3 * (self.high - self.low))

    def spread(self, scale: Any, variance: NDArray) -> NDArray:
        base = (self.high - self.low) / 4 if scale is None else scale
        # that of held-out rows, and more for rows far from all labelled ones
        return base * np.sqrt(np.clip(0.5 + variance, 0.5, 1.5))

    def predict(self, F: NDArray) -> NDArray:
        return self.space.at(F[:, 0])

    def exact_outputs(self, sets: Any) -> NDArray:
        return sets.lowest

    def score(self, sets: Any, z: NDArray) -> float:
        """Return 1 - mean squared error / variance, not below 0."""
        y = sets.lowest
        return float(max(0.0, 1 - np.mean((y - z) ** 2) / np.var(y)))

    def agreement(self, sets: Any, z: NDArray) -> NDArray:
        """Return the distance of each prediction from the answer, (n,)."""
        return np.maximum(np.maximum(sets.lowest - z, z - sets.highest), 0.0)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        """Ask whether a number is below its median, which removes 2/π of its variance, or for the number."""
        E = belief.E
        uniform = (E[:, 1] - E[:, 0]) / math.sqrt(12)  # the deviation if the set is narrow
        precision = 1 / np.maximum(belief.spread, 1e-12) ** 2 + 1 / np.maximum(uniform, 1e-12) ** 2
        is_open = self.is_open(E).astype(float)
        variance = is_open / precision
        one = np.ones((len(E), 1))
        below = QuestionGroup(
            "Below", variance[:, None] * 2 / math.pi, is_open[:, None], 2 * one, one,
            lambda i, f, cost: Below(i, self._median(belief.take(i)), self.space, cost),
        )  # fmt: skip
        return [below, self.full_group(E, variance, is_open * np.log2(self.n_outputs(E)))]

    def _median(self, belief: Belief) -> float:
        """Return the median of one number in units of y, rounded as far as that makes little difference."""
        (low, high), mean, deviation = belief.E, belief.T[0], float(belief.spread)
        a, b = ndtr((low - mean) / deviation), ndtr((high - mean) / deviation)
        t = mean + deviation * float(ndtri(np.clip((a + b) / 2, 1e-9, 1 - 1e-9)))
        t = t if low < t < high else (low + high) / 2
        y, low, high = (self.space.origin_ + self.space.unit_ * value for value in (t, low, high))
        return rounded(y, low, high, self.space.unit_ * deviation / 8)

    def random_question(self, row: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        t = self.space.origin_ + self.space.unit_ * rng.uniform(*E)
        return self.priced(Below(row, float(t), self.space), price)

    def halving_question(self, row: int, belief: Belief, price: Any) -> Question:
        return self.priced(Below(row, self._median(belief.take(0)), self.space), price)

    def true_answer(self, z: Any) -> float:
        return float(z)


def rounded(t: float, low: float, high: float, room: float) -> float:
    """Return the number with the fewest digits within `room` of t, strictly between low and high.

    >>> rounded(4.9371, 0, 10, .1), rounded(4.9371, 4.93, 4.94, .1)
    (5.0, 4.937)
    """
    for digits in range(1, 16):
        found = float(f"{t:.{digits}g}")
        if abs(found - t) <= room and low < found < high:
            return found
    return t
