"""What the writers share: rows beside their labels and scores, and cells of y as names, orders and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..outputs import Not
from ._cells import bucket_pairs, closure, in_order, number_pieces, order_cell, rank_buckets
from ._files import Refused
from ._frames import is_missing, rows_of_frame
from ._records import Records


class Row(NamedTuple):
    """One row to write."""

    id: Any
    data: dict
    cell: Any
    score: float | None


def rows_to_write(records: Any, y: Any = None, score: Any = None, classes: Any = None) -> list[Row]:
    """Rows from `Records`, a frame, a list of dicts or of texts; y from the records where it is not given."""
    data = rows_of_frame(records.data if isinstance(records, Records) else records)
    ids = records.ids if isinstance(records, Records) else list(range(1, len(data) + 1))
    if y is None and isinstance(records, Records) and records.kind == "text":
        raise ValueError("What the target means is still open: read the table with kind=….")
    if y is None:
        y = records.y if isinstance(records, Records) else [None] * len(data)
    cells = plain_cells(y, classes)
    if len(cells) != len(data):
        raise ValueError(f"y must have one entry for each of the {len(data)} rows. Got {len(cells)}.")
    scores = [None] * len(data) if score is None else np.asarray(score, dtype=float).ravel().tolist()
    if len(scores) != len(data):
        raise ValueError(f"score must have one number for each of the {len(data)} rows. Got {len(scores)}.")
    bad = Refused("score")
    for row, value in enumerate(scores):
        if value is not None and not math.isnan(value) and not 0 <= value <= 1:
            bad.add(f"row {row}", f"expected a number from 0 to 1, got {value:g}")
    bad.refuse("Annotation tools show scores as shares of certainty; NaN leaves a score out.")
    return [
        Row(key, row, cell, None if value is None or math.isnan(value) else value)
        for key, row, cell, value in zip(ids, data, cells, scores)
    ]


def plain_cells(y: Any, classes: Any = None) -> list:
    """Rows of y, or what `predict` returned, as Python objects; None where nothing is known."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "biuf":
        if classes is None or len(classes) != y.shape[1]:
            raise ValueError(f"An array of tags needs their names: classes=[…] of length {y.shape[1]}.")
        # booleans say yes or no; in numbers 1 is yes, -1 is no and 0 is unknown
        signs = np.where(y, 1, -1) if y.dtype == bool else np.sign(np.nan_to_num(y.astype(float)))
        return [{name: bool(s > 0) for name, s in zip(classes, row) if s} or None for row in signs.tolist()]
    cells = y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else list(y)
    return [None if is_missing(cell) or cell == "" else cell for cell in cells]


def converted(source: str, rows: list[Row], convert: Callable[[Any], Any], remedy: str) -> list[Any]:
    """Every known cell converted, None where nothing is known; all that cannot be are refused together."""
    bad, values = Refused(source), []
    for k, row in enumerate(rows):
        try:
            values.append(None if row.cell is None else convert(row.cell))
        except ValueError as error:
            bad.add(f"row {k}", str(error))
    bad.refuse(remedy)
    return values


def names_in(cell: Any, classes: Any = None) -> list:
    """The candidates of a label, or the tags that are there.

    >>> names_in({"cat", "dog"}), names_in(Not("cat"), ["cat", "dog", "owl"]), names_in({"red": True, "round": False})
    (['cat', 'dog'], ['dog', 'owl'], ['red'])
    """
    if isinstance(cell, Not):
        if classes is None:
            raise ValueError(f"{cell!r} needs all the classes: pass classes=[…]")
        left = [name for name in classes if name not in cell.labels]
        if not left:
            raise ValueError(f"{cell!r} leaves no class")
        return left
    if isinstance(cell, Mapping):
        if not all(isinstance(there, bool | np.bool_) for there in cell.values()):
            raise ValueError(f"expected tags with True or False, got {cell!r}")
        return [name for name, there in cell.items() if there]
    if isinstance(cell, set | frozenset | list):
        if any(isinstance(name, tuple) for name in cell):
            raise ValueError(f"expected names, got the pairs {cell!r}")
        return in_order(set(cell))
    if isinstance(cell, tuple):
        raise ValueError(f"expected a name or a set of names, got {cell!r}")
    return [cell]


def text_names(cell: Any, classes: Any = None) -> list[str]:
    """`names_in` as text, for tools whose labels are text."""
    return [str(name) for name in names_in(cell, classes)]


def buckets_in(cell: Any) -> list[list]:
    """An order as buckets, best first; refused where it is no order of buckets.

    >>> buckets_in([("a", "b"), ("a", "c")]), buckets_in(["b", "a"]), buckets_in({"a": 2, "b": 1})
    ([['a'], ['b', 'c']], [['b'], ['a']], [['b'], ['a']])
    """
    if isinstance(cell, Mapping):
        return rank_buckets({item: rank for item, rank in cell.items() if not is_missing(rank)})
    if not isinstance(cell, list | tuple | set | frozenset):
        raise ValueError(f"expected an order, got {cell!r}")
    entries = list(cell)
    if not all(isinstance(entry, tuple) and len(entry) == 2 for entry in entries):
        if isinstance(cell, set | frozenset):
            raise ValueError(f"expected an order, got the set {cell!r}")
        return [in_order(entry) if isinstance(entry, set | frozenset) else [entry] for entry in entries]
    every = closure(entries)
    items = {item for pair in entries for item in pair}
    above = {item: sum(worse == item for _, worse in every) for item in items}
    buckets = [in_order(i for i in items if above[i] == count) for count in sorted(set(above.values()))]
    if order_cell(entries) != bucket_pairs(buckets):
        raise ValueError(f"the order is not fully known, got {cell!r}")
    return buckets


def chain_in(cell: Any) -> list:
    """An order without ties as a list, best first."""
    buckets = buckets_in(cell)
    tied = next((bucket for bucket in buckets if len(bucket) > 1), None)
    if tied is not None:
        raise ValueError(f"expected an order without ties, got the tie {tied}")
    return [item for bucket in buckets for item in bucket]


def number_in(cell: Any) -> Any:
    """A number that is known exactly."""
    if isinstance(cell, bool | str | Mapping | Not):
        raise ValueError(f"expected a number, got {cell!r}")
    pieces = number_pieces(cell)
    if len(pieces) != 1 or pieces[0][0] != pieces[0][1]:
        raise ValueError(f"expected one number, got the set {cell!r}")
    return pieces[0][0]
