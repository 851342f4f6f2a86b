"""The paper's identities as exact fractions, and its theorems on random finite problems."""

import math
from fractions import Fraction as F
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from infimum.paper import theory

A, B, C = range(3)


def exact(array):
    """Return a list of fractions; floats are not exact."""
    assert all(isinstance(value, F) for value in array)
    return list(array)


@st.composite
def losses(draw, m, symmetric=False):
    """A proper loss on m points, exact."""
    cost = [[F(0) if z == y else F(draw(st.integers(1, 6)), 2) for y in range(m)] for z in range(m)]
    cost = np.array(cost, dtype=object)
    return np.triu(cost) + np.triu(cost, 1).T if symmetric else cost


@st.composite
def weak(draw, m, signed=False):
    """Distinct sets with exact weights of sum one."""
    rows = draw(st.lists(st.integers(1, 2**m - 1), min_size=1, max_size=6, unique=True))
    sets = (np.array(rows)[:, None] >> np.arange(m)) % 2 == 1
    weights = draw(st.lists(st.integers(-3 if signed else 1, 6).filter(bool), min_size=len(rows), max_size=len(rows)))
    assume(sum(weights) > 0)
    return sets, np.array([F(w, sum(weights)) for w in weights], dtype=object)


@st.composite
def problems(draw, signed=False, largest=4):
    m = draw(st.integers(2, largest))
    return draw(losses(m)), *draw(weak(m, signed=signed))


def non_ambiguous(sets, p, y):
    """The same sets with y added, and {y} itself where another element is in all of them: S_x = {y}."""
    sets = sets | (np.arange(sets.shape[1]) == y)
    if sets.all(axis=0).sum() == 1:
        return sets, p
    return np.vstack([sets, np.arange(sets.shape[1]) == y]), np.append(p / 2, F(1, 2))


class TestPointwiseExample:
    cost, sets, p, y = theory.pointwise_example()

    def test_risks(self):
        assert exact(theory.set_risk(self.cost, self.sets, self.p)) == [F(1, 4), F(3, 8), F(0)]
        assert exact(theory.set_risk(self.cost, self.sets, self.p, "supremum")) == [F(1), F(2), F(13, 8)]
        assert exact(theory.set_risk(self.cost, self.sets, self.p, "average")) == [F(35, 48), F(19, 16), F(13, 16)]

    def test_average_distribution(self):
        rho = theory.average_distribution(self.sets, self.p)
        assert exact(rho) == [F(13, 48), F(13, 48), F(11, 24)]
        assert exact(self.cost @ rho) == [F(35, 48), F(19, 16), F(13, 16)]

    def test_disambiguation_is_the_truth(self):
        rho, z, variability = theory.least_variability(self.cost, self.sets, self.p)
        assert exact(rho) == [F(0), F(0), F(1)]
        assert (z, variability) == (C, 0)

    def test_constants(self):
        constants = theory.calibration(self.cost, self.sets, self.p)
        assert constants == (C, F(1, 4), F(2), math.log(2), F(8), F(16, 3))
        assert all(isinstance(constants[i], F) for i in (1, 2, 4, 5))
        # the caption's R_S(b) = R(b)/4 is 3/16 R(b)
        assert theory.set_risk(self.cost, self.sets, self.p)[B] == F(3, 16) * self.cost[B, C]

    def test_region_has_five_vertices(self):
        vertices = {tuple(v) for v in theory.eligible_region(self.sets, self.p)}
        missing = {(F(3, 4), F(1, 8), F(1, 8)), (F(1, 8), F(3, 4), F(1, 8))}
        drawn = {(F(0), F(0), F(1)), (F(3, 4), F(0), F(1, 4)), (F(0), F(3, 4), F(1, 4))}
        assert vertices == missing | drawn

    def test_decision_regions(self):
        half = F(1, 2)
        R = [{tuple(v) for v in region} for region in theory.decision_regions(self.cost)]
        middle = {(half, half, 0), (half, 0, half), (0, half, half)}
        assert R[A] == middle | {(1, 0, 0)}
        assert R[B] == {(half, half, 0), (0, half, half), (0, 1, 0)}
        assert R[C] == {(half, 0, half), (0, half, half), (0, 0, 1)}

    def test_thales(self):
        # d(delta_z + D_z, R_tau) / d(delta_z + D_z, delta_c) = R_S(z) / R(z; delta_c), for z = b
        normal = self.cost[B].astype(float) - self.cost[B].astype(float).mean()
        origin = np.eye(3)[B]

        def distance(points):
            return np.abs((points - origin) @ normal).min() / np.linalg.norm(normal)

        region = theory.eligible_region(self.sets, self.p).astype(float)
        assert distance(region) / distance(np.eye(3)[[C]]) == pytest.approx(3 / 16)


