"""Parsing of labels: masks, sets, types that are kept, kinds that are not mixed."""

import datetime
import enum
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from infimum import (
    CandidateLabels,
    PartialClassifier,
    Taxonomy,
)
from infimum.data.errors import InputError
from infimum.outputs import Labels
from parsed import DATE, DAY, NAN, labels


def test_a_candidate_mask_as_a_list(rng):
    mask = np.array([[True, False, True], [False, True, True], [True, True, True]])
    expected = labels(mask)
    assert labels(mask.tolist()) == labels([tuple(row) for row in mask.tolist()]) == expected
    assert labels(pl.Series(mask.tolist())) == labels(pd.Series(mask.tolist())) == expected
    assert labels([*mask.tolist(), None])[1][3] == [1, 1, 1]
    X = rng.standard_normal((3, 2))
    assert (PartialClassifier().fit(X, mask.tolist()).predict(X) == PartialClassifier().fit(X, mask).predict(X)).all()
    space = Labels().fit(mask.tolist())
    assert space.read([[1, 0, 0]]).mask.tolist() == [[True, False, False]], "the form is a mask, and so are 0 and 1"


def test_rows_of_bits_are_refused_with_both_readings_and_the_ways_out_work():
    y = [[1, 0, 1], [0, 1, 1]]
    with pytest.raises(InputError) as refusal:
        Labels().fit(y)
    both = "row 0: [1, 0, 1] as a mask allows the classes [0, 2], and as candidates the labels [0, 1]"
    assert both in str(refusal.value)
    assert "CandidateLabels(y)" in str(refusal.value)
    assert labels(CandidateLabels(y)) == ([0, 1, 2], [[1, 0, 1], [0, 1, 1]])
    assert labels([set(row) for row in y]) == ([0, 1], [[1, 1], [1, 1]])
    assert labels([[0, 1], [2, 1]]) == ([0, 1, 2], [[1, 1, 0], [0, 1, 1]]), "a 2 settles it"
    blocks = Labels()
    blocks.fit_summary(blocks.merge(blocks.summarise([[0, 1]]), blocks.summarise([[2, 1]])))
    assert blocks.read([[0, 1]]).mask.tolist() == [[True, True, False]]
    assert labels([[0, 1], [1, 0]], classes=[0, 1, 2])[1] == [[1, 1, 0]] * 2, "no mask of three classes"
    with pytest.raises(InputError, match="can mean two things"):
        Labels(classes=[0, 1]).fit([]).read([[0, 1]])
    for y in ([True, [True, False]], [[True, False], [True]]):
        with pytest.raises(InputError, match=r"expected a label, got 2 booleans"):
            Labels().fit(y)
    with pytest.raises(InputError, match="one boolean column per class"):
        Labels().fit(np.array([[1, 0], [0, 1]]))
    assert labels(np.array([[1, 0], [0, 1]]).astype(bool))[1] == [[1, 0], [0, 1]]


def test_masks_meet_declared_classes():
    mask = np.array([[True, False], [True, True]])
    X = np.eye(2)
    assert PartialClassifier(classes=["cat", "dog"]).fit(X, mask).classes_.tolist() == ["cat", "dog"]
    frame = pd.DataFrame(mask, columns=["dog", "cat"])
    assert labels(frame, classes=["cat", "dog"]) == (["cat", "dog"], [[0, 1], [1, 1]])
    assert labels(CandidateLabels(mask, ["dog", "cat"]), classes=["cat", "dog"])[1] == [[0, 1], [1, 1]]
    space = Labels(classes=["cat", "dog"]).fit([])
    with pytest.raises(InputError, match=r"unknown here: \['owl'\]"):
        space.read(CandidateLabels([[1, 1]], ["cat", "owl"]))
    other = CandidateLabels([[1, 1], [0, 1]], ["cat", "owl"])
    assert space.read(other, strict=False).mask.tolist() == [[True, False], [False, False]]
    negated = CandidateLabels([[1, 0, 0]], ["cat", "dog", "owl"], negated=[True])
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
    """Unknown rules nothing out."""
    names, mask = labels(frame)
    assert mask[1] == [1, 1]
    assert names in (["a", "b"], [0, 1])


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
    space = Labels().fit(y)
    assert space.classes_.tolist() == classes
    assert [type(label) for label in space.classes_.tolist()] == [type(label) for label in classes]
    sizes = space.read(y).sizes
    assert set(sizes.tolist()) <= {1, len(classes)}


