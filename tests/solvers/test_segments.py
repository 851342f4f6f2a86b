"""Piecewise without alpha: what is cut holds no minimum, whatever the weights are."""

from __future__ import annotations

import math
import pickle
import tracemalloc

import numpy as np
import pytest

from infimum import PartialRegressor, SetLoss
from infimum.estimators import base
from infimum.outputs import Reals
from infimum.solvers import Piecewise, _segments, piecewise
from infimum.weights import KernelRidge, Scaled
from infimum.weights.base import Weights
from infimum.weights.families import kernel_ridge


@pytest.fixture
def always(monkeypatch):
    """However few rows and queries there are, alpha is not formed."""
    monkeypatch.setattr(piecewise, "ROWS", 1)
    monkeypatch.setattr(piecewise, "PAYS", -1.0)


def sets(kind, n, seed):
    """Rows of one kind, or of all kinds in one column."""
    rng = np.random.default_rng(seed)
    middle, half = rng.normal(size=n), rng.exponential(0.5, size=n)
    ends = np.column_stack([middle - half, middle + half])
    if kind == "brackets":  # many breakpoints in one place
        return np.floor(2 * middle)[:, None] + np.array([0.0, 1.0])
    if kind == "intervals":
        return ends
    if kind == "mirrored":  # every minimum is there twice
        return np.stack([-4 - ends[:, ::-1], 4 + ends], axis=1)
    rows = []
    for (low, high), what in zip(ends.tolist(), rng.integers(5, size=n)):
        union = [(low, high), (high + 0.5, high + 0.5), (high + 1, high + 2)]
        rows.append([(low, high), union, (low, math.inf), (-math.inf, high), low][what])
    return rows


def problem(kind, n=120, loss="squared", principle="infimum", seed=0):
    y = sets(kind, n, seed)
    space = Reals(loss).fit(y)
    return SetLoss(space, space.read(y), principle)


def curves_of(solver):
    return _segments.Curves(solver.start_, solver.at_, solver.row_, solver.bend_, solver.kink_)


class Ball(Weights):
    """alpha(x) = x, of which only |x| <= norm is known: every vector of that length is a weight."""

    norm = 1.0

    def fit(self, X, target=None, sample_weight=None):
        self.n_rows_ = X.shape[1]
        return self

    def features(self, X):
        return X

    def project(self, phi):
        return phi

    def alpha_matrix(self, features):
        return features

    def explicit(self):
        return np.eye(self.n_rows_)


def ball(alpha):
    """Weights of length 1 as an Alpha."""
    alpha = alpha / np.linalg.norm(alpha, axis=1, keepdims=True)
    return Ball().fit(alpha)(alpha)


