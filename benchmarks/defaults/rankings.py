"""Rankings with missing items: scores by place, comparisons of pairs, neighbours, the full rankings."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import _methods as m
from infimum import PartialRanker
from infimum.metrics import kendall_tau

PRINCIPLES = ("infimum", "average", "disambiguation")


def ours(principle: str = "") -> m.Method:
    def method(X: NDArray, ranks: NDArray) -> m.Fitted:
        named = {"principle": principle} if principle else {}
        return m.fitted(m.default(PartialRanker, items=ranks.shape[1], **named), X, ranks)

    return method


def places(ranks: NDArray) -> NDArray:
    """(n, m): (m + 1) r / (k + 1) for the r-th of the k items that a row ranks, and NaN for the others.

    That is the mean place of an item over the full orders that agree with its row. The places themselves would say how
    many missing items lie between two others, which the partial order does not.
    """
    among = 1.0 + (ranks[:, :, None] > ranks[:, None, :]).sum(axis=2)
    size = ranks.shape[1]
    found = (size + 1) * among / (1 + (~np.isnan(ranks)).sum(axis=1, keepdims=True))
    return np.where(np.isnan(ranks), np.nan, found)


def filled(ranks: NDArray) -> NDArray:
    """Mean places; the mean place of an item of which nothing is known is the middle."""
    found = places(ranks)
    return np.where(np.isnan(found), (ranks.shape[1] + 1) / 2, found)


def last(ranks: NDArray) -> NDArray:
    """One full order a row: the items that it lacks come last, in the order of the columns."""
    return 1.0 + np.argsort(np.argsort(ranks, axis=1, kind="stable"), axis=1)


def sorted_by(scores: NDArray) -> NDArray:
    return np.argsort(scores, axis=1, kind="stable")


def by_place(make: Callable[[], Any], target: Callable[[NDArray], NDArray]) -> m.Method:
    """Regression of the places, then a sort."""

    def method(X: NDArray, ranks: NDArray) -> m.Fitted:
        model = make().fit(X, target(ranks))
        return m.Fitted(lambda queries: sorted_by(model.predict(queries)))

    return method


def by_pairs(X: NDArray, ranks: NDArray) -> m.Fitted:
    """A logistic regression a pair, on the rows that rank both; items are sorted by the sum of their probabilities.

    Ranking by pairwise comparison: Hüllermeier, Fürnkranz, Cheng and Brinker (2008).
    """
    models = {}
    for i, j in combinations(range(ranks.shape[1]), 2):
        rows = np.flatnonzero(~np.isnan(ranks[:, i] + ranks[:, j]))
        first = ranks[rows, i] < ranks[rows, j]
        if len(set(first.tolist())) == 2:
            models[i, j] = m.logistic().fit(X[rows], first).predict_proba
        else:
            share = float(first.mean()) if len(first) else 0.5
            models[i, j] = lambda queries, p=share: np.tile([1 - p, p], (len(queries), 1))

    def predict(queries: NDArray) -> NDArray:
        wins = np.zeros((len(queries), ranks.shape[1]))
        for (i, j), probabilities in models.items():
            p = probabilities(queries)[:, 1]
            wins[:, i] += p
            wins[:, j] += 1 - p
        return sorted_by(-wins)

    return m.Fitted(predict)


def neighbours(X: NDArray, ranks: NDArray) -> m.Fitted:
    """The places of the nearest rows that have the item are averaged, then sorted, as scikit-lr's neighbours do."""
    found, middle = places(ranks), (ranks.shape[1] + 1) / 2

    def predict(queries: NDArray) -> NDArray:
        near = found[m.near(X, queries)]
        count = (~np.isnan(near)).sum(axis=1)
        mean = np.where(count > 0, np.nansum(near, axis=1) / np.maximum(count, 1), middle)
        return sorted_by(mean)

    return m.Fitted(predict)


METHODS: dict[str, m.Method] = {
    m.OURS: ours(),
    m.FOREST: by_place(m.regression_forest, filled),
    m.LINEAR: by_pairs,
    m.BOOSTED: by_place(m.boosted_regression, filled),
    m.ONE_FOREST: by_place(m.regression_forest, last),
    m.ONE_LINEAR: by_place(m.ridge, last),
    m.NEAREST: neighbours,
}
RANKED = m.Room(
    METHODS,
    {m.TRUE_FOREST: METHODS[m.FOREST], m.TRUE_OURS: METHODS[m.OURS]},
    lambda truth, given: truth,
    lambda truth, z: kendall_tau(truth, z),
    True,
    "Kendall's tau",
    {f"principle: {name}": ours(name) for name in PRINCIPLES},
)
