"""The description methods of every output type, against brute force, and the defaults of a type without them."""

import math
from copy import copy
from itertools import permutations

import numpy as np
import pytest

from cases import CASES
from infimum import InputError, PartialEstimator
from infimum.outputs import (
    OUTPUT_TYPES,
    Annuli,
    Balls,
    Boxes,
    CandidateLabels,
    CandidatePoints,
    HammingBalls,
    Intervals,
    Labels,
    Masks,
    OutputSpace,
    PartialOrders,
    PartialTags,
    Rankings,
    Reals,
    Sets,
    Tags,
    Vectors,
)
from infimum.outputs.base import LISTED, rows_of

cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
listable = pytest.mark.parametrize("case", [c for c in CASES if c.outputs is None], ids=lambda case: case.name)


def counts(case, sets):
    return np.array([len(members) for members in case.members(sets)])


@cases
def test_is_exact_and_is_unlabelled_are_brute_force(case, rng):
    sets = case.sets(rng, 60)
    np.testing.assert_array_equal(sets.is_exact, counts(case, sets) == 1)
    if case.outputs is None:
        np.testing.assert_array_equal(case.space.is_unlabelled(sets), counts(case, sets) == len(case.all()))
    assert case.points(case.all()[:3]).is_exact.all()
    if case.whole is not None:
        assert case.space.is_unlabelled(case.whole(3)).all()
        assert case.space.format_sets(case.whole(2)) == ["anything"] * 2


@pytest.mark.parametrize("case", [case for case in CASES if case.bilinear], ids=lambda case: case.name)
def test_default_of_is_exact_agrees_with_the_type(case, rng):
    """For a user's own sets it is found by a random objective; the sets of the library count their members."""
    for sets in (case.sets(rng, 20), case.points(case.all()[:20])):
        own = copy(sets)
        own.__class__ = type("Own", (type(sets),), {"is_exact": Sets.is_exact, "options": Sets.options})
        np.testing.assert_array_equal(own.is_exact, sets.is_exact)


@listable
def test_bits_are_log2_of_outputs_over_members(case, rng):
    sets = case.sets(rng, 60)
    np.testing.assert_allclose(sets.bits(), np.log2(len(case.all()) / counts(case, sets)), atol=1e-12)


@cases
def test_size_and_bits_follow_inclusion(case, rng):
    small = case.sets(rng, 40)
    large = case.larger(small, rng)
    assert (large.bits() <= small.bits() + 1e-12).all()
    for sets in (small, large):
        found = case.space.describe(sets)
        assert found.unit == sets.size_unit
        np.testing.assert_array_equal(found.size, sets.size)
        np.testing.assert_array_equal(found.bits, sets.bits())
        assert found.size.dtype == found.bits.dtype == float
    assert large.contains_set(small).all()


@cases
def test_contains_set_and_meets_are_brute_force(case, rng):
    a, b = case.sets(rng, 60), case.sets(rng, 60)
    rows = [({tuple(np.ravel(y)) for y in S}, {tuple(np.ravel(y)) for y in T})
            for S, T in zip(case.members(a), case.members(b))]  # fmt: skip
    np.testing.assert_array_equal(a.contains_set(b), [T <= S for S, T in rows])
    np.testing.assert_array_equal(a.meets(b), [bool(S & T) for S, T in rows])
    assert a.contains_set(a).all()


@cases
def test_neighbours_are_other_outputs(case):
    z = case.all()[0]
    found = case.space.neighbours(z)
    assert found.shape[1:] == np.shape(z)
    assert not any(np.array_equal(other, z) for other in found)
    if case.outputs is None:
        listed = {tuple(np.ravel(y)) for y in case.all()}
        assert {tuple(np.ravel(y)) for y in found} <= listed
    assert len({tuple(np.ravel(y)) for y in found}) == len(found)


