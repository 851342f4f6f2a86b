"""Load a table of any format: rows with their places, column names, and the separator and encoding of text."""

from __future__ import annotations

import codecs
import csv
import gzip
import importlib
import importlib.util
import io
import re
import sys
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from ..data.limits import check_values, gunzipped
from ..data.numerals import parse_number
from ._files import FileRecord, Path_, csv_records, json_records, name_of, read_excel
from ._frames import backend_of, rows_of_frame

STDIN = "-"
SAMPLE = 100_000
"""Characters at the beginning of a file by which the separator is detected."""

CANDIDATES = (",", ";", "\t", "|")
"""Separators that are tried, in this order. "|" comes last because it also separates candidates."""

WINDOWS_ONLY = bytes(range(0x80, 0xA0))
"""Bytes that are control characters in Latin-1, but letters and signs such as € in Windows-1252."""

MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


class Layout(NamedTuple):
    """How a text file is written."""

    sep: str = ","
    encoding: str = "utf-8"

    def __str__(self) -> str:
        return f"separator {'tab' if self.sep == chr(9) else repr(self.sep)}, encoding {self.encoding}"


def read_bytes(path: Path_) -> bytes:
    """Return the content of a file, decompressed if its name ends in .gz, or of stdin for "-"."""
    if str(path) == STDIN:
        return sys.stdin.buffer.read()
    data = Path(path).read_bytes()
    if Path(path).suffix.lower() != ".gz":
        return data
    try:
        return gunzipped(Path(path).name, data)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"{Path(path).name} is not a complete gzip file ({error}). Compress it again.") from error


def decoded(data: bytes, name: str, encoding: str | None = None) -> tuple[str, str]:
    """Return text and its encoding: the given one, UTF-8 or UTF-16, otherwise Latin-1 or Windows-1252.

    >>> decoded("café".encode("latin-1"), "a.csv")
    ('café', 'latin-1')
    """
    if encoding is None:
        encoding = next((each for mark, each in MARKS if data.startswith(mark)), None)
        if encoding is None:
            try:
                return data.decode("utf-8"), "utf-8"
            except UnicodeDecodeError:
                encoding = "cp1252" if any(byte in WINDOWS_ONLY for byte in data) else "latin-1"
    try:
        text = data.decode(encoding)
    except LookupError as error:
        raise ValueError(
            f"There is no encoding {encoding!r}. Common ones are utf-8, latin-1, cp1252, utf-16."
        ) from error
    except UnicodeError as error:
        raise ValueError(
            f"{name} is not text in the encoding {encoding} ({error}). Save it as UTF-8, or pass its encoding."
        ) from error
    if "\0" in text:
        raise ValueError(f"{name} is not a text file: it contains the character NUL. Save it as UTF-8 text.")
    return text, "utf-8" if encoding == "utf-8-sig" else encoding


def separator(text: str, usual: str = ",") -> str:
    r"""Return the separator of a CSV text: the usual one if it splits the header, else one that fits all lines.

    >>> separator("a;b\n1,5;2\n"), separator("a,b\n1,2\n"), separator("cell\na;b\n")
    (';', ',', ',')
    """
    found = {sep: _widths(text, sep) for sep in dict.fromkeys((usual, *CANDIDATES))}
    fitting = [sep for sep, widths in found.items() if widths and widths[0] > 1 and len(set(widths)) == 1]
    if usual in fitting:
        return usual
    if fitting:
        return max(fitting, key=lambda sep: found[sep][0])
    return max(found, key=lambda sep: found[sep][0] if found[sep] else 0)  # the usual one comes first if none splits


def _widths(text: str, sep: str) -> list[int]:
    """Return the number of cells of the first rows."""
    sample = text[:SAMPLE]
    widths = []
    try:
        widths = [len(row) for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sep) if row]
    except csv.Error:
        return widths
    return widths[:-1] if len(text) > SAMPLE else widths


SEP_LINE = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)
"""A first line by which Excel sets the separator."""

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
LINES = (".jsonl", ".ndjson")
ARROW = (".arrow", ".feather", ".ipc")
COMPRESSED = ".gz"
SUFFIXES = (*SEPARATORS, ".json", *LINES, ".xlsx", ".parquet", *ARROW, ".csv.gz")


