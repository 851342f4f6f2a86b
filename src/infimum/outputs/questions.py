"""Questions about the output of one row: what each answer rules out, and what it costs to ask."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any, NamedTuple, Self

import numpy as np

from ..data.errors import InputError, shown
from .base import OutputSpace, Sets
from .prices import Price


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


class Question(ABC):
    """A question about the output of one row."""

    row: int
    """The row of X and y."""
    space: Any
    """The fitted output space."""
    cost: float
    """By default the seconds of `Price`."""

    def _set(self, row: Any, space: OutputSpace, cost: float | None) -> None:
        """Store what all questions have; call it last in the constructor."""
        if not isinstance(row, int | np.integer) or isinstance(row, bool) or row < 0:
            raise InputError(f"A question is about one row, a number >= 0. Got {row!r}.")
        self.row, self.space = int(row), space
        self.cost = float(Price()(type(self).__name__, self.n_answers, self.n_shown) if cost is None else cost)
        if not 0 <= self.cost < math.inf:
            raise InputError(f"The cost of a question is a number >= 0. Got {self.cost!r}.")

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

    def n_read(self, answer: Any) -> float:
        """Return the number of options that a person reads to give an answer."""
        return self.n_shown

    def answer_cost(self, answer: Any, price: Price) -> float:
        """Return the cost of an answer; by default all answers cost the same."""
        return self.cost

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
        By default the seconds of `Price`.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> question = FullLabel(0, space)
    >>> question.apply_answer([{"cat", "owl"}], "owl").format(0)
    'owl'
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


class PartQuestion(Question):
    """A question about one part of an output, such as one of several outputs or one token of a sequence.

    A subclass defines `about`, `text`, `consistent_set`, `restrict` and `true_answer`; the rest is that of the question
    about the part.
    """

    question: Question
    """The question about the part, whose space is that of the part."""

    @property
    def n_answers(self) -> float:
        return self.question.n_answers

    @property
    def n_shown(self) -> int:
        return self.question.n_shown

    def n_read(self, answer: Any) -> float:
        return self.question.n_read(answer)

    def answer_cost(self, answer: Any, price: Price) -> float:
        return self.question.answer_cost(answer, price)

    def options(self) -> list[Option]:
        return self.question.options()

    def answer_text(self, answer: Any) -> str:
        return self.question.answer_text(answer)

    def _key(self) -> Any:
        return str({**self.about, "question": None}), type(self.question), self.question._key()


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
    known = isinstance(name, str) and name in types
    if not known or "row" not in found or (name != "FullLabel" and found.get("about") is None):
        raise InputError(f"A question has a type ({', '.join(types)}), a row and what it is about. Got {shown(found)}.")
    assert isinstance(name, str)
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
