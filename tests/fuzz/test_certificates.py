"""`bound <= optimum <= value` at every scale of weights, for every solver, against brute force."""

import os

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infimum import SetLoss
from infimum.outputs import HammingBalls, Labels, PartialOrders, PartialTags, Rankings, Reals, Tags
from infimum.solvers import Alternate, ClosedForm, Enumerate, Piecewise

BUDGET = int(os.environ.get("INFIMUM_CAMPAIGN", "40"))
SCALES = [1e-300, 1e-200, 1e-100, 1e-20, 1e-12, 1.0, 1e12, 1e100, 1e200, 1e300]


def labels(rng, n):
    space = Labels(classes=range(4)).fit([])
    mask = (rng.random((n, 4)) < 0.5) | np.eye(4, dtype=bool)[rng.integers(4, size=n)]
    return space, space.read(mask)


def tags(rng, n):
    space = Tags(4).fit([])
    return space, PartialTags(rng.integers(-1, 2, (n, 4)))


def balls(rng, n):
    space = Tags(6).fit([])
    return space, HammingBalls(rng.choice([-1, 1], (n, 6)), rng.integers(0, 4, n))


def orders(rng, n):
    space = Rankings(4).fit([])
    codes = PartialOrders.from_orders([rng.permutation(4) for _ in range(n)]).codes
    return space, PartialOrders(np.where(rng.random(codes.shape) < 0.5, codes, 0))


def full_orders(rng, n):
    space = Rankings(4).fit([])
    return space, PartialOrders.from_orders([rng.permutation(4) for _ in range(n)])


PROBLEMS = {
    "labels, closed form": (labels, ClosedForm()),
    "labels, alternate": (labels, Alternate()),
    "tags, closed form": (tags, ClosedForm()),
    "tags, alternate": (tags, Alternate()),
    "balls, enumerate": (balls, Enumerate()),
    "balls, alternate": (balls, Alternate()),
    "orders, alternate": (orders, Alternate()),
    "full orders, closed form": (full_orders, ClosedForm()),
}


def alphas(rng, n, scale, signed):
    """Weights of one scale, of many scales in one query, and with all but one far smaller."""
    sign = rng.choice([-1.0, 1.0], (3, n)) if signed else 1.0
    A = rng.random((3, n)) + 0.1
    A[1] *= 10.0 ** rng.integers(-8, 1, n)
    A[2, 1:] *= 1e-18
    return A * sign * scale


def check(found, optimum, size, exact):
    """All three as shares of the largest weight, which is of the size of the objective."""
    value, bound, best = np.asarray(found.value) / size, np.asarray(found.bound) / size, np.asarray(optimum) / size
    assert not np.isnan(value).any()
    assert not np.isnan(bound).any()
    assert (bound <= best + 1e-9).all(), f"bound {bound} above the optimum {best}"
    assert (best <= value + 1e-9).all(), f"value {value} below the optimum {best}"
    if exact:
        np.testing.assert_allclose(value, best, atol=1e-9)


@pytest.mark.parametrize("name", PROBLEMS)
def test_certificates_hold_at_every_scale(name):
    make, solver = PROBLEMS[name]

    @settings(
        max_examples=max(10, BUDGET // 2),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 10**6), st.sampled_from(SCALES), st.booleans())
    def one(seed, scale, signed):
        rng = np.random.default_rng(seed)
        space, sets = make(rng, 5)
        L, alpha = SetLoss(space, sets), alphas(rng, 5, scale, signed)
        size = np.abs(alpha).max(axis=1)
        # brute force over the same losses, at a scale where floating point has room
        risks = (alpha / size[:, None]) @ L(space.outputs()).T
        with np.errstate(all="raise", under="ignore"):
            found = solver.fit(L).minimise(alpha)
        check(found, risks.min(axis=1) * size, size, not isinstance(solver, Alternate))
        whole = Enumerate().fit(L).minimise(alpha)
        check(whole, risks.min(axis=1) * size, size, True)

    one()


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("loss", ["squared", "absolute"])
def test_piecewise_holds_at_every_scale(loss):
    @settings(
        max_examples=max(10, BUDGET // 2),
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 10**6), st.sampled_from(SCALES), st.booleans())
    def one(seed, scale, signed):
        rng = np.random.default_rng(seed)
        ends = np.sort(rng.integers(-4, 5, (5, 2)), axis=1).astype(float)
        space = Reals(loss).fit(ends)
        L, alpha = SetLoss(space, space.read(ends)), alphas(rng, 5, scale, signed)
        size = np.abs(alpha).max(axis=1)
        grid = np.linspace(space.low_, space.high_, 801)
        risks = (alpha / size[:, None]) @ L(grid).T
        found = Piecewise().fit(L).minimise(alpha)
        value, bound = np.asarray(found.value) / size, np.asarray(found.bound) / size
        assert np.isfinite(value).all()
        assert (bound <= value + 1e-9).all()
        assert (value <= risks.min(axis=1) + 1e-7).all(), "a point of the grid is lower"

    one()
