"""Intervals, also one-sided ones: XGBoost's survival:aft, and models of their midpoints, tuned by distances to sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.defaults import _methods as m
from benchmarks.regression import MidpointRegressor, MidpointRidge, _middle, tuned, tuned_boosting
from infimum import PartialRegressor, metrics
from infimum.weights import KernelRidge

GAMMAS, LAMS = (0.01, 0.1, 1.0), (1e-4, 1e-3, 1e-2, 1e-1)


def ours(X: NDArray, bounds: NDArray) -> m.Fitted:
    return m.fitted(m.default(PartialRegressor), X, bounds)


def whole(predict: Callable[[NDArray, NDArray, NDArray], NDArray]) -> m.Method:
    """A method that fits when it is asked."""
    return lambda X, bounds: m.Fitted(lambda queries: predict(X, bounds, queries))


def midpoint_forest(X: NDArray, bounds: NDArray) -> m.Fitted:
    return m.Fitted(m.regression_forest().fit(X, _middle(bounds)).predict)


def midpoint_ridge(X: NDArray, bounds: NDArray, queries: NDArray) -> NDArray:
    return tuned(MidpointRidge(), {"midpointridge__alpha": np.logspace(-2, 5, 15)})(X, bounds, queries)


def midpoint_kernels(X: NDArray, bounds: NDArray, queries: NDArray) -> NDArray:
    """Our own kernel ridge on midpoints: what the sets themselves add."""
    d = X.shape[1]
    kernels = [KernelRidge(lam, gamma=g / d) for g in GAMMAS for lam in LAMS]
    model = MidpointRegressor(principle="infimum", negative_weights="inside")
    return tuned(model, {"midpointregressor__weights": kernels})(X, bounds, queries)


INTERVALS = m.Room(
    {
        m.OURS: ours,
        m.BOOSTED: whole(tuned_boosting),
        m.ONE_FOREST: midpoint_forest,
        m.ONE_LINEAR: whole(midpoint_ridge),
        m.NEAREST: whole(midpoint_kernels),
    },
    {},
    lambda truth, given: truth,
    lambda truth, z: metrics.mean_squared_distance(truth, z),
    False,
    "mean squared distance",
)
