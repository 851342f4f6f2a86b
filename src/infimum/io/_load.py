"""Load a table of any format: rows with their places, column names, and how the file is written."""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import Any, NamedTuple

from ..data.limits import check_values
from ._files import Found, Path_, csv_records, json_records, name_of
from ._frames import backend_of, rows_of_frame
from ._layout import STDIN, Layout, decoded, read_bytes, separator

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}
LINES = (".jsonl", ".ndjson")
ARROW = (".arrow", ".feather", ".ipc")
COMPRESSED = ".gz"
SUFFIXES = (*SEPARATORS, ".json", *LINES, ".xlsx", ".parquet", *ARROW, ".csv.gz")


class Loaded(NamedTuple):
    """The content of a table."""

    name: str
    columns: list[str]
    rows: list[Found]
    layout: Layout | None = None
    """Separator and encoding of a text file of cells; None for other formats."""
    usual: bool = True
    """Whether separator and encoding are those that its name suggests: a comma and UTF-8 for .csv."""

    @property
    def is_text(self) -> bool:
        """Whether every cell is text."""
        return self.layout is not None

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


def load_table(path: Path_, backend: str | None = None, sep: str | None = None, encoding: str | None = None) -> Loaded:
    """Return the content of a table. Cells of text files are text; other files keep their types.

    Parameters
    ----------
    path : path
        A file whose name ends in one of `SUFFIXES`, or "-" for stdin, which may contain CSV or JSON.
    backend : {"pandas", "polars"}, optional
        The library that reads Parquet and Arrow.
    sep, encoding : str, optional
        Separator and encoding of a text file; detected by default.
    """
    name = name_of(path)
    suffix = ".csv" if str(path) == STDIN else suffix_of(path)
    if suffix in SEPARATORS or suffix in (".json", *LINES):
        text, found = decoded(read_bytes(path), name, encoding)
        if suffix not in SEPARATORS or (str(path) == STDIN and text.lstrip()[:1] in ("[", "{")):
            return _with_columns(name, json_records(text, name))
        usual = SEPARATORS[suffix]
        layout = Layout(sep or separator(text, usual), found)
        header, rows = csv_records(text, name, layout.sep)
        return Loaded(name, header, rows, layout, layout == Layout(usual))
    if suffix == ".xlsx":
        from ._excel import read_excel

        require("openpyxl", name)
        header, rows = read_excel(path, name)
        return Loaded(name, header, rows)
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
    rows = [Found(f"{name}, row {k}", row) for k, row in enumerate(cells)]
    return Loaded(name, [str(column) for column in frame.columns], rows)


def _with_columns(name: str, rows: list[Found]) -> Loaded:
    return Loaded(name, list(dict.fromkeys(column for row in rows for column in row.value)), rows)


def _listed(cell: Any) -> Any:
    """Return a cell, lists as Python lists."""
    return cell.tolist() if hasattr(cell, "tolist") else cell
