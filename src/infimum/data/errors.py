"""What all parsers of y share: the format of a column, missing cells, and the errors about rows."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from .blanks import BLANKS

SHOWN = 10
ALSO = 2
"""Rows with the same message as another one that are listed."""
QUOTED = 200
"""Characters of a cell that a message quotes at most."""


class _Short(reprlib.Repr):
    """Short texts of cells, also of integers that Python does not print because they have more than 4300 digits."""

    def repr_int(self, x: int, level: int) -> str:
        return f"an integer of {int(x.bit_length() * math.log10(2)) + 1} digits" if abs(x) >> 333 else repr(x)


SHORT = _Short()
SHORT.maxlist = SHORT.maxtuple = SHORT.maxset = SHORT.maxfrozenset = SHORT.maxdict = 12
SHORT.maxstring = SHORT.maxother = 80
NO_CELL = object()
"""Stands for a cell that is not shown; None is a cell."""


class InfimumWarning(UserWarning):
    """Category of all warnings of this library, so that one filter covers them."""


class InputError(ValueError):
    """Error about y, or about the arguments of a set class: what is wrong, where, and how to fix it.

    Parameters
    ----------
    message : str
        The complete text, for an error that is not about single rows.
    rows : dict, optional
        Row → what is wrong with it. An integer is shown as "row 3", text such as "line 3" as it is.
    what : str, default "y"
        What the rows belong to: "y", "the batch", the name of a file.
    remedy : str
        How to fix it.
    unit : str, default "row"
        What one entry is called: "row", "record", "line".
    more : int, default 0
        The number of wrong rows that are not in `rows`.

    Attributes
    ----------
    rows, what, remedy, unit, more
        As given, so that programs need not read the message.

    Examples
    --------
    >>> error = InputError(rows={3: "expected lower <= upper, got (2, 1)"}, remedy="Swap the two bounds.")
    >>> print(error)
    1 row of y cannot be used.
      row 3: expected lower <= upper, got (2, 1)
    Swap the two bounds.
    >>> print(error.renumbered(lambda row: f"line {row + 2}"))
    1 row of y cannot be used.
      line 5: expected lower <= upper, got (2, 1)
    Swap the two bounds.
    """

    def __init__(
        self, message: str = "", rows: Mapping[Any, str] | None = None, what: str = "y", remedy: str = "",
        unit: str = "row", more: int = 0,
    ):  # fmt: skip
        self.rows, self.what, self.remedy, self.unit, self.more = dict(rows or {}), what, remedy, unit, more
        super().__init__(message or self._message())

    def _message(self) -> str:
        """Return the number of wrong rows, the first of them, and the remedy."""
        alike: dict[str, list] = {}
        for row, why in self.rows.items():
            alike.setdefault(why, []).append(f"{self.unit} {row}" if isinstance(row, int) else row)
        first = list(alike.items())[:SHOWN]
        lines = [f"  {rows[0]}: {why}{self._also(rows[1:])}" for why, rows in first]
        n = len(self.rows) + self.more
        left = n - sum(len(rows) for _, rows in first)
        if left:
            lines.append(f"  (and {left} more {self.unit}{'s' if left > 1 else ''})")
        return "\n".join([f"{n} {self.unit}{'s' if n > 1 else ''} of {self.what} cannot be used.", *lines, self.remedy])

    def _also(self, rows: list[str]) -> str:
        """Return the other rows with the same message, the first of them by name."""
        if not rows:
            return ""
        more = [f"{len(rows) - ALSO} more"] if len(rows) > ALSO else []
        return f" (also {', '.join([*rows[:ALSO], *more])})"

    def renumbered(self, name: Callable[[int], Any]) -> InputError:
        """Return the same error, with row i called name(i): an integer, or text such as "line 3"."""
        if not self.rows:
            return self
        return InputError(
            "", {name(row): why for row, why in self.rows.items()}, self.what, self.remedy, self.unit, self.more
        )


@dataclass(frozen=True)
class Form:
    """The format of a column of y, detected once, in `fit`.

    >>> Form("mask", "candidate mask, one boolean column per class")
    <form: candidate mask, one boolean column per class>
    """

    kind: str
    description: str
    columns: tuple | None = None
    """The names of the columns, if they have names."""
    lists: bool = False
    """Whether `fit` decided what a list of numbers means."""
    decimal: str = "."
    """The decimal mark of numbers that are written as text."""

    def __repr__(self) -> str:
        return f"<form: {self.description}>"


def shown(cell: Any) -> str:
    """Return a cell as the user wrote it, shortened to 200 characters.

    >>> shown("a" * 1000)[-5:], shown(10**5000), len(shown([["a" * 99] * 9] * 9))
    ("aaaa'", 'an integer of 5001 digits', 200)
    """
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    text = SHORT.repr(cell.item() if isinstance(cell, np.generic) and cell.dtype.kind not in "mM" else cell)
    return shortened(text, QUOTED)


def check_lengths(n: int, n_y: int, unit: str = "rows") -> None:
    """Raise an error unless X and y have the same number of rows."""
    if n != n_y:
        raise InputError(f"X has {n} {unit} and y has {n_y}: they must have the same number.")


def shortened(text: str, width: int) -> str:
    """Return text that is cut after so many characters.

    >>> shortened("a long name", 6)
    'a lon…'
    """
    return text if len(text) <= width else text[: width - 1] + "…"


def listed(names: Iterable) -> str:
    """Return the first ten names, and how many there are, as text.

    >>> listed(range(12))
    '0, 1, 2, 3, 4, 5, 6, 7, 8, 9, … (12 in all)'
    """
    names = list(names)
    text = ", ".join(map(shown, names[:SHOWN]))
    return text + (f", … ({len(names)} in all)" if len(names) > SHOWN else "")


class BadRows:
    """Collects what is wrong with rows and raises it as one error; a row counts once.

    Parameters
    ----------
    what : str, default "y"
        What the rows belong to: "y", "the batch", the name of a file.
    unit : str, default "row"
        What one entry is called: "row", "record", "line".

    Examples
    --------
    >>> bad = BadRows()
    >>> bad.add(3, "expected lower <= upper", (2, 1))
    >>> bad.raise_if_any("Swap the two bounds.")
    Traceback (most recent call last):
    ...
    infimum.data.errors.InputError: 1 row of y cannot be used.
      row 3: expected lower <= upper, got (2, 1)
    Swap the two bounds.
    """

    def __init__(self, what: str = "y", unit: str = "row"):
        self.what, self.unit = what, unit
        self.found: dict[Any, list[str]] = {}
        self.more = 0
        """The number of bad rows that are not in `found`."""

    def add(self, row: Any, message: str, cell: Any = NO_CELL) -> None:
        """Add what is wrong with a row: a number, or text such as "line 3"; `cell` is shown as what was got."""
        messages = self.found.setdefault(row if isinstance(row, str) else int(row), [])
        message = message if cell is NO_CELL else f"{message}, got {shown(cell)}"
        message = message if len(message) <= 2 * QUOTED else f"{message[:QUOTED]} … {message[-QUOTED:]}"
        if message not in messages:
            messages.append(message)

    def add_all(self, rows: Iterable[int], message: str) -> None:
        """Add what is wrong with several rows."""
        for row in rows:
            self.add(row, message)

    def __contains__(self, row: Any) -> bool:
        return row in self.found

    def raise_if_any(self, remedy: str) -> None:
        """Raise an InputError if anything was added; `remedy` says how to fix it."""
        if self.found:
            raise self.error(remedy)

    def error(self, remedy: str) -> InputError:
        """Return the error about all rows that were added, numbered ones in ascending order."""
        order = self.found if any(isinstance(row, str) for row in self.found) else sorted(self.found)
        rows = {row: "; ".join(self.found[row][:3]) for row in order}
        return InputError("", rows, self.what, remedy, self.unit, self.more)


def raise_for_rows(wrong: Any, why: Callable[[int], str], remedy: str) -> None:
    """Raise one error about the rows of y that are wrong, (n,) boolean; `why` returns what is wrong with a row."""
    bad = BadRows("y")
    for row in np.flatnonzero(wrong).tolist():
        bad.add(row, why(row))
    bad.raise_if_any(remedy)


def each_cell(cells: Iterable, read: Callable[[Any], Any], remedy: str) -> list:
    """Return read(cell) for each cell of y; raise one error about all rows for which it raises a ValueError."""
    bad, found = BadRows("y"), []
    for row, cell in enumerate(cells):
        try:
            found.append(read(cell))
        except ValueError as error:
            bad.add(row, str(error))
    bad.raise_if_any(remedy)
    return found


class Sample(NamedTuple):
    """The number of rows of one kind, and the first ten of them; a summary of y keeps these instead of the rows."""

    number: int = 0
    first: tuple[tuple[int, Any], ...] = ()
    """(row, cell), at most ten."""

    def __add__(self, other: Any) -> Sample:
        return Sample(self.number + other.number, (self.first + other.first)[:SHOWN])

    def shifted(self, rows: int) -> Sample:
        """Return the sample with that many rows before it."""
        return Sample(self.number, tuple((row + rows, cell) for row, cell in self.first))

    @classmethod
    def of(cls, rows: Any, cells: Any) -> Sample:
        """Count these rows, and keep the first ten with their cells."""
        return cls(len(rows), tuple((int(row), cells[row]) for row in rows[:SHOWN]))

    def add_to(self, bad: BadRows, message: str, show: Callable[[Any], str] = shown) -> None:
        """Add these rows to the bad rows, each with message.format(cell)."""
        for row, cell in self.first:
            bad.add(row, message.format(show(cell)))
        bad.more += self.number - len(self.first)


@dataclass(frozen=True)
class TargetSummary:
    """Summary of a column of y: names, and samples of rows that decide on its format; those of chunks are added."""

    rows: int = 0
    names: dict[Hashable, Any] = field(default_factory=dict)
    """Every name in a cell."""
    unread: dict[str, Sample] = field(default_factory=dict)
    """Rows that cannot be parsed, with what is wrong."""

    def __add__(self, other: Any) -> Any:
        """Return the summary of the rows of self followed by those of other: counts, names and samples by kind."""
        parts: dict[str, Any] = {}
        for part in fields(self):
            a, b = getattr(self, part.name), getattr(other, part.name)
            if isinstance(a, int):
                parts[part.name] = a + b
                continue
            parts[part.name] = both = dict(a)
            for name, value in b.items():
                if isinstance(value, Sample):
                    both[name] = a.get(name, Sample()) + value.shifted(self.rows)
                else:
                    both.setdefault(name, value)
        return type(self)(**parts)

    @staticmethod
    def failures(found: list[tuple[int, str]]) -> dict[str, Sample]:
        """Return `unread` from (row, message)."""
        return {"rows": Sample(len(found), tuple(sorted(found)[:SHOWN]))} if found else {}

    def raise_unread(self, remedy: str) -> None:
        """Raise one error about the rows that could not be parsed, if there are any."""
        bad = BadRows("y")
        self.unread.get("rows", Sample()).add_to(bad, "{}", str)
        bad.raise_if_any(remedy)


def is_null(cell: Any) -> bool:
    """Return whether a cell is None, NaN of any type, NaT, pandas.NA or a masked entry; blank text is text."""
    return not isinstance(cell, str | bytes) and is_missing(cell)


def is_missing(cell: Any) -> bool:
    """Return whether a cell is None, NaN of any type, NaT, pandas.NA, a masked entry or blank text.

    >>> [is_missing(cell) for cell in (None, float("nan"), np.datetime64("NaT"), Decimal("NaN"), " ", np.ma.masked, 0)]
    [True, True, True, True, True, True, False]
    """
    if isinstance(cell, str):
        return not cell.strip(BLANKS)
    if cell is None or (isinstance(cell, bytes) and not cell.strip()):
        return True
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    if isinstance(cell, np.datetime64 | np.timedelta64):
        return bool(np.isnat(cell))
    if isinstance(cell, Decimal):
        return cell.is_nan()
    return cell is np.ma.masked or type(cell).__name__ in ("NAType", "NaTType")
