"""Query strategies: which rows to ask about, and which question to ask, best first."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..conformal import Conformal, radius_of
from ..outputs.prices import Price
from ..outputs.question_model import Belief, QuestionModel
from ..outputs.questions import Question
from .learner import Learner

Chosen = tuple[list[Question], NDArray]
N_REFINED = 10  # rows that are compared by expected accuracy; more save time on some tables and lose it on others
N_LABELS = 5  # most probable labels of a row over which the accuracy is averaged


@dataclass
class Query:
    """What a strategy chooses from."""

    learner: Learner
    is_open: NDArray
    """(n,): the rows that may be asked about."""
    kinds: tuple[str, ...]
    """The types of questions that may be asked."""
    price: Price
    level: float
    rng: np.random.Generator
    estimator: Any = None
    X: Any = None

    @property
    def belief(self) -> Belief:
        assert self.learner.belief is not None
        return self.learner.belief

    @property
    def model(self) -> QuestionModel:
        return self.learner.model


def information(query: Query, n: int) -> Chosen:
    """Choose the rows with the largest influence · utility; each chosen row counts as labelled for the next.

    The influence of a row is the variance that it removes from the reference rows, each weighted by its uncertainty.
    Its utility is the expected drop of uncertainty per cost. Rows similar to a chosen one lose influence, so the
    questions of a batch differ. For labels, the first row is the one of the ten best for which the expected gain of
    accuracy per cost is largest: uncertainty also remains where classes overlap, and labels do not help there.
    """
    model, belief = query.model, query.belief
    utility = model.utility(query.kinds, belief, query.price)
    utility = np.where(query.is_open, utility, -np.inf)
    full_gain = model.groups(belief)[-1].gain[:, 0]
    ahead = query.learner.lookahead(full_gain, query.is_open)
    started = model.is_labelled(belief.E) & model.finish_started
    left = utility > 0

    def gains() -> NDArray:
        gain = ahead.factor * utility  # the answers of this batch already remove a part of the variance
        return np.where(started, gain + gain[left].max(initial=0.0), gain)

    gain = gains()
    utilities = np.where(np.isfinite(utility), gain, np.nan)
    rows: list[int] = []
    while len(rows) < n and left.any():
        rows.append(int(np.argmax(np.where(left, gain, -np.inf))))
        if len(rows) == 1 and model.lists_outputs and not started[rows[0]] and query.learner.n_labelled > 1:
            best = np.argsort(-np.where(left, gain, -np.inf), kind="stable")[: min(N_REFINED, int(left.sum()))]
            rows = [int(best[np.argmax(_accuracy_gain(query, best) * utility[best] / full_gain[best])])]
        left[rows[-1]] = False
        if len(rows) < n:
            ahead.add(rows[-1])
            gain = gains()
    if not rows:
        return [], utilities
    return model.best_questions(rows, query.kinds, belief.take(rows), query.price), utilities


def _accuracy_gain(query: Query, rows: NDArray) -> NDArray:
    """Return by how much the expected accuracy on the reference rows grows if the label of a row is known, (k,).

    The label y of row j changes the predictions F(r) by c(j, r) / (c(j, j) + ridge) (y - F(j)), with the posterior
    covariance c.
    """
    ridge, belief, calibration = query.learner.ridge, query.belief, query.learner.calibration
    F = belief.F[ridge.reference]
    now, found = query.model.expected_accuracy(F, calibration), []
    for j in rows:
        step = ridge.covariance[j] / (ridge.variance[j] + ridge.ridge)
        labels = np.argsort(-belief.T[j], kind="stable")[:N_LABELS]
        after = [
            query.model.expected_accuracy(F + step[:, None] * (np.eye(F.shape[1])[y] - belief.F[j]), calibration)
            for y in labels
        ]
        found.append(np.average(after, weights=belief.T[j][labels]) - now)
    return np.array(found)


def _least_certain(query: Query, n: int, started_first: bool = False) -> tuple[list[int], NDArray]:
    """Return n rows, the least certain first; a chosen row lowers the score of similar ones."""
    bits = np.where(query.is_open, query.model.uncertainty(query.belief), np.nan)
    if started_first:
        bits = bits + np.where(query.model.is_labelled(query.belief.E), 1e3, 0.0)
    score = np.where(np.isnan(bits), -np.inf, bits + 1e-9 * query.rng.random(len(bits)))
    rows: list[int] = []
    for _ in range(min(n, int(query.is_open.sum()))):
        rows.append(int(np.argmax(score)))
        similarity = query.learner.similarity(rows[-1])
        left = np.isfinite(score)
        score[left] *= 1 - similarity[left]
        score[rows[-1]] = -np.inf
    return rows, bits


def _random_rows(query: Query, n: int) -> tuple[list[int], NDArray]:
    rows = np.flatnonzero(query.is_open)
    picked = query.rng.choice(rows, min(n, len(rows)), replace=False) if len(rows) else rows
    return picked.tolist(), np.where(query.is_open, 1.0, np.nan)


def _full(query: Query, row: int) -> Question:
    return query.model.full_question(row, query.belief.E[[row]], query.price)


def uncertain(query: Query, n: int) -> Chosen:
    """Ask for the full label of the least certain rows."""
    rows, bits = _least_certain(query, n)
    return [_full(query, row) for row in rows], bits


def median(query: Query, n: int) -> Chosen:
    """Halve the least certain rows; rows that were asked about before come first if they can be completed."""
    rows, bits = _least_certain(query, n, started_first=query.model.finite)
    return [query.model.halving_question(row, query.belief.take([row]), query.price) for row in rows], bits


def random(query: Query, n: int) -> Chosen:
    """Ask random questions about random rows."""
    rows, utilities = _random_rows(query, n)
    return [query.model.random_question(row, query.belief.E[row], query.rng, query.price) for row in rows], utilities


def whole(query: Query, n: int) -> Chosen:
    """Ask for the full label of random rows."""
    rows, utilities = _random_rows(query, n)
    return [_full(query, row) for row in rows], utilities


def conformal(query: Query, n: int) -> Chosen:
    """Ask which member of its conformal prediction set each of the least certain rows is."""
    rows, bits = _least_certain(query, n)
    if query.model.lists_outputs:
        inside = _prediction_sets(query)
    else:
        inside = np.ones((len(bits), 1), dtype=bool)  # candidate_question raises the error of the output type
    made = [(row, query.model.candidate_question(row, query.belief.E[row], inside[row], query.price)) for row in rows]
    return [_full(query, row) if question is None else question for row, question in made], bits


def _prediction_sets(query: Query) -> NDArray:
    """Return conformal prediction sets as a mask over the outputs, (n, m), without empty ones.

    A calibrated :class:`~infimum.Conformal` model gives its own sets. Otherwise the score is 1 - P(y | x) and
    the labelled rows calibrate it by leave-one-out. Rows that were asked about are not exchangeable with the others, so
    these sets have no guaranteed coverage.
    """
    learner, model, F = query.learner, query.model, query.belief.F
    if isinstance(query.estimator, Conformal) and query.X is not None:
        inside = np.array(query.estimator.predict_set(query.X).mask)
    else:
        E = query.belief.E[learner.ridge.rows]
        exact, radius = ~model.is_open(E), np.inf
        if exact.any():
            P = model.posterior_mean(np.ones_like(E), learner.held_out, None, learner.calibration)[exact]
            radius = radius_of(1 - P[E[exact]], query.level)
        P = model.posterior_mean(np.ones(F.shape, dtype=bool), F, None, learner.calibration)
        inside = radius + 1e-9 >= 1 - P  # equal scores are inside
    empty = ~inside.any(axis=1)
    inside[empty, np.argmax(F[empty], axis=1)] = True
    return inside


RULES: dict[str, Callable[[Query, int], Chosen]] = {
    "information": information, "median": median, "conformal": conformal, "uncertain": uncertain, "random": random,
    "whole": whole,
}  # fmt: skip
STRATEGIES = tuple(RULES)