def test_dates_come_back_as_dates():
    for y in (DATE, pd.Series(DATE), pl.Series(DATE), pd.to_datetime(DATE), list(pd.to_datetime(DATE))):
        model = PartialClassifier().fit(np.eye(2), y)
        z = model.predict(np.eye(2))
        assert z.dtype.kind == "M"
        np.testing.assert_array_equal(z.astype("M8[D]"), DATE.astype("M8[D]"))
        assert model.score(np.eye(2), DATE) == model.score(np.eye(2), list(pd.to_datetime(DATE))) == 1
    assert CandidateLabels(np.eye(2, dtype=bool), DATE).classes.dtype.kind == "M"
    assert labels(CandidateLabels(np.eye(2, dtype=bool), DATE))[1] == [[1, 0], [0, 1]]


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
    with pytest.raises(InputError, match=rf"row {row}: got .*, but most labels are .*\ny mixes label types"):
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
        ([{"a": "x"}, "a"], r"row 0: expected a soft label with one probability per class, got \{'a': 'x'\}"),
        ([{"a": 0.5}], r"row 0: probabilities of a soft label must sum to 1, got \{'a': 0.5\} with the sum 0.5"),
        ([{"a": -0.5, "b": 1.5}, "a"], r"row 0: probabilities of a soft label must be finite and at least 0"),
        ([{}, "a"], r"row 0: probabilities of a soft label must sum to 1"),
        (np.array([[0.5, 0.5], [0.5, 0.2]]), r"row 1: expected probabilities that are at least 0 and sum to 1"),
        (["!", "a"], "row 0: '!' without a class"),
        ([{"a", None}, "b"], "row 0: a missing value among the candidates"),
        (np.array(3), "Got only 3"),
        ({"a", "b"}, "one entry per row"),
        (pl.LazyFrame({"a": [1]}), r"collect\(\)"),
        (sparse.csr_matrix([[3, 0], [0, 1]]), "row 0: expected True or False .* got 3"),
        (sparse.coo_matrix(([1, 1, 1], ([0, 0, 1], [0, 0, 1]))), "row 0: .* got 2\n.*sparse entries are summed"),
        (sparse.csr_matrix([[NAN, 0], [0, 1]]), "row 0: .* got nan"),
        (sparse.csc_matrix([[1, 0], [-1, 0.5]]), "1 row of y.*\n  row 1: .* got -1.*got 0.5"),
        (pd.DataFrame([[True, False]], columns=["a", "a"]), "different names. Twice: 'a'"),
    ],
)
def test_labels_that_are_refused(y, message):
    with pytest.raises(InputError, match=message):
        Labels().fit(y).read(y)


