"""Conformal candidate sets: the labels that cannot be left out, from the known rows that were each left out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .learner import Belief, Learner


def candidate_sets(learner: Learner, belief: Belief, level: float) -> NDArray:
    """{z : 1 - P(z | x) <= the quantile of the scores of rows whose label is known}, (n, m) boolean.

    The score of a known row is 1 - P(its label), predicted without the row; with k such rows the quantile is the
    ⌈(k + 1) level⌉-th smallest. Where there are too few of them, every label is a candidate.
    """
    structure, rows = learner.structure, learner.ridge.rows
    assert learner.E is not None
    n, m = belief.F.shape
    if structure.kinds[0] != "Is":
        structure.candidates(0, learner.E[:1], np.ones(1), None)
    everything = np.ones((n, m), dtype=bool)
    exact = np.flatnonzero(learner.E[rows].sum(axis=1) == 1) if len(rows) else np.empty(0, int)
    rank = int(np.ceil((len(exact) + 1) * level))
    if rank > len(exact):
        return everything
    F = learner.prior + learner.ridge.left_out(learner.T - learner.prior)
    P = structure.narrow(np.ones((len(rows), m), dtype=bool), F, None, learner.power)[exact]
    scores = np.sort(1 - P[np.arange(len(exact)), np.argmax(learner.E[rows[exact]], axis=1)])
    inside = 1 - structure.narrow(everything, belief.F, None, learner.power) <= scores[rank - 1]
    empty = ~inside.any(axis=1)
    inside[empty, np.argmax(belief.F[empty], axis=1)] = True
    return inside
