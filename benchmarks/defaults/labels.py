"""Candidate classes: a row for every candidate, one candidate drawn, votes of neighbours, the true classes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import _methods as m
from infimum import PartialClassifier


def ours(cost: Any) -> m.Method:
    def method(X: NDArray, sets: NDArray) -> m.Fitted:
        return m.fitted(m.default(PartialClassifier, cost=cost), X, sets)

    return method


def classifier(model: Any, X: NDArray, y: NDArray, w: NDArray, n_classes: int) -> m.Fitted:
    """A classifier of scikit-learn's kind, and its most probable class; those it has not seen have the probability 0.

    For ordered classes too: candidates dilute the probabilities, and their median was further off than the mode.
    """
    seen, codes = np.unique(y, return_inverse=True)
    if len(seen) == 1:
        return m.Fitted(lambda queries: np.full(len(queries), seen[0]))
    m.weighted_fit(model, X, codes, w)

    def predict(queries: NDArray) -> NDArray:
        p = np.zeros((len(queries), n_classes))
        p[:, seen] = model.predict_proba(queries)
        return p.argmax(axis=1)

    return m.Fitted(predict)


def every_candidate(make: Callable[[], Any]) -> m.Method:
    """A row for each candidate of a row, that together weigh one."""

    def method(X: NDArray, sets: NDArray) -> m.Fitted:
        row, y = np.nonzero(sets)
        return classifier(make(), X[row], y, 1 / sets.sum(axis=1)[row], sets.shape[1])

    return method


def drawn(make: Callable[[], Any]) -> m.Method:
    """One candidate a row, drawn at random: what a column with one label would hold."""

    def method(X: NDArray, sets: NDArray) -> m.Fitted:
        y = one_of(sets)
        return classifier(make(), X, y, np.ones(len(y)), sets.shape[1])

    return method


def one_of(sets: NDArray) -> NDArray:
    """A member of every row, drawn at random."""
    return np.where(sets, np.random.RandomState(0).uniform(size=sets.shape), -1).argmax(axis=1)


def voting(X: NDArray, sets: NDArray) -> m.Fitted:
    """The candidates of the nearest rows, nearer ones counting more (PL-kNN, Hüllermeier and Beringer, 2006)."""

    def predict(queries: NDArray) -> NDArray:
        at = m.near(X, queries)
        return np.einsum("k,qkm->qm", np.arange(at.shape[1], 0, -1.0), sets[at]).argmax(axis=1)

    return m.Fitted(predict)


def sets_of_one(truth: NDArray, given: NDArray) -> NDArray:
    return np.eye(given.shape[1], dtype=bool)[truth]


def room(cost: Any, score: Callable, larger: bool, measure: str) -> m.Room:
    methods = {
        m.OURS: ours(cost),
        m.FOREST: every_candidate(m.forest),
        m.LINEAR: every_candidate(m.logistic),
        m.BOOSTED: every_candidate(m.boosted),
        m.ONE_FOREST: drawn(m.forest),
        m.ONE_LINEAR: drawn(m.logistic),
        m.NEAREST: voting,
    }
    ceilings = {m.TRUE_FOREST: methods[m.FOREST], m.TRUE_OURS: methods[m.OURS]}
    return m.Room(methods, ceilings, sets_of_one, score, larger, measure)


def accuracy(truth: NDArray, z: NDArray) -> float:
    return float(np.mean(truth == z))


def steps_off(truth: NDArray, z: NDArray) -> float:
    return float(np.mean(np.abs(truth - z)))


LABELS = room(None, accuracy, True, "accuracy")
ORDINAL = room("ordinal", steps_off, False, "mean number of steps off")
