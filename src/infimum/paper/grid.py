"""All sigmas, lambdas, corruptions and principles of the grids of the paper, with one solve per lambda.

The weights alpha(x) = (K + n lam)^{-1} v(x) do not depend on the sets. One kernel matrix per fold and sigma, one
Cholesky factor per lambda, and one solve with the test points as right-hand sides are enough for all corruptions and
all principles. The weights that leave row i out come from the same factor: with A = (K + n lam)^{-1},

    alpha_j(x_i) without row i = -A_ij / A_ii,

so hyperparameters can also be selected inside the training fold, without true labels and without refitting.
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
    """The inputs of one fold, standardised on the whole data set as the authors do, and the rows of each part."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]
    held_out: NDArray[np.intp]
    """Rows of `train` that are predicted by models without them."""
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
    """Return one of the shuffled folds, of the first `rows` rows of a shuffle or of all rows."""
    scaled = StandardScaler().fit_transform(np.asarray(X, dtype=np.float64))
    order = np.random.RandomState(seed).permutation(len(scaled))[:rows]
    train, test = (order[part] for part in list(KFold(folds).split(order))[number])
    held_out = np.random.RandomState(seed).permutation(len(train))[:HELD_OUT]
    between = euclidean_distances(scaled[train], squared=True)
    across = euclidean_distances(scaled[test], scaled[train], squared=True)
    return Fold(train, test, held_out, between, across, scaled.shape[1])


def path(fold: Fold, c_sigma: float, c_lambdas: tuple[float, ...] = C_LAMBDA) -> Iterator[Solved]:
    """Yield the weights for each lambda = c_lambda / sqrt(n), at sigma = c_sigma * d.

    A Cholesky factorisation keeps the relative size of tiny weights at tiny bandwidths; an eigendecomposition does not.
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
    """Return a solver for each principle, and for the joint loss of the infimum, which needs `split` weights."""
    made = {name: Recipe(name) for name in ("infimum", "average", "supremum")}
    made["joint"] = Recipe("infimum", "joint")
    losses = {name: one.loss(space, sets) for name, one in made.items()}
    return {name: choose("auto", L).fit(L) for name, L in losses.items()}
