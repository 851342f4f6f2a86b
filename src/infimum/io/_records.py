"""Records: what was read, as rows that the estimators take."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..outputs import Not
from ._cells import Cells, Labels, Numbers, Orders, Tags
from ._files import Refused
from ._frames import frame_of, rows_of_frame

KINDS: dict[str, Any] = {"labels": Labels, "tags": Tags, "order": Orders, "number": Numbers}


def cells_of(kind: str, classes: Any = ()) -> Cells:
    """How cells of a kind are merged and written."""
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}. Got {kind!r}.")
    return Labels(classes) if kind == "labels" else KINDS[kind]()


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Rows of a file: who they are, what is known of them, and what was answered.

    Attributes
    ----------
    ids : list
        One a row; with ``annotators="rows"`` an id comes once for every answer.
    data : frame of pandas or polars
        The texts or features that are there, one row each.
    y : list
        As the estimators take it (docs/data.md): for `kind` "labels" a name, a set, `Not` or None; for "tags"
        ``{"red": True}``; for "order" pairs ``[("a", "b")]``; for "number" values, ``(low, high)`` or sets of values.
    kind : {"labels", "tags", "order", "number", "text"}
        "text" where a table was read without saying what its target is.
    annotators : list or None
        Who gave each row, with ``annotators="rows"``.
    classes : list
        The labels or tags that the file names, or those that were given.
    taxonomy : dict or None
        child -> parent, for ``Taxonomy(records.taxonomy)``, where the answers were nodes of a tree.
    places : list of str
        Where each row lies in the file, for messages.

    Examples
    --------
    >>> Records([1, 2], frame_of([{"text": "purrs"}, {"text": "?"}]), ["cat", {"cat", "dog"}], "labels")
    <Records of labels: 2 rows, 1 exact, 1 partial, 0 unknown; data: text>
    """

    ids: list
    data: Any
    y: list
    kind: str
    annotators: list | None = None
    classes: list = field(default_factory=list)
    taxonomy: dict | None = None
    places: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return len(self.y)

    def __repr__(self) -> str:
        unknown = sum(cell is None for cell in self.y)
        if self.kind == "text":
            columns = ", ".join(map(str, self.data.columns))
            return f"<Records of text: {len(self)} rows, {unknown} unknown; data: {columns or 'none'}>"
        items = {item for cell in self.y if cell for pair in cell for item in pair} if self.kind == "order" else set()
        exact = sum(self._is_exact(cell, len(items)) for cell in self.y if cell is not None)
        who = "" if self.annotators is None else f" by {len(set(self.annotators))} annotators"
        columns = ", ".join(map(str, self.data.columns))
        return (
            f"<Records of {self.kind}: {len(self)} row{'s' if len(self) != 1 else ''}{who}, {exact} exact,"
            f" {len(self) - exact - unknown} partial, {unknown} unknown; data: {columns or 'none'}>"
        )

    def _is_exact(self, cell: Any, items: int) -> bool:
        if self.kind == "tags":
            return bool(self.classes) and all(tag in cell for tag in self.classes)
        if self.kind == "order":  # a chain of all items: as many steps as items, less one
            return len(cell) == items - 1 and len({a for a, _ in cell}) == len({b for _, b in cell}) == len(cell)
        return not isinstance(cell, set | tuple | list | Not) or (isinstance(cell, set) and len(cell) == 1)

    def frame(self, target: str = "y", id: str = "id") -> Any:
        """One frame: the ids, the data, the annotator where there is one, and y as text (docs/data.md).

        The text is what `read_table` and the estimators read back as the same sets.

        >>> records = Records([7], frame_of([{"text": "purrs"}]), [{"cat", "dog"}], "labels")
        >>> records.frame()["y"].to_list()
        ['cat|dog']
        """
        rows = self.rows(target, id)
        names = [id, *self.data.columns, *(["annotator"] if self.annotators is not None else []), target]
        return frame_of(rows, type(self.data).__module__.split(".")[0], list(dict.fromkeys(map(str, names))))

    def rows(self, target: str = "y", id: str = "id") -> list[dict]:
        """The rows of `frame` as dicts."""
        taken = [name for name in (id, target) if name in list(self.data.columns)]
        if taken:
            raise ValueError(f"The data have a column {taken[0]!r} already. Name the new one with id= or target=.")
        rows = [{id: key, **row} for key, row in zip(self.ids, rows_of_frame(self.data))]
        for row, cell, text in zip(rows, range(len(self)), text_cells(self.y, self.kind)):
            if self.annotators is not None:
                row["annotator"] = self.annotators[cell]
            row[target] = text
        return rows


def text_cells(y: list, kind: str) -> list:
    """The rows of y in the notation of CSV files, None where nothing is known."""
    if kind == "text":
        return [None if cell is None else str(cell) for cell in y]
    cells, bad, texts = cells_of(kind), Refused("y"), []
    for row, cell in enumerate(y):
        try:
            texts.append(None if cell is None else cells.text(cell))
        except ValueError as error:
            bad.add(f"row {row}", str(error))
    bad.refuse("Rename it, or pass y on as Python objects.")
    return texts
