"""First section of the report: rows, sizes of the sets, information, classes, annotators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs import OutputSpace, Sets, SetStatistics
from ..plotting import COLOURS
from . import _page as h
from ._figures import axes, figure

BINS = 20
MOST_NAMES = 1000  # classes, tags or items that are listed


def section(
    output: OutputSpace, sets: Sets, annotators: list | None, ids: list | None, unused: dict[str, str] | None
) -> h.Markup:
    """Return the section about the partial labels."""
    found, summary = output.describe(sets), output.summary(sets)
    n, exact, unlabelled = len(sets), int(found.is_exact.sum()), int(found.is_unlabelled.sum())
    counts = [("rows", n), ("exact", exact), ("partial", n - exact - unlabelled), *summary.counts]
    bits = found.bits[np.isfinite(found.bits)]
    counts += [("unlabelled", unlabelled), ("bits per row", float(bits.mean()) if len(bits) else math.nan)]
    parts = [h.tiles(counts)]
    if unused:
        parts.append(h.soft("Unused columns: ", ", ".join(f"{name} ({why})" for name, why in unused.items()), "."))
    if (np.isfinite(found.size) & ~found.is_unlabelled).any():
        caption = f"Size of the candidate sets of labelled rows ({found.unit})."
        sizes = figure(lambda: _draw_sizes(found), "sizes", caption)
        bits_drawn = figure(lambda: _draw_bits(found), "bits", "Information per row, in bits.")
        parts.append(h.tag("div", sizes, bits_drawn, class_="charts"))
    parts += [h.table(table.columns, table.rows, table.title, MOST_NAMES) for table in summary.tables]
    if annotators is not None:
        parts.append(_annotators(sets, found, annotators, ids))
    return h.markup(*parts)


def _draw_sizes(found: SetStatistics) -> Any:
    from matplotlib.ticker import MaxNLocator

    size = found.size[np.isfinite(found.size) & ~found.is_unlabelled]
    infinite = int((np.isinf(found.size) & ~found.is_unlabelled).sum())
    drawn, ax = axes(title=f"{infinite} rows are unbounded" if infinite else "", xlabel=found.unit, ylabel="rows")
    if (size == size.round()).all() and not infinite:
        values, counts = np.unique(size.astype(int), return_counts=True)
        ax.bar(values, counts, color=COLOURS[0])
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    else:
        ax.hist(size, BINS, color=COLOURS[0])
    return drawn


def _draw_bits(found: SetStatistics) -> Any:
    drawn, ax = axes(xlabel="bits", ylabel="rows")
    ax.hist(found.bits[np.isfinite(found.bits)], BINS, color=COLOURS[2])
    return drawn


def _annotators(sets: Any, found: SetStatistics, annotators: list, ids: list | None) -> h.Markup:
    """Return a table of annotators: answers, information, and contradictions with all others."""
    names = np.array([str(name) for name in annotators], dtype=object)
    alone, against = _agreement(sets, found.is_unlabelled, list(range(len(names))) if ids is None else ids)
    body = []
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        answers = mine & ~found.is_unlabelled
        n = int(answers.sum())
        body.append([
            name, int(mine.sum()), n, float(found.bits[answers].mean()) if n else math.nan,
            float(found.is_exact[answers].mean()) if n else math.nan, int(alone[mine].sum()), int(against[mine].sum()),
        ])  # fmt: skip
    columns = ["annotator", "asked", "answered", "bits per answer", "fraction exact", "alone", "against all others"]
    caption = (
        "Annotators. Alone: nobody else answered. Against all others: the answer has no output in common with any other"
        " answer."
    )
    return h.markup(h.head("Annotators"), h.table(columns, body, caption))


def _agreement(sets: Any, unlabelled: NDArray, ids: list) -> tuple[NDArray, NDArray]:
    """Return which answers are the only one for their id, and which contradict all others, (n,) boolean."""
    groups: dict[Any, list[int]] = {}
    for row, key in enumerate(ids):
        groups.setdefault(key, []).append(row)
    alone, against = np.zeros(len(ids), dtype=bool), np.zeros(len(ids), dtype=bool)
    for rows in groups.values():
        answered = np.array([row for row in rows if not unlabelled[row]], dtype=int)
        if len(answered) == 1:
            alone[answered] = True
        for row in answered if len(answered) > 1 else []:
            others = answered[answered != row]
            against[row] = not sets[np.full(len(others), row)].meets(sets[others]).any()
    return alone, against
