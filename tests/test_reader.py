"""One reader of y: the form is settled once, names bind, types are kept, what is ambiguous is refused."""

import datetime
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from infimum import (
    HammingBalls,
    Intervals,
    Not,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialOrders,
    PartialRanker,
    PartialTags,
    Subsets,
    Taxonomy,
    metrics,
)
from infimum.outputs import Annuli, Balls, Boxes, Candidates, Labels, Masks, OutputSpace, Rankings, Reals, Tags, Vectors
from infimum.outputs.forms import InputError

NAN, INF = float("nan"), float("inf")


def labels(y, **settings):
    space = Labels(**settings).fit(y)
    return space.classes_.tolist(), space.read(y).mask.astype(int).tolist()


def tags(y, **settings):
    space = Tags(**settings).fit(y)
    return space.tags_.tolist(), space.read(y).values.tolist()


def codes(y, **settings):
    space = Rankings(**settings).fit(y)
    return space.items_.tolist(), space.read(y).codes.tolist()


def numbers(y, **settings):
    space = Reals(**settings).fit(y)
    sets = space.read(y)
    return [sets.text(row) for row in range(len(sets))]


def parts(y):
    """y cut in two."""
    k = len(y) // 2
    cut = (lambda rows: y.iloc[rows]) if hasattr(y, "iloc") else (lambda rows: y[rows])
    return cut(slice(None, k)), cut(slice(k, None))


