"""Tables with a target column: read and write CSV, TSV, Parquet, Arrow and JSON Lines."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

from ..outputs import OUTPUT_TYPES
from ._assemble import assemble
from ._files import (
    BadRecords,
    Found,
    Path_,
    atomic_write,
    name_of,
    read_csv,
    read_records,
    write_csv,
    write_json_lines,
)
from ._frames import backend_of, frame_of, rows_of_frame
from ._meaning import Answer, Entry, ReadOptions, one_of
from ._records import Records, text_cells
from ._table_cells import INTEGER, REAL, parse_cells, target_cells
from ._write import plain_cells

SEPARATORS = {".csv": ",", ".tsv": "\t"}
LINES = (".jsonl", ".ndjson")
ARROW = (".arrow", ".feather", ".ipc")
LIST_CELLS = ("number", "vector", "mask")
"""Output types whose own cells are lists; lists of the others need a meaning."""
SUFFIXES = (*SEPARATORS, *LINES, ".parquet", *ARROW)


def suffix_of(path: Path_) -> str:
    """Return the format of a table by the end of its name."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{name_of(path)}: the name of a table ends in {', '.join(SUFFIXES)}. Got {suffix!r}.")
    return suffix


def load_table(path: Path_, backend: str | None = None) -> list[Found]:
    """Return the rows of a table. Cells of text files are text; other files keep their types."""
    suffix = suffix_of(path)
    if suffix in SEPARATORS:
        return read_csv(path, SEPARATORS[suffix])[1]
    if suffix in LINES:
        return read_records(path)
    name = backend_of(backend)
    library = importlib.import_module(name)
    arrow = "read_ipc" if name == "polars" else "read_feather"
    with open(path, "rb") as file:
        frame = getattr(library, "read_parquet" if suffix == ".parquet" else arrow)(file)
    rows = [{column: _listed(cell) for column, cell in row.items()} for row in rows_of_frame(frame)]
    return [Found(f"{name_of(path)}, row {k}", row) for k, row in enumerate(rows)]


def _listed(cell: Any) -> Any:
    """Return a cell, lists as Python lists."""
    return cell.tolist() if hasattr(cell, "tolist") else cell


def read_table(
    path: Path_,
    target: str | list[str] | tuple[str, ...] | None = None,
    *,
    id: str | None = None,
    kind: str | None = None,
    meaning: str | None = None,
    unticked: str | None = None,
    classes: list | None = None,
    backend: str | None = None,
) -> Records:
    """Read a table with a column of partial labels.

    The column is written as in docs/data.md: ``cat|dog``, ``!cat``, ``+red -round``, ``a>b``, ``[1,2]``. In CSV it is
    text ("NA" and "007" too), and only an empty cell is unlabelled. Another column becomes numbers if every cell is a
    number in its usual notation ("007" stays text).

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .jsonl, .ndjson, .parquet, .arrow, .feather or .ipc.
    target : str or list of str, optional
        The column of y, or several columns. With ``kind="number"``, two columns are the bounds, empty for an unbounded
        side. With ``kind="tags"`` every column is a tag, with ``kind="ranking"`` the rank of an item, with
        ``kind="vector"`` a coordinate (a number or an interval). None leaves all rows unlabelled.
    id : str, optional
        The column of the ids; by default rows are counted from 0.
    kind : {"labels", "tags", "ranking", "number", "vector", "mask"}, optional
        The output type. It parses the text into Python objects, and raises an error that names the line of every cell
        that cannot be parsed. Without it the target stays text, and `records.kind` is "text". Required for several
        columns.
    meaning : {"one_of", "all_of", "known_tags", "order"}, optional
        What a list in a cell means (Parquet, Arrow, JSON Lines).
    unticked : {"no", "unknown"}, optional
        What 0 means in columns of tags, and what it means that a list lacks a name.
    classes : list, optional
        All the labels, tags or items.
    backend : {"pandas", "polars"}, optional

    See Also
    --------
    read_votes : Tables with the answers of several annotators.
    """
    options = ReadOptions(meaning, unticked, classes=classes, backend=backend)
    if kind is not None:
        one_of("kind", kind, OUTPUT_TYPES)
    source = name_of(path)
    found = load_table(path, backend)
    columns = list(dict.fromkeys(column for record in found for column in record.value))
    targets = [] if target is None else [target] if isinstance(target, str) else list(target)
    own = [*targets, *([] if id is None else [id])]
    missing = [column for column in own if column not in columns]
    if missing and found:
        raise ValueError(f"{source} has no column {missing[0]!r}. Its columns are {', '.join(columns)}.")
    cells = target_cells(source, found, target, targets, kind, unticked)
    data = _data(found, [column for column in columns if column not in own], suffix_of(path) in SEPARATORS)
    if isinstance(target, str) and kind not in LIST_CELLS and any(isinstance(cell, list) for cell in cells):
        return _from_lists(source, found, cells, data, id, options)
    ids = [record.value[id] if id is not None else k for k, record in enumerate(found)]
    names = list(classes) if classes is not None else []
    places = [record.place for record in found]
    if kind is not None:
        cells, names = parse_cells(source, cells, places, kind, names)
    return Records(ids, frame_of(data, backend), cells, kind or "text", classes=names, places=places)


