"""Labels as cells: a name, a set of names, or `Not`; as text ``cat|dog`` and ``!cat``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any, Self

from ...data.names import ordered
from ..cells import CellFormat, Conflict
from .forms import Not


class LabelCells(CellFormat):
    """Cells of candidate labels.

    >>> from infimum.outputs import Labels
    >>> labels = Labels(classes=["cat", "dog", "owl"])
    >>> labels.intersect_cells([{"cat", "dog"}, Not("dog")]), labels.union_cells(["cat", "dog"]) == {"cat", "dog"}
    ('cat', True)
    >>> labels.vote_cells(["cat", {"cat", "dog"}, "dog", Not("dog")])
    'cat'
    """

    classes: Any

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        return cls(classes=names or None)  # type: ignore[call-arg]

    def class_names(self) -> list:
        return self.classes_.tolist()  # type: ignore[attr-defined]

    def to_cells(self, sets: Any) -> list:
        names: Any = self.classes_  # type: ignore[attr-defined]
        rows = [names[sets.listed[row].indices].tolist() for row in range(len(sets))]
        return [
            (Not(*row) if row else None) if negated else label_cell(row)
            for row, negated in zip(rows, sets.negated.tolist())
        ]

    def text_to_cells(self, cells: list) -> list:
        return cells

    def _to_text(self, cell: Any) -> str:
        names = list(map(str, cell.labels if isinstance(cell, Not) else ordered(candidates(cell))))
        bad = [name for name in names if "|" in name or name.startswith("!") or name != name.strip() or not name]
        if bad:
            raise ValueError(f"the label {bad[0]!r} cannot be written as text, where '|' and '!' have a meaning")
        return ("!" if isinstance(cell, Not) else "") + "|".join(names)

    def intersect_cells(self, cells: list) -> Any:
        listed, excluded = _split(cells)
        if not listed:
            names = frozenset().union(*excluded)
            if names >= set(self.classes):
                raise Conflict("every class is excluded")
            return Not(*ordered(names))
        left = frozenset.intersection(*listed).difference(*excluded)
        if not left:
            raise Conflict("no label is left")
        return label_cell(left)

    def union_cells(self, cells: list) -> Any:
        listed, excluded = _split(cells)
        named = frozenset().union(*listed)
        if not excluded:
            return label_cell(named)
        left = frozenset.intersection(*excluded) - named
        return Not(*ordered(left)) if left else None

    def vote_cells(self, cells: list) -> Any:
        listed, excluded = _split(cells)
        votes = {c: sum(c in s for s in listed) + sum(c not in s for s in excluded) for c in self.classes}
        most = max(votes.values())
        won = frozenset(label for label in self.classes if votes[label] == most)
        return None if len(won) == len(votes) > 1 else label_cell(won)


def candidates(cell: Any) -> frozenset:
    """Return the names that a cell lists."""
    return frozenset(cell) if isinstance(cell, set | frozenset) else frozenset([cell])


def label_cell(names: Iterable[Hashable]) -> Any:
    """Return one name as it is, unless its text would be read as a set; return several names as a set."""
    names = set(names)
    if len(names) != 1:
        return names
    (name,) = names
    return names if isinstance(name, str) and ("|" in name or name.startswith("!") or not name.strip()) else name


def _split(cells: list) -> tuple[list[frozenset], list[frozenset]]:
    """Return the sets of candidates and the sets of exclusions."""
    excluded = [frozenset(cell.labels) for cell in cells if isinstance(cell, Not)]
    return [candidates(cell) for cell in cells if not isinstance(cell, Not)], excluded
