"""Output of the commands: progress, results, notes, and errors as one sentence with an exit code."""

from __future__ import annotations

import json
import os
import re
import shutil
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

from ..data.errors import InfimumWarning, InputError
from ..data.lookalikes import JOINED, JOINTS
from ..data.progress import listening
from ..io._files import name_of
from ..io._load import SUFFIXES
from ..io._meaning import MeaningError
from ..io._names import NamedCells

stdout = Console(highlight=False, soft_wrap=True)
stderr = Console(stderr=True, highlight=False, soft_wrap=True)

ARGUMENT = re.compile(r"""\b([a-z_]+)=(?:"([^"]*)"|'([^']*)'|\(([a-z, ]+)\)|([\d.]+)|…)""")
"""An argument of a Python function in a message."""

CHOICE = re.compile(r"^    (--.*?) +->  ", re.MULTILINE)
"""A choice in a message, before its result."""

OPTIONS = {
    "bounds": "bounds", "confidence_level": "level", "contradictions": "contradictions", "covers": "covers",
    "header": "header", "noise": "noise", "principle": "principle", "weights": "weights",
}  # fmt: skip
"""Parameters of Python that messages of the library mention, and the options of the commands that set them."""

INVALID_INPUT = 1  # the data, or a file, cannot be used
USAGE = 2  # the command line is invalid; also used by typer
STOPPED_EARLY = 3  # interrupted, and the best result so far was written
NOT_WRITTEN = 4  # the result could not be written
INTERRUPTED = 130  # interrupted, and nothing was written


class WriteError(Exception):
    """A result could not be written."""


def bars(transient: bool = False, on: Console | None = None) -> Progress:
    """Return progress bars with the remaining time."""
    columns = (
        TextColumn("{task.description:24}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("left"),
        TimeRemainingColumn(),
    )  # fmt: skip
    return Progress(*columns, console=on or stdout, transient=transient)


def fail(message: str, code: int = INVALID_INPUT) -> NoReturn:
    """Print a message on stderr and exit with a code."""
    stderr.print(message, markup=False)
    raise typer.Exit(code)


def as_options(message: str, every: bool = True) -> str:
    """Return a message with arguments of Python written as options of the command line.

    Parameters
    ----------
    message : str
        The message of an error or a warning.
    every : bool, default True
        Whether every argument is an option of the command; otherwise only those in `OPTIONS` are.

    Examples
    --------
    >>> as_options('Choose with meaning="one_of", unticked="no", or skipped=….')
    'Choose with --meaning one_of --unticked no, or --skipped ….'
    >>> as_options("Set covers='set', or bounds=(low, high) of the estimator. See n_tags='auto'.", every=False)
    "Set --covers set, or --bounds LOW HIGH. See n_tags='auto'."
    """

    def option(found: re.Match) -> str:
        if not every and found[1] not in OPTIONS:
            return found[0]
        value = found[2] or found[3] or (found[4] or "").replace(",", "").upper() or found[5] or "…"
        return f"--{OPTIONS.get(found[1], found[1])} {value}"

    text = ARGUMENT.sub(option, message)
    text = re.sub(r"(--bounds LOW HIGH) of the estimator", r"\1", text)
    text = re.sub(r"Features\(columns=\{'(.*)': '(\w+)'\}\)", r'--column "\1=\2"', text)
    text = text if every else re.sub(r"\bconfidence_level\b", "--level", text)
    return _aligned(re.sub(r"(--\w+ \w+), (?=--)", r"\1 ", text)) if every else text


def _aligned(message: str) -> str:
    """Return a message whose lines "choice -> result" have their arrows below each other."""
    width = max((len(found[1]) for found in CHOICE.finditer(message)), default=0)
    return CHOICE.sub(lambda found: f"    {found[1]:{width}}  ->  ", message)


class Stages:
    """The stages of a command, shown on stderr; each may have tasks with progress."""

    def __init__(self, stages: list[str], quiet: bool):
        self.stages, self.progress = stages, bars(transient=True, on=stderr)
        self.tasks: dict[str, Any] = {}
        self.progress.disable = quiet or not stderr.is_terminal
        self.done = 0
        self.notes: list[str] = []
        """Warnings of the library, each once."""
        self.overall = self.progress.add_task(stages[0], total=len(stages))

    def next(self) -> None:
        """Begin the next stage."""
        self.done += 1
        for task in self.tasks.values():
            self.progress.remove_task(task)
        self.tasks = {}
        self.progress.update(self.overall, description=self.stages[self.done], completed=self.done)

    def update(self, label: str, done: int, total: int | None) -> None:
        if label not in self.tasks:
            self.tasks[label] = self.progress.add_task(f"  {label}", total=total)
        self.progress.update(self.tasks[label], completed=done, total=total)


@contextmanager
def running(stages: list[str], path: Path, quiet: bool = False) -> Iterator[Stages]:
    """Show the stages of a command and collect warnings; an error inside becomes one sentence and an exit code."""
    shown = Stages(stages, quiet)
    with interruptible(), errors_as_messages(path), shown.progress, listening(shown.update):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InfimumWarning)
            yield shown
        found = (as_options(str(w.message), False) for w in caught if issubclass(w.category, InfimumWarning))
        shown.notes = list(dict.fromkeys(found))


