"""S ∩ T of every kind of sets, against the members that brute force lists."""

import numpy as np
import pytest

from cases import CASES
from infimum import (
    Annuli,
    Balls,
    Boxes,
    CandidateLabels,
    CandidatePoints,
    HammingBalls,
    InputError,
    Intervals,
    PartialOrders,
    PartialTags,
)
from infimum.outputs.base import Points

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
with_intersections = pytest.mark.parametrize(
    "case", [case for case in CASES if "Hamming balls" not in case.name], ids=lambda case: case.name
)


def listed(case, sets):
    return [{tuple(np.atleast_1d(y).tolist()) for y in S} for S in case.members(sets)]


@cases
def test_meeting_is_having_a_member_in_common(case, rng):
    a, b = case.sets(rng, 40), case.sets(rng, 40)
    shared = [x & y for x, y in zip(listed(case, a), listed(case, b))]
    np.testing.assert_array_equal(a.meets(b), [bool(both) for both in shared])


@with_intersections
def test_intersection_is_what_is_in_both(case, rng):
    a, b = case.sets(rng, 40), case.sets(rng, 40)
    shared = [x & y for x, y in zip(listed(case, a), listed(case, b))]
    checked = 0
    for i, both in enumerate(shared):
        if not both:
            with pytest.raises(InputError, match=r"row 0: \{.*\} and \{.*\} have no member in common"):
                a[[i]].intersect(b[[i]])
            continue
        assert listed(case, a[[i]].intersect(b[[i]])) == [both]
        checked += 1
    assert checked >= 5


@with_intersections
def test_a_set_meets_itself_and_all_of_Y(case, rng):
    a = case.sets(rng, 10)
    assert listed(case, a.intersect(a)) == listed(case, a)
    if case.whole is not None:
        assert listed(case, a.intersect(case.whole(10))) == listed(case, a)


@cases
def test_rows_are_replaced(case, rng):
    a, b = case.sets(rng, 6), case.sets(rng, 2)
    expected = listed(case, a)
    expected[4], expected[1] = listed(case, b)
    assert listed(case, a.replace_rows([4, 1], b)) == expected
    assert all(a.format(row) for row in range(6))


def test_empty_intersections_name_both_sets_and_every_row():
    a, b = (
        CandidateLabels([[1, 0, 0], [1, 1, 0]], classes=list("xyz")),
        CandidateLabels([[0, 1, 1], [0, 0, 1]], classes=list("xyz")),
    )
    with pytest.raises(InputError, match=r"(?s)2 rows.*row 0: \{x\} and \{y \| z\} have no member in common.*row 1"):
        a.intersect(b)
    with pytest.raises(InputError, match=r"\{\[1, 2\]\} and \{≥ 3\} have no member"):
        Intervals([(1, 2)]).intersect(Intervals([">=3"]))
    with pytest.raises(InputError, match="a > b"):
        PartialOrders([[1]], items=["a", "b"]).intersect(PartialOrders([[-1]], items=["a", "b"]))


def test_unlike_sets_are_refused():
    with pytest.raises(InputError, match="Got PartialTags"):
        CandidateLabels([[1, 0]]).intersect(PartialTags([[1, 0]]))
    with pytest.raises(InputError, match="same classes"):
        CandidateLabels([[1, 0]], classes=["a", "b"]).intersect(CandidateLabels([[1, 0]], classes=["b", "a"]))
    with pytest.raises(InputError, match="row by row"):
        PartialTags([[1, 0]]).meets(PartialTags([[1, 0], [0, 0]]))
    with pytest.raises(ValueError, match="HammingBalls have no intersection"):
        HammingBalls([[1, -1]], 1).intersect(HammingBalls([[1, 1]], 1))
    with pytest.raises(ValueError, match="Points have no intersection"):
        Points(np.zeros((1, 2))).intersect(Points(np.zeros((1, 2))))


def test_intervals_by_sampling(rng):
    """Unions against unions: membership of random numbers."""
    ends = np.sort(rng.integers(-9, 10, (30, 2, 2, 2)).astype(float), axis=-1)
    a, b = (Intervals(np.where(rng.random((30, 2, 2)) < 0.1, [-np.inf, np.inf], ends[:, k])) for k in (0, 1))
    z = rng.uniform(-12, 12, (400, 30))
    both = np.array([a.contains(row) & b.contains(row) for row in z])
    meets = a.meets(b)
    assert both.any(axis=0)[~meets].sum() == 0
    left = a[meets].intersect(b[meets])
    np.testing.assert_array_equal([left.contains(row[meets]) for row in z], both[:, meets])


def test_rings_meet_balls():
    rings = Annuli([1.0, 1.0], [2.0, 2.0], center=np.zeros((2, 2)))
    balls = Balls([[0.0, 0.0], [3.0, 0.0]], [0.5, 1.5])
    assert balls.meets(rings).tolist() == rings.meets(balls).tolist() == [False, True]
    assert Balls([[0.0, 0.0]], 1.0).meets(Balls([[3.0, 0.0]], 1.0)).tolist() == [False]
    with pytest.raises(InputError, match="Annuli can be compared with Balls, CandidatePoints"):
        rings.meets(rings)


def test_candidates_within_any_set():
    points = CandidatePoints([[[0.0, 0.0], [2.0, 2.0], [5.0, 5.0]]])
    assert points.intersect(Boxes([[1.0, 1.0]], [[9.0, 9.0]])).points.tolist() == [[2, 2], [5, 5]]
    assert points.intersect(Balls([[0.0, 0.0]], 3.0)).points.tolist() == [[0, 0], [2, 2]]
    with pytest.raises(InputError, match="no member in common"):
        points.intersect(Boxes([[7.0, 7.0]], [[9.0, 9.0]]))
