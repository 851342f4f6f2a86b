"""Trainer: updates the model of a session, in a thread, and prepares questions."""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import Belief, Price, Question, Seconds
from ..learner import Learner
from .restore import Progress

if TYPE_CHECKING:
    from .session import Session

N_AHEAD = 48  # questions that are prepared; people who answer faster get questions from an older model
WINDOW = 20  # answers over which changes of the predictions are counted
SUSPECT = 0.1  # held-out probability of a set below which its row is suspect
SURE = 0.8  # probability from which on rows are offered for a batch; on the digits, 99.7 % of these are right
LONGEST_PAUSE = 60.0  # seconds between attempts to learn after errors
N_TIMINGS = 500  # latest answers to which seconds are fitted


class Suspect(NamedTuple):
    """A row whose set is improbable given the other rows."""

    row: int
    probability: float


class Trainer:
    """Keeps the learner of a session, the questions that are prepared, and what the model finds suspect.

    Parameters
    ----------
    session : Session
        The session, whose pool has the answers.
    background : bool
        Whether a thread calls `learn` when answers arrive. After an error it starts again with a new learner.
    """

    def __init__(self, session: Session, background: bool):
        self.session = session
        self.features = session.task.features()
        self.learner = Learner(self.features, session.model, None, 0)
        self.queue: list[Question] = []
        self.suspects: list[Suspect] = []
        self.n_sure = 0
        """Open rows with a predicted probability of at least `SURE`."""
        self.problem = ""
        """The last error of the thread; empty when it works."""
        self._fits_seconds = session.asker.cost == "seconds"
        self._predictions: list[tuple[int, NDArray]] = []
        self._changed, self._stop = threading.Event(), threading.Event()
        self.learn()
        self._thread: threading.Thread | None = None
        if background:
            self._thread = threading.Thread(target=self._run, name="learner", daemon=True)
            self._thread.start()

    def changed(self, rows: set[int]) -> None:
        """Note that there are new answers about some rows."""
        self.queue = [question for question in self.queue if question.row not in rows]
        self._changed.set()

    def _run(self) -> None:
        pause = 0.5
        while not self._stop.is_set():
            if not self._changed.wait(0.2):
                continue
            self._changed.clear()
            try:
                self.learn()
            except Exception as error:  # the page goes on with the old model, and shows the problem
                self.problem = f"{type(error).__name__}: {error}"
                self._stop.wait(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
                self.learner = self._new_learner()
                self._changed.set()
            else:
                self.problem, pause = "", 0.5

    def _new_learner(self) -> Learner:
        """Return a learner without the state of the old one, except for its last predictions."""
        learner = Learner(self.features, self.session.model, None, 0)
        learner.belief, learner.calibration = self.learner.belief, self.learner.calibration
        return learner

    def learn(self) -> None:
        """Update the model with the answers and prepare new questions."""
        session = self.session
        with session.lock:
            sets, count = session.pool.sets, len(session.pool.entries)
            entries = list(session.pool.entries)
            asked = sorted(set(range(len(sets))) - session.pool.disagreements)
        belief = self.learner.update(sets)
        if self._fits_seconds:
            session.asker.cost = _fitted(entries)
        found, _ = session.asker.choose(self.learner, N_AHEAD, asked)
        suspects = self._suspects(belief)
        progress = self._progress(belief, sets, count, sum(entry.question.cost for entry in entries))
        with session.lock:
            rows = [question.row for question in found]
            if rows and session.pool.sets is not sets:  # drop questions about rows that were answered meanwhile
                same = (session.model.encode(session.pool.sets[rows]) == belief.E[rows]).all(axis=1)
                found = [question for question, kept in zip(found, same) if kept]
            self.queue, self.suspects, self.n_sure = found, suspects, len(self.sure_rows(belief))
            if not session.history or session.history[-1].answers != count:
                session.history.append(progress)
                with contextlib.suppress(OSError):  # a full disk: the next answer shows the error
                    session.journal.append({"progress": progress._asdict()}, sync=False)

    def _progress(self, belief: Belief, sets: Any, answers: int, cost: float) -> Progress:
        model, rows, covering = self.session.model, self.learner.ridge.rows, None
        if len(rows) and model.predicts:
            covering = float(np.mean(sets[rows].agreement(model.predict(self.learner.held_out))))
        is_open = model.is_open(belief.E)
        bits = model.groups(belief)[-1].entropy[:, 0][is_open].sum()
        per_bit = float(Price(self.session.asker.cost)(model.kinds[0], 2.0, 1.0))
        remaining = round(float(bits) * per_bit, 2)
        changed = self._changed_share(belief, answers)
        return Progress(answers, round(cost, 3), covering, remaining, int((~is_open).sum()), changed)

    def _changed_share(self, belief: Belief, answers: int) -> float | None:
        """Return the share of rows that are predicted otherwise than `WINDOW` answers ago; None before that."""
        if not self.session.model.predicts:
            return None
        z = self.session.model.predict(belief.F)
        self._predictions = [(n, old) for n, old in self._predictions if n < answers]
        self._predictions.append((answers, z))
        earlier = [(n, old) for n, old in self._predictions if n <= answers - WINDOW]
        if not earlier:
            return None
        self._predictions = [earlier[-1], *(one for one in self._predictions if one[0] > earlier[-1][0])]
        tolerance = 0.01 * np.std(z.astype(float)) if z.dtype.kind == "f" else 0.0
        differs = np.abs(z.astype(float) - earlier[-1][1].astype(float)) > tolerance
        return float(differs.reshape(len(z), -1).any(axis=1).mean())

    def sure_rows(self, belief: Belief) -> list[int]:
        """Return open rows with a probable label, the most probable first, without those people disagree about."""
        model = self.session.model
        if not model.lists_outputs:
            return []
        is_open = model.is_open(model.encode(self.session.pool.sets))
        top = belief.T.max(axis=1)
        rows = np.flatnonzero(is_open & (top >= SURE))
        rows = rows[np.argsort(-top[rows], kind="stable")]
        return [int(row) for row in rows if row not in self.session.pool.disagreements]

    def _suspects(self, belief: Belief) -> list[Suspect]:
        """Return labelled rows whose set is improbable given the other rows, the least probable first."""
        model, rows = self.session.model, self.learner.ridge.rows
        if not model.lists_outputs or not len(rows):
            return []
        everything = np.repeat(model.unlabelled, len(rows), axis=0)
        P = model.posterior_mean(everything, self.learner.held_out[: len(rows)], None, self.learner.calibration)
        inside = (P * belief.E[rows]).sum(axis=1)
        order = np.argsort(inside, kind="stable")
        return [Suspect(int(rows[k]), float(inside[k])) for k in order if inside[k] < SUSPECT]

    def close(self) -> None:
        """Stop the thread."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(timeout=30)


def _fitted(entries: list) -> Seconds:
    timings = [
        (type(e.question).__name__, e.question.n_answers, e.question.n_read(e.answer), e.seconds)
        for e in entries[-N_TIMINGS:]
        if e.seconds and e.answer is not None
    ]
    return Seconds().fit(timings)
