"""Intervals as people write them: 10-20k, >50k, under 5, $10-$20, between 5 and 10, 501 to 1000 employees."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping

from ...data.errors import InputError, shown
from ...data.numerals import CURRENCY, GROUPED, MULTIPLE, UNIT_WORD, decimal_mark, is_missing_word, parse_number

DIGITS = r"(?:\d[\d.,' ]*|\.\d+|inf(?:inity)?|∞)(?:e[+-]?\d{1,3})?"
NUMBER = rf"[+-]?[{CURRENCY}]? ?{DIGITS} ?(?:{MULTIPLE})?\b ?[%{CURRENCY}]?"
# "10 or so" and "0.5 ND" (not detected) are no values of 10 "or so" and 0.5 "nd"
WORD = rf"(?!(?:and|or|und|oder|et|ou|not|nicht|nd|bdl|bql|lod|loq|more|mehr|plus|less)\b){UNIT_WORD}"
UNIT = rf"(?: ?{WORD}(?:/\d+)?(?: {WORD}){{0,2}})?\.?(?: \([a-z]+\))?"
AT_LEAST = (
    r"(?:>=?|≥|=>|over|above|more than|at least|from|min(?:imum)?|exceeding|greater than"
    r"|über|mehr als|mindestens|ab)"
)
AT_MOST = (
    r"(?:<=?|≤|=<|under|below|less than|at most|up to|max(?:imum)?|fewer than|smaller than|not? more than"
    r"|unter|weniger als|höchstens|bis(?: zu| unter)?)"
)
BEYOND = r"(?:\+|(?:or|and|und|oder) (?:more|over|above|greater|older|higher|up|mehr|älter|höher)|plus)"
SHORT_OF = r"(?:-|(?:or|and|und|oder) (?:less|under|below|fewer|younger|lower|weniger|jünger))"
COMMENT = re.compile(r"^[a-z][a-z ]{0,40}: ?(?=\S)| ?\([a-z][a-z. ]{0,40}\)$")  # "salary: 5-7k (estimated)"
TO = r"(?:-|\.\.\.?|…|to|until|and|bis|und)(?: ?(?:<|under|below|less than|unter))?"
ALIASES = (
    (r"\b(?:euros?|eur)\b", "€"),
    (r"\busd?\$|\b(?:usd|dollars?)\b", "$"),
    (r"\b(?:gbp|pounds sterling)\b", "£"),
    (r"^(?:about|approx(?:imately|\.)?|ca\.?|circa|etwa|roughly|around|~|≈) ?(?=[\d€$£¥])", ""),
    (r"(?<=\d) ?[x×*·] ?10 ?\^ ?\+?(?=-?\d)", "e"),
    (r"(?<![\d.,])10\^\+?(?=-?\d)", "1e"),
)
"""Notations, and what they are replaced by before a cell is parsed: 5 EUR, ca. 5, 3 x 10^5."""

BRACKETS = re.compile(r"([\[\](])([^,;\[\]()]+)[,;]([^,;\[\]()]+)([\[\])])")
WIDE_BRACKETS = re.compile(r"([\[\](])([^;\[\]()]+);([^;\[\]()]+)([\[\])])")
LOW = re.compile(rf"{AT_LEAST} ?(?P<a>{NUMBER}){UNIT}|(?P<b>{NUMBER}){UNIT} ?{BEYOND}{UNIT}")
HIGH = re.compile(rf"{AT_MOST} ?(?P<a>{NUMBER}){UNIT}|(?P<b>{NUMBER}){UNIT} {SHORT_OF}{UNIT}")
RANGE = re.compile(rf"(?:between |from |zwischen |von )?(?P<a>{NUMBER}) ?{TO} ?(?P<b>{NUMBER}){UNIT}")
PLUS_MINUS = re.compile(rf"(?P<a>{NUMBER}) ?(?:±|\+/-|\+-) ?(?P<b>{NUMBER}){UNIT}")
VALUE = re.compile(rf"(?P<a>{NUMBER})(?P<b>$)?{UNIT}")
LONGEST = 200
DASHES = str.maketrans(dict.fromkeys("–—−‐‑", "-") | dict.fromkeys("\u00a0\u202f\t", " ") | {"’": "'"})


def parse_interval(text: str, decimal: str = ".") -> list[tuple[float, float]]:
    """Return the pieces (lower, upper) of the set that a text describes.

    Parameters
    ----------
    text : str
        One cell. Several pieces are separated by ``|``. Text such as "n/a" or "don't know" is the whole real line.
    decimal : {".", ","}, default "."
        Decimal mark of the column, see :func:`decimal_of`.

    Examples
    --------
    >>> [parse_interval(text)[0] for text in ("10-20k", ">50k", "under 5", "$10-$20", "501 to 1000 employees")]
    [(10000.0, 20000.0), (50000.0, inf), (-inf, 5.0), (10.0, 20.0), (501.0, 1000.0)]
    >>> parse_interval("[-2, -1] | [1, 2]"), parse_interval("20 ± 10 %"), parse_interval("20% ± 10%")
    ([(-2.0, -1.0), (1.0, 2.0)], [(18.0, 22.0)], [(10.0, 30.0)])
    """
    if len(text) > LONGEST:
        raise InputError(f"cannot read {shown(text)} as a number, an interval or a union of them")
    if is_missing_word(text):
        return [(-math.inf, math.inf)]
    pieces = [_piece(_plain(part), decimal) for part in text.split("|")]
    if any(piece is None for piece in pieces):
        raise InputError(f"cannot read {shown(text)} as a number, an interval or a union of them{_word_hint(text)}")
    return [piece for piece in pieces if piece is not None]


def _word_hint(text: str) -> str:
    """Return what to write instead of a word such as "n.d." or "trace"; nothing for other text."""
    if any(letter.isdigit() for letter in text):
        return ""
    word = text.strip()
    option = f'"{word}"' if " " in word else word
    return (
        f"; if it means that the value is missing, write None or leave it empty (or use --missing {option})"
        "; if it means below a detection limit of 0.5, write '<0.5'"
    )


def decimal_of(texts: Iterable[str]) -> str:
    """Return the decimal mark of a column of numbers and intervals, or raise an error that shows both interpretations.

    The error names the row, which is the position among the texts.

    >>> decimal_of(["12,50", "3"]), decimal_of(["1,000-2,000"]), decimal_of(["$1,000"]), decimal_of(["[1,2]"])
    (',', '.', '.', '.')
    >>> decimal_of(["under 1.000 €", "1.000-2.500 €"]), decimal_of(["1.859 €"])
    (',', '.')
    """
    texts = list(texts)
    if not any("," in text for text in texts):
        return "," if _points_are_thousands(texts) else "."
    cells = [_plain(part) for text in texts if len(text) <= LONGEST and "," in text for part in text.split("|")]
    cells = [cell for cell in cells if "," in cell and not BRACKETS.fullmatch(cell)]
    numbers = [found.strip() for cell in cells for found in re.findall(NUMBER, cell) if "," in found]
    mark = decimal_mark(numbers)
    if mark is not None or not numbers:
        return mark or "."
    # a range, a currency sign or several different numbers in the thousands leave no doubt
    if any(len(re.findall(NUMBER, cell)) > 1 or set(CURRENCY) & set(cell) for cell in cells) or len(set(numbers)) > 2:
        return "."
    number = numbers[0]
    meanings = (
        f"{number!r} is {parse_number(number):g} if the comma separates thousands, and {parse_number(number, ','):g} if"
        " it is a decimal comma; write it without the comma, or with a decimal point"
    )
    rows = {row: meanings for row, text in enumerate(texts) if number in _plain(text)}
    raise InputError(rows=rows, remedy="Use the same decimal mark in all rows.")


def _points_are_thousands(texts: list[str]) -> bool:
    """Whether all points stand before three digits, of which two are 0, and a currency sign is in these cells."""
    cells = [_plain(text) for text in texts if len(text) <= LONGEST and "." in text]
    found = [number.strip() for cell in cells for number in re.findall(DIGITS, cell) if "." in number]
    return (
        bool(found)
        and all(GROUPED[","].fullmatch(number) and number.endswith("00") for number in found)
        and any(set(CURRENCY) & set(cell) for cell in cells)
    )


def units_of(texts: Iterable[str]) -> dict[str, tuple[int, str]]:
    """Return the units that follow numbers in the cells of a column, each with its count and an example.

    >>> units_of(["5 kg", "10+ kg", "$10-$20 per hour", "7", "5 or less"])
    {'kg': (2, '5 kg'), '$ per hour': (1, '$10-$20 per hour'), '': (2, '7')}
    """
    found: dict[str, tuple[int, str]] = {}
    for text in texts:
        if len(text) > LONGEST or is_missing_word(text) or not any(letter.isdigit() for letter in text):
            continue
        plain = _plain(text.rpartition("|")[2])
        rest = re.split(NUMBER, plain)[-1].strip()
        rest = re.sub(rf"(?:^|(?<= )){BEYOND}|(?:^|(?<= )){SHORT_OF}$|[\])]$", "", rest).strip(" .")
        signs = "".join(sign for sign in CURRENCY if sign in plain)
        unit = f"{signs} {rest.removesuffix('s') if len(rest) > 2 else rest}".strip()
        count, example = found.get(unit, (0, text))
        found[unit] = count + 1, example
    return found


def check_units(units: Mapping[str, tuple[int, str]]) -> None:
    """Raise an error if a column mixes units, or rates with numbers that have no unit."""
    named = [unit for unit in units if unit]
    rate = re.compile(rf"[{CURRENCY}]* ?(?:(?:per|an?)\b|/)")
    if len(named) > 1 or (len(units) > 1 and any(map(rate.match, named))):
        rarest = min(named, key=lambda unit: units[unit][0])
        rarest = rarest.lstrip(f"{CURRENCY} ") or rarest
        several = sorted(units.values(), key=lambda pair: -pair[0])
        listed = "; ".join(f"{count} × {shown(text)}" for count, text in several)
        raise InputError(
            f"y mixes numbers of different units: {listed}. Convert them to one unit, or leave cells empty. On the"
            f' command line, --missing "*{rarest}*" reads these cells as empty.'
        )


def _plain(text: str) -> str:
    plain = COMMENT.sub("", re.sub(r" +", " ", text.translate(DASHES).strip().lower()))
    for pattern, replacement in ALIASES:
        plain = re.sub(pattern, replacement, plain)
    # 5 m are metres, $5 m are millions
    return re.sub(r"(?<=\d) (?=[mb]\b)", "", plain) if set(CURRENCY) & set(plain) else plain


def _piece(text: str, decimal: str) -> tuple[float, float] | None:
    """Return (lower, upper) of one piece; None if the text is none."""
    found = BRACKETS.fullmatch(text) if decimal == "." else WIDE_BRACKETS.fullmatch(text)
    if found:
        bounds = _pair(found[2], found[3], decimal)
        if bounds is not None and bounds[0] == bounds[1] and (found[1], found[4]) != ("[", "]"):
            raise InputError(f"an interval without any number, got {shown(text)}; the number alone is {found[2]}")
        return bounds
    if found := PLUS_MINUS.fullmatch(text):
        middle, radius = _number(found["a"], decimal), _number(found["b"], decimal)
        if middle is not None and radius is not None:
            if "%" in found["b"] and "%" not in found["a"]:  # relative to the value
                radius *= abs(middle) / 100
            return middle - radius, middle + radius
    for pattern, side in ((LOW, "lower"), (HIGH, "upper"), (VALUE, "both")):
        found = pattern.fullmatch(text)
        value = None if found is None else _number(found["a"] or found["b"], decimal)
        if value is not None and not math.isinf(value):
            return (-math.inf if side == "upper" else value), (math.inf if side == "lower" else value)
    found = RANGE.fullmatch(text)
    return None if found is None else _pair(found["a"], found["b"], decimal)


def _pair(a: str, b: str, decimal: str) -> tuple[float, float] | None:
    """Return two bounds; in 10-20k the multiple is that of both."""
    multiple = re.search(rf"[\d.,] ?({MULTIPLE}) ?[%{CURRENCY}]?$", b.strip())
    if multiple and not re.search(r"[a-z]", a) and (_number(a, decimal) or 0) != 0:
        a = f"{a.strip()}{multiple[1]}"
    low, high = _number(a, decimal), _number(b, decimal)
    return None if low is None or high is None else (low, high)


def _number(text: str, decimal: str) -> float | None:
    core = text.strip()
    if core.lstrip("+-") in ("inf", "infinity", "∞"):
        return -math.inf if core.startswith("-") else math.inf
    return parse_number(core, decimal)
