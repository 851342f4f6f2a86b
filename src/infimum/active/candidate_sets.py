"""Conformal candidate sets: of a calibrated model, or from the known rows of a learner, each left out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..conformal import LAC, Conformal, radius_of
from .learner import Belief, Learner


def candidate_sets(learner: Learner, belief: Belief, level: float, model: Any = None, X: Any = None) -> NDArray:
    """The labels that a conformal set of this level holds, (n, m) boolean; never none of them.

    A :class:`~infimum.conformal.Conformal` model that was calibrated gives its own sets. Otherwise the score is
    1 - P(y | x) (LAC), the radius that of the rows whose label is known, each predicted without itself; where there are
    too few of them every label is a candidate. Rows that were asked about are not exchangeable with the others: these
    sets say what to show, and promise nothing.
    """
    structure, rows = learner.structure, learner.ridge.rows
    assert learner.E is not None
    if structure.kinds[0] != "Is":
        structure.candidates(0, learner.E[:1], np.ones(1), None)  # says that it is for labels
    if isinstance(model, Conformal) and X is not None:
        inside = np.array(model.predict_set(X).mask)
    else:
        everything = np.ones(belief.F.shape, dtype=bool)
        exact = np.flatnonzero(learner.E[rows].sum(axis=1) == 1) if len(rows) else np.empty(0, int)
        score, radius = LAC(), np.inf
        if len(exact):
            P = structure.narrow(everything[rows], learner.left_out, None, learner.asked_power)[exact]
            known = structure.space.read(structure.space.classes_[np.argmax(learner.E[rows[exact]], axis=1)])
            radius = radius_of(score.largest(P, known), level)
        P = structure.narrow(everything, belief.F, None, learner.asked_power)
        inside = np.array(score.within(P, np.full(len(P), radius), structure.space).mask)
    empty = ~inside.any(axis=1)
    inside[empty, np.argmax(belief.F[empty], axis=1)] = True
    return inside
