"""Votes: matrices with "not k", one column an annotator, long tables, answers of language models."""

import numpy as np
import pytest

from infimum import Not, PartialClassifier
from infimum.io import MeaningError, not_vote, read_label_studio, read_prodigy, read_votes, write_votes

L = np.array([[0, -1, 0], [1, not_vote(0), -1], [not_vote(0), not_vote(1), -1], [-1, -1, -1]])


def test_a_snorkel_matrix_with_not_votes():
    records = read_votes(L, classes=["cat", "dog", "owl"], annotators="intersect")
    assert records.y == ["cat", "dog", Not("cat", "dog"), None]
    assert records.ids == [0, 1, 2, 3]
    assert read_votes(L, classes=["cat", "dog", "owl"], annotators="vote").y == ["cat", "dog", "owl", None]
    assert read_votes(L, annotators="union").y == [0, Not(0), None, None]
    rows = read_votes(L, annotators="rows", names=["f", "g", "h"])
    assert rows.annotators == ["f", "h", "f", "g", "f", "g", None]
    assert rows.y == [0, 0, 1, Not(0), Not(0), Not(1), None]


def test_how_votes_are_merged_is_not_guessed():
    with pytest.raises(MeaningError, match=r"(?s)matrix does not specify.*row 0: annotator 0: 0; annotator 2: 0") as e:
        read_votes(L)
    assert e.value.argument == "annotators"


def test_votes_that_contradict_each_other_are_refused_by_row():
    with pytest.raises(ValueError, match=r"row 1: no label is left: annotator 0: 'a'; annotator 1: Not\('a'\)"):
        read_votes(np.array([[0, -1], [0, not_vote(0)]]), classes=["a", "b"], annotators="intersect")
    with pytest.raises(ValueError, match=r"row 0: every class is excluded"):
        read_votes(np.array([[not_vote(0), not_vote(1)]]), classes=["a", "b"], annotators="intersect")


def test_matrices_are_checked():
    with pytest.raises(ValueError, match=r"row 0: column 1: expected a class below 2, got not 2"):
        read_votes(np.array([[0, not_vote(2)]]), classes=["a", "b"], annotators="vote")
    with pytest.raises(ValueError, match=r"A label matrix contains integers"):
        read_votes(np.array([[0.5, 1.0]]))
    with pytest.raises(ValueError, match=r"names must have one name for each of the 3 columns"):
        read_votes(L, names=["f"])
    with pytest.raises(ValueError, match=r"Classes are counted from 0"):
        not_vote(-1)


def test_matrices_of_objects_lists_and_files(tmp_path):
    votes = np.array([["cat", None], [Not("cat"), "dog"], [frozenset({"cat", "owl"}), None]], dtype=object)
    assert read_votes(votes, annotators="intersect").y == ["cat", "dog", {"cat", "owl"}]
    assert read_votes([[0, -1], [-1, 1]]).y == [0, 1]
    np.save(tmp_path / "L.npy", L)
    assert read_votes(tmp_path / "L.npy", annotators="vote", classes=["a", "b", "c"]).y == ["a", "b", "c", None]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_cleanlab_frames(library):
    frames = pytest.importorskip(library)
    frame = frames.DataFrame({"ann": [0, None, 2], "bob": [0, 1, 1]})
    records = read_votes(frame, annotators="union", backend=library)
    assert records.y == [0, 1, {1, 2}]
    with pytest.raises(ValueError, match=r"row 1: column 'ann': expected a label or an empty cell, got -1"):
        read_votes(frames.DataFrame({"ann": [0, -1]}))


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_records_without_data_have_rows_and_can_be_written(library, tmp_path):
    records = read_votes(np.array([[0], [1]]), classes=["cat", "dog"], backend=library)
    assert records.frame()["y"].to_list() == ["cat", "dog"]
    write_votes(tmp_path / "a.jsonl", records)
    assert read_votes(tmp_path / "a.jsonl").y == ["cat", "dog"]


def test_tables_with_one_column_an_annotator(write):
    path = write("v.csv", "id,ann,bob\nx1,cat,\nx2,cat|dog,!cat\nx3,,\n")
    records = read_votes(path, row="id", annotators="intersect")
    assert (records.ids, records.y) == (["x1", "x2", "x3"], ["cat", "dog", None])
    with pytest.raises(ValueError, match=r"has no column 'key'"):
        read_votes(path, row="key")


def test_long_tables(write):
    path = write("v.csv", "item,who,said,text\n1,ann,cat,a\n1,bob,cat|dog,a\n2,ann,,b\n3,bob,!cat,c\n")
    settings = {"row": "item", "annotator": "who", "answer": "said"}
    records = read_votes(path, annotators="intersect", **settings)
    assert (records.ids, records.y) == (["1", "2", "3"], ["cat", None, Not("cat")])
    assert records.data["text"].to_list() == ["a", "b", "c"]
    assert read_votes(path, annotators="rows", **settings).annotators == ["ann", "bob", None, "bob"]
    with pytest.raises(ValueError, match=r"has no column 'answer'. Its columns are item, who, said, text"):
        read_votes(path, row="item", answer="answer")
    with pytest.raises(ValueError, match=r"A long table needs row= and answer="):
        read_votes(path, answer="said")
    with pytest.raises(ValueError, match=r"line 3: no value in 'item'"):
        read_votes(write("w.csv", "item,said\n1,a\n,b\n"), row="item", answer="said")


