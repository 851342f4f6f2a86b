"""Tables with a target column: read and write CSV, Excel, JSON, JSON Lines, Parquet and Arrow."""

from __future__ import annotations

import warnings
from collections.abc import Collection
from typing import Any

from ..data.errors import InfimumWarning
from ..outputs import OUTPUT_TYPES
from ._assemble import assemble
from ._docs import FILES
from ._files import (
    BadRecords,
    FileRecord,
    Path_,
    atomic_write,
    name_of,
    write_csv,
    write_excel,
    write_json,
    write_json_lines,
)
from ._frames import frame_of, rows_of_frame
from ._load import LINES, SEPARATORS, Loaded, load_table, require, suffix_of
from ._meaning import KINDS, Answer, Entry, ReadOptions, one_of
from ._records import Records, new_space, text_cells
from ._table_cells import INTEGER, REAL, parse_cells, target_cells
from ._text_lists import joined_ranks, with_lists
from ._write import plain_cells


@FILES
def read_table(
    path: Path_,
    target: str | list[str] | tuple[str, ...] | None = None,
    *,
    id: str | None = None,
    kind: str | None = None,
    meaning: str | None = None,
    unticked: str | None = None,
    separator: str | None = None,
    classes: list | None = None,
    backend: str | None = None,
    sep: str | None = None,
    encoding: str | None = None,
    header: int | None = None,
    keep_text: bool = False,
    missing: Collection[str] = (),
) -> Records:
    """Read a table with a column of partial labels.

    The column is written as in docs/data.md: ``cat|dog``, ``!cat``, ``+red -round``, ``a>b``, ``[1,2]``. In CSV it is
    text ("NA" and "007" too), and only an empty cell is unlabelled. Another column becomes numbers if every cell is a
    number in its usual notation ("007" stays text).

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt, .json (an array of objects), .jsonl, .ndjson, .xlsx (the first sheet), .parquet,
        .arrow, .feather or .ipc. Text files may be compressed: .csv.gz. "-" reads CSV or JSON from stdin.
    target : str or list of str, optional
        The column of y, or several columns. With ``kind="number"``, two columns are the bounds, empty for an unbounded
        side. With ``kind="tags"`` every column is a tag, with ``kind="vector"`` a coordinate (a number or an interval).
        With ``kind="ranking"`` every column contains the rank of an item, or the columns contain items, best first.
        None leaves all rows unlabelled.
    id : str, optional
        The column of the ids; by default rows are counted from 0.
    kind : {"labels", "tags", "ranking", "number", "vector", "mask", "product"}, optional
        The output type. It parses the text into Python objects, and raises an error that names the line of every cell
        that cannot be parsed. Without it the target stays text, and `records.kind` is "text". Required for several
        columns.
    meaning : {"one_of", "all_of", "known_tags", "order", "top"}, optional
        What several names in a cell mean. The names are a list (Parquet, Arrow, JSON Lines) or text such as
        ``bar|home``: one of them is the label, all of them are present as tags, the same with the other tags unknown,
        they are in order, best first (order), and all other names come after them (top). It implies the kind.
    unticked : {"no", "unknown"}, optional
        What 0 means in columns of tags, and what it means that a cell does not list a name.
    separator : str, optional
        Separates the names of a text cell with `meaning`, besides "|".
    classes : list, optional
        All the labels, tags or items.
    backend : shared
    sep : str, optional
        The separator of a text file. By default it is detected among comma, semicolon, tab and "|".
    encoding : str, optional
        The encoding of a text file. By default it is detected: UTF-8, UTF-16, otherwise Latin-1 or Windows-1252, with
        a warning.
    header : int, optional
        The line of a text file, or the row of a workbook, with the column names, counted from 1. Lines above it are not
        read. By default the first one.
    keep_text : bool, default False
        Leave the cells of text files as text, and those of other files as they are. Use it with
        :class:`infimum.Features`, which decides in `fit` what a column is. Otherwise a category such as "1.50" is a
        number in a file that happens to contain only numbers.
    missing : list of str, default ()
        Cells with one of these texts are empty, for example ``["not sure", "-9"]``. `*` stands for any text.

    See Also
    --------
    read_votes : Tables with the answers of several annotators.
    """
    options = ReadOptions(meaning, unticked, classes=classes, backend=backend, separator=separator)
    if kind is not None:
        one_of("kind", kind, OUTPUT_TYPES)
    loaded = load_table(path, backend, sep, encoding, header).without(missing)
    if loaded.layout is not None and encoding is None and not loaded.layout.encoding.startswith("utf"):
        warnings.warn(
            f"{loaded.name} is not UTF-8; it is read as {loaded.layout.encoding}. Pass encoding=… if that is wrong.",
            InfimumWarning,
            stacklevel=2,
        )
    loaded, target = joined_ranks(loaded, target, kind, options)
    if isinstance(target, str):
        loaded, options = with_lists(loaded, target, kind, options)
        kind = kind if options.meaning is None else KINDS[options.meaning]
    return records_of(loaded, target, id, kind, options, keep_text)


