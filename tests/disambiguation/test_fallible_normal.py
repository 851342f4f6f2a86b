"""Intervals that do not contain the true value: the share of them, the rows, and what is predicted nevertheless."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.datasets import make_friedman1

from infimum import PartialRegressor
from infimum.disambiguation.fallible_normal import MixedNormals
from infimum.outputs.numbers.lines import IntervalUnions
from small_search import SMALL_SEARCH

SEARCH = replace(SMALL_SEARCH, n_steps=2)


def exchanged(seed, share, n=300):
    """Return X, intervals around the values t, t, and which intervals miss t because they were exchanged."""
    rng = np.random.default_rng(seed)
    X, t = make_friedman1(n, random_state=seed)
    t = t + rng.standard_normal(n)
    y = t[:, None] + rng.exponential(2, (n, 2)) * [-1, 1]
    y[rng.random(n) < 0.2, 1] = np.inf
    wrong = np.flatnonzero(rng.random(n) < share)
    y[wrong] = y[rng.permutation(wrong)]
    return X[:, :5], y, t, (y[:, 0] > t) | (y[:, 1] < t)


def test_probability_and_moments_are_their_definition():
    low, high = np.array([0.5, -np.inf, -1.0]), np.array([2.0, 0.3, -0.5])
    mean, scale, share = np.array([0.0, 1.0, 0.2]), 0.7, 0.3
    normals = MixedNormals(IntervalUnions(low, high, np.arange(3), 3), 1.0, 0.5, 2.0, share)
    near, other = stats.norm(mean, scale), stats.norm(0.5, 2.0)
    inside, outside = near.cdf(high) - near.cdf(low), other.cdf(high) - other.cdf(low)
    total = (1 - share) * inside + share * outside
    assert np.allclose(normals.log_mass(mean, scale), np.log(total))
    first, second = normals.moments(mean, scale)
    for i, (a, b) in enumerate(zip(np.maximum(low, mean - 12 * scale), high)):
        for power, found in ((1, first[i]), (2, second[i])):

            def integral(start, end, power=power, i=i):
                return integrate.quad(lambda t: t**power * stats.norm.pdf(t, mean[i], scale), start, end)[0]

            anywhere = outside[i] * integral(mean[i] - 12 * scale, mean[i] + 12 * scale)
            assert found == pytest.approx(((1 - share) * integral(a, b) + share * anywhere) / total[i], abs=1e-6)


@pytest.mark.parametrize("seed, share, noise", [(0, 0.15, "auto"), (1, 0.35, "estimate")])
def test_the_share_of_intervals_that_miss_is_recovered(seed, share, noise):
    X, y, _, miss = exchanged(seed, share)
    new, _, t, _ = exchanged(seed + 10, 0.0)
    model = PartialRegressor(noise=noise, search_config=SEARCH).fit(X, y)
    # the standard error of a share of 300 is at most .03; three of them are exceeded in 3 of 1,000 samples
    assert model.noise_.share == pytest.approx(miss.mean(), abs=0.09)
    assert model.noise_.low < model.noise_.share < model.noise_.high
    top = model.label_errors_[: miss.sum()]
    assert miss[top].mean() > 2.5 * miss.mean()
    plain = PartialRegressor(search_config=SEARCH).fit(X, y)
    assert np.mean((model.predict(new) - t) ** 2) < 0.8 * np.mean((plain.predict(new) - t) ** 2)
    again = pickle.loads(pickle.dumps(model))
    assert again.noise_ == model.noise_
    assert np.array_equal(again.predict(new), model.predict(new))


def test_correct_intervals_change_nothing():
    X, y, _, miss = exchanged(3, 0.0)
    assert not miss.any()
    plain = PartialRegressor(search_config=SEARCH).fit(X, y)
    model = PartialRegressor(noise="auto", search_config=SEARCH).fit(X, y)
    assert model.noise_.share == 0
    assert np.array_equal(model.predict(X), plain.predict(X))


def test_a_known_share():
    X, y, _, miss = exchanged(4, 0.3)
    model = PartialRegressor(noise=0.3, weights="kernel", search_config=SEARCH).fit(X, y)
    assert miss[model.suspects_].mean() > 2 * miss.mean()
