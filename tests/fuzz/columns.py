"""The containers a column may come in: each takes a list of cells and writes them again, whole or some rows only."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa


@dataclass(frozen=True)
class Container:
    name: str
    write: Callable[[list], Any]
    holds: Callable[[list], bool] = lambda cells: True
    verdict: str = "answer"

    def __repr__(self) -> str:
        return self.name


def missing(cell: Any) -> bool:
    """Whether a cell is one of the spellings of nothing."""
    if cell is None or cell is pd.NA or cell is pd.NaT:
        return True
    if isinstance(cell, (float, np.floating, decimal.Decimal)):
        return cell != cell
    return isinstance(cell, str) and cell == ""


def only(*kinds: type) -> Callable[[list], bool]:
    """Every cell is of one of these very types, or missing; and one is not missing."""

    def holds(cells: list) -> bool:
        return all(missing(c) or type(c) in kinds for c in cells)

    return holds


def blank(cells: list, by: Any = None) -> list:
    return [by if missing(c) else c for c in cells]


def objects(cells: list) -> np.ndarray:
    out = np.empty(len(cells), dtype=object)
    for i, cell in enumerate(cells):
        out[i] = cell
    return out


def masked(cells: list, fill: Any) -> np.ma.MaskedArray:
    return np.ma.array(blank(cells, fill), mask=[missing(c) for c in cells])


def odd_index(n: int) -> list[int]:
    """An index that is no position: a reader that looks rows up by label finds the wrong ones."""
    return [7 * n - 3 * i for i in range(n)]


def lists(cells: list) -> list | None:
    """Every cell as a list, or None where missing."""
    return [None if missing(c) else sorted(c) if isinstance(c, (set, frozenset, list)) else [c] for c in cells]


ANY = [
    Container("list", list),
    Container("tuple", tuple),
    Container("generator", lambda cells: (c for c in cells)),
    Container("object array", objects),
    Container("object Series", lambda cells: pd.Series(objects(cells), dtype=object)),
    Container("object Series, odd index", lambda c: pd.Series(objects(c), dtype=object, index=odd_index(len(c)))),
    Container("polars Object", lambda cells: pl.Series("y", cells, dtype=pl.Object), verdict="either"),
    Container("one-column frame", lambda cells: pd.DataFrame({"y": objects(cells)})),
]

is_text = only(str)


def fits_numpy(cells: list) -> bool:
    """Text that a NumPy array of fixed width gives back: it drops NULs at the end before anybody can read them."""
    return is_text(cells) and not any(isinstance(c, str) and c.endswith("\0") for c in cells)


TEXT = [
    Container("str array", lambda cells: np.array(blank(cells, ""), dtype=str), fits_numpy),
    Container("StringDType array", lambda c: np.array(blank(c, ""), dtype=np.dtypes.StringDType()), is_text, "either"),
    Container("masked str array", lambda cells: masked(cells, "zz"), fits_numpy),
    Container("string Series", lambda c: pd.Series(blank(c), dtype="string", index=odd_index(len(c))), is_text),
    Container("str Series", lambda cells: pd.Series(blank(cells, ""), dtype="str"), is_text),
    Container("Arrow string Series", lambda c: pd.Series(blank(c), dtype=pd.ArrowDtype(pa.string())), is_text),
    Container("category Series", lambda cells: pd.Series(blank(cells), dtype="category"), is_text),
    Container("polars String", lambda cells: pl.Series("y", blank(cells), dtype=pl.String), is_text),
    Container("polars Categorical", lambda cells: pl.Series("y", blank(cells), dtype=pl.Categorical), is_text),
    Container(
        "polars Enum",
        lambda cells: pl.Series("y", blank(cells), dtype=pl.Enum(sorted({c for c in cells if not missing(c)}))),
        is_text,
    ),
    Container("polars frame", lambda cells: pl.DataFrame({"y": blank(cells)}), is_text),
]

is_int = only(int)


def full(kind: type) -> Callable[[list], bool]:
    return lambda cells: all(type(c) is kind for c in cells)


def small(cells: list) -> bool:
    return is_int(cells) and all(missing(c) or abs(c) <= 2**53 for c in cells)


INT = [
    Container("int array", lambda cells: np.array(cells, dtype=np.int64), full(int)),
    Container("masked int array", lambda cells: masked(cells, 77), is_int),
    Container("float array with NaN", lambda cells: np.array(blank(cells, np.nan), dtype=float), small),
    Container("Int64 Series", lambda cells: pd.Series(pd.array(blank(cells, pd.NA), dtype="Int64")), is_int),
    Container("Arrow int Series", lambda c: pd.Series(blank(c), dtype=pd.ArrowDtype(pa.int64())), is_int),
    Container("int category", lambda c: pd.Series(pd.Categorical(blank(c))), full(int)),
    Container("polars Int64", lambda cells: pl.Series("y", blank(cells), dtype=pl.Int64), is_int),
]

is_bool = only(bool)
BOOL = [
    Container("bool array", lambda cells: np.array(cells, dtype=bool), full(bool)),
    Container("masked bool array", lambda cells: masked(cells, False), is_bool),
    Container("boolean Series", lambda c: pd.Series(pd.array(blank(c, pd.NA), dtype="boolean")), is_bool),
    Container("polars Boolean", lambda cells: pl.Series("y", blank(cells), dtype=pl.Boolean), is_bool),
]

is_date = only(datetime.date)
DATE = [
    Container("M8[D] array", lambda cells: np.array(blank(cells, "NaT"), dtype="M8[D]"), is_date),
    Container("M8[ns] array", lambda cells: np.array(blank(cells, "NaT"), dtype="M8[ns]"), is_date),
    Container("datetime Series", lambda c: pd.Series(pd.to_datetime(pd.Series(blank(c)))), is_date),
    Container("Arrow date Series", lambda c: pd.Series(blank(c), dtype=pd.ArrowDtype(pa.date32())), is_date, "either"),
    Container("polars Date", lambda cells: pl.Series("y", blank(cells), dtype=pl.Date), is_date, "either"),
]


def of_lists(cells: list) -> bool:
    """Lists of names; a text that speaks of several names is not one name."""

    def fits(cell: Any) -> bool:
        if isinstance(cell, str):
            return not set(cell) & set("|!")
        return type(cell) in (set, list, frozenset) and all(type(v) is str for v in cell)

    return all(missing(c) or fits(c) for c in cells)


LIST = [
    Container("polars List", lambda c: pl.Series("y", lists(c), dtype=pl.List(pl.String)), of_lists),
    Container("Arrow list Series", lambda c: pd.Series(lists(c), dtype=pd.ArrowDtype(pa.list_(pa.string()))), of_lists),
]


def homes(cells: list, kinds: list[Container]) -> list[Container]:
    """The containers that hold these cells."""
    return [c for c in kinds if c.holds(cells)]