# --- one form, settled once -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "space, y, says",
    [
        (Labels(), [[True, False, True], [False, True, True]], "candidate mask, one boolean column a class"),
        (Labels(), ["a|b", "c"], "labels, one entry a row"),
        (
            Tags(),
            [[True, None], [False, True]],
            "table of booleans, one column a tag; False is absent, missing is unknown",
        ),
        (Tags(), ["+a", "-b"], "tags, one entry a row"),
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
    form = space.settle(space.merge(space.digest(first), space.digest(second))).form_
    assert form == space.fit(y).form_
    with pytest.raises(AttributeError):
        form.kind = "other"


def test_ranks_or_codes_is_decided_for_the_column_not_for_the_batch():
    """REVIEW A6, E8."""
    R = np.array([[0, 1, 2]] * 2 + [[1, 0, 0]] * 3 + [[2, 1, 0]] * 3)
    space = Rankings().fit(R)
    whole = space.read(R).codes
    for rows in (slice(2, 5), slice(0, 2), [3], slice(0, 0)):
        np.testing.assert_array_equal(space.read(R[rows]).codes, whole[rows])
    blocks = Rankings()
    blocks.settle(blocks.merge(blocks.digest(R[2:5]), blocks.merge(blocks.digest(R[:2]), blocks.digest(R[5:]))))
    np.testing.assert_array_equal(blocks.read(R[2:5]).codes, whole[2:5])
    X = np.arange(8.0)[:, None]
    model = PartialRanker.paper().fit(X, R)
    assert model.score(X[2:5], R[2:5]) == pytest.approx(model.score(X[2:5], PartialOrders.from_ranks(R[2:5])))


def test_ranks_or_codes_is_refused_with_both_readings_and_the_way_out_works():
    y = np.array([[1, 0, 1], [0, 1, 1]])
    for space in (Rankings(), Rankings(3), Rankings(["a", "b", "c"])):
        with pytest.raises(InputError) as refusal:
            space.fit(y).read(y)
        assert "row 0: [1, 0, 1] as ranks says 1>0, 1>2; as codes 0>1, 1>2" in str(refusal.value)
        assert "PartialOrders.from_ranks(y) for ranks (1 is first), PartialOrders(y) for codes" in str(refusal.value)
    assert codes(PartialOrders.from_ranks(y))[1] == [[-1, 0, 1], [1, 1, 0]]
    assert codes(PartialOrders(y))[1] == [[1, 1, 1], [0, 1, 1]]
    with pytest.raises(InputError, match="row 0: an entry that is no code beside negative ones"):
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
            return Subsets(np.eye(2, dtype=bool)[y])

        def psi(self, z):
            return np.eye(2)[z]

        def decode(self, c):
            return np.argmin(c, axis=-1)

    space = Coins().fit([0, 1])
    assert (space.size, space.digest([0]), space.merge(None, None)) == (2, None, None)
    assert space.settle(None) is space
    assert PartialEstimator.paper(Coins()).fit([[0.0], [1.0]], [0, 1]).predict([[1.0]]).tolist() == [1]


# --- labels -----------------------------------------------------------------------------------------------------------


def test_a_candidate_mask_as_a_list(rng):
    """REVIEW E1."""
    mask = np.array([[True, False, True], [False, True, True], [True, True, True]])
    expected = labels(mask)
    assert labels(mask.tolist()) == labels([tuple(row) for row in mask.tolist()]) == expected
    assert labels(pl.Series(mask.tolist())) == labels(pd.Series(mask.tolist())) == expected
    assert labels([*mask.tolist(), None])[1][3] == [1, 1, 1]
    X = rng.standard_normal((3, 2))
    assert (
        PartialClassifier.paper().fit(X, mask.tolist()).predict(X) == PartialClassifier.paper().fit(X, mask).predict(X)
    ).all()
    space = Labels().fit(mask.tolist())
    assert space.read([[1, 0, 0]]).mask.tolist() == [[True, False, False]], "the form is a mask, and so are 0 and 1"


def test_rows_of_bits_are_refused_with_both_readings_and_the_ways_out_work():
    y = [[1, 0, 1], [0, 1, 1]]
    with pytest.raises(InputError) as refusal:
        Labels().fit(y)
    assert "row 0: [1, 0, 1] as a mask allows the classes [0, 2], as candidates the labels [0, 1]" in str(refusal.value)
    assert "Subsets(y)" in str(refusal.value)
    assert labels(Subsets(y)) == ([0, 1, 2], [[1, 0, 1], [0, 1, 1]])
    assert labels([set(row) for row in y]) == ([0, 1], [[1, 1], [1, 1]])
    assert labels([[0, 1], [2, 1]]) == ([0, 1, 2], [[1, 1, 0], [0, 1, 1]]), "a 2 settles it"
    blocks = Labels()
    blocks.settle(blocks.merge(blocks.digest([[0, 1]]), blocks.digest([[2, 1]])))
    assert blocks.read([[0, 1]]).mask.tolist() == [[True, True, False]]
    assert labels([[0, 1], [1, 0]], classes=[0, 1, 2])[1] == [[1, 1, 0]] * 2, "no mask of three classes"
    with pytest.raises(InputError, match="can mean two things"):
        Labels(classes=[0, 1]).fit([]).read([[0, 1]])
    for y in ([True, [True, False]], [[True, False], [True]]):
        with pytest.raises(InputError, match=r"a row of 2 booleans, which is no label"):
            Labels().fit(y)
    with pytest.raises(InputError, match="one boolean column a class"):
        Labels().fit(np.array([[1, 0], [0, 1]]))
    assert labels(np.array([[1, 0], [0, 1]]).astype(bool))[1] == [[1, 0], [0, 1]]


def test_masks_meet_declared_classes():
    """REVIEW B6."""
    mask = np.array([[True, False], [True, True]])
    X = np.eye(2)
    assert PartialClassifier.paper(classes=["cat", "dog"]).fit(X, mask).classes_.tolist() == ["cat", "dog"]
    frame = pd.DataFrame(mask, columns=["dog", "cat"])
    assert labels(frame, classes=["cat", "dog"]) == (["cat", "dog"], [[0, 1], [1, 1]])
    assert labels(Subsets(mask, ["dog", "cat"]), classes=["cat", "dog"])[1] == [[0, 1], [1, 1]]
    space = Labels(classes=["cat", "dog"]).fit([])
    with pytest.raises(InputError, match=r"unknown here: \['owl'\]"):
        space.read(Subsets([[1, 1]], ["cat", "owl"]))
    other = Subsets([[1, 1], [0, 1]], ["cat", "owl"])
    assert space.read(other, strict=False).mask.tolist() == [[True, False], [False, False]]
    negated = Subsets([[1, 0, 0]], ["cat", "dog", "owl"], negated=[True])
    assert space.read(negated, strict=False).mask.tolist() == [[False, True]]
    with pytest.raises(InputError, match="The sets have 3 classes, not 2"):
        space.read(np.ones((1, 3), bool))
    found = Labels(classes=[0, 2]).fit([]).read(np.array([[True, True, False], [False, True, False]]), strict=False)
    assert found.mask.tolist() == [[True, False], [False, False]], "class k is column k"


@pytest.mark.parametrize(
    "frame",
    [
        pl.DataFrame({"a": [True, None], "b": [False, True]}),
        pd.DataFrame({"a": [True, None], "b": [False, True]}),
        pd.DataFrame({"a": [True, None], "b": [False, True]}, dtype="boolean"),
        pd.DataFrame({"a": [True, None], "b": [False, True]}, dtype="bool[pyarrow]"),
        pa.table({"a": [True, None], "b": [False, True]}),
        np.ma.array([[True, True], [False, True]], mask=[[0, 0], [1, 0]])[:, ::-1][:, ::-1],
    ],
    ids=["polars", "objects", "nullable", "Arrow-backed", "Arrow", "masked"],
)
def test_a_missing_candidate_stays_a_candidate(frame):
    """REVIEW E6: unknown rules nothing out."""
    names, mask = labels(frame)
    assert mask[1] == [1, 1]
    assert names in (["a", "b"], [0, 1])


DAY = datetime.date(2020, 1, 1)
DATE = np.array(["2020-01-01", "2021-01-01"], dtype="M8[ns]")


@pytest.mark.parametrize(
    "y, classes",
    [
        ([2**53, 2**53 + 1, NAN], [2**53, 2**53 + 1]),
        (pd.Series([2**53, None, 2**53 + 1], dtype="Int64"), [2**53, 2**53 + 1]),
        (pl.Series([2**53, None, 2**53 + 1]), [2**53, 2**53 + 1]),
        (np.ma.array([2**53, 5, 2**53 + 1], mask=[0, 1, 0]), [2**53, 2**53 + 1]),
        ([10**30, 10**30 + 1], [10**30, 10**30 + 1]),
        (["a", "a\0"], ["a", "a\0"]),
        ([b"a", "é".encode()], [b"a", "é".encode()]),
        ([Decimal(1), Decimal("NaN"), Decimal(2)], [Decimal(1), Decimal(2)]),
        ([DAY, datetime.date(2019, 1, 1)], [datetime.date(2019, 1, 1), DAY]),
        (pd.Series([1, 2, None], dtype="category"), [1, 2]),
        (pl.Series(["a", "b", None], dtype=pl.Enum(["a", "b", "c"])), ["a", "b"]),
        (pd.Series(["a", pd.NA, "b"], dtype="string[pyarrow]"), ["a", "b"]),
        ([{("a", 1), ("b", 2)}], [("a", 1), ("b", 2)]),
    ],
)  # fmt: skip
def test_types_are_kept(y, classes):
    """REVIEW E13."""
    space = Labels().fit(y)
    assert space.classes_.tolist() == classes
    assert [type(label) for label in space.classes_.tolist()] == [type(label) for label in classes]
    sizes = space.read(y).sizes
    assert set(sizes.tolist()) <= {1, len(classes)}


def test_dates_come_back_as_dates():
    for y in (DATE, pd.Series(DATE), pl.Series(DATE), pd.to_datetime(DATE), list(pd.to_datetime(DATE))):
        model = PartialClassifier.paper().fit(np.eye(2), y)
        z = model.predict(np.eye(2))
        assert z.dtype.kind == "M"
        np.testing.assert_array_equal(z.astype("M8[D]"), DATE.astype("M8[D]"))
        assert model.score(np.eye(2), DATE) == model.score(np.eye(2), list(pd.to_datetime(DATE))) == 1
    assert Subsets(np.eye(2, dtype=bool), DATE).classes.dtype.kind == "M"
    assert labels(Subsets(np.eye(2, dtype=bool), DATE))[1] == [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    "y, row",
    [
        ([True, 1, 1], 0),
        (["1", 1, "a"], 1),
        ([np.int64(1), np.str_("1"), 2], 1),
        ([Decimal(1), Decimal(2), 1], 2),
        ([b"a", "a", "b"], 0),
        ([{"a", 1}, "b", "c"], 0),
        ([datetime.datetime(2020, 1, 1), 3, 4], 0),
    ],
)
def test_kinds_are_not_mixed_unless_declared(y, row):
    with pytest.raises(InputError, match=rf"row {row}: a label that is .* where most are .*\nThe labels of y mix"):
        Labels().fit(y)
    flat = [label for cell in y for label in (cell if isinstance(cell, set) else [cell])]
    classes = [flat[k] for k in range(len(flat)) if (type(flat[k]), flat[k]) not in {(type(v), v) for v in flat[:k]}]
    space = Labels(classes=classes).fit(y)
    assert len(space.classes_) == len(classes), "the way out"
    sizes = space.read(y).sizes.tolist()
    assert sizes == [len(cell) if isinstance(cell, set) else 1 for cell in y]


@pytest.mark.parametrize(
    "y, message",
    [
        ([["a", ["b"]], "a"], r"row 0: expected labels among the candidates, got \['a', \['b'\]\]"),
        ([{"a": 1}, "a"], r"row 0: expected a label or candidates, got \{'a': 1\}"),
        ([{"a": 1}], r"row 0: expected a label or candidates, got \{'a': 1\}"),
        (["!", "a"], "row 0: an exclusion of nothing"),
        ([{"a", None}, "b"], "row 0: a missing value among the candidates"),
        (np.array(3), "Got a single 3"),
        ({"a", "b"}, "one entry a row"),
        (pl.LazyFrame({"a": [1]}), r"collect\(\)"),
        (sparse.csr_matrix([[3, 0], [0, 1]]), "row 0: expected True or False .* got 3"),
        (sparse.coo_matrix(([1, 1, 1], ([0, 0, 1], [0, 0, 1]))), "row 0: .* got 2\n.*come twice are summed"),
        (sparse.csr_matrix([[NAN, 0], [0, 1]]), "row 0: .* got nan"),
        (sparse.csc_matrix([[1, 0], [-1, 0.5]]), "1 row of y.*\n  row 1: .* got -1.*got 0.5"),
        (pd.DataFrame([[True, False]], columns=["a", "a"]), "different names. Twice: a"),
    ],
)
def test_labels_that_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        Labels().fit(y).read(y)


@pytest.mark.parametrize(
    "classes, message", [("ab", "One name alone is"), (["a", None], "missing one"), (3, "list of names")]
)
def test_classes_that_are_refused(classes, message):
    with pytest.raises(InputError, match=message):
        Labels(classes=classes).fit(["a"])
    assert Labels(classes=(c for c in "ba")).fit(["a"]).classes_.tolist() == ["b", "a"]
    assert Labels(classes={"b", "a"}).fit(["a"]).classes_.tolist() == ["a", "b"]


def test_a_row_counts_once():
    with pytest.raises(InputError, match=r"^1 row of y.*\n  row 0: unknown label 'x', 'y', got 'x\|y'\n"):
        Labels(classes=["a"]).fit([]).read(["x|y"])


def test_subsets_check_what_they_are_given():
    """REVIEW A4, E10."""
    given_matrix = sparse.csr_matrix(np.array([[1, 0], [0, 1]]))
    given_matrix.data[:] = [1, 0]
    Subsets(given_matrix, negated=[True, True])
    assert given_matrix.nnz == 2, "the caller's matrix is left alone"
    for listed, message in [
        ([[1, -1], [-1, 1]], r"2 rows of y.*\n  row 0: expected True or False"),
        (sparse.csr_matrix([[3, 0], [0, 1]]), "row 0: .* got 3"),
        (np.array([True, False]), "one column a class"),
        ([["a", "b"]], "row 0"),
    ]:
        with pytest.raises(InputError, match=message):
            Subsets(listed)
    with pytest.raises(InputError, match=r"negated must have one boolean a row, shape \(2,\)"):
        Subsets([[1, 0], [0, 1]], negated=[True])
    with pytest.raises(InputError, match=r"need 2 classes\. Got 1"):
        Subsets([[1, 0], [0, 1]], classes=["a"])
    with pytest.raises(InputError, match="classes must be distinct"):
        Subsets([[1, 0], [0, 1]], classes=["a", "a"])
    twice = sparse.coo_matrix(([True, True], ([0, 0], [0, 0])), shape=(1, 2))
    assert Subsets(twice).sizes.tolist() == [1]
    assert Subsets(pd.DataFrame({"a": [True], "b": [False]})).classes.tolist() == ["a", "b"]
    for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
        matrix = sparse.csr_array(np.array([[1, 0], [0, 1]])).asformat(kind)
        assert Subsets(matrix).mask.tolist() == [[True, False], [False, True]]


def test_unseen_labels_cost_what_they_can():
    """REVIEW A5: no NaN."""
    cost = np.array([[0.0, 3.0], [1.0, 0.0]])
    sets = Labels(cost).fit(["a", "b"]).read(["c", "a"], strict=False)
    for principle in ("infimum", "average", "supremum"):
        assert np.asarray(sets.embed(principle).phi)[0].tolist() == [3, 1]
    assert np.isfinite(sets.center()).all()


def test_taxonomies():
    """REVIEW E13."""
    assert Taxonomy({"animal": {"mammal": "cat"}}).classes() == ["cat"]
    assert Taxonomy({"animal": ("cat", "dog")}).classes() == ["cat", "dog"]
    assert Taxonomy({"animal": {"mammal": ["cat", {"dog": ["pug"]}]}}).classes() == ["cat", "pug"]
    for tree in ([["a", None]], {"a": {"b": [["c"]]}}, [3], [""], "abc"):
        with pytest.raises(InputError):
            Taxonomy(tree)


# --- tags -------------------------------------------------------------------------------------------------------------


def test_tag_frames_go_by_name(rng):
    """REVIEW E3."""
    X = rng.standard_normal((30, 2))
    F = pd.DataFrame(np.where(X > 0, 1, -1), columns=["a", "b"])
    model = PartialMultilabelClassifier.paper().fit(X, F)
    assert model.score(X, F) == model.score(X, F[["b", "a"]]) == model.score(X, pl.DataFrame(F)[["b", "a"]])
    assert tags(F, tags=["b", "a"])[1] == F[["b", "a"]].to_numpy().tolist()
    space = Tags().fit(F)
    for frame, message in [(F[["a"]], "Missing: 'b'"), (F.assign(c=1), "Unknown: 'c'")]:
        with pytest.raises(InputError, match=message):
            space.read(frame)
    blocks = Tags()
    blocks.settle(blocks.merge(blocks.digest(F), blocks.digest(F[["b", "a"]])))
    np.testing.assert_array_equal(blocks.read(F[["b", "a"]]).values, F)
    with pytest.raises(InputError, match=r"Unknown: 'a', 'b'. Columns without names, y.to_numpy\(\), go by position"):
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
    """REVIEW E5, E6, G."""
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
        space.settle(space.merge(space.digest(y), space.digest(y.astype(int))))
    with pytest.raises(InputError, match="tags must be distinct"):
        Tags(["a", "a"]).fit([])


def test_constructors_of_tags():
    assert PartialTags([[1, None], [NAN, -1]]).values.tolist() == [[1, 0], [0, -1]]
    for build, message in [
        (lambda: PartialTags([1, 0]), "one column a tag"),
        (lambda: HammingBalls([1, -1], 1), "one column a tag"),
        (lambda: HammingBalls([[1, None]], 1), r"row 0: the center of a ball must be in \{-1, 1\}, got \[1, None\]"),
        (lambda: HammingBalls([[1, -1]], [1, 2]), r"one a row: shape \(1,\)"),
    ]:
        with pytest.raises(InputError, match=message):
            build()


# --- orders -----------------------------------------------------------------------------------------------------------


def test_items_of_orders_go_by_name():
    """REVIEW E7."""
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
    assert PartialRanker.paper(items=["c", "b", "a"]).fit(X, F).predict(X)[0].tolist() == ["a", "b", "c"]


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
        (["a=b>c"], "row 0: expected items between '>'"),
        ([[1, 2], ["1", "3"]], "The items 1 and '1' of y print alike"),
        ([[("a", "b", "c")]], "row 0: a tuple is a pair beside pairs only"),
        ([("a", "b", "c")], r"row 0: a tuple is no order: \[\('a', 'b'\)\] is a pair"),
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
        (lambda: PartialOrders([[1]], items=["a"]), "order 2 items, and 1 names"),
        (lambda: PartialOrders([[1]], items=["a", "a"]), "items must be distinct"),
    ],
)
def test_constructors_of_orders(build, message):
    with pytest.raises(InputError, match=message):
        build()


