"""Session: hands out questions, stores answers, and keeps the model up to date in the background."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from ...data.errors import InputError
from .. import Belief, FullLabel, Price, Question, QuestionSelector, from_dict
from .journal import Journal
from .matching import description
from .pool import JournalEntry, Pool
from .restore import restored
from .task import Task
from .trainer import Trainer

LEASE = 300.0  # seconds for which a row is reserved for one person
EVERY = 10  # every tenth question of a person is about a random row
OVERLAP_EVERY = 4  # of a person's questions, at most one in four is about a row that others have answered
MAX_SECONDS = 3600.0
MAX_BATCH = 100  # rows that are confirmed at once


class Lease(NamedTuple):
    """A row that is reserved for one person, and why it was asked about."""

    since: float
    purpose: str


class Session:
    """Hands out questions and stores answers.

    An answer is in the journal, and synced to the disk, before `answer` returns. A thread updates the model and
    prepares the next questions, so nobody waits for it.

    Parameters
    ----------
    task : Task
        The table and its output space.
    journal : Journal
        Where answers are stored; answers that it contains are restored.
    asker : QuestionSelector, optional
        By default ``QuestionSelector("information")``. A cost in "seconds" is fitted to the times of the answers.
    background : bool, default True
        Whether a thread updates the model; otherwise call `learn`.
    overlap : int, default 1
        The number of people who answer the rows of the overlap independently.
    share : float, default 0.1
        The share of the answered rows that are in the overlap.

    Attributes
    ----------
    left_out : list of dict
        Answers of the journal that do not fit the table, with the reason.
    edited : list of int
        Rows whose cells have changed since their first answer; their answers are kept.
    """

    def __init__(
        self, task: Task, journal: Journal, asker: QuestionSelector | None = None, background: bool = True,
        overlap: int = 1, share: float = 0.1,
    ):  # fmt: skip
        self.task, self.journal, self.overlap = task, journal, overlap
        self.asker = QuestionSelector(random_state=0) if asker is None else asker
        self.model = task.space.questions()
        self.pool = Pool(task.space, task.space.read(task.space.from_cells(task.records.y)))
        self.lock = threading.RLock()
        found = restored(self.pool, task, journal.lines)
        self.people, self.history = found.people, found.history
        self.left_out, self.edited = found.left_out, found.edited
        self._ids, self._skipped, self._keys = found.ids, found.skipped, found.keys
        if self.edited:
            journal.append(*(self._description(row) for row in self.edited), sync=False)
        self._leases: dict[tuple[int, str, str], Lease] = {}
        rng = np.random.default_rng(0)
        self._random_order = rng.permutation(len(task)).tolist()
        self._in_overlap = (rng.random(len(task)) < share) & (overlap > 1)
        self.trainer = Trainer(self, background)

    # people

    def join(self, who: str) -> None:
        """Note the name of a person in the journal, once."""
        with self.lock:
            if who not in self.people:
                self.journal.append({"person": who, "time": time.time()})
                self.people.append(who)

    def count(self, who: str) -> int:
        """Return the number of answers of a person, without batches and decisions."""
        return sum(e.who == who and e.purpose not in ("batch", "review") for e in self.pool.entries)

    # questions

    def next(self, who: str, kind: str = "auto", row: int | None = None, tab: str = "") -> Question | None:
        """Return the next question for a person, about a row that is not reserved for others; None if there is none.

        Parameters
        ----------
        who : str
            The person.
        kind : str, default "auto"
            The type of question.
        row : int, optional
            The row, if the person has chosen it.
        tab : str, optional
            The window; two windows of one person get different rows.
        """
        self.check_kind(kind)
        with self.lock:
            now = time.monotonic()
            self._leases = {
                key: lease
                for key, lease in self._leases.items()
                if now - lease.since < LEASE and key[1:] != (who, tab)
            }
            if row is not None:
                question, purpose = self.full(self.checked(row)), "chosen"
            else:
                question, purpose = self._available(who)  # type: ignore[assignment]
            if question is None:
                return None
            if kind != "auto" and purpose == "":
                question = self._question_about(question.row, kind) or question
            self._leases[question.row, who, tab] = Lease(now, purpose)
            return question

    def purpose(self, row: int, who: str, tab: str = "") -> str:
        """Return why a person was asked about a row."""
        lease = self._leases.get((row, who, tab))
        return "" if lease is None else lease.purpose

    def _available(self, who: str) -> tuple[Question | None, str]:
        away = {row for row, *_ in self._leases} | self._skipped.get(who, set()) | self.pool.disagreements
        count = self.count(who)
        E = self.model.encode(self.pool.sets)
        if count % EVERY == EVERY - 1 and self.model.predicts:
            unlabelled = ~self.model.is_labelled(E)
            row = next((row for row in self._random_order if unlabelled[row] and row not in away), None)
            if row is not None:
                return self.full(row), "random"
        second = self._second_opinion(who)
        if second is not None and count % OVERLAP_EVERY == OVERLAP_EVERY - 1:
            return self.full(second), "overlap"
        for question in self.trainer.queue:
            if question.row not in away:
                return question, ""
        # people are faster than the model: any open row, by the latest predictions
        is_open = self.model.is_open(E)
        row = next((row for row in self._random_order if is_open[row] and row not in away), None)
        if row is not None:
            return self._question_about(row, None), ""
        return (None, "") if second is None else (self.full(second), "overlap")

    def _second_opinion(self, who: str) -> int | None:
        """Return a row of the overlap that others have answered and this person has not."""
        if self.overlap < 2:
            return None
        skipped = self._skipped.get(who, set())
        leased = [row for row, *_ in self._leases]
        for entry in self.pool.entries:
            row = entry.question.row
            if not self._in_overlap[row] or row in skipped or self.pool.decision(row) is not None:
                continue
            people = self.pool.by_person(row)
            done = [one for one in people.values() if not self.model.is_open(self.model.encode(one))[0]]
            if who not in people and 0 < len(done) < self.overlap and len(people) + leased.count(row) < self.overlap:
                return row
        return None

    def check_kind(self, kind: Any) -> None:
        """Raise an error if there is no such type of question."""
        if kind != "auto" and kind not in self.model.kinds:
            raise InputError(f"The types of questions are {', '.join(self.model.kinds)}, or auto. Got {kind!r:.40}.")

    def checked(self, row: Any) -> int:
        """Return the number of a row; raise an error if the table has no such row."""
        if not isinstance(row, int) or isinstance(row, bool) or not 0 <= row < len(self.task):
            raise InputError(f"There is no row {row!r:.40}: the table has {len(self.task)} rows.")
        return row

    def full(self, row: int) -> Question:
        """Return the question for the full label of a row."""
        question = FullLabel(row, self.task.space)
        return self.model.priced(question, Price(self.asker.cost))

    def _question_about(self, row: int, kind: str | None) -> Question | None:
        """Return a question about one row: of one type, None if it has none, or one that halves the possibilities."""
        belief, price = self.belief_about(row), Price(self.asker.cost)
        if kind is None:
            return self.model.halving_question(row, belief, price)
        if not self.model.utility([kind], belief, price)[0] > 0:
            return None
        return self.model.best_questions([row], [kind], belief, price)[0]

    def belief_about(self, row: int) -> Belief:
        """Return the latest predictions for one row, given its set."""
        learner = self.trainer.learner
        assert learner.belief is not None
        old = learner.belief.take([row])
        E = self.model.encode(self.pool.sets[[row]])
        T = self.model.posterior_mean(E, old.F, old.spread, learner.calibration)
        return Belief(E, T, old.F, old.spread)

    # answers

    def answer(
        self, id: str, who: str, question: dict, answer: Any, seconds: float | None = None, review: bool = False,
        tab: str = "",
    ) -> JournalEntry:  # fmt: skip
        """Store an answer; return when it is on the disk. An answer that is sent twice with one id counts once.

        An answer that contradicts the table, or another answer of the same person, raises an error, and nothing is
        written. With `review`, the answer is a decision about the row, which replaces all answers.
        """
        asked = from_dict({**question, "cost": None} if isinstance(question, dict) else question, self.task.space)
        self.checked(asked.row)
        self.model.priced(asked, Price(self.asker.cost))  # what clients send as the cost does not count
        seconds = None if seconds is None else round(min(max(float(seconds), 0.0), MAX_SECONDS), 2)
        with self.lock:
            known = self._known(id)
            if known is not None:
                return known
            purpose = "review" if review else self.purpose(asked.row, who, tab)
            entry = JournalEntry(id, who, time.time(), asked, answer, seconds, purpose)
            self.pool.check(entry)
            if purpose == "random":
                entry = entry._replace(right=self._agreement(entry))
            self._store([entry])
        return entry

    def _known(self, id: str) -> JournalEntry | None:
        if id not in self._ids:
            return None
        found = [entry for entry in self.pool.entries if entry.id == id]
        if not found:
            raise InputError("This answer was withdrawn. Reload the page to see the current questions.")
        return found[0]

    def _agreement(self, entry: JournalEntry) -> float | None:
        """Return how well the model predicts what was answered about a row that it has not seen the answer of."""
        if entry.answer is None:
            return None
        z = self.model.predict(self.belief_about(entry.question.row).F)
        return float(self.model.agreement(entry.question.consistent_set(entry.answer), z)[0])

    def _store(self, entries: list[JournalEntry]) -> None:
        """Write answers to the journal, then take them into account."""
        rows = dict.fromkeys(entry.question.row for entry in entries)
        new = [row for row in rows if row not in self._keys]
        first = len(self._keys)
        lines = [self._description(row, first + k) for k, row in enumerate(new)]
        keys = {**self._keys, **{row: first + k for k, row in enumerate(new)}}
        self.journal.append(*lines, *(_line(entry, keys[entry.question.row]) for entry in entries))
        self._keys = keys
        for entry in entries:
            self.pool.add(entry, update=False)
            self._ids.add(entry.id)
            if entry.who not in self.people:
                self.people.append(entry.who)
            if entry.answer is None:
                self._skipped.setdefault(entry.who, set()).add(entry.question.row)
            self._release(entry.question.row, entry.who)
        self.pool.update(rows)
        self.trainer.changed(set(rows))

    def _release(self, row: int, who: str) -> None:
        self._leases = {key: lease for key, lease in self._leases.items() if key[:2] != (row, who)}

    def _description(self, row: int, key: int | None = None) -> dict:
        about = description(self.task.rows[row], self.task.ids[row] if self.task.ids is not None else None)
        return {"row": {"key": self._keys[row] if key is None else key, "at": row, **about}}

    def accept(self, id: str, who: str, answers: list) -> list[JournalEntry]:
        """Store the full labels of several rows at once, given as pairs (row, label)."""
        if not isinstance(answers, list) or not 0 < len(answers) <= MAX_BATCH:
            raise InputError(f"A batch must be a list of 1 to {MAX_BATCH} answers.")
        with self.lock:
            if id in self._ids:
                return [entry for entry in self.pool.entries if entry.batch == id]
            entries = []
            for k, (row, label) in enumerate(answers):
                question = self.full(self.checked(row))
                entries.append(JournalEntry(f"{id}.{k}", who, time.time(), question, label, None, "batch", None, id))
                self.pool.check(entries[-1])
            if len({entry.question.row for entry in entries}) < len(entries):
                raise InputError("A batch must contain each row at most once.")
            self._store(entries)
            self._ids.add(id)
        return entries

    def skip(self, who: str, row: int) -> None:
        """Ask this person no more about a row, until the studio is started again."""
        with self.lock:
            self._skipped.setdefault(who, set()).add(self.checked(row))
            self._release(row, who)

    def undo(self, who: str, id: str | None = None, tab: str = "") -> list[JournalEntry]:
        """Take back an answer or a batch by its id, or the last one of this person; the journal gets a line for it.

        The row is then reserved for this person, who is asked again.
        """
        with self.lock:
            mine = [e for e in self.pool.entries if (id in (e.id, e.batch) if id else e.who == who)]
            if not mine:
                return []
            taken = mine[-1].batch or mine[-1].id
            self.journal.append({"undo": taken, "who": who, "time": time.time()})
            gone = self.pool.remove(taken)
            for entry in gone:
                self._skipped.get(entry.who, set()).discard(entry.question.row)
            if len(gone) == 1 and gone[0].who == who:
                self._leases[gone[0].question.row, who, tab] = Lease(time.monotonic(), gone[0].purpose)
            self.trainer.changed({entry.question.row for entry in gone})
        return gone

    def learn(self) -> None:
        """Update the model with the answers and prepare new questions."""
        self.trainer.learn()

    def close(self) -> None:
        """Stop the thread and close the journal."""
        self.trainer.close()
        self.journal.close()


def _line(entry: JournalEntry, key: int) -> dict:
    """Return the line of the journal for an answer."""
    line: dict[str, Any] = {
        "id": entry.id, "who": entry.who, "time": entry.time, "key": key, "question": entry.question.as_dict(),
        "answer": entry.answer,
    }  # fmt: skip
    extra = {name: getattr(entry, name) for name in ("seconds", "purpose", "right", "batch")}
    return line | {name: value for name, value in extra.items() if value not in (None, "")}
