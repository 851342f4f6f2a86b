"""The laws of the design, on every case and principle, against brute force through the public interface."""

import itertools

import numpy as np
import pytest

from cases import CASES
from infimum.loss import SetLoss, doubled
from infimum.solvers import IN_ORDER, Alternate, Enumerate, choose
from infimum.weights import PrecomputedWeights, SplitSigns

N = 7
BRUTE = {"infimum": min, "average": lambda v: sum(v) / len(v), "supremum": max}

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
principles = pytest.mark.parametrize("principle", list(BRUTE))
quiet = pytest.mark.filterwarnings("ignore::infimum.InfimumWarning")
readings = pytest.mark.parametrize("reading", ["inside", "joint"])


def brute_losses(case, sets, principle, Z):
    """L(z, S_i), (n_z, n), from the definition."""
    members = case.members(sets)
    return np.array([[BRUTE[principle]([case.loss(z, y) for y in S]) for S in members] for z in Z])


def brute_risks(case, sets, principle, reading, alpha, Z):
    """sum_i alpha_i L(z, S_i), (q, n_z); jointly, a negative weight turns the principle round."""
    losses = brute_losses(case, sets, principle, Z)
    if reading == "inside":
        return alpha @ losses.T
    opposite = {"infimum": "supremum", "average": "average", "supremum": "infimum"}[principle]
    return np.maximum(alpha, 0) @ losses.T + np.minimum(alpha, 0) @ brute_losses(case, sets, opposite, Z).T


def problem(case, sets, principle, reading, alpha):
    """The loss and the weights, as an estimator would pass them to a solver."""
    L = SetLoss(case.space, sets, principle)
    if reading == "inside":
        return L, alpha
    return doubled(L), SplitSigns(PrecomputedWeights()).fit(alpha)(alpha)


def value_at(case, L, alpha, z):
    """The objective of every query at its own z."""
    losses = L(z) if len(z) else np.empty((0, len(L)))
    return np.einsum("qn,qn->q", np.asarray(alpha), losses)


@cases
@principles
def test_loss_is_brute_force(case, principle, rng):
    sets, Z = case.sets(rng, N), case.all()
    np.testing.assert_allclose(
        SetLoss(case.space, sets, principle)(Z), brute_losses(case, sets, principle, Z), atol=1e-12
    )


@cases
def test_argmin_is_a_member_and_beats_every_member(case, rng):
    if not case.bilinear:
        pytest.skip("argmin is for bilinear losses")
    sets = case.sets(rng, N)
    d = case.points(case.all()[:1]).center().shape[1]
    c = rng.standard_normal((3, N, d))
    best = sets.argmin(c)
    for i, S in enumerate(case.members(sets)):
        phi = case.points(S).center()
        values = c[:, i] @ phi.T
        np.testing.assert_allclose(np.einsum("kd,kd->k", c[:, i], best[:, i]), values.min(axis=1), atol=1e-10)
        nearest = np.abs(best[:, i][:, None] - phi).max(axis=-1).min(axis=1)
        np.testing.assert_allclose(nearest, 0, atol=1e-10)


@cases
def test_principles_are_ordered(case, rng):
    sets, Z = case.sets(rng, N), case.all()
    low, middle, high = (SetLoss(case.space, sets, p)(Z) for p in BRUTE)
    assert np.all(low >= -1e-12)
    assert np.all(low <= middle + 1e-12)
    assert np.all(middle <= high + 1e-12)


@cases
def test_infimum_is_zero_on_members_only(case, rng):
    if not case.proper:
        pytest.skip("the loss is not proper")
    sets, Z = case.sets(rng, N), case.all()
    inside = np.array([sets.contains(np.broadcast_to(z, (N, *np.shape(z)))) for z in Z])
    np.testing.assert_array_equal(SetLoss(case.space, sets, "infimum")(Z) < 1e-12, inside)


@cases
def test_larger_sets_have_smaller_infimum_and_larger_supremum(case, rng):
    sets, Z = case.sets(rng, N), case.all()
    larger = case.larger(sets, rng)
    assert np.all(SetLoss(case.space, larger, "infimum")(Z) <= SetLoss(case.space, sets, "infimum")(Z) + 1e-12)
    assert np.all(SetLoss(case.space, larger, "supremum")(Z) >= SetLoss(case.space, sets, "supremum")(Z) - 1e-12)


@cases
@principles
def test_singletons_are_full_supervision(case, principle, rng):
    Y = case.all()
    y = Y[rng.integers(len(Y), size=N)]
    expected = np.array([[case.loss(z, yi) for yi in y] for z in Y])
    np.testing.assert_allclose(SetLoss(case.space, case.points(y), principle)(Y), expected, atol=1e-12)