def assert_same(L, alpha):
    """The minimum, and the minimiser, of a sweep from end to end; and nothing on a grid is lower."""
    solver, plain = Piecewise().fit(L), Piecewise().fit(L)
    found, whole = solver.minimise(alpha), plain.minimise(np.asarray(alpha))
    assert solver._segments is not None
    size = np.abs(np.asarray(alpha)).sum(axis=1).max()
    np.testing.assert_allclose(found.value, whole.value, rtol=0, atol=1e-11 * size * L.output.scale_)
    np.testing.assert_allclose(found.z, whole.z, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(found.value, found.bound)
    np.testing.assert_array_equal(solver.argmin(alpha), found.z)
    grid = np.linspace(L.output.low_, L.output.high_, 1000)
    assert (found.value <= (np.asarray(alpha) @ L(grid).T).min(axis=1) + 1e-10 * size * L.output.scale_).all()
    return solver


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("kind", ["intervals", "mirrored", "brackets", "all"])
@pytest.mark.parametrize("lam", [1e-6, 1e-3, 0.3])
def test_kernel_weights(always, kind, loss, lam):
    rng = np.random.default_rng(1)
    X, queries = rng.uniform(size=(300, 2)), rng.uniform(-0.3, 1.3, size=(150, 2))
    for weights in (KernelRidge(lam, sigma=0.2), KernelRidge(lam, "laplacian", sigma=0.3)):
        assert_same(problem(kind, 300, loss), weights.fit(X)(queries))


@pytest.mark.parametrize("principle", ["average", "supremum"])
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_other_principles(always, principle, loss):
    rng = np.random.default_rng(2)
    L = problem("mirrored", 200, loss, principle)
    weights = KernelRidge(1e-3, sigma=0.2).fit(rng.uniform(size=(200, 2)))
    assert_same(L, weights(rng.uniform(size=(80, 2))))


@pytest.mark.parametrize("kind", ["intervals", "mirrored", "brackets", "all"])
def test_weights_of_any_sign(always, kind):
    """Of random weights only the length is known: few segments are cut, and those rightly."""
    rng = np.random.default_rng(3)
    for spread in (0.1, 1.0, 5.0):
        assert_same(problem(kind, seed=int(spread)), ball(rng.normal(spread / 4, spread, size=(60, 120))))


def spiteful(segments, n):
    """Weights as long as they may be that lower F between two knots, where all that the knots tell is 0.

    They lie along the remainders r of that segment, but for what the knots would tell of them; and at one other knot F
    is lowered by .7 of what is hidden: a bound that leaves out a third of it would look there.
    """
    alpha = []
    G = len(segments.parts)
    for j, part in enumerate(segments.parts):
        if not len(part.rows):
            continue
        worst = np.zeros(n)
        worst[part.rows] = part.hull[:, np.argmax(np.linalg.norm(part.hull, axis=0))]
        told = np.column_stack([segments.folded[:, : G + 1], segments.folded[:, G + 1 + j]])
        hidden = worst - told @ np.linalg.lstsq(told, worst, rcond=None)[0]
        hidden /= np.linalg.norm(hidden)
        for k in range(G + 1):
            aim = np.zeros(G + 2)
            aim[k] = 0.7 * (hidden @ worst)
            alpha.append(-hidden - np.linalg.lstsq(told.T, aim, rcond=None)[0])
    return ball(np.array(alpha))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("kind", ["intervals", "all"])
def test_weights_that_hide_the_minimum(always, monkeypatch, kind, loss):
    """No segment with a minimum is cut; by a bound that is too small, some are."""
    monkeypatch.setattr(_segments, "MOST", 1.0)
    L = problem(kind, loss=loss)
    solver = Piecewise().fit(L)
    segments = _segments.Segments(L, curves_of(solver), Ball().fit(np.eye(120)), np.eye(120), piecewise.ROUNDING)
    alpha = spiteful(segments, 120)
    assert_same(L, alpha)
    segments.off *= 0.6
    lost = segments.minimise(alpha.features)[1] - solver.minimise(np.asarray(alpha)).value / L.output.scale_
    assert (lost > 1e-9).any()


def test_flat_minima_are_answered_by_their_middle(always):
    """Where sets meet, over several segments, and where a knot is the end of the flat part."""
    rng = np.random.default_rng(5)
    low, high = -rng.uniform(1, 2, size=100), rng.uniform(1, 3, size=100)
    y = np.vstack([np.column_stack([low, high]), np.sort(rng.uniform(-1, 1, size=(100, 2)), axis=1)])
    space = Reals().fit(y)
    L = SetLoss(space, space.read(y))
    alpha = np.hstack([rng.uniform(size=(40, 100)), np.zeros((40, 100))])
    solver = assert_same(L, ball(alpha))
    np.testing.assert_allclose(solver.argmin(ball(alpha)), (low.max() + high.min()) / 2, atol=1e-12)
    alpha[:, 100:] = rng.uniform(size=(40, 100)) * (rng.random((40, 100)) < 0.03)
    assert_same(L, ball(alpha))


def test_minima_on_knots_and_at_the_ends(always):
    """The absolute loss has its minima on breakpoints, some of which are knots; negative weights, at the ends of Y."""
    y = np.linspace(-1, 1, 81)
    space = Reals("absolute").fit(y)
    L = SetLoss(space, space.read(y))
    solver = assert_same(L, ball(np.eye(81) + 1e-3))
    assert np.isin(solver.argmin(ball(np.eye(81) + 1e-3)), y).all()
    assert_same(L, ball(-np.random.default_rng(6).uniform(size=(20, 81))))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kernel", ["rbf", "laplacian", "cosine", "chi2"])
def test_no_weights_are_longer_than_their_norm(kernel, weighted):
    rng = np.random.default_rng(7)
    X, w = rng.uniform(size=(60, 3)), rng.choice([0.0, 0.5, 1.0, 3.0], size=60) if weighted else None
    queries = np.vstack([X, rng.uniform(0, 2, size=(200, 3)), np.full((1, 3), 1e3)])
    rows, r = rng.permutation(60)[:12], rng.normal(size=(12, 30))
    for lam in (1e-8, 1e-3, 0.1, 10):
        weights = KernelRidge(lam, kernel).fit(X, sample_weight=w)
        alpha = np.asarray(weights(queries))
        assert (np.linalg.norm(alpha, axis=1) <= weights.norm * (1 + 1e-9)).all()
        bound = weights.bound(rows, r)
        assert (np.abs(alpha[:, rows] @ r) <= bound * (1 + 1e-6)).all()
        assert (bound <= weights.norm * np.linalg.norm(r, axis=0) * (1 + 1e-6)).all()
        M = weights.explicit()
        np.testing.assert_allclose(weights.features(queries) @ M.T, alpha, rtol=0, atol=1e-6 * np.abs(alpha).max())
        np.testing.assert_allclose(np.asarray(weights(queries)), alpha, rtol=0, atol=1e-6 * np.abs(alpha).max())


def test_who_has_a_norm():
    X = np.random.default_rng(8).uniform(size=(30, 2))
    for weights in (KernelRidge(kernel="linear"), KernelRidge(kernel=lambda a, b: 2.0 * (a == b).all())):
        assert weights.fit(X).norm is None
    assert KernelRidge(kernel="precomputed").fit(np.eye(30)).norm is None
    for weights in (Scaled(KernelRidge(0.1)),):
        fitted = weights.fit(X, X)
        inner = fitted.weights_
        assert fitted.norm == inner.norm == 1 / (2 * 3**0.5)
        np.testing.assert_array_equal(fitted.bound(np.arange(4), np.eye(4)), inner.bound(np.arange(4), np.eye(4)))
        assert fitted.explicit() is inner.explicit()


@pytest.fixture
def regression():
    rng = np.random.default_rng(9)
    X, queries = rng.uniform(size=(400, 2)), rng.uniform(size=(500, 2))
    model = PartialRegressor.paper(weights=KernelRidge(1e-3, sigma=0.2), solver=Piecewise())
    return model.fit(X, sets("all", 400, 0)), queries


def test_it_is_prepared_once_it_pays_and_never_saved(regression, monkeypatch):
    model, queries = regression
    monkeypatch.setattr(piecewise, "ROWS", 400)
    size = len(pickle.dumps(model))
    first = model.predict(queries[:300])
    assert model.solver_._segments is None
    np.testing.assert_allclose(model.predict(queries)[:300], first, atol=1e-9)
    assert model.solver_._segments is not None
    saved = pickle.dumps(model)
    assert len(saved) <= size + 100
    again = pickle.loads(saved)
    assert again.solver_._segments is None
    np.testing.assert_allclose(again.predict(queries[:300]), first, atol=1e-9)
    found = model.minimum(queries)
    np.testing.assert_array_equal(found.value, found.bound)


def test_weights_that_are_few_or_given_or_flat_are_formed(regression, always):
    model, queries = regression
    for solver, alpha in (
        (Piecewise(tol=1e-3), model.weights_(queries)),
        (Piecewise(), np.asarray(model.weights_(queries))),
        (Piecewise(), KernelRidge(1e-12, sigma=0.01).fit(np.arange(400.0)[:, None])(queries[:, :1])),
    ):
        solver.fit(model.solver_.loss_).minimise(alpha)
        assert solver._segments is None


def test_without_memory_alpha_is_formed(regression, always, monkeypatch):
    model, queries = regression
    monkeypatch.setattr(kernel_ridge, "available", lambda: 0.0)
    first = model.predict(queries)
    assert model.solver_._segments is None
    monkeypatch.undo()
    monkeypatch.setattr(piecewise, "ROWS", 1)
    np.testing.assert_allclose(model.predict(queries), first, atol=1e-9)
    assert model.solver_._segments is not None


def test_memory_does_not_grow_with_the_queries(regression, always, monkeypatch):
    model, queries = regression
    monkeypatch.setattr(base, "NUMBERS", 2**17)
    model.predict(queries)
    peaks = []
    for q in (1000, 6000):
        many = np.resize(queries, (q, 2))
        tracemalloc.start()
        model.predict(many)
        peaks.append(tracemalloc.get_traced_memory()[1] - 4 * many.nbytes)
        tracemalloc.stop()
    assert model.solver_._segments is not None
    assert peaks[1] <= 1.2 * peaks[0]
