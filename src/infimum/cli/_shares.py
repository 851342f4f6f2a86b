"""Known shares of classes in groups of rows: a second table, with one line per group and one column per class."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..data.errors import is_missing, listed
from ..data.numerals import parse_number
from ..io._load import Loaded, load_table
from ..outputs import Share
from ._options import TableOptions


class Shares(NamedTuple):
    """The shares of each group."""

    classes: list[str]
    of_group: dict[str, dict[str, Any]]

    def constraints(self, groups: list) -> list[Share]:
        """Return one constraint per group, from the group of each row."""
        names = [str(group) for group in groups]
        found = {name: own for name, own in self.of_group.items() if name in names}
        return Share.of_groups(names, found)


def with_shares(loaded: Loaded, options: TableOptions) -> tuple[Loaded, TableOptions, Shares | None]:
    """Return the table, the options and the shares, if there are any.

    The classes are the columns of the shares. A table without the target column gets an empty one.
    """
    if options.shares is None and options.group is None:
        return loaded, options, None
    if options.shares is None or options.group is None:
        raise ValueError("--group and --shares belong together: a column of groups, and a table of their shares.")
    if len(options.target) != 1 or options.kind not in (None, "labels"):
        raise ValueError("--shares needs one target column of kind labels.")
    shares = read_shares(Path(options.shares), options.group)
    target = options.target[0]
    if target not in loaded.columns:
        rows = [row._replace(value={**row.value, target: None}) for row in loaded.rows]
        loaded = loaded._replace(rows=rows, columns=[*loaded.columns, target])
    classes = options.classes or ", ".join(f'"{name}"' for name in shares.classes)
    return loaded, replace(options, kind="labels", classes=classes), shares


def read_shares(path: Path, group: str) -> Shares:
    """Read the shares of groups; an empty cell is a class of unknown share."""
    loaded = load_table(path)
    if group not in loaded.columns:
        raise ValueError(f"{loaded.name} has no column {group!r} of groups. Its columns are {listed(loaded.columns)}.")
    classes = [name for name in loaded.columns if name != group]
    found: dict[str, dict[str, Any]] = {}
    for row in loaded.rows:
        known = {name: row.value.get(name) for name in classes if not is_missing(row.value.get(name))}
        numbers = {name: parse_number(str(cell)) for name, cell in known.items()}
        wrong = [f"{name}: {known[name]}" for name, number in numbers.items() if number is None or not 0 <= number <= 1]
        if wrong:
            raise ValueError(f"{row.place}: a share is a number from 0 to 1. Got {listed(wrong)}.")
        found[str(row.value.get(group))] = numbers
    return Shares(classes, found)