class TestSignedExample:
    """The remark on signed measures: the region leaves the simplex, and the prediction is still c."""

    cost, sets, p, y = theory.signed_example()

    def test_region_is_the_drawn_pentagon(self):
        q = F(1, 4)
        drawn = {(3 * q, 0, q), (3 * q, -q, 2 * q), (2 * q, -q, 3 * q), (-q, 2 * q, 3 * q), (q, 2 * q, q)}
        assert {tuple(v) for v in theory.eligible_region(self.sets, self.p)} == drawn

    def test_disambiguation(self):
        rho, z, variability = theory.least_variability(self.cost, self.sets, self.p)
        assert exact(rho) == [F(1, 2), F(-1, 4), F(3, 4)]
        assert (z, variability) == (C, 0)
        assert (self.cost @ rho).argmin() == C
        assert theory.is_eligible(rho, self.sets, self.p)

    def test_the_two_rules_for_negative_weights_differ(self):
        joint, inside = (
            exact(theory.set_risk(self.cost, self.sets, self.p, negative_weights=how)) for how in ("joint", "inside")
        )
        assert joint == [F(1, 4), F(3, 4), F(0)]
        assert inside == [F(1, 2), F(5, 4), F(1, 2)]


def test_improper_loss_of_the_active_labelling_figure_has_infinite_constants():
    cost = np.array([[0, 1, 1], [0, 0, 1], [1, 1, 0]])
    sets, p = np.array([[1, 0, 1], [0, 1, 1]], dtype=bool), [0.5, 0.5]
    constants = theory.calibration(cost, sets, p)
    assert constants.constant == constants.refined == constants.nu == math.inf
    assert theory.set_risk(cost, sets, p)[B] == 0
    assert theory.calibration(cost, sets, [F(1, 2), F(1, 2)]).refined == math.inf


@settings(deadline=None)
@given(problems(signed=True), st.sampled_from(["infimum", "average", "supremum"]))
def test_set_risk_is_brute_force(problem, principle):
    cost, sets, p = problem
    rule = {"infimum": min, "supremum": max, "average": lambda v: sum(v) / F(len(v))}[principle]
    expected = [sum(w * rule([row[y] for y in np.flatnonzero(s)]) for s, w in zip(sets, p)) for row in cost]
    assert exact(theory.set_risk(cost, sets, p, principle)) == [*expected]
    floats = theory.set_risk(cost.astype(float), sets, p.astype(float), principle)
    assert floats.dtype == np.float64
    np.testing.assert_allclose(floats, np.array(expected, dtype=float), atol=1e-12)


def choices(sets, p):
    """All sum_S tau(S) delta_{y_S} with y_S in S: R_tau is their convex hull."""
    m = sets.shape[1]
    for ys in product(*(np.flatnonzero(s) for s in sets)):
        yield tuple(sum((w for w, y in zip(p, ys) if y == z), F(0)) for z in range(m))


@settings(deadline=None)
@given(problems(signed=True))
def test_infimum_risk_is_the_least_risk_over_eligible_distributions(problem):
    # Thm. 1, and its signed form under the joint reading
    cost, sets, p = problem
    vertices = theory.eligible_region(sets, p)
    least, most = (vertices @ cost.T).min(axis=0), (vertices @ cost.T).max(axis=0)
    assert exact(theory.set_risk(cost, sets, p, negative_weights="joint")) == [*least]
    assert exact(theory.set_risk(cost, sets, p, "supremum", negative_weights="joint")) == [*most]
    rho, z, variability = theory.least_variability(cost, sets, p)
    assert theory.is_eligible(rho, sets, p)
    assert (cost @ rho)[z] == (cost @ rho).min() == variability == least.min()


@settings(deadline=None)
@given(problems(signed=True, largest=3))
def test_vertices_are_the_extreme_choices(problem):
    _, sets, p = problem
    every = set(choices(sets, p))
    vertices = {tuple(v) for v in theory.eligible_region(sets, p)}
    assert vertices <= every
    assert all(theory.is_eligible(np.array(rho, dtype=object), sets, p) for rho in every)
    points = np.array(sorted(every), dtype=float)
    for i, rho in enumerate(sorted(every)):
        # extreme unless a convex combination of the others;
        others = np.ones(len(points)) * (np.arange(len(points)) != i)
        equalities = np.vstack([points.T, np.ones(len(points))])
        bounds = [(0, u) for u in others]
        combination = linprog(0 * others, A_eq=equalities, b_eq=np.append(points[i], 1), bounds=bounds)
        assert (rho in vertices) == (combination.status == 2)


