"""Formats of tags: signs, booleans, dictionaries, sets and lists of names, text, DataFrames."""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.blanks import BLANKS, stripped
from ...data.containers import Column, ValueTable, distinct, is_number, is_row, normalise_y, table_of
from ...data.errors import BadRows, InputError, Sample, TargetSummary, is_missing, listed, raise_for_rows, shown
from ...data.names import Names, key, plain
from ..base import Sets
from ..merging import UnknownNames, variants_of

FORMS = (
    'A row of y is {"red": True, "round": False}, {"red"}, ["red"], "+red -round", or a row of an (n, m) array with 1'
    " (present), -1 (absent), 0 or NaN (unknown), or None for an unlabelled row."
)
BOTH = (
    "False means absent in a table of booleans, and 0 means unknown in a table of numbers. If your 0 means absent, pass"
    " np.asarray(y).astype(bool). If it means unknown, write 1 for present and -1 for absent."
)
SEPARATORS = re.compile(f"[{re.escape(BLANKS)},;|]+")
TOKEN = re.compile(rf'([+\-−‐‑–]?)(?:"([^"]*)"(?=[{re.escape(BLANKS)},;|]|$)|([^{re.escape(BLANKS)},;|]+))')
"""A sign and a tag; a tag in double quotes may contain blanks and separators."""
MINUS = "-−‐‑–"
"""Signs of an absent tag: the hyphen, the minus sign that the library prints, and hyphens and dashes of editors."""
VALUES = {"0", "1", "-1", "0.0", "1.0", "-1.0", "true", "false", "nan", "none"}


@dataclass(frozen=True)
class Facts(TargetSummary):
    """Summary of a column of tags."""

    tables: dict[Any, Sample] = field(default_factory=dict)
    """Tables, by the names or the number of their columns."""
    kinds: dict[str, Sample] = field(default_factory=dict)
    """"booleans", "signs", "cells" or "sets", and the rows that are."""


def parse(y: Any) -> ValueTable | Column:
    """Return y as a table of booleans or of numbers, or as a column of cells."""
    found = normalise_y(y, FORMS)
    if sparse.issparse(found):
        dense = found.toarray()
        return ValueTable(dense, np.isnan(dense) if dense.dtype.kind == "f" else np.zeros(dense.shape, bool))
    if isinstance(found, np.ndarray):
        raise InputError(f"Tags need an (n, m) array, one column per tag. Got shape {found.shape}. {FORMS}")
    if isinstance(found, Column):
        if found.missing.all():
            return Column([None] * found.n, found.missing)
        if not found.typed:
            return _rows(found)
        if found.name is None:
            raise InputError(f"Tags need an (n, m) array, one column per tag. Got shape ({found.n},). {FORMS}")
        return ValueTable(found.cells[:, None], found.missing[:, None], (found.name,))
    if found.values.dtype != object:
        return found
    if found.missing.all():
        return ValueTable(np.full(found.missing.shape, np.nan), found.missing, found.names)
    if found.names is None and all(isinstance(v, str) for v in found.values[~found.missing].tolist()):
        return _rows(Column([found.row(k) for k in range(found.n)], np.zeros(found.n, bool)))
    return _typed(found)


def _rows(column: Column) -> ValueTable | Column:
    """Return a column of rows of booleans or numbers as a table, and any other column unchanged."""
    table = table_of(column)
    if table is None:
        numbers = [is_row(cell) and {type(plain(v)) for v in cell} <= {bool, int, float} for cell in column.cells]
        raise_for_rows(
            [some and len(cell) for some, cell in zip(numbers, column.cells)],
            lambda i: f"a row of {len(column.cells[i])} numbers beside other rows, got {shown(column.cells[i])}",
            f"Rows of numbers are all of one length; tags whose names are numbers go into a set, {{0, 2}}. {FORMS}",
        )
        return column
    values = table.values[~table.missing].tolist()
    if not any(isinstance(v, str | bytes) for v in values):
        return _typed(table)
    looks = {str(v).strip().lower() for v in values}
    if looks <= VALUES:
        raise InputError(
            f"Rows of {listed(sorted(looks))} are numbers or booleans written as text. Convert them:"
            " np.array(y, dtype=float), or np.array(y) == 'True'."
        )
    return column


def _typed(table: ValueTable) -> ValueTable:
    """Return a table of booleans or numbers; raise an error about rows that mix them or have other values."""
    if table.values.dtype != object:
        return table
    flags = np.array([[isinstance(v, bool | np.bool_) for v in row] for row in table.values])
    numbers = np.array([[is_number(type(v)) for v in row] for row in table.values])
    raise_for_rows(
        ~(flags | numbers | table.missing).all(axis=1),
        lambda row: f"expected True, False, 1, -1, 0 or nothing for every tag, got {shown(table.row(row))}",
        FORMS,
    )
    most = flags if flags.sum() >= (numbers & ~table.missing).sum() else numbers
    raise_for_rows(
        ~(most | table.missing).all(axis=1),
        lambda row: f"booleans and other values in one table, got {shown(table.row(row))}",
        f"{BOTH} {FORMS}",
    )
    return table


def signs(table: Any) -> NDArray:
    """Return a table of booleans or numbers as signs in {-1, 0, 1}, 0 if an entry is missing."""
    if not isinstance(table, ValueTable):
        table = parse(table)
    if not isinstance(table, ValueTable):
        raise InputError(f"Tags need an (n, m) array, one column per tag. {FORMS}")
    if table.values.dtype == bool:
        return np.where(table.missing, 0, np.where(table.values, 1, -1)).astype(np.int8)
    if table.values.dtype.kind not in "iuf":
        raise InputError(f"Tags need booleans or numbers. Got an array of {table.values.dtype}. {FORMS}")
    filled = np.where(table.missing, 0, table.values)
    wrong = ~np.isin(filled, (-1, 0, 1))
    raise_for_rows(
        wrong.any(axis=1), lambda row: f"expected 1, -1, 0 or NaN, got {shown(filled[row][wrong[row]][0])}", FORMS
    )
    return filled.astype(np.int8)