class Loaded(NamedTuple):
    """The content of a table."""

    name: str
    columns: list[str]
    rows: list[FileRecord]
    layout: Layout | None = None
    """Separator and encoding of a text file of cells; None for other formats."""
    usual: bool = True
    """Whether separator and encoding are those that its name suggests: a comma and UTF-8 for .csv."""

    @property
    def is_text(self) -> bool:
        """Whether every cell is text."""
        return self.layout is not None

    def without(self, missing: Iterable[str]) -> Loaded:
        """Return the table without the cells that equal one of the texts, in which * stands for any text."""
        if not missing:
            return self
        patterns = (".*".join(map(re.escape, text.strip().split("*"))) for text in missing)  # "?" is no wildcard
        texts = re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)
        numbers = {number for number in map(parse_number, missing) if number is not None}

        def kept(cell: Any) -> Any:
            text = str(cell).strip()
            return None if texts.fullmatch(text) or parse_number(text) in numbers else cell

        rows = [row._replace(value={name: kept(cell) for name, cell in row.value.items()}) for row in self.rows]
        return self._replace(rows=rows)

    def check_rows(self) -> None:
        """Raise ValueError if the table has no rows."""
        if self.rows:
            return
        header = f" It has column names ({', '.join(self.columns)}), but nothing below them." if self.columns else ""
        raise ValueError(f"{self.name} has no rows.{header} Add at least one row.")


def suffix_of(path: Path_) -> str:
    """Return the format of a table by the end of its name, without .gz."""
    name = Path(path).name.lower()
    suffix = Path(name.removesuffix(COMPRESSED)).suffix
    packed = name.endswith(COMPRESSED)
    if suffix not in SUFFIXES or (packed and suffix not in (*SEPARATORS, ".json", *LINES)):
        raise ValueError(f"{name_of(path)}: the name of a table ends in {', '.join(SUFFIXES)}. Got {suffix!r}.")
    return suffix


def require(package: str, name: str) -> None:
    """Raise ImportError if a package that reads or writes a format is not installed."""
    if importlib.util.find_spec(package) is None:
        raise ImportError(
            f'{name} requires the package {package}. Install it with: pip install "infimum[cli]"', name=package
        )


def load_table(
    path: Path_, backend: str | None = None, sep: str | None = None, encoding: str | None = None,
    header: int | None = None,
) -> Loaded:  # fmt: skip
    """Return the content of a table. Cells of text files are text; other files keep their types.

    Parameters
    ----------
    path : path
        A file whose name ends in one of `SUFFIXES`, or "-" for stdin, which may contain CSV or JSON.
    backend : {"pandas", "polars"}, optional
        The library that reads Parquet and Arrow.
    sep, encoding : str, optional
        Separator and encoding of a text file; detected by default.
    header : int, optional
        The line of a text file or the row of a workbook with the column names, counted from 1; the first by default.
    """
    name = name_of(path)
    suffix = ".csv" if str(path) == STDIN else suffix_of(path)
    if suffix in SEPARATORS or suffix in (".json", *LINES):
        text, found = decoded(read_bytes(path), name, encoding)
        if suffix not in SEPARATORS or (str(path) == STDIN and text.lstrip()[:1] in ("[", "{")):
            return _with_columns(name, json_records(text, name))
        usual = SEPARATORS[suffix]
        if declared := SEP_LINE.match(text):
            sep, header = sep or declared[1], header or 2
        below = text if header is None else "".join(text.splitlines(keepends=True)[header - 1 :])
        layout = Layout(sep or separator(below, usual), found)
        columns, rows = csv_records(text, name, layout.sep, header)
        return Loaded(name, columns, rows, layout, layout == Layout(usual))
    if suffix == ".xlsx":
        require("openpyxl", name)
        columns, rows = read_excel(path, name, header)
        return Loaded(name, columns, rows)
    library_name = backend_of(backend)
    if library_name == "pandas":
        require("pyarrow", name)
    if suffix == ".parquet" and importlib.util.find_spec("pyarrow"):
        import pyarrow.parquet

        about = pyarrow.parquet.read_metadata(path)  # repeated values take no room in the file
        check_values(name, about.num_rows * about.num_columns)
    library = importlib.import_module(library_name)
    arrow = "read_ipc" if library_name == "polars" else "read_feather"
    with open(path, "rb") as file:
        frame = getattr(library, "read_parquet" if suffix == ".parquet" else arrow)(file)
    cells = [{column: _listed(cell) for column, cell in row.items()} for row in rows_of_frame(frame)]
    rows = [FileRecord(f"{name}, row {k}", row) for k, row in enumerate(cells)]
    return Loaded(name, [str(column) for column in frame.columns], rows)


def _with_columns(name: str, rows: list[FileRecord]) -> Loaded:
    return Loaded(name, list(dict.fromkeys(column for row in rows for column in row.value)), rows)


def _listed(cell: Any) -> Any:
    """Return a cell, lists as Python lists."""
    return cell.tolist() if hasattr(cell, "tolist") else cell