@pytest.mark.parametrize(
    "classes, message", [("ab", "For one name, write"), (["a", None], "missing values"), (3, "list of names")]
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
    given_matrix = sparse.csr_matrix(np.array([[1, 0], [0, 1]]))
    given_matrix.data[:] = [1, 0]
    CandidateLabels(given_matrix, negated=[True, True])
    assert given_matrix.nnz == 2, "the caller's matrix is left alone"
    for listed, message in [
        ([[1, -1], [-1, 1]], r"2 rows of y.*\n  row 0: expected True or False"),
        (sparse.csr_matrix([[3, 0], [0, 1]]), "row 0: .* got 3"),
        (np.array([True, False]), "one column per class"),
        ([["a", "b"]], "row 0"),
    ]:
        with pytest.raises(InputError, match=message):
            CandidateLabels(listed)
    with pytest.raises(InputError, match=r"negated must have one boolean per row, shape \(2,\)"):
        CandidateLabels([[1, 0], [0, 1]], negated=[True])
    with pytest.raises(InputError, match=r"need 2 classes\. Got 1"):
        CandidateLabels([[1, 0], [0, 1]], classes=["a"])
    with pytest.raises(InputError, match="classes must be distinct"):
        CandidateLabels([[1, 0], [0, 1]], classes=["a", "a"])
    twice = sparse.coo_matrix(([True, True], ([0, 0], [0, 0])), shape=(1, 2))
    assert CandidateLabels(twice).sizes.tolist() == [1]
    assert CandidateLabels(pd.DataFrame({"a": [True], "b": [False]})).classes.tolist() == ["a", "b"]
    for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia"):
        matrix = sparse.csr_array(np.array([[1, 0], [0, 1]])).asformat(kind)
        assert CandidateLabels(matrix).mask.tolist() == [[True, False], [False, True]]


def test_unseen_labels_cost_what_they_can():
    """No NaN."""
    cost = np.array([[0.0, 3.0], [1.0, 0.0]])
    sets = Labels(cost).fit(["a", "b"]).read(["c", "a"], strict=False)
    for principle in ("infimum", "average", "supremum"):
        assert np.asarray(sets.embed(principle).phi)[0].tolist() == [3, 1]
    assert np.isfinite(sets.center()).all()


def test_taxonomies():
    assert Taxonomy({"animal": {"mammal": "cat"}}).classes() == ["cat"]
    assert Taxonomy({"animal": ("cat", "dog")}).classes() == ["cat", "dog"]
    assert Taxonomy({"animal": {"mammal": ["cat", {"dog": ["pug"]}]}}).classes() == ["cat", "pug"]
    for tree in ([["a", None]], {"a": {"b": [["c"]]}}, [3], [""], "abc"):
        with pytest.raises(InputError):
            Taxonomy(tree)


LEVELS = ["low", "medium", "high"]


@pytest.mark.parametrize("y", [
    pd.Series(pd.Categorical(["high", "low", "low"], LEVELS, ordered=True)),
    pd.Categorical(["high", "low", None], LEVELS, ordered=True),
    pd.DataFrame({"y": pd.Categorical(["high", "low", "low"], LEVELS, ordered=True)}),
    pl.Series(["high", "low", "medium"], dtype=pl.Enum(LEVELS)),
    pl.DataFrame({"y": ["high", "low", "low"]}, schema={"y": pl.Enum(LEVELS)}),
    pa.DictionaryArray.from_arrays(pa.array([2, 0, 0]), pa.array(LEVELS), ordered=True),
    pa.chunked_array([pa.DictionaryArray.from_arrays(pa.array([2, 0, 0]), pa.array(LEVELS), ordered=True)]),
    pd.Series(pd.Categorical(["high", "low|medium", "!low"], [*LEVELS, "low|medium", "!low"], ordered=True)),
])  # fmt: skip
def test_ordinal_costs_take_the_order_of_categories(y):
    space = Labels("ordinal").fit(y)
    assert space.classes_.tolist() == LEVELS
    assert space.cost_.tolist() == [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    if "medium" in np.asarray(y).ravel().tolist():  # without an ordinal cost, classes are sorted, as in scikit-learn
        assert Labels().fit(y).classes_.tolist() == sorted(LEVELS)


def test_ordinal_costs_order_numbers_in_text_by_value_and_refuse_other_text():
    assert Labels("ordinal").fit(["10", "9|11", "1"]).classes_.tolist() == ["1", "9", "10", "11"]
    assert Labels("ordinal").fit(["yes", "no"]).classes_.tolist() == ["no", "yes"]  # |i - j| of two needs no order
    for y in (LEVELS, pd.Categorical(LEVELS), pl.Series(LEVELS, dtype=pl.Categorical)):
        with pytest.raises(
            InputError, match=r"requires the order of the classes, and 'high', 'low', 'medium' have none"
        ):
            Labels("ordinal").fit(y)
    assert Labels("ordinal", classes=LEVELS).fit(LEVELS).classes_.tolist() == LEVELS


def test_chunks_of_categories_must_have_one_order():
    first, second = (pd.Categorical(["low"], order, ordered=True) for order in (LEVELS, LEVELS[::-1]))
    space = Labels("ordinal")
    assert space.fit_summary(space.merge(*[space.summarise(first)] * 2)).classes_.tolist() == LEVELS
    with pytest.raises(InputError, match=r"must have one order\. Got 'low', 'medium', 'high'; 'high', 'medium', 'low'"):
        space.fit_summary(space.merge(space.summarise(first), space.summarise(second)))


def test_costs_must_have_a_zero_diagonal_and_no_negative_entry():
    with pytest.raises(ValueError, match=r"must be 0. Got \[1.0, 2.0, 0.0\]. Put rows and columns into one order"):
        Labels(pl.DataFrame({"b": [1.0, 0, 5], "a": [0.0, 2, 3], "c": [4.0, 6, 0]})).fit(["a", "b", "c"])
    with pytest.raises(ValueError, match=r"must not be negative. Got -2"):
        Labels([[0, -2], [3, 0]]).fit(["a", "b"])


@pytest.mark.parametrize("y, message", [
    (["a|!b", "a", "b"], "candidates and exclusions in one cell"), (["!!a", "b", "a"], "more than one '!'"),
    ([{"!a"}, "a", "b"], "an exclusion among the labels of a set"), ([["!a", "b"], "a"], "an exclusion among"),
])  # fmt: skip
def test_a_misplaced_exclamation_mark_is_an_error_and_no_class(y, message):
    with pytest.raises(InputError, match=f"row 0: {message}"):
        Labels().fit(y).read(y)
    assert labels(["!a|!b", "a", "b", "c"])[1][0] == [0, 0, 1]


@pytest.mark.parametrize("y, message", [
    (["Cat", "dog", "cow"], r"'Cat' looks like 'cat'. To merge such names, pass infimum\.merge_classes\(y, classes="),
    (["Mammal", "cat"], r"'Mammal' looks like 'mammal'.*The other nodes of the taxonomy are 'mammal', 'bird'\."),
    (["cow"], r"(?<!… )The classes are 'cat', 'dog', 'owl'"),
])  # fmt: skip
def test_unknown_labels_that_look_like_classes(y, message):
    tree = Taxonomy({"mammal": ["cat", "dog"], "bird": ["owl", "owlet"]}) if "Mammal" in y else None
    with pytest.raises(InputError, match=message):
        Labels(tree, classes=None if "Mammal" in y else ["cat", "dog", "owl"]).fit(["cat", "dog", "owl"]).read(y)


def test_members_of_text_enums_are_their_values():
    class Pet(str, enum.Enum):  # noqa: UP042 : what is tested
        cat = "a cat"
        dog = "a dog"

    space = Labels().fit([Pet.cat, Pet.dog, {Pet.cat, Pet.dog}])
    assert space.classes_.tolist() == ["a cat", "a dog"]
    assert space.readable(np.array([0]))[0] == Pet.cat


@pytest.mark.parametrize("y", [np.array([[3, 0, 1], [0, 2, 2]]), np.array([["r", "ann", "cat"]])])
def test_a_table_as_y_is_explained(y):
    with pytest.raises(InputError, match=r"Votes\.from_table\(y\)\. Divide counts .* by the sum of their row"):
        Labels().fit(y)


def test_zeros_and_ones_beside_a_missing_cell_are_no_probabilities():
    """The missing cell of a mask is an unknown candidate; that of a table of probabilities is 0."""
    with pytest.raises(InputError, match="one boolean column per class"):
        Labels().fit(np.array([[1.0, np.nan], [0.0, 1.0]]))
    y = np.array([[1.0, np.nan], [0.5, 0.5]])
    assert Labels().fit(y).read(y).format(0) == "0 1"