def test_neighbours_of_each_type():
    assert Labels(classes=list("abc")).fit([]).neighbours(1).tolist() == [0, 2]
    assert Tags(2).fit([]).neighbours(np.array([1, -1])).tolist() == [[-1, -1], [1, 1]]
    assert Tags(3, n_tags=1).fit([]).neighbours(np.array([1, -1, -1])).tolist() == [[-1, 1, -1], [-1, -1, 1]]
    assert Rankings(3).fit([]).neighbours(np.array([2, 0, 1])).tolist() == [[0, 2, 1], [2, 1, 0]]
    assert Masks((1, 2)).fit(None).neighbours(np.array([1, -1])).tolist() == [[-1, -1], [1, 1]]
    assert Reals().fit([0.0, 1.0]).neighbours(np.array(0.5)).shape == (0,)
    assert Vectors().fit([[0.0, 0.0], [1.0, 1.0]]).neighbours(np.zeros(2)).shape == (0, 2)


@cases
def test_format_names_each_set_and_output(case, rng):
    sets = case.sets(rng, 12)
    texts = case.space.format_sets(sets)
    assert len(texts) == 12
    assert all(isinstance(text, str) and text for text in texts)
    assert case.space.format_sets(sets, [3, 1]) == [texts[3], texts[1]]
    assert len(case.space.format(case.all()[:3])) == min(3, len(case.all()))


@pytest.mark.parametrize(
    ("space", "y", "expected"),
    [
        (Labels(classes=list("abcdefgh")), ["a|b", "!a", "c", None], ["a | b", "not a", "c", "anything"]),
        (Labels(classes=range(30)), [set(range(20))],
         ["0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | … (20 in all)"]),
        (Tags(), ["+red -round", "+round", None], ["+red −round", "+round", "anything"]),
        (Tags(["red", "round"]), HammingBalls([[1, -1], [-1, -1]], [1, 0]), ["within 1 of +red", "within 0 of none"]),
        (Rankings(), ["a>b>c", [("c", "a")], None], ["a > b > c", "c > a", "anything"]),
        (Reals(), [3.5, (1, 2), ">=3", "<2", "[-2,-1]|[1,2]", None],
         ["3.5", "[1, 2]", "≥ 3", "≤ 2", "[-2, -1] | [1, 2]", "anything"]),
        (Vectors(), Boxes([[0, 1], [2, 2]], [[1, 1], [2, 2]]), ["[0 to 1, 1]", "[2, 2]"]),
        (Vectors(), CandidatePoints([[[0, 1], [2, 3]]]), ["[0.0, 1.0] | [2.0, 3.0]"]),
        (Vectors(), Balls([[0, 1]], 2.0), ["within 2 of [0.0, 1.0]"]),
        (Masks((1, 3)), [[1, 0, -1]], ["1 pixels in, 1 out, 1 unknown"]),
    ],
)  # fmt: skip
def test_format_sets_of_each_type(space, y, expected):
    space.fit(y)
    assert space.format_sets(space.read(y)) == expected


def test_format_of_outputs_of_each_type():
    assert Labels().fit(["a", "b"]).format(np.array([1, 0])) == ["b", "a"]
    assert Tags(["red", "round"]).fit([]).format(np.array([[1, -1], [-1, -1]])) == ["+red", "none"]
    assert Rankings(["a", "b"]).fit([]).format(np.array([[1, 0]])) == ["b > a"]
    assert Reals().fit([0.0, 1.0]).format(np.array([1 / 3])) == ["0.333333"]
    assert Masks((1, 2)).fit(None).format(np.array([[1, -1]])) == ["1 of 2 pixels in"]


def test_bits_of_numbers_and_vectors():
    assert np.allclose(Intervals([(0, 8), (0, 4), (2, 3), 5, None, (4, None)]).bits(), [0, 1, 3, 10, 0, 1])
    assert np.allclose(Boxes([[0, 0], [0, 2]], [[8, 8], [4, 3]]).bits(), [0, 1 + 3])
    assert CandidatePoints([[[0, 1], [2, 3]], [[1, 1]]]).bits().tolist() == [19, 20]


