"""Question: what is asked about one row, what each answer leaves of its set, and what it costs."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ..data.errors import InputError, shown
from ..outputs import OutputSpace, Sets

PRICES = ("bits", "shown")


class Option(NamedTuple):
    """One answer among those that are offered."""

    value: Any
    text: str


class Contradiction(InputError):
    """An answer that leaves nothing of what is known about its row.

    Attributes
    ----------
    row : int
    question, answer
        What was answered last.
    known : str
        What was known before, in words.
    """

    def __init__(self, question: Question, answer: Any, known: str, left: str):
        self.row, self.question, self.answer, self.known = question.row, question, answer, known
        super().__init__(
            f"row {question.row}: {question.text()} was answered {question.said(answer)!r}, which leaves {left}; but"
            f" before it was known to be in {known}. One of the two is wrong: take one of them back."
        )


class Price:
    """What a question costs: how long a person takes, in units of your choice.

    Parameters
    ----------
    price : {"bits", "shown"}, mapping or callable, default "bits"
        "bits" is log2 of the number of different answers (1 for yes or no); "shown" is one for every option that has to
        be looked at; a mapping gives seconds by the name of the question, ``{"OneOf": 2, "Whole": 7}``; a function of
        (name, choices, shown), of arrays, gives anything else.

    Examples
    --------
    >>> Price()("Which", 4.0, 3), Price("shown")("Which", 4.0, 3), Price({"Which": 2.5})("Which", 4.0, 3)
    (2.0, 3.0, 2.5)
    """

    def __init__(self, price: Any = "bits"):
        known = isinstance(price, str) and price in PRICES
        if not known and not isinstance(price, Mapping) and not callable(price):
            raise ValueError(
                f"cost must be 'bits', 'shown', seconds by the name of a question, or a function. Got {price!r}."
            )
        self.price: Any = price.price if isinstance(price, Price) else price

    def __call__(self, name: str, choices: Any, shown: Any) -> Any:
        """The cost, of numbers or of arrays."""
        if self.price == "bits":
            # a question with one answer is still read
            return np.log2(np.maximum(choices, 2.0)) if np.ndim(choices) else math.log2(max(choices, 2.0))
        if self.price == "shown":
            return np.maximum(shown, 1.0) if np.ndim(shown) else float(max(shown, 1))
        if isinstance(self.price, Mapping):
            if name not in self.price:
                raise ValueError(f"cost has no seconds for {name!r}. Got {', '.join(map(repr, self.price))}.")
            return float(self.price[name]) * np.ones_like(choices) if np.ndim(choices) else float(self.price[name])
        return self.price(name, choices, shown)


class Question(ABC):
    """A question about the output of one row."""

    row: int
    """Which row of X and y it is about."""
    space: Any
    """Y, fitted: it knows the names."""
    cost: float
    """By default log2 of the number of answers."""

    def _keep(self, row: Any, space: OutputSpace, cost: float | None) -> None:
        if not isinstance(row, int | np.integer) or row < 0:
            raise InputError(f"A question is about one row, a number >= 0. Got {row!r}.")
        self.row, self.space = int(row), space
        self.cost = float(Price()(type(self).__name__, self.choices, self.shown) if cost is None else cost)

    @property
    @abstractmethod
    def about(self) -> Any:
        """What is asked, without the row: names, or a number."""

    @property
    def choices(self) -> float:
        """How many different answers there are, "don't know" not counted."""
        return 2.0

    @property
    def shown(self) -> int:
        """How many options a person looks at."""
        return 1

    @abstractmethod
    def text(self) -> str:
        """The question in words."""

    def options(self) -> list[Option]:
        """The answers that are offered; empty where the answer is free."""
        return [Option(True, "yes"), Option(False, "no")]

    def said(self, answer: Any) -> str:
        """An answer in words."""
        if answer is None:
            return "don't know"
        for option in self.options():
            if type(option.value) is type(answer) and option.value == answer:
                return option.text
        return str(answer)

    @abstractmethod
    def leaves(self, answer: Any) -> Any:
        """The set of one row that holds all outputs with this answer; all of Y where the answer is None."""

    @abstractmethod
    def truth(self, z: Any) -> Any:
        """The answer of a person who knows that the output is z, as the space has it."""

    def told(self, y: Any, answer: Any) -> Any:
        """y with the set of this row made smaller by an answer; None is "don't know" and changes nothing.

        A contradiction with what is known of the row is refused, naming both.
        """
        sets = y if isinstance(y, Sets) else self.space.read(y)
        if self.row >= len(sets):
            raise InputError(f"The question is about row {self.row}; y has {len(sets)} rows.")
        if answer is None:
            return sets
        return sets.replace_rows([self.row], self.narrowed(sets[[self.row]], answer))

    def narrowed(self, one: Any, answer: Any) -> Any:
        """The set of the row, given alone, made smaller by an answer."""
        if answer is None:
            return one
        left = self.leaves(answer)
        if not one.meets(left)[0]:
            raise Contradiction(self, answer, one.format(0), left.format(0))
        return one.intersect(left)

    def as_dict(self) -> dict:
        """What is needed to ask again, as JSON has it: see `infimum.active.from_dict`."""
        return {"type": type(self).__name__, "row": self.row, "about": self.about, "cost": self.cost}

    def _refuse(self, answer: Any) -> InputError:
        offered = ", ".join(repr(option.value) for option in self.options()[:12])
        return InputError(f"{self!r} is answered by {offered} or None (don't know). Got {shown(answer)}.")

    def _yes(self, answer: Any) -> bool:
        if not isinstance(answer, bool | np.bool_):
            raise self._refuse(answer)
        return bool(answer)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Question):
            return False
        return (type(self), self.row, self._key()) == (type(other), other.row, other._key())

    def _key(self) -> Any:
        about = self.about
        return tuple(about) if isinstance(about, list) else about

    def __hash__(self) -> int:
        return hash((type(self).__name__, self.row, repr(self._key())))

    def __repr__(self) -> str:
        about = self.about
        words = "" if about is None else f", {self._brief(about)}"
        return f"{type(self).__name__}(row={self.row}{words})"

    @staticmethod
    def _brief(about: Any) -> str:
        return "{" + ", ".join(map(repr, about)) + "}" if isinstance(about, list) else repr(about)


def places(names: Any, wanted: Any, what: str) -> list[int]:
    """Where names stand among those of the space; by how they print, where that is how they come back from a file."""
    known = np.asarray(names).tolist()
    by_text = {str(name): k for k, name in enumerate(known)}
    out = []
    for name in wanted:
        plain = name.item() if isinstance(name, np.generic) else name
        at = known.index(plain) if plain in known else by_text.get(str(plain))
        if at is None:
            raise InputError(f"There is no {what} {name!r}. There are {', '.join(map(repr, known[:12]))}.")
        out.append(at)
    if len(set(out)) < len(out):
        raise InputError(f"Every {what} is named once. Got {', '.join(map(repr, wanted))}.")
    return out


def in_words(names: Any) -> str:
    """Names as a list in a sentence.

    >>> in_words(["cat", "dog", "owl"])
    'cat, dog or owl'
    """
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
