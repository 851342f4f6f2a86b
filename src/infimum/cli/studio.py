"""infimum studio: a local web app in which people answer questions about a table."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ..data.errors import InfimumWarning
from ..outputs.recognise import kind_of
from . import _options as o
from ._console import USAGE, as_options, fail, print_look_alikes, stderr, stdout
from ._options import naming

if TYPE_CHECKING:
    from ..active.studio import Session
    from ..active.studio.task import Task

_set = partial(o.option, show_default=True)
SHOWN = 10  # notes of one kind that are printed
NEEDS = 'The studio needs the package {}. Install it with: pip install "infimum[cli,studio]"'


@o.table_options("classes", "separator", "merge_classes", "missing", "id", "contradictions", "header")
def studio(
    options: o.TableOptions,
    table: Annotated[
        Path | None, typer.Argument(help="A table, in any format of `fit`; it is not changed.", metavar="FILE")
    ] = None,
    target: Annotated[
        str, _set("The target column; it may be missing, or have empty cells.", "COLUMN", "--target", "-t")
    ] = "label",
    kind: Annotated[
        Literal["labels", "tags", "ranking", "number", "vector", "mask"] | None,
        o.option("The output type. Default: labels."),
    ] = None,
    bounds: Annotated[tuple[float, float] | None, _set("Range of numbers.", "LOW HIGH")] = None,
    strategy: Annotated[
        Literal["information", "median", "conformal", "uncertain", "random", "whole"],
        _set("Strategy that chooses the next question."),
    ] = "information",
    ask: Annotated[str, _set("Types of questions, separated by commas: Is,OneOf. By default all.", "NAMES")] = "",
    cost: Annotated[Literal["seconds", "bits", "shown"], _set("Unit of the cost of a question.")] = "seconds",
    show: Annotated[str, _set("The columns that people see, separated by commas; by default all.", "COLUMNS")] = "",
    guidelines: Annotated[
        Path | None, _set("A Markdown file about the classes; a heading names a class.", "FILE")
    ] = None,
    groups: Annotated[
        Path | None,
        _set("A file of named groups of classes for yes-or-no questions, one per line: animal: cat|dog.", "FILE"),
    ] = None,
    overlap: Annotated[int, _set("How many people answer the rows of the overlap.", "NUMBER", min=1)] = 1,
    overlap_share: Annotated[float, _set("The share of answered rows in the overlap.", "SHARE", min=0, max=1)] = 0.1,
    people: Annotated[str, _set("Names, separated by commas; each gets an address of their own.", "NAMES")] = "",
    journal: Annotated[Path | None, _set("The file of answers; by default TABLE.answers.jsonl.", "FILE")] = None,
    host: Annotated[str, _set("The address to listen on; 0.0.0.0 is all of this machine.", "ADDRESS")] = "127.0.0.1",
    port: Annotated[int, _set("Port; 0 selects a free one.", "NUMBER", min=0, max=65535)] = 0,
    token: Annotated[str | None, _set("Access token. Default: a random token.", "TEXT", envvar="INFIMUM_TOKEN")] = None,
    certificate: Annotated[Path | None, _set("The file of a certificate (PEM), for HTTPS.", "FILE")] = None,
    key: Annotated[Path | None, _set("The file of its private key (PEM).", "FILE")] = None,
    demo: Annotated[bool, typer.Option("--demo", help="Open the studio on a table of images of digits.")] = False,
) -> None:
    """Label a table in a local web app that asks the most informative questions first.

    Answers are stored in a journal next to the table, so you can stop and continue at any time. Open the address that
    is printed. Several people can use it at once.

    Example: `infimum studio labels.csv --target label`
    """
    _check_installed()
    if demo == (table is not None):
        fail("Name one table, or use --demo. For example: infimum studio labels.csv --target label", USAGE)
    if (certificate is None) != (key is None):
        fail("--certificate and --key belong together.", USAGE)
    from ..active import QuestionSelector
    from ..active.studio import Journal, Session, read_task
    from ..active.studio.demo import demo_table
    from ..active.studio.server import serve

    try:
        if demo:
            table, options = demo_table(), replace(options, classes="0,1,2,3,4,5,6,7,8,9")
        assert table is not None
        names = naming(options)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", InfimumWarning)
            task = read_task(
                table, target, kind or "labels", names.classes, options.id, bounds, names, _listed(show), guidelines,
                groups, options.missing, options.contradictions, options.header,
            )  # fmt: skip
        for text in dict.fromkeys(str(one.message) for one in caught):
            stderr.print(f"Note: {as_options(text, False)}", markup=False)
        if kind is None and names.classes is None:
            _check_kind(task)
        print_look_alikes(task.named, as_tags=False)
        path = table.with_name(f"{table.name}.answers.jsonl") if journal is None else journal
        asker = QuestionSelector(strategy, cost=cost, questions=_listed(ask), random_state=0)
        stderr.print(f"{table.name}: {len(task)} rows. Choosing the first questions …", markup=False)
        session = Session(task, Journal(path, task.header()), asker, overlap=overlap, share=overlap_share)
        _print_notes(session)
        serve(
            session,
            port,
            token,
            _print_addresses,
            host=host,
            people=_listed(people) or (),
            certificate=certificate,
            key=key,
        )
    except (ValueError, OSError) as error:  # an invalid table or journal, a port in use
        fail(as_options(str(error), False))


def _check_kind(task: Task) -> None:
    """Raise ValueError if most classes are written as another output type; whole numbers may be classes."""
    names = [str(name) for name in task.space.class_names()]
    kinds = Counter("labels" if name.isdecimal() else kind_of(name) for name in names)
    found, count = kinds.most_common(1)[0]
    if found != "labels" and 2 * count > len(names):
        example = next(name for name in names if kind_of(name) == found)
        bounds = " --bounds LOW HIGH" if found == "number" else ""
        raise ValueError(
            f"{task.path.name}: the cells of the column {task.target!r}, such as {example!r}, are written as {found}."
            f" Pass --kind {found}{bounds}. If they are names of classes, pass --kind labels."
        )


def _check_installed() -> None:
    for package in ("starlette", "uvicorn"):
        try:
            __import__(package)
        except ImportError:
            fail(NEEDS.format(package))


def _listed(text: str) -> list[str] | None:
    return [name.strip() for name in text.split(",") if name.strip()] or None


def _print_addresses(addresses: dict[str, str]) -> None:
    for name, address in addresses.items():
        stdout.print(f"{name}: open {address}" if name else f"Open {address}")


def _print_notes(session: Session) -> None:
    """Print what people should know before they go on: odd cells, and answers that do not fit the table any more."""
    for note in session.task.notes[:SHOWN]:
        stdout.print(note, markup=False)
    if session.edited:
        rows = ", ".join(map(str, session.edited[:SHOWN]))
        text = f"{len(session.edited)} answered rows have changed cells; their answers are kept. Rows: {rows}"
        stdout.print(text, markup=False)
    if session.left_out:
        text = f"{len(session.left_out)} answers of the journal do not fit the table. They stay in the journal:"
        stdout.print(text, markup=False)
        for one in session.left_out[:SHOWN]:
            text = f"  {one['who']}, {one['text']}: {one['reason']}"
            stdout.print(text, markup=False)
