"""Read JSON, JSON Lines, CSV and Excel with the place of every record, and write them."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from itertools import chain
from pathlib import Path
from typing import IO, Any, NamedTuple
from zipfile import BadZipFile, ZipFile

from ..data.errors import NO_CELL, BadRows, InfimumWarning, shown
from ..data.files import Path_ as Path_
from ..data.files import atomic_write as atomic_write
from ..data.limits import check_text, check_zip, parse_json
from ._header import split_header

FORMULA = re.compile(r"'*(?:[=@\t\r]|[+-](?![\w\s.,\"+-]*\Z))")
"""Text that spreadsheets run; numbers and tags such as -5 and +red -round only look like it."""

_FIELD_LIMIT = 2**31 - 1
_csv_lock = threading.Lock()


class FileRecord(NamedTuple):
    """One record of a file and its place there."""

    place: str
    """As in error messages: ``export.json, record 3``."""
    value: dict


class BadRecords(BadRows):
    """Collects what is wrong with the records of a file, by their place, and raises it as one error.

    >>> bad = BadRecords("votes.jsonl")
    >>> bad.add("votes.jsonl, line 3", "the answer 'kat' is not among the classes")
    >>> bad.raise_if_any("Correct the answers, or list all classes.")
    Traceback (most recent call last):
    ...
    infimum.data.errors.InputError: 1 record of votes.jsonl cannot be used.
      line 3: the answer 'kat' is not among the classes
    Correct the answers, or list all classes.
    """

    def __init__(self, source: str):
        super().__init__(source, "record")

    def add(self, row: Any, message: str, cell: Any = NO_CELL) -> None:
        super().add(row.removeprefix(f"{self.what}, "), message, cell)

    @contextmanager
    def at(self, place: str) -> Iterator[None]:
        """Collect a ValueError that the context raises about the record at a place."""
        try:
            yield
        except ValueError as error:
            self.add(place, str(error))


def name_of(source: Any) -> str:
    """Return the name of a source in error messages: that of its file, or "the list" for objects in memory."""
    if str(source) == "-":
        return "stdin"
    return Path(source).name if isinstance(source, str | os.PathLike) else "the list"


def read_text(path: Path_) -> str:
    """Return the text of a UTF-8 file, with or without a byte-order mark; line ends are kept."""
    try:
        return Path(path).read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{name_of(path)} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}."
            " Save it as UTF-8."
        ) from error


def read_records(source: Any) -> list[FileRecord]:
    """Return the objects of a JSON array, of JSON Lines, or of a list in memory."""
    name = name_of(source)
    if isinstance(source, str | os.PathLike):
        return json_records(read_text(source), name)
    if not isinstance(source, Iterable) or isinstance(source, Mapping):
        raise TypeError(f"Expected a path or a list of records. Got {type(source).__name__}.")
    return _objects([(f"{name}, record {k}", value) for k, value in enumerate(source, start=1)], name)


def json_records(text: str, name: str) -> list[FileRecord]:
    """Return the objects of a text that is a JSON array or JSON Lines."""
    check_text(name, text, "[{:,")
    if not text.lstrip().startswith("["):
        return _objects(_lines(text, name), name)
    return _objects([(f"{name}, record {k}", value) for k, value in enumerate(parse_json(text, name), start=1)], name)


def _objects(found: list[tuple[str, Any]], name: str) -> list[FileRecord]:
    bad = BadRecords(name)
    for place, value in found:
        if not isinstance(value, Mapping):
            bad.add(place, f"expected an object {{…}}, got {shown(value)}")
    bad.raise_if_any("Export the file again, in the full JSON or JSON Lines form of the tool.")
    return [FileRecord(place, dict(value)) for place, value in found]


def check_scalars(name: str, found: Iterable[FileRecord], *fields: str) -> None:
    """Raise an error if a list or an object stands where records have an id or the name of an annotator."""
    bad = BadRecords(name)
    for place, record in found:
        for field in fields:
            if isinstance(record.get(field), list | Mapping):
                bad.add(place, f"expected a text or a number in {field!r}, got {shown(record[field])}")
    bad.raise_if_any("Ids and names of annotators are texts or numbers.")


def _lines(text: str, name: str) -> list[tuple[str, Any]]:
    found = []
    for number, line in enumerate(text.split("\n"), start=1):  # not splitlines: U+2028 may stand inside a text
        if not line.strip():
            continue
        try:
            found.append((f"{name}, line {number}", parse_json(line, name, number)))
        except ValueError as error:
            start = text.strip()
            if start[:1] == "{":
                raise
            raise ValueError(f"{name} is not JSON. It begins with {shown(start[:40])}. Export it as JSON.") from error
    return found


def read_csv(path: Path_, sep: str = ",") -> tuple[list[str], list[FileRecord]]:
    """Return the header and the rows of a CSV file; every cell is text."""
    return csv_records(read_text(path), name_of(path), sep)


def csv_records(text: str, name: str, sep: str = ",", header: int | None = None) -> tuple[list[str], list[FileRecord]]:
    """Return the column names and the rows of a text that is CSV; `header` is the line with the names."""
    check_text(name, text, f"{sep}\n")
    with _csv_lock:
        before = csv.field_size_limit(_FIELD_LIMIT)
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=sep, strict=True)
            lines, start = [], 1
            for row in reader:
                if row:
                    lines.append((start, list(map(unescaped, row))))
                start = reader.line_num + 1
        except csv.Error as error:
            raise ValueError(f"{name}, line {reader.line_num}: invalid CSV ({error}).") from error
        finally:
            csv.field_size_limit(before)
    names, rows = split_header(name, lines, sep, header)
    return names, [FileRecord(f"{name}, line {number}", dict(zip(names, row))) for number, row in rows]


def write_json(path: Path_, value: Any) -> None:
    """Write one JSON document, completely or not at all."""
    text = dumps(value, indent=1)
    with _text_file(path) as file:
        file.write(text + "\n")


def write_json_lines(path: Path_, values: Iterable) -> None:
    """Write one JSON document per line, completely or not at all."""
    with _text_file(path) as file:
        for value in values:
            file.write(dumps(value) + "\n")


def write_csv(path: Path_, header: list[str], rows: Iterable[Iterable], sep: str = ",", escape: bool = False) -> None:
    """Write a CSV file, None as an empty cell, completely or not at all; escape what spreadsheets would run."""
    with _text_file(path) as file:
        writer = csv.writer(_Lines(file), delimiter=sep, lineterminator="\r\n")
        for row in chain([header], rows):
            writer.writerow([escaped(cell) for cell in row] if escape else row)


def escaped(cell: Any) -> Any:
    """Return text that a spreadsheet would run as a formula with an apostrophe before it; anything else as it is.

    >>> escaped("=1+1"), escaped("-cmd|' /C calc'!A0"), escaped("-1.5"), escaped("+red -round"), escaped("'=x")
    ("'=1+1", "'-cmd|' /C calc'!A0", '-1.5', '+red -round', "''=x")
    """
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) else cell


def unescaped(cell: str) -> str:
    """Return the text that `escaped` was given.

    >>> unescaped("'=1+1"), unescaped("'tis"), unescaped("''=x")
    ('=1+1', "'tis", "'=x")
    """
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell[1:]) else cell


@contextmanager
def _text_file(path: Path_) -> Iterator[IO]:
    """Open a text file for atomic writing, compressed if its name ends in .gz."""
    if Path(path).suffix.lower() != ".gz":
        with atomic_write(path) as file:
            yield file
        return
    with (
        atomic_write(path, "wb") as raw,
        gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as file,
    ):
        yield file


class _Lines:
    """Ends rows with \\n. Python before 3.13 quotes a cell with \\r only if rows end with it."""

    def __init__(self, file: IO):
        self.file = file

    def write(self, row: str) -> None:
        self.file.write(row.removesuffix("\r\n") + "\n")


def dumps(value: Any, indent: int | None = None) -> str:
    """Return JSON text. NumPy scalars become numbers; NaN and infinity raise ValueError."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=_plain, allow_nan=False)


