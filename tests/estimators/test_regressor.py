"""PartialRegressor: the paper's setting, scores from sets, prediction intervals, scikit-learn around it."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import make_scorer, mean_squared_error, r2_score
from sklearn.model_selection import GridSearchCV, PredefinedSplit, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import Balls, Chunks, Intervals, PartialRegressor, metrics, weights
from infimum.datasets import load, make_lost_sign
from infimum.solvers import ClosedForm, Piecewise
from infimum.weights import KernelRidge
from small_search import SMALL_SEARCH

X_TEST = np.linspace(0, 1, 200)[:, None]
Y_TEST = 3 + np.sin(10 * X_TEST[:, 0])


def best_error(problem, kernel, **settings):
    """The smallest test error over the paper's grid, as its figure is made (App. B.4.2)."""
    y = Intervals(problem.pieces)
    errors = [
        np.mean((PartialRegressor.paper(weights=KernelRidge(lam, kernel, sigma=sigma), **settings).fit(problem.data, y)
                 .predict(X_TEST) - Y_TEST) ** 2)
        for sigma in (1, 0.5, 0.1, 0.05, 0.01)
        for lam in (1e3, 1, 1e-3)
    ]  # fmt: skip
    return min(errors)


@pytest.mark.parametrize("kernel, infimum, average", [("laplacian", 0.01803, 5.2495), ("rbf", 0.02764, 5.2493)])
def test_the_papers_setting(kernel, infimum, average):
    """Against the authors' code, whose grid of 1,000 outputs with the loss of the text gives these errors (seed 0).

    The exact minimum is within 2 % of theirs on this seed, on the other side of it; with tol, chosen on test errors as
    the rest of the grid is, the error is smaller than both.
    """
    problem = make_lost_sign(random_state=0)
    assert best_error(problem, kernel) == pytest.approx(infimum, rel=0.02)
    assert best_error(problem, kernel, principle="average") == pytest.approx(average, abs=0.01)
    assert best_error(problem, kernel, solver=Piecewise(tol=1e-4)) <= infimum


@pytest.mark.slow
def test_twenty_draws_of_the_papers_setting():
    """The authors' grid: mean .0275, std .0093 for the infimum, 5.275 and .708 for the average.

    Ours uses the same draws, so that it is the mean itself that must not be larger, not a confidence interval.
    """
    problems = [make_lost_sign(random_state=seed) for seed in range(20)]
    infimum = [best_error(problem, "laplacian") for problem in problems]
    average = [best_error(problem, "laplacian", principle="average") for problem in problems]
    assert np.mean(infimum) <= 0.0275
    assert np.std(infimum) <= 0.0094
    assert np.mean(average) == pytest.approx(5.275, abs=0.01)
    assert np.std(average) == pytest.approx(0.708, abs=0.01)


