"""Part 1: rows, sizes of sets, bits told, classes, annotators."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..diagnostics._choices import band_names, bands, in_bands
from ..diagnostics._conflicts import disjoint
from ..outputs import CandidateLabels, HammingBalls, Intervals, OutputSpace, PartialOrders, PartialTags, Sets
from . import _page as h
from ._figures import figure

FINEST = 10  # bits at most that a number tells: a thousandth of the range


class Sizes(NamedTuple):
    """How wide every set is."""

    exact: NDArray
    """(n,) boolean: one output is left."""
    unknown: NDArray
    """(n,) boolean: all are."""
    negated: NDArray
    """(n,) boolean: what is excluded was said."""
    wide: NDArray
    """(n,): candidates, unknown tags, unknown pairs, or the length of the interval."""
    what: str
    """What `wide` counts."""


def sizes(sets: Any) -> Sizes:
    """How wide sets are, whatever they are.

    >>> sizes(CandidateLabels([[True, False], [True, True]])).exact
    array([ True, False])
    """
    n = len(sets)
    negated = np.zeros(n, dtype=bool)
    unknown = np.asarray(sets.is_unlabelled)
    if isinstance(sets, CandidateLabels):
        negated = sets.negated & ~unknown
        return Sizes(sets.sizes == 1, unknown, negated, sets.sizes.astype(float), "candidates")
    if isinstance(sets, PartialTags):
        open_ = (sets.values == 0).sum(axis=1).astype(float)
        return Sizes(open_ == 0, unknown, negated, open_, "unknown tags")
    if isinstance(sets, HammingBalls):
        return Sizes(sets.radius == 0, unknown, negated, sets.radius.astype(float), "tags that may differ")
    if isinstance(sets, PartialOrders):
        open_ = (sets.codes == 0).sum(axis=1).astype(float)
        return Sizes(open_ == 0, unknown, negated, open_, "unknown pairs")
    if isinstance(sets, Intervals):
        length = np.add.reduceat(sets.upper - sets.lower, sets.indptr[:-1]) if n else np.empty(0)
        return Sizes(np.asarray(sets.is_point), unknown, negated, length, "length")
    raise ValueError(f"A report is about labels, tags, orders or numbers, not about {sets!r}.")


def bits(output: OutputSpace, sets: Any) -> NDArray:
    """How many bits every row tells, (n,): log2 of how many outputs there were, over how many are left.

    A number tells ten bits at most: its range is seen in a thousand parts.
    """
    if isinstance(sets, CandidateLabels):
        return np.log2(sets.listed.shape[1] / np.maximum(sets.sizes, 1))
    if isinstance(sets, PartialTags):
        return (sets.values != 0).sum(axis=1).astype(float)
    if isinstance(sets, HammingBalls):
        members = np.cumsum([math.comb(sets.m, k) for k in range(sets.m + 1)])
        return sets.m - np.log2(members[sets.radius.astype(int)].astype(float))
    if isinstance(sets, PartialOrders):
        return _order_bits(sets)
    finite = np.concatenate([sets.lower, sets.upper])
    finite = finite[np.isfinite(finite)]
    low, high = (finite.min(), finite.max()) if len(finite) else (0.0, 1.0)
    span = (high - low) or 1.0
    inside = np.minimum(sets.upper, high) - np.maximum(sets.lower, low)
    length = np.add.reduceat(np.maximum(inside, 0), sets.indptr[:-1])
    return np.clip(-np.log2(np.maximum(length / span, 2.0**-FINEST)), 0, FINEST)


def _order_bits(sets: PartialOrders) -> NDArray:
    """log2 of m! over the linear extensions; beyond what can be counted, the known pairs."""
    from ..feedback_arc import linear_extensions

    if sets.m > 12:
        return (sets.codes != 0).sum(axis=1).astype(float)
    distinct, which = sets.relations()
    count = linear_extensions(distinct).count
    assert count is not None
    return (math.log2(math.factorial(sets.m)) - np.log2(count.astype(float)))[which]


def content(output: OutputSpace, sets: Sets, annotators: list | None, ids: list | None, aside: dict | None) -> h.Markup:
    """The first part of the page."""
    found, told = sizes(sets), bits(output, sets)
    n, exact, unknown = len(sets), int(found.exact.sum()), int(found.unknown.sum())
    negated = int((found.negated & ~found.exact).sum())
    partial = n - exact - unknown - negated
    facts: list[tuple[str, Any]] = [("rows", n), ("exact", exact), ("partial", partial)]
    facts += [("negated", negated)] if isinstance(sets, CandidateLabels) else []
    facts += [("unknown", unknown), ("bits told a row", float(told.mean()))]
    parts = [h.tiles(facts)]
    if aside:
        parts.append(h.soft("Left aside: ", ", ".join(f"{name} ({why})" for name, why in aside.items()), "."))
    said = f"How wide the sets are, in {found.what}; bits told a row."
    parts.append(figure(lambda: _draw(found, told), "sizes", said))
    parts.append(_outputs(output, sets))
    if annotators is not None:
        parts.append(_annotators(sets, told, found, annotators, ids))
    return h.markup(*parts)


def _draw(found: Sizes, told: NDArray) -> Any:
    import matplotlib.pyplot as plt

    from ..plotting import COLOURS

    drawn, (left, right) = plt.subplots(1, 2, figsize=(8.4, 2.7), layout="constrained")
    wide = found.wide[np.isfinite(found.wide)]
    if found.what == "length":
        left.hist(wide, 20, color=COLOURS[0])
        open_ = int((~np.isfinite(found.wide)).sum())
        left.set_title(f"{open_} rows have an open side" if open_ else "")
    else:
        values, counts = np.unique(wide.astype(int), return_counts=True)
        left.bar(values, counts, color=COLOURS[0])
        left.xaxis.get_major_locator().set_params(integer=True)
    left.set(xlabel=found.what, ylabel="rows")
    right.hist(told, 20, color=COLOURS[2])
    right.set(xlabel="bits told", ylabel="rows")
    return drawn


def _outputs(output: OutputSpace, sets: Any) -> h.Markup:
    """A table of classes, tags, items or bands."""
    if isinstance(sets, CandidateLabels):
        mask = sets.mask[~sets.is_unlabelled]
        alone = sets.mask[sets.sizes == 1].sum(axis=0)
        names = sets.classes if sets.classes is not None else np.arange(mask.shape[1])
        rows = [
            [str(name), int(alone[k]), int(mask[:, k].sum()), int((~mask[:, k]).sum()), _share(mask[:, k])]
            for k, name in enumerate(names)
        ]
        columns = ["class", "rows exactly so", "rows that allow it", "rows that exclude it", "share that allows it"]
        return h.table(columns, rows, "Classes, over the rows that say anything.")
    if isinstance(sets, PartialTags):
        v = sets.values
        rows = [
            [str(name), *(int((np.sign(v[:, k]) == s).sum()) for s in (1, -1, 0)), _share(v[:, k] != 0)]
            for k, name in enumerate(vars(output)["tags_"])
        ]
        return h.table(["tag", "present", "absent", "unknown", "share known"], rows, "Tags.")
    if isinstance(sets, PartialOrders):
        return _items(sets)
    if isinstance(sets, Intervals):
        edges = bands(sets)
        mask = in_bands(sets, edges)[~np.asarray(sets.is_unlabelled)]
        rows = [[name, int(mask[:, k].sum()), _share(mask[:, k])] for k, name in enumerate(band_names(edges))]
        caption = "Bands of numbers, over the rows that say anything."
        return h.table(["band", "rows that allow it", "share"], rows, caption)
    return h.Markup("")


def _share(column: NDArray) -> float:
    return float(np.mean(column)) if len(column) else math.nan


def _items(sets: PartialOrders) -> h.Markup:
    from ..outputs.rankings.forms import pairs_in_codes

    before = pairs_in_codes(sets.codes.astype(float))
    ahead, behind = before.sum(axis=(0, 2)), before.sum(axis=(0, 1))
    rows = [
        [str(item), int((before[:, k].any(axis=1) | before[:, :, k].any(axis=1)).sum()), int(ahead[k]), int(behind[k]),
         float(ahead[k] / max(ahead[k] + behind[k], 1))]
        for k, item in enumerate(sets.items)
    ]  # fmt: skip
    columns = ["item", "rows that place it", "times before another", "times behind another", "share before"]
    return h.table(columns, rows, "Items.")


def _annotators(sets: Any, told: NDArray, found: Sizes, annotators: list, ids: list | None) -> h.Markup:
    """Who answers how often, how widely, alone, and against all others."""
    names = np.array([str(name) for name in annotators], dtype=object)
    groups: dict[Any, list[int]] = {}
    for row, key in enumerate(range(len(names)) if ids is None else ids):
        groups.setdefault(key, []).append(row)
    alone, against = np.zeros(len(names), dtype=bool), np.zeros(len(names), dtype=bool)
    for rows in groups.values():
        answered = [row for row in rows if not found.unknown[row]]
        if len(answered) == 1:
            alone[answered[0]] = True
        for row in answered if len(answered) > 1 else []:
            others = np.array([other for other in answered if other != row])
            apart = disjoint(sets, np.full(len(others), row), others)
            against[row] = apart is not None and bool(apart.all())
    body = []
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        answers = mine & ~found.unknown
        n = int(answers.sum())
        body.append([
            name, int(mine.sum()), n, float(told[answers].mean()) if n else math.nan,
            float(found.exact[answers].mean()) if n else math.nan, int(alone[mine].sum()), int(against[mine].sum()),
        ])  # fmt: skip
    columns = ["annotator", "asked", "answered", "bits told", "share exact", "alone", "against all others"]
    caption = "Annotators: alone is where nobody else answered; against, where nothing is common with any other answer."
    return h.markup(h.head("Annotators"), h.table(columns, body, caption))
