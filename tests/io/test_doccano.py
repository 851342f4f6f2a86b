"""doccano: JSON Lines, CSV and zips in; JSON Lines and CSV out."""

import json
import zipfile

import pytest

from infimum import PartialClassifier
from infimum.io import MeaningError, read_doccano, write_doccano


def line(key, *labels, **more):
    return {"id": key, "text": f"text {key}", "label": list(labels), "Comments": [], **more}


def test_json_lines(write):
    records = read_doccano(write("all.jsonl", [line(1, "negative"), line(2, "positive")]))
    assert records.y == ["negative", "positive"]
    assert records.ids == [1, 2]
    assert list(records.data.columns) == ["text", "Comments"]


def test_images_and_other_fields():
    assert read_doccano([{"id": 1, "filename": "a.png", "label": ["cat"]}]).data["filename"].to_list() == ["a.png"]
    assert read_doccano([{"id": 1, "text": "a", "cats": ["x"]}]).y == ["x"]
    assert read_doccano([{"id": 1, "text": "a", "kind": "x#y"}], label="kind").y == ["x#y"]
    with pytest.raises(ValueError, match=r"has no field 'label' or 'labels' or 'cats'. Its fields are: 'text'"):
        read_doccano([{"text": "a"}])


def test_csv_joins_labels(write):
    path = write("all.csv", 'id,text,label\n1,"one, two",a#b\n2,three,a\n3,four,\n')
    assert read_doccano(path, meaning="one_of", empty="unknown").y == [{"a", "b"}, "a", None]
    with pytest.raises(MeaningError, match=r"(?s)what several names.*line 2: \['a', 'b'\]"):
        read_doccano(path, empty="drop")


def test_what_no_label_means_is_not_guessed():
    rows = [line(1, "a"), line(2), line(3)]
    with pytest.raises(MeaningError) as refused:
        read_doccano(rows)
    assert refused.value.argument == "empty"
    assert str(refused.value).startswith("the list does not specify what an empty list of labels means.")
    assert "record 2: []" in str(refused.value)
    assert "record 3: []" in str(refused.value)
    assert read_doccano(rows, empty="unknown").y == ["a", None, None]
    assert read_doccano(rows, empty="drop").ids == [1]
    assert read_doccano(rows, empty="no", meaning="all_of", unticked="no").y == [
        {"a": True},
        {"a": False},
        {"a": False},
    ]
    with pytest.raises(ValueError, match='empty="no" makes every tag absent'):
        read_doccano(rows, empty="no")


def test_a_zip_has_one_file_an_annotator(tmp_path):
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("ann.jsonl", json.dumps(line(1, "a")) + "\n" + json.dumps(line(2, "a")))
        archive.writestr("bob.jsonl", json.dumps(line(1, "b")))
    with pytest.raises(MeaningError, match=r"annotator ann: 'a'; annotator bob: 'b'"):
        read_doccano(path)
    assert read_doccano(path, annotators="union").y == [{"a", "b"}, "a"]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("all.csv", "id,text,label\n1,one,a#b\n")
    assert read_doccano(path, meaning="known_tags").y == [{"a": True, "b": True}]
    assert read_doccano(path, meaning="known_tags", annotators="rows").annotators == [None]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "")
    with pytest.raises(ValueError, match=r"contains no .jsonl"):
        read_doccano(path)


def test_spans_are_refused():
    with pytest.raises(ValueError, match=r"record 1: expected a list of names in 'label', got \[\[0, 3, 'PER'\]\]"):
        read_doccano([{"id": 1, "text": "Ann", "label": [[0, 3, "PER"]]}])


def test_out(tmp_path):
    write_doccano(tmp_path / "a.jsonl", ["one", "two"], [{"b", "a"}, None], score=[0.5, 0.1])
    lines = [json.loads(text) for text in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert lines[0] == {"id": 1, "text": "one", "label": ["a", "b"], "score": 0.5}
    assert lines[1]["label"] == []
    write_doccano(tmp_path / "a.csv", ["one", "two"], [{"b", "a"}, None])
    assert (tmp_path / "a.csv").read_text() == "id,text,label\n1,one,a#b\n2,two,\n"
    with pytest.raises(ValueError, match=r"row 0: a name with '#' would be read as two names"):
        write_doccano(tmp_path / "a.csv", ["one"], ["c#"])
    with pytest.raises(ValueError, match=r"a column 'label'"):
        write_doccano(tmp_path / "a.csv", [{"label": 1}], ["c"])


def test_from_an_export_to_a_classifier(write):
    rows = [line(k, *(("a", "b") if k == 4 else "a" if k < 5 else "b"), x=float(k)) for k in range(10)]
    records = read_doccano(write("all.jsonl", rows), meaning="one_of")
    assert PartialClassifier().fit(records.data[["x"]].to_numpy(), records.y).predict([[0.0], [9.0]]).tolist() == [
        "a",
        "b",
    ]
