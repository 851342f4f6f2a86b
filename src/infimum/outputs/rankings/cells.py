"""Partial orders as cells: comparisons [("a", "b"), ("b", "c")]; as text ``a>b, b>c``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ...data.blanks import stripped
from ...data.errors import each_cell, is_missing
from ...data.lookalikes import LookAlike
from ...data.names import Names, ordered
from ...feedback_arc.relations import find_cycle, transitive_closure, transitive_reduction
from ..cells import CellFormat, Conflict, rows_of_names
from .forms import FORMS, Places, chains_in, comparisons, is_top, pairs_in_codes


class RankingCells(CellFormat):
    """Cells of partial orders: lists of pairs (better, worse), or all items in a list, best first.

    >>> from infimum.outputs import Rankings
    >>> Rankings().intersect_cells([[("a", "b")], [("b", "c")]])
    [('a', 'b'), ('b', 'c')]
    >>> Rankings().union_cells([[("a", "b"), ("b", "c")], [("a", "c"), ("c", "b")]])
    [('a', 'b'), ('a', 'c')]
    """

    name_words = ("item", "items")
    lists_need_meaning = reads_text = True

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        return cls(items=names or None)  # type: ignore[call-arg]

    def to_cells(self, sets: Any) -> list:
        items = self.items_.tolist()  # type: ignore[attr-defined]
        cells = [_comparisons(items, pairs_in_codes(sets.codes_of_rows([row]))[0]) for row in range(len(sets))]
        for row in sets.votes.rows:
            _, better, worse, count = sets.votes.take(np.array([row]))
            cells[row] = [(items[a], items[b]) for a, b, k in zip(better, worse, count) for _ in range(k)]
        return cells

    def for_files(self) -> Self:
        # the model decides about rows that contradict themselves
        return clone(self).set_params(contradictions="weigh")

    def names_in(self, cells: list, known: Any = ()) -> dict[str, list[int]]:
        places = Places(Names(known, "items")) if known else None
        parsed = each_cell(cells, lambda cell: chains_in(cell, places), FORMS)
        return rows_of_names({item for chain in chains for bucket in chain for item in bucket} for chains in parsed)

    def rename_cells(self, cells: list, found: Sequence[LookAlike], known: Any = ()) -> list:
        new = {one.name: one.means[0] for one in found if len(one.means) == 1 and not one.negated}
        places = Places(Names(known, "items")) if known else None
        return [None if is_missing(cell) else _renamed(cell, new, places) for cell in cells]

    def _to_text(self, cell: Any) -> str:
        chain = not isinstance(cell[0], tuple)
        items = dict.fromkeys(str(item) for part in cell for item in ([part] if chain else part))
        bad = [item for item in items if not item or item != item.strip() or set(item) & set(",;<>{}≻~=\n")]
        if bad:
            raise ValueError(f"the item {bad[0]!r} cannot be written as text, where , ; < > ≻ ~ = {{ }} have a meaning")
        return ">".join(map(str, cell)) if chain else ", ".join(f"{better}>{worse}" for better, worse in cell)

    def intersect_cells(self, cells: list) -> Any:
        return order_cell(pair for cell in cells for pair in cell)

    def union_cells(self, cells: list) -> Any:
        first, *others = (closed_pairs(cell) for cell in cells)
        return order_cell(first.intersection(*others))

    def vote_cells(self, cells: list) -> Any:
        votes = Counter(pair for cell in cells for pair in closed_pairs(cell))
        return order_cell((a, b) for (a, b), count in votes.items() if count > votes[b, a])


def _renamed(cell: Any, new: Mapping, places: Places | None) -> Any:
    """Return a cell with items renamed; comparisons of an item with itself are left out."""

    def name(item: Any) -> Any:
        if isinstance(item, set | frozenset):
            return {name(one) for one in item}
        item = item if places is not None and item in places else stripped(item)
        return new.get(item, item) if isinstance(item, str) else item

    if isinstance(cell, Mapping):
        ranks: dict = {}
        for item, rank in cell.items():
            ranks.setdefault(name(item), rank)
        return ranks
    if is_top(cell, places):
        items = list(map(name, cell))
        return [item for k, item in enumerate(items) if item not in items[:k]]
    pairs = [(name(a), name(b)) for above, under in comparisons(cell, places) for a in above for b in under]
    return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1])) or None


def _closure(pairs: Iterable[tuple]) -> tuple[list, NDArray]:
    """Return the items of comparisons, sorted, and their transitive closure; raise `Conflict` on a cycle."""
    stated = list(pairs)
    items = ordered(dict.fromkeys(item for pair in stated for item in pair))
    place = {item: k for k, item in enumerate(items)}
    before = np.zeros((len(items), len(items)), dtype=bool)
    for better, worse in stated:
        before[place[better], place[worse]] = True
    closed = transitive_closure(before)
    if closed.diagonal().any():
        cycle = find_cycle(before, int(closed.diagonal().argmax()))
        raise Conflict(f"the order has a cycle: {' > '.join(str(items[k]) for k in cycle)}")
    return items, closed


def _comparisons(items: list, closed: NDArray) -> list[tuple] | None:
    """Return the pairs that imply all others (the transitive reduction), better items first; None for no pairs."""
    direct = transitive_reduction(closed)
    first = np.argsort(-closed.sum(axis=1), kind="stable").tolist()
    return [(items[a], items[b]) for a in first for b in first if direct[a, b]] or None


def closed_pairs(pairs: Iterable[tuple]) -> frozenset[tuple]:
    """Return all pairs that follow, such as (a, c) from (a, b) and (b, c); raise `Conflict` on a cycle.

    >>> closed_pairs([("b", "c"), ("c", "a"), ("a", "b")])
    Traceback (most recent call last):
    ...
    infimum.outputs.cells.Conflict: the order has a cycle: a > b > c > a
    """
    items, closed = _closure(pairs)
    return frozenset((items[a], items[b]) for a, b in np.argwhere(closed))


def order_cell(pairs: Iterable[tuple]) -> list[tuple] | None:
    """Return the comparisons that imply all the given pairs and no others; None for no pairs."""
    return _comparisons(*_closure(pairs))


def bucket_pairs(buckets: Iterable[Iterable]) -> list[tuple] | None:
    """Return the comparisons of buckets, best first; items of one bucket are not compared.

    >>> bucket_pairs([["a"], ["b", "c"]])
    [('a', 'b'), ('a', 'c')]
    """
    buckets = [list(bucket) for bucket in buckets if bucket]
    return order_cell((a, b) for above, under in pairwise(buckets) for a in above for b in under)


def rank_buckets(ranks: Mapping[Any, Any]) -> list[list]:
    """Return the buckets of ranks, best first; rank 1 is best.

    >>> rank_buckets({"a": 2, "b": 1, "c": 2})
    [['b'], ['a', 'c']]
    """
    return [[item for item in ranks if ranks[item] == rank] for rank in sorted(set(ranks.values()))]
