"""Known numbers, given as sets: brackets of a survey, censored times, one-sided errors, sides."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from sklearn import datasets as plain

from benchmarks.defaults import _methods as m
from benchmarks.defaults.intervals import INTERVALS, ours

ROWS = 500
Told = Callable[[NDArray, np.random.RandomState], NDArray]


def brackets(y: NDArray, rng: np.random.RandomState) -> NDArray:
    """Which fifth: (n, 2) bounds, the outer ones open."""
    edges = np.quantile(y, [0.2, 0.4, 0.6, 0.8])
    ends, band = np.array([-np.inf, *edges, np.inf]), np.searchsorted(edges, y)
    return np.column_stack([ends[band], ends[band + 1]])


def censored(y: NDArray, rng: np.random.RandomState) -> NDArray:
    """Exact below a limit that is drawn, "at least this" beyond."""
    limit = np.quantile(y, rng.uniform(0.2, 1.2, len(y)).clip(0, 1))
    return np.column_stack([np.minimum(y, limit), np.where(limit < y, np.inf, y)])


def one_sided(y: NDArray, rng: np.random.RandomState) -> NDArray:
    """Return intervals whose upper end is near the true value, so their position is informative."""
    low, high = rng.exponential([[1.0], [0.05]], (2, len(y))) * y.std()
    return np.column_stack([y - low, y + high])


def sides(y: NDArray, rng: np.random.RandomState) -> NDArray:
    """Above or below a number that is drawn, and nothing else."""
    number = np.quantile(y, rng.uniform(size=len(y)))
    return np.where((y >= number)[:, None], np.column_stack([number, np.full(len(y), np.inf)]),
                    np.column_stack([np.full(len(y), -np.inf), number]))  # fmt: skip


TOLD: dict[str, Told] = {"brackets": brackets, "censored": censored, "one-sided": one_sided, "sides": sides}


def _column(load: Callable, column: int, others: slice) -> tuple[NDArray, NDArray]:
    X = load(return_X_y=True)[0]
    return X[:, others], X[:, column]


SOURCES: dict[str, Callable[[], tuple[NDArray, NDArray]]] = {
    "friedman1": lambda: plain.make_friedman1(ROWS, noise=1.0, random_state=0),
    "friedman2": lambda: plain.make_friedman2(ROWS, noise=100.0, random_state=0),
    "friedman3": lambda: plain.make_friedman3(ROWS, noise=0.1, random_state=0),
    "diabetes": lambda: plain.load_diabetes(return_X_y=True),
    "alcohol": lambda: _column(plain.load_wine, 0, slice(1, None)),
    "texture": lambda: _column(plain.load_breast_cancer, 1, slice(10, 20)),
    "radius": lambda: _column(plain.load_breast_cancer, 0, slice(4, 10)),
}


def true_forest(X: NDArray, exact: NDArray) -> m.Fitted:
    return m.Fitted(m.regression_forest().fit(X, exact[:, 0]).predict)


NUMBERS = m.Room(
    INTERVALS.methods,
    {m.TRUE_FOREST: true_forest, m.TRUE_OURS: ours},
    lambda truth, given: np.column_stack([truth, truth]),
    lambda truth, z: float(np.mean(np.square(truth - z))),
    False,
    "mean squared error, in variances",
)