def test_bits_of_orders_count_linear_extensions():
    sets = PartialOrders(np.array([[1, 0, 0], [1, 1, 1], [0, 0, 0], [1, 1, 0]]))
    members = [sum(bool(one.contains(np.array([z]))[0]) for z in permutations(range(3))) for one in sets]
    assert np.allclose(sets.bits(), np.log2(6 / np.array(members)))
    assert PartialOrders(np.r_[1, np.zeros(77)][None]).bits().tolist() == [1]  # 13 items: the known pairs


def test_is_bounded_and_size_of_numbers_and_vectors():
    sets = Intervals([(0, 8), ">=1", [(0, 1), (3, 5)], None])
    assert sets.is_bounded.tolist() == [True, False, True, False]
    assert sets.size.tolist() == [8, math.inf, 3, math.inf]
    boxes = Boxes([[0, 0], [-np.inf, 0]], [[6, 8], [1, 1]])
    assert boxes.is_bounded.tolist() == [True, False]
    assert boxes.size.tolist() == [5, math.inf]
    assert boxes.size_unit == "radius"


def test_balls_meet_and_contain_other_vectors(rng):
    ball, box = Balls([[0.0, 0.0]], 5.0), Boxes([[3.0, 4.0]], [[9.0, 9.0]])
    assert ball.meets(box).all()
    assert box.meets(ball).all()
    assert not Balls([[0.0, 0.0]], 4.9).meets(box).any()
    assert ball.contains_set(Boxes([[0.0, 0.0]], [[3.0, 4.0]])).all()
    assert not ball.contains_set(box).any()
    assert not ball.contains_set(Boxes([[0.0, -np.inf]], [[1.0, 1.0]])).any()
    assert Boxes([[-5.0, -5.0]], [[5.0, 5.0]]).contains_set(ball).all()
    with pytest.raises(InputError, match="cannot be compared with Boxes"):
        Annuli(1.0, 2.0).contains_set(box)


def test_balls_of_tags_with_partial_tags(rng):
    """Meeting and containing, against all members of both."""
    n, m = 200, 4
    balls = HammingBalls(rng.choice([-1, 1], (n, m)), rng.integers(0, m + 1, n))
    tags = PartialTags(rng.integers(-1, 2, (n, m)))
    space = Tags(m).fit([])
    a, b = space.members(balls), space.members(tags)
    np.testing.assert_array_equal(balls.meets(tags), (a & b).any(axis=1))
    np.testing.assert_array_equal(tags.meets(balls), (a & b).any(axis=1))
    np.testing.assert_array_equal(balls.contains_set(tags), ~(b & ~a).any(axis=1))
    np.testing.assert_array_equal(tags.contains_set(balls), ~(a & ~b).any(axis=1))
    with pytest.raises(InputError, match=r"joined with HammingBalls only. Got PartialTags"):
        balls.replace_rows([0], tags[[0]])


def test_registry_has_one_type_per_kind():
    kinds = [kind for kind in OUTPUT_TYPES if ":" not in kind]  # other tests may have added types of their own
    assert kinds == ["labels", "tags", "ranking", "number", "vector", "mask", "product", "sequence"]
    assert {case.space.kind for case in CASES} == set(kinds)
    for case in CASES:
        sets = case.sets(np.random.default_rng(0), 2)
        assert sets.kind == case.space.kind
        assert type(case.space) is OUTPUT_TYPES[sets.kind]


class Nibbles(OutputSpace):
    """The numbers 0 to 3 with the 0-1 loss: a type with the required methods only, and its outputs."""

    size = 4

    def read(self, y, strict=True):
        return Bytes(np.array(y, dtype=bool))

    def psi(self, z):
        return np.eye(4)[np.asarray(z, dtype=int)]

    def decode(self, c):
        return np.argmin(c, axis=-1)

    def outputs(self):
        return np.arange(4)


