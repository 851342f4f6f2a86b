"""Tables of votes, with one line per answer, and tables of soft labels, with one column per class."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..data.errors import BadRows, InputError, is_missing, shown
from ..evidence import Votes
from ..io import Records
from ..io._load import Loaded
from ..io._meaning import ReadOptions
from ..io.tables import records_of
from ._columns import shares

if TYPE_CHECKING:
    from ._table import LoadedTable


def has_votes(table: LoadedTable) -> bool:
    """Whether several annotators answer about the same row: a column of annotators, and ids that repeat."""
    return table.kind == "labels" and table.annotators is not None and len(set(table.ids)) < len(table.ids)


def with_votes(table: LoadedTable, gold: list | None, columns: list[str], repeated: str = "error") -> LoadedTable:
    """Return a table with one row per id, whose target are the answers of all annotators.

    Parameters
    ----------
    table : Table
        One line per answer.
    gold : list, optional
        The true label of each line, None if it is unknown.
    columns : list of str
        The columns that belong to an answer and not to a row: the annotator, the answer and the true label.
    repeated : {"error", "first", "last", "all"}, default "error"
        Which answers count if an annotator has answered more than once about one row.
    """
    first: dict[Any, int] = {}
    for line, key in enumerate(table.ids):
        first.setdefault(key, line)
    _check_annotators(table, repeated)
    _check_features(table, first)
    known: dict[Any, Any] = {}
    for line, (key, cell) in enumerate(zip(table.ids, gold or [])):
        if not is_missing(cell) and known.setdefault(key, cell) != cell:
            raise InputError(
                f"{table.places[line]}: the true label of {key!r} is {cell!r}, but {known[key]!r} in a line above. A"
                " row has one true label. Correct the cells, or empty those that are wrong."
            )
    lines = [line for line, who in enumerate(table.annotators or []) if not is_missing(who) and who != ""]
    columns_of_votes = {"row": table.ids, "annotator": table.annotators, "answer": table.cells}
    answers = {name: [column[line] for line in lines] for name, column in columns_of_votes.items()}  # type: ignore[index]
    votes = Votes.from_table(
        answers, row="row", annotator="annotator", answer="answer", rows=list(first), gold=known or None,
        repeated=repeated,
    )  # fmt: skip
    lines = list(first.values())
    answered = {key for key, cell in zip(table.ids, table.cells) if not is_missing(cell)}
    return replace(
        table, X=table.X.iloc[lines], cells=[key if key in answered else None for key in first], ids=list(first),
        places=[table.places[line] for line in lines], votes=votes, annotators=None,
        rows=[{name: cell for name, cell in table.rows[line].items() if name not in columns} for line in lines],
        truth=None if table.truth is None else [table.truth[line] for line in lines],
    )  # fmt: skip


def soft_labels(loaded: Loaded, target: list[str], id: str | None) -> Records:
    """Read soft labels: each target column contains the probability of the class that it is named after."""
    if len(target) < 2:
        raise ValueError(
            f"{loaded.name}: --soft requires one target column per class, such as --target cat --target dog. Got"
            f" {len(target)}."
        )
    records = records_of(loaded, None, id, None, ReadOptions(), keep_text=True)
    typed = records_of(loaded, None, id, None, ReadOptions()).data[target]
    rows: list[dict[str, float]] = []
    for place, row in zip(records.places, typed.to_numpy(dtype=object)):
        known = {name: cell for name, cell in zip(target, row) if not is_missing(cell)}
        texts = [cell for cell in known.values() if isinstance(cell, str | bool)]
        if texts:
            raise InputError(f"{place}: probabilities must be numbers. Got {texts[0]!r}.")
        rows.append({name: float(cell) for name, cell in known.items()})
    cells = shares(rows, records.places)
    data = records.data[[name for name in records.data.columns if name not in target]]
    return replace(records, data=data, y=cells, kind="labels", classes=list(target))


def _check_annotators(table: LoadedTable, repeated: str) -> None:
    """Raise an error if a line has no annotator, or an annotator has answered twice and nobody said which counts."""
    bad, seen = BadRows("the table", "line"), dict[Any, int]()
    for line, (key, who) in enumerate(zip(table.ids, table.annotators or [])):
        if is_missing(who) or who == "":
            if not is_missing(table.cells[line]):  # a row that nobody has answered has no annotator either
                bad.add(table.places[line], "no annotator")
            continue
        other = line if is_missing(table.cells[line]) else seen.setdefault((key, who), line)
        if other != line and repeated == "error":
            bad.add(table.places[line], f"{shown(who)} has answered about {shown(key)} in {table.places[other]}, too")
    bad.raise_if_any(
        "Every answer needs an annotator, who answers once about each id. Remove or complete these lines, or say which"
        " answers count: --repeated last, first or all."
    )


def _check_features(table: LoadedTable, first: dict[Any, int]) -> None:
    """Raise an error if two lines of one id have different features."""
    frame = table.X.astype(object)
    cells = frame.where(frame.notna(), None).to_numpy()
    for line, key in enumerate(table.ids):
        other = first[key]
        for name, a, b in zip(frame.columns, cells[other], cells[line]):
            if a != b:
                raise InputError(
                    f"{table.places[line]}: the row {key!r} has {name} = {b!r}, but {a!r} in {table.places[other]}."
                    f" Lines with the same id are answers about one row and need the same features. Leave it out"
                    f" with --ignore {name}, or name another column of ids with --id."
                )