@contextmanager
def interruptible() -> Iterator[None]:
    """Let Ctrl-C interrupt, even if the command was started in the background."""
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
def errors_as_messages(path: Path) -> Iterator[None]:
    """Turn errors about the input into one message that names the file."""
    try:
        yield
    except KeyboardInterrupt:
        fail("Interrupted. Nothing was written.", INTERRUPTED)
    except WriteError as error:
        fail(str(error), NOT_WRITTEN)
    except FileNotFoundError as error:
        fail(f"There is no file {error.filename or path}.")
    except OSError as error:
        fail(f"{error.filename or path} cannot be read ({error.strerror or error}).")
    except RecursionError:
        fail(f"{name_of(path)}: lists and objects are nested too deeply.")
    except MemoryError as error:
        fail(f"{name_of(path)}: not enough memory. {error}".strip())
    except ImportError as error:
        text = str(error)
        package = f'This requires the package {error.name}. Install it with: pip install "infimum[cli,plot]"'
        fail(package if error.name and "Install" not in text else text)
    except ValueError as error:
        text, name = str(error), name_of(path)
        text = as_options(text, every=isinstance(error, MeaningError))
        fail(text if name in text else f"{name}: {text}")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turn an error while a file is written into one sentence."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        text = why if str(path) in why else f"{path} cannot be written ({why})."
        raise WriteError(f"{text.rstrip('.')}. An existing file is unchanged.") from error


@contextmanager
def rows_called(places: list[str]) -> Iterator[None]:
    """Let errors about rows name their places in the file."""
    try:
        yield
    except InputError as error:
        raise error.renumbered(places.__getitem__) from None


def print_result(
    found: dict[str, Any], as_json: bool, title: str, rows: list[tuple[str, Any]], notes: list[str],
    named: NamedCells | None = None,
) -> None:  # fmt: skip
    """Print the result of a command: a JSON object for scripts, or a table, with the notes on stderr.

    If the result is the best of an interrupted search (`complete` is False), exit with the code for that.
    """
    if as_json:
        more = {} if named is None else named.json()
        typer.echo(json.dumps({**found, **more, "notes": notes}, ensure_ascii=False, default=_plain))
    else:
        for text in notes:
            stderr.print(f"Note: {text}", markup=False)
        print_look_alikes(named)
        table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
        for name, value in rows:
            table.add_row(escape(str(name)), escape(str(value)))
        stdout.print(f"[bold]{escape(title)}[/bold]")
        stdout.print(table, soft_wrap=False)
    if not found.get("complete", True):
        raise typer.Exit(STOPPED_EARLY)


def print_look_alikes(named: NamedCells | None, as_tags: bool = True) -> None:
    """Print a table of the names that look like variants of others, and whether they were merged.

    With `as_tags`, the options follow that read all names of a cell as tags; the studio does not have them.
    """
    if named is None or not named.found:
        return
    title = f"Merged {named.what}" if named.merged else f"Look-alike {named.what}; merge them with --merge-classes"
    stdout.print(f"[bold]{escape(title)}[/bold]")
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="")
    for column in ("Name", "Count", "Meaning", "Reason"):
        table.add_column(column, justify="right" if column == "Count" else "left", overflow="fold")
    for one in named.found:
        table.add_row(escape(repr(one.name)), str(one.count), escape(one.meaning), escape(one.reason))
    stdout.print(table, soft_wrap=False)
    joined = next((one.name for one in named.found if one.reason == JOINED), None)
    if as_tags and joined is not None and named.what == "classes":
        sign = next(iter(JOINTS.findall(joined)), ";")
        merged = "Cells" if named.merged else "With --merge-classes, cells"
        stdout.print(
            f"{merged} such as {joined!r} are candidate sets: one of the names is the label. If all of them apply, pass"
            f' --separator "{sign}" --meaning all_of --unticked no.',
            markup=False,
        )


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


LEAST_SPACE = 2**20
"""Free bytes on the disk without which no work is started."""

MODELS = (".skops",)
REPORTS = (".html", ".htm", ".md", ".json")
TABLES = (*SUFFIXES, ".tsv.gz", ".txt.gz", ".json.gz", ".jsonl.gz", ".ndjson.gz")


def check_out(out: Path, suffixes: tuple[str, ...], *inputs: Path) -> None:
    """Exit if the output is one of the inputs, has another suffix, or cannot be written where it is.

    Parameters
    ----------
    out : path
        The value of --out.
    suffixes : tuple of str
        How the name may end: `MODELS`, `REPORTS` or `TABLES`.
    *inputs : path
        The files that the command reads.
    """
    for file in inputs:
        if out.exists() and file.exists() and os.path.samefile(out, file):
            fail(f"--out must not be a file that is read. Got {out}, which would be overwritten.", USAGE)
    special = out.exists() and not out.is_file() and not out.is_dir()  # a pipe or a device has no format by its name
    if not out.name.lower().endswith(suffixes) and not (special and suffixes is not TABLES):
        listed = ", ".join(SUFFIXES if suffixes is TABLES else suffixes)
        fail(f"--out must end in {listed}. Got {out}.", USAGE)
    if out.is_dir():
        fail(f"{out} cannot be written: it is a folder.", NOT_WRITTEN)
    folder = Path(os.path.realpath(out)).parent
    if special:
        return
    if not folder.is_dir():
        fail(f"{out} cannot be written: there is no folder {out.parent}.", NOT_WRITTEN)
    if not os.access(folder, os.W_OK):
        fail(f"{out} cannot be written: the folder {folder} does not allow it.", NOT_WRITTEN)
    if shutil.disk_usage(folder).free < LEAST_SPACE:
        fail(f"{out} cannot be written: the disk of {folder} is full.", NOT_WRITTEN)
