"""Text cells that list several names, such as ``bar|home``, if the caller says what several names mean."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import Any

from ..data.blanks import stripped
from ..data.errors import is_missing, shown
from ..outputs.recognise import kind_of
from ._files import BadRecords
from ._load import Loaded
from ._meaning import KINDS, Choices, MeaningError, ReadOptions, Verbatim, ambiguous
from ._table_cells import REAL

USUAL = ("|", ";", ",", "/", "\n")
"""Separators that people put between names; the first is that of the library."""


def with_meaning(options: ReadOptions, kind: str | None) -> ReadOptions:
    """Return the options with the meaning that tags with `unticked` imply; raise an error if meaning and kind differ.

    >>> with_meaning(ReadOptions(unticked="no"), "tags").meaning
    'all_of'
    """
    if options.meaning is None:
        implied = options.unticked is not None and kind == "tags"
        return replace(options, meaning="all_of") if implied else options
    needed = KINDS[options.meaning]
    if kind not in (None, needed):
        raise MeaningError(
            f'meaning="{options.meaning}" reads the target as {needed}. Got kind="{kind}". Pass kind="{needed}", or'
            ' leave out one of the two. Other meanings of several names: one of them is the label (meaning="one_of"),'
            ' all of them are tags (meaning="all_of" or meaning="known_tags"), they are in order (meaning="order").',
            "kind",
        )
    return options


def is_split(options: ReadOptions) -> bool:
    """Whether a text is a list of tags or items; candidates of labels have a notation of their own, ``cat|dog``."""
    return options.meaning is not None and KINDS[options.meaning] != "labels"


def joined_ranks(loaded: Loaded, target: Any, kind: str | None, options: ReadOptions) -> tuple[Loaded, Any]:
    """Return a table in which several target columns of items, best first, are one column of lists, and its name.

    Columns of ranks, which contain numbers, stay as they are. A row without a first item is unlabelled, and of an item
    that occurs again only the first place counts.
    """
    if isinstance(target, str) or kind != "ranking" or not target:
        return loaded, target
    rows = [[row.value.get(name) for name in target] for row in loaded.rows]
    cells = [cell for row in rows for cell in row if not is_missing(cell)]
    if not cells or any(not isinstance(cell, str) or REAL.fullmatch(cell.strip()) for cell in cells):
        return loaded, target
    items = {stripped(cell): None for cell in cells}
    joined = [
        None if is_missing(row[0]) else list(dict.fromkeys(stripped(cell) for cell in row if not is_missing(cell)))
        for row in rows
    ]
    partly = [(row.place, cell) for row, cell in zip(loaded.rows, joined) if cell and len(cell) < len(items)]
    if partly and options.meaning is None:
        choices: Choices = {
            'meaning="order"': lambda cell: Verbatim(">".join(cell)),
            'meaning="top"': lambda cell: Verbatim(
                ">".join([*cell, "{" + ",".join(item for item in items if item not in cell) + "}"])
            ),
        }
        question = "whether the other items come after those that a row names"
        raise ambiguous(loaded.name, "meaning", question, partly, choices)
    first, others = target[0], set(target[1:])
    new = [
        row._replace(value={name: v for name, v in row.value.items() if name not in others} | {first: cell})
        for row, cell in zip(loaded.rows, joined)
    ]
    return loaded._replace(rows=new, columns=[name for name in loaded.columns if name not in others]), first


def with_lists(loaded: Loaded, target: str, kind: str | None, options: ReadOptions) -> tuple[Loaded, ReadOptions]:
    """Return a table whose target column contains lists of names instead of text, and what the lists mean.

    Names are separated by "|" and by ``options.separator``. Names in ``options.classes`` are not split. The table is
    returned as it is if `meaning` is not set, except for a column of tags that lists names without signs.
    """
    options = with_meaning(options, kind)
    cells = [row.value.get(target) for row in loaded.rows]
    if options.meaning is None and options.unticked is not None and not any(isinstance(cell, list) for cell in cells):
        raise MeaningError(
            f'{loaded.name}: unticked="{options.unticked}" is about tags that a cell does not list, but the column'
            f' {target!r} is not read as tags. Pass meaning="all_of", too.',
            "meaning",
        )
    if options.meaning is None and kind == "tags" and _has_unsigned_lists(cells):
        options = replace(options, meaning="all_of")  # an error then asks what tags mean that a cell does not list
    return (_split(loaded, target, options) if is_split(options) else loaded), options


def _has_unsigned_lists(cells: list) -> bool:
    """Whether some cells are names between separators, and no cell marks tags as present or absent."""
    texts = [cell for cell in cells if isinstance(cell, str)]
    return any(set(USUAL) & set(text) for text in texts) and not any(kind_of(text) == "tags" for text in texts)


def _split(loaded: Loaded, target: str, options: ReadOptions) -> Loaded:
    known = set(options.classes or ())
    separators = ["|", *([options.separator] if options.separator else [])]
    cut = re.compile("|".join(map(re.escape, separators)))
    kind, bad, rows, whole = KINDS[str(options.meaning)], BadRecords(loaded.name), [], []
    for row in loaded.rows:
        cell = row.value.get(target)
        if isinstance(cell, str) and not is_missing(cell):
            if kind_of(cell) == kind:
                bad.add(row.place, f"{shown(cell)} is written as {kind} already")
            one = stripped(cell)
            names = [one] if one in known else [name for name in map(stripped, cut.split(cell)) if name]
            whole += [(row.place, one)] if names == [one] and one not in known else []
            cell = list(dict.fromkeys(names)) if kind == "tags" else names
        rows.append(row._replace(value={**row.value, target: cell}))
    expected = f'meaning="{options.meaning}" expects names, separated by "|"'
    bad.raise_if_any(f"{expected}. Leave it out, or correct the cells.")
    if len(whole) == sum(isinstance(row.value[target], list) for row in rows):
        _check_separator(loaded.name, target, whole)
    return loaded._replace(rows=rows)


def _check_separator(source: str, target: str, cells: list[tuple[str, Any]]) -> None:
    """Raise an error if no cell has several names, and many contain a sign that usually separates names."""
    counts = Counter({sign: sum(sign in cell for _, cell in cells) for sign in USUAL[1:]})
    for sign, count in counts.most_common(1):
        if count:
            place, cell = next((place, cell) for place, cell in cells if sign in cell)
            raise MeaningError(
                f'{source}: no cell of the column {target!r} contains "|", which separates names, but {count} contain'
                f" {sign!r}, such as {shown(cell)} ({place.removeprefix(f'{source}, ')}). If it separates names, pass"
                f' separator="{sign}". Otherwise list all names with classes=….',
                "separator",
            )
