"""Export: the sets as they are, in every form that `infimum.io` writes; the table itself is never touched."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from ... import io
from ...data.errors import InputError
from .desk import Desk


def cells_of(desk: Desk) -> list:
    """The sets as Python objects, None where nothing is known."""
    with desk.lock:
        sets = desk.answers.sets
    cells = desk.sheet.space.to_cells(sets)
    if desk.sheet.records.kind == "labels":  # one label that is left is that label, whatever was ruled out
        names = desk.sheet.space.classes_
        one = np.where(sets.sizes == 1, sets.mask.argmax(axis=1), -1).tolist()
        cells = [cell if at < 0 else names[at].item() for cell, at in zip(cells, one)]
    whole = (desk.sheet.space.low_, desk.sheet.space.high_) if desk.sheet.records.kind == "number" else None
    return [None if cell == whole else cell for cell in cells]


def _records(desk: Desk) -> io.Records:
    records = desk.sheet.records
    classes = desk.sheet.names() if records.kind in ("labels", "tags") else []
    return io.Records(records.ids, records.data, cells_of(desk), records.kind, classes=classes)


def _tables(suffix: str) -> Callable[[Path, Desk], Path]:
    def write(stem: Path, desk: Desk) -> Path:
        path = stem.with_name(f"{stem.name}{suffix}")
        id = "id" if "id" not in desk.sheet.columns else "row"
        io.write_table(path, _records(desk), target=desk.sheet.target, id=id)
        return path

    return write


LABEL_STUDIO = {"labels": "choices", "tags": "choices", "ranking": "ranker", "number": "number"}
ARGILLA = {"labels": "multi_label", "tags": "multi_label", "ranking": "ranking", "number": "rating"}


def _label_studio(stem: Path, desk: Desk) -> Path:
    path, records = stem.with_name(f"{stem.name}.label-studio.json"), _records(desk)
    shown = desk.sheet.columns[0] if desk.sheet.columns else "text"
    io.write_label_studio(
        path, records, control=desk.sheet.target, to=shown, type=LABEL_STUDIO[records.kind], role="annotations",
        classes=records.classes or None,
    )  # fmt: skip
    return path


def _argilla(stem: Path, desk: Desk) -> Path:
    path, records = stem.with_name(f"{stem.name}.argilla.json"), _records(desk)
    kind = ARGILLA[records.kind]
    io.write_argilla(path, records, question=desk.sheet.target, type=kind, classes=records.classes or None)
    return path


def _prodigy(stem: Path, desk: Desk) -> Path:
    path, records = stem.with_name(f"{stem.name}.prodigy.jsonl"), _records(desk)
    io.write_prodigy(path, records, classes=records.classes, role="answers")
    return path


def _doccano(stem: Path, desk: Desk) -> Path:
    path, records = stem.with_name(f"{stem.name}.doccano.jsonl"), _records(desk)
    io.write_doccano(path, records, classes=records.classes or None)
    return path


def _plain(writer: Callable, suffix: str) -> Callable[[Path, Desk], Path]:
    def write(stem: Path, desk: Desk) -> Path:
        path = stem.with_name(f"{stem.name}{suffix}")
        writer(path, _records(desk))
        return path

    return write


FORMS: dict[str, Callable[[Path, Desk], Path]] = {
    "csv": _tables(".csv"), "tsv": _tables(".tsv"), "jsonl": _tables(".jsonl"), "parquet": _tables(".parquet"),
    "arrow": _tables(".arrow"), "label-studio": _label_studio, "argilla": _argilla, "prodigy": _prodigy,
    "doccano": _doccano, "zooniverse": _plain(io.write_zooniverse, ".zooniverse.csv"),
    "votes": _plain(io.write_votes, ".votes.jsonl"),
}  # fmt: skip


def export(desk: Desk, form: str) -> Path:
    """Write the sets beside the table, under the name <table>.studio…; the path of the file."""
    source = desk.sheet.path.resolve()
    stem = source.with_name(f"{source.stem}.studio")
    try:
        path = FORMS[form](stem, desk)
    except (ValueError, ImportError) as error:
        raise InputError(f"As {form} these answers cannot be written: {error}") from error
    if path.resolve() == source:
        raise InputError(f"{path} is the table itself, which is never touched.")
    return path
