"""Boxes, balls, annuli and candidates: projections, bounds, and alternation that goes down."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

from infimum import Annuli, Balls, Boxes, CandidatePoints, PartialRegressor, SetLoss, weights
from infimum.loss import doubled
from infimum.outputs import Vectors
from infimum.solvers import Alternate, ClosedForm, Coordinatewise, choose

N, M = 6, 3


def boxes(rng):
    low, high = np.sort(rng.normal(size=(2, N, M)), axis=0)
    return Boxes(low, high)


def balls(rng):
    return Balls(rng.normal(size=(N, M)), rng.exponential(size=N))


def annuli(rng):
    inner = rng.exponential(size=N)
    phase = np.where(rng.random((N, 1)) < 0.4, rng.normal(size=(N, M)), np.nan)
    return Annuli(inner, inner + rng.exponential(size=N), phase=phase, center=rng.normal(size=(N, M)))


def candidates(rng):
    return CandidatePoints([rng.normal(size=(k, M)) for k in rng.integers(1, 5, size=N)])


KINDS = [boxes, balls, annuli, candidates]
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def members(sets, rng, k=4000):
    """Many points of every set: random points brought into it, and its extreme points."""
    far = sets.nearest(rng.normal(0, 4, size=(k, N, M)))
    ends = sets.extreme(np.full((k, N), -1.0), rng.normal(0, 4, size=(k, N, M)))
    return np.concatenate([far, ends])


@kinds
def test_projections(kind, rng):
    sets = kind(rng)
    points = members(sets, rng)
    assert sets.contains(points).all()
    z = rng.normal(0, 2, size=(N, M))
    away = np.linalg.norm(points - z, axis=-1)
    assert (sets.distance(z) <= away.min(axis=0) + 1e-9).all()
    assert (sets.farthest(z) >= away.max(axis=0) - 1e-9).all()
    np.testing.assert_allclose(sets.farthest(z), away.max(axis=0), rtol=0.1)
    a, b = -rng.random(N), rng.normal(size=(N, M))
    value = lambda y: a * (y**2).sum(axis=-1) + (b * y).sum(axis=-1)  # noqa: E731
    assert (value(sets.extreme(a, b)) <= value(points).min(axis=0) + 1e-9).all()
    low, high = sets.box()
    assert ((points >= low - 1e-9) & (points <= high + 1e-9)).all()


@kinds
def test_argmin_in_the_units_of_a_space(kind, rng):
    sets = kind(rng)
    space = Vectors().fit(sets)
    scaled = space.read(sets)
    c = rng.normal(size=(5, N, M + 2))
    found = np.einsum("knd,knd->kn", c, scaled.argmin(c))
    phi = scaled.phi(members(sets, rng))
    for k in range(5):
        assert (found[k] <= np.einsum("nd,snd->sn", c[k], phi).min(axis=0) + 1e-9).all()


def test_averages_are_means_over_the_set(rng):
    """Against uniform draws: the error of a mean of 200,000 is about 0.003; 0.02 has odds below 1e-9."""
    y = rng.uniform(-3, 3, size=(200_000, 2))
    ring = Annuli([1.0, 0.0], [2.0, 1.5], center=[[0.5, 0.0], [0.5, 0.0]])
    box = Boxes([[0.0, -1.0]], [[2.0, 1.0]])
    for sets in (ring, box):
        for i in range(len(sets)):
            inside = y[sets[[i]].contains(y[:, None, :])[:, 0]]
            mean, spread = (part[i] for part in sets.moments())
            np.testing.assert_allclose(inside.mean(axis=0), mean, atol=0.02)
            np.testing.assert_allclose(((inside - mean) ** 2).sum(axis=1).mean(), spread, atol=0.02)
    thin = Annuli([2.0], [2.0], m=3).moments()
    np.testing.assert_allclose(thin[1], 4.0)
    segment = Annuli([1.0], [3.0], phase=[[0.0, 2.0]]).moments()
    np.testing.assert_allclose(segment[0], [[0.0, 2.0]])
    np.testing.assert_allclose(segment[1], 4 / 12)


@kinds
@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
@pytest.mark.parametrize("principle", ["infimum", "supremum", "joint"])
def test_alternation_returns_the_objective_of_its_outputs(kind, principle, rng):
    sets = kind(rng)
    space = Vectors().fit(sets)
    L = SetLoss(space, space.read(sets), "supremum" if principle == "supremum" else "infimum")
    alpha = rng.normal(0.3, 1, size=(8, N))
    if principle == "joint":
        L, alpha = doubled(L), np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)])
    found = Alternate(n_starts=3).fit(L).minimise(alpha)
    np.testing.assert_allclose(found.value, np.diagonal(alpha @ L(found.z).T), atol=1e-9)


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
@pytest.mark.parametrize("kind", [boxes, balls], ids=lambda kind: kind.__name__)
def test_convex_sets_are_solved(kind, rng):
    """Convex sets and weights >= 0: no output has a smaller objective."""
    sets = kind(rng)
    space = Vectors().fit(sets)
    L = SetLoss(space, space.read(sets))
    alpha = rng.random((5, N))
    found = Alternate(max_iter=2000).fit(L).minimise(alpha)
    others = rng.uniform(space.low_, space.high_, size=(3000, M))
    assert (found.value <= (alpha @ L(others).T).min(axis=1) * (1 + 1e-3)).all()


@kinds
@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_alternation_goes_down_and_more_starts_help(kind, rng):
    sets = kind(rng)
    space = Vectors().fit(sets)
    L = doubled(SetLoss(space, space.read(sets)))
    alpha = rng.normal(0.3, 1, size=(20, N))
    alpha = np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)])
    values = [Alternate(max_iter=k).fit(L).minimise(alpha).value for k in (0, 1, 2, 4, 50)]
    values += [Alternate(max_iter=50, n_starts=k).fit(L).minimise(alpha).value for k in (2, 6)]
    for before, after in itertools.pairwise(values):
        assert (after <= before + 1e-9).all()


def test_values_are_kernel_ridge(rng):
    X, Y = rng.normal(size=(30, 2)), rng.normal(size=(30, 3))
    family = weights.KernelRidge(lam=0.01)
    model = PartialRegressor.paper(weights=family).fit(X, Vectors.unscaled(Y))
    assert isinstance(model.solver_, ClosedForm)
    alpha = np.asarray(model.weights_(X))
    total = alpha.sum(axis=1, keepdims=True)
    expected = np.clip(alpha @ Y / total, Y.min(axis=0), Y.max(axis=0))
    np.testing.assert_allclose(model.predict(X)[total[:, 0] > 0], expected[total[:, 0] > 0])
    for j in range(3):
        alone = PartialRegressor.paper(weights=family).fit(X, Y[:, j]).predict(X)
        np.testing.assert_allclose(model.predict(X)[total[:, 0] > 0, j], alone[total[:, 0] > 0])


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_unknown_coordinates(rng):
    """A row that misses a coordinate teaches the others; a row that misses all of them teaches nothing."""
    X = np.array([[0.0], [0.1], [0.2], [5.0]])
    Y = np.array([[1.0, np.nan], [np.nan, 2.0], [np.nan, np.nan], [4.0, 4.0]])
    model = PartialRegressor().fit(X, Vectors.unscaled(Y))
    np.testing.assert_allclose(model.predict([[0.05]]), [[1.0, 2.0]], atol=0.05)


def test_forms_and_bad_rows():
    assert isinstance(Vectors.unscaled([[[0, 0], [1, 1]], [[2, 2]]]), CandidatePoints)
    assert isinstance(Vectors.unscaled(pd.DataFrame(np.zeros((3, 2)))), Boxes)
    assert Vectors.unscaled(np.zeros((4, 3, 2))).m == 3
    with pytest.raises(ValueError, match=r"row 1: expected lower <= upper, got \[1.0\] and \[0.0\]"):
        Boxes([[0.0], [1.0]], [[1.0], [0.0]])
    with pytest.raises(ValueError, match=r"row 0: expected 0 <= inner <= outer < inf, got 2 and 1"):
        Annuli([2.0], [1.0])
    with pytest.raises(ValueError, match=r"row 1: expected a direction.*got \[0.0, 0.0\]"):
        Annuli([1.0, 1.0], [2.0, 2.0], phase=[[1.0, 0.0], [0.0, 0.0]])
    with pytest.raises(ValueError, match=r"(?s)row 1: an empty list.*row 2: expected points of 2 coordinates"):
        CandidatePoints([[[0.0, 1.0]], [], [[1.0]]])
    with pytest.raises(ValueError, match=r"row 0: .* is unbounded, so the supremum is undefined"):
        SetLoss(Vectors().fit([[0.0], [1.0]]), Boxes([[0.0]], [[np.inf]]), "supremum")(np.array([[0.5]]))
    with pytest.raises(ValueError, match=r"range of y is unknown in the coordinates \[1\]"):
        Vectors().fit([[0.0, np.nan], [1.0, np.nan]])
    with pytest.raises(ValueError, match="y has 2 coordinates; 1 were expected"):
        Vectors().fit([[0.0]]).read([[0.0, 1.0]])
    with pytest.raises(ValueError, match="Vectors support only loss='squared'"):
        PartialRegressor(loss="absolute").fit([[0.0]], Boxes([[0.0]], [[1.0]]))


@pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
def test_phases_are_found_again(rng):
    """On a curve whose phase is lost in 70 % of the rows, the infimum stays close and the average collapses."""
    x = rng.random(120)
    angle, size = 2 * np.pi * x, 2 + np.cos(6 * np.pi * x)
    curve = size[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    phase = np.where((rng.random(120) < 0.3)[:, None], curve, np.nan)
    y = Annuli(size - 0.2, size + 0.2, phase=phase)
    family = weights.KernelRidge(lam=1.0, sigma=0.03)
    error = {}
    for principle in ("infimum", "average"):
        model = PartialRegressor.paper(principle=principle, weights=family, solver=_solver(principle)).fit(
            x[:, None], y
        )
        error[principle] = np.mean(((model.predict(x[:, None]) - curve) ** 2).sum(axis=1))
    assert error["infimum"] < 0.2 < 1.0 < error["average"]


def _solver(principle):
    return Alternate(n_starts=4) if principle == "infimum" else "auto"


@pytest.mark.parametrize("reading", ["infimum", "supremum", "average", "joint"])
def test_boxes_are_minimised_coordinate_by_coordinate_and_proved(reading, rng):
    # weights of any sign; every breakpoint of a coordinate and a fine grid between them, in all combinations
    low, high = np.sort(rng.normal(size=(2, N, 2)), axis=0)
    space = Vectors().fit(Boxes(low, high))
    sets = space.read(Boxes(low, high))
    L = doubled(SetLoss(space, sets)) if reading == "joint" else SetLoss(space, sets, reading)
    alpha = rng.normal(0.2, 1, size=(40, len(L)))
    found = Coordinatewise().fit(L).minimise(alpha)
    axes = [np.union1d(np.linspace(a, b, 150), np.r_[low[:, k], high[:, k]])
            for k, (a, b) in enumerate(zip(space.low_, space.high_))]  # fmt: skip
    grid = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, 2)
    best = (alpha @ L(grid).T).min(axis=1)
    assert (found.value <= best + 1e-9).all()
    assert (found.value >= best - 2e-2 * np.abs(alpha).sum(axis=1)).all()
    np.testing.assert_allclose(np.einsum("qn,qn->q", alpha, L(found.z)), found.value, atol=1e-9)
    assert (found.gap == 0).all()
    assert ((space.low_ <= found.z) & (found.z <= space.high_)).all()


def test_boxes_with_open_sides_and_a_constant_coordinate_are_proved_by_default(rng):
    lower = np.column_stack([rng.normal(size=30), np.full(30, 5.0)])
    upper = lower + np.column_stack([rng.exponential(size=30), np.zeros(30)])
    lower[::4, 0], upper[1::4, 0] = -np.inf, np.inf
    X = rng.normal(size=(30, 2))
    model = PartialRegressor.paper(weights=weights.KernelRidge(1e-3)).fit(X, Boxes(lower, upper))
    assert isinstance(model.solver_, Coordinatewise)
    found = model.minimum(X)
    assert (found.gap == 0).all()
    assert (found.z[:, 1] == 5).all()
    other = PartialRegressor.paper(weights=weights.KernelRidge(1e-3), solver=Alternate()).fit(X, Boxes(lower, upper))
    assert (found.value <= other.minimum(X).value + 1e-9).all()


def test_coordinatewise_refuses_what_is_no_box(rng):
    space = Vectors().fit(balls(rng))
    with pytest.raises(ValueError, match=r"Coordinatewise cannot .* a sum over coordinates, or over several outputs"):
        choose(Coordinatewise(), SetLoss(space, space.read(balls(rng))))