def _plain(value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, set | frozenset):
        return sorted(value)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, Decimal):
        return float(value)
    if isinstance(value, bytes | timedelta):
        return str(value)
    raise TypeError(f"JSON cannot hold {shown(value)} of type {type(value).__name__}.")


def read_excel(path: Path_, name: str, header: int | None = None) -> tuple[list[str], list[FileRecord]]:
    """Return the header and the rows of the first sheet. Numbers, dates and text keep their types."""
    import openpyxl

    with open(path, "rb") as file:
        try:
            check_zip(name, ZipFile(file))
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except (BadZipFile, KeyError, ValueError, OSError) as error:
            raise ValueError(f"{name} is not an Excel workbook ({error}). Save it as .xlsx or .csv.") from error
        sheet = book.worksheets[0]
        if len(book.sheetnames) > 1:
            others = ", ".join(map(repr, book.sheetnames[1:]))
            message = f"{name}: the first sheet, {sheet.title!r}, is read. The others are not: {others}."
            warnings.warn(message, InfimumWarning, stacklevel=2)
        cells = [[None if cell == "" else cell for cell in row] for row in sheet.iter_rows(values_only=True)]
    width = max(map(len, cells), default=0)
    lines = [(number, row + [None] * (width - len(row))) for number, row in enumerate(cells, start=1)]
    names, rows = split_header(name, lines, None, header)
    return names, [
        FileRecord(f"{name}, row {number}", dict(zip(names, row)))
        for number, row in rows
        if any(cell is not None for cell in row)
    ]


def write_excel(path: Path_, header: list[str], rows: Iterable[Iterable]) -> None:
    """Write one sheet, completely or not at all. Text that begins with "=" stays text and is no formula."""
    import openpyxl

    book = openpyxl.Workbook()
    for i, line in enumerate([header, *rows], start=1):
        for j, value in enumerate(line, start=1):
            cell = book.active.cell(i, j)
            cell.value = _excel_cell(value)
            if isinstance(value, str):
                cell.data_type = "s"
    with atomic_write(path, "wb") as file:
        book.save(file)


def _excel_cell(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return dumps(value) if isinstance(value, list | tuple | dict | set) else value