def _data(found: list[Found], columns: list[str], text: bool) -> list[dict]:
    """Return the other columns; in text files a column becomes numbers if every cell is one."""
    rows: list[dict] = [{} for _ in found]
    for column in columns:
        cells = [record.value.get(column) for record in found]
        if text:
            cells = [None if cell == "" else cell for cell in cells]
            texts = [cell for cell in cells if cell is not None]
            kind = int if all(map(INTEGER.fullmatch, texts)) else float if all(map(REAL.fullmatch, texts)) else None
            cells = [cell if cell is None or kind is None else kind(cell) for cell in cells]
        for row, cell in zip(rows, cells):
            row[column] = cell
    return rows


def _from_lists(
    source: str, found: list[Found], cells: list, data: list[dict], id: Any, options: ReadOptions
) -> Records:
    """Return the records of a column of lists, which need a meaning as the answers of annotation tools do."""
    entries, bad = [], BadRecords(source)
    for k, (record, cell, row) in enumerate(zip(found, cells, data)):
        names = cell if isinstance(cell, list) else [] if cell is None else [cell]
        if not all(isinstance(name, str | int) for name in names):
            bad.add(record.place, f"expected a list of names, got {cell!r}")
        answer = Answer("names", names) if names else Answer("unknown")
        entries.append(Entry(record.value[id] if id is not None else k, record.place, row, [answer]))
    bad.refuse("A list in the target must contain names.")
    return assemble(source, entries, options, meanings=("one_of", "all_of", "known_tags", "order"))


def write_table(
    path: Path_, records: Any, y: Any = None, *, target: str = "y", kind: str | None = None, id: str | None = None
) -> None:
    """Write rows with their target as text (docs/data.md), completely or not at all.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .jsonl, .ndjson, .parquet, .arrow, .feather or .ipc.
    records : Records, DataFrame or list of dicts
    y : rows of y, optional
        By default that of the records; without either, only the rows are written.
    target : str
        The name of the column of y.
    kind : {"labels", "tags", "ranking", "number", "vector", "mask", "text"}, optional
        The output type. By default that of the records, or "labels"; "text" for y that is text already.
    id : str, optional
        A column for the ids of the records; by default "id" for `Records` and none otherwise.
    """
    suffix = suffix_of(path)
    rows = _rows(records, y, target, kind, id)
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if suffix in SEPARATORS:
        write_csv(path, columns, [[row.get(c) for c in columns] for row in rows], SEPARATORS[suffix])
    elif suffix in LINES:
        write_json_lines(path, rows)
    else:
        frame = frame_of(rows, None, columns)
        polars = not hasattr(frame, "to_parquet")
        arrow = "write_ipc" if polars else "to_feather"
        parquet = "write_parquet" if polars else "to_parquet"
        with atomic_write(path, "wb") as file:
            getattr(frame, parquet if suffix == ".parquet" else arrow)(file)


def _rows(records: Any, y: Any, target: str, kind: str | None, id: str | None) -> list[dict]:
    if isinstance(records, Records):
        kept = records if y is None else Records(records.ids, records.data, plain_cells(y), kind or records.kind)
        if len(kept.y) != len(kept.ids):
            raise ValueError(f"y must have one entry for each of the {len(kept.ids)} rows. Got {len(kept.y)}.")
        return kept.rows(target, "id" if id is None else id)
    rows = rows_of_frame(records)
    if id is not None:
        rows = [{id: k, **row} for k, row in enumerate(rows)]
    if y is None:
        return rows
    texts = text_cells(plain_cells(y), kind or "labels")
    if len(texts) != len(rows):
        raise ValueError(f"y must have one entry for each of the {len(rows)} rows. Got {len(texts)}.")
    if any(target in row for row in rows):
        raise ValueError(f"The data have a column {target!r} already. Name the new one with target=….")
    return [{**row, target: text} for row, text in zip(rows, texts)]
