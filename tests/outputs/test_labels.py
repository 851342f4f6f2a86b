"""What y may look like for labels, and what is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from infimum import CandidateLabels, Not, Taxonomy
from infimum.outputs import Labels

CLASSES = ["cat", "dog", "owl"]
TREE = {"cat": "mammal", "dog": "mammal", "mammal": "animal", "owl": "animal"}


def read(y, **settings):
    space = Labels(**settings).fit(y)
    return space.classes_.tolist(), space.read(y).mask.astype(int).tolist()


@pytest.mark.parametrize(
    "y",
    [
        [{"cat", "dog"}, "dog", Not("cat"), None, ["owl"]],
        ["cat|dog", "dog", "!cat", "", "owl"],
        np.array(["cat|dog", "dog", "!cat", "", "owl"]),
        np.array([frozenset({"cat", "dog"}), "dog", "!cat", np.nan, ("owl",)], dtype=object),
        pd.Series(["cat|dog", "dog", "!cat", None, "owl"]),
        pd.Series(["cat | dog", "dog", "!cat", pd.NA, "owl"]),
        pl.Series(["cat|dog", "dog", "!cat", None, "owl"]),
        pd.DataFrame([[1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]], columns=CLASSES).astype(bool),
        pl.DataFrame({"cat": [1, 0, 0, 1, 0], "dog": [1, 1, 1, 1, 0], "owl": [0, 0, 1, 1, 1]}).cast(pl.Boolean),
        CandidateLabels([[1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]], CLASSES),
        CandidateLabels([[1, 1, 0], [1, 0, 1], [1, 0, 0], [0, 0, 0], [1, 1, 0]], CLASSES, negated=[0, 1, 1, 1, 1]),
    ],
    ids=[
        "python",
        "text",
        "text array",
        "objects",
        "pandas",
        "pandas NA",
        "polars",
        "pandas frame",
        "polars frame",
        "sets",
        "negated",
    ],
)
def test_forms_agree(y):
    assert read(y) == (CLASSES, [[1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1], [0, 0, 1]])


def test_plain_labels_of_every_type():
    assert read(np.array([3, 1, 3])) == ([1, 3], [[0, 1], [1, 0], [0, 1]])
    assert read([3.0, np.nan, 1.0]) == ([1.0, 3.0], [[0, 1], [1, 1], [1, 0]])
    assert read([True, False]) == ([False, True], [[0, 1], [1, 0]])
    assert read([{1, 2}, 3]) == ([1, 2, 3], [[1, 1, 0], [0, 0, 1]])
    mask = np.array([[True, False], [True, True]])
    assert read(mask) == read(sparse.csr_array(mask)) == ([0, 1], [[1, 0], [1, 1]])


def test_integers_stay_integers_beside_missing_ones():
    for y in (pd.Series([3, None, 1], dtype="Int64"), pl.Series([3, None, 1]), pd.DataFrame({"y": [3, 3, 1]})):
        assert Labels().fit(y).classes_.dtype.kind == "i"


def test_declared_classes_keep_their_order_and_their_bars():
    assert read(["b", "a"], classes=["b", "c", "a"]) == (["b", "c", "a"], [[1, 0, 0], [0, 0, 1]])
    assert read(["a|b", "a"], classes=["a", "a|b", "b"]) == (["a", "a|b", "b"], [[0, 1, 0], [1, 0, 0]])


def test_taxonomy_forms_and_nodes():
    nested = {"animal": {"mammal": {"cat": {}, "dog": {}}, "owl": {}}}
    short = {"animal": {"mammal": ["cat", "dog"], "owl": []}}
    paths = ["animal/mammal/cat", ("animal", "mammal", "dog"), ("animal", "owl")]
    for tree in (TREE, nested, short, paths):
        names, mask = read(["mammal", "owl", "animal", Not("mammal"), "mammal|owl"], cost=Taxonomy(tree))
        assert names == CLASSES
        assert mask == [[1, 1, 0], [0, 0, 1], [1, 1, 1], [0, 0, 1], [1, 1, 1]]
    with pytest.raises(ValueError, match="two parents: 'a' and 'b'"):
        Taxonomy([("r", "a", "x"), ("r", "b", "x")])
    with pytest.raises(ValueError, match="cycle: a -> b -> a"):
        Taxonomy({"a": "b", "b": "a"})
    with pytest.raises(ValueError, match="empty"):
        Taxonomy({})


def test_cost_as_a_frame_follows_its_names():
    cost = pd.DataFrame([[0, 1, 2], [3, 0, 4], [5, 6, 0]], index=["owl", "cat", "dog"], columns=["owl", "cat", "dog"])
    space = Labels(cost, classes=CLASSES).fit(["cat"])
    assert space.cost_.tolist() == [[0, 4, 3], [6, 0, 5], [1, 2, 0]]
    shuffled = cost.loc[["dog", "owl", "cat"]]
    assert Labels(shuffled, classes=CLASSES).fit(["cat"]).cost_.tolist() == space.cost_.tolist()


@pytest.mark.parametrize(
    "cost, message",
    [
        (np.zeros((2, 3)), r"square matrix.*Got shape \(2, 3\)"),
        (np.zeros((2, 2)), r"cost is 2 x 2 and y names 3 classes: \['cat', 'dog', 'owl'\]"),
        ([[0, np.nan], [1, 0]], "finite"),
        ("hinge", "Got 'hinge' instead"),
        (pd.DataFrame([[0, 1], [1, 0]], index=["a", "b"], columns=["a", "c"]), "same classes in rows and columns"),
    ],
)
def test_bad_costs(cost, message):
    with pytest.raises(ValueError, match=message):
        Labels(cost).fit(CLASSES)


@pytest.mark.parametrize(
    "y, message",
    [
        ([{"cat"}, set(), "dog"], r"1 row of y cannot be used.\n  row 1: an empty set of candidates, got set\(\)"),
        (["!cat|dog", "cat", "dog"], r"row 0: an empty set: all classes are excluded"),
        (["cat", 3, "dog"], r"row 1: got 3 \(number\), but most labels are text\ny mixes label types"),
        (["", None], "y contains no classes"),
        ([0.5, 1.0], r"row 0: Unknown label type: continuous\. Got 0.5\n.*PartialRegressor"),
        ([np.inf, 1.0], "infinity"),
        ("cat", "one entry per row"),
        (None, "requires y to be passed"),
        (pd.DataFrame({"a": [1, 2], "b": [3, 4]}), "one boolean column per class"),
        (np.zeros((2, 3), int), r"1d array, got an array of shape.*one boolean column per class: y\.astype\(bool\)"),
        (np.zeros((2, 3), bool), r"2 rows of y.*\n  row 0: an empty set of candidates \(also row 1\)"),
    ],
)
def test_bad_rows(y, message):
    with pytest.raises(ValueError, match=message):
        read(y)


def test_bad_rows_are_refused_together_ten_shown():
    space = Labels(classes=CLASSES).fit([])
    y = ["cat"] + [f"cow|dog|{'new' * k}" for k in range(1, 15)]
    with pytest.raises(ValueError) as error:
        space.read(y)
    lines = str(error.value).splitlines()
    assert lines[0] == "14 rows of y cannot be used."
    assert lines[1].startswith("  row 1: unknown label")
    assert lines[11] == "  (and 4 more rows)"
    assert lines[12].startswith("The classes are 'cat', 'dog', 'owl'. A row of y is a label")
    assert space.read(["cow", "cow|dog"], strict=False).mask.tolist() == [[False] * 3, [False, True, False]]


def test_many_classes_stay_sparse():
    """10,000 classes, a handful of candidates, unknown rows and exclusions: nothing of size n x m is kept."""
    n, m = 20_000, 10_000
    rng = np.random.default_rng(0)
    y = [set(row) for row in rng.integers(m, size=(n - 2, 4)).tolist()] + [None, Not(3)]
    space = Labels(classes=range(m)).fit(y)
    sets = space.read(y)
    for principle in ("infimum", "average", "supremum"):
        phi, constant = sets.embed(principle)
        assert phi.nnz <= 4 * n
    phi, constant = sets.embed("infimum")
    row = constant[-1] + phi[[n - 1]].toarray().ravel()
    assert row[3] == 1
    assert row.sum() == 1


@given(st.lists(st.one_of(st.none(), st.sets(st.integers(0, 5), min_size=1)), min_size=1, max_size=8))
def test_text_and_python_say_the_same(rows):
    space = Labels(classes=[str(k) for k in range(6)]).fit([])
    python = [None if row is None else {str(k) for k in row} for row in rows]
    text = ["" if row is None else "|".join(str(k) for k in row) for row in rows]
    np.testing.assert_array_equal(space.read(python).mask, space.read(text).mask)
    excluded = [Not("9") if row is None else Not(*row) for row in rows]
    assert [set(a) for a in np.array(space.read(python))] == [
        {str(k) for k in range(6)} if row is None else {str(k) for k in row} for row in rows
    ]
    assert repr(excluded[0]).startswith("Not(")


def test_duplicate_classes_are_refused():
    with pytest.raises(ValueError, match="classes must be distinct"):
        Labels(classes=["a", "b", "a"]).fit([])


def test_contains_and_repr():
    sets = Labels(classes=CLASSES).fit([]).read(["cat|dog", Not("cat"), None])
    assert sets.contains(np.array([0, 0, 0])).tolist() == [True, False, True]
    assert repr(sets) == "<CandidateLabels of 3 classes: 3 rows, 0 % exact, 2.33 candidates on average>"
    with pytest.raises(ValueError, match="requires at least one label"):
        Not()
    assert Not("a", "b") == Not("b", "a") != Not("a")
    assert len({Not("a", "b"), Not("b", "a")}) == 1
