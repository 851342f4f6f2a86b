"""Closed-form leave-one-out against n refits, along paths, and what is chosen by it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor

from infimum.weights import Forest, KernelRidge, LinearRidge, Neighbors, Nystrom, PrecomputedWeights

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


def settled(family, X, **changes):
    """The family with gamma and centres as they are on all the rows, so that refits differ by the row only."""
    fitted = clone(family).fit(X)
    if isinstance(family, KernelRidge):
        changes["gamma"] = fitted.gamma_
    if isinstance(family, Nystrom):
        changes |= {"centers": fitted.centers_, "gamma": fitted.gamma_}
    return clone(family).set_params(**changes)


def refits(family, X, phi, w, lam):
    """What is predicted at x_i by a fit without one copy of row i, at the same ridge n lam."""
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
    family = settled(family, X)
    expected = refits(family, X, phi, w, LAM)
    model = clone(family).fit(X, phi, w)
    assert_allclose(model.leave_one_out(phi), expected, atol=1e-8)
    model.release()
    assert_allclose(model.leave_one_out(phi), expected, atol=1e-8)


@EACH
def test_the_weights_left_out_are_zero_on_their_own_row(family, data):
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
