"""InputError and BadRows: rows, reasons and remedies as attributes, and the message made of them."""

import pickle

import pytest

from infimum import InputError
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
        bad.refuse("Fix.")
    BadRows().refuse("Nothing was added.")
