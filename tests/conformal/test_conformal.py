"""Conformal: what it returns, its errors, and that it is reproducible."""

import pickle
import warnings
from itertools import cycle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import (
    Disambiguation,
    DisambiguationClassifier,
    InfimumWarning,
    InputError,
    Intervals,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    outputs,
    solvers,
)
from infimum.conformal import Conformal, Kendall, LossBalls, Score
from small_search import SMALL_SEARCH

from .problems import NAMES, PROBLEMS, RIDGE, draw_labels, draw_numbers

pytestmark = pytest.mark.filterwarnings("ignore:.* of the prediction sets contain all outputs")
CLASSIFIER = PartialClassifier(principle="average", negative_weights="inside", weights=RIDGE)
REGRESSOR = PartialRegressor(principle="infimum", negative_weights="inside", weights=RIDGE)


@pytest.fixture
def rows(rng):
    return draw_labels(rng, 200)


@pytest.mark.parametrize("name, method", [*zip(PROBLEMS, cycle(["split", "cv+"])), ("labels", "cv+")])
def test_predicted_sets_feed_an_estimator(name, method, rng):
    """They are sets of the structure: they print, split by row, and are learned from like any other.

    Sets of small loss, which models without linear loss give for tags, cannot be learned from.
    """
    problem = PROBLEMS[name]
    X, sets, _ = problem.draw(rng, 80)
    made = Conformal(problem.model, 0.8, "set", method=method).fit(X, sets)
    found = made.predict_set(X[:40])
    assert type(found[3:5]).__name__ in repr(found)
    if isinstance(found, LossBalls):
        assert name == "Hamming balls"
        with pytest.raises(InputError, match=r"Sets of tags are PartialTags or HammingBalls. Got"):
            clone(problem.model).fit(X[:40], found)
        return
    keep = np.flatnonzero(found.size > 0) if name in ("labels", "costs") else np.arange(40)
    again = clone(problem.model).fit(X[:40][keep], found[keep])
    assert len(again.predict(X)) == 80
    assert made.predict(X).shape == made.estimator_.predict(X).shape


def test_fit_is_reproducible(rows):
    X, sets, _ = rows
    for method in ("split", "cv+"):
        made, again = (Conformal(CLASSIFIER, method=method, random_state=3).fit(X, sets) for _ in range(2))
        np.testing.assert_array_equal(made.predict_set(X).mask, again.predict_set(X).mask)
        copy = pickle.loads(pickle.dumps(made))
        np.testing.assert_array_equal(made.predict_set(X).mask, copy.predict_set(X).mask)
    other = Conformal(CLASSIFIER, random_state=4).fit(X, sets)
    assert not np.array_equal(other.scores_, Conformal(CLASSIFIER, random_state=3).fit(X, sets).scores_)
    assert clone(made).get_params()["method"] == "cv+"
    assert not hasattr(clone(made), "estimator_")
    assert CLASSIFIER.get_params() == made.estimator.get_params()


@pytest.mark.parametrize("name, method", [*zip(["labels", "numbers", "rankings", "vectors"], cycle(["split", "cv+"]))])
def test_saved_by_skops(name, method, rng):
    """A saved model holds types of the list alone."""
    import skops.io

    from infimum.io import TRUSTED_TYPES

    X, sets, _ = PROBLEMS[name].draw(rng, 60)
    score = "scaled" if name in ("numbers", "vectors") else "auto"
    made = Conformal(PROBLEMS[name].model, 0.8, "set", score, method).fit(X, sets)
    copy = skops.io.loads(skops.io.dumps(made), trusted=TRUSTED_TYPES)
    np.testing.assert_allclose(copy.predict_set(X).size, made.predict_set(X).size)


def test_predict_set_is_the_same_for_prefit_frames_and_pipelines(rows):
    """Fitted by itself or before, in a frame, in a pipeline, with y as names or sets."""
    X, sets, _ = rows
    made = Conformal(CLASSIFIER, 0.8, "set", random_state=0).fit(X, sets)
    order = np.random.RandomState(0).permutation(200)
    model = clone(CLASSIFIER).fit(X[order[60:]], sets[order[60:]])
    by_hand = Conformal(model, 0.8, "set", prefit=True).conformalize(X[order[:60]], sets[order[:60]])
    expected = made.predict_set(X).mask
    np.testing.assert_array_equal(by_hand.predict_set(X).mask, expected)
    frame, cells = pd.DataFrame(X, columns=["u", "v"]), ["|".join(NAMES[row]) for row in sets.mask]
    named = Conformal(CLASSIFIER, 0.8, "set", random_state=0).fit(frame, cells)
    np.testing.assert_array_equal(named.predict_set(frame[["v", "u"]]).mask, expected)
    piped = Conformal(make_pipeline(StandardScaler(), CLASSIFIER), 0.8, "set").fit(X, sets)
    scaler = StandardScaler().fit(X[order[60:]])
    plain = Conformal(clone(CLASSIFIER).fit(scaler.transform(X[order[60:]]), sets[order[60:]]), 0.8, "set", prefit=True)
    plain.conformalize(scaler.transform(X[order[:60]]), sets[order[:60]])
    np.testing.assert_array_equal(piped.predict_set(X).mask, plain.predict_set(scaler.transform(X)).mask)


