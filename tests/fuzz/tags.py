"""Tags: some known to be there, some known not to be, in every form of docs/data."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import strategies as st

from infimum import PartialMultilabelClassifier
from infimum.outputs import Tags
from infimum.weights import Neighbors

from . import columns
from .contract import Broken, Case, score

NAMES = ["round", "red", "big"]
Row = dict[str, int]
"""What a row means: 1 or -1 for the tags that are known."""


@st.composite
def rows(draw: Any, full: bool = False, n_max: int = 5) -> list[Row]:
    n = draw(st.integers(1, n_max))
    signs = st.sampled_from([1, -1] if full else [1, 0, -1])
    out = [{t: draw(signs) for t in NAMES} for _ in range(n)]
    return [{t: s for t, s in row.items() if s} for row in out]


def members(row: Row, names: list[str]) -> set[tuple]:
    return {z for z in product((-1, 1), repeat=len(names)) if all(z[names.index(t)] == s for t, s in row.items())}


def compare(space: Tags, sets: Any, meant: list[Row], names: list, known: set | None = None) -> None:
    found = [str(t) if isinstance(t, np.str_) else t for t in np.asarray(space.tags_).tolist()]
    # a tag of which only a missing cell speaks may count as named or not
    if known is None and not set(names) <= set(found) <= {*names, *NAMES}:
        raise Broken("wrong answer", f"tags {found} are not {names}")
    if len(sets) != len(meant):
        raise Broken("wrong answer", f"{len(sets)} rows read of {len(meant)}")
    for z in product((-1, 1), repeat=len(found)):
        inside = sets.contains(np.tile(z, (len(meant), 1)))
        for i, row in enumerate(meant):
            want = all(z[found.index(t)] == s for t, s in row.items())
            # a tag that only a cell of unknown meaning speaks of is not judged
            if known is None and bool(inside[i]) != want:
                raise Broken("wrong answer", f"row {i} is misread at {dict(zip(found, z))}, meant {row}")
            if known is not None and i in known and bool(inside[i]) and not want:
                raise Broken("wrong answer", f"row {i} is misread at {dict(zip(found, z))}, meant {row}")


def cells(row: Row) -> list:
    """The ways to write a row on its own."""
    text = " ".join(("+" if s > 0 else "-") + t for t, s in row.items())
    forms: list[Any] = [{t: s > 0 for t, s in row.items()}, text]
    forms += [{t: (s > 0 if t in row else None) for t, s in {**dict.fromkeys(NAMES, 0), **row}.items()}]
    if row and all(s > 0 for s in row.values()):
        forms += [set(row), " ".join(row), frozenset(row), list(row)]
    return forms if row else [None, float("nan"), "", {}, pd.NA]


def run_space(space: Any, write: Any, meant: list[Row], names: list) -> None:
    space = space.fit(write(range(len(meant))))
    compare(space, space.read(write(range(len(meant)))), meant, names)
    for i in range(len(meant)):
        compare(space, space.read(write([i])), [meant[i]], names)


def run_model(model: Any, write: Any, meant: list[Row]) -> None:
    X = np.arange(len(meant), dtype=float)[:, None]
    model.fit(X, write(range(len(meant))))
    names = [str(t) for t in model.tags_]
    for i, z in enumerate(model.predict(X)):
        wrong = [t for t, s in meant[i].items() if z[names.index(t)] != s]
        if wrong:
            raise Broken("wrong answer", f"row {i} is answered by {dict(zip(names, z.tolist()))}, meant {meant[i]}")
    if (value := score(model, X, write(range(len(meant))))) != 1:
        raise Broken("wrong answer", f"score {value} where every prediction is in its set")


@st.composite
def written(draw: Any) -> Case:
    """Columns of rows in mixed forms."""
    meant = draw(rows())
    names = sorted({t for row in meant for t in row})
    declared = draw(st.booleans())
    column = [draw(st.sampled_from(cells(row))) for row in meant]
    home = draw(st.sampled_from(columns.homes(column, columns.ANY + columns.TEXT)))
    through = draw(st.sampled_from(["space", "space", "model"]))

    def write(chosen: Any) -> Any:
        return home.write([column[i] for i in chosen])

    def run() -> None:
        given = {"tags": list(NAMES)} if declared else {}
        if through == "space":
            run_space(Tags(**given), write, meant, NAMES if declared else names)
        else:
            run_model(PartialMultilabelClassifier.paper(weights=Neighbors(1), **given), write, meant)

    verdict = home.verdict if names or declared else "either"
    return Case(run, verdict, note=f"Tags, {home}, {through}{f', tags={NAMES}' if declared else ''}: {column!r}")


def values(meant: list[Row]) -> np.ndarray:
    return np.array([[row.get(t, 0) for t in NAMES] for row in meant])


def with_gaps(V: np.ndarray, gap: Any, there: Any = 1, absent: Any = -1) -> np.ndarray:
    return np.where(V == 0, objects_of(gap, V), np.where(V > 0, objects_of(there, V), objects_of(absent, V)))


def objects_of(value: Any, V: np.ndarray) -> np.ndarray:
    out = np.empty(V.shape, dtype=object)
    out.fill(value)
    return out


SIGNS: dict[str, tuple] = {
    "int array": (lambda V: V, "answer"),
    "int8 array": (lambda V: V.astype(np.int8), "answer"),
    "float with NaN": (lambda V: np.where(V == 0, np.nan, V), "answer"),
    "list of lists": (lambda V: V.tolist(), "answer"),
    "list of tuples": (lambda V: [tuple(v) for v in V.tolist()], "answer"),
    "list of arrays": (list, "answer"),
    "lists with None": (lambda V: with_gaps(V, None).tolist(), "answer"),
    "object array with None": (lambda V: with_gaps(V, None), "answer"),
    "masked array": (lambda V: np.ma.array(np.where(V == 0, 1, V), mask=V == 0), "answer"),
    "csr": (lambda V: sp.csr_matrix(V), "answer"),
    "csc": (lambda V: sp.csc_array(V), "answer"),
    "coo": (lambda V: sp.coo_matrix(V.astype(float)), "answer"),
    "booleans with None": (lambda V: with_gaps(V, None, True, False).tolist(), "answer"),
    "booleans with None, array": (lambda V: with_gaps(V, None, True, False), "answer"),
    "booleans with NaN, array": (lambda V: with_gaps(V, float("nan"), True, False), "answer"),
    "masked booleans": (lambda V: np.ma.array(V > 0, mask=V == 0), "answer"),
}
FRAMES: dict[str, tuple] = {
    "frame": (lambda V, c: pd.DataFrame(V, columns=c), "answer"),
    "float frame": (lambda V, c: pd.DataFrame(np.where(V == 0, np.nan, V), columns=c), "answer"),
    "Int8 frame": (lambda V, c: pd.DataFrame(with_gaps(V, pd.NA), columns=c).astype("Int8"), "answer"),
    "object frame": (lambda V, c: pd.DataFrame(with_gaps(V, None, True, False), columns=c), "answer"),
    "boolean frame": (lambda V, c: pd.DataFrame(with_gaps(V, pd.NA, True, False), columns=c).astype("boolean"),
    "answer"),
    "Arrow frame": (
        lambda V, c: pd.DataFrame(with_gaps(V, None, True, False), columns=c).astype(pd.ArrowDtype(pa.bool_())),
        "answer",
    ),
    "polars frame": (lambda V, c: pl.DataFrame({n: V[:, k].tolist() for k, n in enumerate(c)}), "answer"),
    "polars booleans": (
        lambda V, c: pl.DataFrame(
            {n: with_gaps(V, None, True, False)[:, k].tolist() for k, n in enumerate(c)},
            schema=dict.fromkeys(c, pl.Boolean),
        ), "answer",
    ),
}  # fmt: skip


@st.composite
def arrays(draw: Any) -> Case:
    """Tables of signs without names; a boolean table is fully known, an integer 0 is unknown."""
    home = draw(st.sampled_from([*sorted(SIGNS), "bool array", "bool lists"]))
    full = home.startswith("bool ")
    meant = draw(rows(full))
    V = values(meant)
    write, verdict = SIGNS.get(home, (None, "answer"))
    if full:
        write = (lambda V: V > 0) if home == "bool array" else (lambda V: (V > 0).tolist())
    declared = draw(st.booleans())

    def run() -> None:
        order = NAMES if declared else list(range(len(NAMES)))
        told = [{order[NAMES.index(t)]: s for t, s in row.items()} for row in meant]
        run_space(Tags(tags=list(NAMES) if declared else None), lambda chosen: write(V[list(chosen)]), told, order)

    if len(meant) == 1 or not any(meant):
        verdict = "either"
    return Case(run, verdict, note=f"tags as {home}{f', tags={NAMES}' if declared else ''}: {V.tolist()}")


@st.composite
def frames(draw: Any) -> Case:
    """Named columns: any order at fit, another one later, another one declared; always matched by name."""
    home = draw(st.sampled_from(sorted(FRAMES)))
    make, verdict = FRAMES[home]
    meant = draw(rows())
    first, later = draw(st.permutations(NAMES)), draw(st.permutations(NAMES))
    declared = draw(st.one_of(st.none(), st.permutations(NAMES)))

    def write(order: list) -> Any:
        return make(values(meant)[:, [NAMES.index(t) for t in order]], list(order))

    def run() -> None:
        space = Tags(tags=declared).fit(write(first))
        for order in (first, later):
            compare(space, space.read(write(order)), meant, NAMES)
        model = PartialMultilabelClassifier.paper(weights=Neighbors(1), tags=declared)
        X = np.arange(len(meant), dtype=float)[:, None]
        if score(model.fit(X, write(first)), X, write(later)) != 1:
            raise Broken("wrong answer", "a score that depends on the order of named columns")

    return Case(run, verdict, note=f"{home}, columns {first}, later {later}, tags={declared}: {meant}")


UNREADABLE: list = [
    {"red": "x"},
    {"red": "False"},
    {"red": 2},
    "+ red",
    "+-red",
    {"red": 3},
    {"red": 0.5},
    1j,
    object(),
    {"red": [1]},
    {"red": {}},
]
STRANGE: list = [
    {"red": -1}, {"red": 1}, {"red": 0}, {"red": "no"}, {"red": np.True_}, {"red": np.float64(-1)},
    {"red": float("nan")}, {"red": pd.NA}, ["red"], ["red", "big"], ("red",), [], "++red", "+", "-", "+red -red",
    "+red,+big", "+red, -big", "red|big", {"red": True, 1: True}, {1, "red"}, {"": True}, {None: True}, {None},
    b"+red", 1, 0,
    True, [1, 0], [1, 0, -1, 1], np.array([1, 0, -1]), np.array(["red"]), "+é", "+red\t-big", "+red\n-big", set(),
    Ellipsis,
    float("inf"), pd.NaT, {"red": None}, frozenset({"red"}), {"red": True, "Red": False}, "a" * 5000, np.str_("+red"),
]  # fmt: skip
SAYS = {"{'red': -1}": {"red": -1}, "{'red': np.float64(-1.0)}": {"red": -1}, "{'red': 'False'}": {"red": -1}}
"""What a strange cell cannot but mean, where it is not refused."""


@st.composite
def hostile(draw: Any) -> Case:
    """One bad cell among good ones."""
    meant = draw(rows(n_max=3))
    column = [draw(st.sampled_from(cells(row)[:2])) if row else None for row in meant]
    at = draw(st.integers(0, len(meant)))
    group = draw(st.sampled_from(["unreadable", "strange", "strange"]))
    bad = draw(st.sampled_from(UNREADABLE if group == "unreadable" else STRANGE))
    column.insert(at, bad)
    meant.insert(at, SAYS.get(repr(bad), {}))
    column.append("+red -round +big")
    meant.append({"red": 1, "round": -1, "big": 1})
    home = draw(st.sampled_from(columns.ANY[:5]))
    known = set(range(len(meant))) - ({at} if repr(bad) not in SAYS else set())

    def run() -> None:
        space = Tags().fit(home.write(column))
        compare(space, space.read(home.write(column)), meant, NAMES, known)

    row = at if group == "unreadable" else None
    note = f"Tags, {home}, row {at} is {str(bad)[:60]!r}: {str(column)[:200]}"
    return Case(run, "refuse" if row is not None else "either", row, note, repr(bad)[:40])
