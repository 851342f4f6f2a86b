"""What y may look like for tags, the remedies for one-sided tags, and Hamming balls."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from infimum import HammingBalls, InfimumWarning, PartialMultilabelClassifier, PartialTags
from infimum.outputs import Tags
from infimum.solvers import ClosedForm
from small_search import SMALL_SEARCH

EXPECTED = [[1, -1], [0, 1], [0, 0]]


@pytest.mark.parametrize(
    "y",
    [
        [{"red": True, "round": False}, {"round": True}, None],
        ["+red -round", "round", ""],
        [{"red": 1, "round": 0}, {"red": None, "round": 1}, {}],
        pd.DataFrame({"red": [1, np.nan, 0], "round": [-1, 1, np.nan]}),
        pl.DataFrame({"red": [1, None, 0], "round": [-1, 1, None]}),
    ],
    ids=["dicts", "text", "numbers", "pandas", "polars"],
)
def test_named_forms_agree(y):
    space = Tags().fit(y)
    assert space.tags_.tolist() == ["red", "round"]
    assert space.read(y).values.tolist() == EXPECTED


@pytest.mark.parametrize(
    "y", [EXPECTED, np.array(EXPECTED), np.array([[1, -1], [np.nan, 1], [0, np.nan]]), PartialTags(EXPECTED)]
)
def test_array_forms_agree(y):
    assert Tags().fit(y).read(y).values.tolist() == EXPECTED


def test_booleans_are_fully_known_and_come_back_as_booleans():
    X, y = np.eye(2), np.array([[True, False], [False, True]])
    model = PartialMultilabelClassifier().fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert model.predict(X).dtype == bool
    assert model.score(X, y) == 1


@pytest.mark.parametrize(
    "y, message",
    [
        ([["red"], [0, 1]], r"row 1: a row of 2 numbers beside other rows, got \[0, 1\]"),
        (np.array([[1, 2], [0, 1]]), r"row 0: expected 1, -1, 0 or NaN, got 2"),
        (["+red -red", "+round"], "row 0: the tag 'red' is both present and absent"),
        ([{"red": True}, 5], "row 1: expected tags, got 5"),
        (np.array([1, -1]), r"Got shape \(2,\)"),
        ([None, None], "y contains no tags"),
    ],
)
def test_bad_rows(y, message):
    with pytest.raises(ValueError, match=message):
        Tags().fit(y).read(y)


def test_unknown_tags_are_refused():
    space = Tags(["red", "round"]).fit([])
    with pytest.raises(ValueError, match="row 0: unknown tag 'blue'"):
        space.read(["+blue"])
    with pytest.warns(InfimumWarning, match=r"1 row of y contains tags that did not occur in fit: 'blue' \(rows: 1\)"):
        assert space.read(["+blue +red"], strict=False).values.tolist() == [[1, 0]]


def test_positive_only_tags_warn_and_have_two_remedies():
    """App. B.3.1: without negative tags, giving every tag costs nothing; top-k and tag_cost mend it."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 2))
    truth = np.where(X @ np.array([[1.0, -1, 0.5], [0, 1, 1]]) > 0, 1, -1)
    y = np.where((truth == 1) & (rng.random(truth.shape) < 0.7), 1, 0)
    with pytest.warns(InfimumWarning, match="No tag of y is ever absent.*n_tags=.*tag_cost="):
        naive = PartialMultilabelClassifier(search_config=SMALL_SEARCH).fit(X, y)
    assert (naive.predict(X) == 1).mean() > 0.7
    top = PartialMultilabelClassifier(n_tags=1, search_config=SMALL_SEARCH).fit(X, y).predict(X)
    assert ((top == 1).sum(axis=1) == 1).all()
    assert truth[top == 1].mean() > 0.6
    mended = PartialMultilabelClassifier(tag_cost=0.35, search_config=SMALL_SEARCH).fit(X, y)
    assert (mended.predict(X) == truth).mean() > (naive.predict(X) == truth).mean() + 0.1
    scores = mended.decision_function(X)
    np.testing.assert_array_equal(mended.predict(X) == 1, scores > 0)


def test_one_sided_negative_tags_warn_too():
    with pytest.warns(InfimumWarning, match="ever present"):
        PartialMultilabelClassifier().fit(np.eye(2), [[-1, 0], [0, -1]])


def test_ball_center_is_exact_over_the_ball(rng):
    space = Tags(6).fit([])
    balls = HammingBalls(rng.choice([-1, 1], (7, 6)), range(7))
    Y = space.outputs()
    for i, center in enumerate(balls.center()):
        members = Y[(balls.centers[i] != Y).sum(axis=1) <= i]
        np.testing.assert_allclose(center[:-1], members.mean(axis=0) / 2, atol=1e-12)


def test_bad_balls():
    with pytest.raises(ValueError, match=r"row 1: the center of a ball must be in \{-1, 1\}, got \[1, 0\]"):
        HammingBalls([[1, 1], [1, 0]], 1)
    with pytest.raises(ValueError, match="row 0: the radius of a ball must be a number >= 0, got -1"):
        HammingBalls([[1, 1], [1, -1]], [-1, 1])


def test_a_solver_that_cannot_says_who_can():
    model = PartialMultilabelClassifier.paper(solver=ClosedForm())
    with pytest.raises(
        ValueError,
        match=r"ClosedForm cannot minimise the <infimum loss over <Ham.*can: Enumerate, Alternate\.",
    ):
        model.fit(np.eye(2), HammingBalls([[1, 1, -1], [1, -1, 1]], 1))
    with pytest.raises(ValueError, match="Got 'magic' instead"):
        PartialMultilabelClassifier.paper(solver="magic").fit(np.eye(2), [[1, -1], [-1, 1]])


def test_thousands_of_tags(rng):
    """2^m is beyond floating point from m = 1024 on."""
    X, y = rng.standard_normal((5, 2)), rng.integers(-1, 2, size=(5, 1500))
    assert PartialMultilabelClassifier().fit(X, y).predict(X).shape == (5, 1500)
