"""Prodigy: binary decisions, choices, what reject means, and tasks out."""

import json

import pytest

from infimum import Not, PartialClassifier, PartialMultilabelClassifier
from infimum.io import MeaningError, read_prodigy, write_prodigy


def decision(text, label, answer, **more):
    return {"text": text, "label": label, "answer": answer, "_task_hash": 7, "_view_id": "classification", **more}


def choice(text, accept, answer="accept", options="ABC", **more):
    listed = [{"id": name, "text": name.lower()} for name in options]
    return {"text": text, "options": listed, "accept": accept, "answer": answer, "_view_id": "choice", **more}


def test_binary_decisions(write):
    lines = [
        decision("one", "INSULT", "accept"),
        decision("two", "INSULT", "reject"),
        decision("three", "SPAM", "accept", meta={"source": "web"}),
        decision("four", "SPAM", "ignore"),
    ]
    path = write("d.jsonl", lines)
    with pytest.raises(MeaningError, match=r"(?s)what a skipped row means.*line 4"):
        read_prodigy(path)
    records = read_prodigy(path, skipped="unknown")
    assert records.y == ["INSULT", Not("INSULT"), "SPAM", None]
    assert records.data["text"].to_list() == ["one", "two", "three", "four"]
    assert records.data["meta.source"].to_list()[2] == "web"
    assert list(records.data.columns) == ["text", "meta.source"]
    tags = read_prodigy(path, skipped="drop", meaning="known_tags")
    assert tags.y == [{"INSULT": True}, {"INSULT": False}, {"SPAM": True}]


def test_decisions_on_one_input_are_one_answer():
    lines = [
        decision("one", "INSULT", "reject", _input_hash=1),
        decision("one", "SPAM", "reject", _input_hash=1),
        decision("one", "JOKE", "ignore", _input_hash=1),
        decision("two", "SPAM", "accept", _input_hash=2),
        decision("two", "INSULT", "reject", _input_hash=2),
    ]
    records = read_prodigy(lines)
    assert records.y == [Not("INSULT", "SPAM"), "SPAM"]
    assert records.ids == [1, 2]


def test_two_accepted_labels_are_tags_or_a_contradiction():
    lines = [decision("one", label, "accept", _input_hash=1) for label in ("INSULT", "SPAM")]
    with pytest.raises(MeaningError, match=r'(?s)several names.*meaning="known_tags" +->  \{.INSULT.: True') as refused:
        read_prodigy(lines)
    assert "one_of" not in str(refused.value)
    # a label that was not judged was not asked about: there is nothing to say of what is unticked
    lines.append(decision("two", "JOKE", "reject", _input_hash=2))
    for settings in ({"unticked": "no"}, {"unticked": "unknown"}, {}):
        assert read_prodigy(lines, meaning="all_of", **settings).y == [{"INSULT": True, "SPAM": True}, {"JOKE": False}]
    lines.pop()
    assert read_prodigy(lines, meaning="known_tags").y == [{"INSULT": True, "SPAM": True}]
    with pytest.raises(ValueError, match=r"at most one label can be true, got 'INSULT', 'SPAM'"):
        read_prodigy(lines, meaning="one_of")


def test_not_the_only_label_is_not_guessed():
    lines = [decision("one", "INSULT", "accept"), decision("two", "INSULT", "reject")]
    with pytest.raises(MeaningError, match=r"(?s)meaning=\"known_tags\" +->  \{'INSULT': False\}.*Not\('INSULT'\)"):
        read_prodigy(lines)
    assert read_prodigy(lines, meaning="known_tags").y == [{"INSULT": True}, {"INSULT": False}]
    assert read_prodigy(lines, classes=["INSULT", "FINE"]).y == ["INSULT", Not("INSULT")]


def test_annotators():
    lines = [
        decision("one", "SPAM", "accept", _input_hash=1, _annotator_id="ann"),
        decision("one", "SPAM", "reject", _input_hash=1, _annotator_id="bob"),
        decision("two", "HAM", "accept", _input_hash=2, _session_id="bob"),
    ]
    with pytest.raises(ValueError, match=r"no label is left: annotator ann: 'SPAM'; annotator bob: Not\('SPAM'\)"):
        read_prodigy(lines, annotators="intersect")
    assert read_prodigy(lines, annotators="rows").annotators == ["ann", "bob", "bob"]
    lines[1]["_annotator_id"] = "ann"
    with pytest.raises(ValueError, match=r"line 2|record 2: 'SPAM' is accepted and rejected by the same annotator"):
        read_prodigy(lines)


