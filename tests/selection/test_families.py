"""The name of a family of weights: features are scaled and hyperparameters tuned, as by default."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from infimum import Chunks, PartialClassifier, PartialRegressor, PartialSearch, clean_labels, weights
from infimum.data.errors import InfimumWarning
from infimum.diagnostics import audit
from infimum.selection import SearchConfig
from infimum.selection.candidates import Candidate
from infimum.weights import BY_NAME

FAMILIES = sorted(BY_NAME)


@pytest.fixture(scope="module")
def wine():
    """Wine, whose features differ in scale by a factor of a thousand: training rows with sets, and test rows."""
    X, y = load_wine(return_X_y=True)
    rng = np.random.RandomState(0)
    sets = np.eye(3, dtype=bool)[y] | (rng.rand(len(y), 3) < 0.3)
    train = rng.rand(len(y)) < 0.6
    return X[train], sets[train], X[~train], y[~train]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_named_family_is_scaled_and_tuned(wine, family):
    X, sets, queries, truth = wine
    model = PartialClassifier(weights=family).fit(X, sets)
    assert model.score(queries, truth) > 0.9
    assert {one.weights for one in model.selection_.results} == {family}
    assert len({one.text for one in model.selection_.results}) > 1


def test_forests_are_also_tuned_on_rows_that_kernels_would_be_compared_on_twice():
    rng = np.random.default_rng(0)
    n = int(1.5 * SearchConfig().first_rows) + 5
    X = rng.standard_normal((n, 4))
    sets = np.eye(3, dtype=bool)[(X[:, 0] > 0) + (X[:, 1] > 0).astype(int)] | (rng.random((n, 3)) < 0.3)
    selection = PartialClassifier(weights="forest").fit(X, sets).selection_
    assert {one.n for one in selection.results} == {n}
    assert len({one.text for one in selection.results}) > 1
    assert selection.best_params["principle"] == "disambiguation"


def test_the_family_is_tuned_for_a_principle_that_is_set(wine):
    X, sets, queries, truth = wine
    model = PartialClassifier(principle="infimum", negative_weights="inside", weights="kernel").fit(X, sets)
    assert model.score(queries, truth) > 0.9
    assert {one.principle for one in model.selection_.results} == {"infimum"}


def test_weights_objects_are_used_as_given(wine):
    X, sets, *_ = wine
    given = weights.KernelRidge(lam=1e-3)
    model = PartialClassifier(principle="infimum", negative_weights="inside", weights=given).fit(X, sets)
    assert model.selection_ is None
    assert repr(model.weights_) == repr(given)
    paper = PartialClassifier.paper().fit(X, sets)
    assert repr(paper.weights_) == "KernelRidge()"
    assert repr(PartialClassifier.paper(weights="nystrom").weights) == "Nystrom()"


def test_nystrom_is_fitted_in_the_end(wine):
    X, sets, *_ = wine
    assert isinstance(PartialClassifier(weights="nystrom").fit(X, sets).weights_.weights_, weights.Nystrom)


def test_units_do_not_matter_for_intervals():
    rng = np.random.RandomState(0)
    X = rng.rand(90, 3)
    y = 3 * X[:, 0] + X[:, 1]
    bounds = np.column_stack([y - rng.rand(90), y + rng.rand(90)])
    bounds[::9] = [-np.inf, np.inf]
    for family in ("kernel", "linear", "laplacian"):
        model = PartialRegressor(weights=family).fit(X * [1, 1, 1e4], bounds)
        assert np.sqrt(np.mean((model.predict(X * [1, 1, 1e4]) - y) ** 2)) < 0.4


@pytest.mark.parametrize("family", FAMILIES)
def test_few_rows_have_the_defaults_of_the_family(family):
    X, y = np.arange(8.0)[:, None], ["a", "a|b", "a", "a", "b", "b", "b|a", "b"]
    model = PartialClassifier(weights=family).fit(X, y)
    assert "too few" in model.selection_.reason
    assert BY_NAME[family].__name__ in repr(model.weights_)
    assert model.predict([[0.0], [7.0]]).tolist() == ["a", "b"]


def test_rows_in_chunks_need_a_family_that_supports_them(wine):
    X, sets, queries, truth = wine
    for family in ("forest", "neighbors", "laplacian"):
        with pytest.raises(ValueError, match="Chunked data requires"):
            PartialClassifier(weights=family).fit(Chunks.of(X, sets))
    for family in ("kernel", "nystrom", "linear"):
        assert PartialClassifier(weights=family).fit(Chunks.of(X, sets)).score(queries, truth) > 0.9


def test_errors_of_the_family_are_raised(wine):
    X, sets, *_ = wine
    with pytest.raises(ValueError, match="Laplacian does not support sample weights"):
        PartialClassifier(weights="laplacian").fit(X, sets, 1.0 + np.arange(len(X)))
    with pytest.raises(ValueError, match=r"weights must be one of 'auto', 'kernel'.*Got 'kernl' instead"):
        PartialClassifier(weights="kernl").fit(X, sets)


def test_other_functions_accept_names(wine):
    X, sets, queries, truth = wine
    search = PartialSearch(PartialClassifier(weights="neighbors")).fit(X, sets)
    assert search.score(queries, truth) > 0.9
    assert search.best_params_["weights"] == "neighbors"
    assert PartialSearch(PartialClassifier(weights="nystrom"), gammas=(1.0,)).fit(X, sets).score(queries, truth) > 0.9
    found = clean_labels(X, sets, weights="linear")
    assert sets[np.arange(len(X)), found.labels].all()
    assert len(audit(X, sets, weights="kernel").suspects) < 20


def test_a_budget_keeps_the_family(wine):
    X, sets, *_ = wine
    with pytest.warns(InfimumWarning, match="The search stopped"):
        model = PartialClassifier(weights="forest", max_search_time=1e-6).fit(X, sets)
    assert isinstance(model.weights_, weights.Forest)


def test_wide_tables_of_numbers_are_compared_with_boosting_and_a_linear_model_in_dual_form(rng):
    X = rng.standard_normal((90, 301))
    y = X[:, :20].sum(axis=1)
    model = PartialRegressor(search_config=SearchConfig(kernel_lams=(1e-3,), n_trees=30, n_steps=0))
    model.fit(X, np.column_stack([y - rng.random(90), y + rng.random(90)]))
    assert {"boosting", "linear"} <= {one.weights for one in model.selection_.results}


def test_linear_ridge_in_dual_form_has_the_same_predictions(rng):
    X, phi, queries = rng.standard_normal((30, 50)), rng.standard_normal((30, 2)), rng.standard_normal((5, 50))
    linear = Candidate("linear", "standard", lam=0.1)
    dual = linear.build(30, SearchConfig(), n_features=50).fit(X)
    primal = linear.build(30, SearchConfig()).fit(X)
    assert isinstance(dual.weights_, weights.KernelRidge)
    np.testing.assert_allclose(dual(queries) @ phi, primal(queries) @ phi, atol=1e-3)