# --- numbers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "y, expected",
    [
        (pd.DataFrame({"lower": [0, ">30"], "upper": [10, None]}), ["[0, 10]", "[30, inf]"]),
        (pd.DataFrame({"lower": ["", "1"], "upper": ["20", "<2"]}), ["[-inf, 20]", "[1, 2]"]),
        (pd.DataFrame({"upper": [2, 3], "lower": [0, 1]}), ["[0, 2]", "[1, 3]"]),
        (pl.DataFrame({"a": [1, None], "b": [2.5, 3]}), ["[1, 2.5]", "[-inf, 3]"]),
        (np.array([["1", "2"], ["", "3"]]), ["[1, 2]", "[-inf, 3]"]),
        (np.array([[1, None], [2, 3]], dtype=object), ["[1, inf]", "[2, 3]"]),
        (np.ma.array([[1.0, 2], [3, 4]], mask=[[0, 1], [0, 0]]), ["[1, inf]", "[3, 4]"]),
        (np.ma.array([1.0, 2, 3], mask=[0, 1, 0]), ["1", "[-inf, inf]", "3"]),
        ([(1, None), [2, NAN], (None, 3), (None, None)], ["[1, inf]", "[2, inf]", "[-inf, 3]", "[-inf, inf]"]),
        ([{1, "2"}, {1, (2, 3)}], ["1 | 2", "1 | [2, 3]"]),
        ([pd.NaT, 1.0, pd.NA], ["[-inf, inf]", "1", "[-inf, inf]"]),
        ([Decimal("1.5"), Decimal("NaN")], ["1.5", "[-inf, inf]"]),
        (pd.Series(pd.arrays.IntervalArray.from_tuples([(0, 1), None])), ["[0, 1]", "[-inf, inf]"]),
        (pl.Series([[1.0, 2.0], [3.0, None], None]), ["[1, 2]", "[3, inf]", "[-inf, inf]"]),
        (pd.Series([1, None], dtype="Int64"), ["1", "[-inf, inf]"]),
        (pd.Series([1.5, None], dtype="float64[pyarrow]"), ["1.5", "[-inf, inf]"]),
    ],
)
def test_forms_of_numbers(y, expected):
    """REVIEW E4, G."""
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
        ([1e-200, 2e-200], "no room in floating point. Rescale y"),
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


