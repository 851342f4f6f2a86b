"""Unmodified scikit-learn around the estimators."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import (
    CandidateLabels,
    InfimumWarning,
    InputError,
    Not,
    PartialClassifier,
    PartialEstimator,
    outputs,
    weights,
)
from small_search import SMALL_SEARCH


@pytest.fixture(scope="module")
def partial_iris():
    """Iris with a wrong candidate in half of the rows, some exclusions, some unknown rows."""
    X, y = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])
    rng = np.random.default_rng(0)
    rows = []
    for label in y:
        kind, other = rng.random(), names[(label + rng.integers(1, 3)) % 3]
        rows.append(
            {names[label], other} if kind < 0.5 else Not(other) if kind < 0.7 else None if kind < 0.8 else names[label]
        )
    return X, names[y], rows


@pytest.mark.parametrize("kind", ["list", "objects", "sets"])
def test_cross_validation_and_search(partial_iris, kind):
    X, truth, rows = partial_iris
    y = rows
    if kind == "objects":
        y = np.empty(len(rows), dtype=object)
        y[:] = rows
    elif kind == "sets":
        y = outputs.Labels().fit(rows).read(rows)
    cv = KFold(3, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), PartialClassifier.paper(weights=weights.KernelRidge(lam=1e-3)))
    assert cross_val_score(model, X, y, cv=cv).mean() > 0.85
    grid = {
        "partialclassifier__weights__gamma": [0.1, 1.0],
        "partialclassifier__principle": ["infimum", "average"],
        "partialclassifier__negative_weights": ["inside", "joint"],
    }
    search = GridSearchCV(model, grid, cv=cv).fit(X, y)
    assert (search.predict(X) == truth).mean() > 0.9
    assert len(search.cv_results_["params"]) == 8
    X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
    assert model.fit(X_train, y_train).score(X_test, y_test) > 0.8


def test_sets_pass_the_default_splitter(partial_iris):
    X, _, rows = partial_iris
    sets = outputs.Labels().fit(rows).read(rows)
    assert cross_val_score(PartialClassifier(search_config=SMALL_SEARCH), X, sets).shape == (5,)


def test_inputs_of_every_kind_agree(partial_iris):
    X, _, rows = partial_iris
    expected = PartialClassifier.paper().fit(X, rows).predict(X)
    columns = list("abcd")
    for other in (pd.DataFrame(X, columns=columns), pl.DataFrame(X, schema=columns), sparse.csr_matrix(X), X.tolist()):
        model = PartialClassifier.paper().fit(other, rows)
        np.testing.assert_array_equal(model.predict(other), expected)
        if hasattr(other, "columns"):
            assert model.feature_names_in_.tolist() == columns
        assert model.n_features_in_ == 4
    with pytest.raises(ValueError, match="NaN"):
        PartialClassifier().fit(np.where(X > 7, np.nan, X), rows)
    with pytest.raises(ValueError, match="X has 150 rows and y has 3"):
        PartialClassifier().fit(X, rows[:3])


@pytest.mark.parametrize("joint", ["inside", "joint"])
def test_saved_models_predict_the_same(partial_iris, joint):
    import skops.io

    X, _, rows = partial_iris
    model = PartialClassifier.paper(negative_weights=joint, weights=weights.KernelRidge(gamma=0.5)).fit(X, rows)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    blob = skops.io.dumps(model)
    loaded = skops.io.loads(blob, trusted=skops.io.get_untrusted_types(data=blob))
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    assert clone(model).get_params()["weights__gamma"] == 0.5


def test_saved_models_do_without_the_kernel_matrix(rng):
    X = rng.standard_normal((600, 3))
    model = PartialClassifier(search_config=SMALL_SEARCH).fit(X, rng.integers(3, size=600))
    assert len(pickle.dumps(model)) < 600 * 600 * 8 / 10


def test_decision_function(partial_iris):
    """Sec. 5.1: the decision is the argmax of sum_{i : z in S_i} alpha_i(x)."""
    X, _, rows = partial_iris
    model = PartialClassifier.paper(weights=weights.KernelRidge(lam=1e-3)).fit(X, rows)
    alpha = np.asarray(model.weights_(X))
    mask = outputs.Labels().fit(rows).read(rows).mask
    np.testing.assert_allclose(model.decision_function(X), -(alpha @ ~mask), atol=1e-8)
    np.testing.assert_array_equal(model.classes_[(alpha @ mask).argmax(axis=1)], model.predict(X))
    found = model.minimum(X)
    np.testing.assert_array_equal(found.z, model.predict(X))
    np.testing.assert_allclose(found.value, -model.decision_function(X).max(axis=1), atol=1e-10)
    np.testing.assert_array_equal(found.gap, 0)


def test_score_is_accuracy_on_labels_and_covering_rate_on_sets(partial_iris):
    X, truth, rows = partial_iris
    model = PartialClassifier().fit(X, rows)
    z = model.predict(X)
    assert model.score(X, truth) == pytest.approx((z == truth).mean())
    covered = [
        row is None
        or (z[i] not in row.labels if isinstance(row, Not) else z[i] in row if isinstance(row, set) else z[i] == row)
        for i, row in enumerate(rows)
    ]
    labelled = [row is not None for row in rows]  # unlabelled rows do not count
    assert model.score(X, rows) == pytest.approx(np.mean(np.array(covered)[labelled]))
    with pytest.warns(InfimumWarning, match="1 of 1 rows of y contain only labels that fit did not see"):
        assert model.score(X[:1], ["unheard of"]) == 0
    with pytest.raises(ValueError, match="Scores require labelled rows"):
        model.score(X, CandidateLabels(np.ones((150, 3), bool), model.classes_))


def test_html_repr_and_bad_settings(partial_iris):
    X, _, rows = partial_iris
    assert "PartialClassifier" in PartialClassifier()._repr_html_()
    for settings, message in [
        ({"principle": "maximum"}, "principle must be one of 'infimum', 'average', .*Got 'maximum' instead."),
        ({"negative_weights": "both"}, "negative_weights must be 'inside', 'joint' or 'auto'. Got 'both' instead."),
        ({"weights": "magic"}, "weights must be one of 'auto', 'kernel', .*or a Weights .*Got 'magic' instead."),
    ]:
        with pytest.raises(ValueError, match=message):
            PartialClassifier.paper(**settings).fit(X, rows)
    with pytest.raises(ValueError, match=r"output must be an OutputSpace\. Got 'labels' instead"):
        PartialEstimator("labels").fit(X, rows)


def test_probabilities_of_cross_val_predict_need_exact_labels(rng):
    X = rng.standard_normal((30, 2))
    model = PartialClassifier(weights="linear")
    assert cross_val_predict(model, X, ["a", "b", "c"] * 10, cv=3, method="predict_proba").shape == (30, 3)
    with pytest.raises(InputError, match=r"so a set such as 'a\|b' would be a class of its own"):
        cross_val_predict(model, X, ["a", "b", "a|b"] * 10, cv=3, method="predict_proba")