@pytest.fixture(scope="module")
def mixed():
    """y = 2 sin 3x, given as values, intervals, half-lines, unions and unknown rows, in one column."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(300, 1))
    truth = 2 * np.sin(3 * X[:, 0])
    rows: list = []
    for y in truth:
        low, high = (float(v) for v in y + [-1, 1] * rng.exponential(0.3, size=2))
        kind = rng.integers(6)
        rows.append([float(y), (low, high), (low, math.inf), f"<={high}", [(low, high), (-high, -low)], None][kind])
    return X, truth, rows


def test_mixed_column_is_learned(mixed):
    X, truth, rows = mixed
    for loss in ("squared", "absolute"):
        model = PartialRegressor.paper(loss, weights=KernelRidge(lam=1e-3, sigma=0.2)).fit(X, rows)
        assert isinstance(model.solver_, Piecewise)
        assert np.mean((model.predict(X) - truth) ** 2) < 0.02
    # the values alone are a sixth of the rows and do worse
    exact = [isinstance(row, float) for row in rows]
    alone = PartialRegressor.paper(weights=KernelRidge(lam=1e-3, sigma=0.2)).fit(X[exact], truth[exact])
    assert isinstance(alone.solver_, ClosedForm)


def test_search_and_scorers(mixed):
    X, rows = mixed[0][:150], mixed[2][:150]
    model = make_pipeline(StandardScaler(), PartialRegressor(search_config=SMALL_SEARCH))
    inside = make_scorer(metrics.covering_rate)
    distance = make_scorer(metrics.mean_squared_distance, greater_is_better=False)
    grid = {"partialregressor__weights": [KernelRidge(lam) for lam in (1e-3, 1.0)]}
    assert cross_val_score(model, X, rows, cv=3).min() > 0.5
    for y in (rows, Intervals(rows)):
        search = GridSearchCV(model, grid, cv=3, scoring={"inside": inside, "distance": distance}, refit="distance")
        search.fit(X, y)
        assert search.best_params_["partialregressor__weights"].lam == 1e-3
        assert 0 < search.cv_results_["mean_test_inside"].max() <= 1


def test_scores_on_values_are_scikit_learns(rng):
    y, z, w = rng.normal(size=(3, 50))
    for weight in (None, np.abs(w)):
        assert metrics.r2(y, z, weight) == pytest.approx(r2_score(y, z, sample_weight=weight))
        assert metrics.mean_squared_distance(y, z, weight) == pytest.approx(
            mean_squared_error(y, z, sample_weight=weight)
        )
    assert metrics.covering_rate(y, np.where(w > 0, y, z)) == pytest.approx(np.mean(w > 0))


def test_scores_from_sets():
    y, z = [(0, 1), (2, math.inf), None, 4.0], [0.5, 1.0, 9.0, 4.0]
    assert metrics.covering_rate(y, z) == pytest.approx(2 / 3)  # the unlabelled row does not count
    assert metrics.mean_squared_distance(y, z) == pytest.approx(1 / 3)
    # the best constant for (0, 1), (2, inf), 4 is 7/3, at squared distances 16/9, 0, 0 and 25/9
    assert metrics.r2(y, z) == pytest.approx(1 - 1 / ((5 / 2 - 1) ** 2 + (4 - 5 / 2) ** 2))
    assert metrics.r2([(0, 2), (1, 3)], [1, 2]) == 1.0
    assert metrics.r2([(0, 2), (1, 3)], [1, 4]) == 0.0
    balls = Balls([[0.0, 0.0], [3.0, 0.0]], [1.0, 1.0])
    assert metrics.mean_squared_distance(balls, [[2.0, 0.0], [3.0, 0.0]]) == 0.5
    with pytest.raises(ValueError, match="y has 1 rows and the predictions have 2"):
        metrics.covering_rate([1.0], [1.0, 2.0])


def test_flat_minimum_is_answered_by_its_middle():
    model = PartialRegressor.paper(weights=weights.PrecomputedWeights()).fit(np.eye(3), [(0, 4), (1, 5), (-9, 9)])
    np.testing.assert_allclose(model.predict([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]]), [2.5, 2.0])


def test_tolerance_reports_what_it_gives_up(mixed):
    X, _, rows = mixed
    exact, near = (
        PartialRegressor.paper(weights=KernelRidge(sigma=0.2), solver=Piecewise(tol=tol)).fit(X, rows).minimum(X)
        for tol in (0.0, 1e-3)
    )
    np.testing.assert_allclose(near.bound, exact.value)
    assert (near.value >= exact.value).all()
    assert near.gap.max() > 0
    with pytest.raises(ValueError, match=r"'tol' parameter of Piecewise .* Got -1"):
        PartialRegressor.paper(solver=Piecewise(tol=-1)).fit(X, rows)


def test_saved_and_cloned(mixed):
    X, _, rows = mixed
    model = PartialRegressor(bounds=(-3, 3), search_config=SMALL_SEARCH).fit(X, rows)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))
    assert clone(model).bounds == (-3, 3)


def test_sample_weights_count_rows(mixed):
    X, _, rows = mixed
    counts = np.random.default_rng(0).integers(0, 3, size=60)
    twice = np.repeat(np.arange(60), counts)
    weighted = PartialRegressor(search_config=SMALL_SEARCH).fit(X[:60], rows[:60], sample_weight=counts)
    repeated = PartialRegressor(search_config=SMALL_SEARCH).fit(X[twice], [rows[i] for i in twice])
    np.testing.assert_allclose(weighted.minimum(X).value, repeated.minimum(X).value, atol=1e-8)


def test_real_intervals(data_home):
    """On intervals of real data, over the given folds, half of what the best constant leaves is explained."""
    bunch = load("intervals/H3K4me3_TDH_immune_FPOP", data_home=data_home, download=False)
    model = make_pipeline(StandardScaler(), PartialRegressor(search_config=SMALL_SEARCH))
    z = cross_val_predict(model, bunch.data, bunch.target, cv=PredefinedSplit(bunch.folds))
    assert metrics.r2(bunch.target, z) > 0.45
    assert metrics.covering_rate(bunch.target, z) > 0.5


def test_rows_in_blocks_agree(rng):
    X = rng.normal(size=(120, 3))
    y = X @ [1.0, -2.0, 0.5] + rng.normal(0, 0.1, size=120)
    model = PartialRegressor()
    whole = model.fit(X, y).predict(X)
    blocks = Chunks([(X[k : k + 40], y[k : k + 40]) for k in (0, 40, 80)])
    np.testing.assert_allclose(model.fit(blocks).predict(X), whole, atol=1e-8)


def test_rows_bad_for_different_reasons_are_refused_together():
    with pytest.raises(ValueError) as error:
        Intervals([3.5, (2, 1), "abc", (float("inf"), 1), []])
    lines = str(error.value).splitlines()
    assert lines[0] == "4 rows of y cannot be used."
    assert [line.split(":")[0] for line in lines[1:5]] == ["  row 1", "  row 2", "  row 3", "  row 4"]
