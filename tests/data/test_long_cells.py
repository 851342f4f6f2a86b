"""Time per cell: no parser takes more than linear time in the length of a cell.

CPU time at 30,000 characters is compared with a limit that linear parsers stay far below, and that a parser of
quadratic time exceeds by orders of magnitude.
"""

import warnings

import pandas as pd
import pytest

from fuzz.faults import cpu_limit
from infimum.cli._kind import recognise
from infimum.data.columns import KINDS, category, days, number
from infimum.data.columns import recognise as recognise_column
from infimum.data.features import Features
from infimum.data.lookalikes import look_alikes
from infimum.outputs import Labels, Rankings, Reals, Tags, Vectors
from infimum.outputs.numbers.text import LONGEST, parse_interval

N = 30_000
SECONDS = 6

CELLS = {
    "letters": "a" * N, "digits": "1" * N, "accents": "e" + "\u0301\u0327" * (N // 2), "blanks": "a" + " " * N + "b",
    "no-break": "1" + "\u00a0" * N + "1", "negation": "not" + " " * N + "\n",
    "range": "1" * (N // 2) + "-" + "1" * (N // 2),
    "candidates": "|".join(["12"] * (N // 3)) + "x", "numbers": "|".join(["12"] * (N // 3)), "marks": ">" * N,
    "chain": ">".join(map(str, range(N // 6))), "ties": "a~" * (N // 2) + "b", "braces": "{" * N,
    "bucket": "a>{" + "b," * (N // 2) + "}", "pairs": "a>b," * (N // 4), "signs": "+-" * (N // 2),
    "tags": "+a " * (N // 3),
    "commas": "1," * (N // 2), "points": "1." * (N // 2), "brackets": "[1," * (N // 3), "exponents": "1e" * (N // 2),
    "joined": "a;b," * (N // 4), "or": " or " * (N // 4), "dates": "2020-01-01 " * (N // 11),
    "exclusions": "!a|" * (N // 3),
    "unit": "5 " + "a " * (N // 2), "money": "$" * N, "invisible": "\u200b" * N + "a", "zeros": "a\0" * (N // 2),
}  # fmt: skip


def fitted(space, cell, other):
    y = [cell, other]
    return space.fit(y).read(y)


PARSERS = {
    "Labels": lambda cell: fitted(Labels(), cell, "x"),
    "Tags": lambda cell: fitted(Tags(), cell, "x"),
    "Rankings": lambda cell: [Rankings().summarise([cell, "x>y"]), fitted(Rankings(["x", "y"]), cell, "x>y")],
    "Reals": lambda cell: fitted(Reals(), cell, "1"),
    "Vectors": lambda cell: fitted(Vectors(), cell, cell),
    "kind of a target": lambda cell: recognise("a.csv", "y", [cell, "b"], ["line 2", "line 3"]),
    "kind of a column": lambda cell: [recognise_column("a", [cell] * 10, kind=kind) for kind in (None, *KINDS)],
    "number, date, category": lambda cell: [number(cell), number(cell, ","), days(cell), category(cell)],
    "look-alikes": lambda cell: look_alikes({cell: 3, "abcd": 40}),
    "Features": lambda cell: Features().fit(pd.DataFrame({"a": [cell, "x", "y", "z"] * 3, "b": range(12)})),
}


def said(parser, cell):
    """The message of the error about a cell, empty if there is none."""
    try:
        parser(cell)
    except ValueError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("parser", PARSERS)
def test_parsers_take_linear_time(parser):
    with warnings.catch_warnings(), cpu_limit(SECONDS):
        warnings.simplefilter("ignore")
        for cell in CELLS.values():
            assert len(said(PARSERS[parser], cell)) < 3000


@pytest.mark.parametrize("cell", [
    "5 " + "a" * (LONGEST - 3) + "!", "1" * 99 + " k" + "b" * 98 + "!", "1 " * 99 + "!",
    "1, " * 60 + "to" + "1 " * 20 + "!",
])  # fmt: skip
def test_texts_of_numbers_are_matched_in_one_way(cell):
    with cpu_limit(5):
        for _ in range(200):
            with pytest.raises(ValueError, match="cannot read"):
                parse_interval(cell)
