"""Parsing of numbers and intervals."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from infimum.data.errors import InputError
from infimum.outputs import Reals
from parsed import DATE, NAN, numbers


@pytest.mark.parametrize(
    "y, expected",
    [
        (pd.DataFrame({"lower": [0, ">30"], "upper": [10, None]}), ["[0, 10]", "≥ 30"]),
        (pd.DataFrame({"lower": ["", "1"], "upper": ["20", "<2"]}), ["≤ 20", "[1, 2]"]),
        (pd.DataFrame({"upper": [2, 3], "lower": [0, 1]}), ["[0, 2]", "[1, 3]"]),
        (pl.DataFrame({"a": [1, None], "b": [2.5, 3]}), ["[1, 2.5]", "≤ 3"]),
        (np.array([["1", "2"], ["", "3"]]), ["[1, 2]", "≤ 3"]),
        (np.array([[1, None], [2, 3]], dtype=object), ["≥ 1", "[2, 3]"]),
        (np.ma.array([[1.0, 2], [3, 4]], mask=[[0, 1], [0, 0]]), ["≥ 1", "[3, 4]"]),
        (np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), ["1", "anything", "3"]),
        ([(1, None), [2, NAN], (None, 3), (None, None)], ["≥ 1", "≥ 2", "≤ 3", "anything"]),
        ([{1, "2"}, {1, (2, 3)}], ["1 | 2", "1 | [2, 3]"]),
        ([pd.NaT, 1.0, pd.NA], ["anything", "1", "anything"]),
        ([Decimal("1.5"), Decimal("NaN")], ["1.5", "anything"]),
        (pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), None])), ["[0, 1]", "anything"]),
        (pl.Series([[1.0, 2.0], [3.0, None], None]), ["[1, 2]", "≥ 3", "anything"]),
        (pd.Series([1, None], dtype="Int64"), ["1", "anything"]),
        (pd.Series([1.5, None], dtype="float64[pyarrow]"), ["1.5", "anything"]),
    ],
)
def test_forms_of_numbers(y, expected):
    assert numbers(y) == expected


def test_bounds_go_by_name_after_fit():
    F = pd.DataFrame({"lo2": [1.0, 2], "hi2": [2.5, 3]})
    space = Reals().fit(F)
    np.testing.assert_array_equal(np.asarray(space.read(F[["hi2", "lo2"]])), np.asarray(space.read(F)))
    with pytest.raises(InputError, match=r"must be 'lo2', 'hi2', as in fit\. Got 'lo2', 'c'"):
        space.read(F.rename(columns={"hi2": "c"}))


@pytest.mark.parametrize(
    "y, message",
    [
        ([10**400, 1.5, "a"], r"(?s)2 rows of y.*row 0: a number too large.*row 2: cannot read 'a'"),
        ([1e155, 1.0], r"row 0: beyond ±1e\+150"),
        ([1e-200, 2e-200], "overflow or underflow. Rescale y"),
        ([("", "20"), 1], r"row 0: expected numbers, got text inside \('', '20'\)"),
        (pd.DataFrame({"lower": ["<5"], "upper": ["20"]}), "row 0: expected a lower bound, not '<5'"),
        (np.array([True, False]), "row 0: expected a number, got True"),
        (DATE, "row 0: expected a number"),
        ([{1, None}], "row 0: expected a value"),
        (sparse.csr_matrix([[1, 2]]), r"y.toarray\(\)"),
        ([1, 1j], "row 1: expected a value"),
    ],
)
def test_numbers_that_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        Reals().fit(y)


@pytest.mark.parametrize("names", [
    ("y_upper", "y_lower"), ("price max", "price min"), ("maximumPrice", "minimumPrice"), ("HI", "LO"), ("to", "from"),
])  # fmt: skip
def test_bounds_go_by_the_words_in_their_names(names):
    y = pd.DataFrame({names[0]: [NAN, 3.0], names[1]: [1.0, NAN]})
    assert numbers(y) == numbers(y[list(names[::-1])]) == ["≥ 1", "≤ 3"]


def test_bounds_whose_names_contradict_their_places_are_refused():
    with pytest.raises(InputError, match="The columns 'y_upper', 'y' of y must be the lower bound, then the upper one"):
        Reals().fit(pd.DataFrame({"y_upper": [1.0], "y": [2.0]}))
    assert numbers(pd.DataFrame({"a": [1.0, NAN], "b": [NAN, 3.0]})) == ["≥ 1", "≤ 3"]  # by place


@pytest.mark.parametrize("cell", ["(1,1)", "[1,1)", "]1;1]", pd.Interval(1, 1, "neither"), pd.Interval(1, 1, "left")])
def test_open_intervals_of_one_number_are_empty(cell):
    with pytest.raises(InputError, match="row 0: an interval without any number"):
        Reals().fit([cell, "2"]).read([cell, "2"])
    assert numbers(["[1,1]", pd.Interval(1, 1, "both"), "(1,2)"]) == ["1", "1", "[1, 2]"]
