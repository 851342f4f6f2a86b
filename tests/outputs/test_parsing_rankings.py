"""Parsing of rankings."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infimum import (
    PartialOrders,
    PartialRanker,
    metrics,
)
from infimum.data.errors import InfimumWarning, InputError
from infimum.outputs import Rankings
from parsed import codes


def test_items_of_orders_go_by_name():
    assert metrics.wrong_pairs(PartialOrders([[1]], items=["b", "a"]), [["b", "a"]]) == 0
    sets = PartialOrders.from_orders([[2, 0, 1], [0, 1, 2]], items=["z", "x", "y"])
    read = Rankings(["x", "y", "z"]).fit([]).read(sets)
    assert read.contains(np.array([[1, 2, 0], [2, 0, 1]])).all(), "y z x and z x y"
    assert read.items.tolist() == ["x", "y", "z"]
    with pytest.raises(InputError, match=r"Missing: 'x'\. Unknown: 'q'"):
        Rankings(["x", "y", "z"]).fit([]).read(PartialOrders([[1, 0, 0]], items=["q", "y", "z"]))
    assert Rankings(["x", "y"]).fit([]).read(PartialOrders([[1]])).codes.tolist() == [[1]], "no names, by position"
    assert sets[:1].codes.tolist() != read[:1].codes.tolist()
    assert sets[:1].named
    assert not PartialOrders([[1]])[:1].named
    F = pd.DataFrame({"a": [1, 2], "b": [2, 1], "c": [3, 3]})
    space = Rankings().fit(F)
    np.testing.assert_array_equal(space.read(F[["c", "a", "b"]]).codes, space.read(F).codes)
    with pytest.raises(InputError, match="Missing: 'c'"):
        space.read(F[["a", "b"]])
    X = np.eye(2)
    assert PartialRanker(items=["c", "b", "a"]).fit(X, F).predict(X)[0].tolist() == ["a", "b", "c"]


@settings(max_examples=30, deadline=None)
@given(st.permutations(range(5)), st.integers(0, 1000))
def test_arranged_orders_are_the_same_orders(order, seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 6, (4, 5)).astype(float)
    ranks[rng.random((4, 5)) < 0.3] = np.nan
    sets = PartialOrders.from_ranks(ranks, items=list("abcde"))
    expected = PartialOrders.from_ranks(ranks[:, order], items=[list("abcde")[k] for k in order])
    np.testing.assert_array_equal(sets.arranged(list(order)).codes, expected.codes)
    assert sets.arranged(list(order)).items.tolist() == expected.items.tolist()


def test_items_in_text():
    assert codes(["1>2", [1, 2]]) == ([1, 2], [[1], [1]]), "text names items by how they print"
    assert codes(["a=b>c"], items=["a=b", "c"])[1] == [[1]]
    for y, message in [
        (["a>=b>c"], "row 0: expected items between '>'"),
        ([[1, 2], ["1", "3"]], "The items 1 and '1' of y look the same as text"),
        ([[("a", "b", "c")]], "row 0: a tuple is a pair beside pairs only"),
        ([("a", "b", "c")], r"row 0: got the tuple \('a', 'b', 'c'\); write \[\('a', 'b'\)\] for a comparison"),
        ([{"a": "first", "b": 2}], "row 0: expected ranks that are numbers"),
        (pd.DataFrame({"1st": ["a"], "2nd": ["b"]}), r"row 0: expected ranks, which are numbers, got \['a', 'b'\]"),
        (sparse.csr_matrix([[1, 0, 1]]), r"PartialOrders\(y.toarray\(\)\)"),
    ]:
        with pytest.raises(InputError, match=message):
            Rankings().fit(y).read(y)
    frame = pd.DataFrame({"1st": ["a"], "2nd": ["b"]})
    assert codes(frame.to_numpy().astype(object))[1] == [[1]], "the way out"


def test_forms_of_orders():
    assert codes(pd.DataFrame({"y": ["a>b", "b>c"]})) == (["a", "b", "c"], [[1, 0, 0], [0, 0, 1]])
    assert codes(pl.Series([["a", "b"], ["c"], None]))[1] == [[1, 1, 1], [0, -1, -1], [0, 0, 0]]
    assert codes(pl.DataFrame({"a": [1, None, 3], "b": [2, 1, None]}))[1] == [[1], [0], [0]]
    assert codes(np.ma.array([[1, 2, 3], [3, 2, 1]], mask=[[0, 1, 0], [0, 0, 0]]))[1] == [[0, 1, 0], [-1, -1, -1]]
    assert codes(np.array([[1.0], [-1.0]])) == ([0, 1], [[1], [-1]])


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: PartialOrders.from_orders([[0, 0, 7]]), r"row 0: expected every item from 0 to 2 once"),
        (lambda: PartialOrders.from_ranks([1, 2, 3]), r"ranks are numbers of shape \(n, m\)"),
        (lambda: PartialOrders.from_ranks([["a", "b"]]), "ranks are numbers"),
        (lambda: PartialOrders.from_pairs([("a", "b")]), r"\(n, m, m\) booleans"),
        (lambda: PartialOrders.from_pairs(np.full((1, 2, 2), 3)), "booleans"),
        (lambda: PartialOrders([1, 0, 1]), r"Kendall codes are numbers of shape"),
        (lambda: PartialOrders([[1, 0]]), "m\\(m-1\\)/2 columns"),
        (lambda: PartialOrders([[1]], items=["a"]), "rank 2 items. Got 1 names"),
        (lambda: PartialOrders([[1]], items=["a", "a"]), "items must be distinct"),
    ],
)
def test_constructors_of_orders(build, message):
    with pytest.raises(InputError, match=message):
        build()


@pytest.mark.parametrize(
    "text", ["tea, coffee, milk", "tea;coffee", "tea\ncoffee", "1. tea 2. coffee", "1) tea 2) milk"]
)
def test_lists_without_comparisons_are_errors(text):
    X = np.arange(6.0)[:, None]
    with pytest.raises(InputError, match=r"row 1: no item is compared with another.*write a>b>c") as error:
        PartialRanker().fit(X, ["tea>milk", text, "milk>tea"] * 2)
    assert sorted(error.value.rows) == [1, 4]
    model = PartialRanker(weights="linear").fit(X, ["tea>milk, coffee", "milk", None] * 2)  # one item is no list
    assert model.items_.tolist() == ["coffee", "milk", "tea"]


def test_score_warns_about_items_that_fit_has_not_seen():
    model = PartialRanker().fit([[float(i)] for i in range(12)], ["a>b>c"] * 12)
    with pytest.warns(InfimumWarning, match=r"2 rows of y contain items that did not occur in fit: 'A' \(rows: 2\)"):
        assert model.score([[0.0], [1.0], [2.0]], ["A>b", "a>b", "A>b"]) == 1


def test_ratings_as_ranks_warn():
    table = pd.DataFrame({"tea": [9.5, 2.0], "milk": [1.0, 7.0]})
    with pytest.warns(InfimumWarning, match=r"numbers up to 9\.5 for 2 items.*ranks.*smallest is best.*pass -y"):
        Rankings().fit(table)
    space = Rankings().fit(-table)  # no warning
    assert np.asarray(space.read(-table).codes).ravel().tolist() == [1, -1]


def test_a_table_of_comparisons_is_explained():
    table = pd.DataFrame({"better": ["tea", "milk"], "worse": ["milk", "tea"]})
    with pytest.raises(InputError, match=r"\[\[pair\] for pair in zip\(better, worse\)\]"):
        Rankings().fit(table)
    pairs = [[pair] for pair in zip(table["better"], table["worse"])]
    assert codes(pairs)[1] == [[-1], [1]]
