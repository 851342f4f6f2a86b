"""Orders: pairs, chains, buckets, top-k lists, ranks and codes, and the linear extensions that they leave."""

from __future__ import annotations

from itertools import combinations, pairwise, permutations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from hypothesis import strategies as st

from infimum import PartialOrders, PartialRanker
from infimum.outputs import Rankings
from infimum.weights import Neighbors

from . import columns
from .contract import Broken, Case, score

Pairs = frozenset
"""What a row means: the pairs (a, b) with a before b."""


def extensions(pairs: Pairs, items: list) -> set[tuple]:
    """All orders of the items in which every pair holds."""
    return {o for o in permutations(items) if all(o.index(a) < o.index(b) for a, b in pairs)}


def of_buckets(buckets: list[list]) -> Pairs:
    return Pairs((a, b) for i, first in enumerate(buckets) for later in buckets[i + 1 :] for a in first for b in later)


def compare(space: Rankings, sets: Any, meant: list[Pairs], items: list, known: set | None = None) -> None:
    found = [i.item() if isinstance(i, np.generic) else i for i in space.items_]
    if known is None and (set(found) != set(items) or len(found) != len(items)):
        raise Broken("wrong answer", f"items {found} are not {items}")
    if len(sets) != len(meant):
        raise Broken("wrong answer", f"{len(sets)} rows read of {len(meant)}")
    if len(found) > 6:
        raise Broken("wrong answer", f"{len(found)} items of {len(items)}: {found[:10]}")
    for order in permutations(range(len(found))):
        names = [found[k] for k in order]
        inside = sets.contains(np.tile(order, (len(meant), 1)))
        for i, pairs in enumerate(meant):
            want = all(names.index(a) < names.index(b) for a, b in pairs)
            wrong = bool(inside[i]) != want if known is None else i in known and bool(inside[i]) and not want
            if wrong:
                raise Broken("wrong answer", f"row {i} is misread at {names}, meant {sorted(pairs)}")


def run_space(space: Any, write: Any, meant: list[Pairs], items: list) -> None:
    space = space.fit(write(range(len(meant))))
    compare(space, space.read(write(range(len(meant)))), meant, items)
    for i in range(len(meant)):
        compare(space, space.read(write([i])), [meant[i]], items)


def run_model(model: Any, write: Any, meant: list[Pairs]) -> None:
    X = np.arange(len(meant), dtype=float)[:, None]
    model.fit(X, write(range(len(meant))))
    for i, z in enumerate(model.predict(X).tolist()):
        if any(z.index(a) > z.index(b) for a, b in meant[i]):
            raise Broken("wrong answer", f"row {i} is answered by {z}, meant {sorted(meant[i])}")
    if (value := score(model, X, write(range(len(meant))))) != 1:
        raise Broken("wrong answer", f"score {value} where every prediction is in its set")


@st.composite
def cells(draw: Any, items: list, text: bool) -> tuple[Any, Pairs]:
    """A row and what it means."""
    order = draw(st.permutations(items))
    cuts = draw(st.lists(st.integers(1, len(items) - 1), unique=True, max_size=len(items) - 1))
    buckets = [list(order[a:b]) for a, b in zip([0, *sorted(cuts)], [*sorted(cuts), len(items)])]
    kinds = ["pairs", "top", "ranks", "unknown", "top buckets", "partial ranks"] + (
        ["chain", "buckets", "chains"] if text else []
    )
    kind = draw(st.sampled_from(kinds))
    if kind == "unknown":
        return draw(st.sampled_from([None, float("nan"), *([""] if text else [])])), Pairs()
    if kind == "pairs":
        chosen = draw(st.lists(st.sampled_from(list(combinations(order, 2))), min_size=1, max_size=3, unique=True))
        return chosen, Pairs(chosen)
    if kind in ("top", "top buckets"):
        k = draw(st.integers(1, len(items)))
        listed = [[i] for i in order[:k]] if kind == "top" else buckets[: max(1, len(buckets) - 1)]
        rest = [i for i in items if not any(i in b for b in listed)]
        return [b[0] if len(b) == 1 else set(b) for b in listed], of_buckets([*listed, rest])
    if kind in ("ranks", "partial ranks"):
        ranked = buckets if kind == "ranks" else buckets[: max(1, len(buckets) - 1)]
        return {i: float(r + 1) for r, b in enumerate(ranked) for i in b}, of_buckets(ranked)
    if kind == "chain":
        k = draw(st.integers(2, len(items)))
        return draw(st.sampled_from([">", " > "])).join(order[:k]), of_buckets([[i] for i in order[:k]])
    if kind == "chains":
        (a, b), (c, d) = order[:2], order[-2:]
        return f"{a}>{b}, {c}>{d}", Pairs({(a, b), (c, d)})
    return ">".join(b[0] if len(b) == 1 else "{" + ",".join(b) + "}" for b in buckets), of_buckets(buckets)


