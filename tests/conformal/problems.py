"""Simulated rows of every output type with their true values, and the models and scores of the tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from infimum import (
    Boxes,
    CandidateLabels,
    HammingBalls,
    Intervals,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
    PartialRegressor,
    PartialTags,
    Taxonomy,
    datasets,
    outputs,
    weights,
)
from small_search import SMALL_SEARCH

RIDGE = weights.KernelRidge(lam=1e-3, gamma=1.0)
TREE = Taxonomy({"mammal": ["cat", "dog"], "bird": ["owl", "tit"]})
NAMES = np.array(["cat", "dog", "owl", "tit"])


class Problem(NamedTuple):
    model: Any
    draw: Callable[[np.random.Generator, int], tuple[np.ndarray, Any, Any]]
    """rng, n -> X, sets, the true values as sets."""
    scores: tuple
    continuous: tuple = ()
    """Scores without ties, whose coverage with exact rows equals the level."""


def inputs(rng, n):
    return rng.uniform(-1, 1, (n, 2))


def labels(rng, n):
    X = inputs(rng, n)
    truth = (X + 0.25 * rng.standard_normal((n, 2)) > 0) @ [1, 2]
    return X, truth


def draw_labels(rng, n):
    X, truth = labels(rng, n)
    mask = np.eye(4, dtype=bool)[truth]
    return X, CandidateLabels(mask | (rng.random((n, 4)) < 0.2), NAMES), CandidateLabels(mask, NAMES)


def draw_tags(rng, n):
    X = inputs(rng, n)
    truth = np.where(np.column_stack([X, X.sum(axis=1)]) + 0.3 * rng.standard_normal((n, 3)) > 0, 1, -1)
    return X, PartialTags(np.where(rng.random(truth.shape) < 0.2, 0, truth)), PartialTags(truth)


def draw_balls(rng, n):
    X, _, truth = draw_tags(rng, n)
    radius = rng.integers(0, 2, n)
    flipped = np.arange(3) == rng.integers(0, 3, n)[:, None]
    return X, HammingBalls(np.where(flipped & (radius > 0)[:, None], -truth.values, truth.values), radius), truth


def draw_orders(rng, n):
    X = inputs(rng, n)
    scores = np.column_stack([X, -X[:, 0], X.sum(axis=1)]) + 0.3 * rng.standard_normal((n, 4))
    return (
        X,
        PartialOrders(datasets.drop_pairs_at_random(scores, 0.2, random_state=0)),
        PartialOrders(datasets.drop_pairs_at_random(scores, 0.0)),
    )


def draw_numbers(rng, n):
    X = inputs(rng, n)
    y = np.sin(3 * X[:, 0]) + 0.3 * (X[:, 1] + 1.2) * rng.standard_normal(n)
    width, at = rng.uniform(0, 0.5, n), rng.random(n)
    return X, Intervals(np.column_stack([y - width * at, y + width * (1 - at)])), Intervals(y)


def draw_vectors(rng, n):
    X = inputs(rng, n)
    y = X + 0.2 * (X[:, :1] + 1.2) * rng.standard_normal((n, 2))
    below, above = rng.uniform(0, 0.2, (2, n, 2))
    return X, Boxes(y - below, y + above), Boxes(y, y)


def draw_masks(rng, n):
    X, tags, truth = draw_tags(rng, n)
    pixels = np.array([0, 1, 2, 2])
    return X, outputs.Scribbles(tags.values[:, pixels], 0.1), outputs.Scribbles(truth.values[:, pixels], 0.1)


PROBLEMS = {
    "labels": Problem(
        PartialClassifier(probabilities="temperature", search_config=SMALL_SEARCH),
        draw_labels,
        ("lac", "aps", "regret"),
        ("lac", "regret"),
    ),
    "costs": Problem(
        PartialClassifier(TREE, search_config=SMALL_SEARCH),
        draw_labels,
        ("regret",),
    ),
    "tags": Problem(
        PartialMultilabelClassifier(search_config=SMALL_SEARCH),
        draw_tags,
        ("margin", "loss"),
    ),
    "Hamming balls": Problem(
        PartialMultilabelClassifier(search_config=SMALL_SEARCH, tags=3),
        draw_balls,
        ("margin", "loss"),
    ),
    "rankings": Problem(
        PartialRanker(search_config=SMALL_SEARCH),
        draw_orders,
        ("pairs", "kendall"),
    ),
    "numbers": Problem(
        PartialRegressor(search_config=SMALL_SEARCH),
        draw_numbers,
        ("distance", "scaled"),
        ("distance", "scaled"),
    ),
    "vectors": Problem(
        PartialRegressor(search_config=SMALL_SEARCH),
        draw_vectors,
        ("distance", "scaled"),
        ("distance", "scaled"),
    ),
    "masks": Problem(
        PartialEstimator(outputs.Masks((2, 2), 0.1), search_config=SMALL_SEARCH),
        draw_masks,
        ("margin", "loss"),
    ),
}
CASES = [(name, score) for name, problem in PROBLEMS.items() for score in problem.scores]


def named(case: tuple) -> str:
    return f"{case[0]}, {case[1]}"
