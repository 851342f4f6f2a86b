"""Numbers: values, intervals, half-lines and unions in every form of docs/data, and which numbers they hold."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from math import inf, isinf, isnan
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from infimum import PartialRegressor
from infimum.outputs import Reals
from infimum.weights import Neighbors

from . import columns
from .contract import Broken, Case, score

Row = tuple
"""What a row means: pieces (low, high), ends included."""
UNKNOWN: Row = ((-inf, inf),)


def holds(row: Row, z: float) -> bool:
    return any(a <= z <= b for a, b in row)


def probes(rows: list[Row]) -> list[float]:
    """Ends, points just beyond them and between, and far away."""
    ends = sorted({e for row in rows for piece in row for e in piece if not isinf(e)})
    width = max([abs(e) for e in ends] + [1e-9])
    near = [e + s * 1e-4 * width for e in ends for s in (-1, 1)]
    middles = [(a + b) / 2 for a, b in pairwise(ends)]
    return [*ends, *near, *middles, -3 * width, 3 * width, 0.0]


def clear(row: Row, z: float, width: float) -> bool:
    """Whether z is an end, or well away from all of them: nothing else is asked of floating point."""
    return all(z == e or abs(z - e) > 1e-6 * width for piece in row for e in piece if not isinf(e))


def compare(space: Reals, sets: Any, meant: list[Row], known: set | None = None, grid: list | None = None) -> None:
    if len(sets) != len(meant):
        raise Broken("wrong answer", f"{len(sets)} rows read of {len(meant)}")
    grid = probes(meant) if grid is None else grid
    width = max(map(abs, grid))
    for z in grid:
        inside = sets.contains(np.full(len(meant), z))
        for i, row in enumerate(meant):
            if (known is None or i in known) and clear(row, z, width) and bool(inside[i]) != holds(row, z):
                raise Broken("wrong answer", f"row {i} {'holds' if inside[i] else 'lacks'} {z}, meant {row}")


def run_space(space: Any, write: Any, meant: list[Row]) -> None:
    space = space.fit(write(range(len(meant))))
    compare(space, space.read(write(range(len(meant)))), meant)
    for i in range(len(meant)):
        compare(space, space.read(write([i])), [meant[i]], grid=probes(meant))


def run_model(model: Any, write: Any, meant: list[Row]) -> None:
    X = np.arange(len(meant), dtype=float)[:, None]
    Z = np.asarray(model.fit(X, write(range(len(meant)))).predict(X), dtype=float)
    if np.isnan(Z).any():
        raise Broken("NaN", f"predicted {Z}")
    width = max(abs(g) for g in probes(meant))
    for i, z in enumerate(Z):
        if not any(a - 1e-7 * width <= z <= b + 1e-7 * width for a, b in meant[i]):
            raise Broken("wrong answer", f"row {i} is answered by {z}, meant {meant[i]}")
    if not (value := score(model, X, write(range(len(meant))))) > 1 - 1e-6:
        raise Broken("wrong answer", f"score {value} where every prediction is in its set")


numbers = st.one_of(
    st.integers(-9, 99), st.sampled_from([0.5, -2.25, 1e-3, 12345.678, -0.1]), st.sampled_from([1e6, -1e6, 1e-6])
)
positive = st.one_of(st.integers(1, 99), st.sampled_from([0.5, 2.25, 1200.5]))


def short(v: float) -> str:
    return format(v, ".10g")


@st.composite
def cells(draw: Any, text: bool = False) -> tuple[Any, Row]:
    """A row and what it means; numbers in text are written as people write them."""
    a, b = sorted((draw(numbers), draw(numbers)))
    kinds = [
        "value",
        "value",
        "interval",
        "above",
        "below",
        "open",
        "several",
        "set with interval",
        "pieces",
        "unknown",
    ]
    texts = ["value", "interval", "dash", "plus minus", "at least", "less", "plus", "several", "pieces", "unknown"]
    kind = draw(st.sampled_from(["text " + k for k in texts] if text else kinds))
    c, d = b + 1, b + 3.5
    if kind.startswith("text"):
        p, q = sorted((draw(positive), draw(positive)))
        return {
            "value": (short(a), ((a, a),)),
            "interval": (f"[{short(a)},{short(b)}]", ((a, b),)),
            "dash": (f"{short(p)}-{short(q)}", ((p, q),)),
            "plus minus": (f"{short(a)}±{short(p)}", ((a - p, a + p),)),
            "at least": (draw(st.sampled_from([">=", ">= ", ">"])) + short(a), ((a, inf),)),
            "less": (draw(st.sampled_from(["<=", "<", "< "])) + short(a), ((-inf, a),)),
            "plus": (f"{short(p)}+", ((p, inf),)),
            "several": (f"{short(a)}|{short(c)}", ((a, a), (c, c))),
            "pieces": (f"[{short(a)},{short(b)}]|[{short(c)},{short(d)}]", ((a, b), (c, d))),
            "unknown": ("", UNKNOWN),
        }[kind[5:]]
    return {
        "value": (a, ((a, a),)),
        "interval": ((a, b), ((a, b),)),
        "above": (draw(st.sampled_from([(a, inf), (a, None), (a, float("nan"))])), ((a, inf),)),
        "below": (draw(st.sampled_from([(-inf, b), (None, b)])), ((-inf, b),)),
        "open": ((None, None), UNKNOWN),
        "several": ({a, c}, ((a, a), (c, c))),
        "set with interval": ({a, (c, d)}, ((a, a), (c, d))),
        "pieces": ([(a, b), (c, d)], ((a, b), (c, d))),
        "unknown": (draw(st.sampled_from([None, float("nan"), pd.NA])), UNKNOWN),
    }[kind]


@st.composite
def written(draw: Any) -> Case:
    """Columns of rows in mixed forms, or all text."""
    text = draw(st.booleans())
    mixed = st.one_of(cells(False), cells(False), cells(True))
    drawn = draw(st.lists(cells(True) if text else mixed, min_size=1, max_size=5))
    column, meant = [c for c, _ in drawn] + ["2.5" if text else 2.5], [m for _, m in drawn] + [((2.5, 2.5),)]
    home = draw(st.sampled_from(columns.homes(column, columns.ANY + columns.TEXT)))
    through = draw(st.sampled_from(["space", "space", "space", "model"]))

    def write(chosen: Any) -> Any:
        return home.write([column[i] for i in chosen])

    def run() -> None:
        if through == "space":
            run_space(Reals(), write, meant)
        else:
            run_model(PartialRegressor.paper(weights=Neighbors(1)), write, meant)

    return Case(run, home.verdict, note=f"Reals, {home}, {through}: {column!r}")


def ends(meant: list[Row]) -> np.ndarray:
    return np.array([row[0] for row in meant], dtype=float)


ARRAYS: dict[str, tuple] = {
    "(n, 2) array": (lambda B: B, "answer"),
    "(n, 2) lists": (lambda B: B.tolist(), "answer"),
    "(n, 1, 2) array": (lambda B: B[:, None, :], "answer"),
    "(n, 2, 2) padded": (lambda B: np.stack([B, np.full_like(B, np.nan)], axis=1), "answer"),
    "frame": (lambda B: pd.DataFrame(B, columns=["lower", "upper"]), "answer"),
    "frame, odd index": (lambda B: pd.DataFrame(B, columns=["lower", "upper"], index=columns.odd_index(len(B))),
    "answer"),
    "Float64 frame": (lambda B: pd.DataFrame(B, columns=["lower", "upper"]).astype("Float64"), "answer"),
    "Arrow frame": (lambda B: pd.DataFrame(B, columns=["lower", "upper"]).astype(pd.ArrowDtype(pa.float64())),
    "answer"),
    "object frame": (lambda B: pd.DataFrame(B.astype(object), columns=["lower", "upper"]), "answer"),
    "polars frame": (lambda B: pl.DataFrame({"lower": B[:, 0], "upper": B[:, 1]}), "answer"),
    "frame with NaN": (lambda B: pd.DataFrame(np.where(np.isinf(B), np.nan, B), columns=["lower", "upper"]), "answer"),
    "polars with null": (
        lambda B: pl.DataFrame({c: [None if isinf(v) else v for v in B[:, k]] for k, c in enumerate(("lower",
        "upper"))}),
        "answer",
    ),
    "text frame": (lambda B: pd.DataFrame(B, columns=["lower", "upper"]).astype(str), "either"),
    "frame with one text": (
        lambda B: pd.DataFrame([[str(B[0][0]), B[0][1]], *B[1:].tolist()], columns=["lower", "upper"]), "either",
    ),
    "frame, columns swapped": (lambda B: pd.DataFrame(B[:, ::-1], columns=["upper", "lower"]), "answer"),
    "Interval Series": (lambda B: pd.Series(pd.arrays.IntervalArray.from_arrays(B[:, 0], B[:, 1], closed="both")),
    "answer"),
    "IntervalIndex": (lambda B: pd.IntervalIndex.from_arrays(B[:, 0], B[:, 1], closed="both"), "either"),
    "polars List": (lambda B: pl.Series("y", B.tolist(), dtype=pl.List(pl.Float64)), "either"),
    "masked": (lambda B: np.ma.array(np.where(np.isinf(B), 5.0, B), mask=np.isinf(B)), "answer"),
}  # fmt: skip
POINTS: dict[str, tuple] = {
    "float array": (lambda v: np.array(v), "answer"),
    "float32 array": (lambda v: np.array(v, dtype=np.float32), "either"),
    "list": (lambda v: list(v), "answer"),
    "masked array": (lambda v: np.ma.array(np.nan_to_num(v, nan=7.0), mask=np.isnan(v)), "answer"),
    "Series": (lambda v: pd.Series(v), "answer"),
    "Float64 Series": (lambda v: pd.Series(pd.array([pd.NA if isnan(x) else x for x in v], dtype="Float64")), "answer"),
    "Arrow Series": (
        lambda v: pd.Series([None if isnan(x) else x for x in v], dtype=pd.ArrowDtype(pa.float64())), "answer",
    ),
    "polars Series": (lambda v: pl.Series("y", [None if isnan(x) else x for x in v], dtype=pl.Float64), "answer"),
    "Decimals": (lambda v: [None if isnan(x) else Decimal(str(x)) for x in v], "answer"),
    "Fractions": (lambda v: [None if isnan(x) else Fraction(x) for x in v], "either"),
    "(n, 1) array": (lambda v: np.array(v)[:, None], "either"),
    "one-column frame": (lambda v: pd.DataFrame({"y": v}), "answer"),
}  # fmt: skip


@st.composite
def bounds(draw: Any) -> Case:
    """Tables of lower and upper ends: no cell changes what another row means."""
    n = draw(st.integers(1, 5))
    meant: list[Row] = []
    for _ in range(n):
        a, b = sorted((float(draw(numbers)), float(draw(numbers))))
        open_ = draw(st.sampled_from(["", "", "low", "high", "both"]))
        meant.append(((-inf if open_ in ("low", "both") else a, inf if open_ in ("high", "both") else b),))
    meant.append(((1.0, 2.0),))
    home = draw(st.sampled_from(sorted(ARRAYS)))
    write, verdict = ARRAYS[home]

    def run() -> None:
        run_space(Reals(), lambda chosen: write(ends([meant[i] for i in chosen])), meant)

    return Case(run, verdict, note=f"bounds as {home}: {ends(meant).tolist()}")


@st.composite
def values(draw: Any) -> Case:
    """Values with gaps."""
    drawn = draw(st.lists(st.one_of(numbers.map(float), st.just(float("nan"))), min_size=1, max_size=5))
    v = [*drawn, 2.5, 7.0]
    meant = [UNKNOWN if isnan(x) else ((x, x),) for x in v]
    home = draw(st.sampled_from(sorted(POINTS)))
    write, verdict = POINTS[home]
    if home == "float32 array":
        meant = [UNKNOWN if isnan(x) else ((float(np.float32(x)),) * 2,) for x in v]

    def run() -> None:
        run_space(Reals(), lambda chosen: write([v[i] for i in chosen]), meant)

    return Case(run, verdict, note=f"values as {home}: {v}")


EMPTY: list = [set(), [], (3, 1), [(3, 1)], "[3,1]", (inf, inf), (-inf, -inf)]
UNREADABLE: list = [
    True,
    np.bool_(True),
    pd.Timestamp("2020-01-01"),
    [1, 2, 3],
    {1, "2x"},
    {1, (2, 3, 4)},
    "abc",
    (1, 2, 3),
    {"a": 1},
    1j,
    object(),
    (1, "x"),
    [(1, 2, 3)],
    inf,
]
STRANGE: list = [
    pd.Interval(1, 1, closed="neither"), "1..2", {1, "2"}, {1, (2, 3)}, 10**400, 1e155, -1e155, 1e300, 1e-300,
    5e-324, pd.NaT, "1,5", "1e5", "1 000", "$5", "5%", "−3", "1-",
    "-5--3", "-5-3", "3±-1", "±3", ">", "[1,]", "[,2]", "(1,2)", "]1,2[", "1|", "|1", "1|2|", "nan", "inf", ">=inf",
    "<-inf",
    b"3", "3.5 ", (np.nan, 2), (1, np.nan), (None, 2), [1, 2], [(1, 2), 5], [None], [(1, None)],
    np.array([1.0, 2.0]), np.array(3.0), pd.Interval(1, 2, closed="left"), pd.Interval(1, 2), range(3), "0x10",
    "1_000", "٣",
    Decimal("1.5"), Decimal("NaN"), Decimal("Infinity"), Fraction(1, 3), pd.Timestamp("2020-01-01"), "2020-01-01",
    {1: 2}, {None, 1},
    np.float16(0.1), np.longdouble(1), ("1", "2"), (True, 3), "65+ ", "<=3|>=5", "!3", "3-3", frozenset({1.5}),
    "1e400", "-1e400",
]  # fmt: skip


@st.composite
def hostile(draw: Any) -> Case:
    """One bad cell; empty sets and unreadable rows are refused by number."""
    drawn = draw(st.lists(cells(), min_size=0, max_size=3))
    column: list = [c for c, _ in drawn] + [2.5, (1, 4)]
    meant = [m for _, m in drawn] + [((2.5, 2.5),), ((1, 4),)]
    group = draw(st.sampled_from(["empty", "unreadable", "strange", "strange"]))
    bad = draw(st.sampled_from({"empty": EMPTY, "unreadable": UNREADABLE, "strange": STRANGE}[group]))
    at = draw(st.integers(0, len(column)))
    column.insert(at, bad)
    meant.insert(at, UNKNOWN)
    home = draw(st.sampled_from(columns.ANY[:5]))
    through = draw(st.sampled_from(["space", "space", "model"]))

    def run() -> None:
        if through == "model":
            X = np.arange(len(column), dtype=float)[:, None]
            model = PartialRegressor.paper(weights=Neighbors(1)).fit(X, home.write(column))
            if not np.isfinite(model.predict(X)).all():
                raise Broken("NaN", f"predicted {model.predict(X)}")
        space = Reals().fit(home.write(column))
        compare(space, space.read(home.write(column)), meant, set(range(len(meant))) - {at})

    note = f"Reals, {home}, {through}, row {at} is {str(bad)[:60]!r}: {str(column)[:160]}"
    return Case(
        run, "either" if group == "strange" else "refuse", at if group != "strange" else None, note, repr(bad)[:40]
    )


@st.composite
def scales(draw: Any) -> Case:
    """The same intervals in other units: predictions move along, at any scale of floating point, or are refused."""
    power = draw(st.integers(-320, 308))
    scale = 10.0**power
    rows = draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 5)), min_size=2, max_size=5))
    meant = [((a * scale, (a + w) * scale),) for a, w in rows]

    def run() -> None:
        run_model(PartialRegressor.paper(weights=Neighbors(1)), lambda chosen: ends([meant[i] for i in chosen]), meant)

    return Case(run, "answer" if -100 < power < 100 else "either", note=f"scale 1e{power}: {rows}")