@pytest.mark.parametrize(
    "model",
    [
        DisambiguationClassifier(LogisticRegression(), weights=RIDGE, how=Disambiguation(threshold=None)),
        PartialSearch(gammas=[1.0], kernels=["rbf"], scalings=["standard"]),
        PartialEstimator(outputs.Labels(), principle="average", negative_weights="inside", weights=RIDGE),
        PartialClassifier("ordinal"),
    ],
    ids=lambda m: type(m).__name__,
)
def test_fit_with_other_models_of_labels(model, rows):
    X, sets, _ = rows
    made = Conformal(model, 0.9, "set").fit(X[:150], sets[:150])
    assert made.check(X[150:], sets[150:]).meets > 0.7
    assert made.predict_set(X[150:]).classes.tolist() == NAMES.tolist()


def test_predict_set_with_too_few_rows_is_everything(rows):
    X, sets, _ = rows
    few = "all outputs. There are 8 calibration rows, and confidence_level=0.9 requires at least 9"
    with pytest.warns(InfimumWarning, match=few):
        made = Conformal(CLASSIFIER.fit(X, sets), 0.9, prefit=True).conformalize(X[:8], sets[:8])
    assert (made.predict_set(X[:5]).sizes == 4).all()
    assert made.check(X, sets).p_value == 1
    assert (made.predict_set(X[:5], confidence_level=0.5).sizes < 4).any()
    with pytest.warns(InfimumWarning, match=few):
        numbers = Conformal(REGRESSOR.fit(X, X[:, 0]), 0.9, prefit=True).conformalize(X[:8], X[:8, 0])
    assert numbers.predict_set(X[:3]).is_unlabelled.all()
    bounded = PartialRegressor(bounds=(-2, 2), search_config=SMALL_SEARCH)
    with pytest.warns(InfimumWarning, match=few):
        numbers = Conformal(bounded.fit(X, X[:, 0]), 0.9, prefit=True).conformalize(X[:8], X[:8, 0])
    assert np.asarray(numbers.predict_set(X[:1])).ravel().tolist() == [-2, 2]


@pytest.mark.parametrize("method", ["split", "cv+"])
def test_one_sided_intervals_that_make_all_prediction_sets_unbounded(method, rng):
    """The default model: a warning says why, and each remedy that it names gives bounded intervals."""
    X = rng.uniform(0, 4, (100, 1))
    y = [f"{x + 0.5:.2f}" if x > 1 else "<1.5" for x in X[:, 0]]
    settings = {"confidence_level": 0.8, "method": method, "cv": 3}
    model = PartialRegressor(search_config=SMALL_SEARCH)
    why = (
        r"Every prediction set contains all outputs\. \d+ of the \d+ calibration rows have an unbounded set or no label"
    )
    with pytest.warns(InfimumWarning, match=why) as caught:
        found = Conformal(model, **settings).fit(X, y).predict_set(X[:3])
    assert np.isinf(found.size).all()
    assert "covers='set', or bounds=(low, high)" in str(caught[0].message)
    assert np.isfinite(Conformal(model, covers="set", **settings).fit(X, y).predict_set(X[:3]).size).all()
    bounded = clone(model).set_params(bounds=(0, None))
    assert np.isfinite(Conformal(bounded, **settings).fit(X, y).predict_set(X[:3]).size).all()


def test_predict_set_may_be_empty_with_lac(rng):
    """LAC at a low level: no label fits. Such rows are rejected, and raise an error as y."""
    X, _, truth = draw_labels(rng, 400)
    model = PartialClassifier(probabilities="temperature")
    made = Conformal(model, 0.3, score="lac").fit(X, truth)
    found = made.predict_set(X)
    assert (found.sizes == 0).any()
    z = made.predict(X, reject=1)
    np.testing.assert_array_equal(z.mask, found.sizes != 1)
    np.testing.assert_array_equal(z.compressed(), made.predict(X)[found.sizes == 1])
    row = int(np.argmax(found.sizes == 0))
    with pytest.raises(InputError, match=rf"row {row}: an empty set of candidates"):
        clone(CLASSIFIER).fit(X, found)
    aps = Conformal(model, 0.3, score="aps").fit(X, truth)
    assert aps.predict_set(X).sizes.min() == 1


