"""infimum convert: write the export of an annotation tool as a table."""

from __future__ import annotations

import inspect
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from .. import io
from ..io._meaning import CHOICES
from ..io.doccano import EMPTY
from ..io.prodigy import REJECTED
from ..outputs.merging import WORDS
from . import _options as o
from ._console import USAGE, Notes, as_options, fail, print_result, running, writing
from ._names import names_in_list, naming
from ._outputs import TABLES, check_out

READERS: dict[str, Any] = {
    "label-studio": io.read_label_studio,
    "argilla": io.read_argilla,
    "prodigy": io.read_prodigy,
    "doccano": io.read_doccano,
    "zooniverse": io.read_zooniverse,
    "votes": io.read_votes,
}


def option(what: str, values: tuple[str, ...] = (), metavar: str | None = None) -> Any:
    """Return an optional option, with the values that it accepts or a word for them."""
    kind: Any = Literal[values] if values else str  # type: ignore[valid-type]
    return Annotated[kind | None, typer.Option(help=f"{what}.", show_default=False, metavar=metavar)]


def convert(
    file: Annotated[
        Path, typer.Argument(help="The export: .json, .jsonl, .csv, .npy, .zip.", show_default=False, metavar="FILE")
    ],
    source: Annotated[
        Literal["label-studio", "argilla", "prodigy", "doccano", "zooniverse", "votes"],
        typer.Option("--from", "-f", help="The tool that wrote the export.", show_default=False),
    ],
    out: o.out("labels.csv", "The table") = Path("labels.csv"),  # type: ignore[valid-type]
    meaning: option("What several names mean", CHOICES["meaning"]) = None,  # type: ignore[valid-type]
    unticked: option("What unselected names mean", CHOICES["unticked"]) = None,  # type: ignore[valid-type]
    skipped: option("What skipped rows mean", CHOICES["skipped"]) = None,  # type: ignore[valid-type]
    annotators: option("How several answers are merged", CHOICES["annotators"]) = None,  # type: ignore[valid-type]
    conflict: option("For contradicting answers", CHOICES["conflict"]) = None,  # type: ignore[valid-type]
    classes: o.Classes = None,
    separator: o.Separator = None,
    merge_classes: o.MergeClasses = False,
    control: option("Label Studio: the control to read, if there are several", metavar="NAME") = None,  # type: ignore[valid-type]
    buckets: option("Label Studio: the buckets of a Ranker, best first", metavar="NAMES") = None,  # type: ignore[valid-type]
    question: option("Argilla: the question to read", metavar="NAME") = None,  # type: ignore[valid-type]
    reject: option("Prodigy: what a rejected choice means", REJECTED) = None,  # type: ignore[valid-type]
    empty: option("doccano: what an empty list means", EMPTY) = None,  # type: ignore[valid-type]
    label: option("doccano: the column of the labels", metavar="COLUMN") = None,  # type: ignore[valid-type]
    task: option("Zooniverse: the task to read", metavar="NAME") = None,  # type: ignore[valid-type]
    workflow: option("Zooniverse: the workflow to read", metavar="NAME") = None,  # type: ignore[valid-type]
    row: option("Votes: the column of row ids", metavar="COLUMN") = None,  # type: ignore[valid-type]
    annotator: option("Votes: the column of annotators", metavar="COLUMN") = None,  # type: ignore[valid-type]
    answer: option("Votes: the column of answers", metavar="COLUMN") = None,  # type: ignore[valid-type]
    data: option("Votes: a table of features, with rows in the same order", metavar="FILE") = None,  # type: ignore[valid-type]
    target: Annotated[str, typer.Option(help="The name of the new column.", metavar="COLUMN")] = "label",
    as_json: o.Json = False,
    escape: o.Escape = True,
    quiet: o.Quiet = False,
) -> None:
    """Convert the export of an annotation tool into a table.

    If the meaning of the answers is ambiguous, an error shows two rows with the result of each choice, and nothing is
    written.
    """
    check_out(out, TABLES, file)
    options = {
        "meaning": meaning, "unticked": unticked, "skipped": skipped, "annotators": annotators, "conflict": conflict,
        "classes": None if separator or merge_classes else classes, "control": control, "buckets": _names(buckets),
        "question": question, "reject": reject, "empty": empty, "label": label, "task": task, "workflow": workflow,
        "row": row, "annotator": annotator, "answer": answer, "data": data,
    }  # fmt: skip
    settings = {name: value for name, value in options.items() if value is not None}
    accepted = set(inspect.signature(READERS[source]).parameters)
    other = [name for name in settings if name not in accepted]
    if other:
        fail(f"--{other[0]} does not apply to files of {source}.", USAGE)
    notes = Notes()
    with running(["reading", "writing"], file, quiet or as_json) as stages, notes.collect():
        stages.next()
        names = naming(classes, separator, merge_classes)
        if "classes" in settings:
            settings["classes"] = names.classes
        records = _read(source, file, settings)
        named = names.apply(records.kind, file.name, records.y, records.places) if records.kind in WORDS else None
        if named is not None:
            records = replace(records, y=named.cells, classes=named.names if records.classes else [])
        stages.next()
        with writing(out):
            io.write_table(out, records, target=target, escape=escape)
    unlabelled = sum(cell is None for cell in records.y)
    found = {"table": out, "kind": records.kind, "rows": len(records), "unlabelled": unlabelled, "target": target}
    columns = ", ".join(map(str, records.data.columns))
    shown = [
        ("Rows", f"{len(records)} of {records.kind}, {unlabelled} unlabelled"),
        ("Columns", f"id, {columns}, {target}" if columns else f"id, {target}"),
        ("Next", f"infimum report {out} --target {target}{_kind(records.kind)}"),
    ]
    print_result(found, as_json, f"{out} written", shown, notes, named)


def _read(source: str, file: Path, settings: dict[str, Any]) -> io.Records:
    if "data" in settings:
        settings = {**settings, "data": io.read_table(settings["data"]).data}
    try:
        return READERS[source](file, **settings)
    except ValueError as error:
        raise ValueError(as_options(str(error))) from error


def _names(text: str | None) -> list[str] | None:
    return None if text is None else names_in_list(text)


def _kind(kind: str) -> str:
    return "" if kind == "text" else f" --kind {kind}"
