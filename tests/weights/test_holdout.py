"""Closed-form leave-one-out predictions equal n refits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor

from infimum.weights import (
    Constant,
    Forest,
    KernelRidge,
    LinearRidge,
    Mixture,
    Neighbors,
    Nystrom,
    PrecomputedWeights,
)
from infimum.weights.holdout import Refitted

LAM = 3e-2
RIDGES = [
    KernelRidge(LAM, gamma=0.7),
    KernelRidge(LAM, kernel="laplacian"),
    Nystrom(8, LAM, gamma=0.7),
    LinearRidge(LAM),
    LinearRidge(LAM, intercept=False),
]
EACH = pytest.mark.parametrize("family", RIDGES, ids=repr)
WEIGHTED = pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])


@pytest.fixture
def data(rng):
    X = rng.standard_normal((25, 2))
    return X, np.column_stack([np.sin(X[:, 0]), X[:, 1], np.ones(25)]), rng.uniform(0.5, 2, 25)


def fixed(family, X, **changes):
    """Return the family with the gamma and the centres of all rows, so refits differ only by the row."""
    fitted = clone(family).fit(X)
    if isinstance(family, KernelRidge):
        changes["gamma"] = fitted.gamma_
    if isinstance(family, Nystrom):
        changes |= {"centers": fitted.centers_, "gamma": fitted.gamma_}
    return clone(family).set_params(**changes)


def refits(family, X, phi, w, lam):
    """Return the predictions at x_i of a fit without one copy of row i, with the same ridge n lam."""
    w = np.ones(len(X)) if w is None else w
    rows = []
    for i in range(len(X)):
        rest = np.where(np.arange(len(X)) == i, np.maximum(w - 1, 0), w)
        there = rest > 0
        model = clone(family).set_params(lam=lam * w.sum() / rest.sum()).fit(X[there], phi[there], rest[there])
        rows.append(model(X[i : i + 1]) @ phi[there])
    return np.vstack(rows)


@EACH
@WEIGHTED
def test_leave_one_out_is_n_refits(family, weighted, data):
    X, phi, w = data
    w = w if weighted else None
    family = fixed(family, X)
    expected = refits(family, X, phi, w, LAM)
    model = clone(family).fit(X, phi, w)
    assert_allclose(model.leave_one_out(phi), expected, atol=1e-8)
    model.release()
    assert_allclose(model.leave_one_out(phi), expected, atol=1e-8)


@EACH
def test_leave_one_out_predicts_rows_of_weight_zero_like_queries(family, data):
    X, phi, w = data
    w = np.where(np.arange(25) < 3, 0, w)
    model = fixed(family, X).fit(X, phi, w)
    assert_allclose(model.leave_one_out(phi)[:3], model(X[:3]) @ phi, atol=1e-10)


def test_leave_one_out_loo_operator_and_folds_of_one_row_agree(rng):
    X = np.r_[rng.standard_normal((15, 2)), [[8.0, 8.0]]]
    phi = rng.random((16, 3))
    ridge = KernelRidge(lam=1e-4, gamma=0.5).fit(X)
    expected = ridge.leave_one_out(phi)
    assert_allclose(ridge.loo_operator()(phi), expected, rtol=1e-9, atol=1e-300)
    folds = [np.array([i]) for i in range(16)]
    assert_allclose(ridge.held_out(X, None, None, folds).predict(phi), expected, rtol=1e-7, atol=1e-25)


@EACH
def test_leave_one_out_weights_are_zero_on_their_own_row(family, data):
    X, phi, _ = data
    model = clone(family).fit(X)
    alpha = model.leave_one_out(np.eye(25))
    assert_allclose(np.diagonal(alpha), 0, atol=1e-12)
    assert_allclose(alpha @ phi, model.leave_one_out(phi), atol=1e-10)


def test_tiny_weights_keep_their_relative_size():
    # a kernel so narrow that all neighbours together weigh 1e-100: the nearest must still win
    X = np.array([[0.0], [1.0], [2.1], [3.3]])
    alpha = KernelRidge(1.0, gamma=230.0).fit(X).leave_one_out(np.eye(4))
    assert np.argmax(alpha, axis=1).tolist() == [1, 0, 1, 2]
    assert 0 < alpha.max() < 1e-90


def test_neighbors_leave_themselves_out(data):
    X, phi, _ = data
    expected = [
        KNeighborsRegressor(4).fit(np.delete(X, i, 0), np.delete(phi, i, 0)).predict(X[i : i + 1])[0] for i in range(25)
    ]
    assert_allclose(Neighbors(4).fit(X).leave_one_out(phi), expected)


def test_families_without_a_closed_form_say_so():
    with pytest.raises(ValueError, match="PrecomputedWeights has no closed-form leave-one-out"):
        PrecomputedWeights().fit(np.eye(2)).leave_one_out(np.eye(2))


def test_out_of_bag_rows_are_left_out(data):
    X, phi, _ = data
    alpha = Forest(80, min_samples_leaf=2, random_state=0).fit(X, phi).leave_one_out(np.eye(25))
    assert_allclose(np.diagonal(alpha), 0)
    assert_allclose(alpha.sum(axis=1), 1)


@EACH
@WEIGHTED
@pytest.mark.parametrize("mixed", [False, True], ids=["alone", "mixed"])
def test_fitted_values_without_a_fold(family, weighted, mixed, data):
    X, phi, w = data
    w = np.r_[0.0, 2.0, w[2:]] if weighted else np.ones(len(X))
    family = fixed(family, X)
    folds = [np.arange(0, 25, 2), np.arange(1, 25, 2)]
    model = Mixture([family, Constant()]) if mixed else family
    held_out = clone(model).fit(X, phi, w if weighted else None).held_out(X, phi, w if weighted else None, folds)
    assert held_out.is_ridge
    got = held_out.fitted(held_out.mask_out(phi))
    for f, fold in enumerate(folds):
        rest = np.delete(np.arange(len(X)), fold)
        # closed forms keep the ridge of all rows
        ratio = 1.0 if isinstance(held_out, Refitted) else w.sum() / w[rest].sum()
        if mixed:
            ratio = 1.0 if isinstance(held_out.parts[0], Refitted) else ratio
        own = clone(family).set_params(lam=LAM * ratio).fit(X[rest], phi[rest], w[rest])(X) @ phi[rest]
        if mixed:
            own = (own + np.average(phi[rest], axis=0, weights=w[rest])) / 2
        assert_allclose(got[f], own, atol=1e-8)
    assert not Forest(5).fit(X, phi).held_out(X, phi, None, folds).is_ridge
