"""Truncated normal distributions: probability and moments of unions of intervals, and maximum likelihood."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from infimum import Intervals
from infimum.outputs.numbers.lines import IntervalUnions
from infimum.outputs.numbers.truncated_normal import (
    EXCESS,
    POINT_WIDTH,
    TruncatedNormals,
    fit_population,
    truncated_normal,
)


def unions_of(*rows):
    """Unions from one list of intervals per row."""
    pieces = [(low, high, row) for row, parts in enumerate(rows) for low, high in parts]
    low, high, row = (np.array(side) for side in zip(*pieces))
    return IntervalUnions(low.astype(float), high.astype(float), row, len(rows))


def normals_of(*rows):
    return TruncatedNormals(unions_of(*rows))


def _excess_of(x):
    """E[t - x | t > x], t standard normal."""
    return stats.norm.pdf(x) / stats.norm.sf(x) - x


def integrals(pieces, mean, scale):
    """P(S), E[t | S] and E[t² | S] by quadrature."""
    normal = stats.norm(mean, scale)
    parts = np.zeros(3)
    for low, high in pieces:
        a, b = max(low, mean - 12 * scale), min(high, mean + 12 * scale)
        if a < b:
            for k in range(3):
                parts[k] += integrate.quad(lambda t, k=k: t**k * normal.pdf(t), a, b, epsabs=1e-14, epsrel=1e-12)[0]
    return parts[0], parts[1] / parts[0], parts[2] / parts[0]


@pytest.mark.parametrize(
    "pieces",
    [
        [(0.2, 0.7)],
        [(-math.inf, 0.1)],
        [(0.4, math.inf)],
        [(-math.inf, math.inf)],
        [(-1.0, -0.4), (0.3, 0.31)],
        [(-math.inf, -0.8), (0.5, math.inf)],
        [(0.5, 0.5 + 1e-5)],
    ],
)
@pytest.mark.parametrize("mean, scale", [(0.0, 0.5), (0.9, 0.3), (-1.5, 1.0)])
def test_log_mass_and_moments_equal_integrals(pieces, mean, scale):
    normals = normals_of(pieces)
    mass, first, second = integrals(pieces, mean, scale)
    at = np.array([mean])
    assert normals.log_mass(at, scale)[0] == pytest.approx(math.log(mass), abs=1e-8)
    found = normals.moments(at, scale)
    assert found[0][0] == pytest.approx(first, abs=1e-8)
    assert found[1][0] == pytest.approx(second, abs=1e-8)
    if len(pieces) == 1:
        alone = truncated_normal(mean, scale, *pieces[0])
        assert alone.log_mass == pytest.approx(math.log(mass), abs=1e-8)
        assert alone.mean == pytest.approx(first, abs=1e-8)
        assert alone.variance == pytest.approx(second - first**2, abs=1e-7)


def test_points_have_the_probability_of_a_narrow_interval():
    normals = normals_of([(0.3, 0.3)], [(-0.5, -0.5), (0.5, 0.5)])
    mean = np.array([0.0, 0.2])
    density = stats.norm(0, 0.5).pdf(0.3)
    assert normals.log_mass(mean, 0.5)[0] == pytest.approx(math.log(density * POINT_WIDTH), abs=1e-9)
    odds = stats.norm(0.2, 0.5).pdf([-0.5, 0.5])
    expected = [0.3, 0.5 * (odds[1] - odds[0]) / odds.sum()]
    np.testing.assert_allclose(normals.moments(mean, 0.5)[0], expected, atol=1e-9)
    assert normals.log_mass(mean, 1e-9).max() <= 0  # no probability exceeds 1


@pytest.mark.parametrize("far", [10.0, 40.0, 1e3])
def test_far_tails_are_accurate(far):
    """Far from the mean, the truncated mean is close to the nearer end."""
    normals = normals_of([(far, math.inf)], [(far, far + 5)], [(-far - 5, -far)])
    mean = np.zeros(3)
    found = normals.moments(mean, 1.0)[0]
    np.testing.assert_allclose(found, [far + 1 / far, far + 1 / far, -far - 1 / far], rtol=2 / far**2)
    expected = -0.5 * far**2 - math.log(far) - 0.5 * math.log(2 * math.pi)
    np.testing.assert_allclose(normals.log_mass(mean, 1.0), expected, rtol=2 / far**2)


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 2)), min_size=1, max_size=4),
    st.floats(-5, 5),
    st.floats(1e-5, 3),
)
@settings(max_examples=200, deadline=None)
def test_moments_lie_in_the_hull_and_most_probable_in_the_set(pieces, mean, scale):
    sets = Intervals([[(low, low + width) for low, width in pieces]])
    normals, at = TruncatedNormals(sets.lines()[0]), np.array([mean])
    first, second = normals.moments(at, scale)
    assert sets.lowest[0] <= first[0] <= sets.highest[0]
    assert second[0] >= first[0] ** 2 - 1e-9
    t, share, after = normals.most_probable(at, scale)
    assert sets.contains(t)[0]
    assert share[0] >= after[0] >= 0
    assert share[0] + after[0] <= 1 + 1e-9
    assert normals.log_mass(at, scale)[0] <= 1e-9


def test_getitem_of_unions():
    unions = unions_of([(0, 1)], [(-2, -1), (1, 2)], [(3, 4)], [(5, 6), (7, 8), (9, 10)])
    some = unions[np.array([3, 1])]
    np.testing.assert_array_equal(some.low, [5, 7, 9, -2, 1])
    np.testing.assert_array_equal(some.row, [0, 0, 0, 1, 1])
    assert unions[np.arange(0)].n == 0


def test_fit_scale_maximises_the_likelihood(rng):
    """On exact values, the root mean square; on intervals, the result of a search over the whole grid."""
    t = 0.3 * rng.standard_normal(400)
    exact, mean, w = normals_of(*[[(x, x)] for x in t]), np.zeros((1, 400)), np.ones((1, 400))
    assert 1.1 ** exact.fit_scale(mean, w)[0] == pytest.approx(np.sqrt(np.mean(t**2)), rel=0.05)
    wide = normals_of(*[[(x - a, x + b)] for x, (a, b) in zip(t, rng.exponential(0.3, (400, 2)))])
    each = [wide.log_mass(mean[0], 1.1**k).mean() for k in range(-60, 20)]
    assert wide.fit_scale(mean, w)[0] == np.argmax(each) - 60
    assert wide.fit_scale(np.repeat(mean, 2, 0), np.stack([w[0], np.arange(400) < 200]), [-12, 7]).shape == (2,)


def test_fit_population_and_clip_one_sided(rng):
    unions = unions_of([(0.5, math.inf)], [(-math.inf, -0.2)], [(-math.inf, math.inf)], [(0.1, 0.3)], [(3.0, math.inf)])
    ended = unions.clip_one_sided(-0.7, 2.0)
    np.testing.assert_array_equal(ended.low, [0.5, -0.7, -math.inf, 0.1, 3.0])
    np.testing.assert_array_equal(ended.high, [2.0, -0.2, math.inf, 0.3, 3.0])  # never empty
    # values below 0.3 are exact, the others are censored there
    y = 0.2 + 0.3 * rng.standard_normal(2000)
    found = fit_population(unions_of(*[[(x, x)] if x < 0.3 else [(0.3, math.inf)] for x in y]))
    assert found.mean == pytest.approx(0.2, abs=0.05)
    assert found.scale == pytest.approx(0.3, abs=0.05)
    assert found.low == y.min()
    assert found.high == pytest.approx(0.3 + EXCESS * 0.3 * _excess_of((0.3 - found.mean) / found.scale), rel=0.2)
    # with one-sided intervals only, the scale is limited
    alone = fit_population(unions_of(*[[(0.2, math.inf)], [(-math.inf, -0.2)]] * 10))
    assert alone.scale == pytest.approx(2.0 * alone.unit)
    assert -alone.low == pytest.approx(alone.high, rel=0.05)
    # without intervals that are open above, the range ends at the largest end
    assert fit_population(unions_of([(0.0, 0.2)], [(0.1, 0.5)], [(-math.inf, 0.3)])).high == 0.5
