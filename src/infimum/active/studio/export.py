"""Export of the candidate sets in each format that `infimum.io` writes, with the people who answered."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import io
from ...data.errors import InputError
from ...io._frames import frame_of
from ...io.prodigy import OWN as RESERVED_IN_PRODIGY
from .session import Session


def cells_of(session: Session, sets: Any = None) -> list:
    """Return the sets, by default those of all rows, as Python objects; None for unlabelled rows."""
    if sets is None:
        with session.lock:
            sets = session.pool.sets
    space, model = session.task.space, session.model
    cells = [None if gone else cell for gone, cell in zip(space.is_unlabelled(sets), space.to_cells(sets))]
    if model.lists_outputs:  # a row with one output left is that output, not the exclusion of all others
        exact = np.flatnonzero(~model.is_open(model.encode(sets)))
        outputs = space.readable(model.exact_outputs(sets[exact]))
        for row, cell in zip(exact, space.outputs_to_cells(outputs)):
            cells[row] = cell
    return cells


def merged(session: Session, reserved: tuple[str, ...] = ()) -> io.Records:
    """Return one row per row of the table, with the people who answered in the column `annotators`.

    Columns with a reserved name get the prefix "table_".
    """
    task, records = session.task, session.task.records
    with session.lock:
        people = [", ".join(dict.fromkeys(e.who for e in session.pool.about(row))) for row in range(len(task))]
        cells = cells_of(session)
    taken = {*reserved, "annotators"}
    rows = [
        {**{f"table_{name}" if name in taken else name: row.get(name) for name in task.columns}, "annotators": who}
        for row, who in zip(task.rows, people)
    ]
    names = [str(name) for name in task.space.class_names()]
    return io.Records(records.ids, frame_of(rows), cells, records.kind, classes=names)


def by_person(session: Session) -> io.Records:
    """Return one row per row of the table and person, with the set that this person's answers leave."""
    task = session.task
    with session.lock:
        rows = [row for row in range(len(task)) if session.pool.about(row)]
        found = [(row, who, one) for row in rows for who, one in session.pool.by_person(row).items()]
    cells = [cells_of(session, one)[0] for _, _, one in found]
    renamed = [{f"table_{k}" if k == "annotator" else k: v for k, v in task.rows[row].items()} for row, _, _ in found]
    data = frame_of(renamed) if renamed else task.records.data[:0]
    names = [str(name) for name in task.space.class_names()]
    who = [name for _, name, _ in found]
    return io.Records([task.records.ids[row] for row, _, _ in found], data, cells, task.records.kind, who, names)


def _table(path: Path, session: Session, records: io.Records) -> None:
    id = "id" if "id" not in records.data.columns else "row"
    io.write_table(path, records, target=session.task.target, id=id)


def _label_studio(path: Path, session: Session, records: io.Records) -> None:
    io.write_label_studio(
        path, records, control=session.task.target, to=next(iter(records.data.columns)),
        role="annotations", classes=records.classes or None,
    )  # fmt: skip


def _argilla(path: Path, session: Session, records: io.Records) -> None:
    several = "multi_label" if session.task.space.has_candidates else None  # a row may have several candidates
    io.write_argilla(
        path, records, question=session.task.target, type=several, classes=records.classes or None
    )  # fmt: skip


class Format(NamedTuple):
    """The ending of the file, the function that writes it, and the names of columns that it reserves."""

    ending: str
    write: Callable[[Path, Session, io.Records], Any]
    reserved: tuple[str, ...] = ()


FORMATS: dict[str, Format] = {
    "csv": Format(".csv", _table),
    "tsv": Format(".tsv", _table),
    "jsonl": Format(".jsonl", _table),
    "parquet": Format(".parquet", _table),
    "arrow": Format(".arrow", _table),
    "label-studio": Format(".label-studio.json", _label_studio),
    "argilla": Format(".argilla.json", _argilla),
    "prodigy": Format(
        ".prodigy.jsonl", lambda p, _, r: io.write_prodigy(p, r, classes=r.classes, role="answers"), RESERVED_IN_PRODIGY
    ),
    "doccano": Format(
        ".doccano.jsonl", lambda p, _, r: io.write_doccano(p, r, classes=r.classes or None), ("id", "label")
    ),
    "zooniverse": Format(
        ".zooniverse.csv", lambda p, _, r: io.write_zooniverse(p, r), ("subject_id", "#infimum", "#score")
    ),
    "votes": Format(".votes.jsonl", lambda p, _, r: io.write_votes(p, r), ("id", "candidates", "not", "model")),
}
PER_PERSON = ("csv", "tsv", "jsonl", "parquet", "arrow")
"""Formats that can have one row per person, with the column `annotator`."""


def export(session: Session, form: str, folder: Any, people: bool = False) -> Path:
    """Write the sets to a new file in a folder; return its path.

    Parameters
    ----------
    session : Session
        The session.
    form : str
        One of `FORMATS`.
    folder : path
        Where the file is written; the table itself is not changed.
    people : bool, default False
        Whether each person has a row of their own, with the column `annotator`; otherwise the answers are merged, and
        the column `annotators` lists the people.
    """
    if form not in FORMATS or (people and form not in PER_PERSON):
        raise InputError(f"The formats are {', '.join(PER_PERSON if people else FORMATS)}. Got {form!r:.40}.")
    ending, write, reserved = FORMATS[form]
    path = Path(folder) / f"{session.task.path.stem}.studio{'.people' if people else ''}{ending}"
    if path.resolve() == session.task.path.resolve():
        raise InputError(f"{path} is the table itself, which is never changed. Choose another format.")
    try:
        write(path, session, by_person(session) if people else merged(session, reserved))
    except (ValueError, ImportError) as error:
        raise InputError(f"These answers cannot be written as {form}: {error}") from error
    return path
