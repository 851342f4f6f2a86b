"""Scores from candidate sets, in scikit-learn's searches and in PartialSearch."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, KFold, ShuffleSplit, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import (
    CandidateLabels,
    Disambiguation,
    DisambiguationClassifier,
    HammingBalls,
    InfimumWarning,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialRegressor,
    PartialSearch,
    clean_labels,
    outputs,
    weights,
)
from infimum.selection import SCORERS, get_scorer, left_out_scores
from infimum.selection import record as searching
from infimum.selection.scorers import beyond_chance, covered, risk
from small_search import SMALL_SEARCH

KERNEL = weights.KernelRidge(lam=1e-2, gamma=0.3)


@pytest.fixture
def data(rng):
    truth = np.arange(90) % 3
    X = 2 * np.eye(3)[truth] + 0.6 * rng.standard_normal((90, 3))
    return X, truth, np.eye(3, dtype=bool)[truth] | (rng.random((90, 3)) < 0.4)


def test_covered_and_beyond_chance_by_hand():
    sets = CandidateLabels([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 1, 0]], np.arange(3))
    z = np.array([0, 0, 0, 1])
    assert covered(sets, z) == 1
    assert beyond_chance(sets, z) == 1
    # class 0 is in 3 of 4 sets: saying it always covers 3/4 and has no skill
    always = np.zeros(4, int)
    assert covered(sets, always) == 0.75
    assert beyond_chance(sets, always) == 0
    everything = CandidateLabels(np.ones((4, 3)), np.arange(3))
    assert beyond_chance(everything, z) == 0
    space = outputs.Labels("ordinal", classes=range(3)).fit([])
    assert risk(space, space.read(sets), np.full(4, 2)) == pytest.approx((1 + 0 + 2 + 1) / 4)


@pytest.mark.parametrize("name", SCORERS)
def test_get_scorer_in_a_grid_search(name, data):
    X, truth, mask = data
    model = make_pipeline(StandardScaler(), PartialClassifier(probabilities="temperature", search_config=SMALL_SEARCH))
    cv = KFold(3, shuffle=True, random_state=0)
    grid = {"partialclassifier__weights": [weights.KernelRidge(gamma=1e-6), "auto"]}  # the first one sees a constant
    search = GridSearchCV(model, grid, scoring=get_scorer(name), cv=cv).fit(X, CandidateLabels(mask))
    assert search.best_params_["partialclassifier__weights"] == "auto"
    assert np.mean(search.predict(X) == truth) > 0.9
    assert np.isfinite(get_scorer(name)(search, X, mask))  # a search is a model too


def test_scorers_together_in_a_grid_search(data):
    X, _, mask = data
    search = GridSearchCV(
        PartialClassifier(probabilities="temperature", search_config=SMALL_SEARCH), {"weights": ["kernel", "linear"]},
        scoring=SCORERS, refit="covering_rate", cv=KFold(3),
    ).fit(X, CandidateLabels(mask))  # fmt: skip
    assert {f"mean_test_{name}" for name in SCORERS} <= set(search.cv_results_)


def test_get_scorer_for_other_outputs_and_models(data):
    X, truth, mask = data
    tags = np.where(np.eye(3)[truth] > 0, 1, -1)
    model = PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(X, tags)
    score = get_scorer("neg_set_risk")
    assert -0.3 < score(model, X, tags) <= 0
    assert score(model, X, HammingBalls(tags, 1)) >= score(model, X, tags)
    assert score(model, X, HammingBalls(-tags, 0)) < -2
    other = LogisticRegression().fit(X, truth)
    assert get_scorer("covering_rate")(other, X, mask) >= other.score(X, truth)
    clean = DisambiguationClassifier(weights=KERNEL).fit(X, mask)
    assert get_scorer("set_log_likelihood")(clean, X, mask) > np.log(0.7)
    assert (
        cross_val_score(clean, X, CandidateLabels(mask), scoring=get_scorer("covering_rate"), cv=KFold(3)).min() > 0.9
    )


def test_get_scorer_raises_errors_that_explain(data):
    X, _, mask = data
    with pytest.raises(ValueError, match="name must be one of"):
        get_scorer("accuracy")
    with pytest.raises(ValueError, match="predict_proba"):
        get_scorer("set_log_likelihood")(PartialClassifier.paper().fit(X, mask), X, mask)
    with pytest.raises(ValueError, match="same number"):
        get_scorer("covering_rate")(PartialClassifier(search_config=SMALL_SEARCH).fit(X, mask), X, mask[:3])


@pytest.mark.parametrize(
    "settings",
    [{}, {"negative_weights": "joint"}, {"principle": "average"}, {"principle": "supremum"}, {"cost": "ordinal"}],
    ids=repr,
)
def test_left_out_scores_equal_refits(settings, rng):
    truth = np.arange(24) % 3
    X = np.eye(3)[truth] + 1.5 * rng.standard_normal((24, 3))
    mask = np.eye(3, dtype=bool)[truth] | (rng.random((24, 3)) < 0.4)
    found = left_out_scores(PartialClassifier.paper(weights=KERNEL, **settings), X, mask)
    keep = weights.KernelRidge(lam=1e-2 * 24 / 23, gamma=0.3)  # n lam is kept
    rest = [np.delete(np.arange(24), i) for i in range(24)]
    model = PartialClassifier.paper(weights=keep, **settings)
    z = [model.fit(X[r], mask[r]).predict(X[[i]])[0] for i, r in enumerate(rest)]
    labelled = ~mask.all(axis=1)
    sets, z = CandidateLabels(mask[labelled], np.arange(3)), np.array(z)[labelled]
    assert found["covering_rate"] == pytest.approx(covered(sets, z))
    assert found["chance_corrected"] == pytest.approx(beyond_chance(sets, z))


def test_left_out_scores_of_disambiguation(data):
    X, _, mask = data
    model = make_pipeline(StandardScaler(), PartialClassifier(principle="disambiguation", weights=KERNEL))
    left, held = left_out_scores(model, X, mask), left_out_scores(model, X, mask, cv=5)
    assert left["covering_rate"] > 0.9
    assert held["covering_rate"] > 0.9
    assert held["log_likelihood"] < 0
    assert left["neg_set_risk"] == pytest.approx(left["covering_rate"] - 1)
    with pytest.raises(ValueError, match="requires a model of this library"):
        left_out_scores(LogisticRegression(), X, mask)


def test_search_finds_the_scaling(rng):
    """One informative feature has a small scale: only standardised features show it."""
    truth = np.arange(120) % 2
    X = np.column_stack([truth + 0.1 * rng.standard_normal(120), 1e4 * rng.standard_normal(120)])
    mask = np.eye(2, dtype=bool)[truth] | (rng.random((120, 2)) < 0.5)
    search = PartialSearch(scalings=["none", "standard"]).fit(X, mask)
    assert search.best_params_["scaling"] == "standard"
    assert np.mean(search.labels_ == truth) > 0.95
    assert search.score(X, truth) > 0.95
    found = search.cv_results_
    assert len(found["params"]) == len(found["param_gamma"]) == 12
    assert found["params"][search.best_index_] == search.best_params_
    assert found["rank_test_score"][search.best_index_] == 1
    assert search.best_score_ == found["mean_test_score"].max() == found["mean_test_log_likelihood"].max()
    frame = search.to_frame()
    assert frame["mean_test_log_likelihood"].is_monotonic_decreasing
    assert frame.loc[0, "param_scaling"] == "standard"


def test_search_scores_are_those_of_the_model(data):
    """`cv_results_` holds the `left_out_scores` of the model of each candidate."""
    X, _, mask = data
    names = ["disambiguation", "infimum", "joint", "average"]
    search = PartialSearch(scalings=["none"], gammas=[1.0], principles=names).fit(X, mask)
    found = search.cv_results_
    assert len(found["params"]) == 8
    for row, params in enumerate(found["params"]):
        candidate = search._configured(PartialClassifier(), params, found["median_distance"][row])
        again = left_out_scores(candidate, X, mask, cv=5)
        for name in ("covering_rate", "chance_corrected", "neg_set_risk", "log_likelihood"):
            assert again[name] == pytest.approx(found[f"mean_test_{name}"][row], nan_ok=True)


def test_search_with_a_splitter_uses_its_folds(data):
    X, _, mask = data
    cv = KFold(4, shuffle=True, random_state=0)
    search = PartialSearch(scalings=["none"], kernels=["rbf"], gammas=[1.0], principles=["average"], cv=cv).fit(X, mask)
    n_inside = 0
    for train, test in cv.split(X):
        median = search.cv_results_["median_distance"][0]
        candidate = search._configured(PartialClassifier(), search.best_params_, median)
        ratio = len(X) / len(train)  # the ridge n lam is kept
        candidate.weights.set_params(lam=search.best_params_["lam"] * ratio)
        z = candidate.fit(X[train], mask[train]).predict(X[test])
        labelled = ~mask[test].all(axis=1)
        n_inside += mask[test][np.arange(len(test)), z][labelled].sum()
    n_labelled = (~mask.all(axis=1)).sum()
    assert search.cv_results_["mean_test_covering_rate"][0] == pytest.approx(n_inside / n_labelled)
    with pytest.raises(ValueError, match="The test folds of cv must contain each row once"):
        PartialSearch(cv=ShuffleSplit(3, random_state=0)).fit(X, mask)


def test_search_of_numbers_accepts_unlabelled_rows(rng):
    X = rng.uniform(-1, 1, (40, 2))
    y = [None if i % 9 == 4 else (x[0] - 0.1, x[0] + 0.2) for i, x in enumerate(X)]
    assert PartialSearch(PartialRegressor()).fit(X, y).score(X, X[:, 0]) > 0.9
    labels = clean_labels(X, y, output=outputs.Reals()).labels
    assert labels.shape == (40,)
    assert np.abs(labels - X[:, 0]).mean() < 0.1


def test_search_selects_the_rule_for_negative_weights(rng):
    """Only one class is ever blurred, and often: the joint loss separates it from the others, the other does not."""
    truth = rng.choice(3, 300, p=[0.5, 0.25, 0.25])
    X = 0.6 * np.eye(3)[truth] @ rng.standard_normal((3, 40)) + rng.standard_normal((300, 40))
    mask = np.eye(3, dtype=bool)[truth] | ((truth == 0)[:, None] & (rng.random((300, 3)) < 0.8))
    search = PartialSearch(principles=["infimum", "joint"], lams=[1e-4], kernels=["rbf"]).fit(X[:200], mask[:200])
    assert (search.best_params_["principle"], search.best_params_["negative_weights"]) == ("infimum", "joint")
    assert search.best_estimator_.negative_weights == "joint"
    inside = clone(search.best_estimator_).set_params(negative_weights="inside")
    inside.fit(X[:200], mask[:200])
    assert search.score(X[200:], truth[200:]) > inside.score(X[200:], truth[200:]) + 0.1


def test_search_for_other_outputs(data):
    X, truth, _ = data
    tags = np.where(np.eye(3)[truth] > 0, 1, -1)
    search = PartialSearch(PartialMultilabelClassifier(), gammas=[1.0]).fit(X, HammingBalls(tags, 1))
    assert set(search.cv_results_["param_principle"]) == {"infimum"}
    assert search.best_score_ > -0.2
    assert search.predict(X).shape == (90, 3)
    known = PartialSearch(PartialMultilabelClassifier(), gammas=[1.0]).fit(X, tags * (np.arange(90) % 2)[:, None])
    assert np.mean(known.labels_ == tags) > 0.95


def test_search_keeps_the_parameters_of_disambiguation(data):
    X, _, mask = data
    model = PartialClassifier(principle=Disambiguation(cap=1.5, threshold=None))
    search = PartialSearch(model, gammas=[1.0]).fit(X, mask)
    assert search.best_estimator_.principle.cap == 1.5
    assert clone(search).get_params()["estimator__principle__cap"] == 1.5


def test_search_keeps_the_parameters_of_the_estimator(data):
    X, _, mask = data
    model = PartialClassifier(weights=KERNEL, principle="average")
    search = PartialSearch(model).fit(X, mask)
    assert search.best_estimator_.weights is not KERNEL
    assert repr(search.best_estimator_.weights) == repr(KERNEL)
    assert (search.best_params_["principle"], search.best_params_["weights"]) == ("average", "KernelRidge")
    assert len(search.cv_results_["params"]) == 1
    found = PartialSearch(PartialClassifier(weights=KERNEL), principles=["infimum", "joint", "average"]).fit(X, mask)
    assert list(found.cv_results_["param_principle"]) == ["infimum", "infimum", "average"]
    assert list(found.cv_results_["param_negative_weights"]) == ["inside", "joint", "inside"]
    assert found.best_estimator_.weights_.lam_ == 1e-2
    joint = PartialSearch(PartialClassifier(principle="infimum", negative_weights="joint"), gammas=[1.0]).fit(X, mask)
    assert set(joint.cv_results_["param_negative_weights"]) == {"joint"}
    assert joint.best_estimator_.negative_weights == "joint"
    with pytest.raises(ValueError, match="would replace what is set in the estimator, principle='average'"):
        PartialSearch(model, principles=["infimum"]).fit(X, mask)


def test_interrupted_search_keeps_the_best_so_far(data, monkeypatch):
    X, truth, mask = data
    original, calls = searching.evaluate, []

    def interrupted(*arguments):
        for one in original(*arguments):
            calls.append(one)
            if len(calls) == 4:
                raise KeyboardInterrupt
            yield one

    monkeypatch.setattr(searching, "evaluate", interrupted)
    with pytest.warns(InfimumWarning, match="interrupted after 3 of 12 candidates"):
        search = PartialSearch().fit(X, mask)
    assert len(search.cv_results_["params"]) == 3
    assert np.mean(search.predict(X) == truth) > 0.9
    calls[:] = [None] * 3
    with pytest.raises(KeyboardInterrupt):
        PartialSearch().fit(X, mask)


def test_search_is_a_model(data):
    X, _, mask = data
    search = PartialSearch(gammas=[1.0]).fit(X, mask)
    np.testing.assert_array_equal(search.classes_, [0, 1, 2])
    np.testing.assert_array_equal(search.predict_proba(X).argmax(axis=1), search.predict(X))
    assert search.decision_function(X).shape == (90, 3)
    assert cross_val_score(PartialSearch(gammas=[1.0]), X, CandidateLabels(mask), cv=KFold(3)).mean() > 0.9
    with pytest.raises(AttributeError):
        PartialSearch().labels_  # noqa: B018


@pytest.mark.parametrize(
    "settings, message",
    [
        ({"scalings": ["log"]}, "'scalings' parameter of PartialSearch must be a list of some of"),
        ({"kernels": ["poly"]}, "'kernels' parameter of PartialSearch must be a list of some of"),
        ({"principles": ["median"]}, "'principles' parameter of PartialSearch must be a list of some of"),
        ({"scoring": "accuracy"}, "'scoring' parameter of PartialSearch must be"),
        ({"cv": 1}, "'cv' parameter of PartialSearch must be"),
        ({"estimator": LogisticRegression()}, "estimator must be"),
    ],
)
def test_search_raises_errors_that_name_the_parameter(settings, message, data):
    with pytest.raises(ValueError, match=message):
        PartialSearch(**settings).fit(data[0], data[2])


def test_search_verbose_shows_progress(data, capsys):
    PartialSearch(gammas=[1.0], verbose=1).fit(data[0], data[2])
    assert "candidates" in capsys.readouterr().err


def test_search_display_plots_all_scores(data):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    from infimum.plotting import DisambiguationDisplay, SearchDisplay

    X, _, mask = data
    search = PartialSearch(principles=["disambiguation", "infimum"], lams=[1e-5, 1e-3]).fit(X, mask)
    display = SearchDisplay.from_search(search)
    drawn = np.concatenate([line.get_ydata() for axis in display.axes_ for line in axis.get_lines()])
    assert set(search.cv_results_["mean_test_neg_set_risk"]) <= set(drawn)
    assert display.axes_[0].get_ylabel() == "held-out set risk, negated"
    only = SearchDisplay.from_search(PartialSearch(gammas=[0.5, 1.0]).fit(X, mask))
    assert only.axes_[0].get_ylabel() == "held-out log-likelihood of the sets"
    picture = DisambiguationDisplay.from_result(search.disambiguation_ or PartialSearch().fit(X, mask).disambiguation_)
    heights = [patch.get_height() for axis in picture.axes_ for patch in axis.patches]
    assert sum(heights) == 2 * 90
    matplotlib.pyplot.close("all")
