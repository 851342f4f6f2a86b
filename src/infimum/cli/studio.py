"""infimum studio: a local web app in which people answer questions about a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from . import _options as o
from ._console import fail, print_look_alikes, stdout
from ._names import naming

NEEDS = 'The studio needs the package {}. Install it with: pip install "infimum[cli,studio]"'


def studio(
    table: Annotated[Path, typer.Argument(help="A table, in any format of `fit`; it is not changed.", metavar="FILE")],
    target: Annotated[
        str, typer.Option(help="The target column; it may be missing, or have empty cells.", metavar="COLUMN")
    ],
    kind: Annotated[
        Literal["labels", "tags", "ranking", "number", "vector", "mask"], typer.Option(help="The output type.")
    ] = "labels",
    classes: o.Classes = None,
    separator: o.Separator = None,
    merge_classes: o.MergeClasses = False,
    bounds: Annotated[tuple[float, float] | None, typer.Option(help="The range of numbers, LOW HIGH.")] = None,
    strategy: Annotated[
        Literal["information", "median", "conformal", "uncertain", "random", "whole"],
        typer.Option(help="How questions are chosen."),
    ] = "information",
    ask: Annotated[str, typer.Option(help="Kinds of questions, separated by commas: Is,OneOf.", metavar="NAMES")] = "",
    journal: Annotated[
        Path | None, typer.Option(help="The file of answers; by default TABLE.answers.jsonl.", metavar="FILE")
    ] = None,
    id: o.Id = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="The port; 0 takes any free one.", metavar="NUMBER")] = 0,
    token: Annotated[
        str | None,
        typer.Option(help="The token of the address; by default a new one.", envvar="INFIMUM_TOKEN", metavar="TEXT"),
    ] = None,
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
    from ..active import Asker
    from ..active.studio import Journal, Session, read_task
    from ..active.studio.server import serve

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
