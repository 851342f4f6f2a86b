"""Features of a row do not depend on other rows, and a cell takes time that grows with its length only."""

from __future__ import annotations

import re
import time
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

from infimum import Features
from infimum.cli._kind import recognise
from infimum.outputs import Labels, Rankings, Reals, Tags

from .contract import Broken, Case

SIZES = st.sampled_from(["1.50", "2.00", "0.10", "XL", "+5", "1e3", "2.", "5", "1,5", "007", "1.5", "-3", "NaN"])
CELLS: dict[str, st.SearchStrategy] = {
    "numbers": st.floats(-1e6, 1e6).map(str),
    "integers": st.integers(-(10**6), 10**6).map(str),
    "sizes": SIZES,
    "numbers with gaps": st.one_of(
        st.floats(-9, 9).map(lambda x: f"{x:.2f}"), st.sampled_from(["NA", "", "n/a", "-", "?"])
    ),
    "dates": st.dates().map(str),
    "booleans": st.sampled_from(["yes", "no", "true", "false", "True", "0", "1"]),
    "categories": st.sampled_from(["red", "Red", "red ", "blue", "", "grün", "a|b"]),
    "text": st.text("abc \u00a0\u200bé-1.", max_size=12),
}


@st.composite
def features(draw: Any) -> Case:
    """A table of text cells, as CSV files have: each row gives the features that it gives within the table."""
    n = draw(st.integers(6, 14))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=3))
    columns = {f"c{k}": draw(st.lists(CELLS[kind], min_size=n, max_size=n)) for k, kind in enumerate(kinds)}
    library = draw(st.sampled_from(["pandas", "polars"]))
    order = draw(st.permutations(range(n)))

    def run() -> None:
        frame: Any = pd.DataFrame(columns) if library == "pandas" else pl.DataFrame(columns)
        made = Features().fit(frame)
        whole = np.asarray(dense(made.transform(frame)))
        for i in order:
            row = frame.iloc[[i]] if library == "pandas" else frame[i : i + 1]
            if not np.array_equal(dense(made.transform(row))[0], whole[i], equal_nan=True):
                raise Broken("wrong answer", f"row {i} alone has other features")
        mixed = frame.iloc[list(order)] if library == "pandas" else frame[list(order)]
        if not np.array_equal(dense(made.transform(mixed)), whole[list(order)], equal_nan=True):
            raise Broken("wrong answer", "the order of rows changes features")

    return Case(run, "either", note=f"{library}: {columns}")


def dense(Z: Any) -> Any:
    return Z.toarray() if hasattr(Z, "toarray") else np.asarray(Z)


PIECES = [
    "1",
    "12|",
    "a>",
    "a",
    "-",
    "!",
    "|",
    "(",
    "[",
    "1-",
    "1e",
    "+a ",
    "\u2212",
    " ",
    "{",
    ",",
    "..",
    "0x",
    "%",
    "$",
    "k",
    "a|",
    "1.",
    ">=",
    "<",
    "/",
    "\\",
    '"',
    "1,000",
    "\u00a0",
    "a>b>",
    "{a,",
    "not ",
]
SPACES = {"labels": Labels, "tags": Tags, "rankings": Rankings, "numbers": Reals}
GOOD = {"labels": ["a", "b|c"], "tags": ["+a -b", "+b"], "rankings": ["a>b", "b>a"], "numbers": ["1", "[2,3]"]}
SECONDS = 1.0


@st.composite
def long_cells(draw: Any) -> Case:
    """One cell of 20,000 characters: parsed or refused within a second of CPU time, in a message that can be read."""
    kind = draw(st.sampled_from([*SPACES, "recognised"]))
    piece = draw(st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("".join))
    end = draw(st.sampled_from(["", "x", "|", ">", "-", "1", "!"]))
    cell = piece * (20_000 // len(piece)) + end

    def run() -> None:
        began = time.process_time()
        try:
            if kind == "recognised":
                recognise("a.csv", "y", [*GOOD["labels"], cell], ["line 2", "line 3", "line 4"])
            else:
                space = SPACES[kind]().fit([*GOOD[kind], cell])
                space.read([*GOOD[kind], cell])
        except (ValueError, TypeError, MemoryError) as error:
            if len(str(error)) > 4000 or re.search(r"(.)\1{999}", str(error)):
                raise Broken("words", f"a message of {len(str(error))} characters") from None
        taken = time.process_time() - began
        if taken > SECONDS:
            raise Broken("no end", f"{taken:.1f} s for a cell of {len(cell)} characters")

    return Case(run, "either", note=f"{kind}: {piece!r} repeated, then {end!r}")