class Bytes(Sets):
    def __init__(self, mask):
        self.mask, self.shape = mask, (len(mask),)

    def __len__(self):
        return len(self.mask)

    def __getitem__(self, rows):
        return Bytes(self.mask[rows_of(rows, len(self))])

    def argmin(self, c):
        return 1 - np.eye(4)[np.argmin(np.where(self.mask, -c, np.inf), axis=-1)]

    def contains(self, z):
        return self.mask[np.arange(len(self)), np.asarray(z, dtype=int)]

    def start(self):
        return 1.0 - self.mask


class Chosen(Bytes):
    """The same with `options`."""

    def __getitem__(self, rows):
        return Chosen(self.mask[rows_of(rows, len(self))])

    def options(self):
        return self.mask[:, None]


Y = np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 1]], dtype=bool)


def test_defaults_of_a_minimal_type_count_members():
    space, sets = Nibbles().fit(Y), Bytes(Y)
    assert (sets.is_unlabelled.any(), sets.is_bounded.all()) == (False, True)
    np.testing.assert_array_equal(sets.is_exact, Y.sum(axis=1) == 1)
    assert np.isnan(sets.size).all()
    assert np.isnan(sets.bits()).all()
    found = space.describe(sets)
    assert found.is_exact.tolist() == [True, False, False]
    assert found.is_unlabelled.tolist() == [False, False, True]
    assert (found.size.tolist(), found.unit, found.bits.tolist()) == ([1, 2, 4], "members", [2, 1, 0])
    assert space.format(np.array([2, 0])) == ["2", "0"]
    assert set(space.format_sets(sets)) == {"Bytes"}
    assert space.neighbours(np.array(1)).tolist() == [0, 2, 3]
    for method, call in [("meets", sets.meets), ("contains_set", sets.contains_set), ("intersect", sets.intersect)]:
        with pytest.raises(ValueError, match=rf"Define {method}\(other\)"):
            call(sets)
    assert space.kind == sets.kind == "output"


def test_defaults_of_a_type_with_options():
    sets = Chosen(Y)
    assert sets.is_exact.tolist() == [True, False, False]
    assert sets.is_unlabelled.tolist() == [False, False, True]
    assert (sets.size.tolist(), sets.bits().tolist()) == ([1, 2, 4], [2, 1, 0])
    assert sets.meets(sets[[2, 0, 0]]).tolist() == [True, True, True]
    assert sets[[0]].meets(Chosen(~Y[[1]])).tolist() == [False]
    assert sets.contains_set(sets[[0, 0, 1]]).tolist() == [True, True, True]
    assert sets[[0]].contains_set(sets[[1]]).tolist() == [False]


def test_a_large_space_is_not_listed():
    class Large(Nibbles):
        size = LISTED + 1

        def outputs(self):
            raise AssertionError

    space = Large().fit(Y)
    assert np.isnan(space.describe(Bytes(Y)).bits).all()
    assert space.neighbours(np.array(1)).shape == (0,)


def test_a_minimal_type_fits_predicts_and_explains():
    X = np.arange(12.0)[:, None]
    y = np.repeat(np.eye(4, dtype=bool), 3, axis=0)
    model = PartialEstimator(Nibbles()).fit(X, y)
    assert (model.predict(X) == np.repeat(np.arange(4), 3)).mean() > 0.9
    found = model.explain(X[:1])
    assert found.margin == pytest.approx(found.contribution.sum())
    assert found.text != found.text_against


def test_candidate_labels_format_exclusions():
    classes = [f"c{k}" for k in range(40)]
    excluded = np.zeros((1, 40), bool)
    excluded[0, :5] = True
    assert CandidateLabels(excluded, classes, [True]).format(0) == "not c0 or c1 or c2 or c3 or c4"
    empty = CandidateLabels(np.zeros((1, 40), bool), classes, strict=False)
    assert empty.format(0) == "no label"
