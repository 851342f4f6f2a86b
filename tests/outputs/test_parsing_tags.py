"""Parsing of tags."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from infimum import (
    HammingBalls,
    PartialMultilabelClassifier,
    PartialTags,
)
from infimum.data.errors import InputError
from infimum.outputs import Tags
from infimum.outputs.tags.forms import tags_in
from parsed import NAN, tags


def test_tag_frames_go_by_name(rng):
    X = rng.standard_normal((30, 2))
    F = pd.DataFrame(np.where(X > 0, 1, -1), columns=["a", "b"])
    model = PartialMultilabelClassifier().fit(X, F)
    assert model.score(X, F) == model.score(X, F[["b", "a"]]) == model.score(X, pl.DataFrame(F)[["b", "a"]])
    assert tags(F, tags=["b", "a"])[1] == F[["b", "a"]].to_numpy().tolist()
    space = Tags().fit(F)
    for frame, message in [(F[["a"]], "Missing: 'b'"), (F.assign(c=1), "Unknown: 'c'")]:
        with pytest.raises(InputError, match=message):
            space.read(frame)
    blocks = Tags()
    blocks.fit_summary(blocks.merge(blocks.summarise(F), blocks.summarise(F[["b", "a"]])))
    np.testing.assert_array_equal(blocks.read(F[["b", "a"]]).values, F)
    with pytest.raises(InputError, match=r"Unknown: 'a', 'b'. To match columns by position, pass y.to_numpy\(\)"):
        Tags().fit(F.to_numpy()).read(F)
    np.testing.assert_array_equal(Tags().fit(F.to_numpy()).read(F.to_numpy()).values, F)
    multi = pd.DataFrame([[1, -1]], columns=pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]))
    assert tags(multi) == ([("a", "x"), ("a", "y")], [[1, -1]])


@pytest.mark.parametrize(
    "y, expected",
    [
        ([{"red": -1}, {"red": 1}, {"red": 0}, {"red": None}], [[-1], [1], [-1], [0]]),
        ([[True, None], [False, True]], [[1, 0], [-1, 1]]),
        (pd.DataFrame({"a": [True, False], "b": [None, True]}), [[1, 0], [-1, 1]]),
        (pl.DataFrame({"a": [True, False], "b": [None, True]}), [[1, 0], [-1, 1]]),
        (np.ma.array([[True, True], [False, True]], mask=[[0, 1], [0, 0]]), [[1, 0], [-1, 1]]),
        ([["red"], ["blue", "red"], []], [[0, 1], [1, 1], [0, 0]]),
        ([["blue"], ["red"]], [[1, 0], [0, 1]]),
        (pl.Series([["blue"], ["blue", "red"], None]), [[1, 0], [1, 1], [0, 0]]),
        (pl.Series([{"a": 1, "b": None}, {"a": -1, "b": 1}]), [[1, 0], [-1, 1]]),
        (pd.DataFrame({"y": ["+red -blue", None]}), [[-1, 1], [0, 0]]),
        (sparse.csc_matrix([[1, -1], [0, 1]]), [[1, -1], [0, 1]]),
        (sparse.csr_array(np.array([[True, False]])), [[1, -1]]),
        (pd.DataFrame({"a": [1, None], "b": [-1, 0]}, dtype="Int64"), [[1, -1], [0, 0]]),
    ],
)
def test_forms_of_tags(y, expected):
    assert tags(y)[1] == expected


@pytest.mark.parametrize(
    "y, message",
    [
        ([{"red": "False"}, {"red": 1}], r"row 0: expected True, False, 1, 0 or -1 for the tag 'red', got 'False'"),
        ([{"red": 2}], "row 0: .* got 2"),
        ([[True, 0], [False, True]], r"row 0: booleans and other values in one table, got \[True, 0\]"),
        (pd.DataFrame({"a": [True, False], "b": [0, 1]}), "booleans and other values"),
        ([["0", "1"], ["1", "0"]], "numbers or booleans written as text"),
        (["+ red", "+blue"], r"row 0: expected a tag after one sign, got '\+ red'"),
        (["--red"], "row 0: expected a tag after one sign"),
        ([[1, 0], [1]], r"2 rows of y.*\n  row 0: a row of 2 numbers"),
        (pd.DataFrame({"a": ["x", "y"], "b": [1, 0]}), r"row 0: expected True, False, 1, .*\['x', 1\]"),
        (sparse.coo_matrix(([1, 1], ([0, 0], [0, 0]))), "row 0: expected 1, -1, 0 or NaN, got 2"),
        (np.array([[1j]]), "booleans or numbers"),
    ],
)
def test_tags_that_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        Tags().fit(y).read(y)


def test_zero_after_booleans_is_refused_and_the_ways_out_work():
    y = np.array([[True, False], [False, True]])
    space = Tags().fit(y)
    with pytest.raises(InputError, match=r"row 0: 0 among numbers, where fit was given booleans, got \[1, 0\]"):
        space.read(y.astype(int))
    expected = [[1, -1], [-1, 1]]
    assert space.read(np.asarray(y.astype(int)).astype(bool)).values.tolist() == expected
    assert space.read(np.where(y, 1, -1)).values.tolist() == expected
    with pytest.raises(InputError, match=r"booleans beside signs|signs beside booleans"):
        space.fit_summary(space.merge(space.summarise(y), space.summarise(y.astype(int))))
    with pytest.raises(InputError, match="tags must be distinct"):
        Tags(["a", "a"]).fit([])


def test_constructors_of_tags():
    assert PartialTags([[1, None], [NAN, -1]]).values.tolist() == [[1, 0], [0, -1]]
    for build, message in [
        (lambda: PartialTags([1, 0]), "one column per tag"),
        (lambda: HammingBalls([1, -1], 1), "one column per tag"),
        (lambda: HammingBalls([[1, None]], 1), r"row 0: the center of a ball must be in \{-1, 1\}, got \[1, None\]"),
        (lambda: HammingBalls([[1, -1]], [1, 2]), r"or have shape \(1,\)"),
    ]:
        with pytest.raises(InputError, match=message):
            build()


@pytest.mark.parametrize("text", [
    "+red \u2212round", "red;\u2013round", "red|\u2010round", "red,-round", "red | -round",
])  # fmt: skip
def test_tags_in_text_have_any_minus_sign_and_any_separator(text):
    assert tags([text]) == (["red", "round"], [[1, -1]])


@pytest.mark.parametrize("text, expected", [
    ("+likes tea -price-sensitive", {"likes tea": True, "price-sensitive": False}),
    ("+likes tea; -vegan  (strict)", {"likes tea": True, "vegan (strict)": False}),
    ("red round +likes tea,vegan", {"red": True, "round": True, "likes tea": True, "vegan": True}),
    ("-likes\ttea", {"likes": False, "tea": True}),
])  # fmt: skip
def test_names_of_tags_with_a_sign_contain_spaces(text, expected):
    assert tags_in(text) == expected


def test_tags_with_spaces_are_written_as_text_that_is_read_again():
    cell = {"likes tea": True, "wants/needs: speed": False, "vegan (strict)": True}
    text = Tags().cells_to_text([cell])[0]
    assert (text, tags_in(text)) == ('+"likes tea" -"wants/needs: speed" +"vegan (strict)"', cell)
    for tag in ("a  b", "a, b", "a -b", "-a"):
        assert tags_in(Tags().cells_to_text([{tag: True, "c": False}])[0]) == {tag: True, "c": False}
    for tag in ('a "b"', " a", ""):
        with pytest.raises(ValueError, match="cannot be written as text"):
            Tags().cells_to_text([{tag: True}])
