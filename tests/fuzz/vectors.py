"""Vectors: values with gaps, boxes, balls, annuli and candidates, and which points they hold."""

from __future__ import annotations

from collections.abc import Callable
from math import hypot, inf, isnan
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
from hypothesis import strategies as st

from infimum import Annuli, Balls, Boxes, CandidatePoints, PartialRegressor
from infimum.outputs import Vectors
from infimum.solvers import Alternate
from infimum.weights import Neighbors

from .contract import Broken, Case

coordinate = st.sampled_from([-3.0, -1.0, 0.0, 0.5, 2.0, 4.0])
point = st.tuples(coordinate, coordinate)
GRID = [(a, b) for a in (-3.0, -1.0, 0.25, 0.5, 2.0, 4.0, 9.0) for b in (-3.0, -1.0, 0.25, 0.5, 2.0, 4.0)]


def inside(distance: float) -> bool | None:
    """Whether a point this far from a set is in it; None where floating point decides."""
    return None if 0 < distance < 1e-6 else distance <= 0


def check_rows(space: Any, sets: Any, far: list[Callable[[float, float], float]]) -> None:
    """`contains` agrees with the distance of every row, on a grid."""
    for z in GRID:
        got = sets.contains(np.tile(z, (len(far), 1)))
        for i, distance in enumerate(far):
            want = inside(distance(*z))
            if want is not None and bool(got[i]) != want:
                raise Broken("wrong answer", f"row {i} {'holds' if got[i] else 'lacks'} {z}")


def check_predictions(y: Any, far: list, bounds: Any = None) -> None:
    X = np.arange(len(far), dtype=float)[:, None]
    model = PartialRegressor.paper(weights=Neighbors(1), solver=Alternate(), bounds=bounds).fit(X, y)
    for i, z in enumerate(model.predict(X)):
        if not np.isfinite(z).all():
            raise Broken("NaN", f"row {i} is answered by {z}")
        if far[i](*z) > 1e-6:
            raise Broken("wrong answer", f"row {i} is answered by {z}, which is not in its set")


def box(low: tuple, high: tuple) -> Callable[[float, float], float]:
    return lambda a, b: max(low[0] - a, a - high[0], low[1] - b, b - high[1], 0.0)


def written_rows(kind: str, draw: Any, n: int) -> tuple[Callable[[], Any], list, str]:
    """Sets of a kind, what each row holds, and a note."""
    if kind == "boxes":
        ends = [tuple(zip(*(sorted((draw(coordinate), draw(coordinate))) for _ in range(2)))) for _ in range(n)]
        opened = [draw(st.sampled_from(["", "", "low", "high"])) for _ in range(n)]
        low = [(-inf, e[0][1]) if o == "low" else e[0] for e, o in zip(ends, opened)]
        high = [(e[1][0], inf) if o == "high" else e[1] for e, o in zip(ends, opened)]
        return lambda: Boxes(low, high), [box(a, b) for a, b in zip(low, high)], f"Boxes({low}, {high})"
    if kind == "balls":
        c, r = [draw(point) for _ in range(n)], [draw(st.sampled_from([0.0, 1.0, 2.5])) for _ in range(n)]
        far = [(lambda a, b, c=c_, r=r_: max(hypot(a - c[0], b - c[1]) - r, 0.0)) for c_, r_ in zip(c, r)]
        return lambda: Balls(c, r), far, f"Balls({c}, {r})"
    if kind == "annuli":
        inner = [draw(st.sampled_from([0.0, 1.0, 2.0])) for _ in range(n)]
        outer = [i + draw(st.sampled_from([0.0, 0.5, 2.0])) for i in inner]
        far = [(lambda a, b, i=i_, o=o_: max(i - hypot(a, b), hypot(a, b) - o, 0.0)) for i_, o_ in zip(inner, outer)]
        return lambda: Annuli(inner, outer), far, f"Annuli({inner}, {outer})"
    points = [draw(st.lists(point, min_size=1, max_size=3, unique=True)) for _ in range(n)]
    far = [(lambda a, b, p=p_: min(hypot(a - u, b - v) for u, v in p)) for p_ in points]
    return lambda: CandidatePoints([list(map(list, p)) for p in points]), far, f"CandidatePoints({points})"


