"""Automatic model selection: what is "auto" is selected from the sets, what is set explicitly is kept."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from sklearn.base import clone

from infimum import (
    Chunks,
    Disambiguation,
    InfimumWarning,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    outputs,
    weights,
)
from infimum.data import Table
from infimum.outputs import Labels
from infimum.recipe import Recipe
from infimum.selection import Candidate, SearchConfig, out_of_fold, select, select_recipe
from infimum.selection import evaluate as evaluation
from infimum.selection import search as searching
from infimum.selection.candidates import NOISY
from infimum.selection.evaluate import Evaluation, mean_scores, row_scores
from infimum.selection.rank import Rule
from infimum.selection.result import Result
from infimum.selection.row_scores import RowScores
from infimum.solvers import OrderSearch
from small_search import SMALL_SEARCH

FEW = SearchConfig().min_distinct_rows


@pytest.fixture(scope="module")
def blobs():
    rng = np.random.default_rng(0)
    truth = np.repeat([0, 1, 2], 20)
    X = 3 * np.eye(3)[truth] + rng.standard_normal((60, 3))
    return X, truth, np.eye(3, dtype=bool)[truth] | (rng.random((60, 3)) < 0.3)


def selected(model):
    """The selected weights."""
    params = model.selection_.best_params
    return {name: params[name] for name in params if name not in ("principle", "negative_weights")}


@pytest.fixture(scope="module")
def chosen(blobs):
    return PartialClassifier().fit(blobs[0], blobs[2])


def test_selection_result_describes_what_was_compared(chosen, blobs):
    X, truth, _ = blobs
    found = chosen.selection_
    assert np.mean(chosen.predict(X) == truth) > 0.9
    assert found.best.neg_set_risk == max(one.neg_set_risk for one in found.results if one.n == 60)
    assert found.best_params == found.best.params
    assert repr(found).splitlines()[0] == f"Selected from {len(found.results)} candidates by cross-validation:"
    assert found._repr_html_().count("<tr>") == 13
    families = {"kernel", "logistic", "forest", "neighbors", "constant"}
    assert {one.weights for one in found.results} in (families, families | {"mixture"})
    assert {one.weights for one in found.results if one.rows == "exact"} == {"forest"}
    assert {one.principle for one in found.results} == {"disambiguation", "infimum", "average", NOISY}
    columns = {"weights", "principle", "negative_weights", "neg_set_risk", "covering_rate", "seconds"}
    assert set(found.to_frame().columns) >= columns
    assert found.complete
    assert found.config == SearchConfig()


@pytest.mark.parametrize("family", ["linear", "kernel"])
def test_exact_rows_are_held_out_as_by_refits(blobs, family):
    X, _, mask = blobs
    space = Labels().fit(mask)
    problem = searching.search_problem(
        Recipe("auto", "auto", "auto"), Table(X, mask), space, space.read(mask), SMALL_SEARCH
    )
    data = problem.data(np.arange(len(X)))
    shape = {"kernel": "rbf", "gamma": 1.0} if family == "kernel" else {}
    one = Candidate(family, "standard", **shape, lam=1e-2, rows="exact")
    found, exact = data.kernels.holdout(one).predict(data.kernels.target.phi), mask.sum(axis=1) == 1
    for fold in data.kernels.folds:
        rest = np.setdiff1d(np.flatnonzero(exact), fold)
        K = data.kernels._kernel(one) if family == "kernel" else data.kernels._linear_kernel
        A = K[np.ix_(rest, rest)] + exact.sum() * 1e-2 * np.eye(len(rest))
        expected = K[np.ix_(fold, rest)] @ np.linalg.solve(A, data.kernels.target.phi[rest])
        np.testing.assert_allclose(found[fold], expected, atol=1e-8)


def test_mixture_of_families_is_selected_if_they_are_about_as_good():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((150, 4))
    y = (X @ rng.standard_normal((4, 3)) + (X[:, :1] > 0) * [2, 0, 0] + rng.gumbel(size=(150, 3))).argmax(axis=1)
    model = PartialClassifier().fit(X, y)
    assert "mixture" in {one.weights for one in model.selection_.results}
    best = model.selection_.best
    parts = getattr(model.weights_, "parts", [model.weights_])
    assert len(parts) == (len(best.parts.split("; ")) if best.weights == "mixture" else 1)


def test_out_of_fold_scores_are_those_of_the_selection_result(chosen, blobs):
    X, _, mask = blobs
    space = Labels().fit(mask)
    sets = space.read(mask)
    found = out_of_fold(chosen.recipe_, X, space, sets, cv=10)
    risk = -mean_scores(sets, found, row_scores(space, sets, found))["neg_set_risk"]
    assert risk == pytest.approx(-chosen.selection_.best.neg_set_risk, abs=2 / 60)


def test_selection_result_holds_plain_values_and_survives_pickling(chosen):
    again = pickle.loads(pickle.dumps(chosen.selection_))
    assert repr(again) == repr(chosen.selection_)
    assert again.best == chosen.selection_.best or again.best.params == chosen.selection_.best.params
    for one in again.results:
        assert {type(value) for value in vars(one).values()} <= {str, int, float}


def test_fit_does_not_depend_on_the_order_of_rows(chosen, blobs):
    X, _, mask = blobs
    order = np.random.default_rng(1).permutation(60)
    again = PartialClassifier().fit(X[order], mask[order])
    assert selected(again) == selected(chosen)
    assert again.selection_.best.principle == chosen.selection_.best.principle


def test_fit_does_not_depend_on_units(chosen, blobs):
    X, _, mask = blobs
    units = np.array([1000.0, 1.0, 1e-3])
    again = PartialClassifier().fit(X * units, mask)
    np.testing.assert_array_equal(again.predict(X * units), chosen.predict(X))


def test_fit_beyond_exact_kernels_does_not_depend_on_units_or_order(blobs):
    """The Nyström centres, and the subsample that is disambiguated first, are the same rows."""
    config = SearchConfig(forest_rows=(50, 0), linear_columns=0, exact_rows=40, center_bounds=(25, 25))
    X, truth, mask = blobs
    model = PartialClassifier(principle=Disambiguation(subset_size=29), search_config=config)
    one = clone(model).fit(X, mask)
    assert one.weights_.weights_.centers_.shape == (25, 3)
    assert one.selection_.config.exact_rows == 40
    assert np.mean(one.labels_ == truth) > 0.85
    assert len(one.confidence_) == 60
    order = np.random.default_rng(1).permutation(60)
    units = np.array([1000.0, 1.0, 1e-3])
    other = clone(model).fit((X * units)[order], mask[order])
    np.testing.assert_allclose(other.weights_.weights_.centers_, one.weights_.weights_.centers_, atol=1e-5)
    np.testing.assert_array_equal(other.predict(X * units), one.predict(X))
    np.testing.assert_array_equal(other.labels_, one.labels_[order])


def test_fit_keeps_parameters_that_are_set(blobs):
    X, _, mask = blobs
    family = weights.KernelRidge(lam=1e-3)
    model = PartialClassifier(principle="auto", weights=family).fit(X, mask)
    assert model.weights_.lam_ == 1e-3
    assert {one.weights for one in model.selection_.results} == {"KernelRidge"}
    model = PartialClassifier(principle="auto", negative_weights="joint", weights=family).fit(X, mask)
    assert {one.negative_weights for one in model.selection_.results} == {"joint"}
    model = PartialClassifier(principle="average").fit(X, mask)
    assert {one.principle for one in model.selection_.results} == {"average"}
    assert PartialClassifier.paper().fit(X, mask).selection_ is None
    cap = Disambiguation(cap=1.5)
    model = PartialClassifier(principle=cap).fit(X, mask)
    assert {one.principle for one in model.selection_.results} == {str(cap)}
    # nothing is compared if there is one candidate only
    assert PartialClassifier(principle="disambiguation", weights=family).fit(X, mask).selection_.results == []


@pytest.mark.parametrize(
    "make", [PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor, PartialEstimator]
)
def test_defaults_are_auto_and_paper_sets_all_parts(make):
    given = (outputs.Labels(),) if make is PartialEstimator else ()
    open_ = ("principle", "negative_weights", "weights")
    assert [make(*given).get_params()[name] for name in open_] == ["auto"] * 3
    assert [make.paper(*given).get_params()[name] for name in open_[:2]] == ["infimum", "inside"]
    assert repr(make.paper(*given).weights) == "KernelRidge()"
    assert repr(make.paper(*given, weights="forest").weights) == "Forest()"
    if make is PartialEstimator:
        assert make.paper(*given, "average").principle == "average"


def test_fit_with_few_rows_compares_nothing(blobs):
    X, _, mask = blobs
    model = PartialClassifier().fit(X[: FEW - 1], mask[: FEW - 1])
    assert model.selection_.results == []
    assert "fewer than 20 distinct rows" in repr(model.selection_)
    assert "fewer than 20 distinct rows" in model.selection_._repr_html_()
    assert model.selection_.best_params["principle"] == "infimum"
    assert model.recipe_.principle.name == "infimum"
    again = PartialClassifier().fit(np.repeat(X[:2], 30, axis=0), np.repeat(mask[:2], 30, axis=0))
    assert again.selection_.results == []
    assert PartialClassifier().fit(X[:FEW], mask[:FEW]).selection_.results


def test_fit_selects_for_rankings_and_numbers():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (40, 1))
    bounds = np.column_stack([np.sin(3 * X[:, 0]) - 0.1, np.sin(3 * X[:, 0]) + 0.3])
    model = PartialRegressor().fit(X, bounds)
    assert model.score(X, bounds) > 0.9
    y = [[("a", "b"), ("b", "c")] if x < 0 else [("c", "a")] for x in X[:, 0]]
    ranker = PartialRanker().fit(X, y)
    assert ranker.score(X, y) > 0.9
    assert {one.principle for one in ranker.selection_.results} >= {"disambiguation", "infimum", "average"}


def test_fit_raises_errors_that_name_the_parameter(blobs):
    X, _, mask = blobs
    space = Labels().fit(mask)
    with pytest.raises(ValueError, match="chunk 0: sets that are parsed already cannot be combined over chunks"):
        PartialClassifier().fit(Chunks([(X, space.read(mask))]))
    with pytest.raises(ValueError, match="'max_search_time' parameter of PartialClassifier must be"):
        PartialClassifier(max_search_time=-1).fit(X, mask)
    with pytest.raises(ValueError, match="negative_weights must be 'inside', 'joint' or 'auto'"):
        PartialClassifier(negative_weights="both").fit(X, mask)


@pytest.mark.parametrize("seed", range(3))
def test_the_constant_is_selected_if_nothing_is_better(seed):
    rng = np.random.default_rng(seed)
    X, config = rng.standard_normal((80, 4)), replace(SMALL_SEARCH, forests=SearchConfig().forests[:1])
    labels = np.eye(3, dtype=bool)[rng.choice(3, 80, p=[0.6, 0.2, 0.2])] | (rng.random((80, 3)) < 0.2)
    model = PartialClassifier(search_config=config).fit(X, labels)
    assert model.selection_.best.weights == "constant"
    assert set(model.predict(X)) == {0}
    t = rng.standard_normal(80)
    model = PartialRegressor(search_config=config).fit(X, np.column_stack([t - 0.5, t + 0.5]))
    assert "mixture" in {one.weights for one in model.selection_.results}
    assert model.predict(rng.standard_normal((500, 4))).std() < 0.25 * t.std()


def test_forests_find_a_relevant_feature_behind_intervals():
    """One relevant feature of twenty with a kink, which kernels on all features do not find."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (260, 20))
    t = np.abs(3 * X[:, 0]) - 1
    y = np.column_stack([t - rng.random(260), t + rng.random(260)])
    y[::7, 1] = np.inf
    config = SearchConfig(gammas=(1.0,), kernel_lams=(1e-3,), relevance_columns=0, n_trees=40, n_steps=0)
    model = PartialRegressor(search_config=config).fit(X[:160], y[:160])
    assert {one.weights for one in model.selection_.results} >= {"forest", "kernel", "constant"}
    assert np.mean((model.predict(X[160:]) - t[160:]) ** 2) < 0.1 * t.var()
    kernel = PartialRegressor(weights="kernel", search_config=config).fit(X[:160], y[:160])
    assert np.mean((kernel.predict(X[160:]) - t[160:]) ** 2) > 0.2 * t.var()


