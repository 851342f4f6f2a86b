"""Candidates that are far behind on few rows, or in their first form, are not evaluated further."""

import numpy as np
import pytest

from infimum import PartialClassifier, PartialRegressor
from infimum.selection import SearchConfig

N = 600  # more than the rows of the first comparison
FEW = SearchConfig(gammas_regression=(1.0,), kernel_lams=(1e-3,), linear_lams=(1e-2,), n_trees=40, n_steps=0, n_folds=3)
"""All forests of the default, and few candidates of the other families."""


def weights_on(model, n):
    """The families that were evaluated on n rows."""
    return {one.weights for one in model.selection_.results if one.n == n}


def n_forests(model):
    """The number of different forests that were evaluated."""
    return len({one.text for one in model.selection_.results if one.weights == "forest"})


@pytest.mark.parametrize("boxes", [True, False])
def test_forests_are_compared_on_more_rows_unless_they_are_far_behind(boxes):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 10))
    scores = np.where(X[:, :3] > 0, 3.0, 0.0) if boxes else 3 * X @ rng.standard_normal((10, 3))
    sets = np.eye(3, dtype=bool)[scores.argmax(axis=1)] | (rng.random((N, 3)) < 0.2)
    model = PartialClassifier(search_config=FEW).fit(X, sets)
    assert "forest" in weights_on(model, 250)
    assert ("forest" in weights_on(model, N)) is boxes


@pytest.mark.parametrize("steps", [True, False])
def test_other_forests_of_numbers_are_grown_unless_the_first_is_far_behind(steps):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((N, 10))
    y = np.where(X[:, :2] > 0, 3.0, 0.0).sum(axis=1) if steps else X @ rng.standard_normal(10)
    bounds = np.column_stack([y - rng.random(N), y + rng.random(N)])
    model = PartialRegressor(search_config=FEW)
    assert n_forests(model.fit(X, bounds)) == (2 if steps else 1)
    bounds[0, 1] = np.inf  # a forest with a small likelihood may have the least set risk
    assert n_forests(model.fit(X, bounds)) == 2


def test_both_kinds_of_kernels_are_compared_on_more_rows_if_few_do_not_distinguish_them():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((N, 4))
    scores = X @ rng.standard_normal((4, 3)) + 0.75 * rng.gumbel(size=(N, 3))
    sets = np.eye(3, dtype=bool)[scores.argmax(axis=1)] | (rng.random((N, 3)) < 0.3)
    model = PartialClassifier(search_config=FEW).fit(X, sets)
    assert {one.kernel for one in model.selection_.results if one.n == N} >= {"rbf", "laplacian"}
