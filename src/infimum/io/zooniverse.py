"""Zooniverse: read classification exports, write subject manifests.

Shapes: zooniverse/aggregation-for-caesar; https://help.zooniverse.org/next-steps/data-exports/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..data.limits import parse_json
from ._assemble import assemble
from ._docs import FILES
from ._files import BadRecords, Path_, name_of, read_csv, write_csv
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
    if found:
        ids = [row.get("workflow_id", "") for _, row in found]
        wanted = pick(source, "workflow", "workflow", ids, None if workflow is None else str(workflow))
        found = [record for record, key in zip(found, ids) if key == wanted]
    bad = BadRecords(source)
    parsed = []
    for place, row in found:
        with bad.at(place):
            parsed.append((place, row, dict(_tasks(_json(row, "annotations"))), _subject(row)))
    bad.raise_if_any("Export the classifications again; these cells must contain JSON.")
    task = pick(source, "task", "task", (name for *_, tasks, _ in parsed for name in tasks), task)
    entries: dict[str, Entry] = {}
    for place, row, tasks, data in parsed:
        entry = entries.setdefault(row["subject_ids"], Entry(row["subject_ids"], place, data))
        if task in tasks:
            with bad.at(place):
                who = row.get("user_name") or row.get("user_id") or None
                entry.answers.append(_answer(task, tasks[task])._replace(annotator=who))
    bad.raise_if_any("Read a question, a survey or a slider; drawings and transcriptions are not supported.")
    return assemble(source, list(entries.values()), options)


def _json(row: Mapping, column: str) -> Any:
    return parse_json(row[column], f"column {column!r}")


def _tasks(annotations: Any) -> Iterator[tuple[str, Any]]:
    """Yield task and value; combined tasks are split, and a question without a value is None."""
    if not isinstance(annotations, list) or not all(isinstance(one, Mapping) for one in annotations):
        raise ValueError(f"expected a list of objects in 'annotations', got {annotations!r:.80}")
    for annotation in annotations:
        value = annotation.get("value")
        if isinstance(value, list) and value and all(isinstance(v, Mapping) and "task" in v for v in value):
            yield from _tasks(value)
        else:
            yield str(annotation.get("task")), value


def _subject(row: Mapping) -> dict:
    """Return the metadata of a subject, without the field that Zooniverse adds."""
    data = _json(row, "subject_data")
    own = data.get(row["subject_ids"]) if isinstance(data, Mapping) else None
    return {key: value for key, value in own.items() if key != "retired"} if isinstance(own, Mapping) else {}


def _answer(task: str, value: Any) -> Answer:
    """Return the answer to a question, a survey or a slider."""
    if value is None or value == "":
        return Answer("skipped")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Answer("number", value)
    parts = value if isinstance(value, list) else [value]
    names = [part.get("choice") if isinstance(part, Mapping) else part for part in parts]
    if not all(isinstance(name, str) for name in names):
        raise ValueError(f"task {task}: expected a name, names, choices of a survey or a number, got {str(value)[:80]}")
    return Answer("names", list(dict.fromkeys(names)))


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
