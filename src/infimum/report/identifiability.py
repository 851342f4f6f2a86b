"""Part 2: can these sets ever tell?"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..diagnostics.identifiability import Identifiability
from . import _page as h
from ._figures import figure

HOW = {True: "good", False: "bad", None: "warn"}
WHAT = {
    "labels": "Every two classes", "tags": "Every tag, absent or present", "number": "Every two bands of numbers",
    "order": "Every two items, in one order or in the other",
}  # fmt: skip


def content(found: Identifiability, name: Callable[[int], str]) -> h.Markup:
    """The second part of the page; `name` maps a row to what the user calls it."""
    low, high = found.degree_interval
    facts = [("ambiguity degree", found.degree), ("at least, at most", f"{low:.2f}–{high:.2f}")]
    if found.eta.size:
        facts += [
            ("eta around x, median", float(np.median(found.eta))),
            ("rows where eta is 0", f"{np.mean(found.eta == 0):.0%}"),
        ]
    parts = [h.verdict(found.verdict_for(name), HOW[found.can_tell]), h.tiles(facts)]
    if found.questions:
        parts += [h.head("The cheapest questions"), _questions(found, name)]
    if found.choices.mask.shape[-1] > 1:
        parts.append(figure(
            lambda: found.plot().figure_, "identifiability",
            "Left: how often z is still possible where y is probably the truth. Right: eta around the rows.",
        ))  # fmt: skip
    parts += [h.head("Together and apart"), _pairs(found), _how(found)]
    return h.markup(*parts)


def _questions(found: Identifiability, name: Callable[[int], str]) -> h.Markup:
    rows = [
        [asked.format(name), blind.says(found._names(blind)), blind.rows, blind.bound, asked.answers]
        for blind, asked in zip(found.blind, found.questions)
    ]
    columns = ["question", "why", "rows", "share at most", "answers"]
    more = f" {len(found.blind) - len(rows)} more are not shown." if len(found.blind) > len(rows) else ""
    return h.table(
        columns, rows,
        "What no row separates, how many rows leave it open, and a question that would, asked of the most typical row."
        f" Share at most: of such rows, no more could have separated them, at {found.level:.0%} confidence. Answers: so"
        f" many are needed at least.{more}",
    )  # fmt: skip


def _pairs(found: Identifiability) -> h.Markup:
    choice = len(found.choices.names) > 1
    counts = ["together", "a without b", "b without a", "P(b in S | a)", "P(a in S | b)"]
    columns = [*(["choice"] if choice else []), "a", "b", *counts]
    rows = [[row[column] for column in columns] for row in found.pairs]
    rows = [[math.nan if isinstance(v, float) and math.isnan(v) else v for v in row] for row in rows]
    return h.table(columns, rows, f"{WHAT[found.choices.kind]}; those that are hardest to tell come first.")


def _how(found: Identifiability) -> h.Markup:
    some = ", ".join(found.rare[:8]) + (" …" if len(found.rare) > 8 else "")
    rare = f" Too few rows for a degree of their own: {some}." if some else ""
    return h.tag(
        "details",
        h.tag("summary", "How this is estimated"),
        h.para(
            "Two options that are in the same sets cannot be told apart by any number of such rows, nor by any method."
            " The ambiguity degree is the largest P(z in S | y) over z ≠ y; below 1, the truth alone attains the"
            " smallest set risk. The truth is not seen: every row counts for y by the weight that disambiguation gives"
            " it, and the interval is that of Clopper and Pearson at the effective number of rows, for all pairs at"
            " once. So it is as good as the labels found; a few exact rows (--truth) check it."
        ),
        h.para(
            f"eta is 1 minus the second largest P(z in S | x), from the {found.n_neighbors} nearest rows. Where classes"
            f" meet it is small for that reason, too.{rare}"
        ),
    )