@st.composite
def written(draw: Any) -> Case:
    """Columns of rows in mixed forms."""
    items = draw(st.sampled_from([["a", "b", "c"], ["z", "y 1", "x", "É"], ["tea", "mate"], [1, 2, 3]]))
    text = isinstance(items[0], str)
    pairs = draw(st.lists(cells(items, text), min_size=1, max_size=4))
    column, meant = [c for c, _ in pairs], [p for _, p in pairs]
    # a chain of all items, so that y names them; lists of numbers and tuples are the most ambiguous rows there are
    column.append([(a, b) for a, b in pairwise(items)])
    meant.append(of_buckets([[i] for i in items]))
    declared = draw(st.booleans())
    home = draw(st.sampled_from(columns.homes(column, columns.ANY)))
    through = draw(st.sampled_from(["space", "space", "model"]))

    def write(chosen: Any) -> Any:
        return home.write([column[i] for i in chosen])

    def run() -> None:
        given = {"items": list(items)} if declared else {}
        if through == "space":
            run_space(Rankings(**given), write, meant, items)
        else:
            run_model(PartialRanker.paper(weights=Neighbors(1), **given), write, meant)

    verdict = home.verdict if text else "either"
    return Case(run, verdict, note=f"Rankings, {home}, {through}{f', items={items}' if declared else ''}: {column!r}")


@st.composite
def texts(draw: Any) -> Case:
    """Columns of text, as they come from a file."""
    items = ["a", "b", "c", "d"]
    pairs = draw(st.lists(cells(items, True).filter(lambda c: isinstance(c[0], str)), min_size=1, max_size=4))
    column, meant = [c for c, _ in pairs] + ["a>b>c>d"], [p for _, p in pairs] + [of_buckets([[i] for i in items])]
    home = draw(st.sampled_from(columns.homes(column, columns.TEXT)))

    def run() -> None:
        run_space(Rankings(), lambda chosen: home.write([column[i] for i in chosen]), meant, items)

    return Case(run, home.verdict, note=f"Rankings, {home}: {column!r}")


def by_ranks(R: np.ndarray, items: list) -> list[Pairs]:
    return [Pairs((a, b) for i, a in enumerate(items) for j, b in enumerate(items) if r[i] < r[j]) for r in R]


def by_codes(C: np.ndarray, items: list) -> list[Pairs]:
    ends = list(combinations(items, 2))
    return [Pairs((e if v > 0 else e[::-1]) for e, v in zip(ends, row) if v) for row in C]


def frame_of(kind: str, R: np.ndarray, names: list) -> Any:
    if kind == "polars":
        return pl.DataFrame({c: [None if np.isnan(v) else v for v in R[:, k]] for k, c in enumerate(names)})
    frame = pd.DataFrame(R, columns=names)
    return frame if kind == "float" else frame.astype("Int64" if kind == "Int64" else pd.ArrowDtype(pa.float64()))


@st.composite
def rank_frames(draw: Any) -> Case:
    """Frames of ranks name the items: other orders of columns, later and declared, say the same."""
    items = draw(st.sampled_from([["b", "a", "c"], ["z", "x", "y", "w"]]))
    n = draw(st.integers(1, 4))
    grade = st.sampled_from([1.0, 2.0, 3.0, float("nan")])
    R = np.array([[draw(grade) for _ in items] for _ in range(n)])
    kind = draw(st.sampled_from(["float", "Int64", "Arrow", "polars"]))
    later, declared = draw(st.permutations(items)), draw(st.one_of(st.none(), st.permutations(items)))

    def write(order: list) -> Any:
        return frame_of(kind, R[:, [items.index(i) for i in order]], list(order))

    def run() -> None:
        space = Rankings(items=declared).fit(write(items))
        for order in (items, later):
            compare(space, space.read(write(order)), by_ranks(R, items), items)

    return Case(run, "answer", note=f"{kind} frame of ranks {items}, later {later}, items={declared}: {R.tolist()}")


@st.composite
def numbers(draw: Any) -> Case:
    """Arrays of ranks or codes, read alike in any batch; where both readings fit, ranks and codes may be refused."""
    m = draw(st.sampled_from([3, 4]))
    n = draw(st.integers(1, 4))
    items = ["a", "b", "c", "d"][:m]
    coded = draw(st.booleans())
    P = m * (m - 1) // 2
    if coded:
        orders = [draw(st.permutations(range(m))) for _ in range(n)]
        full = [[1 if o.index(i) < o.index(j) else -1 for i, j in combinations(range(m), 2)] for o in orders]
        keep = [[draw(st.booleans()) for _ in range(P)] for _ in range(n)]
        A = np.where(keep, full, 0)
        meant = by_codes(A, items)
    else:
        A = np.array([[draw(st.integers(0, 3)) for _ in range(m)] for _ in range(n)])
        meant = by_ranks(A, items)
    write = draw(st.sampled_from([np.asarray, lambda A: A.astype(float), np.asfortranarray]))
    # three columns for three items: ranks where a number says so, codes where a sign does, otherwise refused
    refused = m == 3 and set(A.ravel().tolist()) <= {0, 1}

    def run() -> None:
        space = Rankings(items=items).fit(write(A))
        whole = space.read(write(A))
        compare(space, whole, meant, items)
        for i in range(n):
            alone = space.read(write(A[[i]]))
            for order in permutations(range(m)):
                if alone.contains(np.array([order]))[0] != whole.contains(np.tile(order, (n, 1)))[i]:
                    raise Broken("wrong answer", f"row {i} is read otherwise alone than in the column")

    note = f"{'codes' if coded else 'ranks'}, items={items}: {A.tolist()}"
    return Case(run, "refuse" if refused else "answer", note=note)


