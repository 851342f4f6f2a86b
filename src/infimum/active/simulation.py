"""simulate: a strategy against answers from known outputs, and the curve of what it learns for what it costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs import Labels, OutputSpace
from .asker import Asker
from .learner import Learner, Setting
from .question import Question
from .structures import structure_of


class Curve(NamedTuple):
    """What was learned for what it cost."""

    cost: NDArray
    """(k,): the cost so far."""
    score: NDArray
    """(k,): the mean agreement of predictions with the truth on rows that were never asked about."""
    full: float
    """The score when the outputs of all rows are known."""
    questions: list[Question]
    answers: list
    scored: NDArray
    """(k,): how many questions had been asked."""

    def reaches(self, share: float = 0.95) -> float:
        """The cost at which the score first stays, over three points of the curve, at this share of the full score."""
        above = self.score >= share * self.full
        stays = above & np.r_[above[1:], above[-1]] & np.r_[above[2:], above[-1:], above[-1:]]
        return float(self.cost[np.argmax(stays)]) if stays.any() else float("inf")


def simulate(
    X: Any,
    truth: Any,
    strategy: Any = "information",
    budget: float = 300.0,
    *,
    output: OutputSpace | None = None,
    test_size: float = 1 / 3,
    n: int = 1,
    cost: Any = "bits",
    every: float | None = None,
    setting: Setting | None = None,
    stop_at: float | None = None,
    full: float | None = None,
    random_state: int = 0,
) -> Curve:
    """Ask about a random part of the rows until the budget is spent; score predictions on the others.

    Parameters
    ----------
    X : (n, d)
    truth : outputs
        In any form that `output` reads, one output a row.
    strategy : str or Asker
        An asker's own cost is kept.
    budget : float
        In units of cost.
    output : OutputSpace, default Labels()
    test_size : float
        The share of rows that are never asked about.
    n : int
        Questions at a time.
    cost : {"bits", "shown"}, mapping or callable, default "bits"
        What a question costs, where `strategy` is a name.
    every : float, optional
        Score after so much cost; by default a hundredth of the budget.
    setting : Setting, optional
        The kernel and the ridge of the learner; by default chosen from the known rows.
    stop_at : float, optional
        End once this share of the full score is reached and held.
    full : float, optional
        `Curve.full` of an earlier run with the same rows, setting and random_state, so that it is not worked out again.
    random_state : int, default 0
        Of the rows that are held out, and of the strategy.

    Examples
    --------
    >>> X = np.r_[np.zeros(20), np.ones(20)][:, None] + np.random.default_rng(0).normal(0, .1, (40, 1))
    >>> curve = simulate(X, ["cat"] * 20 + ["dog"] * 20, "information", budget=10)
    >>> float(curve.score[-1]), float(curve.full)
    (1.0, 1.0)
    """
    space = (Labels() if output is None else output).fit(truth)
    exact, unknown = space.read(truth), space.read([None] * len(truth))
    structure = structure_of(space)
    rng = np.random.default_rng(random_state)
    order = rng.permutation(len(exact))
    held, pool = order[: int(len(order) * test_size)], np.sort(order[int(len(order) * test_size) :])
    z = _outputs(structure, exact)
    asker = strategy if isinstance(strategy, Asker) else Asker(strategy, cost=cost, random_state=random_state)
    learner = Learner(X, structure, setting, random_state)
    if full is None:
        full = _full(X, structure, exact, unknown, pool, held, setting, random_state)
    step = budget / 100 if every is None else every
    run = _Run(structure.encode(exact), structure.encode(unknown), exact, held, structure)
    return run.go(asker, learner, pool, z, budget, n, step, full, stop_at)


class _Run:
    def __init__(self, exact: NDArray, E: NDArray, truth: Any, held: NDArray, structure: Any):
        self.exact, self.E, self.truth, self.held, self.structure = exact, E.copy(), truth, held, structure

    def go(self, asker: Asker, learner: Learner, pool: NDArray, z: NDArray, budget: float, n: int, step: float,
           full: float, stop_at: float | None) -> Curve:  # fmt: skip
        spent, due = 0.0, 0.0
        costs, scores, counts = [], [], []
        questions: list[Question] = []
        answers: list = []
        left: dict[int, Any] = {}
        while True:
            belief = learner.update_encoded(self.E)
            if spent >= due:
                costs.append(spent)
                scores.append(score(self.structure, belief.F, self.truth, self.held))
                counts.append(len(questions))
                due = spent + step
                if stop_at is not None and len(scores) > 3 and min(scores[-3:]) >= stop_at * full:
                    break
            asked = asker.choose(learner, belief, n, pool)[0] if spent < budget else []
            if not asked:
                break
            for question in asked:
                answer = question.truth(z[question.row])
                before = left.get(question.row)
                one = self._unknown() if before is None else before
                left[question.row] = question.narrowed(one, answer)
                self.E = self.E.copy()
                self.E[question.row] = self.structure.encode(left[question.row])[0]
                spent += question.cost
                questions.append(question)
                answers.append(answer)
        return Curve(np.array(costs), np.array(scores), full, questions, answers, np.array(counts))

    def _unknown(self) -> Any:
        return self.structure.space.read([None])


def score(structure: Any, F: NDArray, truth: Any, rows: NDArray) -> float:
    """Accuracy of labels, agreement of tags and orders; for numbers 1 - |error|² / variance, not below 0."""
    z = structure.output(F[rows])
    if structure.numbers:
        y = truth.lowest[rows]
        return float(max(0.0, 1 - np.mean((y - z) ** 2) / np.var(y)))
    return float(truth[rows].agreement(z).mean())


def _outputs(structure: Any, exact: Any) -> NDArray:
    """The outputs of singletons, as the space has them."""
    E = structure.encode(exact)
    kind = structure.kinds[0]
    if kind == "Is":
        if (E.sum(axis=1) != 1).any():
            raise ValueError("truth must be one output a row, exactly known.")
        return np.argmax(E, axis=1)
    if kind == "Below":
        return exact.lowest
    if (E == 0).any():
        raise ValueError("truth must be one output a row, exactly known.")
    return E if kind == "Has" else structure.output(E.astype(float))


def _full(
    X: Any, structure: Any, exact: Any, unknown: Any, pool: NDArray, held: NDArray, setting: Any, seed: int
) -> float:
    """The score of the same learner when all of the pool is known."""
    E = structure.encode(unknown).copy()
    E[pool] = structure.encode(exact)[pool]
    learner = Learner(X, structure, setting, seed)
    return score(structure, learner.update_encoded(E).F, exact, held)
