"""Part 2: can these sets ever tell?"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from ..diagnostics.identifiability import Identifiability
from . import _page as h
from ._figures import figure

HOW = {True: "good", False: "bad", None: "warn"}
WHAT = {"labels": "classes", "tags": "tags", "order": "pairs of items", "number": "bands of numbers"}


def content(found: Identifiability, name: Callable[[str], str]) -> h.Markup:
    """The second part of the page; `name` calls rows by what the user knows them by."""
    low, high = found.degree_interval
    facts = [("ambiguity degree", found.degree), ("at least, at most", f"{low:.2f}\u00a0–\u00a0{high:.2f}")]
    if found.eta.size:
        facts += [
            ("eta around x, median", float(np.median(found.eta))),
            ("rows where eta is 0", f"{np.mean(found.eta == 0):.0%}"),
        ]
    parts = [h.verdict(name(found.verdict), HOW[found.can_tell]), h.tiles(facts)]
    if found.questions:
        parts += [h.head("The cheapest questions"), _questions(found, name)]
    if found.choices.mask.shape[-1] > 1:
        parts.append(figure(
            lambda: found.plot().figure_, "identifiability",
            "Left: how often z is still possible where y is probably the truth. Right: eta around the rows.",
        ))  # fmt: skip
    parts += [h.head("Together and apart"), _pairs(found), _how(found)]
    return h.markup(*parts)


def _questions(found: Identifiability, name: Callable[[str], str]) -> h.Markup:
    rows = [
        [name(asked.text), blind.says(found._names(blind)), blind.rows, blind.bound, asked.answers]
        for blind, asked in zip(found.blind, found.questions)
    ]
    columns = ["question", "why", "rows that leave it open", "at most so many would not", "answers at least"]
    more = f" {len(found.blind) - len(rows)} more are not shown." if len(found.blind) > len(rows) else ""
    return h.table(
        columns, rows,
        "What no row separates, and one question that would: it is asked of the most typical row. The fourth column"
        f" bounds the share of such rows that could have separated them, at {found.level:.0%} confidence.{more}",
    )  # fmt: skip


def _pairs(found: Identifiability) -> h.Markup:
    choice = len(found.choices.names) > 1
    counts = ["together", "a without b", "b without a", "P(b in S | a)", "P(a in S | b)"]
    columns = [*(["choice"] if choice else []), "a", "b", *counts]
    rows = [[row[column] for column in columns] for row in found.pairs]
    rows = [[math.nan if isinstance(v, float) and math.isnan(v) else v for v in row] for row in rows]
    return h.table(columns, rows, f"Every two {WHAT[found.choices.kind]}, those that are hardest to tell first.")


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
