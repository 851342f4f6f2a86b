"""Invariants of conformal scores for every output type, by brute force over the members of sets."""

import numpy as np
import pytest

from cases import CASES
from infimum import Boxes, Intervals, PartialOrders
from infimum.conformal import LossScore, radius_of
from infimum.conformal.guarantee import radius_by_class, radius_with_ambiguity
from infimum.outputs.labels.conformal import mass_above
from infimum.outputs.rankings.conformal import bottleneck

N = 25


def forecasts(score, case, rng):
    """A random forecast of the right shape."""
    space = case.space
    m = next((len(getattr(space, a)) for a in ("classes_", "tags_", "items_") if hasattr(space, a)), 2)
    if hasattr(space, "edges_"):
        m = int(np.log2(space.size))
    name, kind = score.name, type(score).__name__
    if name in ("lac", "aps"):
        P = rng.dirichlet(np.ones(m), N)
        return score.randomise(P, np.random.RandomState(0))
    if name == "token":
        return rng.dirichlet(np.ones(m), (N, space.width_))
    if name == "loss":
        Y = case.all()
        return Y[rng.integers(0, len(Y), N)]
    if kind == "LargestScore":
        Y = case.all()
        return np.column_stack([Y[rng.integers(0, len(Y), N)], rng.standard_normal((N, sum(space.layout_.widths)))])
    if kind == "Kendall":
        return np.array([rng.permutation(m) for _ in range(N)])
    width = {"Pairs": m * (m - 1) // 2, "ScaledDistance": 2, "ScaledVectorDistance": m + 1}
    F = rng.standard_normal((N, width.get(kind, m)))
    if name == "scaled":
        F[:, -1] = rng.uniform(0.5, 2, N)
    if name == "regret":
        return F.max(axis=1, keepdims=True) - F
    return F[:, 0] if kind == "Distance" else F


def scores_of(case):
    scores = {**case.space.conformal_scores(), "loss": LossScore}
    return [(case, cls()) for cls in scores.values()]


PAIRS = [pair for case in CASES for pair in scores_of(case)]


@pytest.mark.parametrize("case, score", PAIRS, ids=lambda value: getattr(value, "name", repr(value)))
class TestScores:
    def drawn(self, case, score):
        rng = np.random.default_rng(5)
        F = forecasts(score, case, rng)
        Y = case.all()
        # s(x_i, y): the largest score over {y}
        table = np.array([score.largest(F, case.points(np.array([y] * N)), case.space) for y in Y]).T
        return rng, F, Y, table

    def test_largest_and_smallest(self, case, score):
        rng, F, Y, table = self.drawn(case, score)
        sets = case.sets(rng, N)
        inside = np.array([sets.contains(np.broadcast_to(y, (N, *np.shape(y)))) for y in Y]).T
        np.testing.assert_allclose(
            score.largest(F, sets, case.space), np.where(inside, table, -np.inf).max(axis=1), atol=1e-12
        )
        np.testing.assert_allclose(
            score.smallest(F, sets, case.space), np.where(inside, table, np.inf).min(axis=1), atol=1e-12
        )
        points = case.points(Y[np.argmax(inside, axis=1)])
        np.testing.assert_allclose(
            score.smallest(F, points, case.space), score.largest(F, points, case.space), atol=1e-12
        )
        np.testing.assert_array_equal(sets.is_exact, inside.sum(axis=1) == 1)

    def test_within(self, case, score):
        """Exactly {y : s(x, y) <= r}; for Kendall's distance, the smallest partial order around it."""
        rng, F, Y, table = self.drawn(case, score)
        if score.name == "aps":
            F, table = F[:, :-1], mass_above(F[:, :-1])
        radius = np.sort(table, axis=1)[np.arange(N), rng.integers(0, len(Y), N)]
        radius = np.where(np.isfinite(radius), radius, 1.0)
        found = score.within(F, radius, case.space)
        inside = np.array([found.contains(np.broadcast_to(y, (N, *np.shape(y)))) for y in Y]).T
        if score.name == "kendall":
            assert inside[table <= radius[:, None] + 1e-9].all()
            for row in range(N):  # every pair that is not sure is turned round by some order within the radius
                near = PartialOrders.from_orders(Y[table[row] <= radius[row]]).codes
                np.testing.assert_array_equal(found.codes[row] != 0, np.abs(near.sum(axis=0)) == len(near))
        else:
            np.testing.assert_array_equal(inside, table <= radius[:, None] + 1e-9)
        assert (found.size >= 0).all()

    def test_meets_and_holds(self, case, score):
        rng, F, Y, table = self.drawn(case, score)
        if score.name == "aps":
            F = F[:, :-1]
        radius = np.quantile(np.where(np.isfinite(table), table, 3.0), 0.4, axis=1)
        found, sets = score.within(F, radius, case.space), case.sets(rng, N)
        a, b = (np.array([s.contains(np.broadcast_to(y, (N, *np.shape(y)))) for y in Y]).T for s in (found, sets))
        np.testing.assert_array_equal(found.meets(sets), (a & b).any(axis=1))
        np.testing.assert_array_equal(found.contains_set(sets), ~(b & ~a).any(axis=1))

    def test_union_and_join(self, case, score):
        _, F, Y, _ = self.drawn(case, score)
        if score.name == "aps":
            F = F[:, :-1]
        parts = [score.within(G, np.full(N, 1.0), case.space) for G in (F, F[::-1])]
        union = score.union(parts)
        for y in Y:
            z = np.broadcast_to(y, (N, *np.shape(y)))
            assert union.contains(z)[parts[0].contains(z) | parts[1].contains(z)].all()
        both = parts[0].join(parts[1])
        assert len(both) == 2 * N
        z = np.broadcast_to(Y[0], (N, *np.shape(Y[0])))
        np.testing.assert_array_equal(both[np.arange(N, 2 * N)].contains(z), parts[1].contains(z))

    def test_within_an_infinite_radius_contains_all_outputs(self, case, score):
        _, F, Y, _ = self.drawn(case, score)
        F = F[:, :-1] if score.name == "aps" else F
        found = score.within(F, np.full(N, np.inf), case.space)
        assert all(found.contains(np.broadcast_to(y, (N, *np.shape(y)))).all() for y in Y)


def test_radius_of():
    scores = np.array([3.0, 1.0, 2.0])
    assert [radius_of(scores, level) for level in (0.25, 0.26, 0.5, 0.75, 0.76)] == [1, 2, 2, 3, np.inf]
    assert radius_of(np.arange(1.0, 10.0), 0.7) == 7  # 10 * .7 is 7, and rounds to more
    assert radius_of(np.array([]), 0.5) == np.inf
    assert radius_of(np.array([1.0, 1.0, 1.0]), 0.5) == 1  # ties


def test_mass_above_is_equal_for_equal_classes():
    P = np.array([[0.4, 0.2, 0.4], [0.25, 0.5, 0.25]])
    np.testing.assert_allclose(mass_above(P), [[0, 0.8, 0], [0.5, 0, 0.5]])


def test_radius_by_class():
    """Of 10 rows that are exactly {0}, at level .8 one may lie outside, whatever else has 0 as a candidate."""
    mask = np.zeros((14, 2), dtype=bool)
    mask[:, 0] = True
    mask[10:, 1] = True
    table = np.column_stack([np.arange(14.0), np.arange(14.0)])
    # e(10) = 10 - ceil(11 * .8) = 1: the second largest of the 14
    assert radius_by_class(table, mask, 0.8).tolist() == [12, np.inf]


def test_radius_with_ambiguity_by_hand():
    """With ambiguity 0 it is the radius of the smallest scores, for the loss is then 1 or 0."""
    rng = np.random.default_rng(0)
    table, mask = rng.random((99, 5)), rng.random((99, 5)) < 0.4
    mask[:, 0] = True
    table[:, 0] *= 0.15  # the truth has small scores
    assert radius_with_ambiguity(table, mask, 0.9, 0.0) == (
        radius_of(np.where(mask, table, np.inf).min(axis=1), 0.9),
        5,
    )
    radius, most = radius_with_ambiguity(table, mask, 0.9, 0.3)
    assert most == 2
    assert np.isfinite(radius)
    first = np.where(mask & (np.argsort(np.argsort(table)) < 2), table, np.inf).min(axis=1)
    missed = first > radius
    weight = 1 / (1 - 0.3 * (np.sort(table)[:, :2] < first[:, None]).sum(axis=1))
    assert (weight[missed].sum() + 1 / (1 - 0.6)) / 100 <= 0.1 + 1e-9
    below = first > np.sort(first)[np.searchsorted(np.sort(first), radius) - 1]
    assert (weight[below].sum() + 2.5) / 100 > 0.1


def test_bottleneck_by_brute_force():
    from itertools import permutations

    from infimum.outputs.rankings.codes import codes_of, costs_of

    rng = np.random.default_rng(0)
    orders = np.array(list(permutations(range(4))))
    codes = codes_of(orders)
    g = rng.integers(-3, 4, (40, 6)).astype(float)  # with ties and zeros
    sets = PartialOrders(np.where(rng.random((40, 6)) < 0.3, codes[rng.integers(0, 24, 40)], 0))
    worst = np.maximum(-codes[None] * g[:, None], 0).max(axis=2)
    inside = np.array([sets.contains(np.broadcast_to(z, (40, 4))) for z in orders]).T
    expected = np.where(inside, worst, np.inf).min(axis=1)
    np.testing.assert_array_equal(bottleneck(g, costs_of(sets.codes) > 0), expected)


def test_largest_of_unbounded_sets_is_infinite():
    from infimum.conformal import Distance, VectorDistance

    sets = Intervals([(1, np.inf), None, 2.0, [(-1, 0), (3, 4)]])
    z = np.array([0.0, 0.0, 0.0, 2.0])
    np.testing.assert_array_equal(Distance().largest(z, sets, None), [np.inf, np.inf, 2, 3])
    np.testing.assert_array_equal(Distance().smallest(z, sets, None), [1, 0, 2, 1])
    boxes = Boxes([[0.0, -np.inf], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]])
    np.testing.assert_allclose(VectorDistance().largest(np.zeros((2, 2)), boxes, None), [np.inf, np.sqrt(2)])
    assert Boxes([[-5.0, -5], [-5, -5]], [[5.0, 5], [5, 5]]).contains_set(boxes).tolist() == [False, True]
