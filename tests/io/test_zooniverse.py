"""Zooniverse: classification exports in, manifests out."""

import csv
import io
import json

import pytest

from infimum import PartialClassifier
from infimum.io import MeaningError, read_zooniverse, write_zooniverse

FIRST = ["classification_id", "user_name", "user_id", "user_ip", "workflow_id", "workflow_name", "workflow_version"]
LAST = ["created_at", "gold_standard", "expert", "metadata", "annotations", "subject_data", "subject_ids"]


def export(*rows, workflow="10"):
    """A classification export; rows are (volunteer, subject, {task: value})."""
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow([*FIRST, *LAST])
    for k, (who, subject, tasks) in enumerate(rows):
        told = [{"task": task, "task_label": "?", **({} if v is ... else {"value": v})} for task, v in tasks.items()]
        data = {str(subject): {"retired": None, "x": float(subject), "objectId": f"Z{subject}"}}
        name = workflow[k] if isinstance(workflow, list) else workflow
        cells = [k, who, "", "ip", name, "w", "1.1", "now", "", "", "{}", json.dumps(told), json.dumps(data), subject]
        writer.writerow(cells)
    return text.getvalue()


def test_one_row_a_subject(write):
    path = write("c.csv", export(("ann", 7, {"T0": "Yes"}), ("bob", 7, {"T0": "No"}), ("ann", 8, {"T0": "Yes"})))
    with pytest.raises(MeaningError, match=r"annotator ann: 'Yes'; annotator bob: 'No'"):
        read_zooniverse(path)
    records = read_zooniverse(path, annotators="vote")
    assert records.ids == ["7", "8"]
    assert records.y == [None, "Yes"]  # a tie of all classes says nothing
    assert records.data["objectId"].to_list() == ["Z7", "Z8"]
    assert list(records.data.columns) == ["x", "objectId"]
    assert read_zooniverse(path, annotators="rows").annotators == ["ann", "bob", "ann"]


def test_several_answers_surveys_and_sliders(write):
    several = write("c.csv", export(("ann", 7, {"T1": ["red", "round"]}), ("ann", 8, {"T1": ["red"]})))
    with pytest.raises(MeaningError, match=r"what several names in one answer mean"):
        read_zooniverse(several)
    assert read_zooniverse(several, meaning="known_tags").y == [{"red": True, "round": True}, {"red": True}]
    survey = write("s.csv", export(("ann", 7, {"T0": [{"choice": "AGOUTI", "answers": {}}]})))
    assert read_zooniverse(survey).y == ["AGOUTI"]
    slider = write("n.csv", export(("ann", 7, {"T0": 0.25})))
    assert read_zooniverse(slider).y == [0.25]


def test_a_question_without_a_value_is_skipped_and_one_that_was_not_asked_is_unknown(write):
    path = write("c.csv", export(("ann", 7, {"T0": ...}), ("ann", 8, {"T0": "Yes"}), ("ann", 9, {"T1": "No"})))
    with pytest.raises(ValueError, match=r"has 2 tasks. Its tasks are: T0, T1. Name one with task="):
        read_zooniverse(path)
    with pytest.raises(MeaningError, match=r"what a skipped row means"):
        read_zooniverse(path, task="T0")
    assert read_zooniverse(path, task="T0", skipped="unknown").y == [None, "Yes", None]
    dropped = read_zooniverse(path, task="T0", skipped="drop")
    assert (dropped.ids, dropped.y) == (["8", "9"], ["Yes", None])


def test_combined_tasks_are_taken_apart(write):
    combined = [{"task": "T0", "value": "Yes"}, {"task": "T1", "value": ["a"]}]
    path = write("c.csv", export(("ann", 7, {"T5": combined})))
    assert read_zooniverse(path, task="T0").y == ["Yes"]
    assert read_zooniverse(path, task="T1").y == ["a"]


def test_workflows_are_not_mixed(write):
    path = write("c.csv", export(("ann", 7, {"T0": "Yes"}), ("ann", 8, {"T0": "3"}), workflow=["10", "11"]))
    with pytest.raises(ValueError, match=r"has 2 workflows. Its workflows are: 10, 11. Name one"):
        read_zooniverse(path)
    assert read_zooniverse(path, workflow=11).y == ["3"]
    with pytest.raises(ValueError, match=r"has no workflow '12'"):
        read_zooniverse(path, workflow=12)


def test_broken_exports_are_refused_by_line(write):
    with pytest.raises(ValueError, match=r"has no column 'annotations'"):
        read_zooniverse(write("c.csv", "a,b\n1,2\n"))
    good = export(("ann", 7, {"T0": "Yes"}), ("ann", 8, {"T0": "Yes"}))
    broken = good.replace('""value"": ""Yes""}]","{""8""', '""value"": }]","{""8""')
    assert broken != good
    with pytest.raises(ValueError, match=r"line 3: column 'annotations', line 1, column 45: invalid JSON"):
        read_zooniverse(write("c.csv", broken))
    drawing = export(("ann", 7, {"T0": [{"tool": 0, "x": 1}]}))
    with pytest.raises(ValueError, match=r"line 2: task T0: expected a name, names, choices of a survey or a number"):
        read_zooniverse(write("c.csv", drawing))


def test_a_manifest_out(write, tmp_path):
    records = read_zooniverse(write("c.csv", export(("ann", 7, {"T0": "Yes"}), ("ann", 8, {"T0": "No"}))))
    write_zooniverse(tmp_path / "m.csv", records, [{"Yes", "No"}, None], score=[0.5, 0.25])
    assert (tmp_path / "m.csv").read_text() == (
        "subject_id,x,objectId,#infimum,#score\n7,7.0,Z7,No|Yes,0.5\n8,8.0,Z8,,0.25\n"
    )


def test_from_an_export_to_a_classifier(write):
    rows = [(f"v{v}", k, {"T0": "Yes" if k < 5 or v == 2 else "No"}) for k in range(10) for v in range(3)]
    records = read_zooniverse(write("c.csv", export(*rows)), annotators="vote")
    model = PartialClassifier().fit(records.data[["x"]].to_numpy(), records.y)
    assert model.predict([[0.0], [9.0]]).tolist() == ["Yes", "No"]
