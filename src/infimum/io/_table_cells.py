"""The target of a table: one column or several, cell by cell, parsed by its output type."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..data.errors import InputError, is_missing
from ..outputs.cells import CellFormat
from ..outputs.numbers.cells import number_cell
from ..outputs.numbers.text import parse_interval
from ..outputs.rankings.cells import bucket_pairs, rank_buckets
from ._files import BadRecords, FileRecord
from ._meaning import Choices, ambiguous
from ._records import new_space

INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d{,4000})")  # Python reads integers of up to 4300 digits
REAL = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
YES, NO = ("1", "true", "yes"), ("-1", "false", "no")


def target_cells(
    source: str, found: list[FileRecord], target: Any, targets: list[str], kind: Any, unticked: Any
) -> list:  # fmt: skip
    """Return y, cell by cell, None for an empty cell."""
    if target is None:
        return [None] * len(found)
    if isinstance(target, str):
        return [None if is_missing(record.value.get(target)) else record.value[target] for record in found]
    if kind not in _SEVERAL or (kind == "number" and len(targets) != 2):
        raise ValueError(
            'Several target columns need kind="tags", "ranking", "vector" or "product", and two may have kind="number".'
            f" Got {kind!r}."
        )
    if kind == "tags":
        _require_unticked(source, found, targets, unticked)
    bad, cells = BadRecords(source), []
    for record in found:
        with bad.at(record.place):
            cells.append(_SEVERAL[kind]({column: record.value.get(column) for column in targets}, unticked))
    bad.raise_if_any(f"The target columns are {', '.join(targets)}, read as {kind!r}.")
    return cells


def _number(column: str, cell: Any) -> Any:
    if isinstance(cell, str):
        text = cell.strip()
        if INTEGER.fullmatch(text):
            return int(text)
        try:
            return float(text)
        except ValueError:
            raise ValueError(f"column {column!r}: expected a number, got {cell!r}") from None
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        raise ValueError(f"column {column!r}: expected a number, got {cell!r}")
    return cell


def _bounds(row: dict, unticked: str | None) -> Any:
    low, high = (None if is_missing(cell) else _number(column, cell) for column, cell in row.items())
    if low is None and high is None:
        return None
    if low is not None and high is not None and low > high:
        raise ValueError(f"the lower bound {low} is above the upper one {high}")
    return low if low == high else (low, high)


def _tags(row: dict, unticked: str | None) -> dict | None:
    known = {}
    for column, cell in row.items():
        text = "" if is_missing(cell) else str(cell).strip().lower().removesuffix(".0")
        if text in YES:
            known[column] = True
        elif text in NO or (text == "0" and unticked == "no"):
            known[column] = False
        elif text not in ("", "0"):
            raise ValueError(f"column {column!r}: expected 1, 0, -1, true, false or nothing, got {cell!r}")
    return known or None


def _require_unticked(source: str, found: list[FileRecord], columns: list[str], unticked: str | None) -> None:
    """Raise `MeaningError` if 0 could mean "no" or "unknown"."""
    rows = [(f.place, {c: f.value.get(c) for c in columns}) for f in found]
    zeros = [(place, row) for place, row in rows if any(str(v).strip() in ("0", "0.0") for v in row.values())]
    if zeros and unticked is None:
        choices: Choices = {
            'unticked="no"': lambda row: _tags(row, "no"), 'unticked="unknown"': lambda row: _tags(row, "unknown")
        }  # fmt: skip
        raise ambiguous(source, "unticked", "whether 0 means no or unknown", zeros, choices)


def _ranks(row: dict, unticked: str | None) -> Any:
    return bucket_pairs(rank_buckets({c: _number(c, cell) for c, cell in row.items() if not is_missing(cell)}))


def _coordinates(row: dict, unticked: str | None) -> Any:
    cells = [
        None if is_missing(v) else number_cell(parse_interval(v)) if isinstance(v, str) else _number(c, v)
        for c, v in row.items()
    ]
    return None if all(cell is None for cell in cells) else cells


_SEVERAL: dict[str, Callable] = {
    "number": _bounds, "tags": _tags, "ranking": _ranks, "vector": _coordinates,
    "product": lambda row, unticked: {column: cell for column, cell in row.items() if not is_missing(cell)} or None,
}  # fmt: skip
"""How the cells of several target columns make one cell of y, by output type."""


def parse_cells(source: str, y: list, places: list[str], kind: str, classes: list) -> tuple[list, list]:
    """Return cells of text as Python objects, parsed by the output type, and the names of labels or tags.

    Cells that cannot be parsed raise one error that names their lines.
    """
    if all(cell is None for cell in y):
        return y, classes
    try:
        space = new_space(kind, y, classes).for_files()
        parsed = space.text_to_cells(y)
        given = space.from_cells(parsed)
        sets = space.fit(given).read(given)
        if type(space).to_cells is not CellFormat.to_cells:  # its text may be parsed by read
            parsed = space.to_cells(sets)
    except InputError as error:
        bad = BadRecords(source)
        for row, message in error.rows.items():
            bad.add(places[row], message)
        bad.raise_if_any(f"The target was read as {kind!r}. See docs/data.md for the text of each output type.")
        raise InputError(f"{source}, read as {kind!r}: {error}") from error
    return [new if isinstance(cell, str) else cell for cell, new in zip(y, parsed)], space.class_names()
