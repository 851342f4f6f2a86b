"""With exact labels, the sets are MAPIE's own."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LinearRegression, LogisticRegression

from infimum import PartialClassifier
from infimum.conformal import Conformal

mapie = pytest.importorskip("mapie.classification", reason="MAPIE is in the extra `test`")
LEVELS = (0.8, 0.9, 0.95)


@pytest.fixture(scope="module")
def digits():
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(X))
    X, y = X[order] / 16, y[order]
    return X, y, LogisticRegression(C=0.02, max_iter=500).fit(X[:500], y[:500])


@pytest.mark.parametrize("score", ["lac", "aps"])
@pytest.mark.parametrize("seed", [0, 7])
def test_predict_set_of_labels_equals_mapie(digits, score, seed):
    X, y, clf = digits
    held, new = slice(500, 1100), slice(1100, None)
    theirs = mapie.SplitConformalClassifier(clf, LEVELS, conformity_score=score, prefit=True, random_state=seed)
    _, expected = theirs.conformalize(X[held], y[held]).predict_set(X[new])
    ours = Conformal(clf, score=score, prefit=True, random_state=seed).conformalize(X[held], y[held])
    for k, level in enumerate(LEVELS):
        np.testing.assert_array_equal(ours.predict_set(X[new], level).mask, expected[:, :, k])
    assert 1 < expected[:, :, 2].sum(axis=1).mean() < 9


def test_predict_set_of_a_pipeline_equals_lac_by_hand(digits):
    """The sets of our own classifier in a pipeline, from its probabilities by hand."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    X, y, _ = digits
    model = make_pipeline(
        StandardScaler(),
        PartialClassifier(),
    ).fit(X[:300], y[:300])
    P, Q = (model.predict_proba(X[rows]) for rows in (slice(500, 900), slice(900, 1200)))
    scores = np.sort(1 - P[np.arange(400), y[500:900]])
    ours = Conformal(model, score="lac", prefit=True).conformalize(X[500:900], y[500:900])
    np.testing.assert_array_equal(
        ours.predict_set(X[900:1200]).mask, scores[int(np.ceil(401 * 0.9)) - 1] + 1e-9 >= 1 - Q
    )


def test_predict_set_of_a_regressor_equals_mapie():
    """The constant score around any regressor is split conformal prediction as MAPIE has it."""
    from mapie.regression import SplitConformalRegressor

    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 2))
    y = X @ [1.0, 2.0] + 0.3 * rng.standard_normal(300)
    model = LinearRegression().fit(X[:100], y[:100])
    theirs = SplitConformalRegressor(model, 0.9, prefit=True).conformalize(X[100:200], y[100:200])
    expected = theirs.predict_interval(X[200:])[1][:, :, 0]
    found = Conformal(model, 0.9, prefit=True).conformalize(X[100:200], y[100:200]).predict_set(X[200:])
    np.testing.assert_allclose(np.column_stack([found.lower, found.upper]), expected)