def test_a_declared_class_may_hold_a_bar(write):
    path = write("v.csv", "item,said\n1,a|b\n2,!c\n")
    assert read_votes(path, row="item", answer="said").y == [{"a", "b"}, Not("c")]
    declared = read_votes(path, row="item", answer="said", classes=["a|b", "!c"])
    assert declared.y == [{"a|b"}, {"!c"}]  # sets: their text would be read as something else
    model = PartialClassifier(classes=declared.classes).fit([[0.0], [1.0]], declared.y)
    assert model.predict([[0.0], [1.0]]).tolist() == ["a|b", "!c"]


def test_answers_of_language_models(write):
    lines = [
        {"id": "a", "text": "one", "candidates": ["cat", "dog"], "model": "m1"},
        {"id": "b", "text": "two", "candidates": [], "model": "m1"},
        {"id": "a", "text": "one", "candidates": ["dog"], "model": "m2"},
        {"id": "c", "text": "three", "not": ["dog"]},
    ]
    path = write("answers.jsonl", lines)
    records = read_votes(path, annotators="intersect", classes=["cat", "dog", "owl"])
    assert (records.ids, records.y) == (["a", "b", "c"], ["dog", None, Not("dog")])
    assert records.data["text"].to_list() == ["one", "two", "three"]


def test_answers_outside_the_list_are_refused_by_row(write):
    lines = [{"id": 1, "candidates": ["cat"]}, {"id": 2, "candidates": ["Dog.", "cat"]}, {"id": 3, "candidates": "cat"}]
    with pytest.raises(ValueError) as refused:
        read_votes(write("answers.jsonl", lines[:2]), classes=["cat", "dog"])
    assert (
        str(refused.value)
        == """\
1 record of answers.jsonl cannot be used.
  line 2: 'Dog.' is not among the classes (did it mean 'dog'?)
The classes are ['cat', 'dog']. Correct the file, or list all classes."""
    )
    with pytest.raises(ValueError, match=r"line 3: expected a list in 'candidates', got 'cat'"):
        read_votes(write("answers.jsonl", lines))


def test_data_beside_the_votes():
    assert read_votes(L, annotators="union", data=["a", "b", "c", "d"]).data["text"].to_list() == ["a", "b", "c", "d"]
    with pytest.raises(ValueError, match=r"data must have one row for each of the 4 of the matrix. Got 1"):
        read_votes(L, annotators="union", data=["a"])


def test_out_refuses_what_is_no_label(tmp_path):
    with pytest.raises(ValueError, match=r"row 0: expected labels, got the tags"):
        write_votes(tmp_path / "a.jsonl", ["one"], [{"red": True}])
    with pytest.raises(ValueError, match=r"row 0: expected a name or a set of names"):
        write_votes(tmp_path / "a.jsonl", ["one"], [(1, 2)])


def test_from_votes_to_a_classifier(rng):
    y = np.repeat([0, 1, 2], 10)
    votes = np.full((30, 3), -1)
    votes[:, 0] = np.where(rng.random(30) < 0.5, y, -1)
    votes[:, 1] = [not_vote((k + 1) % 3) for k in y]
    votes[:, 2] = [not_vote((k + 2) % 3) if r < 0.5 else -1 for k, r in zip(y, rng.random(30))]
    records = read_votes(votes, classes=["a", "b", "c"], annotators="intersect")
    model = PartialClassifier().fit(y[:, None].astype(float), records.y)
    assert model.predict([[0.0], [1.0], [2.0]]).tolist() == ["a", "b", "c"]


def test_files_with_several_annotators_become_votes(write):
    tasks = [
        {"id": 4, "data": {"text": "purrs"}, "annotations": [
            {"completed_by": who, "result": [{"type": "choices", "from_name": "a", "value": {"choices": [name]}}]}
            for who, name in ((1, "cat"), (2, "dog"))
        ]},
        {"id": 5, "data": {"text": "barks"}, "annotations": [
            {"completed_by": 2, "result": [{"type": "choices", "from_name": "a", "value": {"choices": ["dog"]}}]}
        ]},
    ]  # fmt: skip
    data, votes = read_label_studio(write("tasks.json", tasks), annotators="rows").votes()
    assert data["text"].to_list() == ["purrs", "barks"]
    assert (votes.ids, votes.annotators, votes.answers.tolist()) == ([4, 5], [1, 2], ["cat", "dog", "dog"])
    assert PartialClassifier().fit(None, votes).labels_.tolist()[1] == "dog"
    lines = [
        {"text": "purrs", "label": "cat", "answer": "accept", "_input_hash": 1, "_annotator_id": "ann"},
        {"text": "purrs", "label": "dog", "answer": "accept", "_input_hash": 1, "_annotator_id": "bob"},
    ]
    data, votes = read_prodigy(write("p.jsonl", lines), annotators="rows").votes()
    assert (len(data), votes.annotators, votes.answers.tolist()) == (1, ["ann", "bob"], ["cat", "dog"])


def test_records_without_annotators_are_no_votes(write):
    path = write("v.csv", "item,who,said\n1,ann,cat\n1,,dog\n")
    settings = {"row": "item", "annotator": "who", "answer": "said"}
    with pytest.raises(ValueError, match=r"the annotator is missing(.|\n)*Every answer needs an annotator"):
        read_votes(path, annotators="rows", **settings).votes()
    with pytest.raises(ValueError, match=r'Read the file with annotators="rows" first'):
        read_votes(path, annotators="union", **settings).votes()
