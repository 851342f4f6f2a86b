"""Linear extensions against their enumeration."""

from math import factorial

import numpy as np
from hypothesis import given, settings

from feedback_arc.brute_force import extends, extensions_of, problems, random_order
from infimum.feedback_arc import (
    linear_extensions,
    sample_linear_extensions,
)


@settings(max_examples=80, deadline=None)
@given(problems(max_items=6))
def test_extensions_against_their_enumeration(problem):
    _, before = problem
    counted, listed = linear_extensions(before), extensions_of(before)
    assert counted.exact
    assert counted.count == len(listed)
    np.testing.assert_allclose(counted.probability, listed.mean(axis=0))
    assert (counted.standard_error == 0).all()


def test_extensions_of_many_orders():
    rng = np.random.default_rng(0)
    orders = np.array([random_order(rng, 6, 0.2) for _ in range(5)])[[0, 1, 2, 3, 4, 0, 1]].reshape(7, 1, 6, 6)
    many = linear_extensions(orders)
    assert many.count.shape == (7, 1)
    np.testing.assert_allclose(many.probability[:, 0], [extensions_of(order).mean(axis=0) for order in orders[:, 0]])
    assert linear_extensions(np.zeros((20, 20), dtype=bool)).count == factorial(20)


def test_sampled_extensions_agree_with_the_count_within_their_error():
    before = random_order(np.random.default_rng(0), 9, 0.1)
    exact, sampled = linear_extensions(before), linear_extensions(before, n_samples=4000, random_state=0)
    assert not sampled.exact
    free = sampled.standard_error > 0
    assert (free == ~(before | before.T | np.eye(9, dtype=bool))).all()
    assert sampled.standard_error.max() < 0.01
    # 72 draws beyond 5 standard errors: probability below 1e-4
    assert np.abs(sampled.probability - exact.probability)[free].max() < 5 * sampled.standard_error.max()
    np.testing.assert_array_equal(sampled.probability[~free], exact.probability[~free])


def test_samples_are_extensions_and_reproducible():
    before = random_order(np.random.default_rng(1), 25, 0.1)
    samples = sample_linear_extensions(before, 50, random_state=3)
    assert all(extends(order, before) for order in samples)
    assert len(np.unique(samples, axis=0)) == 50
    np.testing.assert_array_equal(samples, sample_linear_extensions(before, 50, random_state=3))
    assert linear_extensions(before, random_state=0).count is None
