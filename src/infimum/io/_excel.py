"""Read and write the first sheet of an Excel workbook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from zipfile import BadZipFile, ZipFile

from ..data.limits import check_zip
from ._files import Found, Path_, atomic_write, check_header, dumps


def read_excel(path: Path_, name: str) -> tuple[list[str], list[Found]]:
    """Return the header and the rows of the first sheet. Numbers, dates and text keep their types."""
    import openpyxl

    with open(path, "rb") as file:
        try:
            check_zip(name, ZipFile(file))
            book = openpyxl.load_workbook(file, read_only=True, data_only=True)
        except (BadZipFile, KeyError, ValueError, OSError) as error:
            raise ValueError(f"{name} is not an Excel workbook ({error}). Save it as .xlsx or .csv.") from error
        lines = [list(line) for line in book.worksheets[0].iter_rows(values_only=True)]
    if not lines or all(cell is None for cell in lines[0]):
        raise ValueError(f"{name} is empty: expected a row of column names.")
    width = max(k for k, cell in enumerate(lines[0]) if cell is not None) + 1
    header = ["" if cell is None else str(cell).strip() for cell in lines[0][:width]]
    check_header(name, header)
    rows = []
    for number, line in enumerate(lines[1:], start=2):
        if any(cell is not None for cell in line[width:]):
            raise ValueError(f"{name}, row {number}: there are cells without a column name. Name every column.")
        cells = [None if cell == "" else cell for cell in line[:width]]
        if any(cell is not None for cell in cells):
            rows.append(Found(f"{name}, row {number}", dict(zip(header, cells + [None] * (width - len(cells))))))
    return header, rows


def write_excel(path: Path_, header: list[str], rows: Iterable[Iterable]) -> None:
    """Write one sheet, completely or not at all. Text that begins with "=" stays text and is no formula."""
    import openpyxl

    book = openpyxl.Workbook()
    for i, line in enumerate([header, *rows], start=1):
        for j, value in enumerate(line, start=1):
            cell = book.active.cell(i, j)
            cell.value = _plain(value)
            if isinstance(value, str):
                cell.data_type = "s"
    with atomic_write(path, "wb") as file:
        book.save(file)


def _plain(value: Any) -> Any:
    value = value.item() if hasattr(value, "item") else value
    return dumps(value) if isinstance(value, list | tuple | dict | set) else value
