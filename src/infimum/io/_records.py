"""Records: the rows of a file with their partial labels."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..data.errors import BadRows, InputError, is_missing
from ..data.names import key
from ..evidence.votes import Votes
from ..outputs import OUTPUT_TYPES, OutputSpace
from ._frames import frame_of, rows_of_frame


def new_space(kind: str, cells: Any = (), names: Any = None) -> OutputSpace:
    """Return an unfitted output space for cells of a kind of target; `names` are its classes, tags or items."""
    if kind not in OUTPUT_TYPES:
        raise ValueError(f"kind must be one of {', '.join(map(repr, OUTPUT_TYPES))}. Got {kind!r}.")
    return OUTPUT_TYPES[kind].for_cells(cells, names)


@dataclass(frozen=True, eq=False, repr=False)
class Records:
    """Rows of a file with their ids, their data and their partial labels.

    Attributes
    ----------
    ids : list
        One per row; with ``annotators="rows"`` an id is repeated for every answer.
    data : DataFrame of pandas or polars
        The texts or features, one row each.
    y : list
        As the estimators accept it (docs/data.md): for `kind` "labels" a name, a set, `Not` or None; for "tags"
        ``{"red": True}``; for "ranking" pairs ``[("a", "b")]``; for "number" values, ``(low, high)`` or sets of values;
        for "vector" ``[1, 2]`` or ``[(0, 1), 2]``; for "mask" rows of pixels ``[[1, 0], [0, -1]]``; for
        "product" ``{"species": "cat", "weight": (3, 5)}``.
    kind : {"labels", "tags", "ranking", "number", "vector", "mask", "product", "text"}
        The output type; "text" if a table was read without a kind.
    annotators : list or None
        Who gave each row, with ``annotators="rows"``.
    classes : list
        The labels or tags that the file names, or those that were given.
    taxonomy : dict or None
        child -> parent, for ``Taxonomy(records.taxonomy)``, if the answers were nodes of a tree.
    places : list of str
        The place of each row in the file, for messages.

    Examples
    --------
    >>> Records([1, 2], frame_of([{"text": "purrs"}, {"text": "?"}]), ["cat", {"cat", "dog"}], "labels")
    <Records of labels: 2 rows, 0 unlabelled; data: text>
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
        who = "" if self.annotators is None else f" by {len(set(self.annotators))} annotators"
        columns = ", ".join(map(str, self.data.columns))
        return (
            f"<Records of {self.kind}: {len(self)} row{'s' if len(self) != 1 else ''}{who},"
            f" {sum(cell is None for cell in self.y)} unlabelled; data: {columns or 'none'}>"
        )

    def frame(self, target: str = "y", id: str = "id") -> Any:
        """Return one DataFrame: the ids, the data, the annotators if there are any, and y as text (docs/data.md).

        `read_table` and the estimators parse the text as the same sets.

        >>> records = Records([7], frame_of([{"text": "purrs"}]), [{"cat", "dog"}], "labels")
        >>> records.frame()["y"].to_list()
        ['cat|dog']
        """
        rows = self.rows(target, id)
        names = [id, *self.data.columns, *(["annotator"] if self.annotators is not None else []), target]
        return frame_of(rows, type(self.data).__module__.split(".")[0], list(dict.fromkeys(map(str, names))))

    def rows(self, target: str = "y", id: str = "id") -> list[dict]:
        """Return the rows of `frame` as dicts."""
        taken = [name for name in (id, target) if name in list(self.data.columns)]
        if taken:
            raise ValueError(f"The data have a column {taken[0]!r} already. Name the new one with id= or target=.")
        rows = [{id: key, **row} for key, row in zip(self.ids, self.data_rows())]
        for k, text in enumerate(text_cells(self.y, self.kind)):
            if self.annotators is not None:
                rows[k]["annotator"] = self.annotators[k]
            rows[k][target] = text
        return rows

    def votes(self, repeated: str = "error") -> tuple[Any, Votes]:
        """Return the data with one row per id, and the answers of all annotators in the same order.

        Read the file with ``annotators="rows"``. The votes are y of `PartialClassifier`, which estimates how reliable
        each annotator is.

        Parameters
        ----------
        repeated : {"error", "first", "last", "all"}, default "error"
            Which answers count if an annotator has answered more than once about one row.

        Examples
        --------
        >>> text = frame_of([{"text": "purrs"}, {"text": "purrs"}])
        >>> Records([7, 7], text, ["cat", "dog"], "labels", ["ann", "bob"]).votes()[1]
        <Votes: 1 rows, 2 answers of 2 annotators>
        """
        if self.kind != "labels":
            raise InputError(f"Votes are answers about class labels. Got records of kind {self.kind!r}.")
        if self.annotators is None:
            raise InputError('These records do not contain annotators. Read the file with annotators="rows" first.')
        bad = BadRows("the file", "answer")
        for k, who in enumerate(self.annotators):
            if is_missing(who) and self.y[k] is not None:
                bad.add(self.places[k] if self.places else k, "the annotator is missing")
        bad.raise_if_any('Every answer needs an annotator. Read the file with annotators="union" or "vote" instead.')
        first: dict = {}
        for k, name in enumerate(self.ids):
            first.setdefault(key(name), k)
        at = list(first.values())
        known = [k for k, cell in enumerate(self.y) if cell is not None]
        columns = {"row": self.ids, "who": self.annotators, "answer": self.y}
        table = {name: [column[k] for k in known] for name, column in columns.items()}
        ids = [self.ids[k] for k in at]
        votes = Votes.from_table(table, row="row", annotator="who", answer="answer", rows=ids, repeated=repeated)
        data = self.data_rows()
        module = type(self.data).__module__.split(".")[0]
        return frame_of([data[k] for k in at], module, list(map(str, self.data.columns))), votes

    def data_rows(self) -> list[dict]:
        """Return the data as dicts, empty ones if there are no columns: such a DataFrame may have no rows either."""
        return rows_of_frame(self.data) if len(self.data.columns) else [{} for _ in self.y]


def text_cells(y: list, kind: str) -> list[str | None]:
    """Return rows of y in the notation of CSV files, None for unlabelled rows."""
    if kind == "text" or all(cell is None for cell in y):
        return [None if cell is None else str(cell) for cell in y]
    return new_space(kind, y).cells_to_text(y)