def tags_in(cell: Any) -> dict[Any, bool]:
    """Return the tags of one cell, and whether each is present.

    >>> tags_in({"red": -1, "round": None}), tags_in("+red -round"), tags_in(["red"])
    ({'red': False}, {'red': True, 'round': False}, {'red': True})
    >>> tags_in('+"none of these" -red')
    {'none of these': True, 'red': False}
    """
    if is_missing(cell):
        return {}
    if isinstance(cell, Mapping):
        return {stripped(tag): _is_present(tag, value) for tag, value in cell.items() if not is_missing(value)}
    if isinstance(cell, set | frozenset) or is_row(cell):
        for tag in cell:
            if is_missing(tag) or isinstance(tag, list | set | dict | np.ndarray | float):
                raise InputError(f"expected names of tags, got {shown(cell)}")
        return {stripped(plain(tag)): True for tag in cell}
    if isinstance(cell, str):
        known: dict[str, bool] = {}
        for tag, positive in _tokens(cell):
            if known.setdefault(tag, positive) != positive:
                raise InputError(f"the tag {shown(tag)} is both present and absent, got {shown(cell)}")
        return known
    raise InputError(f"expected tags, got {shown(cell)}")


def _is_present(tag: Any, value: Any) -> bool:
    """Return whether a value means that a tag is present: True for True and 1; False for False, 0 and -1."""
    if isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating) and value in (-1, 0, 1):
        return bool(value == 1)
    raise InputError(f"expected True, False, 1, 0 or -1 for the tag {shown(tag)}, got {shown(value)}")


def _tokens(text: str) -> list[tuple[str, bool]]:
    """Return the tags of text such as "+red -round", and whether each is present.

    The name of a tag with a sign continues after a space. A name in double quotes may contain any separator.

    >>> _tokens("+dark red -round"), _tokens("dark red")
    ([('dark red', True), ('round', False)], [('dark', True), ('red', True)])
    """
    found: list[tuple[str, bool]] = []
    continues, end = False, 0
    for match in TOKEN.finditer(text):
        sign, quoted, plain_name = match.groups(default="")
        between, end = text[end : match.start()], match.end()
        if continues and plain_name and not sign and not between.strip(" "):
            found[-1] = f"{found[-1][0]} {plain_name}", found[-1][1]
            continue
        name = stripped(quoted) or plain_name
        if not name or (not quoted and name[0] in f"+{MINUS}"):
            raise InputError(f"expected a tag after one sign, got {shown(text)}")
        found.append((name, not sign or sign not in MINUS))
        continues = bool(sign) and not quoted
    return found


def facts_of(y: Any) -> Facts:
    """Summarise y: its tags and its format."""
    if isinstance(y, Sets):
        if y.kind != "tags":
            raise InputError(f"Sets of tags are PartialTags or HammingBalls. Got {type(y).__name__}. {FORMS}")
        return Facts(len(y), tables={y.m: Sample(len(y))}, kinds={"sets": Sample(len(y))})  # type: ignore[attr-defined]
    found = parse(y)
    if isinstance(found, ValueTable):
        if not found.n:
            return Facts(0, tables={found.names or found.missing.shape[1]: Sample()})
        labelled = np.flatnonzero(~found.missing.all(axis=1))
        what = "booleans" if found.values.dtype == bool else "signs"
        sample = Sample(len(labelled), tuple((int(row), found.row(row)) for row in labelled[:10]))
        return Facts(
            found.n,
            tables={found.names or found.missing.shape[1]: sample},
            kinds={what: sample} if len(labelled) else {},
        )
    names: dict[Hashable, Any] = {}
    unread: list[tuple[int, str]] = []
    places = distinct(found)
    for k, cell in enumerate(places.cells):
        try:
            for tag in tags_in(cell):
                names.setdefault(key(tag), tag)
        except InputError as error:  # `read_cells` raises it
            unread += [(row, str(error)) for row in places.rows(k)]
    rows = np.flatnonzero(~found.missing)
    kinds = {"cells": Sample.of(rows, found.cells)} if len(rows) else {}
    return Facts(found.n, names, Facts.failures(unread), kinds=kinds)


def read_cells(column: Column, known: Names, strict: bool) -> NDArray:
    """Return (n, m) in {-1, 0, 1} from a column of cells."""
    cells, which = places = distinct(column)
    values = np.zeros((len(cells), len(known)), dtype=np.int8)
    bad, ignored = BadRows("y"), UnknownNames("tags", known.list)
    wrong: list[Any] = []
    for k, cell in enumerate(cells):
        try:
            tags = tags_in(cell)
        except InputError as error:
            bad.add_all(places.rows(k), str(error))
            continue
        for tag, positive in tags.items():
            if (at := known.find(tag)) is not None:
                values[k, at] = 1 if positive else -1
            elif strict:
                bad.add_all(places.rows(k), f"unknown tag {shown(tag)}")
                wrong.append(tag)
            else:
                ignored.add(places.rows(k), tag)
    bad.raise_if_any(f"{variants_of(wrong, known.list, 'tags')}The tags are {listed(known.list)}. {FORMS}")
    ignored.warn("They")
    return values[which]
