"""Names of classes, tags or items as the commands take them: declared, separated, merged."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from typing import Any

from ..data.errors import InputError, listed
from ..data.lookalikes import LookAlike
from ..data.names import ordered
from ..outputs import OUTPUT_TYPES, has_names
from ._records import new_space

SHOWN = 20
"""Unknown names that an error lists."""


@dataclass(frozen=True)
class Naming:
    """How a command treats the names in the target column."""

    classes: list | None = None
    """All names; others raise an error."""
    separator: str | None = None
    """Separates candidates of a cell, besides "|"."""
    merge: bool = False
    """Whether look-alikes are replaced by the names that they stand for."""
    renamed: tuple[LookAlike, ...] = ()
    """Names that are replaced in any case: those that were merged when a model was fitted."""

    def apply(self, kind: str, source: str, cells: list, places: list[str]) -> NamedCells:
        """Return the cells with separators and look-alikes replaced, and the look-alikes that were found."""
        if not has_names(kind):
            if self != Naming():
                raise InputError(f"{source} has a target of kind {kind!r}, which has no classes, tags or items.")
            return NamedCells(cells)
        space, known = new_space(kind), self.classes or []
        try:
            if self.separator:
                cells = space.split_cells(cells, self.separator, known)
            if self.renamed:
                cells = space.rename_cells(cells, self.renamed, known)
            names = space.names_in(cells, known)
        except InputError:  # raised with the lines when the cells are parsed
            return NamedCells(cells)
        found = space.look_alikes({name: len(rows) for name, rows in names.items()}, known)
        if self.merge and found:
            cells = space.rename_cells(cells, found, known)
        if self.classes is not None:
            self._check_known(source, names, found, places)
        left = ordered(space.names_in(cells, known)) if self.classes is None else self.classes
        return NamedCells(cells, found, self.merge, space.name_words[1], left)

    def of_columns(self, kind: Any, source: str, columns: list[str]) -> list | None:
        """Return all names if each of several target columns is a tag or an item; None if they are not declared."""
        if self == Naming():
            return None
        if not has_names(kind) or self.separator or self.merge:
            raise InputError(
                f"{source}: --classes applies to several target columns of tags or ranks, and --separator and"
                f" --merge-classes to one target column. Got {len(columns)} columns of kind {kind!r}."
            )
        unknown = [name for name in columns if name not in (self.classes or [])]
        if unknown:
            raise InputError(
                f"{source}: --classes does not list the target columns {listed(unknown)}. The names are"
                f" {listed(self.classes or [])}. Each target column is one of the {OUTPUT_TYPES[kind].name_words[1]}."
            )
        return self.classes

    def _check_known(self, source: str, names: dict[str, list[int]], found: list[LookAlike], places: list) -> None:
        known = self.classes or []
        close = {one.name: one for one in found}
        unknown = [name for name in names if name not in known and not (self.merge and name in close)]
        if not unknown:
            return
        unknown.sort(key=lambda name: (-len(names[name]), name))
        lines = []
        for name in unknown[:SHOWN]:
            first = places[names[name][0]].removeprefix(f"{source}, ") if places else f"row {names[name][0]}"
            near = difflib.get_close_matches(name, [k for k in known if isinstance(k, str)], 1)
            hint = close[name].meaning if name in close else repr(near[0]) if near else ""
            lines.append(f"  {name!r} ×{len(names[name])}, first in {first}" + (f"; closest: {hint}" if hint else ""))
        if len(unknown) > SHOWN:
            lines.append(f"  (and {len(unknown) - SHOWN} more names)")
        rows = len({row for name in unknown for row in names[name]})
        contain = f"{rows} rows contain" if rows > 1 else "1 row contains"
        fix = " Accept the closest names with --merge-classes." if any(name in close for name in unknown) else ""
        raise InputError(
            "\n".join(
                [
                    f"{source}: {contain} names that --classes does not list.",
                    *lines,
                    f"The names are {listed(known)}. Add the others to --classes, or correct the cells.{fix}",
                ]
            )
        )


@dataclass(frozen=True)
class NamedCells:
    """Cells whose names were checked, and their look-alikes."""

    cells: list
    found: list[LookAlike] = field(default_factory=list)
    merged: bool = False
    what: str = "classes"
    names: list = field(default_factory=list)
    """All names of the cells, or those that were declared."""

    def json(self) -> dict[str, Any]:
        """Return the look-alikes for scripts."""
        rows = [
            {"name": o.name, "count": o.count, "means": list(o.means), "negated": o.negated, "reason": o.reason}
            for o in self.found
        ]
        return {"look_alikes": rows, "merged": self.merged and bool(rows)}

    @property
    def merges(self) -> list[dict[str, Any]]:
        """The look-alikes that were merged, as plain values; `look_alikes_of` restores them."""
        return self.json()["look_alikes"] if self.merged else []


def look_alikes_of(merges: list[dict[str, Any]]) -> tuple[LookAlike, ...]:
    """Return look-alikes from plain values."""
    return tuple(LookAlike(**{**one, "means": tuple(one["means"])}) for one in merges)
