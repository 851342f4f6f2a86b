"""Products as cells: one cell per output, {"species": "cat", "weight": (3, 5)}; as text JSON of the texts of each.

y is a DataFrame with one column per output, a mapping of columns, a list of cells, or an array with one column per
output.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.chunks import n_rows
from ...data.errors import BadRows, InputError, is_missing, listed, shown
from ...data.inputs import is_frame
from ..cells import CellFormat
from ..recognise import kind_of
from .sets import ProductSets

FORMS = 'Pass y as a DataFrame, as a mapping {"species": […], "weight": […]}, or as a list of such mappings.'
KEPT = ("category", "string", "str", "boolean", "Int64", "Int32", "float32", "Float32", "Float64")
"""Types of pandas columns that predictions of the same output get, too."""


class ProductCells(CellFormat):
    """Cells of several outputs.

    >>> from infimum.outputs import Product
    >>> space = Product(species="labels", weight="number")
    >>> text = space.cells_to_text([{"species": {"cat", "dog"}, "weight": (3, 5)}, None])
    >>> text, space.text_to_cells(text)[0]["species"]
    (['{"species": "cat|dog", "weight": "[3,5]"}', None], 'cat|dog')
    """

    spaces_: dict[str, Any]

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        """Return a space whose outputs have the types that their cells look like."""
        found: dict[str, set[str]] = {}
        parsed: dict[str, list] = {}
        for cell in cells:
            row = _object(cell) if isinstance(cell, str) else {} if cell is None else cell
            for name, value in row.items():
                if not is_missing(value):
                    found.setdefault(name, set()).add(kind_of(value))
                    parsed.setdefault(name, []).append(value)
        unclear = {name: kinds for name, kinds in found.items() if len(kinds) > 1}
        if unclear or not found:
            raise InputError(f"The type of these outputs is not clear: {unclear or 'there are no labelled rows'}.")
        from .. import OUTPUT_TYPES

        return cls({name: OUTPUT_TYPES[kind].for_cells(parsed[name]) for name, (kind,) in found.items()})  # type: ignore[call-arg]

    def to_cells(self, sets: Any) -> list:
        columns = {name: space.to_cells(sets.parts[name]) for name, space in self.spaces_.items()}
        rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
        return [None if all(cell is None for cell in row.values()) else row for row in rows]

    def outputs_to_cells(self, z: Any) -> list:
        columns = columns_of(z, list(self.spaces_))
        return [dict(zip(columns, row)) for row in zip(*(map(_plain, column) for column in columns.values()))]

    def from_cells(self, cells: list) -> Any:
        columns = columns_of(cells, self._names())  # type: ignore[attr-defined]
        return {name: space.from_cells(columns[name]) for name, space in self._spaces().items()}

    def _spaces(self) -> dict[str, Any]:
        return vars(self).get("spaces_") or self._unfitted(None)  # type: ignore[attr-defined]

    def text_to_cells(self, cells: list) -> list:
        """Return the cells that texts stand for, also if only the outputs of a row are texts."""
        return super().text_to_cells([json.dumps(c) if isinstance(c, dict) and _is_text(c) else c for c in cells])

    def _to_text(self, cell: Any) -> str:
        spaces = self._spaces()
        found = {name: spaces[name].cells_to_text([part])[0] for name, part in cell.items()}
        return json.dumps(found, ensure_ascii=False)

    def _from_text(self, text: str) -> Any:
        spaces = self._spaces()
        return {name: spaces[name].text_to_cells([part])[0] for name, part in _object(text).items() if name in spaces}

    def readable(self, z: NDArray) -> NDArray:
        """Return the outputs of each row as cells, (n, K)."""
        parts = self.layout_.split_outputs(z)  # type: ignore[attr-defined]
        found = np.empty((len(z), len(parts)), dtype=object)
        for k, (space, own) in enumerate(zip(self.spaces_.values(), parts)):
            named = space.readable(own)
            found[:, k] = list(named) if np.ndim(named) == 1 else _objects(space.outputs_to_cells(named))
        return found

    def tabulate(self, named: NDArray) -> Any:
        """Return outputs as a DataFrame with one column per output, of the library and the types of y."""
        columns = {name: list(map(_plain, column)) for name, column in zip(self.spaces_, named.T)}
        dtypes = {
            name: kind
            for name, kind in self.dtypes_.items()  # type: ignore[attr-defined]
            # intervals may be texts, and their predictions are numbers
            if kind.lower().startswith("float") == all(isinstance(value, float) for value in columns[name])
        }
        if self.library_ == "polars":  # type: ignore[attr-defined]
            import polars

            return polars.DataFrame(columns).cast({name: getattr(polars, kind) for name, kind in dtypes.items()})
        try:
            import pandas
        except ImportError as error:
            raise ImportError(
                "Predictions of several outputs are a pandas DataFrame. Install it with pip install pandas, or pass"
                " y as a polars DataFrame."
            ) from error
        return pandas.DataFrame(columns).astype(dtypes)


def columns_of(y: Any, names: list[str]) -> dict[str, Any]:
    """Return the columns of y by the names of the outputs; raise an error if some are missing or unknown."""
    if isinstance(y, ProductSets):
        found: dict[Any, Any] = y.parts
    elif isinstance(y, Mapping):
        found = dict(y)
    elif is_frame(y):
        found = {name: y[name] for name in y.columns}
    elif isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] == len(names):
        found = {name: _stacked(y[:, k].tolist()) for k, name in enumerate(names)}
    elif isinstance(y, list | tuple | np.ndarray) and all(isinstance(row, Mapping) or is_missing(row) for row in y):
        found = _of_records(list(y), names)
    else:
        raise InputError(f"y must have one column per output ({listed(names)}). Got {shown(y)}. {FORMS}")
    missing, unknown = [name for name in names if name not in found], [name for name in found if name not in names]
    if missing or unknown:
        raise InputError(
            f"The columns of y must be the outputs {listed(names)}."
            + (f" Missing: {listed(missing)}." if missing else "")
            + (f" Unknown: {listed(unknown)}. Drop them, or add their output space." if unknown else "")
        )
    lengths = {name: n_rows(found[name]) for name in names}
    if len(set(lengths.values())) > 1:
        raise InputError(f"All outputs must have the same number of rows. Got {lengths}.")
    return {name: found[name] for name in names}


def _of_records(rows: list, names: list[str]) -> dict[str, list]:
    bad = BadRows("y")
    for k, row in enumerate(rows):
        unknown = [] if is_missing(row) else [name for name in row if name not in names]
        if unknown:
            bad.add(k, f"there is no output {listed(unknown)}", row)
    bad.raise_if_any(f"The outputs are {listed(names)}. An output that is not in a row is unknown there.")
    return {name: [None if is_missing(row) else row.get(name) for row in rows] for name in names}


def head_of(column: Any, n: int) -> Any:
    """Return the first rows of a column of any container."""
    return column.iloc[:n] if hasattr(column, "iloc") else column[:n]


def library_of(y: Any) -> str:
    """Return the library of a DataFrame, pandas for other containers."""
    return "polars" if type(y).__module__.partition(".")[0] == "polars" else "pandas"


def dtypes_of(y: Any) -> dict[str, str]:
    """Return the types of the columns of a DataFrame that predictions should have, too."""
    if not is_frame(y) or not hasattr(y, "dtypes"):
        return {}
    if library_of(y) == "polars":
        return {name: str(kind) for name, kind in y.schema.items() if str(kind) in ("Float32", "Categorical")}
    return {name: str(kind) for name, kind in y.dtypes.items() if str(kind) in KEPT}


def _object(text: str) -> dict:
    found = CellFormat._from_text(CellFormat(), text)
    if not isinstance(found, dict):
        raise InputError(f'expected JSON such as {{"species": "cat", "weight": "[3,5]"}}, got {shown(text)}')
    return found


def _is_text(cell: dict) -> bool:
    return all(isinstance(value, str | int | float) or value is None for value in cell.values())


def _stacked(cells: list) -> Any:
    """Return lists of equal length as an array of objects, which are outputs and not sets of outputs."""
    return np.array(cells, dtype=object) if all(isinstance(cell, list) for cell in cells) else cells


def _objects(cells: list) -> NDArray:
    found = np.empty(len(cells), dtype=object)
    found[:] = cells
    return found


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value
