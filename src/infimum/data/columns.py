"""Kinds of columns: number, category, date, text, identifier, constant or empty, recognised by their values."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from datetime import date, datetime
from numbers import Real
from typing import Any

import numpy as np

from .blanks import normalised, stripped
from .errors import is_missing
from .numerals import FEW_VALUES, decimal_mark, is_missing_word, missing_code, parse_number, split_unit

KINDS = ("number", "category", "date", "text", "identifier", "constant", "empty")
"""What a column may be; the last three are left out of the features."""

STRAY = 0.05
"""Share of cells that may be neither numbers nor dates in such a column; they are treated as missing, and reported."""

DISTINCT = 0.98
"""Share of distinct values from which on codes are identifiers; 0.9 is enough if the name says so."""

FEW = 10
"""Rows below which no column is called an identifier: too few values to tell."""

OFTEN = 20
"""Mean number of rows per value from which on up to four times `max_categories` values are categories."""

FEW_UNITS = 4
"""Number of different units up to which text is probably a column of numbers, and not of ordinals or addresses."""

LIMIT = re.compile(r"\s*(?:[<>]=?|[≤≥])\s*(?=[\d.])")
"""The sign before a detection limit, as in "<0.5"."""

FEW_WORDS = 3
"""Number of different words up to which they stand for missing cells among many different numbers."""

NAMED_ID = re.compile(r"(?:^|[ _.-])(?:id|ids|uuid|guid|key|index)$|(?<=[a-z])(?:ID|Id)$", re.IGNORECASE)
ROW_NUMBER = re.compile(r"|#|(?:unnamed: \d+)|row(?: ?names?| ?number)?|line|(?:lfd\.? ?)?nr\.?|no\.?", re.IGNORECASE)
CODE = re.compile(r"(?=.*\d)[^\s,;|]{1,64}")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
ISO = re.compile(
    r"(\d{4})[-/](\d{1,2})[-/](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?)? ?(?:Z|UTC|[+-]\d{2}:?\d{2})?"
)
TRIPLE = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d{2})(?:[ ,]+(\d{1,2}):(\d{2})(?::(\d{2}))?)?")
WORDED = re.compile(r"(?:(\d{1,2})(?:st|nd|rd|th)?\.? )?([A-Za-z]{3,9})\.?(?: (\d{1,2})(?:st|nd|rd|th)?,?)?,? (\d{4})")
EPOCH = datetime(1970, 1, 1)


@dataclass
class Recognised:
    """What a column is, and how its cells become values."""

    kind: str
    decimal: str = "."
    """Decimal mark of numbers that are written as text."""
    day_first: bool = True
    """Whether 3/4/2024 is the third of April."""
    unit: str = ""
    """The unit that follows numbers, in lower case."""
    boolean: bool = False
    """Whether all cells are booleans."""
    words: tuple[str, ...] = ()
    """Words among numbers that stand for missing cells, in lower case."""
    notes: tuple[str, ...] = ()
    """What a user should know: cells that are treated as missing, a reading that was assumed."""


def recognise(name: str, cells: list, max_categories: int = 30, kind: str | None = None) -> Recognised:
    """Return what a column is, by its values; or how its cells are read as the `kind` that the user gives.

    Parameters
    ----------
    name : str
        Name of the column. It lowers the share of distinct values that an identifier needs.
    cells : list
        Values of the column, of any scalar type.
    max_categories : int, default 30
        Text with at most this many values is a category.
    kind : str, optional
        One of `KINDS`, if the user has decided.

    Examples
    --------
    >>> recognise("size", ["12,5", "n/a", "7,25"] * 5)
    Recognised(kind='number', decimal=',', day_first=True, unit='', boolean=False, words=(), notes=())
    >>> recognise("temperature", ["20.1 °C", "19 °C", "n/a"] * 5).unit
    '°c'
    >>> recognise("ticket", [f"T-{k}" for k in range(40)]).kind
    'identifier'
    """
    present = [cell for cell in cells if not is_missing(cell)]
    if kind is None and not present:
        return Recognised("empty")
    texts = [cell for cell in present if isinstance(cell, str)]
    if kind in ("category", "text", "identifier", "constant", "empty"):
        return Recognised(kind)
    if kind != "date":
        number = _as_number(present, texts)
        if number is not None or kind == "number":
            found = number or Recognised("number", decimal_mark(texts) or ".")
            return found if kind == "number" else _unless_identifier(name, present, len(cells), found)
    when = _as_date(present, texts)
    if when is not None or kind == "date":
        return when or Recognised("date")
    if len({str(cell).strip() for cell in present}) == 1 and len(present) == len(cells):
        return Recognised("constant")
    values = Counter(category(cell) for cell in present)
    if _are_codes(name, [str(cell).strip() for cell in present]):
        return Recognised("identifier")
    few = len(values) <= min(max_categories, max(2, len(present) // 2))
    frequent = len(values) <= 4 * max_categories and len(present) >= OFTEN * len(values)
    if few or frequent:
        return Recognised("category")
    return _as_number_beside_words(present, values) or Recognised("text", notes=_units_note(texts))


def category(cell: Any) -> str:
    """Return the category of a cell: its text, without case and surrounding blanks; "" if it is missing.

    A whole number is the same category as an integer and as a float, which it becomes beside missing cells.

    >>> category(" Cat\\u00a0"), category(2), category(2.0), category(None)
    ('cat', '2', '2', '')
    """
    if is_missing(cell):
        return ""
    whole = isinstance(cell, float | np.floating) and cell.is_integer()
    return normalised(stripped(str(int(cell) if whole else cell))).casefold()


def number(cell: Any, decimal: str = ".", unit: str = "") -> float | None:
    """Return a cell as a number; None if it is none. Booleans are 0 and 1, durations are seconds, "<0.5" is 0.5."""
    if isinstance(cell, str):
        return parse_number(LIMIT.sub("", cell, 1) if LIMIT.match(cell) else cell, decimal, unit)
    if isinstance(cell, np.timedelta64):
        return float(cell / np.timedelta64(1, "s"))
    if hasattr(cell, "total_seconds"):
        return float(cell.total_seconds())
    if isinstance(cell, Real | np.bool_) or type(cell).__name__ == "Decimal":
        try:
            return float(cell)
        except OverflowError:
            return None
    return None


def days(cell: Any, day_first: bool = True) -> float | None:
    """Return a date as days since 1970; None if the cell is no date."""
    if isinstance(cell, str):
        moment = _moment(cell.strip(), day_first)
    elif isinstance(cell, np.datetime64):
        moment = cell.astype("datetime64[us]").item()
    else:
        moment = cell
    if not isinstance(moment, date):
        return None
    if not isinstance(moment, datetime):
        moment = datetime(moment.year, moment.month, moment.day)
    return (moment.replace(tzinfo=None) - EPOCH).total_seconds() / 86400


def _as_number(present: list, texts: list[str]) -> Recognised | None:
    """Return how the cells are read as numbers; None if too many of them are none."""
    limits = [text for text in texts if LIMIT.match(text)]
    texts = [LIMIT.sub("", text, 1) if LIMIT.match(text) else text for text in texts]
    units = _units(texts)
    unit = max(units, key=lambda name: units[name]) if units else ""
    decimal = decimal_mark(split_unit(text)[0] or text for text in texts)
    mark = decimal or "."
    words = [cell for cell in texts if is_missing_word(cell)]
    values = [value for value in (number(cell, mark, unit) for cell in present) if value is not None]
    n_stray = len(present) - len(values) - len(words)
    if not values or n_stray > STRAY * len(present):
        return None
    if limits and len(set(values) - {number(cell, mark, unit) for cell in limits}) < FEW_VALUES:
        return None  # "<5" and ">5" are categories
    unread = [cell for cell in present if number(cell, mark, unit) is None]
    stray = [cell for cell in unread if not (isinstance(cell, str) and is_missing_word(cell))]
    notes = [f"unit {unit}"] if unit else []
    notes += [_stray_note(stray, "numbers")] if stray else []
    notes += [f"{len(limits)} cells such as {limits[0]!r} count as their limit"] if limits else []
    code = missing_code(values)
    if code is not None:
        far = "the only negative number" if code < 0 else "far from the other numbers"
        notes.append(f"{values.count(code)} cells are {code:g}, {far} (missing?)")
    if decimal is None:
        example = next(text for text in texts if "," in text)
        notes.append(f"{example!r} is read with a thousands separator; for a decimal comma, replace it by a point")
    boolean = all(isinstance(cell, bool | np.bool_) for cell in present)
    return Recognised("number", mark, unit=unit, boolean=boolean, notes=tuple(notes))


def _as_number_beside_words(present: list, values: Counter[str]) -> Recognised | None:
    """Return how measurements are read if the other cells are a few words, such as "n.d."; None for other text."""
    words = tuple(value for value in values if not any(letter.isdigit() for letter in value))
    count = sum(values[word] for word in words)
    if not 0 < len(words) <= FEW_WORDS or count > len(present) / 2:
        return None
    numbers = [cell for cell in present if category(cell) not in words]
    found = _as_number(numbers, [cell for cell in numbers if isinstance(cell, str)])
    if found is None:
        return None
    note = f"{count} cells are treated as missing: {', '.join(map(repr, words))}"
    return replace(found, words=words, notes=(*found.notes, note))


def _units(texts: list[str]) -> Counter[str]:
    """Return the units that follow numbers, with their counts."""
    return Counter(unit for unit in (split_unit(text)[1] for text in texts if parse_number(text) is None) if unit)


def _units_note(texts: list[str]) -> tuple[str, ...]:
    """Return a note about a column of text that contains numbers with a few different units."""
    units = _units(texts)
    if not 1 < len(units) <= FEW_UNITS or units.total() < (1 - STRAY) * len(texts):
        return ()
    counted = ", ".join(f"{unit} ({count} cells)" for unit, count in units.most_common())
    return (f"numbers with different units: {counted}; convert them to one unit to use them as numbers",)


def _as_date(present: list, texts: list[str]) -> Recognised | None:
    """Return how the cells are read as dates; None if too many of them are none."""
    first, second = (
        any(int(found[k]) > 12 for found in map(TRIPLE.fullmatch, map(str.strip, texts)) if found) for k in (1, 2)
    )
    day_first = first or not second
    others = [cell for cell in present if days(cell, day_first) is None]
    stray = [cell for cell in others if not (isinstance(cell, str) and is_missing_word(cell))]
    if len(others) == len(present) or len(stray) > STRAY * len(present):
        return None
    return Recognised("date", day_first=day_first, notes=(_stray_note(stray, "dates"),) if stray else ())


def _stray_note(stray: list, what: str) -> str:
    shown = ", ".join(repr(cell)[:40] for cell in list(dict.fromkeys(stray))[:3])
    are = "cell that is not" if len(stray) == 1 else "cells that are not"
    return f"{len(stray)} {are} {what} treated as missing: {shown}"


def _unless_identifier(name: str, present: list, n: int, found: Recognised) -> Recognised:
    """Return an identifier for distinct whole numbers that are named so, a constant for one value, else what was found.

    Distinct whole numbers alone are no identifiers: years, counts and measurements are, too.
    """
    values = [number(cell, found.decimal, found.unit) for cell in present]
    real = np.array([value for value in values if value is not None])
    distinct = len(np.unique(real))
    if distinct == 1 and len(real) == n:
        return Recognised("constant")
    whole = bool(np.all(real == np.round(real))) and not any(isinstance(cell, bool | np.bool_) for cell in present)
    if len(real) < FEW or not whole or np.abs(real).max(initial=0) > 2**53:
        return found
    named = NAMED_ID.search(name) or ROW_NUMBER.fullmatch(name)
    return Recognised("identifier") if named and distinct >= 0.9 * len(real) else found


def _are_codes(name: str, texts: list[str]) -> bool:
    """Return whether texts are codes such as T-10016: one word with a digit each, nearly all distinct."""
    if len(texts) < FEW:
        return False
    share = len(set(texts)) / len(texts)
    needed = 0.9 if NAMED_ID.search(name) else DISTINCT
    return share >= needed and sum(CODE.fullmatch(text) is not None for text in texts) >= DISTINCT * len(texts)


def _moment(text: str, day_first: bool) -> datetime | None:
    try:
        if found := ISO.fullmatch(text):
            return datetime(*(int(part or 0) for part in found.groups()))  # type: ignore[arg-type]
        if found := TRIPLE.fullmatch(text):
            a, b, year, *clock = (int(part or 0) for part in found.groups())
            day, month = (b, a) if (b > 12 or not day_first) and a <= 12 else (a, b)
            return datetime(year if year > 99 else 2000 + year, month, day, *clock)  # type: ignore[arg-type]
        if (found := WORDED.fullmatch(text)) and found[2][:3].lower() in MONTHS:
            day = int(found[1] or found[3] or 1)
            return datetime(int(found[4]), MONTHS.index(found[2][:3].lower()) + 1, day)
    except ValueError:  # no such day
        return None
    return None
