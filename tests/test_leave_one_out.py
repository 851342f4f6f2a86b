"""Closed-form leave-one-out against n refits, along paths, and what is chosen by it."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor

from infimum import PartialClassifier, PartialMultilabelClassifier, PartialRegressor
from infimum.weights import Forest, Given, KernelRidge, LinearRidge, Neighbors, Nystrom, RidgeCV, Target

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
@WEIGHTED
def test_a_path_is_n_refits_at_every_lam(family, weighted, data):
    X, phi, w = data
    w = w if weighted else None
    family = settled(family, X)
    lams = [1e-3, 1.0, 1e-1]
    path = list(clone(family).path(X, lams, w)(phi))
    assert len(path) == 3
    for lam, F in zip(lams, path):
        assert_allclose(F, refits(family, X, phi, w, lam), atol=1e-8)


@EACH
def test_rows_of_weight_zero_are_predicted_like_queries(family, data):
    X, phi, w = data
    w = np.where(np.arange(25) < 3, 0, w)
    family = settled(family, X)
    model = clone(family).fit(X, phi, w)
    assert_allclose(model.leave_one_out(phi)[:3], model(X[:3]) @ phi, atol=1e-10)
    (along,) = clone(family).path(X, [LAM], w)(phi)
    assert_allclose(along, model.leave_one_out(phi), atol=1e-8)


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
    with pytest.raises(ValueError, match="Given has no closed-form leave-one-out"):
        Given().fit(np.eye(2)).leave_one_out(np.eye(2))


@pytest.mark.parametrize("base", [KernelRidge(), Nystrom(15), LinearRidge()], ids=repr)
def test_ridge_cv_minimises_the_leave_one_out_risk(base, rng):
    X = rng.standard_normal((40, 2))
    truth = (X[:, 0] > 0).astype(int)
    sets = np.column_stack([truth == 0, truth == 1, rng.random(40) < 0.5])
    lams = np.logspace(-4, 1, 6)
    gammas = [0.01, "scale", 3.0] if "gamma" in base.get_params() else None
    chosen = PartialClassifier.paper(weights=RidgeCV(base, lams=lams, gammas=gammas)).fit(X, sets).weights_
    expected = np.empty_like(chosen.risks_)
    for g, gamma in enumerate(gammas or [None]):
        for k, lam in enumerate(lams):
            family = clone(base).set_params(lam=lam, **({} if gamma is None else {"gamma": gamma}))
            F = family.fit(X).leave_one_out(-sets.astype(float))
            expected[g, k] = np.mean(~sets[np.arange(40), np.argmin(F, axis=1)])
    assert_allclose(chosen.risks_, expected)
    assert chosen.risks_.min() == expected[:, lams == chosen.lam_].min()
    assert_allclose(chosen.weights_.lam, chosen.lam_)
    # of equal risks, the largest lam
    assert not (expected[:, lams > chosen.lam_] <= expected.min()).any()


def test_ridge_cv_judges_the_joint_reading_by_its_own_predictions(rng):
    X = rng.standard_normal((30, 2))
    truth = (X[:, 0] > 0).astype(int) + (X[:, 1] > 1)
    sets = np.eye(3, dtype=bool)[truth] | (rng.random((30, 3)) < 0.5)
    lams = [1e-4, 1e-2, 1.0]
    model = PartialClassifier.paper(weights=RidgeCV(lams=lams), negative_weights="joint").fit(X, sets)
    single = sets & (sets.sum(axis=1, keepdims=True) == 1)
    for k, lam in enumerate(lams):
        alpha = KernelRidge(lam).fit(X).leave_one_out(np.eye(30))
        # the joint reading: inf l for positive weights, sup l for negative ones
        risk = np.maximum(alpha, 0) @ (1.0 - sets) + np.minimum(alpha, 0) @ (1.0 - single)
        z = np.argmin(np.round(risk, 12), axis=1)
        assert model.weights_.weights.risks_[0, k] == pytest.approx(np.mean(~sets[np.arange(30), z]))


def test_ridge_cv_alone_takes_squares(data):
    X, phi, w = data
    lams = [1e-3, 1e-1]
    chosen = RidgeCV(lams=lams).fit(X, phi, w)
    left = [KernelRidge(lam).fit(X, None, w).leave_one_out(phi) for lam in lams]
    assert_allclose(chosen.risks_[0], [np.average(((F - phi) ** 2).sum(axis=1), weights=w) for F in left])
    assert chosen.leave_one_out(phi).shape == phi.shape


def test_the_target_judges(data):
    class Liking(Target):
        def risks(self, path, sample_weight=None):
            return [1.0, 0.0]

    X, phi, _ = data
    chosen = RidgeCV(lams=[1e-3, 1e-1])
    assert chosen.fit(X, Liking(phi)).lam_ == 1e-1
    assert clone(chosen).fit(X, Liking(phi)).lam_ == 1e-1


def test_ridge_cv_serves_structured_outputs(rng):
    X = rng.standard_normal((60, 2))
    tags = np.sign(np.column_stack([X[:, 0], X[:, 1], -X[:, 0]])) * (rng.random((60, 3)) < 0.7)
    model = PartialMultilabelClassifier.paper(weights=RidgeCV(gammas=[1e-3, 0.3, 300.0])).fit(X, tags)
    assert model.weights_.gamma_ == 0.3
    assert model.score(X, np.sign(np.column_stack([X[:, 0], X[:, 1], -X[:, 0]]))) > 0.9


@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_ridge_cv_serves_intervals(loss, rng):
    X = rng.uniform(-1, 1, (40, 1))
    y = np.sin(4 * X[:, 0])
    bounds = np.column_stack([y - rng.uniform(0, 0.5, 40), y + rng.uniform(0, 0.5, 40)])
    model = PartialRegressor.paper(loss=loss, weights=RidgeCV(lams=[1e-4, 1e-2, 10.0], gammas=[1.0])).fit(X, bounds)
    expected = []
    for lam in (1e-4, 1e-2, 10.0):
        left = []
        for i in range(40):
            others = np.arange(40) != i
            one = PartialRegressor.paper(loss=loss, weights=KernelRidge(lam * 40 / 39, gamma=1.0))
            left.append(one.fit(X[others], bounds[others]).predict(X[i : i + 1])[0])
        gap = np.maximum(np.maximum(bounds[:, 0] - left, left - bounds[:, 1]), 0)
        expected.append(np.mean(gap**2 if loss == "squared" else gap))
    scale = model.weights_.risks_[0] / expected  # the space may measure in units of its own
    assert_allclose(scale, scale[0], rtol=0.05)
    assert model.weights_.lam_ < 10


def test_out_of_bag_rows_are_left_out(data):
    X, phi, _ = data
    alpha = Forest(80, min_samples_leaf=2, random_state=0).fit(X, phi).leave_one_out(np.eye(25))
    assert_allclose(np.diagonal(alpha), 0)
    assert_allclose(alpha.sum(axis=1), 1)
