"""The strategies: from what is believed to questions, best first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .asker import Rule, Scene
from .question import Question
from .whole import Whole

Chosen = tuple[list[Question], NDArray]


def information(scene: Scene, n: int) -> Chosen:
    """The rows of the largest influence · worth; after each choice, influences are those that its answer would leave.

    The influence of row j is the mean of (∂F(x) / ∂T_j)² over rows of reference, and its worth is what the structure
    says: the expected drop of uncertainty per cost. A row that was chosen, and with it every row that says the same,
    has less influence left: a batch does not ask five times the same.
    """
    structure, T = scene.structure, scene.belief.T
    kinds, measure = scene.kinds, scene.asker.measure
    worth = structure.worth(kinds, scene.E, T, scene.belief.spread, scene.price, measure)
    worth = np.where(scene.open, worth, -np.inf)
    ridge = scene.ridge
    covariance, variance, influence = ridge.covariance, ridge.variance, ridge.influence()
    utilities = np.where(np.isfinite(worth), influence * worth, np.nan)
    left, before = worth > 0, np.maximum(variance, 1e-12)
    fresh = np.ones(len(left), dtype=bool)
    fresh[ridge.rows] = False
    found: list[Question] = []
    while len(found) < n and left.any():
        # what the answers of this batch will tell about a row is no longer to be learned there
        gain = influence * np.where(left, worth, 0.0) * variance / before
        i = int(np.argmax(np.where(left, gain, -np.inf)))
        left[i] = False
        spread = scene.spread_of([i])
        found.append(structure.plan(i, kinds, scene.E[[i]], T[[i]], spread, scene.price, measure))
        if len(found) == n:
            break
        k = ridge.kernel(np.array([i]))[:, 0]
        column = k - ridge.K @ (ridge.C @ k[ridge.rows]) if len(ridge.rows) else k
        step = column / (variance[i] + ridge.ridge)
        covariance = covariance - np.outer(step, column[ridge.reference])
        variance = np.maximum(variance - step * column, 0.0)
        new = np.square(covariance).mean(axis=1) / np.square(variance + ridge.ridge)
        # a row that was asked about before loses what the new one says about it
        influence = np.where(fresh, np.minimum(new, influence), influence * np.clip(1 - step * column, 0.0, 1.0))
    return found, utilities


def uncertainty(scene: Scene) -> NDArray:
    """The entropy of what is believed of every row, in bits; NaN where nothing may be asked."""
    forms = scene.structure.forms(scene.E, scene.belief.T, scene.belief.spread)
    whole = next(form for form in forms if form.kind == "Whole")
    worth = whole.gain if scene.structure.numbers else whole.entropy
    return np.where(scene.open, worth[:, 0], np.nan)


def _least_certain(scene: Scene, n: int, begun_first: bool = False) -> tuple[list[int], NDArray]:
    """n rows, the least certain first; each makes rows that are alike count less."""
    bits = uncertainty(scene)
    if begun_first:
        begun = scene.structure.known(scene.E) & scene.open & ~np.isnan(bits)
        bits = bits + np.where(begun, 1e3, 0.0)
    score = np.where(np.isnan(bits), -np.inf, bits + 1e-9 * scene.rng.random(len(bits)))
    rows: list[int] = []
    for _ in range(min(n, int(scene.open.sum()))):
        i = int(np.argmax(score))
        rows.append(i)
        near = scene.ridge.kernel(np.array([i]))[:, 0]
        score = np.where(np.isfinite(score), score * (1 - near), score)
        score[i] = -np.inf
    return rows, bits


def _whole(scene: Scene, i: int) -> Whole:
    choices = float(scene.structure.whole_choices(scene.E[[i]])[0])
    whole = Whole(i, scene.structure.space)
    return Whole(i, scene.structure.space, float(scene.price("Whole", choices, whole.shown)))


def uncertain(scene: Scene, n: int) -> Chosen:
    """The whole label of the least certain rows."""
    rows, bits = _least_certain(scene, n)
    return [_whole(scene, i) for i in rows], bits


def median(scene: Scene, n: int) -> Chosen:
    """The least certain rows, each cut into halves of equal weight; rows that were begun come first."""
    rows, bits = _least_certain(scene, n, begun_first=not scene.structure.numbers)  # a number is never settled
    made = [
        scene.structure.halving(i, scene.E[i], scene.belief.T[i], scene.spread_of(i), scene.price) for i in rows
    ]
    return made, bits


def random(scene: Scene, n: int) -> Chosen:
    """Random rows, and random sets."""
    rows, utilities = _random_rows(scene, n)
    return [scene.structure.random(i, scene.E[i], scene.rng, scene.price) for i in rows], utilities


def whole(scene: Scene, n: int) -> Chosen:
    """Random rows, and the whole label."""
    rows, utilities = _random_rows(scene, n)
    return [_whole(scene, i) for i in rows], utilities


def _random_rows(scene: Scene, n: int) -> tuple[list[int], NDArray]:
    rows = np.flatnonzero(scene.open)
    picked = scene.rng.choice(rows, min(n, len(rows)), replace=False) if len(rows) else rows
    return picked.tolist(), np.where(scene.open, 1.0, np.nan)


def conformal(scene: Scene, n: int) -> Chosen:
    """The least certain rows: which of its candidate set is it?"""
    from .candidate_sets import candidate_sets

    rows, bits = _least_certain(scene, n)
    inside: Any = candidate_sets(scene.learner, scene.belief, scene.asker.level, scene.model, scene.X)
    found = []
    for i in rows:
        question = scene.structure.candidates(i, scene.E[i], inside[i], scene.price)
        found.append(_whole(scene, i) if question is None else question)
    return found, bits


RULES: dict[str, Rule] = {
    "information": information, "median": median, "conformal": conformal, "uncertain": uncertain, "random": random,
    "whole": whole,
}  # fmt: skip
