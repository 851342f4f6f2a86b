"""Orders by brute force: all m! of them."""

from functools import cache
from itertools import permutations
from math import factorial

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from infimum.feedback_arc.relations import transitive_closure


@cache
def all_orders(m):
    """Every order as its matrix "i before j": (m!, m, m)."""
    position = np.array(list(permutations(range(m))), dtype=int).reshape(factorial(m), m)
    return position[:, :, None] < position[:, None, :]


def extensions_of(before):
    orders = all_orders(len(before))
    return orders[(orders | ~before).all(axis=(1, 2))]


def optimum(cost, before):
    return np.where(extensions_of(before), cost, 0.0).sum(axis=(1, 2)).min()


def extends(order, before):
    position = np.argsort(order)
    return sorted(order) == list(range(len(before))) and not (before & (position[:, None] >= position)).any()


def random_order(rng, m, density):
    """A closed partial order on shuffled items."""
    shuffle = rng.permutation(m)
    return transitive_closure(np.triu(rng.random((m, m)) < density, 1))[np.ix_(shuffle, shuffle)]


def gaussian(rng, *shape):
    cost = rng.standard_normal(shape)
    cost[..., np.arange(shape[-1]), np.arange(shape[-1])] = 0.0
    return cost


@st.composite
def problems(draw, max_items=7):
    """Costs, tied integers or generic floats, and a partial order from empty to total."""
    m = draw(st.integers(0, max_items))
    numbers = draw(st.sampled_from([st.integers(-3, 3).map(float), st.floats(-1, 1, width=32)]))
    cost = draw(arrays(float, (m, m), elements=numbers))
    np.fill_diagonal(cost, 0.0)
    seed, density = draw(st.integers(0, 2**16)), draw(st.sampled_from([0.0, 0.1, 0.3, 1.0]))
    return cost, random_order(np.random.default_rng(seed), m, density)
