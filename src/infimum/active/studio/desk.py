"""Desk: hands out questions, keeps answers, and learns from them in the background."""

from __future__ import annotations

import threading
import time
import uuid
from typing import Any, NamedTuple

import numpy as np

from ...data.errors import InputError
from .. import Answers, Asker, Contradiction, Price, Question, from_dict, structure_of
from ..learner import Belief, Learner
from .journal import Journal
from .progress import Point, measured
from .table import Sheet

LEASE = 300.0  # seconds for which a row is one person's
AHEAD = 48  # questions that lie ready


class Entry(NamedTuple):
    """One line of the journal that was not taken back."""

    id: str
    who: str
    time: float
    question: Question
    answer: Any
    seconds: float | None


class Desk:
    """Questions out, answers in.

    An answer is in the journal, and synced, before `answer` returns. A thread updates the model and lays the next
    questions ready; nobody waits for it.

    Parameters
    ----------
    sheet : Sheet
    journal : Journal
    asker : Asker, optional
        By default ``Asker("information")``.
    background : bool
        Whether a thread learns; otherwise call `learn`.
    """

    def __init__(self, sheet: Sheet, journal: Journal, asker: Asker | None = None, background: bool = True):
        self.sheet, self.journal = sheet, journal
        self.asker = Asker(random_state=0) if asker is None else asker
        self.structure: Any = structure_of(sheet.space)
        self.answers = Answers(sheet.space, sheet.space.read(sheet.records.y))
        self.entries: list[Entry] = []
        self.refused: list[str] = []
        self.points: list[Point] = []
        self._known_ids: set[str] = set()
        self.lock = threading.RLock()
        self._queue: list[Question] = []
        self._leases: dict[int, tuple[str, float]] = {}
        self._passed: dict[str, set[int]] = {}
        self._belief: Belief | None = None
        self._changed, self._stop = threading.Event(), threading.Event()
        self._replay()
        self.learner = Learner(sheet.features(), self.structure, None, 0)
        self.learn()
        self._thread: threading.Thread | None = None
        if background:
            self._thread = threading.Thread(target=self._learn_on, name="learner", daemon=True)
            self._thread.start()

    def _replay(self) -> None:
        """The state that the journal tells."""
        for line in self.journal.lines:
            if "undo" in line:
                self._take_back(line["undo"])
            elif "question" in line:
                self._keep(line)
            elif "point" in line:
                self.points.append(Point(**line["point"]))

    def _keep(self, line: dict) -> Entry:
        question = from_dict(line["question"], self.sheet.space)
        self.answers.add(question, line["answer"])
        entry = Entry(line["id"], line["who"], line["time"], question, line["answer"], line.get("seconds"))
        self.entries.append(entry)
        self._known_ids.add(entry.id)
        if entry.answer is None:
            self._passed.setdefault(entry.who, set()).add(question.row)
        return entry

    def _take_back(self, id: str) -> Entry | None:
        for place in range(len(self.entries) - 1, -1, -1):
            if self.entries[place].id == id:
                entry = self.entries.pop(place)
                self.answers.take_back(place)
                self._passed.get(entry.who, set()).discard(entry.question.row)
                return entry
        return None

    def next(self, who: str, kind: str = "auto") -> Question | None:
        """The next question for a person, about a row that is nobody else's; None where there is none."""
        with self.lock:
            now = time.monotonic()
            self._leases = {row: lease for row, lease in self._leases.items() if now - lease[1] < LEASE}
            mine = [row for row, (owner, _) in self._leases.items() if owner == who]
            for row in mine:
                del self._leases[row]
            question = self._found(who)
            if question is not None and kind != "auto":
                question = self._of_kind(question.row, kind) or question
            if question is not None:
                self._leases[question.row] = (who, now)
            return question

    def _free(self, row: int, who: str) -> bool:
        owner = self._leases.get(row)
        return (owner is None or owner[0] == who) and row not in self._passed.get(who, ())

    def _found(self, who: str) -> Question | None:
        for question in self._queue:
            if self._free(question.row, who):
                return question
        # faster than the model: any open row, by what was believed last
        open_ = self.structure.open(self.structure.encode(self.answers.sets))
        for row in np.random.default_rng(len(self.entries)).permutation(np.flatnonzero(open_)).tolist():
            if self._free(row, who):
                return self._of_kind(row, None)
        return None

    def _of_kind(self, row: int, kind: str | None) -> Question | None:
        """A question about one row, of one kind where that is asked for."""
        if kind is not None and kind not in self.structure.kinds:
            raise InputError(f"The kinds of questions are {', '.join(self.structure.kinds)}, or auto. Got {kind!r}.")
        E = self.structure.encode(self.answers.sets[[row]])
        assert self._belief is not None
        spread = None if self._belief.spread is None else self._belief.spread[[row]]
        T = self.structure.narrow(E, self._belief.F[[row]], spread, self.learner.asked_power)
        price = Price(self.asker.cost)
        if kind is None:
            question = self.structure.halving(0, E[0], T[0], None if spread is None else spread[0], price)
        else:
            if not self.structure.worth([kind], E, T, spread, price, "squares")[0] > 0:
                return None
            question = self.structure.plan(row, [kind], E, T, spread, price, "squares")
        return from_dict({**question.as_dict(), "row": row}, self.sheet.space)

    def answer(self, id: str, who: str, question: dict, answer: Any, seconds: float | None = None) -> Entry:
        """Keep an answer; returns once it lies on the disk. The same id a second time is the same answer.

        A contradiction is refused, and nothing is written.
        """
        asked = from_dict(question, self.sheet.space)
        if asked.row >= len(self.sheet):
            raise InputError(f"There is no row {asked.row}: the table has {len(self.sheet)} rows.")
        with self.lock:
            if id in self._known_ids:
                found = [entry for entry in self.entries if entry.id == id]
                if not found:
                    raise InputError("This answer was taken back.")
                return found[0]
            one = self.answers.sets[[asked.row]]
            self._check(asked, one, answer)
            line = {"id": id, "who": who, "time": time.time(), "question": asked.as_dict(), "answer": answer}
            if seconds is not None:
                line["seconds"] = round(min(max(float(seconds), 0.0), 3600.0), 2)
            self.journal.append(line)
            entry = self._keep(line)
            self._leases.pop(asked.row, None)
            self._queue = [q for q in self._queue if q.row != asked.row]
        self._changed.set()
        return entry

    def _check(self, asked: Question, one: Any, answer: Any) -> None:
        """Raise what `Answers.add` would, before anything is written."""
        try:
            asked.narrowed(one, answer)
        except Contradiction as error:
            raise self.answers.named(error) from None

    def skip(self, who: str, row: int) -> None:
        """Put a row away: this person is not asked about it again, until the studio is started anew."""
        with self.lock:
            self._passed.setdefault(who, set()).add(int(row))
            self._leases.pop(int(row), None)

    def undo(self, who: str, id: str | None = None) -> Entry | None:
        """Take an answer back: one that is named, or the last one of this person. Undo is a line of the journal."""
        with self.lock:
            mine = [entry for entry in self.entries if (entry.id == id if id else entry.who == who)]
            if not mine:
                return None
            self.journal.append({"undo": mine[-1].id, "who": who, "time": time.time()})
            entry = self._take_back(mine[-1].id)
        self._changed.set()
        return entry

    def learn(self) -> None:
        """Bring the model up to date with the answers, and lay new questions ready."""
        with self.lock:
            sets, count = self.answers.sets, len(self.entries)
            cost = sum(entry.question.cost for entry in self.entries)
        belief = self.learner.update(sets)
        found, _ = self.asker.choose(self.learner, belief, AHEAD)
        point = measured(self.learner, belief, sets, count, cost, Price(self.asker.cost))
        with self.lock:
            now = self.answers.sets
            same = self._unchanged(sets, now, [question.row for question in found])
            self._queue = [question for question, kept in zip(found, same) if kept]
            self._belief = belief
            if not self.points or self.points[-1].answers != count:
                self.points.append(point)
                self.journal.append({"point": point._asdict()}, sync=False)

    def _unchanged(self, then: Any, now: Any, rows: list[int]) -> list[bool]:
        if then is now or not rows:
            return [True] * len(rows)
        a, b = (self.structure.encode(sets[rows]) for sets in (then, now))
        return (a == b).all(axis=1).tolist()

    def _learn_on(self) -> None:
        while not self._stop.is_set():
            if self._changed.wait(0.2):
                self._changed.clear()
                self.learn()

    def close(self) -> None:
        """End the thread and let go of the journal."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=30)
        self.journal.close()


def new_id() -> str:
    return uuid.uuid4().hex
