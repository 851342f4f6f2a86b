"""Pool: the answers of several people, and the candidate sets that they leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...outputs import OutputSpace
from .. import Contradiction, Question

N_COMPARED = 200  # answers whose pairs estimate the disagreement by chance


class JournalEntry(NamedTuple):
    """An answer in the journal that was not taken back."""

    id: str
    who: str
    time: float
    question: Question
    answer: Any
    seconds: float | None = None
    purpose: str = ""
    """Why it was asked: "" (to learn), "random", "overlap", "chosen", "batch", or "review" for a decision."""
    right: float | None = None
    """For a random row, whether the model had predicted the answer."""
    batch: str = ""
    """The id that all answers of a batch share."""

    def text(self) -> str:
        """Return the question and its answer."""
        return f"{self.question.text()} {self.question.answer_text(self.answer)}"


class TableContradiction(Contradiction):
    """An answer that is incompatible with the cell of the table; only a decision of a review may replace the cell."""

    def __init__(self, question: Question, answer: Any, cell: str):
        super().__init__(question, answer, cell, "")
        given = question.answer_text(answer)
        self.args = (f"The table has {cell} for row {question.row}, which contradicts {question.text()} {given}.",)


class Agreement(NamedTuple):
    """How well people agree beyond chance."""

    alpha: float | None
    """None if nobody answered twice, or if all answers are compatible by chance, too."""
    rows: int
    """The number of rows with answers of several people."""


class Pool:
    """Answers of several people about the rows of a table.

    The answers of one person about a row must agree with each other and with the table. The set of a row is the
    intersection over people. If two people contradict each other, the row is a disagreement and its set is the union,
    until a decision (an answer with the purpose "review") replaces all answers and the cell of the table.

    Parameters
    ----------
    space : OutputSpace
        The fitted output space.
    before : Sets
        The candidate sets before the first answer.
    """

    def __init__(self, space: OutputSpace, before: Any):
        self.space, self.before = space, before
        self.sets: Any = before
        """The candidate set of each row."""
        self.entries: list[JournalEntry] = []
        self.disagreements: set[int] = set()
        """Rows about which people contradict each other, without a decision."""
        self._by_row: dict[int, list[JournalEntry]] = {}
        self._by_person: dict[int, dict[str, Any]] = {}

    def about(self, row: int) -> list[JournalEntry]:
        """Return the answers about one row, in order."""
        return self._by_row.get(row, [])

    def decision(self, row: int) -> JournalEntry | None:
        """Return the last decision about a row."""
        found = [entry for entry in self.about(row) if entry.purpose == "review" and entry.answer is not None]
        return found[-1] if found else None

    def own(self, row: int, who: str) -> Any:
        """Return the set that the answers of one person leave, as sets of one row."""
        one = self.before[[row]]
        for entry in self._given(row, who):
            one = entry.question.restrict(one, entry.answer)
        return one

    def _given(self, row: int, who: str) -> list[JournalEntry]:
        return [entry for entry in self.about(row) if entry.who == who and entry.purpose != "review"]

    def by_person(self, row: int) -> dict[str, Any]:
        """Return the set of each person who has answered about a row, without those who do not know."""
        if row not in self._by_person:
            people = [e.who for e in self.about(row) if e.purpose != "review" and e.answer is not None]
            self._by_person[row] = {who: self.own(row, who) for who in dict.fromkeys(people)}
        return self._by_person[row]

    def check(self, entry: JournalEntry) -> None:
        """Raise an error if an answer contradicts the table or an earlier answer of the same person."""
        question, answer = entry.question, entry.answer
        if entry.purpose == "review":
            question.consistent_set(answer)
            return
        earlier = [e for e in self._given(question.row, entry.who) if e.answer is not None]
        if not earlier and answer is not None and not self.before[[question.row]].meets(
            question.consistent_set(answer))[0]:  # fmt: skip
            raise TableContradiction(question, answer, self.before[[question.row]].format(0))
        try:
            question.restrict(self.own(question.row, entry.who), answer)
        except Contradiction as error:
            left = question.consistent_set(answer)
            against = [e for e in earlier if not e.question.consistent_set(e.answer).meets(left)[0]] or earlier
            if against:
                error.args = (
                    f"row {question.row}: {entry.text()} contradicts what was answered before:"
                    f" {'; '.join(e.text() for e in against)}. One of the two is wrong: take one of them back.",
                )
            raise

    def add(self, entry: JournalEntry, update: bool = True) -> None:
        """Store an answer that was checked; without `update`, call `update` when all are stored."""
        self.entries.append(entry)
        self._by_row.setdefault(entry.question.row, []).append(entry)
        self._by_person.pop(entry.question.row, None)
        if update:
            self.update([entry.question.row])

    def remove(self, id: str) -> list[JournalEntry]:
        """Remove the answer with an id, or all of a batch; return them."""
        gone = [entry for entry in self.entries if id in (entry.id, entry.batch)]
        self.entries = [entry for entry in self.entries if id not in (entry.id, entry.batch)]
        for entry in gone:
            self._by_row[entry.question.row].remove(entry)
            self._by_person.pop(entry.question.row, None)
        self.update({entry.question.row for entry in gone})
        return gone

    def update(self, rows: Iterable[int]) -> None:
        """Compute the sets of some rows from the answers about them."""
        rows = sorted(set(rows))
        if not rows:
            return
        pooled = [self._pooled(row) for row in rows]
        joined = pooled[0]
        for other in pooled[1:]:
            joined = joined.join(other)
        self.sets = self.sets.replace_rows(rows, joined)

    def _pooled(self, row: int) -> Any:
        """Return the set of one row, and note whether people disagree about it."""
        self.disagreements.discard(row)
        decision = self.decision(row)
        if decision is not None:
            return decision.question.consistent_set(decision.answer)
        one = None
        for other in self.by_person(row).values():
            if one is not None and not one.meets(other)[0]:
                self.disagreements.add(row)
                return self._union(row)
            one = other if one is None else one.intersect(other)
        return self.before[[row]] if one is None else one

    def _union(self, row: int) -> Any:
        """Return a set that contains those of all people; that of the table if the output type has no unions."""
        sets = self.by_person(row).values()
        try:
            cell = self.space.union_cells([self.space.to_cells(one)[0] for one in sets])
        except ValueError:
            return self.before[[row]]
        return self.space.read(self.space.from_cells([cell]))

    def agreement(self) -> tuple[Agreement, dict[str, Agreement]]:
        """Return Krippendorff's alpha of answers about the same rows, and the same for the rows of each person.

        Two answers disagree if their sets have no common output. So for exact labels this is alpha for nominal data,
        1 for perfect agreement and 0 for agreement by chance. Decisions are left out.
        """
        units = [unit for row in self._by_row if len(unit := self.by_person(row)) > 1]
        people = {who for unit in units for who in unit}
        return _alpha(units), {who: _alpha([unit for unit in units if who in unit]) for who in people}


def _alpha(units: list[dict[str, Any]]) -> Agreement:
    sets = [one for unit in units for one in unit.values()]
    if not sets:
        return Agreement(None, 0)
    observed = sum(_disjoint(list(unit.values())).sum() / (len(unit) - 1) for unit in units) / len(sets)
    if len(sets) > N_COMPARED:
        at = np.random.default_rng(0).choice(len(sets), N_COMPARED, replace=False)
        sets = [sets[k] for k in at]
    expected = _disjoint(sets).sum() / (len(sets) * (len(sets) - 1))
    return Agreement(None if expected == 0 else float(1 - observed / expected), len(units))


def _disjoint(sets: list) -> NDArray:
    """Return which pairs of sets, each of one row, have no common output, (k, k)."""
    joined = sets[0]
    for other in sets[1:]:
        joined = joined.join(other)
    k = len(sets)
    a, b = np.repeat(np.arange(k), k), np.tile(np.arange(k), k)
    found = ~joined[a].meets(joined[b]).reshape(k, k)
    np.fill_diagonal(found, False)
    return found
