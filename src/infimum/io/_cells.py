"""What annotators said of one row, merged: sets of labels, tags, orders and numbers.

Every answer is a set S of possible truths. All right: their intersection. One of them right: their union (for tags and
orders the smallest set of that form around it). Otherwise a vote. Answers that know nothing do not take part.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from typing import Any

from ..outputs import Not


class Conflict(ValueError):
    """No truth agrees with every answer."""


class Cells(ABC):
    """How the cells of one kind of y are merged and written as text (docs/data.md)."""

    kind: str

    @abstractmethod
    def intersect(self, cells: list) -> Any:
        """The truths that every cell allows; raises `Conflict` where there are none."""

    @abstractmethod
    def union(self, cells: list) -> Any:
        """The truths that some cell allows."""

    @abstractmethod
    def vote(self, cells: list) -> Any:
        """What most cells say; a tie stays a set."""

    @abstractmethod
    def text(self, cell: Any) -> str:
        """A known cell in the notation of CSV files; raises ValueError where a name cannot be written so."""


class Labels(Cells):
    """Sets of labels: a name, a set of names, or `Not`.

    >>> labels = Labels(["cat", "dog", "owl"])
    >>> labels.intersect([{"cat", "dog"}, Not("dog")]), labels.union(["cat", "dog"]) == {"cat", "dog"}
    ('cat', True)
    >>> labels.vote(["cat", {"cat", "dog"}, "dog", Not("dog")])
    'cat'
    """

    kind = "labels"

    def __init__(self, classes: Iterable[Hashable]):
        self.classes = list(classes)

    def intersect(self, cells: list) -> Any:
        inside, outside = self._split(cells)
        if not inside:
            excluded = frozenset().union(*outside)
            if excluded >= set(self.classes):
                raise Conflict("every class is excluded")
            return Not(*in_order(excluded))
        left = frozenset.intersection(*inside).difference(*outside)
        if not left:
            raise Conflict("no label is left")
        return label_cell(left)

    def union(self, cells: list) -> Any:
        inside, outside = self._split(cells)
        named = frozenset().union(*inside)
        if not outside:
            return label_cell(named)
        excluded = frozenset.intersection(*outside) - named
        return Not(*in_order(excluded)) if excluded else None

    def vote(self, cells: list) -> Any:
        inside, outside = self._split(cells)
        votes = {c: sum(c in s for s in inside) + sum(c not in s for s in outside) for c in self.classes}
        most = max(votes.values())
        won = frozenset(label for label in self.classes if votes[label] == most)
        return None if len(won) == len(votes) > 1 else label_cell(won)

    def text(self, cell: Any) -> str:
        names = list(map(str, cell.labels if isinstance(cell, Not) else in_order(as_names(cell))))
        bad = [name for name in names if "|" in name or name.startswith("!") or name != name.strip() or not name]
        if bad:
            raise ValueError(f"the label {bad[0]!r} cannot be written as text, where '|' and '!' have a meaning")
        return ("!" if isinstance(cell, Not) else "") + "|".join(names)

    def _split(self, cells: list) -> tuple[list[frozenset], list[frozenset]]:
        """Candidates, and exclusions."""
        outside = [frozenset(cell.labels) for cell in cells if isinstance(cell, Not)]
        inside = [as_names(cell) for cell in cells if not isinstance(cell, Not)]
        return inside, outside


class Tags(Cells):
    """Tags known to be there (True) or not (False).

    >>> tags = Tags()
    >>> tags.intersect([{"red": True}, {"round": False}])
    {'red': True, 'round': False}
    >>> tags.union([{"red": True, "round": True}, {"red": True, "round": False}])
    {'red': True}
    """

    kind = "tags"

    def intersect(self, cells: list) -> Any:
        known: dict = {}
        for cell in cells:
            for tag, there in cell.items():
                if known.setdefault(tag, there) != there:
                    raise Conflict(f"{tag!r} is both there and not")
        return known or None

    def union(self, cells: list) -> Any:
        first, *others = cells
        shared = {tag: there for tag, there in first.items() if all(cell.get(tag) is there for cell in others)}
        return shared or None

    def vote(self, cells: list) -> Any:
        votes: Counter = Counter()
        for cell in cells:
            for tag, there in cell.items():
                votes[tag] += 1 if there else -1
        return {tag: count > 0 for tag, count in votes.items() if count} or None

    def text(self, cell: Any) -> str:
        bad = [tag for tag in map(str, cell) if not tag or tag[0] in "+-" or any(c.isspace() or c == "," for c in tag)]
        if bad:
            raise ValueError(f"the tag {bad[0]!r} cannot be written as text, where blanks and , + - have a meaning")
        return " ".join(f"{'+' if there else '-'}{tag}" for tag, there in cell.items())


class Orders(Cells):
    """Partial orders as lists of pairs (better, worse).

    >>> orders = Orders()
    >>> orders.intersect([[("a", "b")], [("b", "c")]])
    [('a', 'b'), ('b', 'c')]
    >>> orders.union([[("a", "b"), ("b", "c")], [("a", "c"), ("c", "b")]])
    [('a', 'b'), ('a', 'c')]
    """

    kind = "order"

    def intersect(self, cells: list) -> Any:
        return order_cell(pair for cell in cells for pair in cell)

    def union(self, cells: list) -> Any:
        first, *others = (closure(cell) for cell in cells)
        return order_cell(first.intersection(*others))

    def vote(self, cells: list) -> Any:
        votes = Counter(pair for cell in cells for pair in closure(cell))
        return order_cell((a, b) for (a, b), count in votes.items() if count > votes[b, a])

    def text(self, cell: Any) -> str:
        items = dict.fromkeys(str(item) for pair in cell for item in pair)
        bad = [item for item in items if not item or item != item.strip() or set(item) & set(",;<>{}\n")]
        if bad:
            raise ValueError(f"the item {bad[0]!r} cannot be written as text, where , ; < > {{ }} have a meaning")
        return ", ".join(f"{better}>{worse}" for better, worse in cell)


class Numbers(Cells):
    """Values, intervals (low, high), sets of values.

    >>> numbers = Numbers()
    >>> numbers.intersect([(1, 5), (3, 9)]), numbers.union([4, 3, 4]) == {3, 4}, numbers.vote([4, 3, 4])
    ((3, 5), True, 4)
    """

    kind = "number"

    def intersect(self, cells: list) -> Any:
        left = number_pieces(cells[0])
        for cell in cells[1:]:
            both = [(max(a, c), min(b, d)) for a, b in left for c, d in number_pieces(cell)]
            left = [(low, high) for low, high in both if low <= high]
        if not left:
            raise Conflict("no number is left")
        return number_cell(left)

    def union(self, cells: list) -> Any:
        return number_cell([piece for cell in cells for piece in number_pieces(cell)])

    def vote(self, cells: list) -> Any:
        votes = Counter(tuple(number_pieces(cell)) for cell in cells)
        most = max(votes.values())
        return number_cell([piece for pieces, count in votes.items() if count == most for piece in pieces])

    def text(self, cell: Any) -> str:
        return "|".join(f"{low}" if low == high else f"[{low},{high}]" for low, high in number_pieces(cell))


def as_names(cell: Any) -> frozenset:
    return frozenset(cell) if isinstance(cell, set | frozenset) else frozenset([cell])


def label_cell(names: Iterable[Hashable]) -> Any:
    """One name stands for itself, unless its text would be read as a set; several are a set."""
    names = set(names)
    if len(names) != 1:
        return names
    (name,) = names
    return names if isinstance(name, str) and ("|" in name or name.startswith("!") or not name.strip()) else name


def in_order(names: Iterable) -> list:
    return sorted(names, key=lambda name: (type(name).__name__, name))


def closure(pairs: Iterable[tuple]) -> frozenset[tuple]:
    """All pairs that follow, (a, c) from (a, b) and (b, c); raises `Conflict` on a cycle.

    >>> closure([("b", "c"), ("c", "a"), ("a", "b")])
    Traceback (most recent call last):
    ...
    infimum.io._cells.Conflict: the order runs in a circle: a > b > c > a
    """
    return frozenset((better, worse) for better, under in _under(_below(pairs)).items() for worse in under)


def _below(pairs: Iterable[tuple]) -> dict[Any, set]:
    below: dict[Any, set] = {}
    for better, worse in pairs:
        below.setdefault(better, set()).add(worse)
    return below


def _under(below: dict[Any, set]) -> dict[Any, set]:
    """Everything under each item, however far."""
    under: dict[Any, set] = {}
    try:
        for item in TopologicalSorter(below).static_order():  # the worst first
            stated = below.get(item, set())
            under[item] = stated.union(*(under[worse] for worse in stated))
    except CycleError:
        raise Conflict(f"the order runs in a circle: {' > '.join(map(str, _circle(below)))}") from None
    return under


def _circle(below: dict[Any, set]) -> list:
    """A shortest way from the first item that leads back to itself."""
    for start in in_order(below):
        ways = [[start]]
        seen: set = set()
        for way in ways:
            for worse in in_order(below.get(way[-1], ())):
                if worse == start:
                    return [*way, start]
                if worse not in seen:
                    seen.add(worse)
                    ways.append([*way, worse])
    raise ValueError("no circle")


def order_cell(pairs: Iterable[tuple]) -> list[tuple] | None:
    """The pairs that say it all and no more (the transitive reduction), better items first; None for no pairs."""
    below = _below(pairs)
    under = _under(below)
    # an item with more under it comes first; ties by name
    place = {item: (-len(under[item]), type(item).__name__, str(item)) for item in under}
    needed = []
    for better in sorted(below, key=place.__getitem__):
        further = set().union(*(under[worse] for worse in below[better]))
        needed += [(better, worse) for worse in sorted(below[better] - further, key=place.__getitem__)]
    return needed or None


def bucket_pairs(buckets: Iterable[Iterable]) -> list[tuple] | None:
    """Buckets, best first -> pairs: every item of one before every item of the next; a tie says nothing.

    >>> bucket_pairs([["a"], ["b", "c"]])
    [('a', 'b'), ('a', 'c')]
    """
    buckets = [list(bucket) for bucket in buckets if bucket]
    return order_cell((a, b) for above, under in pairwise(buckets) for a in above for b in under)


def rank_buckets(ranks: Mapping[Any, Any]) -> list[list]:
    """Ranks, 1 is first -> buckets, best first.

    >>> rank_buckets({"a": 2, "b": 1, "c": 2})
    [['b'], ['a', 'c']]
    """
    return [[item for item in ranks if ranks[item] == rank] for rank in sorted(set(ranks.values()))]


def number_pieces(cell: Any) -> list[tuple]:
    """[(low, high), …] of a value, bounds, a set of values or a list of bounds."""
    if isinstance(cell, set | frozenset):
        return sorted((value, value) for value in cell)
    if isinstance(cell, tuple):
        low, high = cell
        return [(-math.inf if low is None else low, math.inf if high is None else high)]
    if isinstance(cell, list):
        return [piece for part in cell for piece in number_pieces(part)]
    return [(cell, cell)]


def number_cell(pieces: Iterable[tuple]) -> Any:
    """The shortest form of a union of pieces."""
    pieces = sorted(set(pieces))
    if all(low == high for low, high in pieces):
        values = {low for low, _ in pieces}
        return values.pop() if len(values) == 1 else values
    return pieces[0] if len(pieces) == 1 else pieces
