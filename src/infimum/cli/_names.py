"""The options that concern the names of classes, tags and items, as they are written on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from ..data.blanks import stripped
from ..io._names import Naming
from ._options import TableOptions

NAME = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'(?=\s*(?:,|$))|([^,]*))\s*(?:,|$)""")


def names_in_list(text: str) -> list[str]:
    """Return the names of a comma-separated list; names in quotes may contain commas.

    >>> names_in_list('billing, "shipping, damaged", don\\'t know')
    ['billing', 'shipping, damaged', "don't know"]
    """
    names = (stripped(next(filter(None, found.groups()), "")) for found in NAME.finditer(text))
    return [name for name in names if name]


def class_list(text: str | None) -> list[str] | None:
    """Return the names that --classes lists: those of a file, one per line, or of a comma-separated list."""
    if text is None or not stripped(text):
        return None
    try:
        is_file = Path(text).is_file()
    except (OSError, ValueError):  # a list can be too long for the name of a file
        is_file = False
    try:
        lines = Path(text).read_text(encoding="utf-8-sig").splitlines() if is_file else None
    except UnicodeDecodeError:
        raise ValueError(f"--classes: the file {text} is not text in UTF-8.") from None
    names = names_in_list(text) if lines is None else [name for name in map(stripped, lines) if name]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(
            f"--classes must list distinct names. Got {', '.join(map(repr, twice))} twice. Put names that contain"
            " commas in quotes, or write one name per line of a file."
        )
    return names


def naming(options: TableOptions) -> Naming:
    """Return the options as the readers of tables take them."""
    separator = options.separator
    if separator is not None and (not stripped(separator) or separator in ("|", "!")):
        raise ValueError(f"--separator must be text other than '|', '!' and blanks. Got {separator!r}.")
    return Naming(class_list(options.classes), separator, options.merge_classes)
