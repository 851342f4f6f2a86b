"""X, sample weights and chunks: every kind of table under every kind of weights, and names that bind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import strategies as st

from infimum import Chunks, PartialClassifier, PartialMultilabelClassifier, PartialRegressor, weights

from .contract import Broken, Case

WEIGHTS = {
    "kernel": lambda: weights.KernelRidge(),
    "laplacian kernel": lambda: weights.KernelRidge(kernel="laplacian"),
    "polynomial": lambda: weights.KernelRidge(kernel="polynomial"),
    "nystrom": lambda: weights.Nystrom(4),
    "linear": lambda: weights.LinearRidge(),
    "neighbors": lambda: weights.Neighbors(2),
    "distance": lambda: weights.Neighbors(2, weights="distance"),
    "forest": lambda: weights.Forest(20, random_state=0),
    "harmonic": lambda: weights.Laplacian(2),
}
QUICK = [name for name in WEIGHTS if name not in ("forest", "path")]


def finite(model: Any, X: Any) -> Any:
    """Predictions, and whatever else a model says of X, without NaN."""
    Z = model.predict(X)
    if np.asarray(Z).dtype.kind == "f" and not np.isfinite(np.asarray(Z)).all():
        raise Broken("NaN", f"predicted {np.asarray(Z).ravel()[:5]}")
    found = model.minimum(X)
    for name in ("value", "bound"):
        if np.isnan(np.asarray(getattr(found, name), dtype=float)).any():
            raise Broken("NaN", f"minimum(X).{name}")
    if (np.asarray(found.bound) > np.asarray(found.value) + 1e-6 * (1 + np.abs(found.value))).any():
        raise Broken("wrong answer", "a lower bound above the value")
    return Z


huge = st.sampled_from([1e200, -1e200, 1e155, 1e308, 1e-200, 1e-320, 5e-324, 1e16])
usual = st.sampled_from([0.0, 1.0, -1.0, 0.5, 3.25])


@st.composite
def extremes(draw: Any) -> Case:
    """Rows of X of any size, equal rows, one row: finite predictions or a refusal that names X or a parameter."""
    family = draw(st.sampled_from(QUICK))
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    cell = st.one_of(usual, usual, huge)
    X = [[draw(cell) for _ in range(d)] for _ in range(n)]
    kind = draw(st.sampled_from(["labels", "numbers", "tags"]))
    y: Any = {
        "labels": ["a", "b", None, {"a", "c"}, "c"],
        "numbers": [1.0, (2, 3), None, 4.0, (5, 6)],
        "tags": ["+r -s", "-r", "+s", None, "-s +r"],
    }[kind][:n]
    model = {"labels": PartialClassifier, "numbers": PartialRegressor, "tags": PartialMultilabelClassifier}[kind]

    def run() -> None:
        finite(model(weights=WEIGHTS[family]()).fit(np.array(X), y), np.array(X))

    return Case(run, "either", note=f"{kind}, {family}: X = {X}")


HOSTILE: dict[str, Any] = {
    "NaN": lambda: np.array([[0.0], [np.nan], [1.0]]),
    "inf": lambda: np.array([[0.0], [np.inf], [1.0]]),
    "text column": lambda: pd.DataFrame({"a": [0.0, 1.0, 2.0], "colour": ["red", "blue", "red"]}),
    "text array": lambda: np.array([["a"], ["b"], ["c"]]),
    "objects": lambda: np.array([[object()], [1], [2]], dtype=object),
    "None": lambda: [[None], [1.0], [2.0]],
    "NA frame": lambda: pd.DataFrame({"a": pd.array([1, pd.NA, 3], dtype="Int64")}),
    "polars null": lambda: pl.DataFrame({"a": [1.0, None, 3.0]}),
    "1d": lambda: np.arange(3.0),
    "3d": lambda: np.zeros((3, 2, 2)),
    "complex": lambda: np.array([[1j], [2], [3]]),
    "no rows": lambda: np.zeros((0, 2)),
    "no columns": lambda: np.zeros((3, 0)),
    "ragged": lambda: [[1.0], [1.0, 2.0], [3.0]],
    "too few rows": lambda: np.zeros((2, 1)),
    "too many rows": lambda: np.zeros((4, 1)),
    "text": lambda: "abc",
    "scalar": lambda: 3.0,
    "dict": lambda: {"a": [1, 2, 3]},
    "None itself": lambda: None,
    "dates": lambda: pd.DataFrame({"a": pd.to_datetime(["2020-01-01", "2020-01-02", "2020-01-03"])}),
    "categories": lambda: pd.DataFrame({"a": pd.Categorical(["x", "y", "x"])}),
    "sparse NaN": lambda: sp.csr_matrix(np.array([[0.0], [np.nan], [1.0]])),
}
SOME = {"dates", "dict", "text array", "categories"}
"""Tables that might be made sense of."""


@st.composite
def hostile(draw: Any) -> Case:
    """Tables that are none."""
    name, family = draw(st.sampled_from(sorted(HOSTILE))), draw(st.sampled_from(QUICK))
    where = draw(st.sampled_from(["fit", "predict", "score"]))

    def run() -> None:
        model, y = PartialClassifier.paper(weights=WEIGHTS[family]()), ["a", "b", "a"]
        if where == "fit":
            model.fit(HOSTILE[name](), y)
            return
        model.fit(np.array([[0.0], [1.0], [2.0]]), y)
        if where == "predict":
            model.predict(HOSTILE[name]())
        else:
            model.score(HOSTILE[name](), y)

    fine = name in SOME or (where == "predict" and name in ("too few rows", "too many rows"))
    return Case(
        run, "either" if fine else "refuse", note=f"X is {name} at {where}, {family}", what=f"{name} at {where}"
    )


KINDS: dict[str, Any] = {
    "frame": lambda F: F,
    "float32": lambda F: F.astype(np.float32),
    "nullable": lambda F: F.astype("Float64"),
    "Arrow": lambda F: F.astype(pd.ArrowDtype(pa.float64())),
    "odd index": lambda F: F.set_axis([f"r{9 - i}" for i in range(len(F))]),
    "polars": lambda F: pl.DataFrame({c: F[c].tolist() for c in F}),
}
PLAIN: dict[str, Any] = {
    "lists": lambda F: F.to_numpy().tolist(),
    "csr": lambda F: sp.csr_matrix(F.to_numpy()),
    "csc": lambda F: sp.csc_array(F.to_numpy()),
    "coo": lambda F: sp.coo_matrix(F.to_numpy()),
    "Fortran": lambda F: np.asfortranarray(F.to_numpy()),
    "strided": lambda F: np.repeat(F.to_numpy(), 2, axis=1)[:, ::2],
    "read only": lambda F: np.frombuffer(F.to_numpy().tobytes()).reshape(F.shape),
}
Y = [{"a", "b"}, "b", "c", None, "a", "c"]


def drawn_frame(draw: Any) -> pd.DataFrame:
    seed = draw(st.integers(0, 10**6))
    return pd.DataFrame(np.random.default_rng(seed).integers(-4, 5, (6, 3)) / 2 + np.eye(6, 3), columns=["u", "v", "w"])


def agree(got: Any, want: Any, words: str, scores: Any = None) -> None:
    """The same answers, but for ties in the scores (n, m), which another order of summation may break another way."""
    got, want = np.asarray(got), np.asarray(want)
    differ = np.ones(1, dtype=bool) if got.shape != want.shape else got != want
    if scores is not None and differ.any() and got.shape == want.shape:
        first, second = -np.sort(-np.asarray(scores), axis=1)[:, :2].T
        differ &= first - second > 1e-9
    if differ.any():
        raise Broken("wrong answer", words)


@st.composite
def kinds(draw: Any) -> Case:
    """The same table in another container gives the same predictions; named columns may come in any order."""
    F, family = drawn_frame(draw), draw(st.sampled_from([*QUICK, "forest"]))
    kind = draw(st.sampled_from(sorted([*KINDS, *PLAIN])))
    order = draw(st.permutations(list(F.columns)))
    exact = kind != "float32" and "csr csc coo".find(kind) < 0

    def run() -> None:
        base = PartialClassifier.paper(weights=WEIGHTS[family]()).fit(F.to_numpy(), Y)
        make = KINDS.get(kind) or PLAIN[kind]
        model = PartialClassifier.paper(weights=WEIGHTS[family]()).fit(make(F), Y)
        told = np.asarray(model.predict(make(F)))
        if exact:
            scores = base.decision_function(F.to_numpy())
            agree(told, base.predict(F.to_numpy()), "predictions depend on the container of X", scores)
        if kind in KINDS:
            again = model.predict(make(F[list(order)]))
            agree(again, told, "named columns in another order are taken by position", model.decision_function(make(F)))

    named = kind in KINDS and list(order) != list(F.columns)
    sparse = kind in ("csr", "csc", "coo")
    return Case(
        run,
        "either" if named or sparse else "answer",
        note=f"X as {kind}, later {order}, {family}: {F.to_numpy().tolist()}",
    )


BAD_WEIGHTS: list = [
    [1, 1], [1, 1, 1, 1], [-1, 1, 1], [np.nan, 1, 1], [np.inf, 1, 1], [0, 0, 0], "abc", ["a", "b", "c"], [[1], [1],
    [1]],
    [None, 1, 1], -1, 0, np.nan, {"a": 1}, [1j, 1, 1], np.zeros((3, 2)), [],
]  # fmt: skip
ODD_WEIGHTS: list = [
    [1e308, 1e308, 1e308],
    [1e-308, 1e-308, 1e-308],
    [0, 1, 1],
    [0, 0, 1],
    1,
    2.5,
    [True, False, True],
    [1e-320, 1, 1],
    [1e300, 1, 1e-300],
    None,
]


@st.composite
def sample_weights(draw: Any) -> Case:
    """Sample weights that count nothing are refused by name, in fit and in score; others give finite predictions."""
    bad = draw(st.booleans())
    w = draw(st.sampled_from(BAD_WEIGHTS if bad else ODD_WEIGHTS))
    family = draw(st.sampled_from(QUICK))
    where = draw(st.sampled_from(["fit", "score"]))
    kind = draw(st.sampled_from(["labels", "numbers"]))
    X = np.array([[0.0], [1.0], [3.0]])
    y: Any = ["a", "b", "a"] if kind == "labels" else [1.0, (2, 3), 5.0]

    def run() -> None:
        model = (PartialClassifier if kind == "labels" else PartialRegressor)(weights=WEIGHTS[family]())
        if where == "fit":
            finite(model.fit(X, y, sample_weight=w), X)
            return
        if not np.isfinite(score := model.fit(X, y).score(X, y, sample_weight=w)) or score > 1 + 1e-9:
            raise Broken("NaN", f"score {score}")

    return Case(
        run,
        "refuse" if bad else "either",
        note=f"sample_weight={w!r} at {where}, {kind}, {family}",
        what=f"{w!r} at {where}",
    )


@st.composite
def chunks(draw: Any) -> Case:
    """Chunks of frames whose named columns come in other orders, of X and of y, teach what the whole table teaches."""
    F, family = drawn_frame(draw), draw(st.sampled_from(["nystrom", "linear"]))
    orders = [list(draw(st.permutations(list(F.columns)))) for _ in range(2)]
    kind = draw(st.sampled_from(["labels", "tags"]))
    cut = draw(st.integers(1, 5))
    tags = pd.DataFrame([[1, -1], [-1, 1], [1, 1], [-1, -1], [1, 0], [0, 1]], columns=["r", "s"])
    swapped = draw(st.booleans())

    def y(rows: slice, turned: bool) -> Any:
        if kind == "labels":
            return Y[rows]
        return tags[["s", "r"] if turned else ["r", "s"]].iloc[rows]

    def run() -> None:
        estimator = PartialClassifier if kind == "labels" else PartialMultilabelClassifier
        parts = [slice(0, cut), slice(cut, 6)]
        given = [(F[o].iloc[p], y(p, swapped and k == 1)) for k, (o, p) in enumerate(zip(orders, parts))]
        whole = estimator(weights=WEIGHTS[family]()).fit(F[orders[0]], y(slice(None), False))
        model = estimator(weights=WEIGHTS[family]()).fit(Chunks(given))
        if not hasattr(model, "feature_names_in_"):
            raise Broken("wrong answer", "chunks of frames leave no feature_names_in_: their names bind nothing")
        agree(model.predict(F[orders[0]]), whole.predict(F[orders[0]]), "chunks teach something else than the table")

    same = orders[0] == orders[1] and not swapped
    note = f"chunks of {kind} at {cut}, columns {orders}, tags swapped {swapped}, {family}: {F.to_numpy().tolist()}"
    return Case(run, "answer" if same else "either", note=note)
