"""Argilla 2: records in, nested or flat; records with suggestions or responses out.

Shapes: argilla 2.8, records/_io/_generic.py (`to_list`, flat and nested) and records/_resource.py (`Record.from_dict`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ._assemble import assemble
from ._cells import rank_buckets
from ._files import Found, Path_, Refused, name_of, read_records, write_json
from ._meaning import Answer, Entry, Reading
from ._records import Records
from ._write import Row, buckets_in, chain_in, converted, number_in, rows_to_write, text_names

MEANINGS = ("one_of", "all_of", "known_tags", "order")
OWN = ("id", "status", "_server_id", "inserted_at", "updated_at")
ASKED = (
    ".responses",
    ".responses.users",
    ".responses.status",
    ".suggestion",
    ".suggestion.score",
    ".suggestion.agent",
)
TYPES = ("label", "multi_label", "ranking", "rating")


def read_argilla(
    path: Path_ | Iterable[dict],
    *,
    question: str | None = None,
    meaning: str | None = None,
    unticked: str | None = None,
    skipped: str | None = None,
    annotators: str | None = None,
    conflict: str = "refuse",
    classes: list | None = None,
    backend: str | None = None,
) -> Records:
    """Read records of Argilla: nested JSON (``records.to_json``) or flat rows (``records.to_list(flatten=True)``).

    Prefer the flat form: it keeps the status of every response. There, a discarded response is skipped and a draft is
    no answer yet; in nested JSON nobody can tell. A ranking is read with its ties where it holds ranks
    (``[{"value": "A", "rank": 1}, …]``); argilla 2 exports names alone, and then ``meaning="order"`` says that the
    list is a ranking and not several labels.

    Parameters
    ----------
    path : path, or the records as a list of dicts
    question : str, optional
        The question to read; needed where there are several.
    meaning : {"one_of", "all_of", "known_tags", "order"}, optional
        What a list of names says.
    unticked, skipped, annotators, conflict, classes, backend
        As in `read_label_studio`.

    Examples
    --------
    >>> rows = [{"id": "1", "text": "purrs", "label.responses": ["cat"], "label.responses.users": ["u"],
    ...          "label.responses.status": ["submitted"]}]
    >>> read_argilla(rows).y
    ['cat']
    """
    reading = Reading(meaning, unticked, skipped, annotators, conflict, classes, backend)
    source = name_of(path)
    found = read_records(path)
    flat = [_is_flat(record.value) for record in found]
    question = _question(source, found, question)
    bad = Refused(source)
    entries = []
    for k, (record, is_flat) in enumerate(zip(found, flat)):
        key = record.value.get("id")
        entry = Entry(k + 1 if key is None else key, record.place, _data(record.value, is_flat))
        responses = (_flat_responses if is_flat else _nested_responses)(record, question, bad)
        for value, who, status in responses:
            if status == "draft":
                continue
            try:
                given = Answer("skipped") if status == "discarded" or value is None else _answer(value)
            except ValueError as error:
                bad.add(record.place, str(error))
                continue
            entry.answers.append(given._replace(annotator=who))
        entries.append(entry)
    bad.refuse(f"See the responses to {question!r} in {source}.")
    return assemble(source, entries, reading, meanings=MEANINGS)


def _is_flat(record: Mapping) -> bool:
    return not isinstance(record.get("fields"), Mapping)


def _question(source: str, found: list[Found], question: str | None) -> str:
    """The question to read: the one that was named, or the only one."""
    names: dict[str, None] = {}
    for _, record in found:
        if _is_flat(record):
            names.update(dict.fromkeys(key.removesuffix(".responses") for key in record if key.endswith(".responses")))
        else:
            names.update(dict.fromkeys(record.get("responses") or {}))
    if not names:  # nobody was asked yet: every record is unknown, whatever the question
        return question or ""
    shown = ", ".join(names)
    if question is None and len(names) != 1:
        raise ValueError(
            f"{source} has responses to {len(names)} questions: {shown}. Name the one to read with question=…."
        )
    if question is not None and question not in names:
        raise ValueError(f"{source} has no responses to {question!r}. Its questions with responses are: {shown}.")
    return next(iter(names)) if question is None else question


def _data(record: Mapping, flat: bool) -> dict:
    """Fields, metadata and vectors; the flat form keeps them beside what belongs to questions."""
    if not flat:
        return {**record["fields"], **(record.get("metadata") or {}), **(record.get("vectors") or {})}
    return {key: value for key, value in record.items() if key not in OWN and not key.endswith(ASKED)}


def _flat_responses(record: Found, question: str, bad: Refused) -> list[tuple]:
    values = record.value.get(f"{question}.responses") or []
    users = record.value.get(f"{question}.responses.users") or [None] * len(values)
    status = record.value.get(f"{question}.responses.status") or [None] * len(values)
    if not len(values) == len(users) == len(status):
        bad.add(record.place, f"{len(values)} responses to {question!r}, {len(users)} users, {len(status)} statuses")
        return []
    return list(zip(values, users, status))


def _nested_responses(record: Found, question: str, bad: Refused) -> list[tuple]:
    responses = (record.value.get("responses") or {}).get(question) or []
    if not all(isinstance(response, Mapping) and "value" in response for response in responses):
        bad.add(record.place, f"expected responses with 'value' to {question!r}, got {responses!r}")
        return []
    return [(response["value"], response.get("user_id"), response.get("status")) for response in responses]


def _answer(value: Any) -> Answer:
    """The answer in the value of a response."""
    if isinstance(value, str):
        return Answer("names", [value])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Answer("number", value)
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        if len(set(value)) < len(value):
            raise ValueError(f"a name comes twice in {value!r}")
        return Answer("names", value)
    if isinstance(value, list) and all(isinstance(v, Mapping) and {"value", "rank"} <= set(v) for v in value):
        ranks = {entry["value"]: entry["rank"] for entry in value}
        if len(ranks) < len(value) or not all(isinstance(rank, int) for rank in ranks.values()):
            raise ValueError(f"expected every option once with a whole rank, got {value!r}")
        return Answer("order", rank_buckets(ranks))
    raise ValueError(f"expected a label, a list of labels, a ranking with 'rank' or a number, got {value!r}")


def write_argilla(
    path: Path_,
    records: Any,
    y: Any = None,
    *,
    question: str,
    type: str = "label",
    fields: list[str] | None = None,
    score: Any = None,
    role: str = "suggestions",
    agent: str = "infimum",
    user_id: str | None = None,
    classes: list | None = None,
) -> None:
    """Write nested JSON that ``rg.Record.from_dict`` and ``records.from_json`` take, whole or not at all.

    What comes back as it was, by `read_argilla` of ``role="responses"``: labels, lists of labels with their meaning,
    rankings with ties, numbers. Suggested rankings have no ties: argilla 2 sends names alone.

    Parameters
    ----------
    path : path
    records : Records, frame, list of dicts or list of texts
    y : rows or what `predict` returned, optional
        By default that of the records; unknown rows (None) become records without an answer: questions.
    question : str
        The name of the question in the settings of the dataset.
    type : {"label", "multi_label", "ranking", "rating"}
    fields : list of str, optional
        The columns that are fields; the others become metadata. By default those that hold text.
    score : (n,) in [0, 1], optional
    role : {"suggestions", "responses"}
    agent : str
        Who suggests.
    user_id : str
        Who responds, for ``role="responses"``.
    classes : list, optional
        All classes, for `Not` and for arrays of tags.
    """
    if type not in TYPES:
        raise ValueError(f"type must be one of {', '.join(map(repr, TYPES))}. Got {type!r}.")
    if role not in ("suggestions", "responses"):
        raise ValueError(f'role must be "suggestions" or "responses". Got {role!r}.')
    if role == "responses" and user_id is None:
        raise ValueError('role="responses" needs the user who responds: pass user_id=….')
    rows = rows_to_write(records, y, score, classes)
    values = converted(
        "y",
        rows,
        lambda cell: _value(cell, type, role, classes),
        f"A question of the type {type!r} cannot hold these. Leave such rows out, or pass None for them.",
    )
    write_json(path, [_record(row, value, question, fields, role, agent, user_id) for row, value in zip(rows, values)])


def _value(cell: Any, kind: str, role: str, classes: Any) -> Any:
    if kind == "rating":
        return number_in(cell)
    if kind == "ranking":
        if role == "suggestions":
            return [str(item) for item in chain_in(cell)]
        return [{"value": str(i), "rank": k} for k, bucket in enumerate(buckets_in(cell), start=1) for i in bucket]
    names = text_names(cell, classes)
    if kind == "multi_label":
        return names
    if len(names) != 1:
        raise ValueError(f"expected one label, got {len(names)}: {names}")
    return names[0]


def _record(row: Row, value: Any, question: str, fields: Any, role: str, agent: str, user_id: Any) -> dict:
    if fields is None:
        fields = [column for column, cell in row.data.items() if isinstance(cell, str)]
    missing = [column for column in fields if column not in row.data]
    if missing:
        raise ValueError(f"The data have no column {missing[0]!r}. They have {', '.join(row.data)}.")
    record: dict = {
        "id": str(row.id),
        "fields": {column: row.data[column] for column in fields},
        "metadata": {column: cell for column, cell in row.data.items() if column not in fields and cell is not None},
        "suggestions": {},
        "responses": {},
    }
    if value is not None and role == "suggestions":
        record["suggestions"] = {question: {"value": value, "score": row.score, "agent": agent}}
    elif value is not None:
        record["responses"] = {question: [{"value": value, "user_id": user_id}]}
    return record
