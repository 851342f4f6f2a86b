"""infimum convert: the export of an annotation tool as a table."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import io
from ..io.tables import SUFFIXES
from . import _options as o
from ._say import Notes, fail, result, working, written

READERS: dict[str, Any] = {
    "label-studio": io.read_label_studio,
    "argilla": io.read_argilla,
    "prodigy": io.read_prodigy,
    "doccano": io.read_doccano,
    "zooniverse": io.read_zooniverse,
    "votes": io.read_votes,
}
ARGUMENT = re.compile(r'\b([a-z_]+)=(?:"([^"]*)"|…)')


def convert(
    file: Annotated[Path, typer.Argument(help="The export: .json, .jsonl, .csv, .npy, .zip.", show_default=False)],
    source: Annotated[str, typer.Option("--from", "-f", help=f"{', '.join(READERS)}.", show_default=False)],
    out: o.out("labels.csv", "The table") = Path("labels.csv"),  # type: ignore[valid-type]
    meaning: Annotated[str | None, typer.Option(help="What several names say: one_of, all_of, known_tags.")] = None,
    unticked: Annotated[str | None, typer.Option(help="What holds for names that are not ticked: no, unknown.")] = None,
    skipped: Annotated[str | None, typer.Option(help="What becomes of skipped rows: unknown, drop.")] = None,
    annotators: Annotated[str | None, typer.Option(help="Several answers: rows, intersect, union, vote.")] = None,
    conflict: Annotated[
        str | None, typer.Option(help="Answers that leave nothing: refuse, unknown, union, vote, drop.")
    ] = None,
    classes: Annotated[str | None, typer.Option(help="All the names, with commas between them.")] = None,
    control: Annotated[str | None, typer.Option(help="Label Studio: which control, where there are several.")] = None,
    buckets: Annotated[str | None, typer.Option(help="Label Studio: the buckets of a Ranker, best first.")] = None,
    question: Annotated[str | None, typer.Option(help="Argilla: which question.")] = None,
    reject: Annotated[str | None, typer.Option(help="Prodigy: a rejected choice means not, unknown or drop.")] = None,
    empty: Annotated[str | None, typer.Option(help="doccano: an empty list means unknown or none.")] = None,
    label: Annotated[str | None, typer.Option(help="doccano: the column of the labels.")] = None,
    task: Annotated[str | None, typer.Option(help="Zooniverse: which task.")] = None,
    workflow: Annotated[str | None, typer.Option(help="Zooniverse: which workflow.")] = None,
    row: Annotated[str | None, typer.Option(help="Votes: the column that names rows.")] = None,
    annotator: Annotated[str | None, typer.Option(help="Votes: the column of who answered.")] = None,
    answer: Annotated[str | None, typer.Option(help="Votes: the column of the answer.")] = None,
    data: Annotated[Path | None, typer.Option(help="Votes: a table of features, its rows in the same order.")] = None,
    target: Annotated[str, typer.Option(help="The name of the new column.")] = "label",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Turn the export of an annotation tool into a table.

    Meaning is never guessed: where the file does not settle it, two of its rows are shown with what each choice would
    make of them, and nothing is written.
    """
    if source not in READERS:
        fail(f"--from must be one of {', '.join(READERS)}. Got {source!r}.", 2)
    given = {
        "meaning": meaning, "unticked": unticked, "skipped": skipped, "annotators": annotators, "conflict": conflict,
        "classes": _listed(classes), "control": control, "buckets": _listed(buckets), "question": question,
        "reject": reject, "empty": empty, "label": label, "task": task, "workflow": workflow, "row": row,
        "annotator": annotator, "answer": answer, "data": data,
    }  # fmt: skip
    chosen = {name: value for name, value in given.items() if value is not None}
    known = set(inspect.signature(READERS[source]).parameters)
    strange = [name for name in chosen if name not in known]
    if strange:
        fail(f"--{strange[0]} is not for files of {source}.", 2)
    if out.suffix.lower() not in SUFFIXES:
        fail(f"--out must end in {', '.join(SUFFIXES)}. Got {out}.", 2)
    notes = Notes()
    with working(["reading", "writing"], file, quiet or as_json) as work, notes.taken():
        work.stage()
        records = _read(source, file, chosen)
        work.stage()
        with written(out):
            io.write_table(out, records, target=target)
    unknown = sum(cell is None for cell in records.y)
    found = {"table": out, "kind": records.kind, "rows": len(records), "unknown": unknown, "target": target}
    columns = ", ".join(map(str, records.data.columns))
    shown = [
        ("rows", f"{len(records)} of {records.kind}, {unknown} unknown"),
        ("columns", f"id, {columns}, {target}" if columns else f"id, {target}"),
        ("next", f"infimum report {out} --target {target}{_kind(records.kind)}"),
    ]
    result(found, as_json, f"{out} written", shown, notes)


def _read(source: str, file: Path, chosen: dict[str, Any]) -> io.Records:
    if "data" in chosen:
        chosen = {**chosen, "data": io.read_table(chosen["data"]).data}
    try:
        return READERS[source](file, **chosen)
    except ValueError as error:
        raise ValueError(as_options(str(error))) from error


def as_options(message: str) -> str:
    """Arguments of Python as options of the command line.

    >>> as_options('Say which with meaning="one_of", unticked="no", or skipped=….')
    'Say which with --meaning one_of --unticked no, or --skipped ….'
    """
    text = ARGUMENT.sub(lambda m: f"--{m[1]} {m[2] if m[2] is not None else '…'}", message)
    return re.sub(r"(--\w+ \w+), (?=--)", r"\1 ", text)


def _listed(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _kind(kind: str) -> str:
    return "" if kind == "text" else f" --kind {kind}"
