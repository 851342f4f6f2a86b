"""Piecewise is never beaten: by a grid, by scipy from every breakpoint, by the definition."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from infimum import SetLoss
from infimum.loss import doubled
from infimum.outputs import Intervals, Reals
from infimum.solvers import Alternate, ClosedForm, Piecewise, choose

ENDS = st.one_of(st.integers(-3, 3).map(float), st.floats(-5, 5, allow_nan=False, width=32))  # integers make ties


@st.composite
def pieces(draw, bounded=False):
    low, high = sorted((draw(ENDS), draw(ENDS)))
    if not bounded:
        low = draw(st.sampled_from([low, low, low, -math.inf]))
        high = draw(st.sampled_from([high, high, high, math.inf]))
    return low, high


@st.composite
def problems(draw, bounded=False):
    rows = draw(st.lists(st.lists(pieces(bounded), min_size=1, max_size=4), min_size=1, max_size=8))
    sets = Intervals(rows)
    if not np.isfinite(np.concatenate([sets.lower, sets.upper])).any():
        rows.append([(0.0, 1.0)])
    signed = st.floats(-1, 1, allow_subnormal=False)
    alpha = draw(st.lists(signed, min_size=2 * len(rows), max_size=2 * len(rows)))
    return rows, np.array(alpha).reshape(2, -1)


def objective(L, alpha):
    """F at z by the definition, for every query."""
    return lambda z: np.asarray(alpha) @ L(np.atleast_1d(np.asarray(z, dtype=float))).T


def assert_never_beaten(space, L, alpha):
    found = Piecewise().fit(L).minimise(alpha)
    F = objective(L, alpha)
    assert ((space.low_ <= found.z) & (found.z <= space.high_)).all()
    size = 1e-9 * (1 + np.abs(alpha).sum(axis=1)) * max(1.0, space.high_ - space.low_) ** 2
    at_z = np.diagonal(F(found.z))
    np.testing.assert_allclose(found.value, at_z, atol=size.max())
    sets = L.terms[0].sets
    ends = np.concatenate([sets.lower, sets.upper])
    ends = np.unique(ends[(space.low_ <= ends) & (ends <= space.high_)])
    ends = np.unique(np.concatenate([ends, (ends[:-1] + ends[1:]) / 2]))
    grid = np.concatenate([np.linspace(space.low_, space.high_, 2001), ends])
    assert (at_z <= F(grid).min(axis=1) + size).all()
    return found, F, ends, size


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@given(problem=problems())
@settings(max_examples=150, deadline=None)
def test_infimum_never_beaten_by_a_grid(loss, problem):
    rows, alpha = problem
    space = Reals(loss).fit(rows)
    assert_never_beaten(space, SetLoss(space, space.read(rows)), alpha)


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@pytest.mark.parametrize("principle", ["average", "supremum"])
@given(problem=problems(bounded=True))
@settings(max_examples=60, deadline=None)
def test_other_principles_never_beaten_by_a_grid(loss, principle, problem):
    rows, alpha = problem
    space = Reals(loss).fit(rows)
    assert_never_beaten(space, SetLoss(space, space.read(rows), principle), alpha)


@given(problem=problems(bounded=True))
@settings(max_examples=60, deadline=None)
def test_joint_reading_never_beaten_by_a_grid(problem):
    rows, alpha = problem
    space = Reals().fit(rows)
    L = doubled(SetLoss(space, space.read(rows)))
    assert_never_beaten(space, L, np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)]))


@pytest.mark.parametrize("loss", ["squared", "absolute"])
@given(problem=problems())
@settings(max_examples=30, deadline=None)
def test_never_beaten_by_scipy_between_breakpoints(loss, problem):
    rows, alpha = problem
    space = Reals(loss).fit(rows)
    found, F, ends, size = assert_never_beaten(space, SetLoss(space, space.read(rows)), alpha)
    for left, right in itertools.pairwise(ends):
        local = minimize_scalar(lambda z: F(z)[0, 0], bounds=(left, right), method="bounded")
        assert found.value[0] <= local.fun + size[0]


@pytest.mark.parametrize("size", [1e-9, 1e9])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_units(size, shift):
    rng = np.random.default_rng(0)
    middle, width = rng.normal(size=(40, 2, 1)), rng.exponential(size=(40, 2, 1)) / 4
    rows = np.concatenate([middle - width, middle + width], axis=2)
    alpha = rng.normal(0.2, 1, size=(50, 40))
    plain, scaled = (
        Piecewise().fit(SetLoss(space, space.read(y))).argmin(alpha)
        for y in (rows, size * (rows + shift))
        for space in [Reals().fit(y)]
    )
    np.testing.assert_allclose(scaled / size - shift, plain, atol=1e-9 * max(1, shift))


def test_queries_do_not_depend_on_each_other():
    rng = np.random.default_rng(0)
    rows = np.sort(rng.normal(size=(30, 3, 2)), axis=2)
    space = Reals().fit(rows)
    L = SetLoss(space, space.read(rows))
    alpha = rng.normal(size=(70, 30))
    alone = np.concatenate([Piecewise().fit(L).argmin(a[None]) for a in alpha])
    np.testing.assert_allclose(Piecewise().fit(L).argmin(alpha), alone, atol=1e-12)
    assert Piecewise().fit(L).argmin(np.empty((0, 30))).shape == (0,)


def test_minimum_before_a_gap_and_minimum_on_a_kink():
    """A vertex just before a downward kink, and a convex kink of a negative weight: both are minima."""
    rows = [[(-3.0, -3.0), (3.0, 3.0)], (-1.0, -1.0), (5.0, 5.0)]
    space = Reals().fit(rows)
    L = SetLoss(space, space.read(rows))
    found = Piecewise().fit(L).minimise(np.array([[0.4, 1.0, 0.0], [-1.0, 0.0, 0.05]]))
    F = objective(L, [[0.4, 1.0, 0.0], [-1.0, 0.0, 0.05]])
    grid = np.linspace(-3, 5, 100_001)
    np.testing.assert_allclose(found.value, F(grid).min(axis=1), atol=1e-8)
    np.testing.assert_allclose(found.z[0], (0.4 * -3 - 1) / 1.4)


def test_median_of_values():
    space = Reals("absolute").fit([1.0, 2.0, 10.0])
    L = SetLoss(space, space.read([1.0, 2.0, 10.0]))
    assert Piecewise().fit(L).argmin(np.full((1, 3), 1 / 3)) == [2.0]


def test_closed_form_agrees_and_divides_by_the_sum():
    rng = np.random.default_rng(0)
    y = rng.normal(1e6, 3, size=30)
    space = Reals().fit(y)
    L = SetLoss(space, space.read(y))
    alpha = rng.normal(0.3, 1, size=(200, 30))
    solver = choose("auto", L)
    assert isinstance(solver, ClosedForm)
    np.testing.assert_allclose(solver.fit(L).argmin(alpha), Piecewise().fit(L).argmin(alpha), rtol=0, atol=1e-6)
    positive = np.abs(alpha)
    np.testing.assert_allclose(solver.argmin(positive), positive @ y / positive.sum(axis=1))
    # where the sum is negative the objective falls towards both ends: the better one is taken
    ends = np.array([y.min(), y.max()])
    negative = -positive
    assert np.isin(solver.argmin(negative), ends).all()


def test_unknown_rows_change_nothing():
    rng = np.random.default_rng(0)
    rows = [(0.0, 1.0), (2.0, math.inf), None, 4.0]
    space = Reals().fit(rows)
    L = SetLoss(space, space.read(rows))
    alpha = rng.normal(size=(20, 4))
    other = alpha.copy()
    other[:, 2] = rng.normal(size=20)
    np.testing.assert_array_equal(Piecewise().fit(L).argmin(alpha), Piecewise().fit(L).argmin(other))


def test_who_can():
    space = Reals("absolute").fit([1.0, 2.0])
    L = SetLoss(space, space.read([1.0, 2.0]))
    with pytest.raises(ValueError, match=r"Alternate cannot .* Solvers that can: Piecewise\."):
        choose(Alternate(), L)
    with pytest.raises(ValueError, match=r"ClosedForm cannot .* Solvers that can: Piecewise\."):
        choose(ClosedForm(), L)
    with pytest.raises(ValueError, match=r"row 1: ≥ 0 is unbounded"):
        Piecewise().fit(SetLoss(Reals().fit([1, 2]), Intervals([1, (0, math.inf)]), "supremum"))


def test_of_equal_minima_the_first_is_taken():
    """Sets and their mirror images: every minimum is there twice, and rounding does not choose between them."""
    rng = np.random.default_rng(0)
    ends = np.sort(rng.uniform(1, 5, size=(200, 2)), axis=1)
    rows = np.stack([-ends[:, ::-1], ends], axis=1)
    space = Reals().fit(rows)
    z = Piecewise().fit(SetLoss(space, space.read(rows))).argmin(rng.uniform(size=(300, 200)))
    assert (z < 0).all()


def test_minimum_next_to_the_left_end():
    """What is lower by less than rounding is still where F turns, not where it begins to fall."""
    rows = [(-1.0, -1.0), (1.0, 1.0), (-1 + 1e-7, 1.0)]
    space = Reals().fit(rows)
    z = Piecewise().fit(SetLoss(space, space.read(rows))).argmin(np.array([[1.0, 2e-7, 0.0], [1.0, 0.0, 1.0]]))
    np.testing.assert_allclose(z + 1, [4e-7, 5e-8], rtol=1e-5)
