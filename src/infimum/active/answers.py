"""Answers: a list of what was asked and said, and the sets that are left; answers can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..outputs import OutputSpace, Sets
from .question import Contradiction, Question


class Given(NamedTuple):
    """One answer."""

    question: Question
    answer: Any


class Answers:
    """What was answered, in order, on top of sets that were known before.

    Parameters
    ----------
    space : OutputSpace
        Y, fitted.
    y : sets
        What was known before the first question, in any form that the space reads.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> from infimum.active import Is
    >>> space = Labels(classes=["cat", "dog"]).fit([])
    >>> answers = Answers(space, [None, None])
    >>> answers.add(Is(1, "cat", space), False)
    >>> answers.sets.format(1)
    'dog'
    >>> answers.take_back()
    Given(question=Is(row=1, 'cat'), answer=False)
    >>> answers.sets.format(1)
    'anything'
    """

    def __init__(self, space: OutputSpace, y: Any):
        self.space = space
        self.before: Any = y if isinstance(y, Sets) else space.read(y)
        self.sets: Any = self.before
        self.given: list[Given] = []

    def __len__(self) -> int:
        return len(self.given)

    def __iter__(self) -> Iterator[Given]:
        return iter(self.given)

    def about(self, row: int) -> list[Given]:
        """The answers about one row."""
        return [given for given in self.given if given.question.row == row]

    def add(self, question: Question, answer: Any) -> None:
        """Keep an answer; one that contradicts what is known is refused, naming the earlier answers."""
        try:
            self.sets = question.told(self.sets, answer)
        except Contradiction as error:
            raise self.named(error) from None
        self.given.append(Given(question, answer))

    def take_back(self, index: int = -1) -> Given:
        """Undo an answer, by default the last one: the set of its row is made again from the others."""
        given = self.given.pop(index)
        row = given.question.row
        one = self.before[[row]]
        for other in self.about(row):
            one = other.question.narrowed(one, other.answer)
        self.sets = self.sets.replace_rows([row], one)
        return given

    def named(self, error: Contradiction) -> Contradiction:
        """The same error, with the earlier answer that stands against the new one."""
        left = error.question.leaves(error.answer)
        earlier = [g for g in self.about(error.row) if g.answer is not None]
        against = [g for g in earlier if not g.question.leaves(g.answer).meets(left)[0]] or earlier
        if against:
            said = "; ".join(f"{g.question.text()} {g.question.said(g.answer)}" for g in against)
            error.args = (
                f"row {error.row}: {error.question.text()} {error.question.said(error.answer)} contradicts what was"
                f" answered before: {said}. One of the two is wrong: take one of them back.",
            )
        return error
