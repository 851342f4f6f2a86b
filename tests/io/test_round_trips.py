"""What a tool's format can hold comes back as it was: read(write(x)) == x."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infimum import Not
from infimum.io import (
    read_argilla,
    read_doccano,
    read_label_studio,
    read_prodigy,
    read_votes,
    write_argilla,
    write_doccano,
    write_label_studio,
    write_prodigy,
    write_votes,
)
from infimum.io._write import plain_cells
from infimum.outputs.labels.cells import label_cell
from infimum.outputs.rankings.cells import bucket_pairs

NAMES = ["cat", "dog", "a|b", "!x", "é\u2028", 'q"', "two words", "0", "NA"]
names = st.sampled_from(NAMES)
sets = st.sets(names, min_size=1).map(label_cell)
texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1)


def there_and_back(write, read, name="f.jsonl"):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return read(path)


def columns(y):
    """One row of data for every cell."""
    return st.lists(st.fixed_dictionaries({"text": texts, "n": st.integers(-9, 9)}), min_size=len(y), max_size=len(y))


labelled = st.lists(st.none() | sets, min_size=1, max_size=6).flatmap(lambda y: st.tuples(st.just(y), columns(y)))
STUDIO = {"control": "c", "to": "t", "role": "annotations"}


def studio(y, data, **said):
    kind = said.pop("type", "choices")
    return there_and_back(
        lambda path: write_label_studio(path, data, y, type=kind, **STUDIO),
        lambda path: read_label_studio(path, **said),
    )


TOOLS = {
    "label_studio": (lambda p, d, y: write_label_studio(p, d, y, **STUDIO), read_label_studio, {}),
    "argilla": (
        lambda p, d, y: write_argilla(p, d, y, question="q", type="multi_label", role="responses", user_id="u"),
        lambda path, **settings: read_argilla(path, question="q", **settings),
        {},
    ),
    "prodigy": (
        lambda p, d, y: write_prodigy(p, d, y, classes=NAMES, role="answers"),
        read_prodigy,
        {"skipped": "unknown"},
    ),
    "doccano.jsonl": (write_doccano, read_doccano, {"empty": "unknown"}),
    "doccano.csv": (write_doccano, read_doccano, {"empty": "unknown"}),
}


@pytest.mark.parametrize("tool", TOOLS)
@given(case=labelled)
@settings(deadline=None, max_examples=30)
def test_labels_in_every_tool(tool, case):
    y, data = case
    write, read, more = TOOLS[tool]
    records = there_and_back(
        lambda path: write(path, data, y), lambda path: read(path, meaning="one_of", **more), f"f.{tool.split('.')[-1]}"
    )
    assert records.y == y
    assert records.data["text"].to_list() == [row["text"] for row in data]
    assert [int(n) for n in records.data["n"].to_list()] == [row["n"] for row in data]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.none() | sets | st.sets(names, min_size=1).map(lambda s: Not(*sorted(s))), min_size=1, max_size=5))
def test_votes_keep_not(y):
    back = there_and_back(lambda path: write_votes(path, [{"k": k} for k in range(len(y))], y), read_votes)
    assert back.y == y


known_tags = st.fixed_dictionaries({name: st.booleans() for name in sorted(NAMES)})


@settings(deadline=None, max_examples=30)
@given(st.lists(known_tags, min_size=1, max_size=5))
def test_tags_that_are_fully_known(y):
    data = [{"text": str(k)} for k in range(len(y))]
    said = {"meaning": "all_of", "unticked": "no", "classes": NAMES}
    assert studio(y, data, **said).y == y
    assert (
        there_and_back(
            lambda path: write_prodigy(path, data, y, classes=NAMES, role="answers"),
            lambda path: read_prodigy(path, **said),
        ).y
        == y
    )
    assert (
        there_and_back(lambda path: write_doccano(path, data, y), lambda path: read_doccano(path, empty="no", **said)).y
        == y
    )


@settings(deadline=None, max_examples=30)
@given(st.lists(st.dictionaries(names, st.just(True), min_size=1), min_size=1, max_size=5))
def test_tags_that_are_only_ever_confirmed(y):
    data = [{"text": str(k)} for k in range(len(y))]
    assert studio(y, data, meaning="known_tags").y == y


chains = st.permutations(NAMES).flatmap(lambda order: st.integers(2, len(NAMES)).map(lambda k: order[:k]))


@settings(deadline=None, max_examples=30)
@given(st.lists(chains, min_size=1, max_size=4))
def test_orders_without_ties(chosen):
    y = [bucket_pairs([[item] for item in order]) for order in chosen]
    data = [{"text": str(k)} for k in range(len(y))]
    assert studio(y, data, type="ranker").y == y
    assert studio(chosen, data, type="ranker").y == y  # what a ranker predicts: items, best first


@settings(deadline=None, max_examples=30)
@given(st.lists(st.dictionaries(names, st.integers(1, 3), min_size=2), min_size=1, max_size=4))
def test_rankings_with_ties(ranks):
    y = [bucket_pairs([[i for i in row if row[i] == r] for r in (1, 2, 3)]) for row in ranks]
    data = [{"text": str(k)} for k in range(len(y))]
    assert (
        there_and_back(
            lambda path: write_argilla(path, data, ranks, question="q", type="ranking", role="responses", user_id="u"),
            read_argilla,
        ).y
        == y
    )


@settings(deadline=None, max_examples=30)
@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False) | st.integers(-9, 9), min_size=1))
def test_numbers(y):
    data = [{"text": str(k)} for k in range(len(y))]
    if any(cell is not None for cell in y):
        assert studio(y, data, type="number").y == y


def test_taxonomies_pairs_and_ratings():
    paths = [["animal", "mammal", "cat"], ["animal", "mammal", "dog"], ["animal", "owl"]]
    y = ["cat", {"cat", "dog"}, "owl", None]
    data = [{"text": str(k)} for k in range(4)]
    back = there_and_back(
        lambda path: write_label_studio(path, data, y, type="taxonomy", taxonomy=paths, **STUDIO),
        lambda path: read_label_studio(path, meaning="one_of", taxonomy=paths),
    )
    assert back.y == y
    assert studio([[("left", "right")], [("right", "left")]], data[:2], type="pairwise").y == [
        [("left", "right")],
        [("right", "left")],
    ]
    assert studio([4, 0], data[:2], type="rating").y == [4, 0]


def test_what_models_predict_is_written(tmp_path):
    data = ["one", "two"]
    write_label_studio(tmp_path / "a.json", data, np.array([[1, -1], [-1, 1]]), classes=["red", "round"], **STUDIO)
    said = {"meaning": "all_of", "unticked": "no"}
    expected = [{"red": True, "round": False}, {"red": False, "round": True}]
    assert read_label_studio(tmp_path / "a.json", **said).y == expected
    write_label_studio(
        tmp_path / "a.json", data, np.array([[True, False], [False, True]]), classes=["red", "round"], **STUDIO
    )
    assert read_label_studio(tmp_path / "a.json", **said).y == expected
    write_label_studio(tmp_path / "a.json", data, np.array([["a", "b"], ["b", "a"]]), type="ranker", **STUDIO)
    assert read_label_studio(tmp_path / "a.json").y == [[("a", "b")], [("b", "a")]]
    write_label_studio(tmp_path / "a.json", data, np.array([1.5, 2.0]), type="number", **STUDIO)
    assert read_label_studio(tmp_path / "a.json").y == [1.5, 2.0]


def test_booleans_say_no_and_zeros_say_nothing():
    assert plain_cells(np.array([[True, False]]), ["a", "b"]) == [{"a": True, "b": False}]
    assert plain_cells(np.array([[1, 0], [-1, 1]]), ["a", "b"]) == [{"a": True}, {"a": False, "b": True}]
    assert plain_cells(np.array([[np.nan, 0.0]]), ["a", "b"]) == [None]
    assert plain_cells(np.array([1.5, np.nan])) == [1.5, None]


def test_not_becomes_the_other_classes(tmp_path):
    for write, read in (
        (lambda p, y: write_label_studio(p, ["one"], y, classes=["a", "b", "c"], **STUDIO), read_label_studio),
        (lambda p, y: write_prodigy(p, ["one"], y, classes=["a", "b", "c"], role="answers"), read_prodigy),
        (lambda p, y: write_doccano(p, ["one"], y, classes=["a", "b", "c"]), read_doccano),
    ):
        write(tmp_path / "f.jsonl", [Not("a")])
        assert read(tmp_path / "f.jsonl", meaning="one_of").y == [{"b", "c"}]
        with pytest.raises(ValueError, match=r"row 0: Not\('a', 'b', 'c'\) leaves no class"):
            write(tmp_path / "f.jsonl", [Not("a", "b", "c")])
