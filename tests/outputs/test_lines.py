"""Unions of intervals under normal laws: how probable they are, where in them a number lies, and where they end."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from infimum import Intervals
from infimum.outputs.numbers.lines import EXCESS, WIDTH, Law, Line


def line_of(*rows):
    """A line from lists of pieces."""
    pieces = [(low, high, row) for row, parts in enumerate(rows) for low, high in parts]
    low, high, row = (np.array(side) for side in zip(*pieces))
    return Line(low.astype(float), high.astype(float), row, len(rows))


def _excess_of(x):
    """E[t - x | t > x], t standard normal."""
    return stats.norm.pdf(x) / stats.norm.sf(x) - x


def integrals(pieces, mean, scale):
    """P(S), E[t | S] and E[t² | S] by quadrature."""
    law = stats.norm(mean, scale)
    parts = np.zeros(3)
    for low, high in pieces:
        a, b = max(low, mean - 12 * scale), min(high, mean + 12 * scale)
        if a < b:
            for k in range(3):
                parts[k] += integrate.quad(lambda t, k=k: t**k * law.pdf(t), a, b, epsabs=1e-14, epsrel=1e-12)[0]
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
def test_a_set_under_a_normal_law_is_what_integrals_say(pieces, mean, scale):
    line = line_of(pieces)
    mass, first, second = integrals(pieces, mean, scale)
    at = np.array([mean])
    assert line.log_mass(at, scale)[0] == pytest.approx(math.log(mass), abs=1e-8)
    found = line.moments(at, scale)
    assert found.first[0] == pytest.approx(first, abs=1e-8)
    assert found.second[0] == pytest.approx(second, abs=1e-8)


def test_points_are_as_wide_as_rounding_and_answer_for_themselves():
    line = line_of([(0.3, 0.3)], [(-0.5, -0.5), (0.5, 0.5)])
    mean = np.array([0.0, 0.2])
    density = stats.norm(0, 0.5).pdf(0.3)
    assert line.log_mass(mean, 0.5)[0] == pytest.approx(math.log(density * WIDTH), abs=1e-9)
    odds = stats.norm(0.2, 0.5).pdf([-0.5, 0.5])
    np.testing.assert_allclose(line.moments(mean, 0.5).first, [0.3, 0.5 * (odds[1] - odds[0]) / odds.sum()], atol=1e-9)
    assert line.log_mass(mean, 1e-9).max() <= 0  # nothing is more than certain


@pytest.mark.parametrize("far", [10.0, 40.0, 1e3])
def test_tails_keep_their_digits(far):
    """Far from the mean a half-line answers by its end, and an interval by its nearer one."""
    line = line_of([(far, math.inf)], [(far, far + 5)], [(-far - 5, -far)])
    mean = np.zeros(3)
    found = line.moments(mean, 1.0).first
    np.testing.assert_allclose(found, [far + 1 / far, far + 1 / far, -far - 1 / far], rtol=2 / far**2)
    expected = -0.5 * far**2 - math.log(far) - 0.5 * math.log(2 * math.pi)
    np.testing.assert_allclose(line.log_mass(mean, 1.0), expected, rtol=2 / far**2)


@given(
    st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 2)), min_size=1, max_size=4),
    st.floats(-5, 5),
    st.floats(1e-5, 3),
)
@settings(max_examples=200, deadline=None)
def test_means_lie_in_their_hull_and_the_probable_one_in_a_piece(pieces, mean, scale):
    sets = Intervals([[(low, low + width) for low, width in pieces]])
    line = sets.lines()[0]
    found, at = line.moments(np.array([mean]), scale), np.array([mean])
    assert sets.lowest[0] <= found.first[0] <= sets.highest[0]
    assert found.second[0] >= found.first[0] ** 2 - 1e-9
    t, share, after = line.probable(at, scale)
    assert sets.contains(t)[0]
    assert share[0] >= after[0] >= 0
    assert share[0] + after[0] <= 1 + 1e-9
    assert line.log_mass(at, scale)[0] <= 1e-9


def test_some_rows_of_a_line():
    line = line_of([(0, 1)], [(-2, -1), (1, 2)], [(3, 4)], [(5, 6), (7, 8), (9, 10)])
    some = line[np.array([3, 1])]
    np.testing.assert_array_equal(some.low, [5, 7, 9, -2, 1])
    np.testing.assert_array_equal(some.row, [0, 0, 0, 1, 1])
    assert line[np.arange(0)].n == 0


def test_the_deviation_is_the_most_likely_one(rng):
    """On exact numbers, the root of the mean square; on intervals, what a search over all of them finds."""
    t = 0.3 * rng.standard_normal(400)
    exact, mean, w = line_of(*[[(x, x)] for x in t]), np.zeros((1, 400)), np.ones((1, 400))
    assert 1.1 ** exact.fitted_scale(mean, w)[0] == pytest.approx(np.sqrt(np.mean(t**2)), rel=0.05)
    wide = line_of(*[[(x - a, x + b)] for x, (a, b) in zip(t, rng.exponential(0.3, (400, 2)))])
    each = [wide.log_mass(mean[0], 1.1**k).mean() for k in range(-60, 20)]
    assert wide.fitted_scale(mean, w)[0] == np.argmax(each) - 60
    assert wide.fitted_scale(np.repeat(mean, 2, 0), np.stack([w[0], np.arange(400) < 200]), [-12, 7]).shape == (2,)


def test_half_lines_end_where_the_law_of_all_rows_has_them_end(rng):
    line = line_of([(0.5, math.inf)], [(-math.inf, -0.2)], [(-math.inf, math.inf)], [(0.1, 0.3)], [(3.0, math.inf)])
    ended = line.ended(Law(0.1, 0.4, -0.7, 2.0, 0.6))
    np.testing.assert_array_equal(ended.low, [0.5, -0.7, -math.inf, 0.1, 3.0])
    np.testing.assert_array_equal(ended.high, [2.0, -0.2, math.inf, 0.3, 3.0])  # as long as nothing beyond all ends
    assert ended.unit == 0.6
    # the law itself, from exact numbers up to 0.3, beyond which nothing but that is told
    y = 0.2 + 0.3 * rng.standard_normal(2000)
    found = line_of(*[[(x, x)] if x < 0.3 else [(0.3, math.inf)] for x in y]).law()
    assert found.mean == pytest.approx(0.2, abs=0.05)
    assert found.scale == pytest.approx(0.3, abs=0.05)
    assert found.low == y.min()
    assert found.high == pytest.approx(0.3 + EXCESS * 0.3 * _excess_of((0.3 - found.mean) / found.scale), rel=0.2)
    # where nothing but half-lines is there, it has an end too, in units of the line
    alone = line_of(*[[(0.2, math.inf)], [(-math.inf, -0.2)]] * 10).law()
    assert alone.scale == pytest.approx(2.0 * alone.unit)
    assert -alone.low == pytest.approx(alone.high, rel=0.05)
    # an end that is told is the end where nothing is open on its side
    assert line_of([(0.0, 0.2)], [(0.1, 0.5)], [(-math.inf, 0.3)]).law().high == 0.5
