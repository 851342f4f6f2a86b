"""Reports as Markdown, for pull requests and wikis."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..outputs.summary import SummaryTable
from ._page import number

SHOWN = 20  # rows of a table
SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~])")


class Section(NamedTuple):
    """A part of a report with one table, which the page and the Markdown text show."""

    title: str
    name: str
    table: SummaryTable
    total: int | None = None
    """The number of rows, if the table contains only the first ones."""


def markdown(title: str, summary: Iterable[str], sections: Iterable[Section], *end: str) -> str:
    """Return a report as text; names and cells are escaped."""
    parts = [f"# {escaped(title)}", *map(escaped, summary)]
    for one in sections:
        parts += [f"## {escaped(one.title)}", _table(one.table.columns, one.table.rows, one.total)]
    return "\n\n".join([*parts, *map(escaped, end)]) + "\n"


def _table(columns: list[str], rows: list[list[Any]], total: int | None) -> str:
    """Return a table with at most 20 rows."""
    total = len(rows) if total is None else total
    lines = [[escaped(number(cell)) for cell in row] for row in [columns, *rows[:SHOWN]]]
    text = "\n".join(f"| {' | '.join(line)} |" for line in [lines[0], ["---"] * len(columns), *lines[1:]])
    return text if total <= SHOWN else f"{text}\n\n{SHOWN} of {total:,} are shown."


def escaped(text: str) -> str:
    """Return text without what Markdown or HTML would interpret, in one line.

    >>> escaped("a|b <i>")
    'a\\\\|b \\\\<i\\\\>'
    """
    return SPECIAL.sub(r"\\\1", " ".join(str(text).split()))