@st.composite
def named_orders(draw: Any) -> Case:
    """`PartialOrders` with names: matched with the model's items by name, in fit, read and score."""
    items = ["a", "b", "c"]
    orders = draw(st.lists(st.permutations(items), min_size=1, max_size=3))
    first, second = draw(st.permutations(items)), draw(st.permutations(items))
    how = draw(st.sampled_from(["ranks", "pairs", "orders"]))
    meant = [of_buckets([[i] for i in o]) for o in orders]

    def write(names: list) -> PartialOrders:
        if how == "ranks":
            return PartialOrders.from_ranks([[o.index(i) + 1.0 for i in names] for o in orders], items=names)
        if how == "orders":
            return PartialOrders.from_orders([[names.index(i) for i in o] for o in orders], items=names)
        before = [[[o.index(i) < o.index(j) for j in names] for i in names] for o in orders]
        return PartialOrders.from_pairs(np.array(before), items=names)

    def run() -> None:
        X = np.arange(len(orders), dtype=float)[:, None]
        model = PartialRanker.paper(items=list(first), weights=Neighbors(1)).fit(X, write(list(second)))
        compare(model.output_, model.output_.read(write(list(second))), meant, items)
        if model.predict(X).tolist() != [list(o) for o in orders] or score(model, X, write(list(second))) != 1:
            raise Broken("wrong answer", "names of PartialOrders are not those of the model")

    return Case(run, "answer", note=f"PartialOrders by {how}, items={first}, names {second}: {orders}")


UNREADABLE_TEXT = ["a<b", "a>b}"]
CYCLES: list = ["a>b>c>a", [("a", "b"), ("b", "a")], "a>a", ["a", "a"], [("a", "a")], "a>{b,a}"]
UNREADABLE: list = [
    *UNREADABLE_TEXT,
    ("a", "b"),
    1j,
    object(),
    [("a", "b", "c")],
    {"a": "first"},
    {"a": 1j},
    "a>",
    ">a",
    "a>>b",
    "a>{b",
    "{}",
    [["a"], "b"],
]
STRANGE: list = [
    "a=b>c", [("a",)], "a>b;c", "a,b", "a", "a < b", "a>b>", [1, 2], [0, 1, 2], ["a", 1], {"a", "b"}, (("a", "b"),), [],
    {}, {"a": None, "b": 1}, {"a": float("nan")}, {"a": float("inf"), "b": 1}, {"a": True, "b": False}, {"a": "1",
    "b": "2"},
    np.array(["a", "b"]), np.array([1.0, 2.0, 3.0]), "a>b>c>d", b"a>b", 3, True, [["a", "b"]], [None], ["a", None],
    pd.NaT,
    [("a", None)], "a>{b,c}>{b}", "a>b, b>c, c>a" * 2, {"a": 10**400}, "{a,b}>c", "{a,b}", [{"a", "b"}], [set()],
    "a>b,,b>c",
]  # fmt: skip


@st.composite
def hostile(draw: Any) -> Case:
    """One bad row among good ones; cycles are refused by name."""
    group = draw(st.sampled_from(["cycle", "unreadable", "strange", "strange"]))
    bad = draw(st.sampled_from({"cycle": CYCLES, "unreadable": UNREADABLE, "strange": STRANGE}[group]))
    column: list = ["a>b>c", [("c", "b")], None]
    meant = [of_buckets([["a"], ["b"], ["c"]]), Pairs({("c", "b")}), Pairs()]
    at = draw(st.integers(0, len(column)))
    column.insert(at, bad)
    meant.insert(at, Pairs())
    home = draw(st.sampled_from(columns.ANY[:5]))
    declared = draw(st.booleans())

    def run() -> None:
        space = Rankings(items=["a", "b", "c"] if declared else None).fit(home.write(column))
        compare(space, space.read(home.write(column)), meant, ["a", "b", "c"], set(range(len(meant))) - {at})

    note = f"Rankings, {home}{', items=abc' if declared else ''}, row {at} is {str(bad)[:60]!r}"
    return Case(
        run, "either" if group == "strange" else "refuse", at if group != "strange" else None, note, repr(bad)[:40]
    )
