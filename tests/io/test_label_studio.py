"""Label Studio: every control, several annotators, skipped tasks, meaning that is never guessed, and the way back."""

import dataclasses
import json

import numpy as np
import pytest

from infimum import Not, PartialClassifier, PartialMultilabelClassifier, PartialRanker, PartialRegressor, Taxonomy
from infimum.io import MeaningError, read_label_studio, write_argilla, write_label_studio


def annotation(value, kind="choices", who=1, cancelled=False):
    result = {"id": "x", "type": kind, "from_name": "c", "to_name": "t", "value": value}
    return {
        "id": 9,
        "completed_by": who,
        "was_cancelled": cancelled,
        "ground_truth": False,
        "lead_time": 4.2,
        "result": [] if cancelled else [result],
    }


def task(key, *annotations, **data):
    return {"id": key, "data": data or {"text": f"text {key}"}, "annotations": list(annotations), "predictions": []}


def choices(key, *names, **kwargs):
    return task(key, annotation({"choices": list(names)}, **kwargs))


PETS = [choices(1, "cat", "dog"), choices(2, "owl"), task(3)]


def test_single_choices_are_labels(write):
    records = read_label_studio(write("a.json", [choices(1, "cat"), choices(2, "dog"), task(3)]))
    assert records.y == ["cat", "dog", None]
    assert records.ids == [1, 2, 3]
    assert list(records.data.columns) == ["text"]
    assert records.data["text"].to_list() == ["text 1", "text 2", "text 3"]
    assert repr(records) == "<Records of labels: 3 rows, 1 unlabelled; data: text>"
    assert len(records) == 3


@pytest.mark.parametrize(
    "settings, y, kind",
    [
        ({"meaning": "one_of"}, [{"cat", "dog"}, "owl", None], "labels"),
        ({"meaning": "known_tags"}, [{"cat": True, "dog": True}, {"owl": True}, None], "tags"),
        ({"meaning": "all_of", "unticked": "unknown"}, [{"cat": True, "dog": True}, {"owl": True}, None], "tags"),
        (
            {"meaning": "all_of", "unticked": "no"},
            [{"cat": True, "dog": True, "owl": False}, {"cat": False, "dog": False, "owl": True}, None],
            "tags",
        ),
        (
            {"meaning": "all_of", "unticked": "no", "classes": ["owl", "cat", "dog", "eel"]},
            [
                {"cat": True, "dog": True, "eel": False, "owl": False},
                {"cat": False, "dog": False, "eel": False, "owl": True},
                None,
            ],
            "tags",
        ),
    ],
)
def test_multiple_choices_mean_what_the_caller_says(settings, y, kind):
    records = read_label_studio(PETS, **settings)
    assert records.y == y
    assert records.kind == kind


def test_what_several_choices_mean_is_not_guessed(write):
    with pytest.raises(MeaningError) as refused:
        read_label_studio(write("export.json", PETS))
    assert refused.value.argument == "meaning"
    assert (
        str(refused.value)
        == """\
export.json does not specify what several names in one answer mean. The result of each choice for its rows:
  record 1 (task 1): ['cat', 'dog']
    meaning="one_of"                 ->  {'cat', 'dog'}
    meaning="all_of", unticked="no"  ->  {'cat': True, 'dog': True, 'owl': False}
    meaning="known_tags"             ->  {'cat': True, 'dog': True}
  record 2 (task 2): ['owl']
    meaning="one_of"                 ->  'owl'
    meaning="all_of", unticked="no"  ->  {'cat': False, 'dog': False, 'owl': True}
    meaning="known_tags"             ->  {'owl': True}
Choose one with meaning=…."""
    )


def test_what_is_unticked_is_not_guessed():
    with pytest.raises(MeaningError, match=r"(?s)what an unticked name means.*unticked=\"no\" +->  \{'cat': True") as e:
        read_label_studio(PETS, meaning="all_of")
    assert e.value.argument == "unticked"
    with pytest.raises(ValueError, match='meaning="known_tags" leaves unselected tags unknown'):
        read_label_studio(PETS, meaning="known_tags", unticked="no")


