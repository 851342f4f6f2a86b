"""Argilla: flat and nested records, statuses, rankings with ties, and the way back."""

import json

import pytest

from infimum import PartialClassifier, PartialRanker
from infimum.io import MeaningError, read_argilla, write_argilla


def flat(key, question, values, users=None, status=None, **data):
    return {
        "id": str(key),
        "status": "completed",
        "_server_id": "s",
        **(data or {"text": f"text {key}"}),
        f"{question}.responses": values,
        f"{question}.responses.users": users or [f"u{k}" for k in range(len(values))],
        f"{question}.responses.status": status or ["submitted"] * len(values),
        f"{question}.suggestion": "x",
        f"{question}.suggestion.score": 0.5,
        f"{question}.suggestion.agent": "m",
    }


def nested(key, **responses):
    return {
        "id": str(key),
        "fields": {"text": f"text {key}"},
        "metadata": {"length": key},
        "suggestions": {"label": {"value": "a", "score": 0.9, "agent": "gpt"}},
        "responses": {q: [{"value": v, "user_id": f"u{k}"} for k, v in enumerate(vs)] for q, vs in responses.items()},
        "vectors": {},
        "status": "completed",
        "_server_id": None,
    }


def test_nested_labels(write):
    records = read_argilla(write("r.json", [nested(1, label=["a"]), nested(2, label=["b"]), nested(3)]))
    assert records.y == ["a", "b", None]
    assert records.ids == ["1", "2", "3"]
    assert list(records.data.columns) == ["text", "length"]


def test_flat_labels_with_statuses():
    rows = [
        flat(1, "label", ["a", "b"], status=["submitted", "draft"]),
        flat(2, "label", ["b"]),
        flat(3, "label", [None], status=["discarded"]),
    ]
    with pytest.raises(MeaningError, match=r"(?s)what a skipped row means.*record 3") as refused:
        read_argilla(rows)
    assert refused.value.argument == "skipped"
    records = read_argilla(rows, skipped="unknown")
    assert records.y == ["a", "b", None]  # a draft is no answer yet
    assert list(records.data.columns) == ["text"]
    assert read_argilla(rows, skipped="drop").ids == ["1", "2"]
    # a discarded response is skipped even where it holds a value
    assert read_argilla([flat(1, "q", ["a"], status=["discarded"])], skipped="unknown").y == [None]


def test_records_that_argilla_padded_with_none():
    rows = [
        flat(1, "label", ["a"]),
        {**flat(2, "label", ["a"]), "label.responses": None, "label.responses.users": None},
    ]
    rows[1]["label.responses.status"] = None
    assert read_argilla(rows).y == ["a", None]


def test_several_labels_or_a_ranking_is_not_guessed():
    rows = [nested(1, topics=[["t1", "t2"]]), nested(2, topics=[["t3"]])]
    with pytest.raises(MeaningError) as refused:
        read_argilla(rows)
    assert (
        str(refused.value)
        == """\
the list does not specify what several names in one answer mean. The result of each choice for its rows:
  record 1: ['t1', 't2']
    meaning="one_of"                 ->  {'t1', 't2'}
    meaning="all_of", unticked="no"  ->  {'t1': True, 't2': True, 't3': False}
    meaning="known_tags"             ->  {'t1': True, 't2': True}
    meaning="order"                  ->  [('t1', 't2')]
  record 2: ['t3']
    meaning="one_of"                 ->  't3'
    meaning="all_of", unticked="no"  ->  {'t1': False, 't2': False, 't3': True}
    meaning="known_tags"             ->  {'t3': True}
    meaning="order"                  ->  None
Choose one with meaning=…."""
    )
    assert read_argilla(rows, meaning="one_of").y == [{"t1", "t2"}, "t3"]
    assert read_argilla(rows, meaning="order").y == [[("t1", "t2")], None]
    assert read_argilla(rows, meaning="known_tags").y == [{"t1": True, "t2": True}, {"t3": True}]