# --- vectors, masks, metrics ------------------------------------------------------------------------------------------


def test_bounds_end_vectors():
    """REVIEW B11, E13."""
    boxes = Boxes([[0.0, 1.0]], [[INF, 1.0]])
    with pytest.raises(InputError, match=r"give bounds=\(low, high\): rows end there"):
        boxes.center()
    sets = Vectors(bounds=(0, 10)).fit(boxes).read(boxes)
    assert np.asarray(sets).tolist() == [[[0, 10], [1, 1]]]
    assert np.isfinite(sets.center()).all()
    for y in (boxes, Balls([[0.0, 0.0]], 1.0), Candidates([[[0.0, 0.0], [1.0, 1.0]]]), [[0.0, 1.0]]):
        with pytest.raises(InputError, match=r"row 0: .*outside of bounds \[100.0, 100.0\] to \[200.0, 200.0\]"):
            Vectors(bounds=(100, 200)).fit(y)
    points = Candidates([[[0.0, 0.0], [5.0, 5.0]], [[1.0, 1.0]]])
    assert len(Vectors(bounds=(0, 2)).fit(points).read(points).points) == 2
    space = Vectors(bounds=([0, 1], None)).fit(boxes)
    assert (space.low_.tolist(), space.high_.tolist()) == ([0, 1], [0, 1])
    with pytest.raises(InputError, match="no room"):
        Vectors().fit([[0.0], [1e-200]])