@settings(deadline=None)
@given(problems(), st.lists(st.integers(0, 4), min_size=4, max_size=4))
def test_eligibility_is_a_feasible_transport(problem, masses):
    _, sets, p = problem
    k, m = sets.shape
    assume(sum(masses[:m]) > 0)
    rho = np.array([F(mass, sum(masses[:m])) for mass in masses[:m]], dtype=object)
    # pi(S, y) >= 0 with marginals tau and rho, zero where y is not in S
    rows = np.kron(np.eye(k), np.ones(m)), np.kron(np.ones(k), np.eye(m))
    bounds = [(0, 1 if inside else 0) for inside in sets.ravel()]
    transport = linprog(np.zeros(k * m), A_eq=np.vstack(rows), b_eq=np.append(p, rho).astype(float), bounds=bounds)
    assert theory.is_eligible(rho, sets, p) == (transport.status == 0)
    assert theory.is_eligible(rho.astype(float), sets, p.astype(float)) == (transport.status == 0)


@settings(deadline=None)
@given(problems(), st.data())
def test_comparison_inequality_and_recovery(problem, data):
    cost, sets, p = problem
    y = data.draw(st.integers(0, len(cost) - 1))
    sets, p = non_ambiguous(sets, p, y)
    constants = theory.calibration(cost, sets, p)
    excess, weak_excess = cost[:, y], theory.set_risk(cost, sets, p)
    assert constants.y == y == weak_excess.argmin()
    assert weak_excess[y] == 0
    assert (excess <= constants.refined * weak_excess).all()
    assert constants.refined <= constants.constant
    assert (excess == constants.refined * weak_excess)[np.arange(len(cost)) != y].any()
    # Prop. 1 and Thm. 2: the only deterministic eligible distribution is recovered
    rho, z, variability = theory.least_variability(cost, sets, p)
    assert exact(rho) == [*(F(int(i == y)) for i in range(len(cost)))]
    assert (z, variability) == (y, 0)
    deltas = np.array([[F(int(i == j)) for j in range(len(cost))] for i in range(len(cost))], dtype=object)
    assert [theory.is_eligible(delta, sets, p) for delta in deltas] == [i == y for i in range(len(cost))]


@settings(deadline=None)
@given(weak(3))
def test_eta_is_the_definition(tau):
    sets, p = tau
    certain = theory.intersection(sets, p)
    np.testing.assert_array_equal(certain, sets.all(axis=0))
    value = theory.eta(sets, p)
    if theory.intersection(sets, p).sum() == 1:
        outside = [sum((w for s, w in zip(sets, p) if s[z]), F(0)) for z in range(3) if not certain[z]]
        assert value == 1 - max(outside)
        assert value > 0
    else:
        assert certain.sum() != 1
        assert value == 0


def test_sets_of_probability_zero_do_not_count():
    sets = np.array([[1, 1, 0], [0, 1, 0], [1, 0, 1]], dtype=bool)
    assert theory.intersection(sets, [0.5, 0.5, 0.0]).tolist() == [False, True, False]
    assert theory.eligible_region(sets, [0.5, 0.5, 0.0]).tolist() == [[0, 1, 0], [0.5, 0.5, 0]]


def test_eligible_measures_have_the_mass_of_tau():
    sets = np.array([[True, True]])
    assert not theory.is_eligible([F(1, 4), F(1, 4)], sets, [F(1)])
    assert not theory.is_eligible([0.75, 0.75], sets, [1.0])


def counterexample(loss, principle):
    """A non-ambiguous tau whose truth does not minimise the average, or the supremum, set risk; None if there is none.

    tau = lam δ_{y} + (1 - lam) δ_{a, b, c}, with the triple that allows the largest lam (App. A.7):

    - average: y = c, and a is preferred, since R_ac(c) - R_ac(a) = (1 - lam)/3 · gap - lam l(a, c) with
      gap = l(b, c) - l(a, b);
    - supremum: y = b, and a is preferred, since R_sp(b) - R_sp(a) = (1 - lam) gap - lam l(a, b) with
      gap = max(l(a, b), l(b, c)) - max(l(a, b), l(a, c)).
    """

    def bound(a, b, c):
        gap = loss[b, c] - loss[a, b]
        if principle == "supremum":
            gap = max(loss[a, b], loss[b, c]) - max(loss[a, b], loss[a, c])
        price = 3 * loss[a, c] if principle == "average" else loss[a, b]
        return gap / (gap + price) if gap > 0 else 0 * gap

    best = max(permutations(range(len(loss)), 3), key=lambda triple: bound(*triple), default=None)
    if best is None or not bound(*best) > 0:
        return None
    lam, y = bound(*best) / 2, best[2 if principle == "average" else 1]
    sets = np.array([[i == y for i in range(len(loss))], [i in best for i in range(len(loss))]])
    return sets, np.array([lam, 1 - lam], dtype=object), y


