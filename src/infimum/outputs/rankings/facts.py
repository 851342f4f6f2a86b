"""Summary of a column of orders: its items, and whether its numbers are ranks, codes or items."""

from __future__ import annotations

import math
import warnings
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import Column, ValueTable, distinct, is_number, is_row, normalise_y, table_of
from ...data.errors import BadRows, InfimumWarning, InputError, Sample, TargetSummary, is_missing, shown
from ...data.names import Names, key, plain
from .forms import FORMS, chains_in, items_in_codes


@dataclass(frozen=True)
class Facts(TargetSummary):
    """Summary of a column of orders; `names` are items that cells contain as objects."""

    texts: dict[str, None] = field(default_factory=dict)
    """Items in text, by how they print."""
    frames: dict[tuple, Sample] = field(default_factory=dict)
    """Tables of ranks and sets of orders, by the names of their items."""
    arrays: dict[int, Sample] = field(default_factory=dict)
    """Tables without names, by the number of their columns."""
    not_codes: dict[str, Sample] = field(default_factory=dict)
    """Rows of them with an entry that is not -1, 0 or 1."""
    not_ranks: dict[str, Sample] = field(default_factory=dict)
    """Rows of them with a negative entry."""
    sets: dict[int, Sample] = field(default_factory=dict)
    """Sets of orders without names, by the number of their items."""
    numbers: dict[int, Sample] = field(default_factory=dict)
    """Cells that are lists of numbers, by their length."""
    cells: int = 0
    """The number of other cells."""