def test_rankings_with_ties():
    value = [{"value": "B", "rank": 1}, {"value": "A", "rank": 1}, {"value": "C", "rank": 3}]
    for rows in ([nested(1, rank=[value])], [flat(1, "rank", [value])]):
        records = read_argilla(rows)
        assert records.y == [[("A", "C"), ("B", "C")]]
        assert records.kind == "ranking"


def test_ratings():
    assert read_argilla([nested(1, stars=[4]), nested(2, stars=[2])]).y == [4, 2]
    assert read_argilla([nested(1, stars=[4, 5])], annotators="rows").annotators == ["u0", "u1"]


def test_one_question_of_several_is_named():
    rows = [nested(1, label=["a"], stars=[4])]
    with pytest.raises(ValueError, match=r"has 2 questions. Its questions are: label, stars. Name one"):
        read_argilla(rows)
    assert read_argilla(rows, question="stars").y == [4]
    with pytest.raises(ValueError, match=r"has no question 'topic'"):
        read_argilla(rows, question="topic")


@pytest.mark.parametrize(
    "row, message",
    [
        (nested(1, q=[[{"start": 0, "end": 3, "label": "x"}]]), "record 1: expected a label, a list"),
        (nested(1, q=[["a", "a"]]), "a name is repeated"),
        (nested(1, q=[[{"value": "a", "rank": 1}, {"value": "a", "rank": 2}]]), "every option once"),
        (flat(1, "q", ["a"], users=["u", "v"]), "1 responses to 'q', 2 users"),
        ({"id": "1", "fields": {}, "responses": {"q": ["a"]}}, "expected responses with 'value'"),
    ],
)
def test_broken_records_are_refused(row, message):
    with pytest.raises(ValueError, match=message):
        read_argilla([row])


def test_suggestions_out(tmp_path):
    records = read_argilla([nested(1, label=["a"]), nested(2, label=["b"])])
    write_argilla(tmp_path / "s.json", records, ["b", None], question="label", score=[0.25, 0.5])
    first, second = json.loads((tmp_path / "s.json").read_text())
    assert first["suggestions"] == {"label": {"value": "b", "score": 0.25, "agent": "infimum"}}
    assert first["fields"] == {"text": "text 1"}
    assert first["metadata"] == {"length": 1}
    assert second["suggestions"] == {}


def test_what_a_question_cannot_hold_is_refused_by_row(tmp_path):
    out = {"path": tmp_path / "a.json", "records": ["one"], "question": "q"}
    with pytest.raises(ValueError, match=r"row 0: expected one label, got 2"):
        write_argilla(y=[{"a", "b"}], **out)
    with pytest.raises(ValueError, match=r"row 0: expected an order without ties"):
        write_argilla(y=[{"a": 1, "b": 1}], type="ranking", **out)
    with pytest.raises(ValueError, match=r"requires a user"):
        write_argilla(y=["a"], role="responses", **out)
    with pytest.raises(ValueError, match=r"The data have no column 'body'. They have text"):
        write_argilla(y=["a"], fields=["body"], **out)


def test_from_records_to_models():
    rows = [flat(k, "label", ["a" if k < 5 else "b"], x=float(k)) for k in range(10)]
    records = read_argilla(rows)
    assert PartialClassifier().fit(records.data[["x"]].to_numpy(), records.y).predict([[0.0], [9.0]]).tolist() == [
        "a",
        "b",
    ]
    ranks = [[{"value": "A", "rank": 1 + (k > 4)}, {"value": "B", "rank": 1 + (k < 5)}] for k in range(10)]
    orders = read_argilla([flat(k, "q", [r], x=float(k)) for k, r in enumerate(ranks)])
    model = PartialRanker().fit(orders.data[["x"]].to_numpy(), orders.y)
    assert model.predict([[0.0], [9.0]]).tolist() == [["A", "B"], ["B", "A"]]
