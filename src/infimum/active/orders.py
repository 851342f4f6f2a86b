"""Questions about orders: is a before b, which of these is first?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..outputs import PartialOrders, Rankings
from ..outputs.rankings.sets import costs_of, pairs
from .question import Option, Question, places
from .structure import Forms
from .tags import SignStructure

MOST_SHOWN = 8


class Before(Question):
    """Is a before b? Yes or no.

    Parameters
    ----------
    row : int
        The row of X and y.
    items : [a, b]
        Two of the items.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Rankings(items=["a", "b", "c"]).fit(None)
    >>> question = Before(0, ["a", "b"], space)
    >>> question.text(), question.told(["b>c"], True).format(0)
    ('Is a before b?', 'a > b > c')
    """

    def __init__(self, row: int, items: Any, space: Rankings, cost: float | None = None):
        items = list(items)
        if len(items) != 2:
            raise InputError(f"Before compares two items. Got {items!r}.")
        self.first, self.second = places(space.items_, items, "item")
        self._keep(row, space, cost)

    @property
    def about(self) -> list:
        return [_plain(self.space.items_[k]) for k in (self.first, self.second)]

    @property
    def shown(self) -> int:
        return 2

    def text(self) -> str:
        a, b = self.about
        return f"Is {a} before {b}?"

    def leaves(self, answer: Any) -> PartialOrders:
        stated = np.zeros((1, len(self.space.items_), len(self.space.items_)), dtype=bool)
        if answer is not None:
            ends = (self.first, self.second) if self._yes(answer) else (self.second, self.first)
            stated[0][ends] = True
        return PartialOrders.from_pairs(stated, self.space.items_)

    def truth(self, z: Any) -> bool:
        order = np.asarray(z).tolist()
        return order.index(self.first) < order.index(self.second)

    @staticmethod
    def _brief(about: Any) -> str:
        return " > ".join(map(repr, about))


class First(Question):
    """Which of these items comes first?

    Parameters
    ----------
    row : int
        The row of X and y.
    items : list
        Two of the items or more.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Rankings(items=["a", "b", "c"]).fit(None)
    >>> First(0, ["a", "b", "c"], space).told([None], "b").format(0)
    'b > a, b > c'
    """

    def __init__(self, row: int, items: Any, space: Rankings, cost: float | None = None):
        self.at = places(space.items_, list(items), "item")
        if len(self.at) < 2:
            raise InputError(f"First chooses among two items or more. Got {list(items)!r}.")
        self._keep(row, space, cost)

    @property
    def about(self) -> list:
        return [_plain(item) for item in self.space.items_[self.at]]

    @property
    def choices(self) -> float:
        return float(len(self.at))

    @property
    def shown(self) -> int:
        return len(self.at)

    def text(self) -> str:
        return "Which of these comes first?"

    def options(self) -> list[Option]:
        return [Option(item, str(item)) for item in self.about]

    def leaves(self, answer: Any) -> PartialOrders:
        stated = np.zeros((1, len(self.space.items_), len(self.space.items_)), dtype=bool)
        if answer is not None:
            if answer not in self.about and str(answer) not in map(str, self.about):
                raise self._refuse(answer)
            (best,) = places(self.space.items_, [answer], "item")
            stated[0, best, [k for k in self.at if k != best]] = True
        return PartialOrders.from_pairs(stated, self.space.items_)

    def truth(self, z: Any) -> Any:
        order = np.asarray(z).tolist()
        return _plain(self.space.items_[min(self.at, key=order.index)])


def _plain(item: Any) -> Any:
    return item.item() if isinstance(item, np.generic) else item


class OrderStructure(SignStructure):
    """Orders: targets are the expected codes of all pairs, (n, m(m-1)/2)."""

    kinds = ("Before", "First", "Whole")

    def __init__(self, space: Rankings):
        super().__init__(space)
        self.m = len(space.items_)
        self.i, self.j = pairs(self.m)
        self.prior = np.zeros(len(self.i))

    def encode(self, sets: Any) -> NDArray:
        return sets.codes

    def output(self, F: NDArray) -> NDArray:
        return self.space.decode(np.column_stack([F, np.zeros(len(F))]))

    def forms(self, E: NDArray, T: NDArray, spread: Any) -> list[Forms]:
        variance, entropy = self.signs(E, T)
        n, d = T.shape
        found = [Forms("Before", variance, entropy, np.full((n, d), 2.0), np.full((n, d), 2.0), self._before)]
        if 2 < self.m <= MOST_SHOWN:
            found.append(self._first_forms(E, T))
        choices = self.whole_choices(E)[:, None]
        told = np.minimum(entropy.sum(axis=1, keepdims=True), np.log2(choices))
        items = np.full((n, 1), float(self.m))
        found.append(Forms("Whole", variance.sum(axis=1, keepdims=True), told, choices, items, self._whole(E)))
        return found

    def _first_forms(self, E: NDArray, T: NDArray) -> Forms:
        """Which of the items that nothing is known to precede comes first, after those whose place is settled?"""
        ahead, known = costs_of(T), costs_of(E.astype(float))
        m = self.m
        place = (known < 0).sum(axis=2)  # how many items are known to come before
        settled = (known != 0).sum(axis=2) == m - 1
        among = ~settled & (place == np.where(settled, m, place).min(axis=1, keepdims=True))
        others = among[:, None, :] & ~np.eye(m, dtype=bool)
        chance = np.where(others, (1 + np.clip(ahead, -0.98, 0.98)) / 2, 1.0).prod(axis=2) * among
        chance /= np.maximum(chance.sum(axis=1, keepdims=True), 1e-300)
        # the pairs of the first with the others become known
        free = np.where(others & (known == 0), 1.0, 0.0)
        left = free - free * ahead * np.where(others, ahead, 0.0)
        gain = (chance * left.sum(axis=2)).sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            told = np.where(chance > 0, -chance * np.log2(chance), 0.0).sum(axis=1)
        number = among.sum(axis=1).astype(float)
        gain, told = np.where(number > 2, gain, 0.0), np.where(number > 2, told, 0.0)

        def make(i: int, f: int, cost: float) -> First:
            return First(i, self.space.items_[among[i]].tolist(), self.space, cost)

        return Forms("First", gain[:, None], told[:, None], np.maximum(number, 2)[:, None], number[:, None], make)

    def whole_choices(self, E: NDArray) -> NDArray:
        """m! orders, less what is known: of every known pair half of them are left, but never fewer than two."""
        unknown = (E == 0).mean(axis=1)
        return np.exp2(np.maximum(math.log2(math.factorial(min(self.m, 150))) * unknown, 1.0))

    def _before(self, i: int, f: int, cost: float) -> Before:
        return Before(i, [_plain(self.space.items_[k]) for k in (self.i[f], self.j[f])], self.space, cost)

    def random(self, i: int, E: NDArray, rng: np.random.Generator, price: Any) -> Before:
        return self._before(i, int(rng.choice(np.flatnonzero(E == 0))), float(price("Before", 2.0, 2)))

    def halving(self, i: int, E: NDArray, T: NDArray, spread: Any, price: Any) -> Before:
        best = int(np.argmin(np.where(E == 0, np.abs(T), np.inf)))
        return self._before(i, best, float(price("Before", 2.0, 2)))
