"""What rows of y may look like, and the geometry of unions on R."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infimum import Intervals, PartialRegressor
from infimum.outputs import Reals

INF = math.inf


def pieces(y):
    """The merged pieces of the one row of y."""
    sets = Intervals([y])
    return list(zip(sets.lower.tolist(), sets.upper.tolist()))


@pytest.mark.parametrize(
    "cell, expected",
    [
        (3.5, [(3.5, 3.5)]),
        (np.float32(2), [(2, 2)]),
        ((1, 2), [(1, 2)]),
        ([1, 2], [(1, 2)]),
        ((5, INF), [(5, INF)]),
        ((5, None), [(5, INF)]),
        ((None, 0.1), [(-INF, 0.1)]),
        ([(-2, -1), (1, 2)], [(-2, -1), (1, 2)]),
        ([(1, 2), 5], [(1, 2), (5, 5)]),
        ([(1, 2), (1.5, 3)], [(1, 3)]),
        ([(1, 5), (2, 3), (4, 6)], [(1, 6)]),
        ([(1, 2), (2, 3)], [(1, 3)]),
        ([(3, INF), (-INF, 1)], [(-INF, 1), (3, INF)]),
        ({3, 1}, [(1, 1), (3, 3)]),
        (None, [(-INF, INF)]),
        (math.nan, [(-INF, INF)]),
        (pd.NA, [(-INF, INF)]),
        (pd.Interval(0, 5), [(0, 5)]),
        ("", [(-INF, INF)]),
        ("3.5", [(3.5, 3.5)]),
        ("-2", [(-2, -2)]),
        ("1e-3", [(1e-3, 1e-3)]),
        ("[1,2]", [(1, 2)]),
        ("(1; 2.5]", [(1, 2.5)]),
        ("[0,inf)", [(0, INF)]),
        (">=3", [(3, INF)]),
        ("> 3", [(3, INF)]),
        ("≥3", [(3, INF)]),
        ("<0.1", [(-INF, 0.1)]),
        ("<=-1e9", [(-INF, -1e9)]),
        ("800-1200", [(800, 1200)]),
        ("800 – 1200", [(800, 1200)]),
        ("-2--1", [(-2, -1)]),
        ("1e-3-1e-2", [(1e-3, 1e-2)]),
        ("1 to 2", [(1, 2)]),
        ("1..2", [(1, 2)]),
        ("65+", [(65, INF)]),
        ("5±0.5", [(4.5, 5.5)]),
        ("[-2,-1]|[1,2]", [(-2, -1), (1, 2)]),
        ("<0 | 3 | [5,6]", [(-INF, 0), (3, 3), (5, 6)]),
    ],
    ids=repr,
)
def test_cells(cell, expected):
    assert pieces(cell) == expected


def test_arrays_lists_and_frames_agree():
    bounds = np.array([[1.0, 2.0], [-INF, 0.5], [3.0, 3.0]])
    expected = np.asarray(Intervals(bounds))
    frame = pd.DataFrame(bounds, columns=["lower", "upper"])
    unions = np.concatenate([bounds[:, None], np.full((3, 1, 2), np.nan)], axis=1)
    for other in (
        bounds.tolist(), list(map(tuple, bounds)), frame, pl.DataFrame(bounds, schema=["lower", "upper"]), unions,
        ["[1,2]", "<=0.5", "3"], pd.Series(["[1,2]", "<=0.5", "3"]), pl.Series(["[1,2]", "<=0.5", "3"]),
        np.array(["[1,2]", "<=0.5", "3"]), pd.DataFrame({"y": ["[1,2]", "<=0.5", "3"]}), Intervals(bounds),
    ):  # fmt: skip
        np.testing.assert_array_equal(np.asarray(Reals.unscaled(other)), expected)


def test_mixed_column():
    y = [3.5, (1, 2), (5, INF), (-INF, 0.1), [(-2, -1), (1, 2)], None, ">=3"]
    sets = Intervals(y)
    assert len(sets) == 7
    assert sets.format(4) == "[-2, -1] | [1, 2]"
    assert sets.is_exact.tolist() == [True] + 6 * [False]
    assert sets.is_unlabelled.tolist() == [False] * 5 + [True, False]
    back = Intervals(np.asarray(sets))
    np.testing.assert_array_equal(back.lower, sets.lower)


def test_bad_rows_are_refused_together():
    message = (
        r"(?s)4 rows of y cannot be used\..*row 1: the lower bound is above the upper one, got \(2, 1\)"
        r".*row 3: the lower.*row 5: expected at least one number, got \(inf, inf\)"
    )
    with pytest.raises(ValueError, match=message):
        Intervals([[0, 1], [2, 1], [math.nan, 1], [4, 3], [5, math.nan], [INF, INF], [INF, -INF]])
    message = (
        r"(?s)4 rows of y cannot be used\..*row 1: cannot read 'two'.*row 2: an empty set, got \[\]"
        r".*row 3: expected a pair or a list of pairs, got \[1, 2, 3\]; candidates go into a set.*row 5: .*True"
    )
    with pytest.raises(ValueError, match=message):
        Intervals([1.0, "two", [], [1, 2, 3], "3", True])
    with pytest.raises(ValueError, match=r"row 1: an empty set"):
        Intervals(np.array([[[0, 1]], [[np.nan, np.nan]]]))
    with pytest.raises(ValueError, match=r"row 1: Input y contains infinity as a value"):
        Intervals([1.0, INF])
    with pytest.raises(ValueError, match=r"two columns, lower and upper. Got \['a', 'b', 'c'\]"):
        Intervals(pd.DataFrame(np.zeros((2, 3)), columns=list("abc")))
    with pytest.raises(ValueError, match=r"\(n, 2\) bounds or \(n, k, 2\) unions. Got shape \(2, 3\)"):
        Intervals(np.zeros((2, 3)))


def test_half_lines_refuse_average_and_supremum_by_row():
    y = [1.0, (2, INF), None, (0, 4)]
    for principle in ("average", "supremum"):
        message = rf"(?s)row 1: ≥ 2 is unbounded, so the {principle} is undefined.*row 2: an unlabelled row"
        with pytest.raises(ValueError, match=message):
            PartialRegressor.paper(principle=principle).fit(np.eye(4), y)
    with pytest.raises(ValueError, match="negative_weights='inside'"):
        PartialRegressor.paper(negative_weights="joint").fit(np.eye(4), y)
    # bounds end them
    for principle in ("average", "supremum"):
        z = PartialRegressor.paper(principle=principle, bounds=(0, 10)).fit(np.eye(4), y).predict(np.eye(4))
        assert ((z >= 0) & (z <= 10)).all()


def test_bounds():
    space = Reals(bounds=(0, 10)).fit([(-5, 3), "<20"])
    assert (space.low_, space.high_) == (0, 10)
    np.testing.assert_array_equal(np.asarray(space.read([(-5, 3), "<20"]))[:, 0], [[0, 3], [0, 10]])
    with pytest.raises(ValueError, match=r"row 0: \[11, 12\] lies outside of bounds = \(0, 10\)"):
        space.read([(11, 12)])
    assert (Reals(bounds=(0, None)).fit([1, 3]).low_, Reals(bounds=(0, None)).fit([1, 3]).high_) == (0, 3)
    with pytest.raises(ValueError, match="Pass bounds="):
        Reals().fit([None, None])
    with pytest.raises(ValueError, match=r"low <= high. Got \(2, 1\)"):
        Reals(bounds=(2, 1)).fit([1])
    with pytest.raises(ValueError, match=r"loss must be one of 'squared', 'absolute'. Got 'cubic'"):
        Reals("cubic").fit([1])


def test_average_is_by_length():
    # [0, 1] counts twice as much as [4, 4.5]: (2/3) 1/2 + (1/3) 4.25; points have no length beside an interval
    sets = Intervals([[(0, 1), (4, 4.5)], {1, 2, 6}, [(0, 2), 9]])
    np.testing.assert_allclose(sets.center()[:, 1], [2 / 3 * 0.5 + 1 / 3 * 4.25, 3, 1])
    np.testing.assert_allclose(sets.center()[:, 2], [2 / 3 / 3 + 1 / 3 * (4.25**2 + 0.25 / 12), 41 / 3, 4 / 3])


rows = st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 5)), min_size=1, max_size=6)


@given(st.lists(rows, min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_merging_keeps_every_point_and_leaves_gaps(rows):
    unions = [[(a, a + w) for a, w in row] for row in rows]
    sets = Intervals(unions)
    for z in np.arange(-10, 16, 0.5):
        inside = [any(a <= z <= b for a, b in union) for union in unions]
        assert sets.contains(np.full(len(rows), z)).tolist() == inside
    same_row = np.diff(sets.row) == 0
    assert (sets.lower[1:][same_row] > sets.upper[:-1][same_row]).all()


@given(st.lists(rows, min_size=1, max_size=4), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_argmin_beats_a_grid(rows, seed):
    unions = [[(a, a + w) for a, w in row] for row in rows]
    sets = Intervals(unions, origin=1.0, unit=5.0)
    c = np.random.default_rng(seed).normal(size=(3, len(rows), 3))
    found = np.einsum("knd,knd->kn", c, sets.argmin(c))
    for i, union in enumerate(unions):
        t = (np.concatenate([np.linspace(a, b, 51) for a, b in union]) - 1) / 5
        values = c[:, i, :1] + c[:, i, 1:2] * t + c[:, i, 2:] * t**2
        assert (found[:, i] <= values.min(axis=1) + 1e-12).all()
        assert (found[:, i] >= values.min(axis=1) - 0.02 * np.abs(c[:, i]).sum(axis=1)).all()