@pytest.mark.parametrize("side", [0, 1])
def test_bounds_in_one_direction_are_predicted_with_a_warning(side):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    bound = 10 + X[:, 0]
    y = np.full((120, 2), [-np.inf, np.inf])
    y[:, side] = bound
    with pytest.warns(InfimumWarning, match=f"only {('lower', 'upper')[side]} bounds"):
        model = PartialRegressor(search_config=SMALL_SEARCH).fit(X, y)
    assert np.mean((model.predict(X) - bound) ** 2) < 0.1 * bound.var()


@pytest.mark.parametrize("copies", ["equal", "near", "groups"])
def test_repeated_rows_do_not_make_noise_predictable(copies):
    """Forty things with five answers each, and features that are noise: held-out scores stay near chance."""
    rng = np.random.default_rng(0)
    thing = np.repeat(np.arange(40), 5)
    X = rng.standard_normal((40, 3))[thing]
    X += {"equal": 0.0, "near": 1e-7, "groups": 0.05}[copies] * rng.standard_normal(X.shape)
    y = np.where(rng.random(200) < 0.8, rng.integers(4, size=40)[thing], rng.integers(4, size=200))
    config = replace(SMALL_SEARCH, forests=SearchConfig().forests[:1])
    model = PartialClassifier(search_config=config).fit(X, y, groups=thing if copies == "groups" else None)
    forests = [one for one in model.selection_.results if one.weights == "forest"]
    assert forests
    assert max(one.covering_rate for one in forests) < 0.25 + 2 * np.sqrt(0.25 * 0.75 / 40)
    if copies == "groups":
        leaky = PartialClassifier(search_config=config).fit(X, y).selection_
        assert max(one.covering_rate for one in leaky.results) > 0.6
        with pytest.raises(ValueError, match="one entry for each of the 200 rows"):
            model.fit(X, y, groups=[1, 2])