def test_predict_set_contains_ties():
    """Scores that are all alike: every class, or none less than asked."""
    model = PartialClassifier(classes=list("abc"))
    model.fit(np.eye(3), list("abc"))
    X = np.full((20, 3), 1 / 3)
    made = Conformal(model, 0.5, prefit=True, score="regret").conformalize(X, list("ab") * 10)
    assert (made.predict_set(X).sizes == 3).all()


def test_reject_and_risk_coverage(rng):
    X, sets, truth = draw_numbers(rng, 400)
    made = Conformal(REGRESSOR, 0.8, score="scaled").fit(X[:300], sets[:300])
    z, size = made.predict(X[300:], reject=1.0), made.predict_set(X[300:]).size
    np.testing.assert_array_equal(z.mask, size > 1.0)
    low, exact = (made.risk_coverage(X[300:], y[300:]) for y in (sets, truth))
    np.testing.assert_allclose(exact.low, exact.high)
    assert (low.low <= exact.low + 1e-9).all()
    assert (exact.high <= low.high + 1e-9).all()
    assert exact.coverage[-1] == 1
    assert exact.low[len(exact.low) // 3] < exact.low[-1]  # what is accepted first is better
    most = np.sort(size)[49] * (1 + 1e-9)  # sizes tie, some of them but for the last digit
    by_hand = np.flatnonzero(size <= most)
    at = np.searchsorted(exact.doubt, most, side="right") - 1
    errors = (made.predict(X[300:])[by_hand] - truth.lowest[300:][by_hand]) ** 2
    assert exact.low[at] == pytest.approx(errors.mean())
    open_rows = Intervals([(0, np.inf)] * 100)
    assert np.isinf(made.risk_coverage(X[300:], open_rows).high).all()
    rank = Conformal(PROBLEMS["rankings"].model, 0.8).fit(X[:100], PROBLEMS["rankings"].draw(rng, 100)[1])
    hidden = rank.predict(X[:5], reject=-1)
    assert hidden.mask.all()
    assert hidden.shape == (5, 4)
    with pytest.raises(InputError, match=r"doubt must be one number per row, shape \(100,\). Got shape \(3,\)"):
        made.risk_coverage(X[300:], sets[300:], doubt=[1, 2, 3])


def test_fit_keeps_the_names_of_tags(rng):
    X = rng.uniform(-1, 1, (80, 2))
    cells = ["+red -round" if x > 0 else "-red" for x in X[:, 0]]
    model = PartialMultilabelClassifier()
    made = Conformal(model, 0.6, "set").fit(X, cells)
    assert made.estimator_.tags_.tolist() == ["red", "round"]
    assert made.check(X, cells).meets > 0.5
    assert model.tags is None


def test_groups_by_column_and_frame(rng):
    X, sets, _ = draw_numbers(rng, 200)
    X = np.column_stack([X, X[:, 1] > 0])
    frame = pd.DataFrame(X, columns=["a", "b", "g"])
    model = REGRESSOR.fit(X[:100], sets[:100])
    by_number = Conformal(model, 0.8, prefit=True, groups=2).conformalize(X[100:], sets[100:])
    by_name = Conformal(clone(REGRESSOR).fit(frame[:100], sets[:100]), 0.8, prefit=True, groups="g")
    by_name.conformalize(frame[100:], sets[100:])
    np.testing.assert_allclose(by_number.predict_set(X).size, by_name.predict_set(frame).size)
    assert len(np.unique(by_number.predict_set(X).size.round(9))) == 2
    assert by_number.guarantee_.startswith("In every group, with probability at least 0.8")
    with pytest.raises(ValueError, match=r"groups must contain one name per row, shape \(100,\)"):
        Conformal(model, prefit=True, groups=lambda X: 1).conformalize(X[100:], sets[100:])


def test_prediction_sets_that_contain_everything_warn():
    """Two of six items are compared per row, so covers='truth' has to allow for nearly all orders."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((120, 2))
    pairs = [rng.choice(6, 2, replace=False).tolist() for _ in X]
    y = [[(a, b) if X[k, 0] + (a - b) / 2 > 0 else (b, a)] for k, (a, b) in enumerate(pairs)]
    ranker = PartialRanker(items=6, weights=RIDGE, principle="average")
    with pytest.warns(InfimumWarning, match=r"% of the prediction sets contain all outputs.*Set covers='set'"):
        Conformal(ranker).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Conformal(ranker, covers="set").fit(X, y)


INVALID = [
    ({"confidence_level": 90}, r"confidence_level must be between 0 and 1. Got 90 instead"),
    ({"covers": "both"}, r"'covers' parameter of Conformal must be 'truth' or 'set'. Got 'both'"),
    ({"method": "jackknife"}, r"'method' parameter of Conformal must be 'split' or 'cv\+'. Got 'jackk"),
    ({"score": "kendall"}, r"score must be one of 'auto', 'lac', 'aps', 'regret' for Labels"),
    ({"score": "lac"}, r"The score 'lac' requires a model with predict_proba"),
    ({"ambiguity": 1}, r"'ambiguity' parameter of Conformal must be a number >= 0 and < 1 or None"),
    ({"ambiguity": 0.1, "covers": "set"}, r"require covers='truth'"),
    ({"groups": "class", "covers": "set"}, r"require covers='truth'"),
    ({"ambiguity": 0.1, "exact_only": True}, r"ambiguity cannot be combined with exact_only or groups"),
    ({"method": "cv+", "exact_only": True}, r"require method='split'. Got 'cv\+'"),
    ({"holdout": 0}, r"'holdout' parameter of Conformal must be a number > 0 and < 1"),
    ({"prefit": True}, r"Call conformalize\(X, y\) with data that was not used in fit"),
]


@pytest.mark.parametrize("settings, message", INVALID, ids=lambda value: str(value)[:40])
def test_fit_raises_for_invalid_settings(settings, message, rows):
    X, sets, _ = rows
    with pytest.raises(ValueError, match=message):
        Conformal(CLASSIFIER, **settings).fit(X, sets)


def test_fit_and_conformalize_raise_for_invalid_rows(rows, rng):
    X, sets, truth = rows
    model = clone(CLASSIFIER).fit(X, sets)
    made = Conformal(model, prefit=True)
    with pytest.raises(InputError, match="X has 200 rows and y has 199"):
        made.conformalize(X, sets[:199])
    with pytest.raises(InputError, match="row 1: unknown label 'cow'"):
        made.conformalize(X[:2], ["cat", "cow"])
    with pytest.raises(InputError, match="exact_only=True requires calibration rows with an exact label"):
        Conformal(model, prefit=True, exact_only=True).conformalize(X[:2], ["cat|dog", None])
    with pytest.raises(ValueError, match=r"The model is not fitted\. Call fit"):
        Conformal(model).conformalize(X, sets)
    with pytest.raises(ValueError, match="fits the model itself"):
        Conformal(model, method="cv+").conformalize(X, sets)
    with pytest.raises(ValueError, match=r"does not learn from candidate sets. Fit it yourself"):
        Conformal(LogisticRegression()).fit(X, sets)
    with pytest.raises(ValueError, match="2 rows are too few to fit a model"):
        Conformal(CLASSIFIER).fit(X[:2], sets[:2])
    with pytest.raises(ValueError, match="Expected a model of this library, a classifier or a regressor"):
        Conformal(StandardScaler().fit(X), prefit=True).conformalize(X, sets)
    with pytest.raises(ValueError, match="groups='class' are for labels"):
        Conformal(REGRESSOR, groups="class").fit(X, X[:, 0])
    made.conformalize(X, sets)
    with pytest.raises(InputError, match="X has 200 rows and y has 3"):
        made.check(X, truth[:3])


def test_conformalize_raises_for_forecasts_that_are_nan(rows):
    class Broken(Kendall):
        name = "broken"

        def forecast(self, predictor, X):
            return np.full((len(X), 4), np.nan)

        def largest(self, forecast, sets, space):
            return forecast[:, 0]

        smallest = largest

    X, sets, _ = rows
    with pytest.raises(
        InputError, match=r"200 rows of the calibration rows cannot be used.\n  row 0: the score is NaN"
    ):
        Conformal(clone(CLASSIFIER).fit(X, sets), score=Broken(), prefit=True).conformalize(X, sets)
    assert issubclass(Broken, Score)


def test_auto_score_of_a_ranker_without_linear_loss_is_kendall(rng):
    X, sets, _ = PROBLEMS["rankings"].draw(rng, 60)
    model = PartialRanker(principle="infimum", negative_weights="inside", weights=RIDGE, solver=solvers.Enumerate())
    made = Conformal(model, 0.8).fit(X, sets)
    assert made.score_.name == "kendall"
    with pytest.raises(ValueError, match=r"The score 'pairs' requires a model whose loss is linear"):
        Conformal(model, 0.8, score="pairs").fit(X, sets)
