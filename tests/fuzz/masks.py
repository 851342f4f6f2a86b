"""Candidate masks: one column per class, in every table there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import scipy.sparse as sp
from hypothesis import strategies as st

from infimum import CandidateLabels
from infimum.outputs import Labels

from .contract import Broken, Case
from .labels import Row, compare, key

NAMES = ["owl", "cat", "dog", "ant"]


def doubled(mask: np.ndarray) -> sp.coo_matrix:
    """Every candidate entered twice."""
    i, j = np.nonzero(mask)
    return sp.coo_matrix((np.ones(2 * len(i)), (np.r_[i, i], np.r_[j, j])), shape=mask.shape)


def zeros_kept(mask: np.ndarray) -> sp.csr_matrix:
    """All entries stored, also those that are False."""
    i, j = np.indices(mask.shape)
    return sp.csr_matrix((mask.ravel(), (i.ravel(), j.ravel())), shape=mask.shape)


UNNAMED = {
    "bool array": (lambda mask: mask, "answer"),
    "Fortran array": (np.asfortranarray, "answer"),
    "list of lists": (lambda mask: mask.tolist(), "answer"),
    "list of arrays": (list, "either"),
    "list of 0/1 lists": (lambda mask: mask.astype(int).tolist(), "refuse"),
    "int array": (lambda mask: mask.astype(int), "refuse"),
    "float array": (lambda mask: mask.astype(float), "refuse"),
    "object array": (lambda mask: mask.astype(object), "either"),
    "masked array": (lambda mask: np.ma.array(mask, mask=np.zeros(mask.shape, bool)), "answer"),
    "csr": (sp.csr_matrix, "answer"),
    "csr array": (sp.csr_array, "answer"),
    "csc": (sp.csc_matrix, "answer"),
    "coo": (sp.coo_matrix, "answer"),
    "lil": (sp.lil_matrix, "answer"),
    "dok": (sp.dok_matrix, "answer"),
    "bsr": (sp.bsr_matrix, "answer"),
    "dia": (sp.dia_matrix, "answer"),
    "float csr": (lambda mask: sp.csr_matrix(mask.astype(float)), "answer"),
    "int8 csr": (lambda mask: sp.csr_matrix(mask.astype(np.int8)), "answer"),
    "coo, duplicates": (doubled, "refuse"),
    "csr, zeros stored": (zeros_kept, "answer"),
    "CandidateLabels": (CandidateLabels, "answer"),
    "CandidateLabels of lists": (lambda mask: CandidateLabels(mask.tolist()), "answer"),
    "negated CandidateLabels": (lambda mask: CandidateLabels(~mask, negated=np.ones(len(mask), bool)), "answer"),
}
NAMED: dict[str, tuple] = {
    "frame": (lambda f: f, "answer"),
    "frame, odd index": (lambda f: f.set_axis(range(90, 90 - len(f), -1)), "answer"),
    "boolean frame": (lambda f: f.astype("boolean"), "answer"),
    "Arrow frame": (lambda f: f.astype(pd.ArrowDtype(pa.bool_())), "answer"),
    "object frame": (lambda f: f.astype(object), "either"),
    "sparse frame": (lambda f: f.astype(pd.SparseDtype(bool, False)), "either"),
    "polars frame": (lambda f: pl.DataFrame({c: f[c].tolist() for c in f}), "answer"),
    "0/1 frame": (lambda f: f.astype(int), "refuse"),
}
PROBABILITIES = ("float array", "0/1 frame")
"""Numbers in rows that sum to one are soft labels, not candidates."""


@st.composite
def masks(draw: Any) -> np.ndarray:
    n, m = draw(st.integers(1, 5)), draw(st.integers(2, 4))
    bits = draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n))
    return np.array(bits, dtype=bool)


def meant(mask: np.ndarray, names: list) -> list[Row]:
    return [Row(tuple(c for c, here in zip(names, row) if here)) for row in mask]


def read_all(space: Labels, write: Any, mask: np.ndarray, names: list) -> None:
    space = space.fit(write(mask))
    compare(space, space.read(write(mask)), meant(mask, names), names, ordered=False)
    for i in range(len(mask)):
        compare(space, space.read(write(mask[[i]])), meant(mask[[i]], names), names, ordered=False)


@st.composite
def unnamed(draw: Any) -> Case:
    """Masks without names: classes 0, …, m-1, or those that are declared."""
    mask = draw(masks())
    home = draw(st.sampled_from(sorted(UNNAMED)))
    write, verdict = UNNAMED[home]
    declared = draw(st.booleans()) and "CandidateLabels" not in home
    m = mask.shape[1]
    names = NAMES[:m] if declared else list(range(m))
    empty = np.flatnonzero(~mask.any(axis=1))
    row = None
    if home in PROBABILITIES and (mask.sum(axis=1) == 1).all():
        verdict = "either"
    if len(empty):
        verdict, row = ("refuse", int(empty[0])) if verdict == "answer" else (verdict, None)
    note = f"mask as {home}{', classes=' + repr(names) if declared else ''}: {mask.astype(int).tolist()}"

    def run() -> None:
        read_all(Labels(classes=names if declared else None), write, mask, names)

    return Case(run, verdict, row, note)


@st.composite
def named(draw: Any) -> Case:
    """Frames of booleans: columns are matched by name, whatever their order, at fit (`classes=`) and later."""
    mask = draw(masks().filter(lambda mask: mask.any(axis=1).all()))
    home = draw(st.sampled_from(sorted(NAMED)))
    make, verdict = NAMED[home]
    if home in PROBABILITIES and (mask.sum(axis=1) == 1).all():
        verdict = "either"
    names = NAMES[: mask.shape[1]]
    order = draw(st.permutations(names))
    declared = draw(st.one_of(st.none(), st.permutations(names)))
    note = f"{home} {names}, later {order}, classes={declared}: {mask.astype(int).tolist()}"

    def write(order: list) -> Any:
        return make(pd.DataFrame(mask, columns=names)[order])

    def run() -> None:
        space = Labels(classes=declared).fit(write(names))
        for columns in (names, order):
            compare(space, space.read(write(columns)), meant(mask, names), names, ordered=False)
        if declared is not None and [key(c) for c in space.classes_] != [key(c) for c in declared]:
            raise Broken("wrong answer", f"classes_ {list(space.classes_)} are not in the order declared, {declared}")

    return Case(run, verdict, note=note)


@st.composite
def unknown_cells(draw: Any) -> Case:
    """Frames with a missing cell: that candidate stays possible, or the row is refused; no other cell changes."""
    mask = draw(masks().filter(lambda mask: mask.any(axis=1).all()))
    names = NAMES[: mask.shape[1]]
    i, j = draw(st.integers(0, len(mask) - 1)), draw(st.integers(0, len(names) - 1))
    home = draw(st.sampled_from(["object", "boolean", "polars", "float"]))
    cells = mask.astype(object)
    cells[i, j] = None
    frame = pd.DataFrame(cells, columns=names)

    def write() -> Any:
        if home == "polars":
            return pl.DataFrame({c: cells[:, k].tolist() for k, c in enumerate(names)})
        if home == "float":
            return frame.astype(float)
        return frame.astype("boolean") if home == "boolean" else frame

    # a polars column of nothing but null has no type
    many = len(mask) > 1
    possible = mask.copy()
    possible[i, j] = True

    def run() -> None:
        space = Labels().fit(write())
        compare(space, space.read(write()), meant(possible, names), names, ordered=False)

    return Case(
        run,
        "answer" if home in ("boolean", "polars") and many else "either",
        note=f"{home} frame, cell ({i}, {j}) missing: {cells.tolist()}",
    )


HOSTILE = [
    [[1, -1], [-1, 1]],
    [[0.5, 1], [1, 0]],
    [[np.nan, 1], [1, 0]],
    [[2, 0], [0, 1]],
    [[3, 0], [0, 1]],
    [["a", 1], [0, 1]],
]


@st.composite
def hostile(draw: Any) -> Case:
    """`CandidateLabels` and sparse masks of what is no boolean, negations and classes of a wrong length."""
    kind = draw(
        st.sampled_from(["CandidateLabels", "csr", "CandidateLabels of csr", "negated", "classes", "short", "cube"])
    )
    values = draw(st.sampled_from(HOSTILE))
    if kind in ("csr", "CandidateLabels of csr") and isinstance(values[0][0], str):
        kind = "CandidateLabels"
    mask = np.eye(2, dtype=bool)

    def run() -> Any:
        if kind == "CandidateLabels":
            return CandidateLabels(values)
        if kind == "csr":
            return Labels().fit(sp.csr_matrix(np.array(values))).read(sp.csr_matrix(np.array(values)))
        if kind == "CandidateLabels of csr":
            return CandidateLabels(sp.csr_matrix(np.array(values)))
        if kind == "negated":
            return CandidateLabels(mask, negated=[True])
        if kind == "cube":
            return CandidateLabels(np.ones((2, 2, 2), bool))
        return CandidateLabels(mask, classes=["a", "b", "c"] if kind == "classes" else ["a"])

    # a candidate that is missing stays one
    verdict = "either" if kind == "CandidateLabels" and values == HOSTILE[2] else "refuse"
    return Case(run, verdict, note=f"{kind} {values}", what=f"{kind} {values}".replace("1", "one"))
