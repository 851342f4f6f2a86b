"""infimum report: write a report about a table, or compare models on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..data.files import atomic_write
from ..io._files import name_of
from ..selection.scores import no_skill
from . import _options as o
from ._console import REPORTS, check_out, errors_as_messages, fail, print_result, rows_called, running, writing
from ._models import load, of_model, pipeline_for
from ._table import IDS, LoadedTable, read
from ._words import model_lines
from .fit import fitted

if TYPE_CHECKING:
    from ..report.building import Report


@o.table_options(*o.TO_LEARN, "truth")
def report(
    files: Annotated[
        list[Path],
        typer.Argument(help="A table, or model files followed by a table.", metavar="[MODEL ...] FILE"),
    ],
    options: o.TableOptions,
    out: o.out("report.html", "the report") = Path("report.html"),  # type: ignore[valid-type]
    title: Annotated[str | None, o.option("Title of the report.", "TEXT")] = None,
    weights: o.Weights = "auto",
    principle: o.Principle = "auto",
    noise: o.Noise = None,
    as_json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Write a report about a table of partial labels.

    The report begins with a summary in three sentences: what the table contains, how well the labels can be predicted,
    and what to do next. It then lists rows to review, names to merge, and classes that the data cannot separate. It is
    one HTML file that needs no network. --out report.md writes Markdown, and --out report.json writes JSON. With models
    before the table, the models are compared on the table. Rows that no output satisfies are listed, and count as
    unlabelled.

    Example: `infimum report tickets.csv --target label --ignore minutes`
    """
    from ..report import build

    *models, file = files
    check_out(out, REPORTS, *files)
    if models:
        compare_models(models, file, out, options, title, as_json, quiet)
        return
    with running(["reading", "fitting", "analysing", "writing"], file, quiet or as_json) as stages:
        table = read(file, options, lenient=True)
        stages.next()
        pipe = fitted(table, pipeline_for(table, principle, weights, noise))
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
            rows=table.rows,
            folder=file.parent if file.exists() else None,
            hidden=[*table.target, *(name for name, why in table.unused.items() if why == IDS)],
            target=table.target,
            look_alikes=[] if table.named is None or table.named.merged else table.named.found,
        )
        stages.next()
        write_report(out, made)
    rows, found = _summary(made, table, pipe)
    print_result({**found, "report": out}, as_json, f"{out} written", rows, stages.notes, table.named)


def write_report(out: Path, made: Any) -> None:
    """Write a report in the format of the suffix."""
    suffix = out.suffix.lower()
    if suffix == ".json":
        text = json.dumps(made.to_json(), indent=1, ensure_ascii=False) + "\n"
    else:
        text = made.markdown if suffix == ".md" else made.html
    with writing(out), atomic_write(out) as page:
        page.write(text)


def compare_models(
    models: list[Path], file: Path, out: Path, options: o.TableOptions, title: str | None, as_json: bool, quiet: bool
) -> None:
    """Write a comparison of models on a table."""
    from ..report.comparison import compare
    from ..report.facts import Contents

    predictions: dict[str, Any] = {}
    with running(["reading", "predicting", "writing"], file, quiet or as_json) as stages:
        for path in models:
            with errors_as_messages(path):
                pipe, about = load(path, options.kind)
            if not predictions:
                first, space = about, pipe[-1].output_
                table = read(file, of_model(options, about, options.kind))
            elif about["kind"] != first["kind"] or list(space.class_names()) != list(pipe[-1].output_.class_names()):
                fail(f"{path.name} predicts other outputs than {models[0].name}: models must have the same classes.")
            with rows_called(table.places):
                z, sets = pipe[-1].predicted(pipe[:-1].transform(table.X), table.y())
            predictions[path.name if path.name not in predictions else str(path)] = z
        stages.next()
        names = table.names
        contents = Contents(table.rows, file.parent if file.exists() else None, table.target)
        title = title or f"Models on {name_of(file)}"
        made = compare(title, predictions, space, sets, lambda row: names[row], contents)
        stages.next()
        write_report(out, made)
    rows = [("Summary" if k == 0 else "", text) for k, text in enumerate(made.summary)]
    print_result({"report": out, **made.to_json()}, as_json, f"{out} written", rows, stages.notes)


def _summary(made: Report, table: LoadedTable, pipe: Any) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Return the results of the report, for people and for scripts."""
    facts, identified, constant, ours = made.facts, made.identifiability, made.compared[0], made.compared[-1]
    scores = {
        "covering_rate": ours.covering, "chance_corrected": ours.beyond, "set_risk": ours.risk, "errors": ours.errors,
        "n_labelled": ours.n_labelled, "beats_constant": made.beats_constant,
        "constant": {
            "output": constant.text, "covering_rate": constant.covering, "set_risk": constant.risk,
            "errors": constant.errors,
        },
    }  # fmt: skip
    only_groups = facts.counts["exact"] + facts.counts["partial"] == 0
    lines, found = model_lines(table, pipe, {} if only_groups else scores)
    counts = made.audit.counts() if made.beats_constant else made.audit.counts().partition(", ")[2]
    rows = [
        *(("Summary" if k == 0 else "", text) for k, text in enumerate(facts.summary)),
        ("Identifiability", made.verdict),
        ("Rows to review", f"{facts.n_review} of {len(table)} rows: {counts}"),
        *lines,
    ]
    return rows, found | {
        "summary": facts.summary, "is_identifiable": None if identified is None else identified.is_identifiable,
        "verdict": made.verdict, "degree": facts.degree, "questions": made.questions,
        "suspects": [s["row"] for s in made.audit.suspects], "impossible": sorted(made.audit.impossible),
        "covering_rate": ours.covering, "scores": scores,
        "assessment": "" if made.beats_constant else no_skill(constant.text),
    }  # fmt: skip
