"""The target of a table: one column or several, cell by cell, and checked by its kind."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .. import outputs
from ._cells import bucket_pairs, rank_buckets
from ._files import Found, Refused
from ._frames import is_missing
from ._meaning import Example, ambiguous
from ._records import Records

INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*)")
REAL = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
ROW = re.compile(r"^  row (\d+): (.*)$", flags=re.M)  # as the spaces name bad rows
YES, NO = ("1", "true", "yes"), ("-1", "false", "no")


def target_cells(source: str, found: list[Found], target: Any, targets: list[str], kind: Any, unticked: Any) -> list:
    """y, cell by cell, None where it is empty."""
    if target is None:
        return [None] * len(found)
    if isinstance(target, str):
        return [None if _blank(record.value.get(target)) else record.value[target] for record in found]
    if kind == "number" and len(targets) == 2:
        read: Callable = _bounds
    elif kind == "tags":
        _refuse_zeros(source, found, targets, unticked)
        read = lambda record, columns: _tags(record, columns, unticked)  # noqa: E731
    elif kind == "order":
        read = _ranks
    else:
        raise ValueError(
            f'Several target columns need kind="tags" or kind="order", and two may have kind="number". Got {kind!r}.'
        )
    bad, cells = Refused(source), []
    for record in found:
        try:
            cells.append(read(record, targets))
        except ValueError as error:
            bad.add(record.place, str(error))
    bad.refuse(f"The target columns are {', '.join(targets)}, read as {kind!r}.")
    return cells


def _blank(cell: Any) -> bool:
    return is_missing(cell) or (isinstance(cell, str) and not cell.strip())


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


def _bounds(record: Found, columns: list[str]) -> Any:
    low, high = (None if _blank(record.value.get(c)) else _number(c, record.value[c]) for c in columns)
    if low is None and high is None:
        return None
    if low is not None and high is not None and low > high:
        raise ValueError(f"the lower bound {low} is above the upper one {high}")
    return low if low == high else (low, high)


def _tags(record: Found, columns: list[str], unticked: str | None) -> dict | None:
    known = {}
    for column in columns:
        cell = record.value.get(column)
        text = "" if _blank(cell) else str(cell).strip().lower().removesuffix(".0")
        if text in YES:
            known[column] = True
        elif text in NO or (text == "0" and unticked == "no"):
            known[column] = False
        elif text not in ("", "0"):
            raise ValueError(f"column {column!r}: expected 1, 0, -1, true, false or nothing, got {cell!r}")
    return known or None


def _refuse_zeros(source: str, found: list[Found], columns: list[str], unticked: str | None) -> None:
    """0 is "no" in one table and "unknown" in another."""
    zeros = [f for f in found if any(str(f.value.get(c)).strip() in ("0", "0.0") for c in columns)]
    if zeros and unticked is None:
        choices: dict[str, Callable] = {
            f'unticked="{choice}"': lambda record, choice=choice: _tags(record.found, columns, choice)
            for choice in ("no", "unknown")
        }
        examples = [Example(f.place, _Shown(f, columns)) for f in zeros]
        raise ambiguous(source, "unticked", "whether 0 means no or unknown", examples, choices)


class _Shown:
    """The target cells of a row, as they stand."""

    def __init__(self, found: Found, columns: list[str]):
        self.found, self.columns = found, columns

    def __repr__(self) -> str:
        return ", ".join(f"{column}={self.found.value.get(column)}" for column in self.columns)


def _ranks(record: Found, columns: list[str]) -> Any:
    ranks = {c: _number(c, record.value[c]) for c in columns if not _blank(record.value.get(c))}
    return bucket_pairs(rank_buckets(ranks))


def space_of(kind: str, classes: list) -> Any:
    """The output space that reads a kind of target."""
    if kind == "labels":
        return outputs.Labels(classes=classes or None)
    return {"tags": outputs.Tags, "order": outputs.Rankings, "number": outputs.Reals}[kind]()


def check(source: str, records: Records) -> None:
    """Refuse every cell that is no such thing, by its line."""
    if all(cell is None for cell in records.y):
        return
    try:
        space_of(records.kind, records.classes).fit(records.y).as_sets(records.y)
    except ValueError as error:
        bad = Refused(source)
        for row, message in ROW.findall(str(error)):
            bad.add(records.places[int(row)], message)
        bad.refuse(f"The target was read as {records.kind!r}: see docs/data.md for what a cell may hold.")
        raise ValueError(f"{source}, read as {records.kind!r}: {error}") from error
