"""Session: hands out questions, stores answers, and updates the model in the background."""

from __future__ import annotations

import threading
import time
from typing import Any, NamedTuple

import numpy as np

from ...data.errors import InputError
from .. import Answers, Asker, Belief, Price, Question, from_dict
from ..learner import Learner
from .journal import Journal
from .task import Task

LEASE = 300.0  # seconds for which a row is reserved for one person
N_AHEAD = 48  # questions that are prepared; people who answer faster get questions from an older model


class Entry(NamedTuple):
    """An answer in the journal that was not taken back."""

    id: str
    who: str
    time: float
    question: Question
    answer: Any
    seconds: float | None


class Progress(NamedTuple):
    """The state of the model after a number of answers."""

    answers: int
    cost: float
    covering: float | None
    """The share of labelled rows whose set contains the leave-one-out prediction; None if nothing is predicted."""
    remaining: float
    """The expected cost of completing every row."""
    complete: int
    """The number of rows with one output left."""


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
    asker : Asker, optional
        By default ``Asker("information")``.
    background : bool, default True
        Whether a thread updates the model; otherwise call `learn`.
    """

    def __init__(self, task: Task, journal: Journal, asker: Asker | None = None, background: bool = True):
        self.task, self.journal = task, journal
        self.asker = Asker(random_state=0) if asker is None else asker
        self.model = task.space.questions()
        self.answers = Answers(task.space, task.space.read(task.space.from_cells(task.records.y)))
        self.entries: list[Entry] = []
        self.history: list[Progress] = []
        self.lock = threading.RLock()
        self._ids: set[str] = set()
        self._queue: list[Question] = []
        self._leases: dict[int, tuple[str, float]] = {}
        self._skipped: dict[str, set[int]] = {}
        self._changed, self._stop = threading.Event(), threading.Event()
        self._restore()
        self.learner = Learner(task.features(), self.model, None, 0)
        self.learn()
        self._thread: threading.Thread | None = None
        if background:
            self._thread = threading.Thread(target=self._learn_in_background, name="learner", daemon=True)
            self._thread.start()

    def _restore(self) -> None:
        for line in self.journal.lines:
            if "undo" in line:
                self._remove(line["undo"])
            elif "question" in line:
                self._store(line)
            elif "progress" in line:
                self.history.append(Progress(**line["progress"]))

    def _store(self, line: dict) -> Entry:
        question = from_dict(line["question"], self.task.space)
        self.answers.add(question, line["answer"])
        entry = Entry(line["id"], line["who"], line["time"], question, line["answer"], line.get("seconds"))
        self.entries.append(entry)
        self._ids.add(entry.id)
        if entry.answer is None:
            self._skipped.setdefault(entry.who, set()).add(question.row)
        return entry

    def _remove(self, id: str) -> Entry | None:
        for position in range(len(self.entries) - 1, -1, -1):
            if self.entries[position].id == id:
                entry = self.entries.pop(position)
                self.answers.take_back(position)
                self._skipped.get(entry.who, set()).discard(entry.question.row)
                return entry
        return None

    def next(self, who: str, kind: str = "auto") -> Question | None:
        """Return the next question for a person, about a row that is not reserved for others; None if there is none."""
        with self.lock:
            now = time.monotonic()
            self._leases = {
                row: (owner, since)
                for row, (owner, since) in self._leases.items()
                if now - since < LEASE and owner != who
            }
            question = self._available(who)
            if question is not None and kind != "auto":
                question = self._question_about(question.row, kind) or question
            if question is not None:
                self._leases[question.row] = (who, now)
            return question

    def _available(self, who: str) -> Question | None:
        unavailable = self._leases.keys() | self._skipped.get(who, set())
        for question in self._queue:
            if question.row not in unavailable:
                return question
        # people are faster than the model: any open row, by the latest predictions
        is_open = self.model.is_open(self.model.encode(self.answers.sets))
        for row in np.random.default_rng(len(self.entries)).permutation(np.flatnonzero(is_open)).tolist():
            if row not in unavailable:
                return self._question_about(row, None)
        return None

    def _question_about(self, row: int, kind: str | None) -> Question | None:
        """Return a question about one row: of one type, None if it has none, or one that halves the possibilities."""
        if kind is not None and kind not in self.model.kinds:
            raise InputError(f"The types of questions are {', '.join(self.model.kinds)}, or auto. Got {kind!r}.")
        assert self.learner.belief is not None
        old = self.learner.belief.take([row])
        E = self.model.encode(self.answers.sets[[row]])
        T = self.model.posterior_mean(E, old.F, old.spread, self.learner.calibration)
        belief, price = Belief(E, T, old.F, old.spread), Price(self.asker.cost)
        if kind is None:
            return self.model.halving_question(row, belief, price)
        if not self.model.utility([kind], belief, price, "squares")[0] > 0:
            return None
        return self.model.best_questions([row], [kind], belief, price, "squares")[0]

    def answer(self, id: str, who: str, question: dict, answer: Any, seconds: float | None = None) -> Entry:
        """Store an answer; return when it is on the disk. An answer that is sent twice with one id counts once.

        A contradiction raises an error, and nothing is written.
        """
        asked = from_dict(question, self.task.space)
        if asked.row >= len(self.task):
            raise InputError(f"There is no row {asked.row}: the table has {len(self.task)} rows.")
        with self.lock:
            if id in self._ids:
                found = [entry for entry in self.entries if entry.id == id]
                if not found:
                    raise InputError("This answer was taken back.")
                return found[0]
            self.answers.check(asked, answer)
            line = {"id": id, "who": who, "time": time.time(), "question": asked.as_dict(), "answer": answer}
            if seconds is not None:
                line["seconds"] = round(min(max(float(seconds), 0.0), 3600.0), 2)
            self.journal.append(line)
            entry = self._store(line)
            self._leases.pop(asked.row, None)
            self._queue = [q for q in self._queue if q.row != asked.row]
        self._changed.set()
        return entry

    def skip(self, who: str, row: int) -> None:
        """Ask this person no more about a row, until the studio is started again."""
        with self.lock:
            self._skipped.setdefault(who, set()).add(int(row))
            self._leases.pop(int(row), None)

    def undo(self, who: str, id: str | None = None) -> Entry | None:
        """Take back an answer by its id, or the last one of this person; the journal gets a line for it."""
        with self.lock:
            mine = [entry for entry in self.entries if (entry.id == id if id else entry.who == who)]
            if not mine:
                return None
            self.journal.append({"undo": mine[-1].id, "who": who, "time": time.time()})
            entry = self._remove(mine[-1].id)
        self._changed.set()
        return entry

    def learn(self) -> None:
        """Update the model with the answers and prepare new questions."""
        with self.lock:
            sets, count = self.answers.sets, len(self.entries)
            cost = sum(entry.question.cost for entry in self.entries)
        belief = self.learner.update(sets)
        found, _ = self.asker.choose(self.learner, N_AHEAD)
        progress = self._progress(belief, sets, count, cost)
        with self.lock:
            rows = [question.row for question in found]
            if rows and self.answers.sets is not sets:  # drop questions about rows that were answered meanwhile
                same = (self.model.encode(self.answers.sets[rows]) == belief.E[rows]).all(axis=1)
                found = [question for question, kept in zip(found, same) if kept]
            self._queue = found
            if not self.history or self.history[-1].answers != count:
                self.history.append(progress)
                self.journal.append({"progress": progress._asdict()}, sync=False)

    def _progress(self, belief: Belief, sets: Any, answers: int, cost: float) -> Progress:
        model, rows, covering = self.model, self.learner.ridge.rows, None
        if len(rows) and model.predicts:
            covering = float(np.mean(sets[rows].agreement(model.predict(self.learner.held_out))))
        is_open = model.is_open(belief.E)
        bits = model.groups(belief)[-1].entropy[:, 0][is_open].sum()
        per_bit = float(Price(self.asker.cost)(model.kinds[0], 2.0, 1.0))
        return Progress(answers, round(cost, 3), covering, round(float(bits) * per_bit, 2), int((~is_open).sum()))

    def _learn_in_background(self) -> None:
        while not self._stop.is_set():
            if self._changed.wait(0.2):
                self._changed.clear()
                self.learn()

    def close(self) -> None:
        """Stop the thread and close the journal."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=30)
        self.journal.close()