def test_choices():
    lines = [choice("one", ["A"]), choice("two", ["B"]), choice("three", [], "ignore")]
    assert read_prodigy(lines, skipped="drop").y == ["A", "B"]
    lines[0] = choice("one", ["A", "B"])
    with pytest.raises(MeaningError, match=r"what several names in one answer mean"):
        read_prodigy(lines, skipped="drop")
    assert read_prodigy(lines, meaning="one_of", skipped="unknown").y == [{"A", "B"}, "B", None]
    # the options that a task offers, not those of the whole file
    lines[1] = choice("two", ["B"], options="BD")
    tags = read_prodigy(lines, meaning="all_of", unticked="no", skipped="drop")
    assert tags.y == [{"A": True, "B": True, "C": False}, {"B": True, "D": False}]


def test_what_reject_means_on_a_choice_is_not_guessed():
    lines = [choice("one", ["A"]), choice("two", ["B"], "reject"), choice("three", [], "reject")]
    with pytest.raises(MeaningError) as refused:
        read_prodigy(lines)
    assert (
        str(refused.value)
        == """\
the list does not specify what a rejected choice means. The result of each choice for its rows:
  record 2: ['B']
    reject="not"      ->  Not('B')
    reject="unknown"  ->  None
    reject="drop"     ->  left out
  record 3: []
    reject="not"      ->  None
    reject="unknown"  ->  None
    reject="drop"     ->  left out
Choose one with reject=…."""
    )
    assert read_prodigy(lines, reject="not").y == ["A", Not("B"), None]
    assert read_prodigy(lines, reject="unknown").y == ["A", None, None]
    tags = read_prodigy(lines, reject="not", meaning="all_of", unticked="no")
    assert tags.y == [{"A": True, "B": False, "C": False}, {"B": False}, None]
    assert read_prodigy(lines, reject="drop").y == ["A"]
    with pytest.raises(ValueError, match=r"reject must be one of"):
        read_prodigy(lines, reject="yes")


@pytest.mark.parametrize(
    "lines, message",
    [
        ([decision("one", "A", "maybe")], "expected 'answer' to be accept, reject or ignore, got 'maybe'"),
        ([{"text": "one", "answer": "accept"}], "expected a text in 'label', got None"),
        ([choice("one", ["Z"])], r"'Z' is selected, but the options are \['A', 'B', 'C'\]"),
        ([choice("one", ["A"]), decision("one", "A", "accept")], "mixes choices .*record 1.* and decisions .*record 2"),
    ],
)
def test_broken_lines_are_refused(lines, message):
    with pytest.raises(ValueError, match=message):
        read_prodigy(lines)


def test_questions_out(tmp_path):
    path = tmp_path / "q.jsonl"
    write_prodigy(
        path, [{"body": "one", "meta.source": "web"}], [{"A", "B"}], classes=["A", "B", "C"], text="body", score=[0.5]
    )
    assert json.loads(path.read_text()) == {
        "text": "one",
        "options": [{"id": "A", "text": "A"}, {"id": "B", "text": "B"}, {"id": "C", "text": "C"}],
        "accept": ["A", "B"],
        "meta": {"source": "web", "score": 0.5},
    }
    with pytest.raises(ValueError, match=r"row 0: 'Z' is not among the classes \['A'\]"):
        write_prodigy(path, ["one"], ["Z"], classes=["A"])
    with pytest.raises(ValueError, match=r"a column 'answer', which is reserved in Prodigy"):
        write_prodigy(path, [{"text": "a", "answer": "b"}], ["A"], classes=["A"])


def test_from_decisions_to_a_classifier():
    lines = [
        decision(f"t{k}", "A" if k < 5 else "B", "reject" if k % 3 == 0 else "accept", x=float(k)) for k in range(12)
    ]
    records = read_prodigy(lines)
    assert PartialClassifier().fit(records.data[["x"]].to_numpy(), records.y).predict([[1.5], [11.0]]).tolist() == [
        "A",
        "B",
    ]
    tags = read_prodigy(lines, meaning="known_tags")
    model = PartialMultilabelClassifier().fit(tags.data[["x"]].to_numpy(), tags.y)
    assert model.predict([[1.0]])[0, 0] == 1
