"""infimum studio: a local web app in which people answer questions about a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..outputs import OUTPUT_TYPES
from . import _options as o
from ._console import fail, print_look_alikes, stdout
from ._names import naming

NEEDS = 'The studio needs the package {}. Install it with: pip install "infimum[cli,studio]"'


def studio(
    table: Annotated[Path, typer.Argument(help="A table: .csv, .tsv, .jsonl, .parquet, .arrow; it is not changed.")],
    target: Annotated[str, typer.Option(help="The target column; it may be missing, or have empty cells.")],
    kind: Annotated[str, typer.Option(help=f"The output type: {o.one_of(OUTPUT_TYPES)}.")] = "labels",
    classes: o.Classes = None,
    separator: o.Separator = None,
    merge_classes: o.MergeClasses = False,
    bounds: Annotated[tuple[float, float] | None, typer.Option(help="The range of numbers, LOW HIGH.")] = None,
    strategy: Annotated[str, typer.Option(help="Or median, conformal, uncertain, random, whole.")] = "information",
    ask: Annotated[str, typer.Option(help="Kinds of questions, separated by commas: Is,OneOf.")] = "",
    journal: Annotated[Path | None, typer.Option(help="The file of answers; by default TABLE.answers.jsonl.")] = None,
    id: Annotated[str | None, typer.Option(help="The column of ids.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.")] = 0,
    token: Annotated[str | None, typer.Option(help="By default a new one.", envvar="INFIMUM_TOKEN")] = None,
) -> None:
    """Answer questions about a table in a local web app; the model asks the most informative questions.

    Answers are stored in a journal next to the table, so you can stop and continue at any time. Open the address that
    is printed. Several people can use it at once.
    """
    for package in ("starlette", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            fail(NEEDS.format(package))
    from ..active import STRATEGIES, Asker
    from ..active.studio import Journal, Session, read_task
    from ..active.studio.server import serve

    if strategy not in STRATEGIES:
        fail(f"There is no strategy {strategy!r}. Names: {', '.join(STRATEGIES)}.")
    kinds = [name.strip() for name in ask.split(",") if name.strip()]
    try:
        names = naming(classes, separator, merge_classes)
        task = read_task(table, target, kind, names.classes, id, bounds, names)
        print_look_alikes(task.named)
        path = table.with_name(f"{table.name}.answers.jsonl") if journal is None else journal
        answers = Journal(path, task.header())
        asker = Asker(strategy, questions=kinds or None, random_state=0)
        session = Session(task, answers, asker)
        serve(session, port, token, lambda address: stdout.print(f"Open {address}", highlight=False, soft_wrap=True))
    except (ValueError, OSError) as error:  # an invalid table or journal, a port in use
        fail(str(error))
