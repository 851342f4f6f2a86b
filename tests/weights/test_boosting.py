"""Boosting weights: they are the predictions of the trees, and held-out predictions have not seen the row."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from infimum.weights import Boosting, Forest, LinearRidge, Mixture
from infimum.weights.holdout import folds_of

SMALL = Boosting(8, min_samples_leaf=1, random_state=0)


@pytest.fixture
def data(rng):
    X = rng.standard_normal((60, 3))
    return X, np.column_stack([np.sin(X[:, 0]), X @ [1, -1, 0.5]]), rng.standard_normal((9, 3))


def test_predictions_are_those_of_the_trees(data):
    X, phi, new = data
    model = SMALL.fit(X, phi)
    each = np.array([tree.predict(model._narrow(new)) for tree in model.trees_]).reshape(8, 5, 9, 2)
    start = np.array([phi[model.fold_ != k].mean(axis=0) for k in range(5)])
    assert_allclose(model(new) @ phi, start.mean(axis=0) + 0.1 * each.sum(axis=0).mean(axis=0))


def test_weights_are_linear_sum_to_one_and_may_be_negative(data, rng):
    X, phi, new = data
    alpha = SMALL.fit(X, phi)(new)
    other = rng.standard_normal((60, 4))
    assert_allclose(np.asarray(alpha) @ other, alpha @ other, atol=1e-12)
    assert_allclose(np.asarray(alpha).sum(axis=1), 1)
    assert np.asarray(alpha).min() < 0


def test_leave_one_out_weights_are_zero_in_the_fold_of_the_row(data):
    X, phi, _ = data
    model = SMALL.fit(X, phi)
    alpha = model.leave_one_out(np.eye(60))
    same = model.fold_ == model.fold_[:, None]
    assert not alpha[same].any()
    assert_allclose(alpha.sum(axis=1), 1)


@pytest.mark.parametrize("seed", [0, 1], ids=["folds of the trees", "other folds"])
def test_held_out_weights_are_zero_in_the_fold_and_sum_to_one(data, seed):
    X, phi, _ = data
    model = SMALL.fit(X, phi)
    folds = [np.flatnonzero(model.fold_ == k) for k in range(5)] if seed == 0 else folds_of(X, 4, seed)
    held_out = model.held_out(X, phi, None, folds)
    alpha = held_out.weights()
    for fold in folds:
        assert not alpha[np.ix_(fold, fold)].any()
    assert_allclose(alpha.sum(axis=1), 1)
    assert_allclose(alpha @ phi, held_out.predict(phi), atol=1e-12)
    both = held_out.out_of_fold(held_out.mask_out(np.column_stack([phi, np.ones(60)])))
    assert_allclose(both[:, :2] / both[:, 2:], held_out.predict(phi), atol=1e-9)
    for fold, of_weights in zip(held_out.folds(), folds):
        assert_allclose(fold.test_weights, alpha[np.ix_(of_weights, fold.train)], atol=1e-9)


def test_a_row_of_weight_two_equals_two_rows(data):
    X, phi, new = data
    w = 1.0 + (np.arange(60) < 20)
    twice = np.repeat(np.arange(60), w.astype(int))
    model = Boosting(8, max_depth=1, min_samples_leaf=1, random_state=0)  # nodes of two rows have several best splits
    assert_allclose(model.fit(X, phi, w)(new) @ phi, model.fit(X[twice], phi[twice])(new) @ phi[twice])


def test_rows_of_weight_zero_count_for_nothing(data):
    X, phi, new = data
    w = (np.arange(60) >= 20).astype(float)
    alpha = np.asarray(SMALL.fit(X, phi, w)(new))
    assert not alpha[:, :20].any()


def test_effects_that_add_up_need_fewer_rows_than_with_a_forest(rng):
    X = rng.integers(0, 2, (900, 30)).astype(float)
    t = X[:, :12].sum(axis=1, keepdims=True)
    train = slice(0, 200)
    errors = [
        np.mean((family.fit(X[train], t[train])(X[200:]) @ t[train] - t[200:]) ** 2)
        for family in (Boosting(random_state=0), Forest(min_samples_leaf=1, max_features=1 / 3, random_state=0))
    ]
    assert errors[0] < 0.5 * errors[1]


@pytest.mark.parametrize("family", [Boosting(60), Forest(100), Mixture([Forest(100), LinearRidge()])], ids=repr)
def test_a_rough_fit_has_fewer_trees_and_the_next_fit_all_of_them(family, data):
    X, phi, _ = data

    def n_trees(model):
        return len((model.parts_[0] if isinstance(model, Mixture) else model).trees_)

    rough = family.fit_roughly(X, phi)
    few = n_trees(rough)
    assert 0 < few < n_trees(rough.refit(X, phi))
    assert n_trees(rough) == n_trees(family.fit(X, phi))


def test_few_rows_of_one_fold_are_fitted():
    X, phi = np.zeros((4, 2)), np.arange(4.0)[:, None]
    assert_allclose(Boosting(3, random_state=0).fit(X, phi)(X[:1]) @ phi, [[1.5]])
