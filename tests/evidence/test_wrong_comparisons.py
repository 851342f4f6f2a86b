"""Comparisons and tags that are wrong with an unknown probability."""

from __future__ import annotations

import io

import joblib
import numpy as np
import pytest

from infimum import PartialMultilabelClassifier, PartialRanker
from infimum.disambiguation import Disambiguation
from infimum.outputs import PartialOrders

M = 6


def comparisons(n: int, error: float, seed: int = 0) -> tuple[np.ndarray, list, np.ndarray, PartialOrders]:
    """Two comparisons per row of items whose utilities are linear in the features; some are wrong."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    utility = 4 * X @ rng.standard_normal((3, M)) + 3 * rng.standard_normal(M)
    rows, wrong = [], rng.random((n, 2)) < error
    for u, flips in zip(utility, wrong):
        pairs = rng.permutation(M)[:4].reshape(2, 2)
        better = [(a, b) if u[a] > u[b] else (b, a) for a, b in pairs.tolist()]
        rows.append([(b, a) if flip else (a, b) for (a, b), flip in zip(better, flips)])
    return X, rows, wrong, PartialOrders.from_ranks(-utility)


def test_default_estimates_the_share_of_wrong_comparisons():
    X, y, wrong, truth = comparisons(500, 0.2)
    model = PartialRanker(items=M).fit(X[:350], y[:350])
    share = wrong[:350].mean()
    # three standard errors of a share of 700 comparisons, and as much again for the model
    assert abs(float(model.noise_) - share) < 0.09
    assert model.noise_.low < share < model.noise_.high
    found = model.label_errors_[:40]
    assert wrong[found].any(axis=1).mean() > 0.85
    assert wrong[model.suspects_].any(axis=1).mean() > 0.7
    assert model.score(X[350:], truth[350:]) > 0.85


def test_clean_comparisons_are_not_changed():
    X, y, _, truth = comparisons(300, 0.0)
    auto, none = PartialRanker(items=M).fit(X, y), PartialRanker(items=M, noise=None).fit(X, y)
    assert float(auto.noise_) == 0
    assert np.array_equal(auto.predict(X), none.predict(X))
    assert auto.score(X, truth) > 0.9


def test_noise_and_contradictions_survive_saving():
    X, y, _, _ = comparisons(200, 0.2, seed=1)
    y[0], y[1] = [(0, 1), (1, 2), (2, 0)], [(3, 4), (4, 3)]
    with pytest.raises(ValueError, match=r'(?s)contradictions="majority".*contradictions="weigh"'):
        PartialRanker(items=M).fit(X, y)
    model = PartialRanker(items=M, contradictions="weigh", noise="estimate", principle="disambiguation").fit(X, y)
    assert model.sets_.n_contradictory == 2
    assert 0.1 < float(model.noise_) < 0.35
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    loaded = joblib.load(file)
    assert loaded.noise_ == model.noise_
    assert np.array_equal(loaded.label_errors_, model.label_errors_)
    assert np.array_equal(loaded.predict(X), model.predict(X))


def test_no_noise_is_bradley_terry():
    X, y, _, _ = comparisons(80, 0.1)
    plain, tiny = (
        PartialRanker(items=M, weights="linear", principle=Disambiguation(noise=noise)).fit(X, y)
        for noise in (None, 1e-9)
    )
    np.testing.assert_allclose(plain.disambiguation_.phi, tiny.disambiguation_.phi, atol=1e-3)
    assert np.array_equal(plain.predict(X), tiny.predict(X))


def test_known_share_of_wrong_comparisons():
    X, y, wrong, _ = comparisons(300, 0.2)
    model = PartialRanker(items=M, noise=0.2, principle="disambiguation").fit(X, y)
    assert abs(float(model.noise_) - wrong.mean()) < 0.08
    with pytest.raises(ValueError, match="noise"):
        PartialRanker(items=M, noise=1.5, principle="disambiguation").fit(X, y)


def tags(n: int, error: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Four tags that are linear in the features; the first two are wrong in some rows, a fifth is unknown."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4))
    truth = np.where(X @ rng.standard_normal((4, 4)) > 0, 1, -1)
    wrong = rng.random(truth.shape) < error * np.array([1, 1, 0, 0])
    y = np.where(wrong, -truth, truth)
    y[rng.random(truth.shape) < 0.2] = 0
    return X, y, wrong & (y != 0), truth


def test_estimates_the_share_of_wrong_tags():
    X, y, wrong, truth = tags(400, 0.3)
    model = PartialMultilabelClassifier(noise="estimate", principle="disambiguation").fit(X[:300], y[:300])
    share = wrong[:300].sum() / (y[:300] != 0).sum()
    assert abs(float(model.noise_) - share) < 0.05
    each = [model.noise_.by_group[str(tag)] for tag in model.tags_]
    np.testing.assert_allclose(each, wrong[:300].sum(axis=0) / (y[:300] != 0).sum(axis=0), atol=0.12)
    assert wrong[model.label_errors_[:60]].any(axis=1).mean() > 0.85
    assert (model.predict(X[300:]) == truth[300:]).mean() > 0.9
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    assert joblib.load(file).noise_ == model.noise_


def test_clean_tags_are_not_changed():
    X, y, _, _ = tags(200, 0.0)
    auto, none = PartialMultilabelClassifier().fit(X, y), PartialMultilabelClassifier(noise=None).fit(X, y)
    assert np.array_equal(auto.predict(X), none.predict(X))
