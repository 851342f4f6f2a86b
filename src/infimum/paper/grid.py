"""Every sigma, lambda, corruption and principle of the paper's grids, for little more than one solve per lambda.

The weights alpha(x) = (K + n lam)^{-1} v(x) do not depend on the sets. One kernel matrix per fold and sigma, one
Cholesky factor per lambda, and one solve with the test points as right-hand sides are enough for all corruptions and
all principles. The weights that leave row i out come from the same factor: with A = (K + n lam)^{-1},

    alpha_j(x_i) without row i = -A_ij / A_ii,

so that hyper-parameters can also be chosen inside the training fold, without true labels and without a single refit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import linalg
from sklearn.metrics import euclidean_distances
from sklearn.model_selection import KFold
from sklearn.preprocessing import StandardScaler

from ..outputs import OutputSpace, Sets
from ..recipe import Recipe
from ..solvers import Solver, choose

C_SIGMA = (10, 5, 1, 0.5, 0.1, 0.01)
C_LAMBDA = (1e3, 1e2, 10, 1, 1e-1, 1e-2, 1e-3)
FOLDS = 8
HELD_OUT = 400  # training rows on whose sets the hyperparameters are compared


class Fold(NamedTuple):
    """The inputs of one fold, standardised on the whole data set as the authors do, and which rows are where."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    held_out: NDArray[np.intp]
    """Rows of `train` that are predicted without themselves."""
    between: NDArray[np.float64]
    """Squared distances of the training rows, (n, n)."""
    across: NDArray[np.float64]
    """Squared distances of the test rows to the training rows, (q, n)."""
    features: int


class Solved(NamedTuple):
    """The weights at one lambda."""

    c_lambda: float
    alpha: NDArray[np.float64]
    """At the test rows, (q, n)."""
    left_out: NDArray[np.float64]
    """At the held-out rows, each without itself, (h, n)."""


def fold(X: ArrayLike, number: int, folds: int = FOLDS, rows: int | None = None, seed: int = 0) -> Fold:
    """One of the shuffled folds, of the first `rows` rows of a shuffle where not all are wanted."""
    scaled = StandardScaler().fit_transform(np.asarray(X, dtype=np.float64))
    order = np.random.RandomState(seed).permutation(len(scaled))[:rows]
    train, test = (order[part] for part in list(KFold(folds).split(order))[number])
    held_out = np.random.RandomState(seed).permutation(len(train))[:HELD_OUT]
    between = euclidean_distances(scaled[train], squared=True)
    across = euclidean_distances(scaled[test], scaled[train], squared=True)
    return Fold(train, test, held_out, between, across, scaled.shape[1])


def path(fold: Fold, c_sigma: float, c_lambdas: tuple[float, ...] = C_LAMBDA) -> Iterator[Solved]:
    """The weights for every lambda = c_lambda / sqrt(n), at sigma = c_sigma * d.

    Cholesky, not an eigendecomposition: at tiny bandwidths it keeps the relative size of tiny weights.
    """
    n, gamma = len(fold.train), 1 / (2 * (c_sigma * fold.features) ** 2)
    K, across = np.exp(-gamma * fold.between), np.exp(-gamma * fold.across)
    units = np.zeros((n, len(fold.held_out)))
    units[fold.held_out, np.arange(len(fold.held_out))] = 1
    for c_lambda in c_lambdas:
        ridged = K + c_lambda * n**0.5 * np.eye(n)  # n lam = n c_lambda / sqrt(n)
        factor = linalg.cho_factor(ridged, lower=True, overwrite_a=True, check_finite=False)
        solved = linalg.cho_solve(factor, np.hstack([across.T, units]), overwrite_b=True, check_finite=False).T
        alpha, inverse = solved[: len(across)], solved[len(across) :]
        left_out = -inverse / inverse[np.arange(len(inverse)), fold.held_out][:, None]
        left_out[np.arange(len(inverse)), fold.held_out] = 0
        yield Solved(c_lambda, alpha, left_out)


def minimisers(space: OutputSpace, sets: Sets) -> dict[str, Solver]:
    """A solver for each principle, and for the joint loss of the infimum, which wants `split` weights."""
    made = {name: Recipe(name) for name in ("infimum", "average", "supremum")}
    made["joint"] = Recipe("infimum", "joint")
    losses = {name: one.loss(space, sets) for name, one in made.items()}
    return {name: choose("auto", L).fit(L) for name, L in losses.items()}