def test_interrupted_search_keeps_the_best_so_far(blobs, monkeypatch):
    X, _, mask = blobs
    original, calls = evaluation._evaluate, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return original(*arguments)

    monkeypatch.setattr(evaluation, "_evaluate", interrupted)
    space = Labels().fit(mask)
    with pytest.warns(InfimumWarning, match="The search stopped after 12 candidates"):
        _, found = select_recipe(Recipe("auto", "auto", "auto"), Table(X, None), space, space.read(mask))
    assert not found.complete
    assert len(found.results) == 12


def test_search_over_budget_keeps_the_best_so_far(blobs):
    X, truth, mask = blobs
    with pytest.warns(InfimumWarning, match="The search stopped after [1-9]"):
        model = PartialClassifier(max_search_time=1e-9).fit(X, mask)
    assert not model.selection_.complete
    assert np.mean(model.predict(X) == truth) > 0.9


def test_verbose_shows_progress_and_n_jobs_changes_nothing(blobs, chosen, capsys):
    X, _, mask = blobs
    model = PartialClassifier(verbose=1, n_jobs=2).fit(X, mask)
    assert "candidates on 60 rows" in capsys.readouterr().err
    assert [one.neg_set_risk for one in model.selection_.results] == [
        one.neg_set_risk for one in chosen.selection_.results
    ]


