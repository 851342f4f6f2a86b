"""The proved minimum over orders, against all orders."""

from fractions import Fraction
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from infimum.feedback_arc.order_search import certain, minimise_orders
from infimum.feedback_arc.order_search.minimise import near_each_other
from infimum.feedback_arc.order_search.minorants import UNIT
from infimum.feedback_arc.order_search.state import new_state, respond
from infimum.feedback_arc.order_search.terms import relations
from infimum.feedback_arc.relations import transitive_closure
from infimum.outputs.rankings.tables import all_orders, distance_table


@cache
def orders_and_distances(m):
    """All m! orders, and twice the discordant pairs between any two of them."""
    orders = np.array(list(permutations(range(m))))
    place = np.argsort(orders, axis=1)
    i, j = np.triu_indices(m, 1)
    codes = np.where(place[:, i] < place[:, j], 1, -1)
    return orders, codes.shape[1] - codes @ codes.T


def losses(before):
    """inf and sup of l(z, y) over the linear extensions of each relation, by the definition: (m!, k) each."""
    orders, distance = orders_and_distances(before.shape[-1])
    place = np.argsort(orders, axis=1)
    inside = np.array([~(b & (place[:, :, None] > place[:, None, :])).any(axis=(1, 2)) for b in before])
    return (np.array([reduce(distance[:, y], axis=1) for y in inside]).T for reduce in (np.min, np.max))


def partial_orders(rng, k, m, share):
    """Random closed relations, a share of their pairs stated before they are closed."""
    order = np.argsort(rng.random((k, m)), axis=1)
    place = np.argsort(order, axis=1)
    stated = (place[:, :, None] < place[:, None, :]) & (rng.random((k, m, m)) < share)
    return transitive_closure(stated)


def signed(rng, q, k, kind):
    """Weights on infimum and supremum."""
    a, b = rng.standard_normal((2, q, k))
    none = np.zeros((q, k))
    return {
        "positive": (np.abs(a), none),
        "inside": (a, none),
        "joint": (np.maximum(a, 0), np.minimum(a, 0)),
        "supremum": (none, np.abs(a)),
        "supremum, inside": (none, a),
        "supremum, joint": (np.minimum(a, 0), np.maximum(a, 0)),
        "any": (a, b),
    }[kind]


KINDS = ["positive", "inside", "joint", "supremum", "supremum, inside", "supremum, joint", "any"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("m", [2, 3, 5, 6])
def test_minimum_is_that_of_all_orders(m, kind):
    rng = np.random.default_rng(m)
    for share in (0.1, 0.3, 0.6):
        before = partial_orders(rng, 6, m, share)
        infimum, supremum = signed(rng, 8, 6, kind)
        below, above = losses(before)
        risks = infimum @ below.T + supremum @ above.T
        z, value, bound = minimise_orders(before, infimum, supremum)
        rank = {tuple(order): k for k, order in enumerate(orders_and_distances(m)[0].tolist())}
        at_z = risks[np.arange(8), [rank[tuple(order)] for order in z.tolist()]]
        np.testing.assert_allclose(value, at_z, rtol=0, atol=1e-12 * m**2)
        np.testing.assert_allclose(value, risks.min(axis=1), rtol=0, atol=1e-12 * m**2)
        assert certain(value, bound, infimum, supremum, m).all()
        assert (bound <= risks.min(axis=1)).all()


@pytest.mark.parametrize("kind", ["inside", "joint", "any"])
@pytest.mark.parametrize("m", [7, 8])
def test_minimum_is_that_of_the_table(m, kind):
    rng = np.random.default_rng(m)
    before = partial_orders(rng, 8, m, 0.12)
    infimum, supremum = signed(rng, 10, 8, kind)
    orders = all_orders(m)
    near = 2.0 * distance_table(before)
    far = m * (m - 1) - 2.0 * distance_table(before.swapaxes(1, 2))
    risks = infimum @ near + supremum @ far
    for nodes in (10**6, 8):
        z, value, bound = minimise_orders(before, infimum, supremum, nodes=nodes)
        assert (bound <= risks.min(axis=1)).all()
        match = (orders[None] == z[:, None]).all(axis=2).argmax(axis=1)
        np.testing.assert_allclose(value, risks[np.arange(10), match], rtol=0, atol=1e-11)
        proved = certain(value, bound, infimum, supremum, m)
        assert proved.all() or nodes == 8
        np.testing.assert_allclose(value[proved], risks.min(axis=1)[proved], rtol=0, atol=1e-11)


def test_total_orders_buckets_and_rows_that_say_nothing():
    rng = np.random.default_rng(0)
    total = partial_orders(rng, 2, 5, 1.0)
    buckets = np.zeros((1, 5, 5), dtype=bool)
    buckets[0, :2, 2:] = True
    before = np.concatenate([total, buckets, np.zeros((1, 5, 5), dtype=bool)])
    below, above = losses(before)
    infimum, supremum = signed(rng, 20, 4, "any")
    _, value, bound = minimise_orders(before, infimum, supremum)
    np.testing.assert_allclose(value, (infimum @ below.T + supremum @ above.T).min(axis=1), atol=1e-12)
    assert certain(value, bound, infimum, supremum, 5).all()


@pytest.mark.parametrize("scale", [1e-300, 1e-30, 1e30, 1e300])
def test_certificate_is_relative(scale):
    rng = np.random.default_rng(1)
    before = partial_orders(rng, 5, 6, 0.2)
    infimum, supremum = signed(rng, 6, 5, "any")
    one = minimise_orders(before, infimum, supremum)
    # a power of two near the scale: then nothing but the exponent may change
    two = 2.0 ** np.round(np.log2(scale))
    many = minimise_orders(before, infimum * two, supremum * two)
    np.testing.assert_array_equal(one[0], many[0])
    np.testing.assert_array_equal(one[1] * two, many[1])
    np.testing.assert_allclose(one[2] * two, many[2], rtol=1e-15)
    assert certain(many[1], many[2], infimum * two, supremum * two, 6).all()


def test_bound_holds_in_exact_arithmetic():
    rng = np.random.default_rng(2)
    before = partial_orders(rng, 5, 5, 0.25)
    # ties up to rounding: weights that are thirds and tenths, of sizes that differ by 1e12
    infimum = rng.choice([0.1, 1 / 3, -0.3, 1e-12, -1e-12, 1e6], size=(30, 5))
    supremum = rng.choice([0.0, 0.1, -1 / 3], size=(30, 5))
    below, above = losses(before)
    _, value, bound = minimise_orders(before, infimum, supremum)
    for a, b, v, low in zip(infimum, supremum, value, bound):
        terms = [Fraction(w) for w in (*a, *b)]
        exact = min(
            sum(w * int(d) for w, d in zip(terms, (*near, *far))) for near, far in zip(below.tolist(), above.tolist())
        )
        assert Fraction(low) <= exact
        assert abs(Fraction(v) - exact) <= Fraction(1e-11) * sum(abs(w) for w in terms)


def test_queries_of_no_weight_and_no_queries():
    before = partial_orders(np.random.default_rng(3), 3, 4, 0.3)
    none = np.zeros((2, 3))
    z, value, bound = minimise_orders(before, none, none)
    assert z.tolist() == [[0, 1, 2, 3]] * 2
    assert not value.any()
    assert not bound.any()
    mixed = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, -1.0]])
    value, bound = minimise_orders(before, mixed, none)[1:]
    assert value[0] == bound[0] == 0
    assert minimise_orders(before, none[:0], none[:0])[0].shape == (0, 4)
    assert minimise_orders(before[:, :1, :1], mixed, none)[0].tolist() == [[0], [0]]


