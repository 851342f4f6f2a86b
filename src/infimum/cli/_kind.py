"""What a target column holds, recognised by how its cells are written; asked for where that could be two things."""

from __future__ import annotations

import re
from typing import Any

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[+-]?inf"
PIECE = rf"(?:{NUMBER})|[\[(]\s*(?:{NUMBER})?\s*,\s*(?:{NUMBER})?\s*[\])]|(?:>=?|<=?|≥|≤)\s*(?:{NUMBER})"
NUMBERS = re.compile(rf"\s*(?:{PIECE})(?:\s*\|\s*(?:{PIECE}))*\s*")
WHOLE = re.compile(r"\s*!?[+-]?\d+(?:\s*\|\s*[+-]?\d+)*\s*")
TAGS = re.compile(r"\s*[+-][^\s+\-,][^\s,]*(?:[\s,]+[+-][^\s,]+)*\s*")
ORDER = re.compile(r"[^<>]*[^<>=\s][^<>]*[<>][^<>=]")


def recognise(source: str, target: str, cells: list, places: list[str]) -> str:
    """"labels", "tags", "order" or "number"; an error where the cells could be two of them, or are of several kinds.

    >>> recognise("a.csv", "y", ["cat|dog", "!cat", None], ["line 2", "line 3", "line 4"])
    'labels'
    >>> recognise("a.csv", "y", ["[1,2]", ">=3", "2.5"], ["line 2", "line 3", "line 4"])
    'number'
    >>> recognise("a.csv", "y", ["+red -round", "-red"], ["line 2", "line 3"])
    'tags'
    >>> recognise("a.csv", "y", ["a>b>c, d>e", "a>{b,c}"], ["line 2", "line 3"])
    'order'
    """
    known = [(place, cell) for place, cell in zip(places, cells) if cell is not None]
    if not known:
        raise ValueError(f"{source}: the column {target!r} is empty: there is nothing to learn from.")
    if all(_is_whole(cell) for _, cell in known):
        raise ValueError(
            f"{source}: the column {target!r} holds whole numbers, such as {known[0][1]!r} ({known[0][0]}), which are"
            " names of classes in one table and numbers in another. Say --kind labels or --kind number."
        )
    kinds = [(place, cell, _kind(cell)) for place, cell in known]
    found = list(dict.fromkeys(kind for *_, kind in kinds))
    if len(found) == 1:
        return found[0]
    examples = [next((place, cell) for place, cell, kind in kinds if kind == each) for each in found]
    said = "; ".join(f"{place}: {cell!r} looks like {kind}" for (place, cell), kind in zip(examples, found))
    raise ValueError(
        f"{source}: the cells of the column {target!r} are written in several ways. {said}. Say which with --kind."
    )


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, str):
        return WHOLE.fullmatch(cell) is not None
    return isinstance(cell, int) and not isinstance(cell, bool)


def _kind(cell: Any) -> str:
    if isinstance(cell, bool):
        return "labels"
    if isinstance(cell, int | float):
        return "number"
    text = str(cell)
    if NUMBERS.fullmatch(text):
        return "number"
    if TAGS.fullmatch(text):
        return "tags"
    return "order" if ORDER.search(text) else "labels"
