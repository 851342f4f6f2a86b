"""InputError and BadRows: rows, reasons and remedies as attributes, and the message made of them."""

import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from infimum import InputError, PartialClassifier, PartialRegressor
from infimum.data.errors import BadRows
from infimum.outputs import Intervals, Labels


def error_of(call):
    with pytest.raises(InputError) as found:
        call()
    return found.value


def test_input_error_has_rows_remedy_and_what():
    error = error_of(lambda: Intervals([1.0, (3, 2), None, (5, 4)]))
    assert list(error.rows) == [1, 3]
    assert error.rows[1] == "the lower bound is above the upper one, got (3, 2)"
    assert (error.what, error.unit, error.more) == ("y", "row", 0)
    assert str(error).endswith(error.remedy)


def test_a_plain_input_error_has_no_rows():
    error = InputError("y is missing.")
    assert (str(error), error.rows, error.remedy) == ("y is missing.", {}, "")
    assert error.renumbered(str) is error


def test_renumbered_calls_rows_by_other_names():
    error = InputError(rows={0: "a", 7: "b"}, what="votes.csv", remedy="Correct them.", unit="record", more=3)
    lines = ["5 records of votes.csv cannot be used.", "  record 0: a", "  record 7: b", "  (and 3 more records)"]
    assert str(error).split("\n") == [*lines, "Correct them."]
    other = error.renumbered(lambda row: f"line {row + 2}")
    assert other.rows == {"line 2": "a", "line 9": "b"}
    assert "\n  line 9: b\n" in str(other)
    assert error.renumbered(lambda row: row + 1).rows == {1: "a", 8: "b"}


def test_input_error_survives_pickling():
    error = error_of(lambda: Labels(classes=["a"]).fit(["a"]).read(["a", "b"]))
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.rows, again.remedy) == (str(error), error.rows, error.remedy)
    assert error.rows == {1: "unknown label 'b'"}


def test_bad_rows_sort_numbers_count_rows_once_and_show_ten():
    bad = BadRows("the batch")
    for row in range(12, 0, -1):
        bad.add(row, "wrong", row)
        bad.add(row, "wrong", row)
    bad.add(3, "and late")
    assert 3 in bad
    error = bad.error("Drop them.")
    assert list(error.rows) == list(range(1, 13))
    assert error.rows[3] == "wrong, got 3; and late"
    assert "(and 2 more rows)" in str(error)
    assert str(error).startswith("12 rows of the batch cannot be used.")


def test_bad_rows_keep_the_order_of_places_and_show_empty_cells():
    bad = BadRows("t.csv", "record")
    bad.add("line 9", "empty", None)
    bad.add("line 2", "wrong")
    with pytest.raises(InputError, match=r"(?s)2 records of t.csv .*line 9: empty, got None\n  line 2: wrong\nFix."):
        bad.raise_if_any("Fix.")
    BadRows().raise_if_any("Nothing was added.")


@pytest.mark.parametrize(
    "X, place",
    [
        (np.array([[0.0, 1], [1, np.nan], [np.nan, 0]]), r"row 1, column 1 \(the first of 2 such entries\)"),
        ([[0, 1], [1, None], [0, 1]], "row 1, column 1"),
        (pd.DataFrame({"age": [1.0, 2.0, np.nan]}), "row 2, column 'age'"),
        (pd.DataFrame({"age": pd.array([1, 2, None], dtype="Int64")}), "row 2, column 'age'"),
        (sparse.csr_matrix([[0.0], [np.nan], [1.0]]), "row 1, column 0"),
        (np.ma.masked_values([[1.0], [-9.0], [3.0]], -9), "row 1, column 0"),
    ],
)
def test_missing_entries_of_X_are_located_with_a_way_to_fill_them(X, place):
    message = rf"Input X contains .*NaN.* in {place}\. Fill it in, with infimum\.Features\(\) or scikit-learn's Simple"
    with pytest.raises(ValueError, match=message):
        PartialClassifier().fit(X, ["a", "b", "a|b"])


def test_infinite_entries_of_X_are_located():
    model = PartialClassifier().fit([[0.0], [1.0]], ["a", "b"])
    with pytest.raises(ValueError, match="Input X contains infinity in row 1, column 0"):
        model.predict([[0.0], [np.inf]])


def test_a_masked_array_without_masked_entries_is_an_array():
    X = np.ma.array([[0.0], [1.0]])
    assert PartialClassifier().fit(X, ["a", "b"]).predict(X).tolist() == ["a", "b"]


def test_rows_with_the_same_message_are_listed_once():
    y = [*["n.d."] * 12, "1.5", "trace", ">3"]
    with pytest.raises(InputError) as caught:
        PartialRegressor().fit(np.arange(15.0)[:, None], y)
    lines = str(caught.value).splitlines()
    assert lines[0] == "13 rows of y cannot be used."
    assert lines[1].startswith("  row 0: cannot read 'n.d.'")
    assert lines[1].endswith("(also row 1, row 2, 9 more)")
    assert "--missing n.d." in lines[1]
    assert "'<0.5'" in lines[1]
    assert lines[2].startswith("  row 13: cannot read 'trace'")
    assert sorted(caught.value.rows) == [*range(12), 13]


def test_an_ambiguous_comma_is_reported_with_its_row():
    with pytest.raises(InputError, match="row 2: '1,000' is 1000 if the comma separates thousands, and 1 if") as caught:
        PartialRegressor().fit(np.arange(4.0)[:, None], [2.5, "2", "1,000", None])
    assert list(caught.value.rows) == [2]
