"""Matching of the rows of a journal with those of a table that was changed since."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from typing import Any, NamedTuple

import numpy as np

DIGITS = 12  # hexadecimal digits of the digest of a cell
MOST_CELLS = 24  # columns with a digest of their own; the others share one
SAME = 0.5  # a row with at least this share of equal cells may be an edited one


class MatchedRow(NamedTuple):
    """Where a row of the journal is in the table."""

    row: int | None
    """None if the row is gone."""
    edited: bool
    """Whether some of its cells have changed."""


def digest(value: Any) -> str:
    """Return a short digest of a cell; equal cells of a table have the same."""
    plain = value.item() if isinstance(value, np.generic) else value
    if plain is None or plain != plain:
        text = ""
    elif isinstance(plain, int | float) and abs(plain) < 1e12:  # 1.0 in one file may be 1 in the next
        text = f"{float(plain):.12g}"
    else:
        text = str(plain)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]


def description(row: dict, id: Any = None) -> dict:
    """Return what identifies a row in the journal: its id, if the table has a column of ids, and its cells."""
    names = list(row)
    cells = {name: digest(row[name]) for name in names[:MOST_CELLS]}
    if len(names) > MOST_CELLS:
        cells[""] = digest("".join(digest(row[name]) for name in names[MOST_CELLS:]))
    return {"id": None if id is None else str(id), "cells": cells}


def match(described: dict[Any, dict], rows: list[dict], ids: list | None) -> dict[Any, MatchedRow]:
    """Return where the rows of a journal are in a table.

    A row is found by its id if both have ids. Otherwise it is the row with the same cells, in the columns that both
    have; among equal rows, the order counts. Otherwise it is the most similar row, if at least half of its cells are
    the same.

    Parameters
    ----------
    described : dict
        Key of a row in the journal -> its `description`, with its old place as "at".
    rows : list of dict
        The rows of the table.
    ids : list or None
        Their ids, None if the table has no column of ids.
    """
    by_id = {} if ids is None else {str(key): k for k, key in reversed(list(enumerate(ids)))}
    now = [description(row)["cells"] for row in rows] if described else []
    found: dict[Any, MatchedRow] = {}
    rest = []
    for old, about in described.items():
        if about["id"] is not None and ids is not None:
            at = by_id.get(about["id"])
            found[old] = MatchedRow(at, at is not None and _share(about["cells"], now[at]) < 1)
        else:
            rest.append(old)
    _match_equal(rest, described, now, found)
    _match_edited([old for old in rest if old not in found], described, now, found)
    return found


def _match_equal(rest: list, described: dict[Any, dict], now: list[dict], found: dict[Any, MatchedRow]) -> None:
    """Match rows whose cells are all the same; several equal ones in their order."""
    taken = {one.row for one in found.values()}
    tables: dict[tuple, dict[tuple, list[int]]] = {}
    for old in sorted(rest, key=lambda key: described[key]["at"]):
        cells, before = described[old]["cells"], described[old]["at"]
        common = tuple(name for name in cells if now and name in now[0])
        if not common:
            continue
        if common not in tables:
            tables[common] = defaultdict(list)
            for k, other in enumerate(now):
                tables[common][tuple(other[name] for name in common)].append(k)
        places = [k for k in tables[common][tuple(cells[name] for name in common)] if k not in taken]
        if places:
            at = before if before in places else places[0]
            found[old] = MatchedRow(at, False)
            taken.add(at)


def _match_edited(rest: list, described: dict[Any, dict], now: list[dict], found: dict[Any, MatchedRow]) -> None:
    """Match rows of which some cells were changed: the most similar row, where rare cells count more than common ones.

    Of equally similar rows, the one in the same place is taken; without it, the row counts as gone.
    """
    taken = {one.row for one in found.values()}
    counts = Counter(pair for row in now for pair in row.items()) if rest else Counter()
    for old in rest:
        cells, before = described[old]["cells"], described[old]["at"]
        places = [k for k in range(len(now)) if k not in taken and _share(cells, now[k]) >= SAME]
        scores = {k: sum(1 / counts[pair] for pair in cells.items() & now[k].items()) for k in places}
        best = [k for k, score in scores.items() if score == max(scores.values())]
        at = before if before in best else best[0] if len(best) == 1 else None
        found[old] = MatchedRow(at, at is not None)
        if at is not None:
            taken.add(at)


def _share(a: dict, b: dict) -> float:
    """Return the share of equal cells in the columns that both rows have."""
    common = a.keys() & b.keys()
    return sum(a[name] == b[name] for name in common) / len(common) if common else 0.0