@pytest.mark.parametrize("threads, n_jobs, used", [(3, None, 3), (1, None, 1), (3, 1, 1)])
def test_candidates_are_evaluated_in_blas_threads_unless_n_jobs_is_set(
    blobs, chosen, monkeypatch, threads, n_jobs, used
):
    asked = []
    parallel = evaluation.Parallel
    monkeypatch.setattr(evaluation, "Parallel", lambda n_jobs, **rest: asked.append(n_jobs) or parallel(n_jobs, **rest))
    monkeypatch.setattr(searching.threadpool_limits, "get_original_num_threads", lambda self: {"blas": threads})
    X, _, mask = blobs
    model = PartialClassifier(n_jobs=n_jobs, search_config=SearchConfig(parallel_rows=50)).fit(X, mask)
    assert {n or 1 for n in asked} == {used}
    assert [one.neg_set_risk for one in model.selection_.results] == [
        one.neg_set_risk for one in chosen.selection_.results
    ]


def test_fit_on_chunks_selects_on_a_sample(blobs):
    X, truth, mask = blobs
    cut = [(X[:25], mask[:25]), (X[25:], mask[25:])]
    model = PartialClassifier().fit(Chunks(cut))
    assert np.mean(model.predict(X) == truth) > 0.85
    assert model.selection_.best.n == 60
    again = PartialClassifier().fit(Chunks([(X[::-1], mask[::-1])]))
    assert selected(again) == selected(model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_fit_on_files_and_dask_selects_as_for_chunks(blobs, tmp_path):
    da, pd = pytest.importorskip("dask.array"), pytest.importorskip("pandas")
    X, _, mask = blobs
    here = PartialClassifier().fit(Chunks([(X[:30], mask[:30]), (X[30:], mask[30:])]))
    cluster = PartialClassifier().fit(da.from_array(X, chunks=(40, 3)), da.from_array(mask, chunks=(40, 3)))
    np.testing.assert_array_equal(cluster.predict(X), here.predict(X))
    text = ["|".join("abc"[k] for k in np.flatnonzero(row)) for row in mask]
    pd.DataFrame(X, columns=list("uvw")).assign(y=text).to_parquet(tmp_path / "rows.parquet")
    files = Chunks.parquet(tmp_path / "rows.parquet", "y", rows=25)
    named = PartialClassifier().fit(files)
    np.testing.assert_array_equal(
        named.predict(pd.DataFrame(X, columns=list("uvw"))), np.array(list("abc"))[here.predict(X)]
    )
    with pytest.raises(AttributeError, match="Labels of the training rows require disambiguation"):
        named.labels_  # noqa: B018


def evaluated(candidate, losses, likelihoods, miss=0.0):
    rows = RowScores(np.asarray(losses, float), np.asarray(likelihoods, float), None, miss=miss)
    scores = {"covering_rate": 0.0, "neg_set_risk": -np.mean(losses), "log_likelihood": np.mean(likelihoods)}
    return Evaluation(candidate, Result.of(candidate, len(losses), scores, 0.0), rows)


def test_select_by_both_scores_if_sets_miss_the_true_label():
    """The smoothest of almost equal candidates does not go first then, but the one with the smaller set risk."""
    random = np.random.default_rng(0)
    plain, likelihoods = random.normal(-2.0, 0.1, 100), random.normal(-1.0, 0.1, 100)
    smooth, rough = (Candidate("kernel", "standard", "rbf", 1.0, lam, principle=NOISY) for lam in (1e-2, 1e-4))
    found = [
        evaluated(Candidate("kernel", "standard", "rbf", 1.0, 1e-2, principle="disambiguation"), [0.5] * 100, plain),
        evaluated(smooth, [0] * 50 + [1] * 50, likelihoods, 0.2),
        evaluated(rough, [0] * 70 + [1] * 30, likelihoods + random.normal(0.0, 0.01, 100), 0.2),
    ]
    assert select(found, Rule(SearchConfig(), n_choices=1)).candidate == rough
    assert select(found, Rule(SearchConfig())).candidate == smooth


def test_select_by_likelihood_alone_for_regression_only():
    """For labels, families of disambiguation are also compared by the set risk."""

    found = [
        evaluated(Candidate("kernel", principle="disambiguation"), [0] * 9 + [1], [-1.0] * 10),
        evaluated(Candidate("forest", principle="disambiguation"), [0] * 5 + [1] * 5, [-0.9] * 10),
    ]
    assert select(found, Rule(SearchConfig())).candidate.weights == "kernel"
    assert select(found, Rule(SearchConfig(), regression=True)).candidate.weights == "forest"


def test_plot_has_one_line_per_principle(chosen):
    pytest.importorskip("matplotlib").use("Agg")
    display = chosen.selection_.plot()
    assert next(text.get_text() for text in display.axes_.get_yticklabels()).split(",")[0] in (
        "disambiguation", "infimum", "average",
    )  # fmt: skip
    assert display.axes_.get_legend_handles_labels()[1][-1] == "selected"
    assert display.axes_.get_xlabel().startswith("held-out set risk")


def test_search_over_rankings_needs_no_certificates(monkeypatch):
    """A proof for every held-out row of every setting took a quarter of an hour at eleven items."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    ranks = np.argsort(np.argsort(X @ rng.standard_normal((2, 9)), axis=1), axis=1) + 1.0
    ranks[rng.random(ranks.shape) < 0.3] = np.nan

    def proved(self, alpha):
        raise AssertionError("a proof was asked for")

    monkeypatch.setattr(OrderSearch, "minimise", proved)
    model = PartialRanker().fit(X, ranks)
    assert {one.principle for one in model.selection_.results} >= {"disambiguation", "infimum", "average"}
    assert not model.selection_.not_evaluated


def test_neighbours_step_back_to_the_same_candidate():
    config = SearchConfig()
    start = Candidate("kernel", "standard", "rbf", 1.0, 1e-5)
    down = next(one for one in start.neighbours(config) if one.lam < start.lam)
    assert start in down.neighbours(config)
    assert Candidate("forest", min_samples_leaf=1).neighbours(config) == []
    one, lams = Candidate("linear", "standard", lam=1e-5), []
    while one is not None and len(lams) < 9:
        lams.append(one.lam)
        one = next((lower for lower in one.neighbours(config) if lower.lam < one.lam), None)
    assert lams == [1e-5, 1e-6, 1e-7]


@pytest.mark.parametrize("n", [60, 1000])
def test_search_without_any_result_raises_with_the_reasons(n, rng, monkeypatch):
    def fail(*arguments, **named):
        raise ValueError("no such thing here")

    monkeypatch.setattr(evaluation, "predict_held_out", fail)
    with pytest.raises(ValueError, match=r"No candidate model could be evaluated. disambiguation.*no such thing here"):
        PartialClassifier().fit(rng.standard_normal((n, 3)), rng.integers(3, size=n))


def test_more_rows_are_compared_if_a_constant_is_selected():
    """A weak signal is found on 900 rows and not on 100; with a clear one, 100 rows are enough."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((900, 6))
    noise, more = rng.logistic(size=900), rng.random((900, 3)) < 0.5

    def compared(signal, rows):
        truth = 2 * (signal * X[:, 0] + noise > 0)
        config = SearchConfig(first_rows=60, second_rows=100, second_rows_noisy=rows)
        found = PartialClassifier(search_config=config).fit(X, np.eye(3, dtype=bool)[truth] | more).selection_
        return found.best_params["weights"], max(one.n for one in found.results)

    assert compared(0.7, 100) == ("constant", 100)
    assert compared(0.7, 900) == ("mixture", 900)
    assert compared(10.0, 900)[1] == 100