def test_vector_frames_go_by_name():
    F = pd.DataFrame({"u": [0.0, 1.0], "v": [2.0, None]})
    space = Vectors().fit(F)
    np.testing.assert_array_equal(np.asarray(space.read(F[["v", "u"]])), np.asarray(space.read(F)))
    blocks = Vectors()
    blocks.settle(blocks.merge(blocks.digest(F[["v", "u"]]), blocks.digest(F)))
    assert (blocks.low_.tolist(), blocks.high_.tolist()) == ([2, 0], [2, 1])
    with pytest.raises(InputError, match="Missing: 'v'"):
        space.read(F[["u"]])
    y = [[[0, 1], [2, 3]], [[1, 2], [3, 4]]]
    with pytest.raises(InputError, match=r"bounds of 2 coordinates or 2 points in the plane"):
        Vectors().fit(y)
    assert Vectors().fit(Boxes(*np.moveaxis(np.array(y), -1, 0))).high_.tolist() == [2, 4]
    assert Vectors().fit(Candidates(y)).high_.tolist() == [3, 4]


@pytest.mark.parametrize(
    "build, message",
    [
        (lambda: Boxes([["a"]], [[1]]), "lower must be an array of numbers"),
        (lambda: Balls([0.0, 1.0], 1), r"\(n, m\) centers"),
        (lambda: Balls([[0.0]], [1, 2]), "one radius or one a row"),
        (lambda: Annuli([1.0, 1.0], [2.0, 2.0], center=[[0.0, 0.0]] * 3), "inner and outer have shape"),
        (lambda: Candidates([[[0, 1], [1]], [[0, 1]]]), "row 0: expected points of equally many coordinates"),
        (lambda: Masks((1, 2)).fit(None).read([[1, 0, 1]]), "have 2 pixels. Got 3"),
        (lambda: Masks((1, 2)).fit(None).read([[1, 5]]), "row 0: expected 1, -1 or 0 for every pixel, got 5"),
    ],
)
def test_constructors_of_vectors_and_masks(build, message):
    with pytest.raises(InputError, match=message):
        build()