def test_skipped_tasks_are_not_guessed():
    tasks = [choices(1, "cat"), choices(2, cancelled=True), choices(3)]
    with pytest.raises(MeaningError, match=r"(?s)what a skipped row means.*task 2.*task 3") as refused:
        read_label_studio(tasks)
    assert refused.value.argument == "skipped"
    assert read_label_studio(tasks, skipped="unknown").y == ["cat", None, None]
    dropped = read_label_studio(tasks, skipped="drop")
    assert (dropped.ids, dropped.y) == ([1], ["cat"])
    # a submitted answer without a tick says that nothing is there; a skipped one says nothing
    tags = read_label_studio(tasks, meaning="all_of", unticked="no", skipped="unknown")
    assert tags.y == [{"cat": True}, None, {"cat": False}]
    tasks[2]["annotations"][0]["result"] = []
    assert read_label_studio(tasks, meaning="all_of", unticked="no", skipped="unknown").y == tags.y


TWO = [
    task(
        1, annotation({"choices": ["cat", "dog"]}), annotation({"choices": ["cat"]}, who={"id": 2, "email": "b@x.org"})
    ),
    task(2, annotation({"choices": ["dog"]}), annotation({"choices": ["owl"]}, who={"id": 2, "email": "b@x.org"})),
]


@pytest.mark.parametrize(
    "settings, y",
    [
        ({"annotators": "union"}, [{"cat", "dog"}, {"dog", "owl"}]),
        ({"annotators": "vote"}, ["cat", {"dog", "owl"}]),
        ({"annotators": "intersect", "conflict": "unknown"}, ["cat", None]),
        ({"annotators": "intersect", "conflict": "union"}, ["cat", {"dog", "owl"}]),
        ({"annotators": "intersect", "conflict": "vote"}, ["cat", {"dog", "owl"}]),
        ({"annotators": "intersect", "conflict": "drop"}, ["cat"]),
    ],
)
def test_annotators_are_merged(settings, y):
    records = read_label_studio(TWO, meaning="one_of", **settings)
    assert records.y == y
    assert records.annotators is None


def test_every_annotator_a_row():
    records = read_label_studio(TWO, meaning="one_of", annotators="rows")
    assert records.ids == [1, 1, 2, 2]
    assert records.annotators == [1, "b@x.org", 1, "b@x.org"]  # a number, or an object
    assert records.y == [{"cat", "dog"}, "cat", "dog", "owl"]
    assert records.data["text"].to_list() == ["text 1", "text 1", "text 2", "text 2"]
    assert "by 2 annotators" in repr(records)
    assert records.frame()["annotator"].to_list() == ["1", "b@x.org", "1", "b@x.org"]


def test_how_annotators_are_merged_is_not_guessed():
    with pytest.raises(MeaningError) as refused:
        read_label_studio(TWO, meaning="one_of")
    assert (
        str(refused.value)
        == """\
the list does not specify how several annotators of one row are merged. The result of each choice for its rows:
  record 1 (task 1): annotator 1: {'cat', 'dog'}; annotator b@x.org: 'cat'
    annotators="rows"       ->  2 rows
    annotators="intersect"  ->  'cat'
    annotators="union"      ->  {'cat', 'dog'}
    annotators="vote"       ->  'cat'
  record 2 (task 2): annotator 1: 'dog'; annotator b@x.org: 'owl'
    annotators="rows"       ->  2 rows
    annotators="intersect"  ->  an error: no label is left (or conflict=…)
    annotators="union"      ->  {'dog', 'owl'}
    annotators="vote"       ->  {'dog', 'owl'}
Choose one with annotators=…."""
    )


def test_empty_intersections_are_refused_with_both_answers(write):
    with pytest.raises(ValueError) as refused:
        read_label_studio(write("e.json", TWO), meaning="one_of", annotators="intersect")
    assert (
        str(refused.value)
        == """\
1 record of e.json cannot be used.
  record 2 (task 2): no label is left: annotator 1: 'dog'; annotator b@x.org: 'owl'
The annotators contradict each other there. Choose with conflict="unknown", "union", "vote" or "drop"."""
    )


def test_those_who_skip_do_not_take_part():
    both = [task(1, annotation({"choices": ["cat"]}), annotation({}, cancelled=True, who=2))]
    for how in ("intersect", "union", "vote"):
        assert read_label_studio(both, skipped="unknown", annotators=how).y == ["cat"]
    assert read_label_studio(both, skipped="drop").y == ["cat"]  # one annotator is left


def taxonomy(key, *paths):
    return task(key, annotation({"taxonomy": [list(path) for path in paths]}, "taxonomy"))


ANIMALS = [
    taxonomy(1, ["animal", "mammal", "cat"]),
    taxonomy(2, ["animal", "mammal", "dog"]),
    taxonomy(3, ["animal", "mammal"]),
    taxonomy(4, ["animal", "owl"]),
]


