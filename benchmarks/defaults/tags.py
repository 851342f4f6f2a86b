"""Tags that are partly known, or known up to some errors: a model a tag, unknown tags as absent, the true tags."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import _methods as m
from infimum import HammingBalls, PartialMultilabelClassifier

Means = Callable[[NDArray], NDArray]
"""(n, m) in [-1, 1]: the mean sign of every tag over the members of its set."""


def known(given: NDArray) -> NDArray:
    return given.astype(float)


def over_balls(given: NDArray) -> NDArray:
    """center (1 - 2 p), where a share p of the members of a ball of radius r differs from its center in one tag."""
    centers, radii = given[:, :-1], given[:, -1]
    size = centers.shape[1]
    counts = [[comb(size, k) for k in range(r + 1)] for r in range(size + 1)]
    flips = [sum(comb(size - 1, k - 1) for k in range(1, r + 1)) / sum(counts[r]) for r in range(size + 1)]
    return centers * (1 - 2 * np.array(flips))[np.minimum(radii, size), None]


def ours(as_sets: Callable[[NDArray], Any]) -> m.Method:
    def method(X: NDArray, given: NDArray) -> m.Fitted:
        return m.fitted(m.default(PartialMultilabelClassifier), X, as_sets(given))

    return method


def a_tag_each(make: Callable[[], Any], means: Means) -> m.Method:
    """Fit one model per tag: both signs as rows, weighted by the members that have them; unknown rows are left out."""

    def method(X: NDArray, given: NDArray) -> m.Fitted:
        models = [_one(make, X, column) for column in means(given).T]
        return m.Fitted(lambda queries: np.column_stack([predict(queries) for predict in models]))

    return method


def _one(make: Callable[[], Any], X: NDArray, mean: NDArray) -> Callable[[NDArray], NDArray]:
    rows = np.flatnonzero(np.abs(mean) > 1e-12)
    w = np.concatenate([(1 + mean[rows]) / 2, (1 - mean[rows]) / 2])
    y = np.repeat([1, 0], len(rows))[w > 0]
    if len(set(y.tolist())) < 2:
        sign = 1 if len(y) and y[0] else -1
        return lambda queries: np.full(len(queries), sign)
    model = m.weighted_fit(make(), X[np.concatenate([rows, rows])[w > 0]], y, w[w > 0])
    return lambda queries: np.where(model.predict(queries) == 1, 1, -1)


def signs(given: NDArray) -> NDArray:
    """What a table without unknown cells would hold: a tag that is not stated is absent."""
    return np.where(given > 0, 1, -1).astype(float)


def centers(given: NDArray) -> NDArray:
    return given[:, :-1].astype(float)


def neighbours(means: Means) -> m.Method:
    def method(X: NDArray, given: NDArray) -> m.Fitted:
        mean = means(given)
        return m.Fitted(lambda queries: np.where(mean[m.near(X, queries)].mean(axis=1) > 0, 1, -1))

    return method


def wrong(truth: NDArray, z: NDArray) -> float:
    return float(np.mean(truth != z))


def room(as_sets: Callable, means: Means, one: Means, as_given: Callable) -> m.Room:
    methods = {
        m.OURS: ours(as_sets),
        m.FOREST: a_tag_each(m.forest, means),
        m.LINEAR: a_tag_each(m.logistic, means),
        m.BOOSTED: a_tag_each(m.boosted, means),
        m.ONE_FOREST: a_tag_each(m.forest, one),
        m.ONE_LINEAR: a_tag_each(m.logistic, one),
        m.NEAREST: neighbours(means),
    }
    ceilings = {m.TRUE_FOREST: methods[m.ONE_FOREST], m.TRUE_OURS: methods[m.OURS]}
    return m.Room(methods, ceilings, as_given, wrong, False, "share of wrong tags")


TAGS = room(lambda given: given, known, signs, lambda truth, given: truth)
BALLS = room(
    lambda given: HammingBalls(given[:, :-1], given[:, -1]),
    over_balls,
    centers,
    lambda truth, given: np.column_stack([truth, np.zeros(len(truth), dtype=int)]),
)
