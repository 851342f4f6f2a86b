"""Part 1: rows, sizes of sets, bits told, classes, annotators."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..diagnostics._choices import band_names, bands, in_bands
from ..diagnostics._conflicts import disjoint
from ..outputs import CandidateLabels, Intervals, OutputSpace, PartialOrders, PartialTags, Sets, SetStatistics
from . import _page as h
from ._figures import figure


def content(output: OutputSpace, sets: Sets, annotators: list | None, ids: list | None, aside: dict | None) -> h.Markup:
    """The first part of the page."""
    found = output.describe(sets)
    n, exact, unknown = len(sets), int(found.is_exact.sum()), int(found.is_unlabelled.sum())
    facts: list[tuple[str, Any]] = [("rows", n), ("exact", exact)]
    if isinstance(sets, CandidateLabels):
        negated = int((sets.negated & ~found.is_exact & ~found.is_unlabelled).sum())
        facts += [("partial", n - exact - unknown - negated), ("negated", negated)]
    else:
        facts.append(("partial", n - exact - unknown))
    facts += [("unknown", unknown), ("bits told a row", float(found.bits.mean()))]
    parts = [h.tiles(facts)]
    if aside:
        parts.append(h.soft("Left aside: ", ", ".join(f"{name} ({why})" for name, why in aside.items()), "."))
    said = f"How wide the sets are, in {found.unit}; bits told a row."
    parts.append(figure(lambda: _draw(found), "sizes", said))
    parts.append(_outputs(output, sets))
    if annotators is not None:
        parts.append(_annotators(sets, found, annotators, ids))
    return h.markup(*parts)


def _draw(found: SetStatistics) -> Any:
    import matplotlib.pyplot as plt

    from ..plotting import COLOURS

    drawn, (left, right) = plt.subplots(1, 2, figsize=(8.4, 2.7), layout="constrained")
    wide = found.size[np.isfinite(found.size)]
    if found.unit == "length":
        left.hist(wide, 20, color=COLOURS[0])
        open_ = int((~np.isfinite(found.size)).sum())
        left.set_title(f"{open_} rows have an open side" if open_ else "")
    else:
        values, counts = np.unique(wide.astype(int), return_counts=True)
        left.bar(values, counts, color=COLOURS[0])
        left.xaxis.get_major_locator().set_params(integer=True)
    left.set(xlabel=found.unit, ylabel="rows")
    right.hist(found.bits, 20, color=COLOURS[2])
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


def _annotators(sets: Any, found: SetStatistics, annotators: list, ids: list | None) -> h.Markup:
    """Who answers how often, how widely, alone, and against all others."""
    names = np.array([str(name) for name in annotators], dtype=object)
    groups: dict[Any, list[int]] = {}
    for row, key in enumerate(range(len(names)) if ids is None else ids):
        groups.setdefault(key, []).append(row)
    alone, against = np.zeros(len(names), dtype=bool), np.zeros(len(names), dtype=bool)
    for rows in groups.values():
        answered = [row for row in rows if not found.is_unlabelled[row]]
        if len(answered) == 1:
            alone[answered[0]] = True
        for row in answered if len(answered) > 1 else []:
            others = np.array([other for other in answered if other != row])
            apart = disjoint(sets, np.full(len(others), row), others)
            against[row] = apart is not None and bool(apart.all())
    body = []
    for name in dict.fromkeys(names.tolist()):
        mine = names == name
        answers = mine & ~found.is_unlabelled
        n = int(answers.sum())
        body.append([
            name, int(mine.sum()), n, float(found.bits[answers].mean()) if n else math.nan,
            float(found.is_exact[answers].mean()) if n else math.nan, int(alone[mine].sum()), int(against[mine].sum()),
        ])  # fmt: skip
    columns = ["annotator", "asked", "answered", "bits told", "share exact", "alone", "against all others"]
    caption = "Annotators: alone is where nobody else answered; against, where nothing is common with any other answer."
    return h.markup(h.head("Annotators"), h.table(columns, body, caption))