@settings(deadline=None)
@given(st.integers(3, 4).flatmap(lambda m: losses(m, symmetric=True)))
def test_counterexamples_fail_average_and_supremum_and_not_infimum(cost):
    for principle in ("average", "supremum"):
        found = counterexample(cost, principle)
        if found is None:
            sides = [cost[i, j] for i, j in zip(*np.triu_indices(len(cost), 1))]
            ultrametric = all(
                sorted([cost[i, j], cost[j, k], cost[i, k]])[1] == max(cost[i, j], cost[j, k], cost[i, k])
                for i, j, k in product(range(len(cost)), repeat=3)
                if len({i, j, k}) == 3
            )
            assert len(set(sides)) <= 1 if principle == "average" else ultrametric
            continue
        sets, p, y = found
        assert theory.intersection(sets, p).sum() == 1
        assert theory.intersection(sets, p)[y]
        assert all(0 < w < 1 for w in p)
        assert sum(p) == 1
        risks = theory.set_risk(cost, sets, p, principle)
        assert risks.min() < risks[y]
        assert theory.set_risk(cost, sets, p).argmin() == y


def test_the_printed_weight_of_the_average_counterexample_fails():
    # l(a, b) = 1/10, l(a, c) = 1, l(b, c) = 11/10: eps = 10, and the printed lam is 1/2 · 10 / (3/10 + 10).
    ab, ac, bc = F(1, 10), F(1), F(11, 10)
    cost = np.array([[F(0), ab, ac], [ab, F(0), bc], [ac, bc, F(0)]], dtype=object)
    sets = np.array([[0, 0, 1], [1, 1, 1]], dtype=bool)
    lam = F(1, 2) * 10 / (3 * ab + 10)
    assert theory.set_risk(cost, sets, [lam, 1 - lam], "average").argmin() == C
    sets, p, y = counterexample(cost, "average")
    assert theory.set_risk(cost, sets, p, "average").argmin() != y


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 4).flatmap(losses), st.data())
def test_decision_regions_cover_and_separate_the_simplex(cost, data):
    m = len(cost)
    regions = theory.decision_regions(cost)
    for z, vertices in enumerate(regions):
        assert ((vertices @ cost.T)[:, z] == (vertices @ cost.T).min(axis=1)).all()
        assert [F(int(i == z)) for i in range(m)] in vertices.tolist()
    # a linear function is minimal over R_z at one of its vertices
    z = data.draw(st.integers(0, m - 1))
    direction = np.array(data.draw(st.lists(st.integers(-5, 5), min_size=m, max_size=m)), dtype=float)
    gaps = (cost[z] - cost).astype(float)
    best = linprog(direction, A_ub=gaps, b_ub=np.zeros(m), A_eq=np.ones((1, m)), b_eq=[1], bounds=(0, 1))
    assert (regions[z].astype(float) @ direction).min() == pytest.approx(best.fun, abs=1e-7)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: theory.set_risk([[0, 1], [1, 0]], [[1, 0]], [1.0]), r"booleans. Got shape \(1, 2\) of int64"),
        (lambda: theory.set_risk([[0, 1], [1, 0]], [[True, True], [False, False]], [0.5, 0.5]), r"Set 1 is empty"),
        (lambda: theory.set_loss([[0, 1], [1, 0]], [[True, True]], "median"), r"principle must be .* Got 'median'"),
        (
            lambda: theory.set_risk([[0, 1], [1, 0]], [[True, True]], [1.0], negative_weights="x"),
            r"'inside' or 'joint'. Got 'x'",
        ),
        (lambda: theory.calibration([[0, 1], [1, 0]], [[True, True]], [1.0]), r"exactly one y .* Got \[0, 1\]"),
        (lambda: theory.eligible_region(np.ones((1, 9), dtype=bool), [1.0]), r"at most 8 outputs are supported. Got 9"),
        (lambda: theory.discrepancy([[0, 1]]), r"\(m, m\) array with m >= 2. Got shape \(1, 2\)"),
    ],
)
def test_errors_name_the_object_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()
