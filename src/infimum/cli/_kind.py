"""Recognise the output type of a target column by the notation of its cells; raise an error if two types fit."""

from __future__ import annotations

import math
import re
import shlex
import warnings
import zlib
from collections.abc import Mapping
from heapq import nsmallest
from itertools import pairwise
from typing import Any

from ..data.errors import InfimumWarning, shown
from ..data.numerals import missing_code
from ..outputs.numbers.text import parse_interval
from ..outputs.recognise import kind_of

INTEGER = re.compile(r"[+-]?\d+")

DOUBT = re.compile(
    r"(i'?m )?(not sure|unsure|uncertain)|(i )?(do not|don'?t|dont) know|dunno|no idea"
    r"|(can ?not|can'?t) (tell|say|decide)|unclear|no answer|skip(ped)?|not available|not applicable"
    r"|n\.? ?/? ?a\.?|\?+|(i )?(would )?(prefer|rather) not( to)? (say|answer)|no response|not stated"
    r"|keine angabe|k\. ?a\.|wei(ß|ss) (ich )?nicht",
    re.IGNORECASE,
)
"""Names by which annotators say that they have no answer."""

FEW_WORDS = 3
"""Different words among numbers, up to which they probably mean that there is no value."""

SAMPLE = 5000
"""Distinct cells by which the output type is recognised: 5,000 intervals take about a second."""


def _hash(text: str) -> tuple[int, str]:
    return zlib.crc32(text.encode("utf-8", "surrogatepass")), text


def recognise(source: str, target: str, cells: list, places: list[str]) -> str:
    """Return "labels", "tags", "ranking" or "number"; raise ValueError if the cells fit two types, or several.

    >>> recognise("a.csv", "y", ["cat|dog", "!cat", None], ["line 2", "line 3", "line 4"])
    'labels'
    >>> recognise("a.csv", "y", ["[1,2]", ">=3", "2.5"], ["line 2", "line 3", "line 4"])
    'number'
    >>> recognise("a.csv", "y", ["+red -round", "-red"], ["line 2", "line 3"])
    'tags'
    >>> recognise("a.csv", "y", ["a>b>c, d>e", "a>{b,c}"], ["line 2", "line 3"])
    'ranking'
    >>> recognise("a.csv", "y", ["a ≻ b", "a ~ b"], ["line 2", "line 3"])
    'ranking'
    """
    distinct: dict[str, int] = {}
    for row, cell in enumerate(cells):
        if cell is not None:
            distinct.setdefault(str(cell), row)
    # which cells are in the sample depends neither on the order of the rows nor on how often a cell occurs
    sample = sorted(distinct[text] for text in nsmallest(SAMPLE, distinct, key=_hash))
    labelled = [(places[row], cells[row]) for row in sample]
    if not labelled:
        raise ValueError(f"{source}: the column {target!r} is empty. Training requires labelled rows.")
    if all(_is_integer(cell) for _, cell in labelled):
        raise ValueError(
            f"{source}: the column {target!r} contains integers, such as {shown(labelled[0][1])} ({labelled[0][0]}),"
            " which can be names of classes or numbers. Pass --kind labels or --kind number."
        )
    kinds = [(place, cell, kind_of(cell)) for place, cell in labelled]
    found = list(dict.fromkeys(kind for *_, kind in kinds))
    ties = all(_is_tie(str(cell)) for _, cell, kind in kinds if kind == "labels")
    if set(found) == {"ranking", "labels"} and ties:
        return "ranking"
    if found == ["number"]:
        _check_missing_code(source, target, [cell for cell in cells if cell is not None])
    if len(found) == 1:
        return found[0]
    first = [next((place, cell) for place, cell, kind in kinds if kind == each) for each in found]
    examples = "; ".join(f"{place}: {shown(cell)} looks like {kind}" for (place, cell), kind in zip(first, found))
    labels = {str(cell).strip() for _, cell, kind in kinds if kind == "labels"}
    words = sorted(filter(DOUBT.fullmatch, labels))
    if {*found} == {"number", "labels"} and len(labels) <= FEW_WORDS:
        words = sorted(labels)  # such as ND among measurements
    missing = " ".join(f"--missing {_quoted(word)}" for word in words)
    raise ValueError(
        f"{source}: the cells of the column {target!r} are written in several ways. {examples}. Choose with --kind."
        + (f" If words mean that there is no answer, pass {missing}." if words else "")
    )


def warn_of_doubts(names: Mapping[str, list[int]]) -> None:
    """Warn about classes that probably mean that there is no answer, with the option that makes them empty cells."""
    found = {name: len(rows) for name, rows in names.items() if DOUBT.fullmatch(name.strip())}
    if found:
        listed = ", ".join(f"{name!r} ({count} cells)" for name, count in found.items())
        options = " ".join(f"--missing {_quoted(name)}" for name in found)
        warnings.warn(
            f"The target contains {listed}, read as a class like others. If it means that there is no answer, pass"
            f" {options}. Otherwise list all classes with --classes.",
            InfimumWarning,
            stacklevel=2,
        )


def _check_missing_code(source: str, target: str, cells: list) -> None:
    """Raise ValueError if a number such as -1 probably stands for an empty cell."""
    values = [v for cell in cells for ends in parse_interval(str(cell)) for v in {*ends} if math.isfinite(v)]
    code = missing_code(values)
    if code is not None:
        far = "its only negative number" if code < 0 else "which is far from its other numbers"
        raise ValueError(
            f"{source}: {values.count(code)} cells of the column {target!r} are {code:g}, {far}. If"
            f" they mean that the number is missing, pass --missing {code:g}. Otherwise pass --kind number."
        )


def _quoted(text: str) -> str:
    """Return a text as one word of a command, in double quotes if a shell reads these as they are."""
    return shlex.quote(text) if set(text) & set('"$`\\!') else f'"{text}"'


def _is_integer(cell: Any) -> bool:
    if isinstance(cell, str):
        return all(INTEGER.fullmatch(part.strip()) for part in cell.strip().removeprefix("!").split("|"))
    return isinstance(cell, int) and not isinstance(cell, bool)


def _is_tie(text: str) -> bool:
    """Whether a text has an item, then "~" or "=", then another item."""
    return any(a and b for a, b in pairwise(re.split("[~=]", text)))
