"""What we write is what the tools' own packages accept; runs where label-studio-sdk or argilla is installed."""

import json

import pytest

from infimum.io import read_argilla, read_label_studio, write_argilla, write_label_studio

CONFIGS = {
    "choices": (
        '<View><Text name="t" value="$text"/><Choices name="c" toName="t" choice="multiple">'
        '<Choice value="cat"/><Choice value="dog"/></Choices></View>',
        ["cat", {"cat", "dog"}],
    ),
    "taxonomy": (
        '<View><Text name="t" value="$text"/><Taxonomy name="c" toName="t"><Choice value="mammal"><Choice value="cat"/>'
        '<Choice value="dog"/></Choice></Taxonomy></View>',
        ["cat", "mammal"],
    ),
    "pairwise": (
        '<View><Pairwise name="c" toName="t,u"/><Text name="t" value="$text"/><Text name="u" value="$text"/></View>',
        [[("left", "right")], [("right", "left")]],
    ),
    "ranker": (
        '<View><List name="t" value="$items" title="?"/><Ranker name="c" toName="t"/></View>',
        [["a", "b"], [("b", "a")]],
    ),
    "rating": ('<View><Text name="t" value="$text"/><Rating name="c" toName="t" maxRating="5"/></View>', [4, 0]),
    "number": ('<View><Text name="t" value="$text"/><Number name="c" toName="t"/></View>', [4.5, -1]),
}


@pytest.mark.parametrize("role", ["predictions", "annotations"])
@pytest.mark.parametrize("kind", CONFIGS)
def test_label_studio_validates_our_tasks(tmp_path, kind, role):
    interface = pytest.importorskip("label_studio_sdk.label_interface.interface").LabelInterface
    config, y = CONFIGS[kind]
    checks = interface(config)
    tree = [["mammal", "cat"], ["mammal", "dog"]] if kind == "taxonomy" else None
    write_label_studio(
        tmp_path / "t.json", ["one", "two"], y, control="c", to="t", type=kind, role=role, score=[0.5, 1], taxonomy=tree
    )
    for task in json.loads((tmp_path / "t.json").read_text()):
        (given,) = task[role]
        assert checks.validate_prediction(given, return_errors=True) == []
        broken = json.loads(json.dumps(given))
        broken["result"][0]["value"] = {"nothing": 1}
        assert checks.validate_prediction(broken, return_errors=True) != []  # the check can fail


def test_label_studio_values_made_by_its_own_sdk_are_read():
    interface = pytest.importorskip("label_studio_sdk.label_interface.interface").LabelInterface
    tasks = []
    for k, labels in enumerate((["cat"], ["cat", "dog"])):
        region = interface(CONFIGS["choices"][0]).get_control("c").label(labels)
        tasks.append({"id": k, "data": {"text": "x"}, "annotations": [{"completed_by": 1, "result": [region._dict()]}]})
    assert read_label_studio(tasks, meaning="one_of").y == ["cat", {"cat", "dog"}]


ARGILLA = {
    "label": ["cat", "dog"],
    "multi_label": [{"cat", "dog"}, "cat"],
    "rating": [4, 1],
    "ranking": [["a", "b"], ["b", "a"]],
}


@pytest.mark.parametrize("role", ["suggestions", "responses"])
@pytest.mark.parametrize("kind", ARGILLA)
def test_argilla_takes_our_records(tmp_path, kind, role):
    rg = pytest.importorskip("argilla")
    path = tmp_path / "r.json"
    user = "7b3c7f6e-5a2f-4f43-8d6e-4f4c2f7a1b11"
    data = [{"text": "one", "n": 1}, {"text": "two", "n": 2}]
    write_argilla(path, data, ARGILLA[kind], question="q", type=kind, role=role, score=[0.5, 0.25], user_id=user)
    written = json.loads(path.read_text())
    for record in written:
        taken = rg.Record.from_dict(record).to_dict()
        for part in ("id", "fields", "metadata", "suggestions", "responses"):
            assert taken[part] == record[part]


def test_flat_records_of_argilla_are_read():
    rg = pytest.importorskip("argilla")
    from argilla.records._io import GenericIO

    user = "7b3c7f6e-5a2f-4f43-8d6e-4f4c2f7a1b11"
    made = [
        rg.Record(
            id=str(k),
            fields={"text": f"t{k}"},
            metadata={"n": k},
            responses=[rg.Response("q", value, user_id=user, status=status)],
            suggestions=[rg.Suggestion("q", "cat", score=0.5, agent="m")],
        )
        for k, (value, status) in enumerate([("cat", "submitted"), ("dog", "discarded"), ("owl", "draft")])
    ]
    flat = read_argilla(GenericIO.to_list(made, flatten=True), skipped="unknown")
    assert flat.y == ["cat", None, None]
    assert sorted(flat.data.columns) == ["n", "text"]
    assert read_argilla(GenericIO.to_list(made, flatten=False)).y == ["cat", "dog", "owl"]  # the status is lost
