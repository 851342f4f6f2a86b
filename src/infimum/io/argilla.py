"""Argilla 2: read records, nested or flat; write records with suggestions or responses.

Shapes: argilla 2.8, records/_io/_generic.py (`to_list`, flat and nested) and records/_resource.py (`Record.from_dict`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..data.errors import shown
from ..outputs.rankings.cells import rank_buckets
from ._assemble import assemble
from ._docs import FILES
from ._files import BadRecords, Found, Path_, check_scalars, name_of, read_records, write_json
from ._meaning import Answer, Entry, ReadOptions, one_of, pick
from ._records import Records
from ._write import Row, buckets_in, chain_in, converted, number_in, rows_to_write, text_names

MEANINGS = ("one_of", "all_of", "known_tags", "order")
OWN = ("id", "status", "_server_id", "inserted_at", "updated_at")
QUESTION_COLUMNS = (
    ".responses",
    ".responses.users",
    ".responses.status",
    ".suggestion",
    ".suggestion.score",
    ".suggestion.agent",
)
TYPES = ("label", "multi_label", "ranking", "rating")


@FILES
def read_argilla(
    path: Path_ | Iterable[dict],
    *,
    question: str | None = None,
    meaning: str | None = None,
    unticked: str | None = None,
    skipped: str | None = None,
    annotators: str | None = None,
    conflict: str = "error",
    classes: list | None = None,
    backend: str | None = None,
) -> Records:
    """Read records of Argilla: nested JSON (``records.to_json``) or flat rows (``records.to_list(flatten=True)``).

    Prefer the flat form, which keeps the status of every response. A discarded response is skipped, and a draft is no
    answer yet. Nested JSON has no status. A ranking with ranks (``[{"value": "A", "rank": 1}, …]``) is read with its
    ties. Argilla 2 exports names only; ``meaning="order"`` reads the list as a ranking instead of several labels.

    Parameters
    ----------
    path : path, or the records as a list of dicts
        The file.
    question : str, optional
        The question to read; required if there are several.
    meaning : {"one_of", "all_of", "known_tags", "order"}, optional
        What a list of names means.
    unticked, skipped, annotators, conflict, classes, backend : shared

    Examples
    --------
    >>> rows = [{"id": "1", "text": "purrs", "label.responses": ["cat"], "label.responses.users": ["u"],
    ...          "label.responses.status": ["submitted"]}]
    >>> read_argilla(rows).y
    ['cat']
    """
    options = ReadOptions(meaning, unticked, skipped, annotators, conflict, classes, backend)
    source = name_of(path)
    found = read_records(path)
    check_scalars(source, found, "id")
    _check_objects(source, found)
    flat = [_is_flat(record.value) for record in found]
    question = _question(source, found, question)
    bad = BadRecords(source)
    entries = []
    for k, (record, is_flat) in enumerate(zip(found, flat)):
        key = record.value.get("id")
        entry = Entry(k + 1 if key is None else key, record.place, _data(record.value, is_flat))
        responses = (_flat_responses if is_flat else _nested_responses)(record, question, bad)
        for value, who, status in responses:
            if status == "draft":
                continue
            try:
                answer = Answer("skipped") if status == "discarded" or value is None else _answer(value)
            except ValueError as error:
                bad.add(record.place, str(error))
                continue
            entry.answers.append(answer._replace(annotator=who))
        entries.append(entry)
    bad.refuse(f"See the responses to {question!r} in {source}.")
    return assemble(source, entries, options, meanings=MEANINGS)


def _check_objects(source: str, found: list[Found]) -> None:
    bad = BadRecords(source)
    for place, record in found:
        for field in () if _is_flat(record) else ("metadata", "vectors", "responses"):
            if not isinstance(record.get(field) or {}, Mapping):
                bad.add(place, f"expected an object in {field!r}, got {shown(record[field])}")
    bad.refuse("Export the records again, with to_dict or to_json of Argilla.")


def _is_flat(record: Mapping) -> bool:
    return not isinstance(record.get("fields"), Mapping)


def _question(source: str, found: list[Found], question: str | None) -> str:
    """Return the question to read: the given one, or the only one."""
    names: dict[str, None] = {}
    for _, record in found:
        if _is_flat(record):
            names.update(dict.fromkeys(key.removesuffix(".responses") for key in record if key.endswith(".responses")))
        else:
            names.update(dict.fromkeys(record.get("responses") or {}))
    if not names:  # without responses every record is unlabelled
        return question or ""
    return pick(source, "question", "question", names, question)


def _data(record: Mapping, flat: bool) -> dict:
    """Return fields, metadata and vectors; the flat form mixes them with the columns of questions."""
    if not flat:
        return {**record["fields"], **(record.get("metadata") or {}), **(record.get("vectors") or {})}
    return {key: value for key, value in record.items() if key not in OWN and not key.endswith(QUESTION_COLUMNS)}


def _flat_responses(record: Found, question: str, bad: BadRecords) -> list[tuple]:
    parts = [record.value.get(f"{question}.responses{part}") or [] for part in ("", ".users", ".status")]
    values = parts[0]
    if not all(isinstance(part, list | tuple) for part in parts):
        bad.add(record.place, f"expected lists of responses, users and statuses to {question!r}, got {shown(values)}")
        return []
    users, status = (part or [None] * len(values) for part in parts[1:])
    if not len(values) == len(users) == len(status):
        bad.add(record.place, f"{len(values)} responses to {question!r}, {len(users)} users, {len(status)} statuses")
        return []
    return list(zip(values, users, status))


def _nested_responses(record: Found, question: str, bad: BadRecords) -> list[tuple]:
    responses = (record.value.get("responses") or {}).get(question) or []
    listed = isinstance(responses, list | tuple)
    if not listed or not all(isinstance(response, Mapping) and "value" in response for response in responses):
        bad.add(record.place, f"expected responses with 'value' to {question!r}, got {shown(responses)}")
        return []
    return [(response["value"], response.get("user_id"), response.get("status")) for response in responses]


def _answer(value: Any) -> Answer:
    """Return the answer in the value of a response."""
    if isinstance(value, str):
        return Answer("names", [value])
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Answer("number", value)
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        if len(set(value)) < len(value):
            raise ValueError(f"a name is repeated in {value!r}")
        return Answer("names", value)
    if isinstance(value, list) and all(isinstance(v, Mapping) and {"value", "rank"} <= set(v) for v in value):
        ranks = {entry["value"]: entry["rank"] for entry in value}
        if len(ranks) < len(value) or not all(isinstance(rank, int) for rank in ranks.values()):
            raise ValueError(f"expected every option once with a whole rank, got {value!r}")
        return Answer("order", rank_buckets(ranks))
    raise ValueError(f"expected a label, a list of labels, a ranking with 'rank' or a number, got {value!r}")


@FILES
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
    """Write nested JSON for ``rg.Record.from_dict`` and ``records.from_json``, completely or not at all.

    With ``role="responses"``, `read_argilla` restores labels, lists of labels (given their meaning), rankings with ties
    and numbers. Suggested rankings have no ties, because Argilla 2 accepts names only.

    Parameters
    ----------
    path, records, y : shared
    question : str
        The name of the question in the settings of the dataset.
    type : {"label", "multi_label", "ranking", "rating"}
        The type of the question; by default that of the labels.
    fields : list of str, optional
        The columns that are fields; the others become metadata. By default, those that contain text.
    score : shared
    role : {"suggestions", "responses"}
        Whether y are shown as proposals or stored as answers.
    agent : str
        The name of the source of suggestions.
    user_id : str
        The id of the user, for ``role="responses"``.
    classes : list, optional
        All classes, for `Not` and for arrays of tags.
    """
    one_of("type", type, TYPES)
    one_of("role", role, ("suggestions", "responses"))
    if role == "responses" and user_id is None:
        raise ValueError('role="responses" requires a user. Pass user_id=….')
    rows = rows_to_write(records, y, score, classes)
    values = converted(
        rows,
        lambda cell: _value(cell, type, role, classes),
        f"A question of the type {type!r} cannot contain these. Leave such rows out, or pass None for them.",
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
