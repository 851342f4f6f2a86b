"""What the writers share: rows with their labels and scores, and cells of y as names, orders and numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..data.errors import BadRows, each_cell, is_missing, is_null
from ..data.names import ordered
from ..outputs import Not
from ..outputs.numbers.forms import cell_pieces
from ..outputs.rankings.cells import bucket_pairs, closed_pairs, order_cell, rank_buckets
from ._frames import rows_of_frame
from ._meaning import one_of
from ._records import Records


class Row(NamedTuple):
    """One row to write."""

    id: Any
    data: dict
    cell: Any
    score: float | None


def rows_to_write(records: Any, y: Any = None, score: Any = None, classes: Any = None) -> list[Row]:
    """Return rows from `Records`, a DataFrame, or a list of dicts or texts; y is that of the records by default."""
    data = records.data_rows() if isinstance(records, Records) else rows_of_frame(records)
    ids = records.ids if isinstance(records, Records) else list(range(1, len(data) + 1))
    if y is None and isinstance(records, Records) and records.kind == "text":
        raise ValueError("The output type of the target is unknown. Read the table with kind=….")
    if y is None:
        y = records.y if isinstance(records, Records) else [None] * len(data)
    cells = plain_cells(y, classes)
    if len(cells) != len(data):
        raise ValueError(f"y must have one entry for each of the {len(data)} rows. Got {len(cells)}.")
    scores = [None] * len(data) if score is None else np.asarray(score, dtype=float).ravel().tolist()
    if len(scores) != len(data):
        raise ValueError(f"score must have one number for each of the {len(data)} rows. Got {len(scores)}.")
    bad = BadRows("score")
    for row, value in enumerate(scores):
        if value is not None and not math.isnan(value) and not 0 <= value <= 1:
            bad.add(row, f"expected a number from 0 to 1, got {value:g}")
    bad.raise_if_any("Annotation tools show scores between 0 and 1; NaN leaves a score out.")
    return [
        Row(key, row, cell, None if value is None or math.isnan(value) else value)
        for key, row, cell, value in zip(ids, data, cells, scores)
    ]


def type_of(records: Any, type: str | None, of_kind: dict[str, str], allowed: Any) -> str:
    """Return the type of a question: the given one, or that of the kind of the labels; "labels" unless `Records`."""
    if type is not None:
        return one_of("type", type, allowed)
    kind = records.kind if isinstance(records, Records) else "labels"
    if kind not in of_kind:
        raise ValueError(f"this tool has no type of question for {kind}, only for {', '.join(of_kind)}")
    return of_kind[kind]


def plain_cells(y: Any, classes: Any = None) -> list:
    """Return rows of y, or predictions, as Python objects; None for unlabelled rows."""
    if isinstance(y, np.ndarray) and y.ndim == 2 and y.dtype.kind in "biuf":
        if classes is None or len(classes) != y.shape[1]:
            raise ValueError(f"An array of tags needs their names: classes=[…] of length {y.shape[1]}.")
        # booleans are yes or no; in numbers 1 is yes, -1 is no and 0 is unknown
        signs = np.where(y, 1, -1) if y.dtype == bool else np.sign(np.nan_to_num(y.astype(float)))
        return [{name: bool(s > 0) for name, s in zip(classes, row) if s} or None for row in signs.tolist()]
    cells = y.tolist() if hasattr(y, "tolist") else y.to_list() if hasattr(y, "to_list") else list(y)
    return [None if is_null(cell) or (isinstance(cell, str) and not cell) else cell for cell in cells]


def converted(rows: list[Row], convert: Callable[[Any], Any], remedy: str) -> list[Any]:
    """Return every labelled cell converted, None for unlabelled rows; raise one error for all that cannot be."""
    return each_cell([row.cell for row in rows], lambda cell: None if cell is None else convert(cell), remedy)


def names_in(cell: Any, classes: Any = None) -> list:
    """Return the candidates of a label, or the tags that are present.

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
        if not all(isinstance(present, bool | np.bool_) for present in cell.values()):
            raise ValueError(f"expected tags with True or False, got {cell!r}")
        return [name for name, present in cell.items() if present]
    if isinstance(cell, set | frozenset | list):
        if any(isinstance(name, tuple) for name in cell):
            raise ValueError(f"expected names, got the pairs {cell!r}")
        return ordered(set(cell))
    if isinstance(cell, tuple):
        raise ValueError(f"expected a name or a set of names, got {cell!r}")
    return [cell]


def text_names(cell: Any, classes: Any = None) -> list[str]:
    """Return `names_in` as text, for tools whose labels are text."""
    return [str(name) for name in names_in(cell, classes)]


def buckets_in(cell: Any) -> list[list]:
    """Return an order as buckets, best first; raise ValueError if it is not an order of buckets.

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
        return [ordered(entry) if isinstance(entry, set | frozenset) else [entry] for entry in entries]
    every = closed_pairs(entries)
    items = {item for pair in entries for item in pair}
    above = {item: sum(worse == item for _, worse in every) for item in items}
    buckets = [ordered(i for i in items if above[i] == count) for count in sorted(set(above.values()))]
    if order_cell(entries) != bucket_pairs(buckets):
        raise ValueError(f"the order is not fully known, got {cell!r}")
    return buckets


def chain_in(cell: Any) -> list:
    """Return an order without ties as a list, best first."""
    buckets = buckets_in(cell)
    tied = next((bucket for bucket in buckets if len(bucket) > 1), None)
    if tied is not None:
        raise ValueError(f"expected an order without ties, got the tie {tied}")
    return [item for bucket in buckets for item in bucket]


def number_in(cell: Any) -> Any:
    """Return a number that is known exactly."""
    if isinstance(cell, bool | str | Mapping | Not):
        raise ValueError(f"expected a number, got {cell!r}")
    if isinstance(cell, int | float):
        return cell
    pieces = cell_pieces(cell)
    if len(pieces) != 1 or pieces[0][0] != pieces[0][1]:
        raise ValueError(f"expected one number, got the set {cell!r}")
    return pieces[0][0]
