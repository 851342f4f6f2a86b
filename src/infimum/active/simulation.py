"""Simulation of a query strategy with answers from true outputs: the score against the cost of the answers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs import Labels, OutputSpace, Sets
from ..outputs.prices import Price
from ..outputs.question_model import QuestionModel
from ..outputs.questions import Question
from .asker import QuestionSelector
from .learner import Learner, Setting


class Curve(NamedTuple):
    """The score of a strategy against its cost."""

    cost: NDArray
    """(k,): the cost so far."""
    score: NDArray
    """(k,): the mean agreement of predictions with the true outputs, on rows that are never asked about."""
    full: float
    """The score when all other rows are labelled."""
    questions: list[Question]
    answers: list

    def reaches(self, share: float = 0.95) -> float:
        """Return the cost from which on three scores in a row are at least this share of the full score."""
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
    cost: Any = "seconds",
    every: float | None = None,
    setting: Setting | None = None,
    stop_at: float | None = None,
    full: float | None = None,
    random_state: int = 0,
) -> Curve:
    """Ask about a random part of the rows until the budget is spent, and score predictions on the other rows.

    Parameters
    ----------
    X : (n, d)
        All rows.
    truth : outputs
        The true output of each row, in any format that `output` parses.
    strategy : str or QuestionSelector
        A strategy of `QuestionSelector`, or an asker with its own cost.
    budget : float
        In units of cost.
    output : OutputSpace, default Labels()
        The output space.
    test_size : float
        The share of rows that are never asked about.
    n : int
        The number of questions per update of the learner.
    cost : {"seconds", "bits", "shown"}, mapping or callable, default "seconds"
        What a question costs, if `strategy` is a name.
    every : float, optional
        The cost between two scores; by default a hundredth of the budget.
    setting : Setting, optional
        The kernel and the ridge of the learner; by default chosen from the labelled rows.
    stop_at : float, optional
        Stop when three scores in a row are at least this share of the full score.
    full : float, optional
        `Curve.full` of an earlier run with the same rows, setting and random_state, to save its computation.
    random_state : int, default 0
        Seed for the split of the rows and for the strategy.

    Examples
    --------
    >>> X = np.r_[np.zeros(20), np.ones(20)][:, None] + np.random.default_rng(0).normal(0, .1, (40, 1))
    >>> curve = simulate(X, ["cat"] * 20 + ["dog"] * 20, "information", budget=10)
    >>> float(curve.score[-1]), float(curve.full)
    (1.0, 1.0)
    """
    space = (Labels() if output is None else output).fit(truth)
    model, exact = space.questions(), space.read(truth)
    if model.is_open(model.encode(exact)).any():
        raise ValueError("truth must contain one exact label per row. Got partial labels. Pass the true labels.")
    order = np.random.default_rng(random_state).permutation(len(exact))
    n_test = int(len(order) * test_size)
    test, pool = order[:n_test], np.sort(order[n_test:])
    asker = (
        strategy
        if isinstance(strategy, QuestionSelector)
        else QuestionSelector(strategy, cost=cost, random_state=random_state)
    )

    def score(learner: Learner, E: NDArray) -> float:
        return model.score(exact[test], model.predict(learner.update_encoded(E).F[test]))

    person = _Person(model, exact, space.read([None]), Price(asker.cost))
    if full is None:
        labelled = person.E.copy()
        labelled[pool] = model.encode(exact)[pool]
        full = score(Learner(X, model, setting, random_state), labelled)
    learner = Learner(X, model, setting, random_state)
    points: list[tuple[float, float]] = []
    due, step = 0.0, budget / 100 if every is None else every
    while True:
        if person.spent >= due:
            points.append((person.spent, score(learner, person.E)))
            due = person.spent + step
            if stop_at is not None and len(points) > 3 and min(p[1] for p in points[-3:]) >= stop_at * full:
                break
        else:
            learner.update_encoded(person.E)
        asked = asker.choose(learner, n, pool)[0] if person.spent < budget else []
        if not asked:
            break
        person.answer(asked)
    costs, scores = (np.array(part) for part in zip(*points))
    return Curve(costs, scores, full, person.questions, person.answers)


class _Person:
    """Answers questions from the true outputs, and records what is known then and what it cost."""

    def __init__(self, model: QuestionModel, exact: Sets, unlabelled: Sets, price: Price):
        self.model, self.z = model, model.exact_outputs(exact)
        self.unlabelled, self.price = unlabelled, price
        self.sets: dict[int, Sets] = {}
        self.E = np.repeat(model.unlabelled, len(exact), axis=0)  # what is known, as the learner encodes it
        self.spent = 0.0
        self.questions: list[Question] = []
        self.answers: list = []

    def answer(self, asked: list[Question]) -> None:
        """Answer some questions."""
        self.E = self.E.copy()
        for question in asked:
            row, answer = question.row, question.true_answer(self.z[question.row])
            self.sets[row] = question.restrict(self.sets.get(row, self.unlabelled), answer)
            self.E[row] = self.model.encode(self.sets[row])[0]
            self.spent += question.answer_cost(answer, self.price)
            self.questions.append(question)
            self.answers.append(answer)