def test_an_inner_node_of_a_taxonomy_is_a_set():
    records = read_label_studio(ANIMALS)
    assert records.y == ["cat", "dog", {"cat", "dog"}, "owl"]
    assert records.classes == ["cat", "dog", "owl"]
    assert Taxonomy(records.taxonomy).leaves("mammal") == ["cat", "dog"]
    X = [[0.0], [1.0], [0.1], [5.0]]
    assert PartialClassifier(cost=Taxonomy(records.taxonomy)).fit(X, records.y).predict([[5.0]]) == ["owl"]


def test_the_tree_may_have_leaves_that_the_file_never_names():
    tree = {"animal": {"mammal": ["cat", "dog", "bat"], "owl": []}}
    for given in (tree, Taxonomy(tree), [["animal", "mammal", n] for n in ("cat", "dog", "bat")] + [["animal", "owl"]]):
        assert read_label_studio(ANIMALS, taxonomy=given).y[2] == {"cat", "dog", "bat"}
    with pytest.raises(ValueError, match=r"(?s)task 4.*the path \['animal', 'owl'\] is not in the taxonomy"):
        read_label_studio(ANIMALS, taxonomy=["animal/mammal/cat", "animal/mammal/dog"])
    with pytest.raises(ValueError, match=r"Pass the tree as taxonomy="):
        read_label_studio(ANIMALS, classes=["cat"])


def test_a_node_says_nothing_of_what_is_below_it_as_tags():
    tags = read_label_studio(ANIMALS, meaning="all_of", unticked="no").y
    assert tags[2] == {"animal": True, "mammal": True, "owl": False}
    assert tags[3] == {"animal": True, "cat": False, "dog": False, "mammal": False, "owl": True}


def test_annotators_of_a_taxonomy_meet_below_a_node():
    both = [task(1, *(a for t in (ANIMALS[0], ANIMALS[2]) for a in t["annotations"])), ANIMALS[1]]
    assert read_label_studio(both, annotators="intersect").y == ["cat", "dog"]


def test_nodes_that_share_a_name_are_told_by_their_path():
    assert read_label_studio([taxonomy(1, ["a", "other"]), taxonomy(2, ["b", "other"])]).y == ["a / other", "b / other"]


def test_pairwise():
    tasks = [
        task(1, annotation({"selected": "left"}, "pairwise"), a="gpt", b="llama"),
        task(2, annotation({"selected": "right"}, "pairwise"), a="gpt", b="qwen"),
    ]
    assert read_label_studio(tasks).y == [[("left", "right")], [("right", "left")]]
    assert read_label_studio(tasks, sides=("a", "b")).y == [[("gpt", "llama")], [("qwen", "gpt")]]
    with pytest.raises(ValueError, match=r"(?s)task 1.*the names of two items in the fields \('a', 'z'\)"):
        read_label_studio(tasks, sides=("a", "z"))


@pytest.mark.parametrize("value", [{"ranker": {"rank": ["mdn", "wiki", "blog"]}}, {"ranker": ["mdn", "wiki", "blog"]}])
def test_ranker_lists(value):
    records = read_label_studio([task(1, annotation(value, "ranker"))])
    assert records.y == [[("mdn", "wiki"), ("wiki", "blog")]]
    assert records.kind == "ranking"


def test_ranker_buckets_need_their_order():
    tasks = [
        task(1, annotation({"ranker": {"best": ["mdn"], "ads": ["blog", "shop"], "_": ["wiki"]}}, "ranker")),
        task(2, annotation({"ranker": {"best": ["wiki"], "ads": []}}, "ranker")),
    ]
    with pytest.raises(MeaningError, match=r"(?s)which bucket is best.*buckets=\['best', 'ads'\] +->") as refused:
        read_label_studio(tasks)
    assert refused.value.argument == "buckets"
    assert read_label_studio(tasks, buckets=["best", "ads"]).y == [[("mdn", "blog"), ("mdn", "shop")], None]
    with pytest.raises(ValueError, match=r"has no bucket 'worst'. Its buckets are 'best', 'ads', '_'"):
        read_label_studio(tasks, buckets=["best", "worst"])


def test_rating_and_number():
    assert read_label_studio([task(1, annotation({"rating": 4}, "rating"))]).y == [4]
    records = read_label_studio([task(1, annotation({"number": 3.5}, "number")), task(2)])
    assert records.y == [3.5, None]
    assert records.kind == "number"
    two = [task(1, annotation({"rating": 4}, "rating"), annotation({"rating": 2}, "rating", who=2))]
    assert read_label_studio(two, annotators="union").y == [{2, 4}]


