"""infimum studio: a local page on which people answer questions about a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ._say import console, fail

NEEDS = 'The studio needs the package {}. Install it with: pip install "infimum[cli,studio]"'


def studio(
    table: Annotated[Path, typer.Argument(help="CSV, TSV, JSON Lines, Parquet or Arrow; it is never changed.")],
    target: Annotated[str, typer.Option(help="The column of labels; it may be missing, or have empty cells.")],
    kind: Annotated[str, typer.Option(help="labels, tags, order or number.")] = "labels",
    classes: Annotated[str, typer.Option(help="All labels, tags or items, separated by commas.")] = "",
    bounds: Annotated[tuple[float, float] | None, typer.Option(help="The range of numbers, LOW HIGH.")] = None,
    strategy: Annotated[str, typer.Option(help="Or median, conformal, uncertain, random, whole.")] = "information",
    ask: Annotated[str, typer.Option(help="Kinds of questions, separated by commas: Is,OneOf.")] = "",
    journal: Annotated[Path | None, typer.Option(help="By default TABLE.answers.jsonl.")] = None,
    id: Annotated[str | None, typer.Option(help="The column of ids.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any that is free.")] = 0,
    token: Annotated[str | None, typer.Option(help="By default a new one.", envvar="INFIMUM_TOKEN")] = None,
) -> None:
    """Answer questions about a table on a local page; every answer is kept, and the model asks what helps it most.

    Answers go to a journal beside the table: stop at any time, start again, and go on. Open the address that is
    printed; several people can open it, each in a window.
    """
    for package in ("starlette", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            fail(NEEDS.format(package))
    from ..active import STRATEGIES, Asker
    from ..active.studio import Desk, Journal, read_sheet
    from ..active.studio.server import serve

    if strategy not in STRATEGIES:
        fail(f"There is no strategy {strategy!r}. Names: {', '.join(STRATEGIES)}.")
    names = [name.strip() for name in classes.split(",") if name.strip()]
    kinds = [name.strip() for name in ask.split(",") if name.strip()]
    try:
        sheet = read_sheet(table, target, kind, names or None, id, bounds)
        kept = Journal(table.with_name(f"{table.name}.answers.jsonl") if journal is None else journal, sheet.header())
        asker = Asker(strategy, questions=kinds or None, random_state=0)
        desk = Desk(sheet, kept, asker)
        serve(desk, port, token, lambda address: console.print(f"Open {address}", highlight=False, soft_wrap=True))
    except (ValueError, OSError) as error:  # a table or journal that cannot be used, a port that is taken
        fail(str(error))
