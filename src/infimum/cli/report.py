"""infimum report: one page about a table of sets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.files import atomic_write
from . import _options as o
from ._models import pipeline
from ._say import EARLY, Notes, result, working, written
from ._table import Ask, Given, given
from .fit import chosen, fitted

if TYPE_CHECKING:
    from ..report.building import Report


def report(
    file: o.File,
    target: o.Target = None,
    kind: o.Kind = None,
    out: o.out("report.html", "The page") = Path("report.html"),  # type: ignore[valid-type]
    truth: Annotated[
        str | None, typer.Option(help="The column of exact answers, where some are known.", show_default=False)
    ] = None,
    title: Annotated[str | None, typer.Option(help="Of the page.", show_default=False)] = None,
    id: o.Id = None,
    annotator: o.Annotator = None,
    feature: o.Only = None,
    drop: o.Drop = None,
    meaning: o.Meaning = None,
    unticked: o.Unticked = None,
    weights: o.Weights = "auto",
    principle: o.Principle = "auto",
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Write one page about a table of sets.

    What is there; whether such sets can ever tell, and the cheapest question where they cannot; rows to look at again;
    what was learned, and why one may believe it. One HTML file that needs no network. Rows that contradict themselves
    are listed there and count as unknown.
    """
    from ..report import build

    ask = Ask(target or [], kind, id, annotator, truth, feature or [], drop or [], meaning, unticked)
    notes = Notes()
    with working(["reading", "fitting", "looking", "writing"], file, quiet or as_json) as work, notes.taken():
        work.stage()
        table = given(file, ask, lenient=True)
        work.stage()
        pipe = fitted(table, pipeline(table.kind, principle, weights, table.classes))
        work.stage()
        made = build(
            pipe[-1],
            pipe[:-1].transform(table.X),
            title=title or f"{file.name}: what these sets can teach",
            names=table.names,
            annotators=table.annotators,
            truth=table.truth,
            impossible=table.impossible,
            aside=table.aside,
        )
        work.stage()
        with written(out), atomic_write(out) as page:
            page.write(made.html)
    choice = pipe[-1].selection_
    complete = choice is None or choice.complete
    rows, summary = _told(made, table, chosen(pipe[-1]))
    result({"report": out, **summary, "complete": complete}, as_json, f"{out} written", rows, notes)
    if not complete:
        raise typer.Exit(EARLY)


def _told(made: Report, table: Given, choice: str) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """What the page says, in a few lines and for programs."""
    found, covering = made.identifiability, made.compared[-1].covering
    rows = [
        ("can they tell", made.verdict),
        ("to look at again", f"{len(made.audit.rows())} of {len(table)} rows"),
        ("held out", f"{covering:.1%} of the sets covered"),
        ("chosen", choice),
    ]
    return rows, {
        "rows": len(table), "kind": table.kind, "can_tell": found.can_tell, "verdict": made.verdict,
        "degree": found.degree, "questions": made.questions,
        "suspects": [s["row"] for s in made.audit.suspects], "impossible": sorted(made.audit.impossible),
        "covering_rate": covering,
    }  # fmt: skip
