"""infimum report: write an HTML report about a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.files import atomic_write
from ..io._files import name_of
from ..selection.scores import no_skill
from . import _options as o
from ._console import STOPPED_EARLY, Notes, print_result, running, writing
from ._models import pipeline
from ._outputs import PAGES, check_out
from ._scores import assessment, score_rows
from ._table import Table, TableOptions, read
from ._words import contradictions as contradictions_in_words
from ._words import selected
from .fit import column_rows, fitted

if TYPE_CHECKING:
    from ..report.building import Report


def report(
    file: o.File,
    target: o.Target = None,
    kind: o.Kind = None,
    out: o.out("report.html", "The report") = Path("report.html"),  # type: ignore[valid-type]
    truth: Annotated[
        str | None,
        typer.Option(help="A column of true outputs, empty if unknown.", show_default=False, metavar="COLUMN"),
    ] = None,
    title: Annotated[str | None, typer.Option(help="The title of the report.", show_default=False)] = None,
    id: o.Id = None,
    annotator: o.Annotator = None,
    feature: o.Feature = None,
    ignore: o.Ignore = None,
    column: o.Column = None,
    meaning: o.Meaning = None,
    unticked: o.Unticked = None,
    sep: o.Sep = None,
    encoding: o.Encoding = None,
    missing: o.Missing = None,
    classes: o.Classes = None,
    separator: o.Separator = None,
    merge_classes: o.MergeClasses = False,
    contradictions: o.Contradictions = None,
    weights: o.Weights = "auto",
    principle: o.Principle = "auto",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Write an HTML report about a table of partial labels.

    It has four parts: an overview of the labels; identifiability, with the cheapest questions; rows to review; and the
    results of a model. It is one file that needs no network. Rows that no output satisfies are listed, and count as
    unlabelled.
    """
    from ..report import build

    check_out(out, PAGES, file)
    options = TableOptions(
        target or [], kind, id, annotator, truth, feature or [], ignore or [], meaning, unticked, column, sep, encoding,
        classes, separator, merge_classes, missing or [], contradictions,
    )  # fmt: skip
    notes = Notes()
    with running(["reading", "fitting", "analysing", "writing"], file, quiet or as_json) as stages, notes.collect():
        stages.next()
        table = read(file, options, lenient=True)
        stages.next()
        pipe = fitted(table, pipeline(table.output, principle, weights, table.columns))
        stages.next()
        made = build(
            pipe[-1],
            pipe[:-1].transform(table.X),
            title=title or f"Partial labels of {name_of(file)}",
            names=table.names,
            annotators=table.annotators,
            truth=table.truth,
            impossible=table.invalid,
            unused=table.unused,
        )
        stages.next()
        with writing(out), atomic_write(out) as page:
            page.write(made.html)
    selection = pipe[-1].selection_
    complete = selection is None or selection.complete
    rows, summary = _summary(made, table, selected(pipe[-1]))
    rows += [*contradictions_in_words(pipe[-1].sets_), *column_rows(table, pipe)]
    summary["contradictory"] = pipe[-1].sets_.n_contradictory
    print_result({"report": out, **summary, "complete": complete}, as_json, f"{out} written", rows, notes, table.named)
    if not complete:
        raise typer.Exit(STOPPED_EARLY)


def _summary(made: Report, table: Table, model: str) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Return the results of the report, for people and for programs."""
    found, constant, ours = made.identifiability, made.compared[0], made.compared[-1]
    warning = "" if made.beats_constant else no_skill(constant.text)
    scores = {
        "covering_rate": ours.covering, "chance_corrected": ours.beyond, "set_risk": ours.risk, "errors": ours.errors,
        "n_labelled": ours.n_labelled, "beats_constant": made.beats_constant,
        "constant": {
            "output": constant.text, "covering_rate": constant.covering, "set_risk": constant.risk,
            "errors": constant.errors,
        },
    }  # fmt: skip
    counts = made.audit.counts() if made.beats_constant else made.audit.counts().partition(", ")[2]
    rows = [
        ("Identifiability", made.verdict),
        ("Rows to review", f"{len(made.audit.rows())} of {len(table)} rows: {counts}"),
        *assessment(scores),
        *score_rows(scores, " (5-fold CV)"),
        ("Selected model", model),
    ]
    return rows, {
        "rows": len(table), "kind": table.kind, "can_tell": None if found is None else found.can_tell,
        "verdict": made.verdict, "degree": None if found is None else found.degree, "questions": made.questions,
        "suspects": [s["row"] for s in made.audit.suspects], "impossible": sorted(made.audit.impossible),
        "covering_rate": ours.covering, "scores": scores, "assessment": warning,
    }  # fmt: skip
