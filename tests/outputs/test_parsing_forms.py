"""Formats of y: decided once, for a column and not for a chunk."""

import numpy as np
import pandas as pd
import pytest

from infimum import (
    CandidateLabels,
    PartialEstimator,
    PartialOrders,
    PartialRanker,
)
from infimum.data.errors import InputError
from infimum.outputs import Labels, OutputSpace, Rankings, Reals, Tags, Vectors
from parsed import codes, parts


@pytest.mark.parametrize(
    "space, y, says",
    [
        (Labels(), [[True, False, True], [False, True, True]], "candidate mask, one boolean column per class"),
        (Labels(), ["a|b", "c"], "labels, one entry per row"),
        (
            Tags(),
            [[True, None], [False, True]],
            "table of booleans, one column per tag; False is absent, missing is unknown",
        ),
        (Tags(), ["+a", "-b"], "tags, one entry per row"),
        (
            Rankings(),
            np.array([[1, 2, 3], [1, 0, 0]]),
            "ranks, one column an item; the smallest is first, missing is unknown",
        ),
        (Rankings(), np.array([[1, 0, -1], [1, 0, 0]]), "Kendall codes 1, -1 and 0, one column a pair of items"),
        (Reals(), pd.DataFrame({"a": [1, 2], "b": [3, 4]}), "bounds 'a', 'b'"),
        (Vectors(), [[0.0, 1.0], [1.0, 2.0]], "vectors of 2 coordinates"),
    ],
)
def test_the_form_is_readable_and_the_same_in_blocks(space, y, says):
    assert repr(space.fit(y).form_) == f"<form: {says}>"
    first, second = parts(y)
    form = space.fit_summary(space.merge(space.summarise(first), space.summarise(second))).form_
    assert form == space.fit(y).form_
    with pytest.raises(AttributeError):
        form.kind = "other"


def test_ranks_or_codes_is_decided_for_the_column_not_for_the_batch():
    R = np.array([[0, 1, 2]] * 2 + [[1, 0, 0]] * 3 + [[2, 1, 0]] * 3)
    space = Rankings().fit(R)
    whole = space.read(R).codes
    for rows in (slice(2, 5), slice(0, 2), [3], slice(0, 0)):
        np.testing.assert_array_equal(space.read(R[rows]).codes, whole[rows])
    blocks = Rankings()
    first, middle, last = (blocks.summarise(R[part]) for part in (slice(2), slice(2, 5), slice(5, None)))
    blocks.fit_summary(blocks.merge(middle, blocks.merge(first, last)))
    np.testing.assert_array_equal(blocks.read(R[2:5]).codes, whole[2:5])
    X = np.arange(8.0)[:, None]
    model = PartialRanker().fit(X, R)
    assert model.score(X[2:5], R[2:5]) == pytest.approx(model.score(X[2:5], PartialOrders.from_ranks(R[2:5])))


def test_ranks_or_codes_is_refused_with_both_readings_and_the_way_out_works():
    y = np.array([[1, 0, 1], [0, 1, 1]])
    for space in (Rankings(), Rankings(3), Rankings(["a", "b", "c"])):
        with pytest.raises(InputError) as refusal:
            space.fit(y).read(y)
        assert "row 0: [1, 0, 1] as ranks means 1>0, 1>2, as codes 0>1, 1>2" in str(refusal.value)
        assert "PartialOrders.from_ranks(y) for ranks (1 is first), or PartialOrders(y) for codes" in str(refusal.value)
    assert codes(PartialOrders.from_ranks(y))[1] == [[-1, 0, 1], [1, 1, 0]]
    assert codes(PartialOrders(y))[1] == [[1, 1, 1], [0, 1, 1]]
    with pytest.raises(InputError, match=r"row 0: expected codes \(-1, 0, 1\) or ranks"):
        Rankings().fit(np.array([[3, -1, 2]]))


def test_lists_of_numbers_are_ranks_or_orders():
    y = [[1, 2, 3], [2, 3, 1]]
    for space in (Rankings(), Rankings([1, 2, 3])):
        with pytest.raises(InputError, match=r"(?s)ranks, or items.*row 0: \[1, 2, 3\].*from_ranks\(y\)"):
            space.fit(y).read(y)
    assert codes(PartialOrders.from_ranks(y))[1] == [[1, 1, 1], [1, -1, -1]]
    assert codes(np.array(y, dtype=object))[1] == [[1, 1, 1], [-1, -1, 1]]
    assert codes([[1, 2], [2, 3]]) == ([1, 2, 3], [[1, 1, 1], [-1, -1, 1]]), "the top of the order"
    space = Rankings().fit([[1, 2], [2, 3]])
    assert space.read([[3, 1, 2]]).codes.tolist() == [[1, -1, -1]], "fit settled what lists are"
    with pytest.raises(InputError, match=r"row 0: an order or ranks with gaps, got \[1, 2, None\]"):
        Rankings().fit(np.array([[1, 2, None], [2, 1, 3]], dtype=object))


def test_a_user_space_with_its_own_fit_still_works():
    class Coins(OutputSpace):
        def fit(self, y):
            self.size = 2
            return self

        def read(self, y, strict=True):
            return CandidateLabels(np.eye(2, dtype=bool)[y])

        def psi(self, z):
            return np.eye(2)[z]

        def decode(self, c):
            return np.argmin(c, axis=-1)

    space = Coins().fit([0, 1])
    assert (space.size, space.summarise([0]), space.merge(None, None)) == (2, None, None)
    assert space.fit_summary(None) is space
    assert PartialEstimator(Coins()).fit([[0.0], [1.0]], [0, 1]).predict([[1.0]]).tolist() == [1]
