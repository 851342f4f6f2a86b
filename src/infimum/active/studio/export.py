"""Export of the candidate sets in each format that `infimum.io` writes; the table itself is never changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ... import io
from ...data.errors import InputError
from .session import Session

LABEL_STUDIO = {"labels": "choices", "tags": "choices", "ranking": "ranker", "number": "number"}
ARGILLA = {"labels": "multi_label", "tags": "multi_label", "ranking": "ranking", "number": "rating"}


def cells_of(session: Session) -> list:
    """Return the sets as Python objects, None for unlabelled rows."""
    with session.lock:
        sets = session.answers.sets
    space, model = session.task.space, session.model
    cells = [None if gone else cell for gone, cell in zip(space.is_unlabelled(sets), space.to_cells(sets))]
    if model.lists_outputs:  # a row with one output left is that output, not the exclusion of all others
        exact = np.flatnonzero(~model.is_open(model.encode(sets)))
        outputs = space.readable(model.exact_outputs(sets[exact]))
        for row, cell in zip(exact, space.outputs_to_cells(outputs)):
            cells[row] = cell
    return cells


def _records(session: Session) -> io.Records:
    records = session.task.records
    names = [str(name) for name in session.task.space.class_names()]
    return io.Records(records.ids, records.data, cells_of(session), records.kind, classes=names)


def _table(path: Path, session: Session, records: io.Records) -> None:
    id = "id" if "id" not in session.task.columns else "row"
    io.write_table(path, records, target=session.task.target, id=id)


def _label_studio(path: Path, session: Session, records: io.Records) -> None:
    io.write_label_studio(
        path, records, control=session.task.target, to=(session.task.columns or ["text"])[0],
        type=_foreign_type(LABEL_STUDIO, records), role="annotations", classes=records.classes or None,
    )  # fmt: skip


def _argilla(path: Path, session: Session, records: io.Records) -> None:
    io.write_argilla(
        path, records, question=session.task.target, type=_foreign_type(ARGILLA, records),
        classes=records.classes or None,
    )  # fmt: skip


def _foreign_type(types: dict[str, str], records: io.Records) -> str:
    if records.kind not in types:
        raise InputError(f"There is no such annotation for {records.kind}, only for {', '.join(types)}.")
    return types[records.kind]


FORMATS: dict[str, tuple[str, Callable[[Path, Session, io.Records], Any]]] = {
    "csv": (".csv", _table),
    "tsv": (".tsv", _table),
    "jsonl": (".jsonl", _table),
    "parquet": (".parquet", _table),
    "arrow": (".arrow", _table),
    "label-studio": (".label-studio.json", _label_studio),
    "argilla": (".argilla.json", _argilla),
    "prodigy": (".prodigy.jsonl", lambda p, _, r: io.write_prodigy(p, r, classes=r.classes, role="answers")),
    "doccano": (".doccano.jsonl", lambda p, _, r: io.write_doccano(p, r, classes=r.classes or None)),
    "zooniverse": (".zooniverse.csv", lambda p, _, r: io.write_zooniverse(p, r)),
    "votes": (".votes.jsonl", lambda p, _, r: io.write_votes(p, r)),
}
"""The ending of the file and the function that writes it, for each format."""


def export(session: Session, form: str) -> Path:
    """Write the sets to <table>.studio… beside the table; return the path of the file."""
    source = session.task.path.resolve()
    ending, write = FORMATS[form]
    path = source.with_name(f"{source.stem}.studio{ending}")
    if path == source:
        raise InputError(f"{path} is the table itself, which is never changed. Choose another format.")
    try:
        write(path, session, _records(session))
    except (ValueError, ImportError) as error:
        raise InputError(f"These answers cannot be written as {form}: {error}") from error
    return path
