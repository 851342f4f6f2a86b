"""Containers of y and chunks do not matter; hostile cells are parsed or raise an error that explains itself."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infimum import (
    Intervals,
    Not,
)
from infimum.data.errors import InputError, shown
from infimum.outputs import Labels, Rankings, Reals, Tags, Vectors
from parsed import DAY, INF, NAN, codes, labels, numbers, tags

CELLS = st.lists(
    st.one_of(st.none(), st.sampled_from(["a", "b", "a|b", "!a", "", "c"])), min_size=1, max_size=8
).filter(lambda cells: any(cell in ("a", "b", "c", "a|b") for cell in cells))


@settings(max_examples=60, deadline=None)
@given(CELLS, st.integers(0, 8))
def test_containers_and_cuts_do_not_matter(cells, cut):
    space = Labels(classes=["a", "b", "c"]).fit([])
    expected = space.read(cells).mask.tolist()
    for other in (
        tuple(cells), (cell for cell in cells), np.array(cells, dtype=object), pd.Series(cells, dtype=object),
        pd.Series(cells, dtype="string"), pd.Series(cells, dtype="category"), pl.Series(cells, dtype=pl.String),
        pd.DataFrame({"y": cells}), pl.DataFrame({"y": pl.Series(cells, dtype=pl.String)}), pa.array(cells),
        pd.Index(cells, dtype=object), np.ma.array(["" if c is None else c for c in cells]),
        pl.Series(cells, dtype=pl.Enum(["a", "b", "a|b", "!a", "", "c"])),
    ):  # fmt: skip
        assert space.read(other).mask.tolist() == expected
    whole, blocks = Labels().fit(cells), Labels()
    blocks.fit_summary(blocks.merge(blocks.summarise(cells[:cut]), blocks.summarise(cells[cut:])))
    assert blocks.classes_.tolist() == whole.classes_.tolist()
    assert blocks.form_ == whole.form_


def test_digests_are_small():
    n = 5000
    y = [{"a", "b"}, "c"] * (n // 2)
    for space, column in (
        (Labels(), y), (Tags(), ["+a -b"] * n), (Rankings(), ["a>b"] * n), (Reals(), np.arange(n)),
        (Vectors(), np.ones((n, 2))), (Tags(), np.ones((n, 2))), (Rankings(), np.ones((n, 4))),
        (Labels(), np.ones((n, 2), bool)),
    ):  # fmt: skip
        assert len(repr(space.summarise(column))) < 2000


def test_arrow_and_pandas_intervals_of_cells():
    assert labels(pa.chunked_array([["a", None], ["b"]])) == (["a", "b"], [[1, 0], [1, 1], [0, 1]])
    assert len(Intervals(pd.IntervalIndex.from_tuples([(0, 1), (2, 3)]))) == 2
    assert labels([Not("a"), "a", "b"])[1] == [[0, 1], [1, 0], [0, 1]]


@pytest.mark.parametrize(
    "cells, mask",
    [
        ([Not(True), Not(True, 1)], [[0, 1, 1], [0, 0, 1]]),
        ([Not(1), Not(True)], [[1, 0, 1], [0, 1, 1]]),
        ([(True, "a"), (1, "a")], [[1, 0, 1], [0, 1, 1]]),
        ([frozenset([True]), frozenset([1])], [[1, 0, 0], [0, 1, 0]]),
    ],
)
def test_cells_that_python_takes_for_equal_are_read_each(cells, mask):
    """True == 1, so Not(True) == Not(1) for a careless comparison of cells."""
    np.testing.assert_array_equal(Labels(classes=[True, 1, "a"]).fit([True]).read(cells).mask, mask)


HOSTILE = [
    None, NAN, pd.NA, pd.NaT, "", "a", "a|b", "!a", "a>b", "+a -b", 1, -1, 0, 2**60, 10**400, 1.5, INF, True, b"a", 1j,
    Decimal("NaN"), (1, 2), ("a", "b"), [1, 2], ["a", "b"], [0, 1], [True, None], [[1, 2]], [], set(), {1, "a"},
    {"a": 1}, {"a": "x"}, Not("a"), np.array(3), np.array([[1, 2]]), DAY, pd.Timestamp("2020-01-01", tz="UTC"),
    np.timedelta64(1, "D"), pd.Interval(0, 1), object, "a\0", [("a", "b"), ("b", "a")], [(1, 2), (3, 4)],
    {None}, np.ma.masked, [1, [2]],
    ["c", {"a", "b"}], [("a", "b", "c")],
]  # fmt: skip
SPACES = [Labels(), Labels(classes=[0, 1, "a"]), Tags(), Tags(["a", "b"]), Rankings(), Rankings(3), Reals(), Vectors()]


@pytest.mark.filterwarnings("ignore:y contains numbers up to:infimum.InfimumWarning")
@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SPACES),
    st.lists(st.integers(0, len(HOSTILE) - 1), min_size=1, max_size=4),
    st.sampled_from(["list", "array", "series", "frame", "rows"]),
)
@pytest.mark.filterwarnings("error")
def test_hostile_cells_are_parsed_or_raise_input_error(space, picks, container):
    cells = [HOSTILE[k] for k in picks]
    y = cells
    if container == "rows":
        y = [list(pair) for pair in zip(cells, cells[::-1])]
    elif container != "list":
        y = pd.Series(cells, dtype=object)
        reverse = y[::-1].reset_index(drop=True)  # of objects, too: pandas 2 converts an array of large integers
        y = {"array": y.to_numpy(), "series": y, "frame": pd.DataFrame({"u": y, "v": reverse})}[container]
    try:
        n = len(space.fit(y).read(y))
    except InputError:
        return
    assert n == len(cells)


def test_dates_of_arrow_are_dates():
    import pyarrow as pa

    day, later = datetime.date(2020, 1, 1), datetime.date(2021, 1, 1)
    space = Labels().fit(pd.Series([day, None, later], dtype=pd.ArrowDtype(pa.date32())))
    assert space.classes_.tolist() == [day, later]
    assert space.read([later, None]).mask.tolist() == [[False, True], [True, True]]


def test_a_later_frame_of_missing_cells_is_still_cells():
    frame = pd.DataFrame({"y": [np.nan, {"round": True}]})
    assert Tags().fit(frame).read(frame[:1]).values.tolist() == [[0]]
    assert Tags(["red", "round"]).fit(frame).read(pd.DataFrame({"y": [np.nan, np.nan]})).values.tolist() == [[0, 0]] * 2


def test_a_frame_of_one_empty_column_tells_nothing_whatever_its_name():
    empty = pd.DataFrame({"y": [np.nan, np.nan]})
    for known in ([{"red"}, {"round"}], pd.DataFrame({"red": [1, -1], "round": [0, 1]})):
        space = Tags().fit(known)
        assert space.read(empty).is_unlabelled.all()
    with pytest.raises(InputError, match="y contains no tags"):
        Tags().fit(empty)


def test_arrow_scalars_and_map_columns_are_read_as_python_objects():
    assert labels(list(pa.array(["a", None, "a|b"]))) == (["a", "b"], [[1, 0], [1, 1], [1, 1]])
    maps = pa.array([[("a", True)], [("b", False)], None], pa.map_(pa.string(), pa.bool_()))
    expected = (["a", "b"], [[1, 0], [0, -1], [0, 0]])
    assert (
        tags(maps) == tags(pa.table({"y": maps})) == tags(pd.Series(maps, dtype=pd.ArrowDtype(maps.type))) == expected
    )
    with pytest.raises(InputError, match="row 0: a key of the map occurs twice"):
        Tags().fit(pa.array([[("a", True), ("a", False)]], maps.type))


def test_record_batches_and_wide_integers_are_columns():
    assert labels(pa.record_batch({"y": ["a", "b"]})) == (["a", "b"], [[1, 0], [0, 1]])
    assert numbers(pa.record_batch({"lower": [1.0, 2], "upper": [2.0, 3]})) == ["[1, 2]", "[2, 3]"]
    assert labels(pl.Series([1, 2, 2**70], dtype=pl.Int128))[0] == [1, 2, 2**70]


def test_whole_numbers_that_floats_cannot_tell_apart_stay_different():
    assert labels([2**53, 2**53 + 1, 3.0])[0] == [3, 2**53, 2**53 + 1]


def test_one_name_in_two_encodings_of_letters_is_one_name():
    composed, decomposed = "caf\u00e9", "cafe\u0301"
    assert labels([composed, decomposed, "b"])[1] == [[0, 1], [0, 1], [1, 0]]
    assert labels([{composed, "b"}, decomposed]) == (["b", composed], [[1, 1], [0, 1]])
    assert tags([f"+{composed} +b", f"-{decomposed}"])[1] == [[1, 1], [0, -1]]
    assert codes([f"b > {decomposed}", f"{composed} > b"])[1] == [[1], [-1]]
    assert Labels().fit([decomposed, "b"]).classes_.tolist() == ["b", decomposed]  # as it is written in y


def test_messages_quote_at_most_200_characters_of_a_cell():
    long = "a" * 5000
    cells = [
        (Labels(classes=["a"]), long), (Labels(), f"a|!{long}"), (Tags(), f"+{long} -{long}"), (Tags(), f"+-{long}"),
        (Reals(), long), (Reals(), [[long] * 99] * 99), (Rankings(), f"{long}>>{long}"), (Labels(), [[long] * 50] * 9),
    ]  # fmt: skip
    for space, cell in cells:
        with pytest.raises(InputError) as caught:
            space.fit([cell, cell]).read([cell, cell])
        assert max(map(len, caught.value.rows.values() or [str(caught.value)])) < 500
    assert shown(10**5000) == "an integer of 5001 digits"