@cases
def test_unknown_rows_say_nothing(case):
    L = SetLoss(case.space, case.whole(2), "infimum")(case.all())
    if case.proper:
        np.testing.assert_allclose(L, 0, atol=1e-12)
    else:
        # what is left is the part of the loss that looks at z alone
        np.testing.assert_allclose(L[:, 0], [min(case.loss(z, y) for y in case.all()) for z in case.all()], atol=1e-12)


@quiet
@cases
@principles
@readings
@pytest.mark.parametrize("solver", IN_ORDER)
def test_solvers_against_brute_force(case, principle, reading, solver, rng):
    """An exact solver attains the smallest risk, a heuristic is never below it; both report the risk of their z."""
    sets, Z = case.sets(rng, N), case.dense
    if Z is None:
        Z = case.all() if case.outputs is None else case.space.outputs()
    alpha = rng.standard_normal((12, N))
    L, weights = problem(case, sets, principle, reading, alpha)
    if not solver().accepts(L):
        with pytest.raises(ValueError, match=f"{solver.__name__} cannot minimise the <.*it needs .*Solvers that can: "):
            choose(solver(), L)
        return
    found = solver().fit(L).minimise(weights)
    best = brute_risks(case, sets, principle, reading, alpha, Z).min(axis=1)
    np.testing.assert_allclose(found.value, value_at(case, L, weights, found.z), atol=1e-10)
    assert np.all(found.bound <= best + 1e-10)
    if case.dense is None:
        assert np.all(found.value >= best - 1e-10)
    if solver.exact:
        assert np.all(found.value <= best + 1e-10)


@cases
def test_some_exact_solver_serves(case, rng):
    L = SetLoss(case.space, case.sets(rng, N), "infimum")
    assert Enumerate().accepts(L) or case.space.size == np.inf
    assert any(s.exact and s().accepts(L) for s in IN_ORDER) != case.heuristic


@quiet
@cases
def test_alternation_never_goes_up(case, rng):
    """On the joint objective, more rounds never give a larger risk."""
    if not case.bilinear:
        pytest.skip("alternation is for bilinear losses")
    sets, alpha = case.sets(rng, N), rng.standard_normal((12, N))
    L, weights = problem(case, sets, "infimum", "joint", alpha)
    values = []
    for rounds in (0, 1, 2, 50):
        solver = Alternate(max_iter=rounds).fit(L)
        values.append(value_at(case, L, weights, solver.argmin(weights)))
    for before, after in itertools.pairwise(values):
        assert np.all(after <= before + 1e-9)


@quiet
@cases
@principles
def test_scaling_and_permuting(case, principle, rng):
    """Scaling alpha by a positive number, or permuting examples, changes nothing but the scale of the risk."""
    sets, alpha = case.sets(rng, N), rng.standard_normal((12, N))
    L = SetLoss(case.space, sets, principle)
    solver = next(s() for s in IN_ORDER if s().accepts(L))
    value = solver.fit(L).minimise(alpha).value
    np.testing.assert_allclose(solver.fit(L).minimise(3 * alpha).value, 3 * value, atol=1e-9)
    order = rng.permutation(N)
    shuffled = SetLoss(case.space, sets[order], principle)
    np.testing.assert_allclose(solver.fit(shuffled).minimise(alpha[:, order]).value, value, atol=1e-9)


@cases
def test_sets_are_indexed_like_arrays(case, rng):
    sets, Z = case.sets(rng, N), case.all()
    L = SetLoss(case.space, sets, "infimum")(Z)
    mask = np.arange(N) % 2 == 0
    for rows in ([2, 0, 2], slice(1, 4), mask, np.array([], dtype=int)):
        part = sets[rows]
        assert type(part) is type(sets)
        np.testing.assert_allclose(SetLoss(case.space, part, "infimum")(Z), L[:, rows], atol=1e-12)
    with pytest.raises(IndexError, match="mask"):
        sets[np.ones(N + 1, bool)]


@cases
def test_enumeration_in_batches_is_enumeration(case, rng):
    """Where the table of losses is too large to be folded, outputs go by in blocks."""
    if case.space.size == np.inf:
        assert not Enumerate().accepts(SetLoss(case.space, case.sets(rng, N)))
        return
    L, alpha = SetLoss(case.space, case.sets(rng, N)), rng.standard_normal((12, N))
    expected = Enumerate().fit(L).minimise(alpha)
    solver = Enumerate()
    solver.max_cells = 1
    solver.fit(L)
    assert solver.table_ is None
    found = solver.minimise(alpha)
    np.testing.assert_allclose(found.value, expected.value, atol=1e-12)
    np.testing.assert_allclose(solver.risks(alpha).min(axis=1), expected.value, atol=1e-12)
