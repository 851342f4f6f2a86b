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
from ._files import BadRecords, Path_, check_scalars, name_of, read_records, write_json
from ._meaning import Answer, Entry, ReadOptions, one_of, pick
from ._records import Records
from ._write import buckets_in, chain_in, converted, number_in, rows_to_write, text_names, type_of

OWN = ("id", "status", "_server_id", "inserted_at", "updated_at")
RESPONSES = (".responses", ".responses.users", ".responses.status")
SUGGESTIONS = (".suggestion", ".suggestion.score", ".suggestion.agent")
TYPES = ("label", "multi_label", "ranking", "rating")
OF_KIND = {"labels": "label", "tags": "multi_label", "ranking": "ranking", "number": "rating"}
"""The type of a question by the kind of the labels."""


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
    bad = BadRecords(source)
    parts = []
    for place, record in found:
        with bad.at(place):
            parts.append((place, record.get("id"), *_parts(record)))
    bad.raise_if_any("Export the records again, with to_dict, to_json or to_list of Argilla.")
    names = [name for *_, responses in parts for name in responses]
    question = pick(source, "question", "question", names, question) if names else question or ""
    entries: list[Entry] = []
    for place, key, data, responses in parts:
        entries.append(Entry(len(entries) + 1 if key is None else key, place, data))
        for value, who, status in responses.get(question, ()):
            with bad.at(place):
                answer = Answer("skipped") if status == "discarded" or value is None else _answer(value)
                if status != "draft":  # a draft is no answer yet
                    entries[-1].answers.append(answer._replace(annotator=who))
    bad.raise_if_any(f"See the responses to {question!r} in {source}.")
    return assemble(source, entries, options, meanings=("one_of", "all_of", "known_tags", "order"))


def _parts(record: dict) -> tuple[dict, dict[str, list[tuple]]]:
    """Return the data of a record, and (value, user, status) of the responses to each question."""
    if isinstance(record.get("fields"), Mapping):
        for field in ("metadata", "vectors", "responses"):
            if not isinstance(record.get(field) or {}, Mapping):
                raise ValueError(f"expected an object in {field!r}, got {shown(record[field])}")
        data = {**record["fields"], **(record.get("metadata") or {}), **(record.get("vectors") or {})}
        return data, {name: _nested(name, given or []) for name, given in (record.get("responses") or {}).items()}
    # the flat form mixes the columns of questions with fields and metadata
    data = {k: cell for k, cell in record.items() if k not in OWN and not k.endswith((*RESPONSES, *SUGGESTIONS))}
    names = [key.removesuffix(".responses") for key in record if key.endswith(".responses")]
    return data, {name: _flat(name, [record.get(f"{name}{end}") or [] for end in RESPONSES]) for name in names}


def _nested(question: str, responses: Any) -> list[tuple]:
    listed = isinstance(responses, list | tuple)
    if not listed or not all(isinstance(response, Mapping) and "value" in response for response in responses):
        raise ValueError(f"expected responses with 'value' to {question!r}, got {shown(responses)}")
    return [(response["value"], response.get("user_id"), response.get("status")) for response in responses]


def _flat(question: str, columns: list) -> list[tuple]:
    values = columns[0]
    if not all(isinstance(column, list | tuple) for column in columns):
        raise ValueError(f"expected lists of responses, users and statuses to {question!r}, got {shown(values)}")
    users, status = (column or [None] * len(values) for column in columns[1:])
    if not len(values) == len(users) == len(status):
        raise ValueError(f"{len(values)} responses to {question!r}, {len(users)} users, {len(status)} statuses")
    return list(zip(values, users, status))


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
    type: str | None = None,
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
    type : {"label", "multi_label", "ranking", "rating"}, optional
        The type of the question. By default that of the labels if `records` are `Records`, and "label" for classes.
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
    type = type_of(records, type, OF_KIND, TYPES)
    one_of("role", role, ("suggestions", "responses"))
    if role == "responses" and user_id is None:
        raise ValueError('role="responses" requires a user. Pass user_id=….')
    rows = rows_to_write(records, y, score, classes)
    values = converted(
        rows,
        lambda cell: _value(cell, type, role, classes),
        f"A question of the type {type!r} cannot contain these. Leave such rows out, or pass None for them.",
    )
    found = []
    for row, value in zip(rows, values):
        own = [column for column, cell in row.data.items() if isinstance(cell, str)] if fields is None else fields
        missing = [column for column in own if column not in row.data]
        if missing:
            raise ValueError(f"The data have no column {missing[0]!r}. They have {', '.join(row.data)}.")
        answer = {"value": value, "score": row.score, "agent": agent}
        found.append({
            "id": str(row.id),
            "fields": {column: row.data[column] for column in own},
            "metadata": {column: cell for column, cell in row.data.items() if column not in own and cell is not None},
            "suggestions": {question: answer} if value is not None and role == "suggestions" else {},
            "responses": {question: [{"value": value, "user_id": user_id}]}
            if value is not None and role == "responses" else {},
        })  # fmt: skip
    write_json(path, found)


def _value(cell: Any, kind: str, role: str, classes: Any) -> Any:
    """Return a cell of y as the value of a suggestion or a response."""
    if kind == "rating":
        return number_in(cell)
    if kind == "ranking":
        if role == "suggestions":
            return [str(item) for item in chain_in(cell)]
        return [{"value": str(i), "rank": k} for k, bucket in enumerate(buckets_in(cell), start=1) for i in bucket]
    names = text_names(cell, classes)
    if kind == "label" and len(names) != 1:
        raise ValueError(f"expected one label, got {len(names)}: {names}")
    return names if kind == "multi_label" else names[0]
