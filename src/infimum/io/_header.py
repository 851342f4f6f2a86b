"""Find the column names and the rows of a sheet: empty edges, repeated names, titles above the names."""

from __future__ import annotations

import warnings
from collections import Counter
from typing import Any

from ..data.errors import BadRows, InfimumWarning
from ..data.numerals import parse_number

SEARCHED = 10
"""Lines in which the column names are searched for the error message; titles rarely take more."""

Line = tuple[int, list]
"""The number of a line and its cells."""


def is_empty(cell: Any) -> bool:
    """Whether a cell has no content."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def split_header(name: str, lines: list[Line], sep: str | None, header: int | None) -> tuple[list[str], list[Line]]:
    """Return the column names and the other lines of a sheet, without columns and last lines that are empty.

    A name that occurs again gets a number, as in pandas: a, a.1. A warning lists such names.

    Parameters
    ----------
    name : str
        The name of the file in messages.
    lines : list of (int, list)
        Number and cells of each line.
    sep : str, optional
        The separator of a text file, whose lines may have different lengths; None for a workbook.
    header : int, optional
        The number of the line with the column names. By default the first one.

    Examples
    --------
    >>> split_header("a.csv", [(1, ["x", "y", ""]), (2, ["1", "", ""]), (3, ["", "", ""])], ",", None)
    (['x', 'y'], [(2, ['1', ''])])
    """
    what = "row" if sep is None else "line"
    if header is not None:
        numbers = [number for number, _ in lines]
        if header not in numbers:
            raise ValueError(f"{name} has no {what} {header}, which header={header} sets as that of the column names.")
        lines = lines[numbers.index(header) :]
    while len(lines) > 1 and len(lines[-1][1]) > 1 and all(map(is_empty, lines[-1][1])):
        lines = lines[:-1]
    if not lines or all(map(is_empty, lines[0][1])):
        raise ValueError(f"{name} is empty: expected a {what} of column names.{_suggestion(lines, what)}")
    number, names = lines[0][0], ["" if is_empty(cell) else str(cell).strip() for cell in lines[0][1]]
    full = {k for k, text in enumerate(names) if text}
    unnamed = [k for k in range(len(names)) if k not in full]
    full |= {k for _, row in lines[1:] for k in unnamed if k < len(row) and not is_empty(row[k])}
    used = sorted(full)
    nameless = sum(not names[k] for k in used)
    if nameless > 1:
        raise ValueError(
            f"{name}: {nameless} columns have no name in {what} {number}. Name every column.{_suggestion(lines, what)}"
        )
    bad = BadRows(name, "record")
    for number, row in lines[1:]:
        if len(row) <= used[-1] or not all(map(is_empty, row[len(names) :])):
            bad.add(f"{what} {number}", f"expected {len(used)} cells, got {len(row)}")
    bad.raise_if_any(
        f"The columns are {', '.join(names[k] for k in used)}. Put a cell with {sep!r} or a quote in double quotes."
        f"{_suggestion(lines, what)}"
    )
    return _distinct(name, [names[k] for k in used]), [(line, [row[k] for k in used]) for line, row in lines[1:]]


def _distinct(name: str, names: list[str]) -> list[str]:
    """Return distinct names: a repeated one gets a number."""
    taken, found, again = set(names), list[str](), list[str]()
    for column in names:
        new, k = column, 0
        while new in found or (k and new in taken):
            k += 1
            new = f"{column}.{k}"
        again += [f"{column!r} is called {new!r}"] if k else []
        found.append(new)
    if again:
        message = f"{name} has several columns with the same name. Another {', another '.join(again)}."
        warnings.warn(message, InfimumWarning, stacklevel=2)
    return found


def _suggestion(lines: list[Line], what: str) -> str:
    """Return which line probably contains the column names: the first that is full, of distinct words."""
    ends = [max((k + 1 for k, cell in enumerate(row) if not is_empty(cell)), default=0) for _, row in lines]
    width = Counter(ends).most_common(1)[0][0] if ends else 0
    for number, row in lines[1:SEARCHED]:
        words = [str(cell).strip() for cell in row[:width] if not is_empty(cell) and parse_number(str(cell)) is None]
        if width > 1 and len(set(words)) == width:
            return f" If {what} {number} contains the names ({', '.join(words[:3])}, …), pass header={number}."
    return ""