def test_one_control_of_several_is_named():
    both = choices(1, "cat")
    both["annotations"][0]["result"].append({"type": "rating", "from_name": "stars", "value": {"rating": 2}})
    with pytest.raises(ValueError, match=r"has 2 controls. Its controls are: c, stars. Name one with control="):
        read_label_studio([both])
    assert read_label_studio([both], control="stars").y == [2]
    assert read_label_studio([both], control="c").y == ["cat"]
    with pytest.raises(ValueError, match=r"has no control 'd'"):
        read_label_studio([both], control="d")


@pytest.mark.parametrize(
    "broken, message",
    [
        ([{"id": 1, "text": "a", "c": "cat"}], "(?s)expected a task with 'annotations'.*JSON_MIN and CSV leave"),
        ([task(1, annotation({"choice": ["a"]}))], "task 1.: expected a value with 'choices'"),
        ([task(1, annotation({"choices": ["a", "a"]}))], "a name is repeated"),
        ([task(1, annotation({"choices": [1]}))], "expected a list of names"),
        ([task(1, annotation({"selected": "both"}, "pairwise"))], "expected 'left' or 'right', got 'both'"),
        ([task(1, annotation({"ranker": {"x": ["a"], "y": ["a"]}}, "ranker"))], "a name is repeated"),
        ([task(1, annotation({"rating": "4"}, "rating"))], "expected a number, got '4'"),
        ([task(1, annotation({"labels": ["a"], "start": 1}, "labels"))], r"no control of the types.*c \(labels\)"),
    ],
)
def test_broken_files_are_refused_by_record(broken, message):
    with pytest.raises(ValueError, match=message):
        read_label_studio(broken)


def test_answers_for_each_region_are_refused():
    tasks = [choices(1, "cat")]
    tasks[0]["annotations"][0]["result"] *= 2
    with pytest.raises(ValueError, match=r"has 2 answers in one annotation"):
        read_label_studio(tasks)


def test_names_outside_the_classes_are_refused_by_record():
    with pytest.raises(ValueError, match=r"(?s)2 records.*task 1\): 'dog' is not.*task 2\): 'owl' is not"):
        read_label_studio(PETS, meaning="one_of", classes=["cat", "eel"])


@pytest.mark.parametrize(
    "settings", [{"meaning": "both"}, {"skipped": "no"}, {"annotators": "all"}, {"conflict": None}]
)
def test_settings_are_checked(settings):
    with pytest.raises(ValueError, match=f"{next(iter(settings))} must be one of"):
        read_label_studio(PETS, **settings)


def test_polars_frames():
    polars = pytest.importorskip("polars")
    records = read_label_studio([choices(1, "cat"), choices(2, "dog")], backend="polars")
    assert isinstance(records.data, polars.DataFrame)
    assert records.frame().to_dicts()[0] == {"id": 1, "text": "text 1", "y": "cat"}
    with pytest.raises(ValueError, match='backend must be "pandas" or "polars"'):
        read_label_studio([choices(1, "cat")], backend="dask")


def test_predictions_out(tmp_path):
    records = read_label_studio([choices(1, "cat"), choices(2, "dog"), task(3)])
    path = tmp_path / "p.json"
    write_label_studio(path, records, ["cat", {"dog", "cat"}, None], control="c", to="t", score=[0.9, np.nan, 0.1])

    tasks = json.loads(path.read_text())
    assert tasks[0]["predictions"] == [
        {
            "result": [
                {"id": "r0", "type": "choices", "from_name": "c", "to_name": "t", "value": {"choices": ["cat"]}}
            ],
            "model_version": "infimum",
            "score": 0.9,
        }
    ]
    assert tasks[1]["predictions"][0]["result"][0]["value"] == {"choices": ["cat", "dog"]}
    assert "score" not in tasks[1]["predictions"][0]
    assert tasks[2]["predictions"] == []
    assert [t["data"] for t in tasks] == [{"text": "text 1"}, {"text": "text 2"}, {"text": "text 3"}]
    assert all(t["annotations"] == [] for t in tasks)