def test_one_phase_for_one_amplitude():
    """REVIEW G: inner and outer may be numbers."""
    assert Annuli(1.0, 2.0, phase=(6, 2)).shape == (1,)
    assert Annuli([1.0, 1.0], 2.0, phase=(6, 2)).shape == (2,)


def test_r2_forgives_rounding_and_checks_weights():
    """REVIEW A12, E13, G."""
    assert metrics.r2([(0, 0.3)], [0.1 + 0.2]) == 1
    assert metrics.r2([(0, 0.3)], [0.31]) == 0
    for weights, message in [
        ([-1, 1, 1], "row 0: expected a number >= 0, got -1"),
        ([0, 0, 0], "nothing to score"),
        ([1, 1], r"one number for each of the 3 rows. Got shape \(2,\)"),
        ([1, NAN, 1], "row 1"),
        (["a", 1, 1], "must be numbers"),
    ]:
        for score in (metrics.r2, metrics.share_inside, metrics.mean_squared_distance):
            with pytest.raises(InputError, match=message):
                score([1.0, 2.0, 4.0], [1.0, 2.0, 3.0], weights)
    with pytest.raises(InputError, match="all have the weight 0"):
        metrics.wrong_pairs(["a>b", None], [["a", "b"], ["b", "a"]], sample_weight=[0, 1])
    with pytest.raises(InputError, match="row 0: expected finite numbers"):
        metrics.r2([1.0], [NAN])


# --- containers do not matter -----------------------------------------------------------------------------------------

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
    blocks.settle(blocks.merge(blocks.digest(cells[:cut]), blocks.digest(cells[cut:])))
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
        assert len(repr(space.digest(column))) < 2000


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


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SPACES),
    st.lists(st.integers(0, len(HOSTILE) - 1), min_size=1, max_size=4),
    st.sampled_from(["list", "array", "series", "frame", "rows"]),
)
@pytest.mark.filterwarnings("error")
def test_hostile_cells_are_read_or_refused_in_our_own_words(space, picks, container):
    cells = [HOSTILE[k] for k in picks]
    y = cells
    if container == "rows":
        y = [list(pair) for pair in zip(cells, cells[::-1])]
    elif container != "list":
        y = pd.Series(cells, dtype=object)
        y = {"array": y.to_numpy(), "series": y, "frame": pd.DataFrame({"u": y, "v": y[::-1].to_numpy()})}[container]
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
        assert space.read(empty).is_unknown.all()
    with pytest.raises(InputError, match="y names no tag at all"):
        Tags().fit(empty)
