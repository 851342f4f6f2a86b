"""Weights of the rows that know anything: as if the others were not there, but for their places."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from infimum import Boxes, PartialClassifier, PartialEstimator, PartialRegressor, outputs
from infimum.weights import Forest, KernelRidge, LabelledRowsOnly, LinearRidge, Neighbors, Nystrom, Scaled, Target
from infimum.weights.holdout import folds_of

FAMILIES = [
    KernelRidge(lam=1e-2, gamma=0.3),
    Scaled(KernelRidge(lam=1e-2)),
    Nystrom(20, lam=1e-2, gamma=0.3, random_state=0),
    LinearRidge(lam=1e-2),
    Neighbors(4),
    Forest(60, random_state=0),
]


@pytest.fixture
def half(rng):
    X, phi = rng.standard_normal((60, 3)), rng.standard_normal((60, 2))
    return X, phi, np.arange(60) % 2 == 0


@pytest.mark.parametrize("weighed", [False, True])
@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: type(one).__name__)
def test_the_weights_of_known_rows_alone(half, family, weighed, rng):
    X, phi, known = half
    w = rng.choice([0.5, 1.0, 2.0], 60) if weighed else None
    found = LabelledRowsOnly(family).fit(X, Target(phi, known), w)
    alone = family.fit(X[known], Target(phi[known]), None if w is None else w[known])
    Z = rng.standard_normal((7, 3))
    alpha = np.asarray(found(Z))
    assert alpha.shape == (7, 60)
    assert not alpha[:, ~known].any()
    np.testing.assert_allclose(alpha[:, known], np.asarray(alone(Z)), atol=1e-12)
    np.testing.assert_allclose(found(Z) @ phi, alone(Z) @ phi[known], atol=1e-12)
    left = found.leave_one_out(phi)
    np.testing.assert_allclose(left[known], alone.leave_one_out(phi[known]), atol=1e-10)
    np.testing.assert_allclose(left[~known], alone(X[~known]) @ phi[known], atol=1e-10)
    found.release(sums_only=True)  # of what only later folds need
    np.testing.assert_allclose(found.leave_one_out(phi), left, atol=1e-10)
    again = pickle.loads(pickle.dumps(found))
    if found.supports_chunks:  # rows are left behind, all of them
        assert len(again._unlabelled) == 0
        with pytest.raises(ValueError, match="The training rows are not stored"):
            again.leave_one_out(phi)
    else:
        np.testing.assert_allclose(again.leave_one_out(phi), left, atol=1e-10)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda one: type(one).__name__)
def test_exact_rows_alone(half, family, rng):
    X, phi, known = half
    exact = known & (np.arange(60) % 3 == 0)
    found = LabelledRowsOnly(family, exact=True).fit(X, Target(phi, known, exact=exact))
    alone, Z = family.fit(X[exact], Target(phi[exact])), rng.standard_normal((7, 3))
    np.testing.assert_allclose(found(Z) @ phi, alone(Z) @ phi[exact], atol=1e-12)
    assert not np.asarray(found(Z))[:, ~exact].any()


def test_blocks_are_held_out_as_by_refits(half):
    X, phi, known = half
    family, blocks = LabelledRowsOnly(KernelRidge(lam=1e-2, gamma=0.3)), folds_of(half[0], 4)
    F = family.fit(X, Target(phi, known)).held_out(X, Target(phi, known), None, blocks).predict(phi)
    for block in blocks:
        rest = np.setdiff1d(np.flatnonzero(known), block)
        lam = 1e-2
        expected = KernelRidge(lam=lam, gamma=0.3).fit(X[rest])(X[block]) @ phi[rest]
        np.testing.assert_allclose(F[block], expected, atol=1e-10)


def test_all_rows_or_none_known_and_similarities(half):
    X, phi, _ = half
    plain = np.asarray(KernelRidge(lam=1e-2).fit(X)(X))
    for target in (None, Target(phi), Target(phi, np.zeros(60, dtype=bool))):
        family = LabelledRowsOnly(KernelRidge(lam=1e-2)).fit(X, target)
        np.testing.assert_allclose(np.asarray(family(X)), plain)
        np.testing.assert_allclose(family.leave_one_out(phi), KernelRidge(lam=1e-2).fit(X).leave_one_out(phi))
    with pytest.raises(ValueError, match="Leave them out of X and y"):
        LabelledRowsOnly(KernelRidge(kernel="precomputed")).fit(np.eye(4))


def test_numbers_are_learned_from_the_rows_that_say_something(rng):
    """By default, unlabelled rows change no prediction, and have labels of their own."""
    X = rng.standard_normal((300, 3))
    t = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1]
    y = np.column_stack([np.floor(2 * t) / 2, np.floor(2 * t) / 2 + 0.5])
    y[60:] = np.nan
    model, alone = PartialRegressor().fit(X, y), PartialRegressor().fit(X[:60], y[:60])
    assert isinstance(model.weights_, LabelledRowsOnly)
    assert model.selection_.best.n == 60
    np.testing.assert_allclose(model.predict(X), alone.predict(X), atol=0.05 * t.std())
    assert model.labels_.shape == model.deviation_.shape == (300,)
    assert np.mean((model.labels_[60:] - t[60:]) ** 2) < 0.3 * t.var()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert model.explain(X[70]).rows[0] < 60  # the row that says most is one that says something


def test_points_among_unknown_rows_are_as_if_alone(rng):
    X = rng.standard_normal((200, 3))
    t = np.where(np.arange(200) < 50, np.sin(2 * X[:, 0]), np.nan)
    model, alone = PartialRegressor().fit(X, t), PartialRegressor().fit(X[:50], t[:50])
    np.testing.assert_allclose(model.predict(X), alone.predict(X), atol=1e-6)
    lower, upper = (np.column_stack([np.nan_to_num(t, nan=end)] * 2) for end in (-np.inf, np.inf))
    vectors = PartialEstimator(outputs.Vectors()).fit(X, Boxes(lower, upper))
    assert isinstance(vectors.weights_, LabelledRowsOnly)


def test_unlabelled_rows_of_labels_still_take_part(rng):
    """Where classes are clouds, they tell where these lie."""
    truth = np.arange(120) % 3
    X = 4 * np.eye(3)[truth] + rng.standard_normal((120, 3))
    y = [int(k) if i < 30 else None for i, k in enumerate(truth)]
    model = PartialClassifier().fit(X, y)
    assert not isinstance(model.weights_, LabelledRowsOnly)
    assert np.mean(model.labels_ == truth) > 0.95
