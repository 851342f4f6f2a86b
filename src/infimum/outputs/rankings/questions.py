"""Questions about rankings: is a before b, which of these is first?"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ..question_model import Belief, QuestionGroup, SignQuestions
from ..questions import Option, Question, positions
from .codes import costs_of, pairs
from .sets import PartialOrders
from .space import Rankings

MOST_SHOWN = 8  # items in a question for the first one; more take long to read
MOST_COUNTED = 150  # items whose orders are counted; 151! is near the largest float


class Before(Question):
    """Ask whether one item comes before another.

    Parameters
    ----------
    row : int
        The row of X and y.
    items : [a, b]
        Two of the items.
    space : Rankings
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Rankings(items=["a", "b", "c"]).fit(None)
    >>> question = Before(0, ["a", "b"], space)
    >>> question.text(), question.apply_answer(["b>c"], True).format(0)
    ('Is a before b?', 'a > b > c')
    """

    def __init__(self, row: int, items: Any, space: Rankings, cost: float | None = None):
        items = list(items)
        if len(items) != 2:
            raise InputError(f"Before compares two items. Got {items!r}.")
        self.first, self.second = positions(space.items_, items, "item")
        self._set(row, space, cost)

    @property
    def about(self) -> list:
        return [_plain(self.space.items_[k]) for k in (self.first, self.second)]

    @property
    def n_shown(self) -> int:
        return 2

    def text(self) -> str:
        a, b = self.about
        return f"Is {a} before {b}?"

    def consistent_set(self, answer: Any) -> PartialOrders:
        stated = np.zeros((1, len(self.space.items_), len(self.space.items_)), dtype=bool)
        if answer is not None:
            ends = (self.first, self.second) if self._yes(answer) else (self.second, self.first)
            stated[0][ends] = True
        return PartialOrders.from_pairs(stated, self.space.items_)

    def true_answer(self, z: Any) -> bool:
        order = np.asarray(z).tolist()
        return order.index(self.first) < order.index(self.second)

    @staticmethod
    def _about_repr(about: Any) -> str:
        return " > ".join(map(repr, about))


class First(Question):
    """Ask which of several items comes first.

    Parameters
    ----------
    row : int
        The row of X and y.
    items : list
        Two of the items or more.
    space : Rankings
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Rankings(items=["a", "b", "c"]).fit(None)
    >>> First(0, ["a", "b", "c"], space).apply_answer([None], "b").format(0)
    'b > a, b > c'
    """

    def __init__(self, row: int, items: Any, space: Rankings, cost: float | None = None):
        self.at = positions(space.items_, list(items), "item")
        if len(self.at) < 2:
            raise InputError(f"First chooses among two items or more. Got {list(items)!r}.")
        self._set(row, space, cost)

    @property
    def about(self) -> list:
        return [_plain(item) for item in self.space.items_[self.at]]

    @property
    def n_answers(self) -> float:
        return float(len(self.at))

    @property
    def n_shown(self) -> int:
        return len(self.at)

    def text(self) -> str:
        return "Which of these comes first?"

    def options(self) -> list[Option]:
        return [Option(item, str(item)) for item in self.about]

    def consistent_set(self, answer: Any) -> PartialOrders:
        stated = np.zeros((1, len(self.space.items_), len(self.space.items_)), dtype=bool)
        if answer is not None:
            if answer not in self.about and str(answer) not in map(str, self.about):
                raise self._invalid(answer)
            (best,) = positions(self.space.items_, [answer], "item")
            stated[0, best, [k for k in self.at if k != best]] = True
        return PartialOrders.from_pairs(stated, self.space.items_)

    def true_answer(self, z: Any) -> Any:
        order = np.asarray(z).tolist()
        return _plain(self.space.items_[min(self.at, key=order.index)])


def _plain(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item


class RankingQuestions(SignQuestions):
    """Questions about rankings; targets are the expected signs of all pairs of items, (n, m(m-1)/2)."""

    question_types = (Before, First)
    full_text = "What is the order, best first?"
    agreement_name = "Share of pairs in the right order"

    def __init__(self, space: Rankings):
        super().__init__(space)
        self.m = len(space.items_)
        self.prior = np.zeros(self.m * (self.m - 1) // 2)

    @cached_property
    def pairs(self) -> NDArray:
        """The two items of each pair, (m(m-1)/2, 2)."""
        return np.column_stack(pairs(self.m))

    @property
    def names(self) -> list:
        return self.space.items_.tolist()

    def encode(self, sets: Any) -> NDArray:
        return sets.codes

    def n_outputs(self, E: NDArray) -> NDArray:
        """Return m! to the power of the share of unknown pairs, at least 2: an estimate, because counting is hard."""
        unknown = (E == 0).mean(axis=1)
        return np.exp2(np.maximum(math.log2(math.factorial(min(self.m, MOST_COUNTED))) * unknown, 1.0))

    def n_shown(self, E: NDArray) -> NDArray:
        return np.full(len(E), float(self.m))

    def predict(self, F: NDArray) -> NDArray:
        return self.space.decode_pairs(F)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        variance, entropy = self.uncertain_signs(belief)
        two = np.full(variance.shape, 2.0)
        found = [QuestionGroup("Before", variance, entropy, two, two, self.sign_question)]
        if 2 < self.m <= MOST_SHOWN:
            found.append(self._first_group(belief.E, belief.T))
        entropy = np.minimum(entropy.sum(axis=1), np.log2(self.n_outputs(belief.E)))
        return [*found, self.full_group(belief.E, variance.sum(axis=1), entropy)]

    def _first_group(self, E: NDArray, T: NDArray) -> QuestionGroup:
        """Ask which item comes first, among those that can take the first place that is not yet known."""
        ahead, known = costs_of(T), costs_of(E.astype(float))
        m = self.m
        n_before = (known < 0).sum(axis=2)  # items that are known to come before
        placed = (known != 0).sum(axis=2) == m - 1
        among = ~placed & (n_before == np.where(placed, m, n_before).min(axis=1, keepdims=True))
        others = among[:, None, :] & ~np.eye(m, dtype=bool)
        limit = self.MOST_CERTAIN
        chance = np.where(others, (1 + np.clip(ahead, -limit, limit)) / 2, 1.0).prod(axis=2) * among
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)
        # the pairs of the first item with the others become known
        unknown = np.where(others & (known == 0), 1.0, 0.0)
        left = unknown - unknown * ahead * np.where(others, ahead, 0.0)
        gain = (chance * left.sum(axis=2)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            entropy = np.where(chance > 0, -chance * np.log2(chance), 0.0).sum(axis=1)
        n_items = among.sum(axis=1).astype(float)
        gain, entropy = np.where(n_items > 2, gain, 0.0)[:, None], np.where(n_items > 2, entropy, 0.0)[:, None]

        def make(i: int, f: int, cost: float) -> First:
            return First(i, self.space.items_[among[i]].tolist(), self.space, cost)

        return QuestionGroup("First", gain, entropy, np.maximum(n_items, 2)[:, None], n_items[:, None], make)

    def sign_question(self, row: int, at: int, cost: float | None = None) -> Before:
        return Before(row, [_plain(self.space.items_[k]) for k in self.pairs[at]], self.space, cost)

    def true_answer(self, z: Any) -> str:
        return " > ".join(str(item) for item in self.space.items_[np.asarray(z)])