@pytest.mark.parametrize(
    ("kind", "cell", "type"),
    [("labels", "cat", "choices"), ("tags", {"cat": True}, "choices"), ("ranking", [("a", "b")], "ranker"),
     ("number", 3, "number")],
)  # fmt: skip
def test_the_type_of_the_control_is_that_of_the_labels(tmp_path, kind, cell, type):
    path, records = tmp_path / "a.json", read_label_studio([choices(1, "cat")])
    write_label_studio(path, dataclasses.replace(records, y=[cell], kind=kind), control="c", to="t")
    (task,) = json.loads(path.read_text())
    assert task["predictions"][0]["result"][0]["type"] == type


def test_kinds_without_a_control_raise_an_error(tmp_path):
    records = dataclasses.replace(read_label_studio([choices(1, "cat")]), y=[[1.0, 2.0]], kind="vector")
    for write, names in ((write_label_studio, {"control": "c", "to": "t"}), (write_argilla, {"question": "q"})):
        with pytest.raises(ValueError, match="no type of question for vector, only for labels, tags"):
            write(tmp_path / "a.json", records, **names)


def test_what_a_control_cannot_hold_is_refused_by_row(tmp_path):
    out = {"path": tmp_path / "a.json", "records": ["one", "two"], "control": "c", "to": "t"}
    with pytest.raises(ValueError, match=r"(?s)row 1: Not\('cat'\) needs all the classes"):
        write_label_studio(y=["cat", Not("cat")], **out)
    with pytest.raises(ValueError, match=r"(?s)row 0: expected an order without ties, got the tie \['a', 'b'\]"):
        write_label_studio(y=[["c", {"a", "b"}], None], type="ranker", **out)
    with pytest.raises(ValueError, match=r"row 0: the order is not fully known"):
        write_label_studio(y=[[("a", "b"), ("c", "d"), ("a", "d")], None], type="ranker", **out)
    with pytest.raises(ValueError, match=r"row 1: expected one number"):
        write_label_studio(y=[1, (1, 2)], type="number", **out)
    with pytest.raises(ValueError, match=r"row 0: expected a whole number"):
        write_label_studio(y=[1.5, 2], type="rating", **out)
    with pytest.raises(ValueError, match=r"row 0: expected a number from 0 to 1, got 7"):
        write_label_studio(y=["a", "b"], score=[7, 0], **out)
    with pytest.raises(ValueError, match=r"y must have one entry for each of the 2 rows. Got 1"):
        write_label_studio(y=["a"], **out)
    with pytest.raises(ValueError, match=r"An array of tags needs their names"):
        write_label_studio(y=np.array([[1, -1], [0, 1]]), **out)
    assert not (tmp_path / "a.json").exists()


def numbers(tasks):
    for k, t in enumerate(tasks):
        t["data"]["x"] = float(k)
    return tasks


def test_from_an_export_to_a_classifier_and_back(tmp_path):
    tasks = numbers([choices(k, *(("cat", "dog") if k % 2 else ("cat",)) if k < 5 else ("dog",)) for k in range(10)])
    records = read_label_studio(tasks, meaning="one_of")
    model = PartialClassifier().fit(records.data[["x"]].to_numpy(), records.y)
    assert model.predict([[0.0], [9.0]]).tolist() == ["cat", "dog"]
    write_label_studio(tmp_path / "p.json", records, model.predict(records.data[["x"]].to_numpy()), control="c", to="t")
    assert (tmp_path / "p.json").stat().st_size > 0


def test_from_an_export_to_tags_orders_and_numbers():
    tags = read_label_studio(
        numbers([choices(k, *(("red",) if k < 5 else ("red", "round"))) for k in range(10)]),
        meaning="all_of",
        unticked="no",
    )
    model = PartialMultilabelClassifier().fit(tags.data[["x"]].to_numpy(), tags.y)
    assert model.predict([[0.0], [9.0]]).tolist() == [[1, -1], [1, 1]]

    ranked = [annotation({"ranker": {"r": ["a", "b"] if k < 5 else ["b", "a"]}}, "ranker") for k in range(10)]
    orders = read_label_studio(numbers([task(k, r, x=0) for k, r in enumerate(ranked)]))
    predicted = PartialRanker().fit(orders.data[["x"]].to_numpy(), orders.y).predict([[0.0], [9.0]])
    assert predicted.tolist() == [["a", "b"], ["b", "a"]]

    rated = read_label_studio(numbers([task(k, annotation({"number": k / 2}, "number"), x=0) for k in range(10)]))
    np.testing.assert_allclose(
        PartialRegressor().fit(rated.data[["x"]].to_numpy(), rated.y).predict([[4.0]]), [2.0], atol=0.2
    )
