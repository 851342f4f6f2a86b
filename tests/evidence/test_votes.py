"""Votes: formats, indexing and errors."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import KFold, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline

from infimum import (
    Features,
    InputError,
    Not,
    PartialClassifier,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
    Taxonomy,
    Votes,
    merge_classes,
)
from infimum.outputs import Labels


def answers_of(votes):
    """Return {(row, annotator): answer}."""
    return {(int(i), votes.annotators[w]): a for i, w, a in zip(votes.row, votes.source, votes.answers.tolist())}


def test_wide_and_long_tables_contain_the_same_answers():
    wide = Votes([["cat", None], ["dog", "cat|dog"]], annotators=["ann", "bob"])
    table = {"row": [1, 0, 1], "who": ["bob", "ann", "ann"], "said": ["cat|dog", "cat", "dog"]}
    frames = [table, pd.DataFrame(table), pl.DataFrame(table)]
    for frame in frames:
        long = Votes.from_table(frame, row="row", annotator="who", answer="said", rows=[0, 1])
        assert answers_of(long) == answers_of(wide)
    frame = pd.DataFrame({"ann": ["cat", "dog"], "bob": [np.nan, "cat|dog"]})
    assert answers_of(Votes(frame)) == answers_of(wide)


@pytest.mark.parametrize("array", [np.array([[0, -1], [1, 2]]), np.array([[0, np.nan], [1, 2]])])
def test_arrays_of_numbers(array):
    votes = Votes(array, missing=-1)
    assert answers_of(votes) == {(0, 0): 0, (1, 0): 1, (1, 1): 2}
    assert Labels().fit(votes).classes_.tolist() == [0, 1, 2]


def test_rows_are_selected_in_any_order_and_repeatedly():
    votes = Votes([["a", "b"], ["b", None], [None, None], ["a", "a"]], gold=["a", None, None, "b"])
    some = votes[[3, 2, 0, 3]]
    assert len(some) == 4
    assert some.gold.tolist() == ["b", None, "a", "b"]
    assert np.asarray(some).tolist() == [((0, "a"), (1, "a")), (), ((0, "a"), (1, "b")), ((0, "a"), (1, "a"))]
    assert len(votes[np.array([True, False, False, True])].answers) == 4
    assert np.asarray(votes[:2]).tolist() == np.asarray(votes).tolist()[:2]
    sets = Labels().fit(votes).read(votes)
    assert sets[[3, 2, 0]].mask.tolist() == sets.mask[[3, 2, 0]].tolist()
    assert sets[[3, 0]].agreement(np.array([1, 1])).tolist() == [1.0, 0.0]  # the known labels decide


def test_answers_are_anything_that_y_may_contain():
    tree = Taxonomy({"animal": ["cat", "dog"], "thing": ["car", "bus"]})
    votes = Votes([["cat", "animal"], [Not("cat"), {"car": 0.8, "bus": 0.2}], [{"cat", "dog"}, None]])
    space = Labels(tree).fit(votes)
    sets = space.read(votes)
    allowed = [{str(space.classes_[k]) for k in np.flatnonzero(row)} for row in sets.mask]
    assert allowed == [{"cat", "dog"}, {"dog", "car", "bus"}, {"cat", "dog"}]


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: Votes(np.array([[0, -1]])), r"missing=-1"),
        (lambda: Votes([["a"], ["a", "b"]]), r"rows of 1 and 2 answers"),
        (lambda: Votes(["cat", "dog"]), r"a list of answers, one per annotator, or a dict. Got 'cat'"),
        (lambda: Votes([[("ann", "a")], [("bob", "b")]]), r"pass Votes\(\[dict\(row\) for row in answers\]\)"),
        (lambda: Votes(np.zeros(3)), r"Votes\.from_table"),
        (lambda: Votes([["a", "b"]], annotators=["x"]), r"one name per column, 2 in all. Got 1"),
        (lambda: Votes([["a", "b"]], gold=["a", "b"]), r"gold must have one entry per row"),
        (lambda: Votes([["a", "b"]], gold={1: "a"}), r"row numbers from 0 to 0. Got 1"),
        (lambda: Votes(pd.DataFrame({"x": ["a"]}, index=["r"]), gold={0: "a"}), r"must be names of rows .* Got 0\."),
        (lambda: long(["r", "s"], ["x", "y"], gold={"t": "a"}), r"must be names of rows of the votes. Got 't'\."),
        (lambda: long(["r", "r"], ["x", "x"]), r"(?s)row 'r': several answers of annotator 'x'.*repeated="),
        (lambda: long(["r", None], ["x", "y"]), r"line 1: no value in the column 'row'"),
        (lambda: long(["r", "s"], ["x", "y"], rows=["r"]), r"line 1: unknown name in the column 'row', got 's'"),
        (lambda: long(["r"], ["x"], repeated="never"), r"repeated must be one of"),
        (lambda: Votes.from_table({"a": [1]}, row="r", annotator="a", answer="a"), r"no column 'r'. Its columns are a"),
    ],
)
def test_malformed_votes(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def long(rows_of_answers, who, **settings):
    table = {"row": rows_of_answers, "who": who, "said": ["a", "b"][: len(who)]}
    return Votes.from_table(table, row="row", annotator="who", answer="said", **settings)


def test_known_labels_that_contradict_each_other():
    table = {"task": ["r", "r", "s"], "worker": ["x", "y", "x"], "label": ["a", "b", "a"], "gold": ["a", "b", None]}
    with pytest.raises(InputError, match=r"line 1: row 'r' has the known label 'a' in an earlier line, got 'b'"):
        Votes.from_table(table, gold="gold")
    table["gold"][1] = None
    assert Votes.from_table(table, gold="gold").gold.tolist() == ["a", None]


def test_dicts_from_annotators_to_answers():
    votes = Votes([{"ann": "cat", "bob": "dog"}, {"bob": "owl", "eve": "cat"}, None])
    assert votes.annotators == ["ann", "bob", "eve"]
    assert answers_of(votes) == {(0, "ann"): "cat", (0, "bob"): "dog", (1, "bob"): "owl", (1, "eve"): "cat"}
    assert len(votes) == 3


@pytest.mark.parametrize("names", [["r", "s", "t", "u"], [3, 1, 0, 2]])
def test_rows_in_another_order_than_those_of_X_raise_an_error(names):
    """Names of rows are compared if both X and the votes have them, also inside of a pipeline."""
    X = pd.DataFrame({"a": [0.0, 1.0, 2.0, 3.0]}, index=names)
    wide = pd.DataFrame({"ann": list("xyxy"), "bob": list("xyxx")}, index=names)
    votes, other = Votes(wide), Votes(wide.iloc[::-1])
    long = Votes.from_table(other.to_table())
    model = PartialClassifier(weights="linear")
    for one in (other, long):
        for fit in (model.fit, make_pipeline(Features(), model).fit, model.fit(X, votes).score):
            with pytest.raises(InputError, match=r"in different orders. Row 0 is .* in X and .*rows=X\.index"):
                fit(X, one)
    assert model.fit(X, Votes.from_table(other.to_table(), rows=X.index)).score(X, votes) == model.score(X, votes)
    for same in (X.to_numpy(), X.set_axis(other.ids), X.iloc[[0, 0, 1, 2]], X.set_axis([9, 8, 7, 6])):
        model.fit(same, other)


def test_repeated_answers():
    table = {"row": [0, 0, 0], "who": ["x", "y", "x"], "said": ["a", "a", "b"]}
    found = {
        how: Votes.from_table(table, row="row", annotator="who", answer="said", repeated=how).answers.tolist()
        for how in ("first", "last", "all")
    }
    assert found == {"first": ["a", "a"], "last": ["a", "b"], "all": ["a", "a", "b"]}


def test_answers_outside_the_classes_are_named_by_row_and_annotator():
    votes = Votes([["cat", "dog"], ["cat", "cow"]], annotators=["ann", "bob"])
    with pytest.raises(InputError, match=r"row 1, annotator 'bob': unknown label 'cow'"):
        PartialClassifier(classes=["cat", "dog"]).fit(np.eye(2), votes)


def test_a_table_of_answers_as_y_raises_an_error_that_names_votes():
    answers = np.array([["cat", None], ["dog", "owl"]], dtype=object)
    with pytest.raises(ValueError, match=r"answers of one annotator, pass infimum\.Votes\(y\)"):
        PartialClassifier().fit(np.eye(2), answers)


def test_a_model_without_features_cannot_predict():
    model = PartialClassifier().fit(None, Votes([["cat", "cat"], ["dog", "owl"], ["cat", "dog"]]))
    assert len(model.labels_) == 3
    with pytest.raises(ValueError, match=r"Got None\. Only fit accepts None, with Votes as y; labels_ contains"):
        model.predict(None)
    with pytest.raises(ValueError, match=r"was fitted without features, so it cannot predict.*fit\(X, votes\)"):
        model.predict(np.eye(3))
    assert model.fit(np.eye(3), Votes([["cat"], ["dog"], ["cat"]])).predict(np.eye(3)).tolist() == ["cat", "dog", "cat"]


def test_scikit_learn_splits_votes():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 2))
    truth = (X[:, 0] > 0).astype(int)
    votes = Votes(np.where(random.random((60, 3)) < 0.9, truth[:, None], 1 - truth[:, None]))
    first, second = train_test_split(votes, random_state=0)
    assert len(first) + len(second) == 60
    model = PartialClassifier.paper(principle="disambiguation")
    assert cross_val_score(model, X, votes, cv=KFold(3)).mean() > 0.8


def test_formats_of_other_libraries():
    """The long table of crowd-kit, the array of scikit-activeml with NaN, and the DataFrame of cleanlab."""
    array = np.array([[0, np.nan, 1], [np.nan, 2, 2]])
    votes = Votes(array)
    assert votes.answers.tolist() == [0, 1, 2, 2]
    np.testing.assert_array_equal(votes.to_array(missing=np.nan).astype(float), array)
    table = votes.to_table()
    assert list(table.columns) == ["task", "worker", "label"]
    again = Votes.from_table(table)
    assert (again.ids, again.answers.tolist()) == ([0, 1], [0, 1, 2, 2])
    frame = pd.DataFrame(array, columns=["ann", "bob", "eve"])
    assert Votes(frame).annotators == ["ann", "bob", "eve"]
    assert Votes(frame).answers.tolist() == [0, 1, 2, 2]
    twice = Votes.from_table({"task": [0, 0], "worker": ["a", "a"], "label": [1, 2]}, repeated="all")
    with pytest.raises(InputError, match=r"Got several at row 0, annotator 'a'"):
        twice.to_array()


def test_merge_classes_merges_the_answers_of_votes():
    votes = Votes([["cat", "cat ", "Cat"], ["dog", None, "dog"], ["cat", "dog", "cat;dog"]], gold=["Cat", None, None])
    merged = merge_classes(votes)
    assert merged.answers.tolist() == ["cat", "cat", "cat", "dog", "dog", "cat", "dog", {"cat", "dog"}]
    assert merged.gold.tolist() == ["cat", None, None]
    assert (merged.annotators, merged.row.tolist()) == (votes.annotators, votes.row.tolist())


@pytest.mark.parametrize(
    "model, answer",
    [(PartialMultilabelClassifier(), "+a -b"), (PartialRegressor(), "[1,2]"), (PartialRanker(), "a>b")],
)
def test_votes_are_class_labels_only(model, answer):
    X = np.arange(8.0)[:, None]
    with pytest.raises(InputError, match=rf"class labels.*Got Votes as y of {type(model).__name__}\. Combine"):
        model.fit(X, Votes([[answer, answer]] * 8))


def test_rows_on_which_people_disagree_are_labelled():
    """If the answers about a row name all classes together, the row is labelled all the same."""
    rng = np.random.default_rng(0)
    truth = rng.integers(2, size=60)
    X = truth[:, None] + 0.5 * rng.standard_normal((60, 2))
    answers = np.where(rng.random((60, 9)) < 0.75, truth[:, None], 1 - truth[:, None])
    answers[:, 0], answers[:, 1] = 0, 1  # two people who always contradict each other
    votes = Votes(answers)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = PartialClassifier().fit(X, votes)
    sets = model.output_.read(votes)
    assert not sets.is_unlabelled.any()
    assert np.mean(model.labels_ == truth) > 0.9
    agreeing = np.mean(answers == model.predict(X)[:, None])
    assert model.score(X, votes) == pytest.approx(agreeing)


def test_rows_without_informative_answers_are_unlabelled():
    votes = Votes([["a", None], [None, None], ["a|b", None], [None, "b"]], gold=[None, None, None, "a"])
    space = PartialClassifier().output_space(votes)
    assert space.read(votes).is_unlabelled.tolist() == [False, True, True, False]
    votes.gold = None
    assert space.read(votes[[1, 3]]).is_unlabelled.tolist() == [True, False]
