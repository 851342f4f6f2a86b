"""Compiles what numba compiles, once and for all workers: `make test` runs it while types are checked."""

import warnings

import numpy as np

from infimum import Intervals, PartialRanker, PartialRegressor
from infimum.datasets import drop_pairs
from infimum.feedback_arc import minimum_feedback_arc, minimum_feedback_arcs, sample_linear_extensions
from infimum.paper.relaxation import relaxed
from infimum.weights import KernelRidge

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = rng.uniform(-1, 1, (60, 1))
for m in (4, 7, 10):
    heights = X * rng.standard_normal(m) + rng.standard_normal(m)
    for reading in ("inside", "joint"):
        model = PartialRanker.paper(m, negative_weights=reading).fit(X, drop_pairs(heights, 0.7))
        model.minimum(X[:3])
PartialRanker(5).fit(X, drop_pairs(heights[:, :5], 0.5)).predict(X[:3])
for m in (6, 22):
    cost = rng.standard_normal((m, m))
    minimum_feedback_arc(cost - cost.T, time_limit=2)
    relaxed(cost - cost.T)
minimum_feedback_arcs(np.array([cost[:8, :8], cost[8:16, 8:16]]))
before = np.triu(np.ones((6, 6), dtype=bool), 3)
sample_linear_extensions(before, 3, random_state=0)
low = rng.uniform(-1, 1, 60)
y = Intervals(np.column_stack([low, low + 0.5]))
for family in (KernelRidge(1e-3), "neighbors"):
    PartialRegressor.paper(weights=family).fit(X, y).predict(X)
