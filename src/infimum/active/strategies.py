"""The strategies: from what is believed to questions, best first."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .ahead import Ahead
from .asker import Rule, Scene
from .question import Question
from .whole import Whole

Chosen = tuple[list[Question], NDArray]


def information(scene: Scene, n: int) -> Chosen:
    """The rows of the largest influence · worth, begun ones first; after each, as if it were known.

    With c(x, x') the covariance that the known rows leave, row j takes c(x, j)² / (c(j, j) + ridge) of the variance of
    x: its influence is the mean of that over rows of reference, each counted by how uncertain it is. Its worth is what
    the structure says: the expected drop of uncertainty per cost. A row that was chosen, and with it every row that
    says the same, has less influence left: a batch does not ask five times the same.
    """
    structure, T, spread = scene.structure, scene.belief.T, scene.belief.spread
    kinds, measure, ridge = scene.kinds, scene.asker.measure, scene.ridge
    worth = structure.worth(kinds, scene.E, T, spread, scene.price, measure)
    worth = np.where(scene.open, worth, -np.inf)
    ahead = Ahead(ridge, _doubts(scene)[ridge.reference])
    before = np.maximum(ahead.variance, 1e-12)
    told = ridge.influence_known() * (ridge.variance[ridge.rows] + ridge.ridge)
    begun = structure.known(scene.E) if structure.settles else np.zeros(len(worth), dtype=bool)

    def gains() -> NDArray:
        influence = ahead.said / (ahead.variance + ridge.ridge)
        influence[ridge.rows] = told
        # what the answers of this batch will tell about a row is no longer to be learned there
        gain = influence * worth * (ahead.variance / before)
        return np.where(begun, gain + gain[left].max(initial=0.0), gain)

    left = worth > 0
    utilities = np.where(np.isfinite(worth), gains(), np.nan)
    found: list[Question] = []
    while len(found) < n and left.any():
        i = int(np.argmax(np.where(left, gains(), -np.inf)))
        left[i] = False
        found.append(structure.plan(i, kinds, scene.E[[i]], T[[i]], scene.spread_of([i]), scene.price, measure))
        if len(found) < n:
            ahead.add(i)
    return found, utilities


def _doubts(scene: Scene) -> NDArray:
    """How uncertain every row is, as E|T' - T|² when it is told; of mean one."""
    forms = scene.structure.forms(scene.E, scene.belief.T, scene.belief.spread)
    gain = next(form for form in forms if form.kind == "Whole").gain[:, 0]
    return gain / gain.mean() if gain.any() else np.ones(len(gain))


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
    n = min(n, int(scene.open.sum()))
    while len(rows) < n:
        i = int(np.argmax(score))
        rows.append(i)
        if len(rows) == n:
            break
        near = scene.ridge.kernel(np.array([i]))[:, 0]
        far = np.isfinite(score)
        score[far] *= 1 - near[far]
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
