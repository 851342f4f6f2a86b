"""scikit-learn's own tools, unmodified, with every format of y; and sample weights."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    KFold,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
    validation_curve,
)
from sklearn.utils.fixes import parse_version

from infimum import (
    Disambiguation,
    DisambiguationClassifier,
    InfimumWarning,
    Not,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    weights,
)
from infimum.selection.scorers import (
    chance_corrected,
    covering_rate,
    left_out_scores,
    neg_set_risk,
    set_log_likelihood,
)
from small_search import SMALL_SEARCH


def cells(kind):
    """36 rows: two classes, known, undecided, excluded or empty; the first is text."""
    truth = ["ab"[k % 2] for k in range(36)]
    text = ["" if k % 5 == 4 else "a|b" if k % 7 == 3 else t for k, t in enumerate(truth)]
    if kind == "text with empty cells":
        return pd.Series([t or np.nan for t in text])
    if kind == "nullable text":
        return pd.Series([t or pd.NA for t in text], dtype="string")
    if kind == "categories":
        return pd.Series([t or None for t in text], dtype="category")
    if kind == "text, sets and None":
        return [{"a", "b"} if t == "a|b" else Not("a") if t == "b" and k % 3 else t or None for k, t in enumerate(text)]
    if kind == "objects":
        return np.array([t or np.nan for t in text], dtype=object)
    return np.array([np.nan if not t else ord(t[0]) for t in text])


KINDS = ["text with empty cells", "nullable text", "categories", "text, sets and None", "objects", "numbers with NaN"]


@pytest.fixture
def X(rng):
    return np.arange(36)[:, None] % 2 + 0.3 * rng.standard_normal((36, 2))


DEFAULT = PartialClassifier(search_config=SMALL_SEARCH)
CLEANING = DisambiguationClassifier(weights=weights.KernelRidge())


@pytest.mark.parametrize("model, kind", [*((DEFAULT, kind) for kind in KINDS), (CLEANING, KINDS[0])])
def test_cross_validation_by_a_number_of_folds(X, kind, model):
    """Cross-validation by a number, on columns that hold empty cells or more than text."""
    y = cells(kind)
    assert cross_validate(model, X, y, error_score="raise")["test_score"].shape == (5,)
    assert cross_val_score(model, X, y, cv=3, error_score="raise").mean() > 0.8
    assert cross_val_predict(model, X, y, cv=3).shape == (36,)
    left, right, y_left, y_right = train_test_split(X, y, random_state=0)
    assert clone(model).fit(left, y_left).score(right, y_right) > 0.7


@pytest.mark.parametrize("kind", KINDS)
def test_searches_and_curves_accept_every_format_of_y(X, kind):
    """The rest of what README names."""
    y = cells(kind)
    # some of the rows may not name every class
    model = PartialClassifier.paper(
        weights=weights.KernelRidge(), classes=[97, 98] if kind == KINDS[-1] else ["a", "b"]
    )
    grid = {"weights__lam": [1e-3, 1e-1]}
    assert GridSearchCV(model, grid, cv=3, error_score="raise").fit(X, y).best_score_ > 0.8
    halving = HalvingGridSearchCV(model, grid, cv=3, min_resources=18, error_score="raise", random_state=0).fit(X, y)
    assert halving.best_score_ > 0.7
    sizes, _, test = learning_curve(model, X, y, cv=3, train_sizes=[0.5, 1.0], error_score="raise")
    assert len(sizes) == 2
    assert test.shape == (2, 3)
    assert (test > 0.5).all()
    _, test = validation_curve(model, X, y, cv=3, param_name="weights__lam", param_range=[1e-3, 1e-1])
    assert test.shape == (2, 3)
    assert (test > 0.5).all()


def test_folds_do_not_depend_on_whether_the_model_is_fitted(X):
    """Nothing of a fit changes what cv=5 means."""
    y = cells("text with empty cells")
    fitted = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    others = PartialClassifier(search_config=SMALL_SEARCH), DisambiguationClassifier()
    assert not any(map(is_classifier, (fitted, *others)))
    np.testing.assert_array_equal(
        cross_val_score(fitted, X, y, cv=5), cross_val_score(PartialClassifier(search_config=SMALL_SEARCH), X, y, cv=5)
    )


def test_fold_without_a_class_warns():
    """Rows that come class by class need folds that are shuffled or stratified, and a warning says so."""
    X, y = load_iris(return_X_y=True)
    with pytest.warns(InfimumWarning, match="50 of 50 rows of y contain only labels that fit did not see"):
        assert cross_val_score(PartialClassifier(search_config=SMALL_SEARCH), X, y, cv=3).mean() == 0
    for cv in (StratifiedKFold(3), KFold(3, shuffle=True, random_state=0)):
        assert cross_val_score(PartialClassifier(search_config=SMALL_SEARCH), X, y, cv=cv).mean() > 0.9


OLD = parse_version(sklearn.__version__) < parse_version("1.9")


@pytest.mark.skipif(OLD, reason="scikit-learn before 1.9 asks its own classifiers only for a decision function")
def test_scoring_by_name_on_exact_labels(X):
    """Accuracy, ranking and probabilities of plain labels."""
    y = np.array([k % 2 for k in range(36)])
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, y)
    found = cross_validate(model, X, y, cv=3, scoring=["accuracy", "roc_auc", "neg_log_loss"], error_score="raise")
    assert found["test_accuracy"].mean() > 0.8
    assert found["test_roc_auc"].mean() > 0.9
    assert found["test_neg_log_loss"].mean() > np.log(0.5)
    assert roc_auc_score(y, model.decision_function(X)) > 0.9


def test_cross_validation_splits_rows_and_columns_of_a_precomputed_kernel(X):
    K = np.exp(-np.square(X[:, None] - X).sum(axis=-1))
    y = [k % 2 for k in range(36)]
    given = PartialClassifier.paper(weights=weights.KernelRidge(1e-3, kernel="precomputed"))
    same = PartialClassifier.paper(weights=weights.KernelRidge(1e-3, gamma=1.0))
    found = cross_val_score(given, K, y, cv=3, error_score="raise")
    np.testing.assert_array_equal(found, cross_val_score(same, X, y, cv=3))


@pytest.fixture
def counted(rng):
    """Rows, their sets, how often they count, and the same rows as often as they count."""
    X = rng.standard_normal((24, 2))
    truth = (X[:, 0] > 0).astype(int)
    S = np.eye(3, dtype=bool)[truth] | (rng.random((24, 3)) < 0.3)
    w = rng.integers(0, 4, 24).astype(float)
    return X, S, w, np.repeat(np.arange(24), w.astype(int))


@pytest.mark.parametrize("n_blocks", [None, 3])
@pytest.mark.parametrize(
    "model",
    [
        PartialClassifier.paper(weights=weights.KernelRidge(gamma=1.0)),
        PartialClassifier.paper(weights=weights.KernelRidge(gamma=1.0), negative_weights="joint", principle="supremum"),
        PartialClassifier.paper(weights=weights.KernelRidge(gamma=1.0), principle="disambiguation"),
        PartialClassifier.paper(weights=weights.KernelRidge(gamma=1.0), principle=Disambiguation("hard")),
    ],
    ids=repr,
)
def test_held_out_scores_use_sample_weights(counted, model, n_blocks):
    """Weight 2 is a row given twice, weight 0 a row left out, in the weights and in the scores."""
    X, S, w, rows = counted
    model = clone(model).set_params(classes=range(3))
    weighted = left_out_scores(model, X, S, n_blocks, sample_weight=w)
    repeated = left_out_scores(model, X[rows], S[rows], n_blocks)
    assert weighted == pytest.approx(repeated, nan_ok=True, abs=1e-9)
    assert weighted != pytest.approx(left_out_scores(model, X, S, n_blocks), nan_ok=True, abs=1e-3)


def test_searches_use_sample_weights(counted):
    """PartialSearch.fit and its score."""
    X, S, w, rows = counted
    principles = ["disambiguation", "infimum", "joint"]
    settings = {"gammas": [0.5, 2.0], "lams": [1e-3], "principles": principles, "cv": 3}
    model = PartialClassifier(classes=range(3))
    weighted = PartialSearch(model, **settings).fit(X, S, sample_weight=w)
    repeated = PartialSearch(model, **settings).fit(X[rows], S[rows])
    names = ("covering_rate", "chance_corrected", "neg_set_risk", "log_likelihood")
    for name in (*(f"mean_test_{name}" for name in names), "median_distance"):
        np.testing.assert_allclose(weighted.cv_results_[name], repeated.cv_results_[name], atol=1e-9)
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))
    assert weighted.score(X, S, sample_weight=w) == pytest.approx(weighted.score(X[rows], S[rows]))


@pytest.mark.parametrize("scorer", [covering_rate, chance_corrected, neg_set_risk, set_log_likelihood])
def test_scorers_use_sample_weights(counted, scorer):
    """The mean over rows, each as often as it counts; weights that cannot be are refused."""
    X, S, w, rows = counted
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, S)
    S = np.roll(S, 5, axis=0)  # to be wrong now and then
    assert scorer(model, X, S, sample_weight=w) == pytest.approx(scorer(model, X[rows], S[rows]))
    assert scorer(model, X, S, sample_weight=w) != pytest.approx(scorer(model, X, S))
    for bad in (w[:-1], -w, np.zeros(24), np.full(24, np.nan)):
        with pytest.raises(ValueError, match="sample_weight must be 24 finite numbers >= 0"):
            scorer(model, X, S, sample_weight=bad)


@pytest.mark.parametrize("family", [weights.KernelRidge(gamma=1.0), None], ids=["named", "searched"])
def test_clean_labels_uses_sample_weights(counted, family):
    """DisambiguationClassifier.fit and score: in the labels that are found and in the classifier that learns them."""
    X, S, w, rows = counted
    weighted = DisambiguationClassifier(weights=family, classes=range(3)).fit(X, S, sample_weight=w)
    repeated = DisambiguationClassifier(weights=family, classes=range(3)).fit(X[rows], S[rows])
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-4)
    assert weighted.score(X, S, sample_weight=w) == pytest.approx(weighted.score(X[rows], S[rows]))
    plain = DisambiguationClassifier(weights=family).fit(X, S)
    assert not np.allclose(weighted.predict_proba(X), plain.predict_proba(X), atol=1e-3)
    from sklearn.neighbors import KNeighborsClassifier

    with pytest.raises(ValueError, match="does not support sample_weight"):
        DisambiguationClassifier(KNeighborsClassifier(), weights=family).fit(X, S, sample_weight=w)


def test_docstring_of_every_estimator_lists_disambiguation():
    """D: the docstring of PartialRegressor left it out."""
    for cls in (PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor, PartialEstimator):
        doc = cls.__doc__ or ""
        assert "disambiguation" in doc or "As for :class:`PartialClassifier`" in doc, cls.__name__
