"""Logistic regression weights: they maximise the likelihood of the candidate sets."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LogisticRegression

from infimum import PartialClassifier, PartialRegressor
from infimum.datasets import make_candidate_sets
from infimum.weights import LabelledRowsOnly, Logistic, Scaled, Target


@pytest.fixture
def data(rng):
    """Ten classes along one direction: linear functions of x hide all but the outer ones."""
    X = rng.standard_normal((400, 4))
    y = np.digitize(X[:, 0], np.quantile(X[:, 0], np.arange(0.1, 1, 0.1)))
    return X, y, make_candidate_sets(y, 0.1, random_state=0)


def target(sets):
    return Target(1.0 - sets, sets.any(axis=1) & ~sets.all(axis=1), exact=sets.sum(axis=1) == 1, options=sets)


def test_exact_labels_give_the_probabilities_of_scikit_learn(data):
    X, y, _ = data
    found = Logistic(penalty=2.0).fit(X, target(np.eye(10, dtype=bool)[y]))
    other = LogisticRegression(C=0.5, tol=1e-8, max_iter=2000).fit(X, y)
    assert_allclose(found.features(X), other.predict_proba(X), atol=0.02)


def test_no_small_step_increases_the_penalised_likelihood_of_the_sets(data, rng):
    X, _, sets = data
    found = Logistic().fit(X, target(sets))
    A = np.hstack([X, np.ones((len(X), 1))])

    def objective(coef):
        P = np.exp(A @ coef)
        inside = (P * sets).sum(axis=1) / P.sum(axis=1)
        return np.log(inside).sum() - np.square(coef[:-1]).sum() / 2

    best = objective(found.coef_)
    assert all(objective(found.coef_ + 0.1 * rng.standard_normal(found.coef_.shape)) < best for _ in range(20))


def test_weighted_sums_of_the_probabilities_are_the_probabilities(data, rng):
    X, _, sets = data
    found, new = Logistic().fit(X, target(sets)), rng.standard_normal((50, 4))
    alpha, P = found(new), found.features(X)
    assert_allclose(np.asarray(alpha) @ P, alpha @ P, atol=1e-9)
    assert_allclose(alpha @ P, found.features(new), atol=0.05)
    assert_allclose(np.asarray(alpha).sum(axis=1), 1, atol=0.05)


def test_rows_of_weight_zero_and_unlabelled_rows_do_not_count_and_weight_two_is_two_rows(data):
    X, _, sets = data
    every, w = np.r_[sets, np.ones((30, 10), dtype=bool)], np.r_[np.tile([0.0, 2.0], 200), np.ones(30)]
    found = Logistic().fit(np.r_[X, 100 * X[:30]], target(every), w)
    twice = Logistic().fit(np.repeat(X[1::2], 2, axis=0), target(np.repeat(sets[1::2], 2, axis=0)))
    assert_allclose(found.features(X), twice.features(X), atol=1e-3)


def test_leave_one_out_weights_are_those_of_least_squares_on_the_probabilities(data):
    X, _, sets = data
    found = Logistic().fit(X, target(sets))
    alpha = found.leave_one_out(np.eye(400))
    assert_allclose(np.diag(alpha), 0, atol=1e-12)
    P, rest = found.features(X), np.arange(1, 400)
    own = np.linalg.solve(P[rest].T @ P[rest] + 0.1 * np.eye(10), P[0])
    assert_allclose(alpha[0, 1:], P[rest] @ own, atol=1e-8)


def test_classes_that_linear_functions_hide_are_found_by_default(data):
    X, y, sets = data
    linear = PartialClassifier(weights="linear").fit(X[:250], sets[:250]).score(X[250:], y[250:])
    model = PartialClassifier().fit(X[:250], sets[:250])
    assert "logistic" in {one.weights for one in model.selection_.results}
    assert model.score(X[250:], y[250:]) > linear + 0.2


def test_exact_rows_alone(data):
    X, _, sets = data
    exact = sets.sum(axis=1) == 1
    found = LabelledRowsOnly(Scaled(Logistic()), exact=True).fit(X, target(sets))
    alone = Scaled(Logistic()).fit(X[exact], target(sets[exact]))
    assert_allclose(np.asarray(found(X))[:, exact], np.asarray(alone(X)), atol=1e-6)


def test_other_outputs_raise_an_error(rng):
    X = rng.standard_normal((60, 2))
    with pytest.raises(ValueError, match="Use weights='linear' for other outputs"):
        PartialRegressor(weights="logistic").fit(X, np.column_stack([X[:, 0], X[:, 0] + 1]))
    with pytest.raises(ValueError, match="penalty"):
        Logistic(penalty=0).fit(X, target(np.eye(2, dtype=bool)[[0, 1] * 30]))
