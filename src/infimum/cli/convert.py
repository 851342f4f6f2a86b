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
from ..outputs import has_names
from . import _options as o
from ._console import TABLES, USAGE, as_options, check_out, fail, print_result, running, writing

READERS: dict[str, Any] = {
    "label-studio": io.read_label_studio,
    "argilla": io.read_argilla,
    "prodigy": io.read_prodigy,
    "doccano": io.read_doccano,
    "zooniverse": io.read_zooniverse,
    "votes": io.read_votes,
}


def _option(what: str, values: tuple[str, ...] = (), metavar: str | None = None) -> tuple[Any, None]:
    """Return the annotation and the default of an option, with the values that it accepts or a word for them."""
    kind: Any = Literal[values] if values else str  # type: ignore[valid-type]
    return Annotated[kind | None, o.option(f"{what}.", metavar)], None


READER_OPTIONS = {
    "meaning": _option("Meaning of several names in one answer", CHOICES["meaning"]),
    "unticked": _option("Meaning of names that are not selected", CHOICES["unticked"]),
    "skipped": _option("Whether skipped rows are kept as unlabelled rows or dropped", CHOICES["skipped"]),
    "annotators": _option("How the answers of several annotators about one row are combined", CHOICES["annotators"]),
    "conflict": _option("What to do with rows for which answers contradict each other", CHOICES["conflict"]),
    "control": _option("Label Studio: the control to read, if there are several", metavar="NAME"),
    "buckets": _option("Label Studio: the buckets of a Ranker, best first", metavar="NAMES"),
    "question": _option("Argilla: the question to read", metavar="NAME"),
    "reject": _option("Prodigy: meaning of a rejected choice", REJECTED),
    "empty": _option("doccano: meaning of an empty list of labels", EMPTY),
    "label": _option("doccano: the column of the labels", metavar="COLUMN"),
    "task": _option("Zooniverse: the task to read", metavar="NAME"),
    "workflow": _option("Zooniverse: the workflow to read", metavar="NAME"),
    "row": _option("Votes: the column of row ids", metavar="COLUMN"),
    "annotator": _option("Votes: the column of annotators", metavar="COLUMN"),
    "answer": _option("Votes: the column of answers", metavar="COLUMN"),
    "data": _option("Votes: a table of features, with rows in the same order", metavar="FILE"),
}
"""Arguments of the readers, as options of the command line."""


@o.table_options("classes", "separator", "merge_classes")
@o.expanded("settings", dict, READER_OPTIONS)
def convert(
    file: Annotated[
        Path,
        typer.Argument(
            help="Export of the tool: .json, .jsonl, .csv, .npy or .zip.", show_default=False, metavar="FILE"
        ),
    ],
    source: Annotated[
        Literal["label-studio", "argilla", "prodigy", "doccano", "zooniverse", "votes"],
        o.option("Tool that wrote the export.", None, "--from", "-f"),
    ],
    settings: dict[str, Any],
    options: o.TableOptions,
    out: o.out("labels.csv", "the table") = Path("labels.csv"),  # type: ignore[valid-type]
    target: Annotated[str, typer.Option(help="Name of the new column with the labels.", metavar="COLUMN")] = "label",
    as_json: o.Json = False,
    escape: o.Escape = True,
    quiet: o.Quiet = False,
) -> None:
    """Convert the export of an annotation tool into a table.

    If the meaning of the answers is ambiguous, an error shows two rows with the result of each choice, and nothing is
    written.

    Example: `infimum convert export.json --from label-studio --meaning one_of`
    """
    check_out(out, TABLES, file)
    if options.classes is not None and not (options.separator or options.merge_classes):
        settings["classes"] = options.classes
    accepted = set(inspect.signature(READERS[source]).parameters)
    other = [name for name in settings if name not in accepted]
    if other:
        fail(f"--{other[0]} does not apply to files of {source}.", USAGE)
    with running(["reading", "writing"], file, quiet or as_json) as stages:
        names = o.naming(options)
        if "classes" in settings:
            settings["classes"] = names.classes
        records = _read(source, file, settings)
        named = names.apply(records.kind, file.name, records.y, records.places) if has_names(records.kind) else None
        if named is not None:
            records = replace(records, y=named.cells, classes=named.names if records.classes else [])
        stages.next()
        with writing(out):
            io.write_table(out, records, target=target, escape=escape)
    unlabelled = sum(cell is None for cell in records.y)
    found = {"table": out, "kind": records.kind, "rows": len(records), "unlabelled": unlabelled, "target": target}
    own = [] if records.annotators is None else ["annotator"]
    columns = ", ".join([*map(str, records.data.columns), *own])
    shown = [
        ("Rows", f"{len(records)} of {records.kind}, {unlabelled} unlabelled"),
        ("Columns", f"id, {columns}, {target}" if columns else f"id, {target}"),
        ("Next", f"infimum report {out} --target {target} --kind {records.kind}"),
    ]
    print_result(found, as_json, f"{out} written", shown, stages.notes, named)


def _read(source: str, file: Path, settings: dict[str, Any]) -> io.Records:
    if "data" in settings:
        settings["data"] = io.read_table(settings["data"]).data
    if "buckets" in settings:
        settings["buckets"] = o.names_in_list(settings["buckets"])
    try:
        return READERS[source](file, **settings)
    except ValueError as error:
        raise ValueError(as_options(str(error))) from error
