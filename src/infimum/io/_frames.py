"""DataFrames of pandas or polars from rows, and back."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Iterable, Mapping
from typing import Any

from ..data.errors import is_null
from ..data.inputs import is_frame
from ..data.names import plain
from ._files import dumps

BACKENDS = ("pandas", "polars")


def backend_of(backend: str | None) -> str:
    """Return the name of the DataFrame library: the given one, otherwise pandas or polars if it is installed."""
    if backend is not None and backend not in BACKENDS:
        raise ValueError(f'backend must be "pandas" or "polars". Got {backend!r}.')
    for name in BACKENDS if backend is None else (backend,):
        if importlib.util.find_spec(name) is not None:
            return name
    missing = backend or "pandas or polars"
    raise ImportError(f"Reading records needs {missing}. Install it with: pip install {backend or 'pandas'}")


def frame_of(
    rows: list[dict], backend: str | None = None, columns: Iterable[str] | None = None, as_found: bool = False
) -> Any:
    """Return a DataFrame with one column for every name in the rows; None if a row lacks it.

    Numbers stay numbers and text stays text. A column of lists, objects or several types becomes text, as JSON. With
    `as_found`, pandas columns contain the cells as they are, of whatever type; only lists and objects become text.
    """
    name = backend_of(backend)
    if columns is None:
        columns = dict.fromkeys(column for row in rows for column in row)
    library = importlib.import_module(name)
    if as_found and name == "pandas":
        cells_of = {column: [_cell(row.get(column)) for row in rows] for column in columns}
        objects = {column: library.Series(cells, dtype=object) for column, cells in cells_of.items()}
        return library.DataFrame(objects, index=range(len(rows)))
    table = {column: _column([row.get(column) for row in rows]) for column in columns}
    if name == "polars":
        kinds = {"bool": library.Boolean, "int": library.Int64, "float": library.Float64, "text": library.String}
        series = [library.Series(column, cells, dtype=kinds[kind]) for column, (kind, cells) in table.items()]
        return library.DataFrame(series)
    frame = {}
    for column, (kind, cells) in table.items():
        missing = any(cell is None for cell in cells)
        types = {"bool": "boolean" if missing else "bool", "int": "Int64" if missing else "int64", "float": "float64"}
        empty = "object" if all(cell is None for cell in cells) else None  # pandas infers the type of text itself
        frame[column] = library.Series(cells, dtype=types.get(kind, empty))
    return library.DataFrame(frame, index=range(len(rows)))


def _column(cells: list) -> tuple[str, list]:
    """Return the type of a column, and its cells in that type."""
    cells = [None if is_null(cell) else plain(cell) for cell in cells]
    types = {type(cell) for cell in cells if cell is not None}
    if types == {bool}:
        return "bool", cells
    if types == {int} and all(cell is None or -(2**63) <= cell < 2**63 for cell in cells):
        return "int", cells
    if types and types <= {int, float}:
        exact = all(not isinstance(cell, int) or abs(cell) <= 2**53 for cell in cells)
        if exact:
            return "float", [None if cell is None else float(cell) for cell in cells]
    return "text", [cell if cell is None or isinstance(cell, str) else _text(cell) for cell in cells]


def _text(cell: Any) -> str:
    return cell.isoformat() if hasattr(cell, "isoformat") else dumps(cell)


def _cell(cell: Any) -> Any:
    """Return a cell as it is; None if it is missing, and text for a list or an object."""
    if is_null(cell):
        return None
    cell = plain(cell)
    return dumps(cell) if isinstance(cell, list | tuple | dict | set) else cell


def rows_of_frame(data: Any) -> list[dict]:
    """Return a DataFrame of any library that narwhals supports, or a list of dicts or texts, as dicts.

    A missing cell is None.
    """
    if is_frame(data):
        import narwhals.stable.v1 as nw

        rows: Any = nw.from_native(data, eager_only=True).iter_rows(named=True)
    elif isinstance(data, Iterable) and not isinstance(data, str | Mapping):
        rows = [{"text": row} if isinstance(row, str) else row for row in data]
    else:
        raise TypeError(f"data must be a DataFrame, a list of dicts or a list of texts. Got {type(data).__name__}.")
    return [{str(k): None if is_null(v) else plain(v) for k, v in row.items()} for row in rows]
