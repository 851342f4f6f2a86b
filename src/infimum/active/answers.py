"""Answers to questions, in order, and the candidate sets that they leave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ..outputs import OutputSpace, Sets
from ..outputs.questions import Contradiction, Question


class Answer(NamedTuple):
    """A question and its answer."""

    question: Question
    answer: Any

    def __str__(self) -> str:
        return f"{self.question.text()} {self.question.answer_text(self.answer)}"


def restricted(one: Any, question: Question, answer: Any, earlier: list[Answer]) -> Any:
    """Return the set of a row, passed as sets of one row, restricted by an answer.

    Parameters
    ----------
    one : Sets
        The set of the row before the answer.
    question : Question
        The question.
    answer : object
        Its answer.
    earlier : list of Answer
        The earlier answers about the row, which the error of a contradiction lists.
    """
    try:
        return question.restrict(one, answer)
    except Contradiction as error:
        left = question.consistent_set(answer)
        earlier = [a for a in earlier if a.answer is not None]
        against = [a for a in earlier if not a.question.consistent_set(a.answer).meets(left)[0]] or earlier
        if against:
            error.args = (
                f"row {question.row}: {Answer(question, answer)} contradicts what was answered before:"
                f" {'; '.join(map(str, against))}. One of the two is wrong: take one of them back.",
            )
        raise


class Answers:
    """Answers on top of the labels that were there before; any answer can be taken back.

    Parameters
    ----------
    space : OutputSpace
        The fitted output space.
    y : sets
        The candidate sets before the first question, in any format that the space parses.

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
    Answer(question=Is(row=1, 'cat'), answer=False)
    >>> answers.sets.format(1)
    'anything'
    """

    def __init__(self, space: OutputSpace, y: Any):
        self.space = space
        self.before: Any = y if isinstance(y, Sets) else space.read(y)
        self.sets: Any = self.before
        self.history: list[Answer] = []

    def __len__(self) -> int:
        return len(self.history)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.history)

    def about(self, row: int) -> list[Answer]:
        """Return the answers about one row."""
        return [answer for answer in self.history if answer.question.row == row]

    def check(self, question: Question, answer: Any) -> Any:
        """Return the set that an answer leaves of its row; a contradiction raises an error with the earlier answers."""
        return restricted(self.sets[[question.row]], question, answer, self.about(question.row))

    def add(self, question: Question, answer: Any) -> None:
        """Store an answer and restrict the set of its row."""
        self.sets = self.sets.replace_rows([question.row], self.check(question, answer))
        self.history.append(Answer(question, answer))

    def take_back(self, index: int = -1) -> Answer:
        """Remove an answer, by default the last one, and compute the set of its row from the others."""
        removed = self.history.pop(index)
        row = removed.question.row
        one = self.before[[row]]
        for other in self.about(row):
            one = other.question.restrict(one, other.answer)
        self.sets = self.sets.replace_rows([row], one)
        return removed
