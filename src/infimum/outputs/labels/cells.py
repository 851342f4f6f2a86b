"""Labels as cells: a name, a set of names, or `Not`; as text ``cat|dog`` and ``!cat``."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise
from typing import Any, Self

from ...data.blanks import stripped
from ...data.errors import InputError, each_cell, is_missing, shown
from ...data.lookalikes import LookAlike
from ...data.names import ordered
from ..cells import CellFormat, Conflict, rows_of_names
from .forms import FORMS, Not, labels_in
from .voted import is_soft, unquoted


class LabelCells(CellFormat):
    """Cells of candidate labels.

    >>> from infimum.outputs import Labels
    >>> labels = Labels(classes=["cat", "dog", "owl"])
    >>> labels.intersect_cells([{"cat", "dog"}, Not("dog")]), labels.union_cells(["cat", "dog"]) == {"cat", "dog"}
    ('cat', True)
    >>> labels.vote_cells(["cat", {"cat", "dog"}, "dog", Not("dog")])
    'cat'
    """

    name_words = ("class", "classes")
    lists_need_meaning = reads_text = True

    classes: Any
    has_candidates = True

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        return cls(classes=names or None)  # type: ignore[call-arg]

    def class_names(self) -> list:
        return self.classes_.tolist()  # type: ignore[attr-defined]

    def to_cells(self, sets: Any) -> list:
        names: Any = self.classes_  # type: ignore[attr-defined]
        ends, indices = sets.listed.indptr.tolist(), sets.listed.indices
        rows = [names[indices[a:b]].tolist() for a, b in pairwise(ends)]
        return [
            (Not(*row) if row else None) if negated else label_cell(row)
            for row, negated in zip(rows, sets.negated.tolist())
        ]

    def names_in(self, cells: list, known: Any = ()) -> dict[str, list[int]]:
        parsed = each_cell(unquoted(cells), lambda cell: _labels(cell, known), FORMS)
        return rows_of_names(labels for labels, _ in parsed)

    def rename_cells(self, cells: list, found: Sequence[LookAlike], known: Any = ()) -> list:
        meaning = {one.name: Not(*one.means) if one.negated else frozenset(one.means) for one in found}

        def renamed(cell: Any) -> Any:
            labels, negated = _labels(cell, known)
            if is_soft(cell):
                return _renamed_soft(cell, labels, meaning)
            if not labels:
                return None
            pieces = [meaning.get(label, frozenset([label])) for label in labels]
            whole = self.union_cells(pieces)
            if not negated:
                return whole
            if whole is None:
                raise InputError(f"every class is excluded, got {shown(cell)}")
            return label_cell(whole.labels) if isinstance(whole, Not) else Not(*ordered(candidates(whole)))

        return each_cell(unquoted(cells), renamed, FORMS)

    def split_cells(self, cells: list, separator: str, known: Any = ()) -> list:
        def split(name: Any) -> list[str]:
            if not isinstance(name, str) or stripped(name) in known or stripped(name).removeprefix("!") in known:
                return [name]
            return name.split(separator)

        def split_cell(cell: Any) -> Any:
            if isinstance(cell, str) and stripped(cell) not in known:
                return "|".join(piece for part in cell.split("|") for piece in split(part))
            if isinstance(cell, set | frozenset):
                return {piece for name in cell for piece in split(name)}
            return Not(*(piece for name in cell.labels for piece in split(name))) if isinstance(cell, Not) else cell

        return list(map(split_cell, unquoted(cells)))

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


def _labels(cell: Any, known: Any) -> tuple[tuple, bool]:
    """Return the labels of a cell and whether they are excluded; no labels for an unlabelled row."""
    return ((), False) if is_missing(cell) else labels_in(cell, known)


def _renamed_soft(cell: dict, labels: tuple, meaning: dict) -> dict:
    """Return a soft label in which names that mean one other name have their probability added to it."""
    out: dict[Any, float] = {}
    for label in labels:
        to = meaning.get(label)
        name = next(iter(to)) if isinstance(to, frozenset) and len(to) == 1 else label
        out[name] = out.get(name, 0.0) + float(cell[label])
    return out


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
