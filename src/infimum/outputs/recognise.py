"""Recognise the output type of a cell by its notation."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from ..data.errors import InputError
from .numbers.text import parse_interval

TAG = re.compile(r"[+-][^\s+\-,][^\s,]*")
QUOTED = re.compile(r'(?<=[+-])"[^"]*"')
NEXT_TAG = re.compile(r"[+-][^\s,]+")


def kind_of(cell: Any) -> str:
    """Return "labels", "tags", "ranking" or "number", the output type that a cell looks like.

    >>> [kind_of(cell) for cell in ("cat|dog", ">=3", "+red -round", "a>b>c", (1, 2), {"red": True}, {"cat", "dog"})]
    ['labels', 'number', 'tags', 'ranking', 'number', 'tags', 'labels']
    """
    if isinstance(cell, bool | set | frozenset):
        return "labels"
    if isinstance(cell, int | float | tuple):
        return "number"
    if isinstance(cell, dict):
        return "tags"
    if isinstance(cell, list):
        return "ranking"
    text = str(cell)
    if _is_interval(text):
        return "number"
    first, *others = re.split(r"[\s,]+", QUOTED.sub("tag", text.strip()))
    if TAG.fullmatch(first) and all(NEXT_TAG.fullmatch(part) for part in others):
        return "tags"
    return "ranking" if _is_comparison(text) else "labels"


def _is_interval(text: str) -> bool:
    """Whether a text is a number or an interval as people write it."""
    if not any(letter.isdigit() for letter in text):
        return False
    try:
        parse_interval(text)
    except InputError:
        return False
    return True


def _is_comparison(text: str) -> bool:
    """Whether a text has an item, then one "<", ">" or "≻", then another item."""
    return any(a.replace("=", "").strip() and b[:1] not in ("", "=") for a, b in pairwise(re.split("[<>≻]", text)))
