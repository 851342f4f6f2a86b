"""What is left, and how well the model does on rows that it did not see."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..learner import Belief, Learner


class Point(NamedTuple):
    """Where things stood after so many answers."""

    answers: int
    cost: float
    covering: float | None
    """The share of answered rows whose set holds what is predicted without the row; None where there is none."""
    left: float
    """The expected cost of settling every row."""
    settled: int
    """Rows of which one output is left."""


def measured(learner: Learner, belief: Belief, sets: Any, answers: int, cost: float, price: Any) -> Point:
    """Held-out covering, the cost that is left, and the rows that are settled."""
    structure, rows, E = learner.structure, learner.ridge.rows, learner.E
    assert E is not None
    covering = None
    if len(rows):
        covering = float(np.mean(sets[rows].agreement(structure.output(learner.left_out))))
    open_ = structure.open(E)
    forms = structure.forms(E, belief.T, belief.spread)
    whole = next(form for form in forms if form.kind == "Whole")
    bits = whole.entropy[:, 0][open_].sum()
    one = float(price(structure.kinds[0], 2.0, 1.0))
    return Point(answers, round(cost, 3), covering, round(float(bits) * one, 2), int((~open_).sum()))
