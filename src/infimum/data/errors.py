"""What all structures share in reading y: the form that is remembered, missing cells, bad rows."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

SHOWN = 10
SHORT = reprlib.Repr()
SHORT.maxlist = SHORT.maxtuple = SHORT.maxset = SHORT.maxfrozenset = SHORT.maxdict = 12
SHORT.maxstring = SHORT.maxother = 80


class InfimumWarning(UserWarning):
    """Category of all warnings of this library, so that one filter covers them."""


class InputError(ValueError):
    """y, or the arguments of a set class, cannot be read; the message names rows, the expectation and the way out."""


@dataclass(frozen=True)
class Form:
    """How a column of y is read: decided once, at `fit`.

    >>> Form("mask", "candidate mask, one boolean column a class")
    <form: candidate mask, one boolean column a class>
    """

    kind: str
    says: str
    columns: tuple | None = None
    """The names of the columns, where they have names."""
    lists: bool = False
    """Whether `fit` settled what a list of numbers means."""

    def __repr__(self) -> str:
        return f"<form: {self.says}>"


def shown(cell: Any) -> str:
    """A cell as the user wrote it, shortened."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    return SHORT.repr(cell.item() if isinstance(cell, np.generic) and cell.dtype.kind not in "mM" else cell)


def listed(names: Iterable) -> str:
    """The first ten names, and how many there are.

    >>> listed(range(12))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (12 in all)'
    """
    names = list(names)
    text = ", ".join(map(shown, names[:SHOWN]))
    return text + (f", … ({len(names)} in all)" if len(names) > SHOWN else "")


class BadRows:
    """Collects what is wrong with the rows of y and raises it as one error; a row counts once.

    >>> bad = BadRows("y")
    >>> bad.add(3, "expected lower <= upper, got (2, 1)")
    >>> bad.refuse("Swap the two bounds.")
    Traceback (most recent call last):
    ...
    infimum.data.errors.InputError: 1 row of y cannot be used.
      row 3: expected lower <= upper, got (2, 1)
    Swap the two bounds.
    """

    def __init__(self, name: str = "y"):
        self.name = name
        self.found: dict[int, list[str]] = {}
        self.more = 0
        """Rows that are bad too, and not among those found."""

    def add(self, row: Any, message: str) -> None:
        messages = self.found.setdefault(int(row), [])
        if message not in messages:
            messages.append(message)

    def __contains__(self, row: Any) -> bool:
        return int(row) in self.found

    def refuse(self, remedy: str) -> None:
        """Raise if anything was added; `remedy` is the way out."""
        if not self.found:
            return
        n = len(self.found) + self.more
        first = sorted(self.found)[:SHOWN]
        lines = [f"  row {row}: {'; '.join(self.found[row][:3])}" for row in first]
        if n > len(first):
            lines.append(f"  (and {n - len(first)} more row{'s' if n > len(first) + 1 else ''})")
        head = f"{n} row{'s' if n > 1 else ''} of {self.name} cannot be used."
        raise InputError("\n".join([head, *lines, remedy]))


class Sample(NamedTuple):
    """How many rows are of some kind, and the first of them: what a summary keeps of rows."""

    number: int = 0
    first: tuple[tuple[int, Any], ...] = ()
    """(row, cell), at most ten."""

    def __add__(self, other: Any) -> Sample:
        return Sample(self.number + other.number, (self.first + other.first)[:SHOWN])

    def later(self, rows: int) -> Sample:
        """The same, that many rows further down."""
        return Sample(self.number, tuple((row + rows, cell) for row, cell in self.first))

    @classmethod
    def of(cls, rows: Any, cells: Any) -> Sample:
        return cls(len(rows), tuple((int(row), cells[row]) for row in rows[:SHOWN]))

    def told(self, message: str, bad: BadRows, show: Callable[[Any], str] = shown) -> None:
        """These rows are bad: message.format(cell)."""
        for row, cell in self.first:
            bad.add(row, message.format(show(cell)))
        bad.more += self.number - len(self.first)


def refuse_unread(unread: Sample, remedy: str) -> None:
    """Rows that could not be read, (row, message), where nothing else in y tells more."""
    bad = BadRows("y")
    unread.told("{}", bad, str)
    bad.refuse(remedy)


def merged(a: Mapping, b: Mapping, rows: int) -> dict:
    """Samples by kind, those of b being that many rows further down."""
    out = dict(a)
    for kind, sample in b.items():
        out[kind] = out.get(kind, Sample()) + sample.later(rows)
    return out


def is_missing(cell: Any) -> bool:
    """None, NaN of any type, NaT, pandas.NA, a masked entry or blank text.

    >>> [is_missing(cell) for cell in (None, float("nan"), np.datetime64("NaT"), Decimal("NaN"), " ", np.ma.masked, 0)]
    [True, True, True, True, True, True, False]
    """
    if cell is None or (isinstance(cell, str | bytes) and not cell.strip()):
        return True
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType")