def records_of(
    loaded: Loaded, target: Any, id: str | None, kind: str | None, options: ReadOptions, keep_text: bool = False,
    keep_lists: bool = False,
) -> Records:  # fmt: skip
    """Return the records of a loaded table; for the parameters, see `read_table`.

    With `keep_lists`, a list in the target is a cell, as in vectors; otherwise it needs a meaning if `kind` is None.
    """
    source, found, columns = loaded.name, loaded.rows, loaded.columns
    classes, backend = options.classes, options.backend
    targets = [] if target is None else [target] if isinstance(target, str) else list(target)
    own = [*targets, *([] if id is None else [id])]
    missing = [column for column in own if column not in columns]
    if missing and columns:
        raise ValueError(f"{source} has no column {missing[0]!r}. Its columns are {', '.join(columns)}.")
    cells = target_cells(source, found, target, targets, kind, options.unticked)
    others = [column for column in columns if column not in own]
    data = _data(found, others, loaded.is_text, keep_text)
    ambiguous = not keep_lists if kind is None else OUTPUT_TYPES[kind].lists_need_meaning
    if isinstance(target, str) and kind == "labels" and options.separator:
        cells = new_space(kind).split_cells(cells, options.separator, classes or [])
    if isinstance(target, str) and ambiguous and any(isinstance(cell, list) for cell in cells):
        return _from_lists(source, found, cells, data, id, options)
    ids = [record.value[id] if id is not None else k for k, record in enumerate(found)]
    names = list(classes) if classes is not None else []
    places = [record.place for record in found]
    if kind is not None:
        cells, names = parse_cells(source, cells, places, kind, names)
    frame = frame_of(data, backend, others, as_found=keep_text)
    return Records(ids, frame, cells, kind or "text", classes=names, places=places)


def _data(found: list[FileRecord], columns: list[str], text: bool, keep_text: bool) -> list[dict]:
    """Return the other columns; in text files a column becomes numbers if every cell is one, unless text is kept."""
    rows: list[dict] = [{} for _ in found]
    for column in columns:
        cells = [record.value.get(column) for record in found]
        if text:
            cells = [None if cell == "" else cell for cell in cells]
        if text and not keep_text:
            texts = [cell for cell in cells if cell is not None]
            kind = int if all(map(INTEGER.fullmatch, texts)) else float if all(map(REAL.fullmatch, texts)) else None
            cells = [cell if cell is None or kind is None else kind(cell) for cell in cells]
        for row, cell in zip(rows, cells):
            row[column] = cell
    return rows


def _from_lists(
    source: str, found: list[FileRecord], cells: list, data: list[dict], id: Any, options: ReadOptions
) -> Records:
    """Return the records of a column of lists, which need a meaning as the answers of annotation tools do."""
    entries, bad = [], BadRecords(source)
    for k, (record, cell, row) in enumerate(zip(found, cells, data)):
        names = cell if isinstance(cell, list) else [] if cell is None else [cell]
        if not all(isinstance(name, str | int) for name in names):
            bad.add(record.place, f"expected a list of names, got {cell!r}")
        answer = Answer("names", names) if names else Answer("unknown")
        entries.append(Entry(record.value[id] if id is not None else k, record.place, row, [answer]))
    bad.raise_if_any("A list in the target must contain names.")
    return assemble(source, entries, options, meanings=("one_of", "all_of", "known_tags", "order", "top"))


def write_table(
    path: Path_, records: Any, y: Any = None, *, target: str = "y", kind: str | None = None, id: str | None = None,
    escape: bool = True,
) -> None:  # fmt: skip
    """Write rows with their target as text (docs/data.md), completely or not at all.

    Parameters
    ----------
    path : path
        Ends in .csv, .tsv, .txt, .json, .jsonl, .ndjson, .xlsx, .parquet, .arrow, .feather or .ipc. Text files may be
        compressed: .csv.gz.
    records : Records, DataFrame or list of dicts
        The rows, as a reader of :mod:`infimum.io` returns them.
    y : rows of y, optional
        By default that of the records; without either, only the rows are written.
    target : str
        The name of the column of y.
    kind : {"labels", "tags", "ranking", "number", "vector", "mask", "product", "text"}, optional
        The output type. By default that of the records, or "labels"; "text" for y that is text already.
    id : str, optional
        A column for the ids of the records; by default "id" for `Records` and none otherwise.
    escape : bool, default True
        Whether text in CSV files that a spreadsheet would run as a formula, such as ``=1+1``, gets an apostrophe before
        it. `read_table` removes it.
    """
    suffix_of(path)
    rows = _rows(records, y, target, kind, id)
    write_rows(path, list(dict.fromkeys(column for row in rows for column in row)), rows, escape)


def write_rows(path: Path_, columns: list[str], rows: list[dict], escape: bool = True) -> None:
    """Write rows as a table, completely or not at all; the name of the file decides on the format."""
    suffix = suffix_of(path)
    if suffix in SEPARATORS:
        write_csv(path, columns, [[row.get(c) for c in columns] for row in rows], SEPARATORS[suffix], escape)
    elif suffix in LINES:
        write_json_lines(path, rows)
    elif suffix == ".json":
        write_json(path, rows)
    elif suffix == ".xlsx":
        require("openpyxl", name_of(path))
        write_excel(path, columns, [[row.get(c) for c in columns] for row in rows])
    else:
        frame = frame_of(rows, None, columns)
        polars = not hasattr(frame, "to_parquet")
        if not polars:
            require("pyarrow", name_of(path))
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
