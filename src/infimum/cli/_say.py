"""What the commands say: the console, progress with the time left, one sentence where something fails."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

console = Console()


def bars() -> Progress:
    """Bars of progress with the time left."""
    columns = (
        TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"),
        TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=console)


def fail(message: str) -> NoReturn:
    """One sentence on stderr, and exit code 1."""
    Console(stderr=True).print(message, highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(1)
