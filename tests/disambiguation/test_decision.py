"""What predictions minimise after disambiguation: the loss to the estimated labels, or the infimum loss to the sets."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor

from infimum import Disambiguation, PartialRegressor, metrics
from infimum.selection import SearchConfig
from infimum.weights import KernelRidge


def dilutions(seed, n=400, d=60):
    """Return 0/1 features and intervals of a dilution series. One gene moves most values out of the tested range."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, d)) < rng.uniform(0.1, 0.9, d)).astype(float)
    resistant = np.where(rng.random(n) < 0.15, rng.random(n) < 0.5, X[:, 0] == 1)
    t = -1.5 + 9 * resistant + rng.normal(0, 0.8, n)
    y = np.column_stack([np.ceil(t) - 1, np.ceil(t)])
    y[t <= -2], y[t > 6] = (-np.inf, -2), (6, np.inf)
    return X, y


def test_default_is_as_good_as_a_forest_on_clipped_ends():
    X, y = dilutions(1)
    new, y_new = dilutions(2)
    clipped = np.clip(y, -2, 6).mean(axis=1)
    forest = RandomForestRegressor(100, random_state=0).fit(X, clipped).predict(new)
    model = PartialRegressor().fit(X, y)
    low, high = y_new.T
    ours, theirs = (np.maximum(np.maximum(low - z, z - high), 0) ** 2 for z in (model.predict(new), forest))
    error = np.std(ours - theirs) / np.sqrt(len(new))
    assert ours.mean() <= theirs.mean() + error
    assert len(model.labels_) == len(y)  # the labels are estimated, whatever predictions minimise


def test_the_infimum_loss_with_given_weights():
    X, y = dilutions(3, n=80, d=5)
    weights = KernelRidge(1e-2, gamma=0.5)
    model = PartialRegressor(principle=Disambiguation(decision="sets"), weights=weights).fit(X, y)
    infimum = PartialRegressor(principle="infimum", negative_weights="inside", weights=weights).fit(X, y)
    # predictions may use the range of the estimated values, which is wider than that of the finite ends
    inside = np.clip(model.predict(X), y[np.isfinite(y)].min(), y[np.isfinite(y)].max())
    assert metrics.mean_squared_distance(model.sets_, inside) == pytest.approx(
        metrics.mean_squared_distance(infimum.sets_, infimum.predict(X)), abs=1e-6
    )
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), model.predict(X))


def test_unknown_decision():
    with pytest.raises(ValueError, match="decision must be 'labels', 'sets' or 'scores'"):
        PartialRegressor(principle=Disambiguation(decision="mean")).fit([[0.0], [1.0]], [(0, 1), (1, 2)])


def test_values_far_below_a_detection_limit_are_not_predicted_at_the_limit(rng):
    """Predictions at the limit would have almost no loss, and lose what distinguishes the rows below it."""
    X = rng.uniform(-1, 1, (260, 6))
    truth = np.sin(3 * X[:, 0]) + np.abs(X[:, 1]) + 0.3 * rng.standard_normal(260)
    limit = np.quantile(truth, 0.8)
    y = np.column_stack([np.where(truth < limit, -np.inf, truth), np.maximum(truth, limit)])
    error = {}
    for kept in (0.5, -10.0):
        model = PartialRegressor(search_config=SearchConfig(n_steps=1, min_kept_nearest=kept)).fit(X[:160], y[:160])
        error[kept] = np.mean((model.predict(X[160:]) - truth[160:]) ** 2)
    assert error[0.5] < 0.9 * error[-10.0]
