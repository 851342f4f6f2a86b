"""Labels: candidate sets written in every form of docs/data, and what they mean."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from infimum import Not, PartialClassifier
from infimum.outputs import Labels
from infimum.weights import Neighbors

from . import columns
from .contract import Broken, Case, score

POOLS: dict[str, list] = {
    "text": ["cat", "dog", "owl", "a b", "É", "1", "True", "x>y", "+z", "nan?"],
    "int": [0, 1, 2, -1, 7, 10**6],
    "large int": [2**53, 2**53 + 1, 2**53 + 2, -(2**60)],
    "bool": [True, False],
    "float": [0.5, 2.0, -1.5],
    "bytes": [b"a", b"b", b"\xff"],
    "date": [datetime.date(2020, 1, 1), datetime.date(2020, 1, 2), datetime.date(1999, 12, 31)],
    "decimal": [Decimal("1.10"), Decimal("2"), Decimal("0.1")],
    "tuple": [("a", 1), ("b", 2), ("c", 3)],
    "mixed": [1, "1", "a", 2],
    "mixed bool": [True, 1, "True", "a"],
    "nul": ["a", "a\0", "b"],
}
PLAIN = ("text", "int", "large int", "bool", "bytes")
"""Kinds of labels that must work; the others may be refused, and must be right where they are not."""


@dataclass(frozen=True)
class Row:
    """What a row means: `values` listed, or all but these; nothing listed in a negated row is unknown."""

    values: tuple
    negated: bool = False

    def members(self, classes: list) -> set:
        listed = {key(v) for v in self.values}
        return {key(c) for c in classes if (key(c) in listed) != self.negated}


def key(value: Any) -> tuple:
    """A label with its kind: True, 1, "1" and Decimal(1) are four labels; 1 and 1.0 are one."""
    if isinstance(value, (np.datetime64, pd.Timestamp, datetime.date)):
        return "date", pd.Timestamp(value).isoformat()
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool):
        return "bool", value
    if isinstance(value, (int, float)):
        return "number", value
    return type(value).__name__, value


@st.composite
def rows(draw: Any, pool: list, n_max: int = 6) -> list[Row]:
    """Meanings: mostly listed candidates, some exclusions, some unknown."""
    n = draw(st.integers(1, n_max))
    few = draw(st.lists(st.sampled_from(pool), min_size=1, max_size=4, unique_by=key))
    out = []
    for _ in range(n):
        listed = tuple(draw(st.lists(st.sampled_from(few), min_size=1, max_size=3, unique_by=key)))
        kind = draw(st.sampled_from(["one", "one", "some", "not", "unknown"]))
        out.append(
            {"one": Row(listed[:1]), "some": Row(listed), "not": Row(listed, True), "unknown": Row((), True)}[kind]
        )
    return out


def cells(row: Row, text: bool) -> list:
    """The ways to write a row."""
    values = list(row.values)
    hashed = len({*map(key, values)}) == len(set(values))
    if row.negated and not values:
        return [None, float("nan"), np.nan, pd.NA, *([""] if text else [])]
    if row.negated:
        return [Not(*values), *(["!" + "|".join(values)] if text else [])]
    # a list of zeros, ones and booleans may be a row of a mask: such candidates come as sets
    plain = any(v not in (0, 1) for v in values)
    forms = [*([list(values)] if plain or not hashed else []), *([set(values), frozenset(values)] if hashed else [])]
    if len(values) == 1:
        forms = [values[0], values[0], values[0], *forms]
    return forms + (["|".join(values)] if text else [])


def classes_of(rows: list[Row]) -> list:
    """The classes that y names, once each."""
    return list({key(v): v for row in rows for v in row.values}.values())


def compare(space: Labels, sets: Any, rows: list[Row], expected: list, ordered: bool, known: set | None = None) -> None:
    """The sets that were read are those that were meant; `known` rows only, where others are not ours to judge."""
    found = [key(c) for c in space.classes_]
    want = [key(c) for c in expected]
    if known is None and set(found) != set(want):
        raise Broken("wrong answer", f"classes {found} are not {want}")
    if known is None and ordered and found != sorted(want):
        raise Broken("wrong answer", f"classes {found} are not sorted")
    if len(sets) != len(rows):
        raise Broken("wrong answer", f"{len(sets)} rows read of {len(rows)}")
    inside = [sets.contains(np.full(len(rows), k)) for k in range(len(found))]
    for i, row in enumerate(rows):
        got = {c for k, c in enumerate(found) if inside[k][i] and c in want}
        if (known is None or i in known) and got != row.members(expected):
            raise Broken("wrong answer", f"row {i} is read as {sorted(map(str, got))}, meant {row}")


def run_space(space: Any, write: Any, rows: list[Row], expected: list, ordered: bool = False) -> None:
    """Fit, read the column, and read every row of it alone."""
    space = space.fit(write(range(len(rows))))
    compare(space, space.read(write(range(len(rows)))), rows, expected, ordered)
    for i in range(len(rows)):
        compare(space, space.read(write([i])), [rows[i]], expected, ordered)


def run_model(model: Any, write: Any, rows: list[Row], expected: list) -> None:
    """The nearest neighbour of a training row is itself: the prediction lies in the set that was meant."""
    X = np.arange(len(rows), dtype=float)[:, None]
    model.fit(X, write(range(len(rows))))
    for i, z in enumerate(model.predict(X)):
        if key(z) not in rows[i].members(expected):
            raise Broken("wrong answer", f"row {i} is answered by {z!r}, meant {rows[i]}")
    if (value := score(model, X, write(range(len(rows))))) != 1:
        raise Broken("wrong answer", f"score {value} where every prediction is in its set")


@st.composite
def written(draw: Any) -> Case:
    """Valid columns of labels in every container."""
    kind = draw(st.sampled_from([*PLAIN, *PLAIN, *POOLS]))
    meant = draw(rows(POOLS[kind]))
    expected = classes_of(meant)
    declared = bool(expected) and (kind == "tuple" or draw(st.booleans()))
    row = next((i for i, r in enumerate(meant) if not r.members(expected)), None)
    column = [draw(st.sampled_from(cells(r, kind == "text"))) for r in meant]
    kinds = columns.ANY + columns.TEXT + columns.INT + columns.BOOL + columns.DATE + columns.LIST
    home = draw(st.sampled_from(columns.homes(column, kinds)))
    through = draw(st.sampled_from(["space", "space", "space", "model"]))
    note = f"Labels {kind}, {home}, {through}{', classes=' + repr(expected) if declared else ''}: {column!r}"

    def write(chosen: Any) -> Any:
        return home.write([column[i] for i in chosen])

    def run() -> None:
        given = {"classes": list(expected)} if declared else {}
        if through == "space":
            run_space(Labels(**given), write, meant, expected, ordered=kind in ("text", "int") and not declared)
        else:
            run_model(PartialClassifier.paper(weights=Neighbors(1), **given), write, meant, expected)

    sure = kind in PLAIN or (kind == "mixed" and declared) or (kind == "date" and home in columns.DATE and not declared)
    verdict = "answer" if sure and home.verdict == "answer" else "either"
    if not expected:
        verdict = "either"
    elif row is not None:
        verdict = "refuse" if sure else "either"
    return Case(run, verdict, row if verdict == "refuse" else None, note)


EMPTY: list = [set(), [], frozenset()]
UNREADABLE: list = [
    [["a"]],
    {"a": -1},
    {"a": "x"},
    {"a": float("inf")},
    [{"a"}],
    object(),
    lambda: 0,
    np.array(["a", ["b"]], dtype=object),
    1j,
]
STRANGE: list = [
    "|", "a||b", "!", "!|", "a|!b", " a", "a ", "a|", "|a", "!!a", "nan", "None", "NA", "-", "\x00", "\ud800", "a\nb",
    b"a", b"\xff", Decimal("NaN"), Decimal("1"), float("inf"), -0.0, 10**400, 2**63, 2**64, True, 1, 1.5, np.array("a"),
    np.array(["a", "b"]), range(2), pd.Series(["a"]), ("a", "b"), ("a",), (), {"a", None}, ["a", None], {"a",
    float("nan")},
    pd.Timestamp("2020-01-01"), datetime.date(2020, 1, 1), pd.NaT,
    np.datetime64("NaT"), np.float64("nan"), np.ma.masked, {"a": True},
    {"a": 1}, {"a": 0.3, "b": 0.7}, {"a": 2}, {"a", 1}, "Not('a')", Ellipsis, int, ["a",
    ["b"]],
    pd.Interval(0, 1), np.str_("a"), np.int64(1), slice(2), memoryview(b"a"), "a" * 10_000,
]  # fmt: skip


@st.composite
def hostile(draw: Any) -> Case:
    """A column with one bad cell: refused by its row, or the other rows mean what they meant."""
    meant = draw(rows(["a", "b", "c"], 4))
    at = draw(st.integers(0, len(meant)))
    group = draw(st.sampled_from(["empty", "unreadable", "strange", "strange"]))
    bad = draw(st.sampled_from({"empty": EMPTY, "unreadable": UNREADABLE, "strange": STRANGE}[group]))
    column = [draw(st.sampled_from(cells(r, True))) for r in meant]
    column.insert(at, bad)
    meant.insert(at, Row((), True))
    expected = ["a", "b", "c"]
    declared = draw(st.booleans())
    column += ["a|b|c", "b"]
    meant += [Row(("a", "b", "c")), Row(("b",))]
    home = draw(st.sampled_from(columns.ANY[:6]))

    def run() -> None:
        y = home.write(column)
        space = Labels(classes=expected if declared else None).fit(y)
        sets = space.read(home.write(column))
        compare(space, sets, meant, expected, False, known=set(range(len(meant))) - {at})

    note = f"Labels, {home}{', classes=abc' if declared else ''}, row {at} is {str(bad)[:60]!r}: {str(column)[:200]}"
    return Case(
        run, "either" if group == "strange" else "refuse", at if group != "strange" else None, note, repr(bad)[:40]
    )
