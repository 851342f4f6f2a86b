"""Questions about the output of one row: what each answer rules out, and what it costs to ask."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple, Self

import numpy as np

from ..data.checks import is_number
from ..data.errors import InputError, shown
from .base import OutputSpace, Sets

PRICES = ("bits", "shown")


class Option(NamedTuple):
    """One of the answers that are offered."""

    value: Any
    text: str


class Contradiction(InputError):
    """An answer that is incompatible with the candidate set of its row.

    Attributes
    ----------
    row : int
        The row of X and y.
    question : Question
        The question that was answered last.
    answer : object
        Its answer.
    """

    def __init__(self, question: Question, answer: Any, before: str, after: str):
        self.row, self.question, self.answer = question.row, question, answer
        given = question.answer_text(answer)
        super().__init__(
            f"row {question.row}: {question.text()} was answered {given!r}, which leaves {after}; but before it"
            f" was known to be in {before}. One of the two is wrong: take one of them back."
        )


class Price:
    """The cost of a question: how long a person takes to answer it, in units of your choice.

    Parameters
    ----------
    price : {"bits", "shown"}, mapping or callable, default "bits"
        "bits" is log2 of the number of different answers, so 1 for yes or no. "shown" is one per option that has to be
        looked at. A mapping gives the seconds for each type of question, ``{"OneOf": 2, "FullLabel": 7}``. A function
        of (name, n_answers, n_shown), which may be arrays, returns any other cost.

    Examples
    --------
    >>> Price()("Which", 4.0, 3), Price("shown")("Which", 4.0, 3), Price({"Which": 2.5})("Which", 4.0, 3)
    (2.0, 3.0, 2.5)
    """

    def __init__(self, price: Any = "bits"):
        is_name = isinstance(price, str) and price in PRICES
        if not is_name and not isinstance(price, Mapping) and not callable(price):
            raise ValueError(
                f"cost must be 'bits', 'shown', seconds by the name of a question, or a function. Got {price!r}."
            )
        self.price: Any = price.price if isinstance(price, Price) else price
        for name, seconds in self.price.items() if isinstance(self.price, Mapping) else ():
            if not is_number(seconds, 0, above=True):
                raise ValueError(f"cost of {name!r} must be a finite number > 0. Got {seconds!r}.")

    def __call__(self, name: str, n_answers: Any, n_shown: Any) -> Any:
        """Return the cost; arrays give an array."""
        if self.price == "bits":
            # a question with one answer takes time to read, too
            return np.log2(np.maximum(n_answers, 2.0)) if np.ndim(n_answers) else math.log2(max(n_answers, 2.0))
        if self.price == "shown":
            return np.maximum(n_shown, 1.0) if np.ndim(n_shown) else float(max(n_shown, 1))
        if isinstance(self.price, Mapping):
            if name not in self.price:
                raise ValueError(f"cost has no seconds for {name!r}. Got {', '.join(map(repr, self.price))}.")
            cost = float(self.price[name])
            return cost * np.ones_like(n_answers) if np.ndim(n_answers) else cost
        cost = np.asarray(self.price(name, n_answers, n_shown))
        if cost.dtype.kind not in "iuf" or not (np.isfinite(cost) & (cost > 0)).all():
            raise ValueError(f"cost must be a function that returns finite numbers > 0. It gives {cost} for {name!r}.")
        return cost if cost.ndim else cost.item()


class Question(ABC):
    """A question about the output of one row."""

    row: int
    """The row of X and y."""
    space: Any
    """The fitted output space."""
    cost: float
    """By default log2 of the number of answers."""

    def _set(self, row: Any, space: OutputSpace, cost: float | None) -> None:
        """Store what all questions have; call it last in the constructor."""
        if not isinstance(row, int | np.integer) or row < 0:
            raise InputError(f"A question is about one row, a number >= 0. Got {row!r}.")
        self.row, self.space = int(row), space
        self.cost = float(Price()(type(self).__name__, self.n_answers, self.n_shown) if cost is None else cost)

    @classmethod
    def of(cls, row: int, about: Any, space: OutputSpace, cost: float | None = None) -> Self:
        """Return the question of this type, from the entries of `as_dict`."""
        return cls(row, about, space, cost)  # type: ignore[call-arg]

    @property
    @abstractmethod
    def about(self) -> Any:
        """What is asked, without the row: names, or a number."""

    @property
    def n_answers(self) -> float:
        """The number of different answers, without "don't know"."""
        return 2.0

    @property
    def n_shown(self) -> int:
        """The number of options that a person looks at."""
        return 1

    @abstractmethod
    def text(self) -> str:
        """Return the question as an English sentence."""

    def options(self) -> list[Option]:
        """Return the answers that are offered; empty if the answer is typed in."""
        return [Option(True, "yes"), Option(False, "no")]

    def answer_text(self, answer: Any) -> str:
        """Return an answer as text."""
        if answer is None:
            return "don't know"
        for option in self.options():
            if type(option.value) is type(answer) and option.value == answer:
                return option.text
        return str(answer)

    @abstractmethod
    def consistent_set(self, answer: Any) -> Any:
        """Return the set of all outputs with this answer, as sets of one row; all of Y if the answer is None."""

    @abstractmethod
    def true_answer(self, z: Any) -> Any:
        """Return the answer of a person who knows that the output is z, in the form of the output space."""

    def apply_answer(self, y: Any, answer: Any) -> Any:
        """Return y with the set of this row restricted by an answer.

        None means "don't know" and changes nothing. An answer that is incompatible with the set of the row raises
        `Contradiction`.
        """
        sets = y if isinstance(y, Sets) else self.space.read(y)
        if self.row >= len(sets):
            raise InputError(f"The question is about row {self.row}; y has {len(sets)} rows.")
        if answer is None:
            return sets
        return sets.replace_rows([self.row], self.restrict(sets[[self.row]], answer))

    def restrict(self, one: Any, answer: Any) -> Any:
        """Return the set of the row, passed as sets of one row, restricted by an answer."""
        if answer is None:
            return one
        left = self.consistent_set(answer)
        if not one.meets(left)[0]:
            raise Contradiction(self, answer, one.format(0), left.format(0))
        return one.intersect(left)

    def as_dict(self) -> dict:
        """Return a JSON description; `infimum.active.from_dict` makes the question again."""
        return {"type": type(self).__name__, "row": self.row, "about": self.about, "cost": self.cost}

    def _invalid(self, answer: Any) -> InputError:
        offered = ", ".join(repr(option.value) for option in self.options()[:12])
        return InputError(f"{self!r} is answered by {offered} or None (don't know). Got {shown(answer)}.")

    def _yes(self, answer: Any) -> bool:
        if not isinstance(answer, bool | np.bool_):
            raise self._invalid(answer)
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
        shown_about = "" if about is None else f", {self._about_repr(about)}"
        return f"{type(self).__name__}(row={self.row}{shown_about})"

    @staticmethod
    def _about_repr(about: Any) -> str:
        return "{" + ", ".join(map(repr, about)) + "}" if isinstance(about, list) else repr(about)


class FullLabel(Question):
    """Ask for the complete output: a label, all tags, a ranking or a number, in any format that the space parses.

    Every output type has this question. Its text, its options and how an answer is parsed come from
    ``space.questions()``.

    Parameters
    ----------
    row : int
        The row of X and y.
    space : OutputSpace
        The fitted output space.
    cost : float, optional
        By default log2 of the number of outputs.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> question = FullLabel(0, space)
    >>> question.apply_answer([{"cat", "owl"}], "owl").format(0), round(question.cost, 2)
    ('owl', 1.58)
    """

    def __init__(self, row: int, space: OutputSpace, cost: float | None = None):
        self.model = space.questions()
        self._set(row, space, cost)

    @classmethod
    def of(cls, row: int, about: Any, space: OutputSpace, cost: float | None = None) -> Self:
        return cls(row, space, cost)

    @property
    def about(self) -> None:
        return None

    @property
    def n_answers(self) -> float:
        return float(self.model.n_outputs(self.model.unlabelled)[0])

    @property
    def n_shown(self) -> int:
        return int(self.model.n_shown(self.model.unlabelled)[0])

    def text(self) -> str:
        return self.model.full_text

    def options(self) -> list[Option]:
        return self.model.full_options()

    def consistent_set(self, answer: Any) -> Any:
        return self.space.read(self.space.from_cells([self.model.parse_answer(answer)]))

    def restrict(self, one: Any, answer: Any) -> Any:
        if answer is not None and type(one).intersect is Sets.intersect:
            return self.consistent_set(answer)  # sets without intersections: the answer replaces the set
        return super().restrict(one, answer)

    def true_answer(self, z: Any) -> Any:
        return self.model.true_answer(z)


def from_dict(found: Any, space: OutputSpace) -> Question:
    """Return the question that `Question.as_dict` described.

    Parameters
    ----------
    found : dict
        With the keys "type", "row" and, except for `FullLabel`, "about". The key "cost" is optional.
    space : OutputSpace
        The fitted output space.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels(classes=["cat", "dog"]).fit([])
    >>> from_dict({"type": "Is", "row": 3, "about": "cat"}, space)
    Is(row=3, 'cat')
    """
    types: dict[str, type[Question]] = {kind.__name__: kind for kind in space.questions().question_types}
    types["FullLabel"] = FullLabel
    name = found.get("type") if isinstance(found, dict) else None
    if name not in types or "row" not in found or (name != "FullLabel" and "about" not in found):
        raise InputError(f"A question has a type ({', '.join(types)}), a row and what it is about. Got {found!r}.")
    return types[name].of(found["row"], found.get("about"), space, found.get("cost"))


def positions(names: Any, wanted: Any, what: str) -> list[int]:
    """Return the positions of some names among those of a space.

    A name that is not found is compared as text, because JSON turns keys and numbers into text.
    """
    all_names = names.tolist() if isinstance(names, np.ndarray) else list(names)
    by_text = {str(name): k for k, name in enumerate(all_names)}
    out = []
    for name in wanted:
        plain = name.item() if isinstance(name, np.generic) else name
        at = all_names.index(plain) if plain in all_names else by_text.get(str(plain))
        if at is None:
            raise InputError(f"There is no {what} {name!r}. There are {', '.join(map(repr, all_names[:12]))}.")
        out.append(at)
    if len(set(out)) < len(out):
        raise InputError(f"Every {what} is named once. Got {', '.join(map(repr, wanted))}.")
    return out


def join_words(names: Any) -> str:
    """Return names as a list in a sentence.

    >>> join_words(["cat", "dog", "owl"])
    'cat, dog or owl'
    """
    words = [str(name) for name in names]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
