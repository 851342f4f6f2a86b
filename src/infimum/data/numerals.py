"""Numbers as people write them: decimal commas, thousands separators, currency signs, per cent, 10k."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

MISSING_WORDS = frozenset({
    "", "-", "--", "–", "—", ".", "?", "n/a", "n.a.", "na", "#n/a", "nan", "null", "none", "nil", "missing", "unknown",
    "not available", "not applicable", "no answer", "don't know", "dont know", "do not know", "refused",
    "non-applicable", "unknown / non-applicable", "prefer not to say", "prefer not to answer", "rather not say",
    "no response", "not stated", "k.a.", "k. a.", "keine angabe", "weiß nicht", "weiss nicht",
})  # fmt: skip
"""Text that stands for a missing number or date, in lower case."""

MISSING_CODES = (-1, -9, -99, -999, -9999, 99, 999, 9999)
"""Numbers that many files contain instead of an empty cell."""
FAR = 10
"""A positive code is at least this many times smaller than all other values, or larger. Ages up to 98 are no codes."""
FEW_VALUES = 5
"""Distinct values besides a missing code; with fewer, -1 may be a code of its own, as in -1, 0, 1."""

MULTIPLES = {
    "thousand": 1e3, "million": 1e6, "billion": 1e9, "mio": 1e6, "mn": 1e6, "bn": 1e9, "tsd": 1e3, "mrd": 1e9, "k": 1e3,
    "m": 1e6, "b": 1e9,
}  # fmt: skip
"""Factors that may follow a number: 10k, 1.5m, 2 million."""

# "5 m" are metres: one letter is a factor right after the digits only
MULTIPLE = "|".join(name if name not in "mb" else rf"(?<=\d){name}" for name in MULTIPLES)

CURRENCY = "$€£¥"
# a digit string is matched in one way only, so the patterns take linear time
PLAIN = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?")
GROUPED = {
    ".": re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?"),
    ",": re.compile(r"[+-]?[1-9]\d{0,2}(?:\.\d{3})+(?:,\d*)?"),
}
COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d{1,3})?")
ONE_GROUP = re.compile(r"[+-]?[1-9]\d{0,2}[,.]\d{3}")
UNIT_WORD = r"[a-zµμ°²³/]+"
MEASUREMENT = re.compile(rf"(?P<number>.*[\d.,]) ?(?P<unit>{UNIT_WORD})")
SIGNS = str.maketrans({"−": "-", "\u00a0": " ", "\u202f": " ", "\u2009": " ", "’": "'"})


def is_missing_word(text: str) -> bool:
    """Return whether a cell of text stands for a missing value.

    >>> [is_missing_word(cell) for cell in ("n/a", " NA ", "-", "0", "don't know")]
    [True, True, True, False, True]
    """
    return text.strip().casefold().replace("’", "'") in MISSING_WORDS


def parse_number(text: str, decimal: str = ".", unit: str = "") -> float | None:
    """Return the number that a text contains; None if it contains anything else.

    Currency signs, a per cent sign, thousands separators and the suffixes k, m and bn are understood. A per cent sign
    does not divide by 100: all cells of a column have the same unit.

    Parameters
    ----------
    text : str
        One number.
    decimal : {".", ","}, default "."
        The decimal mark of the column, see :func:`decimal_mark`. It decides cells such as "1,000", which allow two
        interpretations. Others, such as "0,5", are read as they are written.
    unit : str, default ""
        A unit that may follow the number, see :func:`split_unit`.

    Examples
    --------
    >>> [parse_number(text) for text in ("12", "$1,234.50", "10k", "7 %", "1e3", "-.5", "abc", "1 000")]
    [12.0, 1234.5, 10000.0, 7.0, 1000.0, -0.5, None, 1000.0]
    >>> parse_number("1.234,50", decimal=","), parse_number("0,125"), parse_number("1,125"), parse_number("1,125", ",")
    (1234.5, 0.125, 1125.0, 1.125)
    >>> parse_number("20.1 °C"), parse_number("20.1 °C", unit="°c")
    (None, 20.1)
    """
    core, factor = _without_units(text)
    if core is None:
        return None
    core = re.sub(r"(?<=\d)[ '](?=\d{3}(?!\d))", "", core)
    mark = mark_in(core) or decimal
    if GROUPED[mark].fullmatch(core):
        core = core.replace("," if mark == "." else ".", "")
    if mark == ",":
        core = core.replace(",", ".")
    if PLAIN.fullmatch(core):
        return float(core) * factor
    number, found = split_unit(text) if unit else ("", "")
    return parse_number(number, decimal) if found and found == unit else None


def split_unit(text: str) -> tuple[str, str]:
    """Return the number of a text and the word after it, in lower case; two empty texts if there is no such word.

    >>> split_unit("20.1 °C"), split_unit("5mg/L"), split_unit("12"), split_unit("12 Main Street")
    (('20.1', '°c'), ('5', 'mg/l'), ('', ''), ('', ''))
    """
    found = MEASUREMENT.fullmatch(text.translate(SIGNS).strip().lower())
    return (found["number"], found["unit"]) if found and parse_number(found["number"]) is not None else ("", "")


def mark_in(core: str) -> str | None:
    """Return the decimal mark of a number if it is certain; None without a mark, and if it may separate thousands.

    >>> [mark_in(text) for text in ("0,5", "1,234.5", "1,234,567", "1,234", "1.5", "0.125", "1.234", "7")]
    [',', '.', '.', None, '.', '.', None, None]
    """
    commas, points = core.count(","), core.count(".")
    if commas and points:
        last = "," if core.rfind(",") > core.rfind(".") else "."
        return last if core.count(last) == 1 else "."
    if commas > 1 or points > 1:
        return "." if commas else ","
    if (not commas and not points) or ONE_GROUP.fullmatch(core):
        return None
    return "," if commas else "."


def decimal_mark(cells: Iterable[str]) -> str | None:
    """Return the decimal mark of a column, "." or ","; None if a cell such as "1,000" allows both interpretations.

    >>> decimal_mark(["12,50", "1.000,00"]), decimal_mark(["1,234.5"]), decimal_mark(["1,000"]), decimal_mark(["7"])
    (',', '.', None, '.')
    """
    ambiguous = False
    for cell in cells:
        core, _ = _without_units(cell)
        if core is None or "," not in core:
            continue
        if ONE_GROUP.fullmatch(core):
            ambiguous = True
        elif "." in core or core.count(",") > 1 or COMMA.fullmatch(core):
            return mark_in(core)
        else:
            ambiguous = True
    return None if ambiguous else "."


def missing_code(values: Iterable[float]) -> float | None:
    """Return a number that probably stands for "missing", such as -1, 99 or -999; None if there is none.

    It is the only negative value of a column, or far from all others. It occurs more than once, and there are at least
    five other values.

    >>> missing_code([3, 5, -1, 8, 13, -1, 21]), missing_code([-1, 0, 1, -1, 1]), missing_code([-1, -2, 3, -1, 5, 7])
    (-1, None, None)
    >>> missing_code([3, 5, 99, 8, 9, 99, 1]), missing_code([31, 50, 99, 78, 88, 99, 67])
    (99, None)
    """
    counts = Counter(values)
    for code in counts:
        others = [value for value in counts if value != code]
        if code not in MISSING_CODES or counts[code] == 1 or len(others) < FEW_VALUES:
            continue
        if min(others) >= 0 and (code < 0 or max(others) * FAR <= code or min(others) >= code * FAR):
            return code
    return None


def _without_units(text: str) -> tuple[str | None, float]:
    """Return a text without currency, per cent and multiples, and the factor that these stand for."""
    core = text.translate(SIGNS).strip().lower()
    sign = ""
    if core[:1] in "+-":
        sign, core = core[:1], core[1:].lstrip()
    if set(CURRENCY) & set(core):
        core = re.sub(r"(?<=\d) (?=[mb]\W*$)", "", core)  # $5 m
    core = core.lstrip(CURRENCY).rstrip(CURRENCY + "%").strip()
    for unit in ("usd", "eur", "gbp", "chf"):
        core = core.removeprefix(unit).removesuffix(unit).strip()
    factor = 1.0
    found = re.search(rf"(?<=[\d.,]) ?({MULTIPLE})$", core)
    if found:
        core, factor = core[: found.start()], MULTIPLES[found[1]]
    if not core or not any(letter.isdigit() for letter in core):
        return None, 1.0
    return sign + core, factor
