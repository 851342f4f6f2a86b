"""The target of a table: one column or several, cell by cell, and checked by its kind."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np

from .. import outputs
from ..data.errors import InputError
from ..outputs import Not
from ._cells import bucket_pairs, label_cell, number_cell, order_cell, rank_buckets
from ._files import Found, Refused
from ._frames import is_missing
from ._meaning import Example, ambiguous

INTEGER = re.compile(r"[+-]?(?:0|[1-9]\d*)")
REAL = re.compile(r"[+-]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?")
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


def objects(source: str, y: list, places: list[str], kind: str, classes: list) -> tuple[list, list]:
    """Cells of text as Python objects, read by the space of their kind, and the names of labels or tags.

    What is no such thing is refused by its line.
    """
    if all(cell is None for cell in y):
        return y, classes
    space = space_of(kind, classes)
    try:
        sets = space.fit(y).read(y)
    except InputError as error:
        bad = Refused(source)
        for row, message in error.rows.items():
            bad.add(places[row], message)
        bad.refuse(f"The target was read as {kind!r}: see docs/data.md for what a cell may hold.")
        raise ValueError(f"{source}, read as {kind!r}: {error}") from error
    read = {"labels": _label_objects, "tags": _tag_objects, "order": _order_objects, "number": _number_objects}[kind]
    cells = [found if isinstance(cell, str) else cell for cell, found in zip(y, read(space, sets, y))]
    return cells, space.classes_.tolist() if kind == "labels" else space.tags_.tolist() if kind == "tags" else []


def _label_objects(space: Any, sets: Any, y: list) -> list:
    names = [space.classes_[sets.listed[row].indices].tolist() for row in range(len(sets))]
    cells = zip(names, sets.negated.tolist())
    return [None if negated and not row else Not(*row) if negated else label_cell(row) for row, negated in cells]


def _tag_objects(space: Any, sets: Any, y: list) -> list:
    tags = space.tags_.tolist()
    return [{tag: v > 0 for tag, v in zip(tags, row) if v} or None for row in np.asarray(sets).tolist()]


def _order_objects(space: Any, sets: Any, y: list) -> list:
    pairs = list(combinations(space.items_.tolist(), 2))  # the columns of Kendall codes
    codes = np.asarray(sets).tolist()
    return [order_cell((a, b) if c > 0 else (b, a) for (a, b), c in zip(pairs, row) if c) for row in codes]


def _number_objects(space: Any, sets: Any, y: list) -> list:
    def plain(value: float, text: Any) -> float:
        whole = isinstance(text, str) and value.is_integer() and not set(".eE") & set(text.replace("inf", ""))
        return int(value) if whole else value  # 3 was written as 3

    rows = []
    for text, row in zip(y, np.asarray(sets).tolist()):
        pieces = [(plain(low, text), plain(high, text)) for low, high in row if low == low]
        rows.append(None if pieces == [(-math.inf, math.inf)] else number_cell(pieces))
    return rows
