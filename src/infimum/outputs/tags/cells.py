"""Tags as cells: {"red": True, "round": False}; as text ``+red -round``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.blanks import stripped
from ...data.errors import InputError, each_cell, shown
from ...data.lookalikes import LookAlike
from ..cells import CellFormat, Conflict, rows_of_names
from .forms import FORMS, MINUS, SEPARATORS, tags_in


def _quoted(tag: str) -> str:
    """Return a tag as it is written in text: in quotes if it contains a separator or begins with a sign."""
    return f'"{tag}"' if tag[0] in f"+{MINUS}" or SEPARATORS.search(tag) else tag


class TagCells(CellFormat):
    """Cells of tags that are present (True) or absent (False); the others are unknown.

    >>> from infimum.outputs import Tags
    >>> Tags().intersect_cells([{"red": True}, {"round": False}])
    {'red': True, 'round': False}
    >>> Tags().union_cells([{"red": True, "round": True}, {"red": True, "round": False}])
    {'red': True}
    """

    name_words = ("tag", "tags")
    lists_need_meaning = reads_text = True

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        return cls(tags=names or None)  # type: ignore[call-arg]

    def class_names(self) -> list:
        return self.tags_.tolist()  # type: ignore[attr-defined]

    def to_cells(self, sets: Any) -> list:
        return self.outputs_to_cells(np.asarray(sets))

    def outputs_to_cells(self, z: NDArray) -> list:
        tags = self.class_names()
        return [{tag: v > 0 for tag, v in zip(tags, row) if v} or None for row in np.asarray(z).tolist()]

    def names_in(self, cells: list, known: Any = ()) -> dict[str, list[int]]:
        return rows_of_names(each_cell(cells, tags_in, FORMS))

    def rename_cells(self, cells: list, found: Sequence[LookAlike], known: Any = ()) -> list:
        new = {one.name: one.means[0] for one in found if len(one.means) == 1 and not one.negated}

        def renamed(cell: Any) -> dict | None:
            there: dict = {}
            for tag, value in tags_in(cell).items():
                tag = new.get(tag, tag) if isinstance(tag, str) else tag
                if there.setdefault(tag, value) != value:
                    raise InputError(f"the tag {tag!r} is both present and absent, got {shown(cell)}")
            return there or None

        return each_cell(cells, renamed, FORMS)

    def _to_text(self, cell: Any) -> str:
        bad = [tag for tag in map(str, cell) if not tag or '"' in tag or tag != stripped(tag)]
        if bad:
            raise ValueError(f"the tag {shown(bad[0])} cannot be written as text, where quotes have a meaning")
        return " ".join(f"{'+' if present else '-'}{_quoted(str(tag))}" for tag, present in cell.items())

    def intersect_cells(self, cells: list) -> Any:
        known: dict = {}
        for cell in cells:
            for tag, present in cell.items():
                if known.setdefault(tag, present) != present:
                    raise Conflict(f"{tag!r} is both present and absent")
        return known or None

    def union_cells(self, cells: list) -> Any:
        first, *others = cells
        shared = {tag: present for tag, present in first.items() if all(cell.get(tag) is present for cell in others)}
        return shared or None

    def vote_cells(self, cells: list) -> Any:
        votes: Counter = Counter()
        for cell in cells:
            for tag, present in cell.items():
                votes[tag] += 1 if present else -1
        return {tag: count > 0 for tag, count in votes.items() if count} or None
