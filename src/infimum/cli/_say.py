"""What the commands say: consoles, progress with the time left, notes, one sentence where something fails."""

from __future__ import annotations

import json
import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from ..data.errors import InfimumWarning
from ..data.progress import listening

console = Console()
aside = Console(stderr=True)

REFUSED = 1  # the data, or a file, cannot be used
USAGE = 2  # the command line cannot be used; typer's own
EARLY = 3  # interrupted, and the best so far was written
UNWRITTEN = 4  # the result could not be written
INTERRUPTED = 130  # interrupted, and nothing was written


class Unwritten(Exception):
    """A result that could not be written."""


def bars(transient: bool = False, on: Console | None = None) -> Progress:
    """Bars of progress with the time left."""
    columns = (
        TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"),
        TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=on or console, transient=transient)


def fail(message: str, code: int = REFUSED) -> NoReturn:
    """A sentence on stderr, and an exit code."""
    aside.print(message, highlight=False, markup=False, soft_wrap=True)
    raise typer.Exit(code)


class Work:
    """The stages of a command, shown on stderr; each may have parts that are tracked."""

    def __init__(self, stages: list[str], quiet: bool):
        self.stages, self.progress = stages, bars(transient=True, on=aside)
        self.tasks: dict[str, Any] = {}
        self.progress.disable = quiet or not aside.is_terminal
        self.done = -1
        self.overall = self.progress.add_task(stages[0], total=len(stages))

    def stage(self) -> None:
        """The next stage begins."""
        self.done += 1
        for task in self.tasks.values():
            self.progress.remove_task(task)
        self.tasks = {}
        self.progress.update(self.overall, description=self.stages[self.done], completed=self.done)

    def told(self, label: str, done: int, total: int | None) -> None:
        if label not in self.tasks:
            self.tasks[label] = self.progress.add_task(f"  {label}", total=total)
        self.progress.update(self.tasks[label], completed=done, total=total)


@contextmanager
def working(stages: list[str], path: Path, quiet: bool = False) -> Iterator[Work]:
    """Stages of a command with progress; what fails inside is one sentence and an exit code."""
    work = Work(stages, quiet)
    with interruptible(), refusals(path), work.progress, listening(work.told):
        yield work


@contextmanager
def interruptible() -> Iterator[None]:
    """Ctrl-C interrupts, also where the command was started in the background."""
    try:
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
    except ValueError:  # not the main thread: signals go elsewhere
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def refusals(path: Path) -> Iterator[None]:
    """Errors about what the user gave, as one message that names the file."""
    try:
        yield
    except KeyboardInterrupt:
        fail("Interrupted: nothing was written.", INTERRUPTED)
    except Unwritten as error:
        fail(str(error), UNWRITTEN)
    except FileNotFoundError as error:
        fail(f"There is no file {error.filename or path}.")
    except OSError as error:
        fail(f"{error.filename or path} cannot be read ({error.strerror or error}).")
    except MemoryError as error:
        fail(f"{path.name}: there is not enough memory. {error}".strip())
    except ImportError as error:
        fail(f'This needs the package {error.name}. Install it with: pip install "infimum[cli,plot]"')
    except ValueError as error:
        text = str(error)
        fail(text if path.name in text else f"{path.name}: {text}")


@contextmanager
def written(path: Path) -> Iterator[None]:
    """Whatever keeps a file from being written is said in one sentence."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        text = why if str(path) in why else f"{path} cannot be written ({why})."
        raise Unwritten(f"{text.rstrip('.')}. What was there before is as it was.") from error


class Notes:
    """What the library warns about, once each."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    @contextmanager
    def taken(self) -> Iterator[None]:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InfimumWarning)
            yield
        found = [str(w.message) for w in caught if issubclass(w.category, InfimumWarning)]
        self.texts += [text for text in dict.fromkeys(found) if text not in self.texts]

    def add(self, text: str) -> None:
        self.texts.append(text)

    def say(self) -> None:
        for text in self.texts:
            aside.print(f"Note: {text}", highlight=False, markup=False, soft_wrap=True)


def facts(title: str, rows: list[tuple[str, Any]]) -> None:
    """A small table of names and values on stdout."""
    console.print(f"[bold]{escape(title)}[/bold]", highlight=False, soft_wrap=True)
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    for name, value in rows:
        table.add_row(escape(str(name)), escape(str(value)))
    console.print(table)


def result(found: dict[str, Any], as_json: bool, title: str, rows: list[tuple[str, Any]], notes: Notes) -> None:
    """What a command found: an object of JSON for scripts, or a table, with the notes on stderr."""
    if as_json:
        typer.echo(json.dumps({**found, "notes": notes.texts}, ensure_ascii=False, default=_plain))
        return
    notes.say()
    facts(title, rows)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
