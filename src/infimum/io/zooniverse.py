"""Zooniverse: read classification exports, write subject manifests.

Shapes: zooniverse/aggregation-for-caesar; https://help.zooniverse.org/next-steps/data-exports/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..data.limits import parse_json
from ._assemble import assemble
from ._docs import FILES
from ._files import BadRecords, Found, Path_, name_of, read_csv, write_csv
from ._meaning import Answer, Entry, ReadOptions, pick
from ._records import Records, text_cells
from ._write import rows_to_write

COLUMNS = ("annotations", "subject_data", "subject_ids")


@FILES
def read_zooniverse(
    path: Path_,
    *,
    task: str | None = None,
    workflow: str | int | None = None,
    meaning: str | None = None,
    unticked: str | None = None,
    skipped: str | None = None,
    annotators: str | None = None,
    conflict: str = "error",
    classes: list | None = None,
    backend: str | None = None,
) -> Records:
    """Read a classification export, a CSV with JSON in its cells: one row per subject, one answer per volunteer.

    Questions with one answer become labels. For questions and surveys with several, `meaning` decides. A slider becomes
    a number.

    Parameters
    ----------
    path : shared
    task : str, optional
        The task to read, such as "T0"; required if there are several.
    workflow : optional
        The id of the workflow to read; required if there are several, because every workflow has its own T0.
    meaning, unticked : shared
    skipped : {"unknown", "drop"}, optional
        Whether questions without a value are unlabelled rows or are left out. Required if there are any.
    annotators, conflict, classes, backend : shared
    """
    options = ReadOptions(meaning, unticked, skipped, annotators, conflict, classes, backend)
    source = name_of(path)
    header, found = read_csv(path)
    missing = [column for column in COLUMNS if column not in header]
    if missing:
        raise ValueError(f"{source} has no column {missing[0]!r}. Its columns are {', '.join(header)}.")
    found = _of_workflow(source, found, workflow)
    bad = BadRecords(source)
    parsed = [(record, _tasks(record, bad)) for record in found]
    bad.refuse("Export the classifications again; these cells must contain JSON.")
    task = pick(source, "task", "task", (name for _, tasks in parsed for name in tasks), task)
    entries: dict[str, Entry] = {}
    for record, tasks in parsed:
        subject = record.value["subject_ids"]
        entry = entries.setdefault(subject, Entry(subject, record.place, _subject(record, subject, bad)))
        if task in tasks:
            try:
                answer = _answer(tasks[task])
            except ValueError as error:
                bad.add(record.place, f"task {task}: {error}")
                continue
            entry.answers.append(answer._replace(annotator=_volunteer(record.value)))
    bad.refuse("Read a question, a survey or a slider; drawings and transcriptions are not supported.")
    return assemble(source, list(entries.values()), options)


def _of_workflow(source: str, found: list[Found], workflow: Any) -> list[Found]:
    ids = [record.value.get("workflow_id", "") for record in found]
    if not ids:
        return found
    wanted = pick(source, "workflow", "workflow", ids, None if workflow is None else str(workflow))
    return [record for record, key in zip(found, ids) if key == wanted]


def _json(record: Found, column: str, bad: BadRecords) -> Any:
    try:
        return parse_json(record.value[column], f"column {column!r}")
    except ValueError as error:
        bad.add(record.place, str(error))
        return None


def _tasks(record: Found, bad: BadRecords) -> dict[str, Any]:
    """Return task -> value; combined tasks are split, and a question without a value is None."""
    annotations = _json(record, "annotations", bad)
    if annotations is None:
        return {}
    if not isinstance(annotations, list) or not all(isinstance(one, Mapping) for one in annotations):
        bad.add(record.place, "expected a list of objects in 'annotations'", annotations)
        return {}
    return dict(_flat(annotations))


def _flat(annotations: list) -> Iterator[tuple[str, Any]]:
    for annotation in annotations:
        value = annotation.get("value")
        if isinstance(value, list) and value and all(isinstance(v, Mapping) and "task" in v for v in value):
            yield from _flat(value)
        else:
            yield str(annotation.get("task")), value


def _subject(record: Found, subject: str, bad: BadRecords) -> dict:
    """Return the metadata of a subject, without the fields that Zooniverse adds."""
    data = _json(record, "subject_data", bad)
    own = data.get(subject, {}) if isinstance(data, Mapping) else {}
    return {key: value for key, value in own.items() if key != "retired"} if isinstance(own, Mapping) else {}


def _volunteer(row: Mapping) -> str | None:
    return row.get("user_name") or row.get("user_id") or None


def _answer(value: Any) -> Answer:
    """Return the answer to a question, a survey or a slider."""
    if value is None or value == "":
        return Answer("skipped")
    if isinstance(value, str):
        return Answer("names", [value])
    if isinstance(value, bool):
        raise ValueError(f"expected a text, got {value!r}")
    if isinstance(value, int | float):
        return Answer("number", value)
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return Answer("names", list(dict.fromkeys(value)))
    if isinstance(value, list) and all(isinstance(v, Mapping) and isinstance(v.get("choice"), str) for v in value):
        return Answer("names", list(dict.fromkeys(v["choice"] for v in value)))
    raise ValueError(f"expected a name, names, choices of a survey or a number, got {str(value)[:80]}")


@FILES
def write_zooniverse(path: Path_, records: Any, y: Any = None, *, kind: str | None = None, score: Any = None) -> None:
    """Write a manifest of subjects (CSV) for rows that volunteers should classify, completely or not at all.

    Zooniverse does not import classifications, only new subjects. The labels so far are text in the column
    ``#infimum``, and the score is in ``#score``. Zooniverse hides columns that begin with "#" from volunteers
    (zooniverse/Panoptes-Front-End, pull request 2747).

    Parameters
    ----------
    path : shared
    records : Records, DataFrame or list of dicts
        The rows, as a reader of :mod:`infimum.io` returns them.
    y : rows of y, optional
        By default that of the records.
    kind : {"labels", "tags", "ranking", "number", "vector", "mask"}, optional
        By default that of the records, or "labels".
    score : shared
    """
    rows = rows_to_write(records, y, score)
    kind = kind or (records.kind if isinstance(records, Records) else "labels")
    texts = text_cells([row.cell for row in rows], kind)
    columns = dict.fromkeys(column for row in rows for column in row.data)
    taken = [name for name in ("subject_id", "#infimum", "#score") if name in columns]
    if taken:
        raise ValueError(f"The data have a column {taken[0]!r} already. Rename it.")
    header = ["subject_id", *columns, "#infimum", *(["#score"] if score is not None else [])]
    cells = [
        [row.id, *(row.data.get(column) for column in columns), text, *([row.score] if score is not None else [])]
        for row, text in zip(rows, texts)
    ]
    write_csv(path, header, cells)