def test_each_query_is_followed_by_the_nearest_one_that_is_left():
    assert near_each_other(np.array([[0.0], [5.0], [1.0], [4.0]])).tolist() == [0, 2, 3, 1]
    assert near_each_other(np.empty((0, 3))).tolist() == []


def test_queries_before_change_nothing_but_time():
    rng = np.random.default_rng(4)
    before = partial_orders(rng, 6, 7, 0.15)
    infimum, supremum = signed(rng, 300, 6, "joint")
    value = minimise_orders(before, infimum, supremum)[1]
    np.testing.assert_allclose(minimise_orders(before, infimum[::-1], supremum[::-1])[1], value[::-1], atol=1e-11)


def test_few_nodes_leave_a_gap_that_holds():
    rng = np.random.default_rng(6)
    before = partial_orders(rng, 20, 8, 0.08)
    infimum, supremum = signed(rng, 10, 20, "inside")
    exact = minimise_orders(before, infimum, supremum)[1]
    _, value, bound = minimise_orders(before, infimum, supremum, nodes=0)
    assert (bound <= exact).all()
    assert (value >= exact - 1e-11).all()
    assert not certain(value, bound, infimum, supremum, 8).all()


def test_minorants_lie_below_the_distance():
    rng = np.random.default_rng(7)
    before = partial_orders(rng, 10, 5, 0.2)
    rel, (below, _) = relations(before), losses(before)
    state = new_state(rel)
    place = np.argsort(orders_and_distances(5)[0], axis=1)
    i, j = np.triu_indices(5, 1)
    x = place[:, i] < place[:, j]
    wrong = np.array([(b & (place[:, :, None] > place[:, None, :])).sum(axis=(1, 2)) for b in before]).T
    open_distance = below / 2 - wrong
    for t in range(10):
        nu = (rng.integers(-UNIT, UNIT + 1, 10) * rel.open[t]).astype(np.int32)
        level = respond(rel, t, nu, state)
        minorant = (x @ nu + level) / UNIT
        assert (minorant <= open_distance[:, t] + 1e-12).all()
        # and it touches: h is the largest level
        inside = below[:, t] == 0
        assert level == -(x[inside] @ nu).max()


def test_what_cannot_be_solved_is_refused():
    before = np.zeros((2, 3, 3), dtype=bool)
    with pytest.raises(ValueError, match=r"infimum must have a column for each of the 2 relations. Got shape"):
        minimise_orders(before, np.zeros((1, 3)), np.zeros((1, 2)))
    with pytest.raises(ValueError, match=r"supremum must be finite. Got nan at row 0, relation 1."):
        minimise_orders(before, np.zeros((1, 2)), np.array([[0.0, np.nan]]))
    with pytest.raises(ValueError, match=r"at most 16 items. Got m = 17"):
        minimise_orders(np.zeros((1, 17, 17), dtype=bool), np.ones((1, 1)), np.ones((1, 1)))
    with pytest.raises(ValueError, match=r"of 1 of 2 relations of 12 items take more than 1000 bytes"):
        relations(np.zeros((2, 12, 12), dtype=bool), memory=1000)
    with pytest.raises(ValueError, match=r"must have the same number of rows. Got 1 and 2"):
        minimise_orders(before, np.zeros((1, 2)), np.zeros((2, 2)))