def parse(y: Any) -> ValueTable | Column:
    """Return y as a table of numbers (ranks if the columns have names), or as a column of cells."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "OUT":
        return Column(_orders_of(y), np.zeros(len(y), bool), name="orders")
    found = normalise_y(y, FORMS)
    if isinstance(found, Column) and found.missing.all():
        return Column([None] * found.n, found.missing)
    if sparse.issparse(found):
        raise InputError(
            "The zeros of a sparse y are ambiguous. Pass PartialOrders(y.toarray()) if they are codes."
        )
    if isinstance(found, np.ndarray) or (isinstance(found, Column) and found.typed and found.name is None):
        shape = found.shape if isinstance(found, np.ndarray) else (found.n,)
        raise InputError(f"Rankings need an (n, m) array of ranks or (n, m(m-1)/2) codes. Got shape {shape}. {FORMS}")
    if isinstance(found, Column):
        if not found.typed:
            return Column(found.cells, found.missing)
        found = ValueTable(found.cells[:, None], found.missing[:, None], (found.name,))
    if found.values.dtype.kind not in "iuf" and not found.missing.all():
        bad = BadRows("y")
        for row in np.flatnonzero(~found.missing.all(axis=1)):
            bad.add(row, f"expected ranks, which are numbers, got {shown(found.row(row))}")
        bad.raise_if_any(
            "For columns with the first, the second … item, pass y.to_numpy().astype(object). For one comparison per"
            f" line, better item first, pass [[pair] for pair in zip(better, worse)]. {FORMS}"
        )
    values = np.where(found.missing, math.nan, found.values if found.values.dtype.kind in "iuf" else math.nan)
    return ValueTable(values.astype(float), found.missing, found.names)


def _orders_of(y: NDArray) -> list:
    """Return the rows of an array of objects: orders, best first, as `predict` returns them."""
    rows = [list(row) for row in y]
    bad = BadRows("y")
    for k, row in enumerate(rows):
        if any(map(is_missing, row)) and any(is_number(type(v)) for v in row):
            bad.add(k, f"an order or ranks with gaps, got {shown(row)}")
    bad.raise_if_any("Ranks with gaps are PartialOrders.from_ranks(y); the top of an order is a list of its items.")
    return rows


def facts_of(y: Any) -> Facts:
    """Summarise y: its items and its format."""
    found = parse(y)
    if isinstance(found, ValueTable):
        _warn_of_ratings(found)
        if found.names is not None:
            return Facts(found.n, frames={found.names: Sample(found.n)})
        width = found.missing.shape[1]
        cells = [found.row(row) for row in range(min(found.n, 10))]
        first = Sample(found.n, tuple(enumerate(cells)))
        return Facts(found.n, arrays={width: first}, **_ruled_out(found))
    names: dict[Hashable, Any] = {}
    texts: dict[str, None] = {}
    numbers: dict[int, list[int]] = {}
    unread: list[tuple[int, str]] = []
    cells, which = places = distinct(found)
    for k, cell in enumerate(cells[1:], start=1):  # the first one is missing
        if found.name is None and is_list_of_numbers(cell):
            numbers.setdefault(len(cell), []).append(k)
        try:
            for item in (item for chain in chains_in(cell, None) for bucket in chain for item in bucket):
                if isinstance(cell, str):
                    texts[item] = None
                else:
                    names.setdefault(key(item), plain(item))
        except InputError as error:  # `stated_pairs` raises it, unless the items are known by then
            unread += [(row, str(error)) for row in places.rows(k)]
    lists = {width: Sample.of(np.flatnonzero(np.isin(which, ks)), found.cells) for width, ks in numbers.items()}
    others = np.count_nonzero(which) - sum(sample.number for sample in lists.values())
    return Facts(found.n, names, Facts.failures(unread), texts, numbers=lists, cells=int(others))


def _warn_of_ratings(table: ValueTable) -> None:
    """Warn about numbers that are too large for ranks with gaps: ratings, of which the largest is best."""
    values, m = table.values[~table.missing], table.missing.shape[1]
    if len(values) and 2 * m < values.max() < np.inf:
        warnings.warn(
            f"y contains numbers up to {values.max():g} for {m} items. They are used as ranks, of which the smallest is"
            " best. If the largest number is best, pass -y.",
            InfimumWarning,
            stacklevel=4,
        )


def _ruled_out(table: ValueTable) -> dict[str, Any]:
    """Return which rows of a table of numbers cannot be codes, and which cannot be ranks from 1 on."""
    filled = np.where(table.missing, 0, table.values)
    out = {}
    for name, wrong in (("not_codes", ~np.isin(filled, (-1, 0, 1))), ("not_ranks", filled < 0)):
        rows = np.flatnonzero(wrong.any(axis=1))
        sample = Sample(len(rows), tuple((int(row), table.row(row)) for row in rows[:10]))
        out[name] = {"entries": sample} if len(rows) else {}
    return out


def is_list_of_numbers(cell: Any) -> bool:
    """Return whether a cell is a list of two or more numbers, which may be ranks or items."""
    return is_row(cell) and not isinstance(cell, tuple) and len(cell) > 1 and all(is_number(type(v)) for v in cell)


def all_lists_of_numbers(column: Column) -> bool:
    """Return whether every cell is a list of numbers or missing; otherwise the lists are items, best first."""
    cells = (cell for cell, gone in zip(column.cells, column.missing) if not gone)
    return column.name is None and all(map(is_list_of_numbers, cells))


def kind_of(width: int, m: int | None, facts: Facts) -> str:
    """Return "ranks" or "codes" for tables with so many columns; raise an error if both are possible, or neither."""
    if not facts.arrays[width].number and m in (None, width):
        return "ranks"
    pairs = items_in_codes(width)
    codes, ranks = pairs is not None and m in (None, pairs), m in (None, width)
    if width == 1 and m is None:
        ranks = False  # one item has no order
    if codes and ranks:
        codes, ranks = not facts.not_codes, not facts.not_ranks
    if codes and ranks:
        _raise_ambiguous_table(facts.arrays[width])
    if not codes and not ranks:
        if m not in (None, width, pairs):
            raise InputError(
                f"y must have a column for each of the {m} items (ranks) or of their {math.comb(m or 0, 2)} pairs"
                f" (codes). Got {width} columns."
            )
        bad = BadRows("y")
        facts.not_codes["entries"].add_to(
            bad, "expected codes (-1, 0, 1) or ranks (not negative), got {}"
        )
        bad.raise_if_any("Pass PartialOrders.from_ranks(y) or PartialOrders(y).")
    return "codes" if codes else "ranks"


def _raise_ambiguous_table(sample: Sample) -> None:
    lines = []
    for row, cell in sample.first[:3]:
        m, width = items_in_codes(len(cell)) or 1, len(cell)
        i, j = np.triu_indices(m, 1)
        coded = [f"{a}>{b}" if v > 0 else f"{b}>{a}" for a, b, v in zip(i, j, cell) if v]
        ranked = [f"{a}>{b}" for a in range(width) for b in range(width) if _less(cell[a], cell[b])]
        lines.append(
            f"  row {row}: {shown(cell)} as ranks means {', '.join(ranked) or 'nothing'},"
            f" as codes {', '.join(coded) or 'nothing'}"
        )
    way = "Pass PartialOrders.from_ranks(y) for ranks (1 is first), or PartialOrders(y) for codes."
    raise InputError("\n".join(["The numbers of y can be ranks or codes.", *lines, way]))


def _less(a: Any, b: Any) -> bool:
    return a is not None and b is not None and a < b


def check_lists(facts: Facts, items: Names | None) -> None:
    """Raise an error if lists of numbers that contain every item may be orders or ranks."""
    if len(facts.numbers) != 1 or facts.cells or facts.texts:
        return
    (width,) = facts.numbers
    if len(facts.names) != width or (items is not None and len(items) != width):
        return
    if items is not None and not all(name in items for name in facts.names.values()):
        return
    lines = [f"  row {row}: {shown(list(cell))}" for row, cell in facts.numbers[width].first[:3]]
    way = (
        "Pass PartialOrders.from_ranks(y) for ranks (1 is first), or np.array(y, dtype=object) for items, best first."
        " If the items are 0, 1, …, pass PartialOrders.from_orders(y)."
    )
    raise InputError("\n".join(["The lists of y can be ranks, or items in their order.", *lines, way]))


def items_in(facts: Facts) -> list:
    """Return every item in the cells; in text, items are identified by how they print."""
    prints: dict[Hashable, Any] = {}
    for name in facts.names.values():
        if (other := prints.setdefault(key(str(name)), name)) is not name:
            raise InputError(
                f"The items {shown(other)} and {shown(name)} of y look the same as text. Pass items=[…] with one."
            )
    for text in facts.texts:
        prints.setdefault(key(text), text)
    return list(prints.values())


def number_table(values: Any, what: str, shape: str) -> tuple[NDArray, tuple | None]:
    """Return (n, c) numbers with NaN for missing ones, and the names of the columns of a DataFrame."""
    table = normalise_y(values, "")
    if sparse.issparse(table):
        table = ValueTable(table.toarray(), np.zeros(table.shape, bool))
    if isinstance(table, Column):
        table = table_of(table) if not table.typed else None
        if table is None and isinstance(values, list | tuple) and not len(values):
            table = ValueTable(np.empty((0, 1)), np.zeros((0, 1), bool))
    if not isinstance(table, ValueTable) or table.values.dtype.kind not in "iuf":
        got = f"shape {np.shape(values)}" if isinstance(values, np.ndarray) else shown(values)
        raise InputError(f"{what} are numbers of shape {shape}. Got {got}. One row alone is [row].")
    return np.where(table.missing, math.nan, table.values).astype(float), table.names


def item_names(items: Any, m: int) -> NDArray:
    """Return the names of m items, 0, …, m-1 by default."""
    if items is None:
        return np.arange(m)
    names = Names(items, "items")
    if len(names) != m:
        raise InputError(f"The sets rank {m} items. Got {len(names)} names.")
    return names.array
