"""Searches that end after a number of steps: the same order in every run, and bounds that hold."""

import itertools

import numpy as np
import pytest

from infimum.feedback_arc import minimum_feedback_arc
from infimum.feedback_arc.local_search import local_orders
from infimum.feedback_arc.nearest import active_items, count_ideals, nearest_orders
from infimum.feedback_arc.relations import order_value, transitive_closure


@pytest.mark.parametrize("noise", [0.5, 3.0])
@pytest.mark.parametrize("m", [18, 30])
def test_bounds_hold_after_few_steps(m, noise, rng):
    scores = rng.standard_normal(m)
    cost = scores - scores[:, None] + noise * rng.standard_normal((m, m))
    best = minimum_feedback_arc(cost, time_limit=20)
    for steps in (0, 1, 5):
        found, again = (minimum_feedback_arc(cost, max_steps=steps) for _ in range(2))
        np.testing.assert_array_equal(found.order, again.order)
        assert found.bound == again.bound <= best.value + 1e-9
        assert best.bound - 1e-9 <= found.value == pytest.approx(order_value(cost, found.order))
        assert found.proved == (found.bound == found.value)


def test_max_steps_must_be_a_number():
    with pytest.raises(ValueError, match=r"max_steps must be a number >= 0, or None. Got -1"):
        minimum_feedback_arc(np.zeros((2, 2)), max_steps=-1)


@pytest.mark.parametrize("share", [0.0, 0.2, 0.7])
@pytest.mark.parametrize("m", [2, 4, 6])
def test_nearest_orders_against_all_orders(m, share, rng):
    turn = rng.permutation(m)
    before = transitive_closure(np.triu(rng.random((8, m, m)) < share, 1))[:, turn][:, :, turn]
    z, every = rng.permutation(m), np.array(list(itertools.permutations(range(m))))
    place = np.argsort(every, axis=1)
    against = np.array([sum(p[i] > p[j] for i, j in itertools.combinations(z, 2)) for p in place])
    found, distance = nearest_orders(z[None], active_items(before), np.zeros(8, dtype=int), np.arange(8))
    for relation, order, far in zip(before, found, distance):
        extends = np.array([(p[:, None] < p)[relation].all() for p in place])
        assert far == against[extends].min()
        assert against[(every == order).all(axis=1)] == far
        assert extends[(every == order).all(axis=1)].all()
    ideals = [
        sum(all(i in subset for j in subset for i in np.flatnonzero(relation[:, j])) for k in range(m + 1)
            for subset in itertools.combinations(range(m), k))
        for relation in before
    ]  # fmt: skip
    np.testing.assert_array_equal(count_ideals(active_items(before), m), ideals)


def test_local_orders_are_near_the_minimum(rng):
    scores = rng.standard_normal((20, 9))
    costs = scores[:, None] - scores[:, :, None] + 0.3 * rng.standard_normal((20, 9, 9))
    for cost, order in zip(costs, local_orders(costs, 10)):
        assert sorted(order) == list(range(9))
        least = minimum_feedback_arc(cost).value
        assert order_value(cost, order) <= least + 0.02 * abs(least)
