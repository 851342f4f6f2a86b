"""doccano: read exports of text and image classification, write files to import (JSON Lines or CSV).

Shapes: doccano/doccano, backend/data_export/pipeline (formatters.py, factories.py).
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Iterable
from pathlib import Path, PurePosixPath
from typing import Any

from ..data.limits import check_zip
from ._assemble import assemble
from ._docs import FILES
from ._files import (
    BadRecords,
    FileRecord,
    Path_,
    check_scalars,
    csv_records,
    json_records,
    name_of,
    read_csv,
    read_records,
    write_csv,
    write_json_lines,
)
from ._meaning import Answer, Choices, Entry, ReadOptions, ambiguous, one_of
from ._records import Records
from ._write import converted, rows_to_write, text_names

SEPARATOR = "#"  # of labels in a cell of CSV
EMPTY = ("unknown", "drop", "no")
LABEL_FIELDS = ("label", "labels", "cats")


@FILES
def read_doccano(
    path: Path_ | Iterable[dict],
    *,
    meaning: str | None = None,
    unticked: str | None = None,
    empty: str | None = None,
    annotators: str | None = None,
    conflict: str = "error",
    classes: list | None = None,
    label: str | None = None,
    backend: str | None = None,
) -> Records:
    """Read an export of doccano: JSON Lines, JSON, CSV (labels joined by "#"), or a zip with one file per annotator.

    Parameters
    ----------
    path : path, or the records as a list of dicts
        The file.
    meaning : shared
    empty : {"unknown", "drop", "no"}, optional
        What ``"label": []`` means. doccano writes it for rows that nobody annotated and for rows without any label.
        "unknown" is an unlabelled row, "drop" leaves the row out, and "no" (with ``meaning="all_of", unticked="no"``)
        means that every tag is absent.
    label : str, optional
        The field of the labels; by default "label", "labels" or "cats".
    unticked, annotators, conflict, classes, backend : shared

    Examples
    --------
    >>> rows = [{"id": 1, "text": "purrs", "label": ["cat"]}, {"id": 2, "text": "?", "label": []}]
    >>> read_doccano(rows, empty="unknown").y
    ['cat', None]
    """
    options = ReadOptions(meaning, unticked, None, annotators, conflict, classes, backend)
    if empty is not None:
        one_of("empty", empty, EMPTY)
    if empty == "no" and not (meaning == "all_of" and unticked == "no"):
        raise ValueError('empty="no" makes every tag absent. It requires meaning="all_of" and unticked="no".')
    source = name_of(path)
    found = _found(path)
    check_scalars(source, [record for _, _, record in found], "id")
    fields = {field for *_, record in found for field in record.value}
    given = LABEL_FIELDS if label is None else (label,)
    label = next((field for field in given if field in fields), None)
    if label is None:
        shown = ", ".join(map(repr, sorted(fields))) or "none"
        raise ValueError(
            f"{source} has no field {' or '.join(map(repr, given))}. Its fields are: {shown}. Name it with label=…."
        )
    bad = BadRecords(source)
    blank: list[tuple[str, list]] = []
    entries: dict[Any, Entry] = {}
    for k, (who, joined, (place, record)) in enumerate(found):
        row = record.get("id", k + 1)
        data = {name: value for name, value in record.items() if name not in ("id", label)}
        entry = entries.setdefault((row, None if who is not None else k), Entry(row, place, data))
        names = [] if record.get(label) in (None, "") else record[label]
        if isinstance(names, str):
            names = names.split(SEPARATOR) if joined else [names]
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            bad.add(place, f"expected a list of names in {label!r}, got {names!r}")
        elif names or empty == "no":
            entry.answers.append(Answer("names", list(dict.fromkeys(names)), who))
        else:
            blank.append((place, []))
            entry.answers += [] if empty == "drop" else [Answer("unknown", None, who)]
    bad.raise_if_any("Labels must be names. Spans, boxes and texts belong to other kinds of projects.")
    if blank and empty is None:
        choices: Choices = {
            'empty="unknown"': "None",
            'empty="drop"': "left out",
            'empty="no", meaning="all_of", unticked="no"': "every tag is False",
        }
        raise ambiguous(source, "empty", "what an empty list of labels means", blank, choices)
    return assemble(source, [entry for entry in entries.values() if entry.answers], options)


def _found(path: Any) -> list[tuple[str | None, bool, FileRecord]]:
    """Return (annotator, whether labels are joined, record) for every record; a zip has one file per annotator."""
    suffix = Path(path).suffix.lower() if isinstance(path, str | os.PathLike) else ""
    if suffix != ".zip":
        rows = read_csv(path)[1] if suffix == ".csv" else read_records(path)
        return [(None, suffix == ".csv", record) for record in rows]
    source = name_of(path)
    try:
        archive = zipfile.ZipFile(path)
    except zipfile.BadZipFile as error:
        raise ValueError(f"{source} is not a zip file ({error}). Export it again.") from error
    found: list[tuple[str | None, bool, FileRecord]] = []
    with archive:
        check_zip(source, archive)
        members = sorted(m for m in archive.namelist() if m.lower().endswith((".jsonl", ".json", ".csv")))
        if not members:
            raise ValueError(f"{source} contains no .jsonl, .json or .csv file.")
        for member in members:
            text, name = archive.read(member).decode("utf-8-sig"), f"{source}, {member}"
            joined = member.lower().endswith(".csv")
            who = PurePosixPath(member).stem if len(members) > 1 else None
            rows = csv_records(text, name)[1] if joined else json_records(text, name)
            found += [(who, joined, record) for record in rows]
    return found


@FILES
def write_doccano(path: Path_, records: Any, y: Any = None, *, classes: list | None = None, score: Any = None) -> None:
    """Write rows as doccano imports them, JSON Lines or CSV by the end of the path, completely or not at all.

    `read_doccano` restores labels, sets of labels and tags given their meaning, and unlabelled rows with
    ``empty="unknown"``. Absent tags are left out, and `Not` becomes the other `classes`. Orders and numbers raise an
    error; so do names with "#" in CSV.

    Parameters
    ----------
    path, records, y : shared
    classes : list, optional
        All classes, for `Not` and for arrays of tags.
    score : (n,) in [0, 1], optional
        Written as a field "score", which doccano shows among the metadata.
    """
    rows = rows_to_write(records, y, score, classes)
    as_csv = str(path).lower().endswith(".csv")

    def listed(cell: Any) -> list[str]:
        names = text_names(cell, classes)
        if as_csv and any(SEPARATOR in name or not name for name in names):
            raise ValueError(f"a name with {SEPARATOR!r} would be read as two names, got {names}")
        return names

    tasks = []
    for row, names in zip(rows, converted(rows, listed, "Pass labels, sets of labels or tags.")):
        taken = [name for name in ("id", "label") if name in row.data]
        if taken:
            raise ValueError(f"The data have a column {taken[0]!r}, which is reserved in doccano. Rename it.")
        task = {"id": row.id, **row.data, "label": SEPARATOR.join(names or ()) if as_csv else names or []}
        tasks.append(task if row.score is None else task | {"score": row.score})
    if as_csv:
        header = list(dict.fromkeys(name for task in tasks for name in task))
        write_csv(path, header, [[task.get(name) for name in header] for task in tasks])
    else:
        write_json_lines(path, tasks)