@st.composite
def written(draw: Any) -> Case:
    """Boxes, balls, annuli and candidates."""
    kind = draw(st.sampled_from(["boxes", "balls", "annuli", "candidates"]))
    n = draw(st.integers(1, 4))
    make, far, note = written_rows(kind, draw, n)

    def run() -> None:
        space = Vectors().fit(make())
        check_rows(space, space.read(make()), far)
        check_predictions(make(), far)

    return Case(run, "answer", note=note)


HOMES: dict[str, tuple] = {
    "array": (np.array, "answer"),
    "lists": (lambda V: [list(v) for v in V], "either"),
    "frame": (lambda V: pd.DataFrame(V, columns=["u", "v"]), "answer"),
    "polars frame": (lambda V: pl.DataFrame({"u": [v[0] for v in V], "v": [v[1] for v in V]}), "answer"),
    "masked": (lambda V: np.ma.array(np.nan_to_num(np.array(V), nan=9.0), mask=np.isnan(V)), "answer"),
    "object array": (lambda V: np.array([[None if isnan(c) else c for c in v] for v in V], dtype=object), "either"),
}


@st.composite
def values(draw: Any) -> Case:
    """(n, d) values; NaN is a coordinate that is not known."""
    gap = st.one_of(coordinate, coordinate, st.just(float("nan")))
    V = draw(st.lists(st.tuples(gap, gap), min_size=1, max_size=4)) + [(0.5, 2.0), (4.0, -1.0)]
    home = draw(st.sampled_from(sorted(HOMES)))
    write, verdict = HOMES[home]
    far = [box(tuple(-inf if isnan(c) else c for c in v), tuple(inf if isnan(c) else c for c in v)) for v in V]

    def run() -> None:
        space = Vectors().fit(write(V))
        check_rows(space, space.read(write(V)), far)

    return Case(run, verdict, note=f"Vectors as {home}: {V}")


BAD = {
    "lower above upper": lambda: Boxes([[0.0, 3.0], [0.0, 0.0]], [[1.0, 1.0], [1.0, 1.0]]),
    "negative radius": lambda: Balls([[0.0, 0.0]], [-1.0]),
    "NaN radius": lambda: Balls([[0.0, 0.0]], [np.nan]),
    "infinite radius": lambda: Balls([[0.0, 0.0]], [np.inf]),
    "NaN center": lambda: Balls([[0.0, np.nan]], [1.0]),
    "inner above outer": lambda: Annuli([2.0], [1.0]),
    "negative inner": lambda: Annuli([-1.0], [1.0]),
    "NaN amplitude": lambda: Annuli([np.nan], [1.0]),
    "no candidates": lambda: CandidatePoints([[[0.0, 0.0]], []]),
    "ragged candidates": lambda: CandidatePoints([[[0.0, 0.0]], [[1.0]]]),
    "infinite candidate": lambda: CandidatePoints([[[0.0, np.inf]]]),
    "phase of one dimension": lambda: Annuli(1.0, 2.0, phase=(6, 2)),
    "zero phase": lambda: Annuli([1.0], [2.0], phase=[[0.0, 0.0]]),
    "lengths": lambda: Balls([[0.0, 0.0], [1.0, 1.0]], [1.0, 1.0, 1.0]),
    "text": lambda: Boxes([["a", "b"]], [["c", "d"]]),
    "bounds far away": lambda: PartialRegressor.paper(weights=Neighbors(1), bounds=(100, 200)).fit(
        [[0.0], [1.0]], Boxes([[0.0, 0.0]] * 2, [[1.0, 1.0]] * 2)
    ),
    "bounds turned round": lambda: Vectors(bounds=(2, 1)).fit([[0.0, 1.0]]),
    "NaN bounds": lambda: Vectors(bounds=(np.nan, 1)).fit([[0.0, 1.0]]),
}
EITHER = {"infinite radius", "phase of one dimension", "zero phase"}


@st.composite
def hostile(draw: Any) -> Case:
    """Sets that are none: refused in words."""
    name = draw(st.sampled_from(sorted(BAD)))
    return Case(BAD[name], "either" if name in EITHER else "refuse", note=name, what=name)
