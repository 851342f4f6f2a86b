"""Second section of the report: whether the candidate sets can distinguish the outputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..diagnostics import Identifiability
from . import _page as h
from ._figures import figure

STYLES = {True: "good", False: "bad", None: "warn"}


def section(found: Identifiability | None, reason: str, name: Callable[[int], str]) -> h.Markup:
    """Return the section about identifiability, or why there is none; `name` maps a row to its name."""
    if found is None:
        return h.soft(reason)
    low, high = found.degree_interval
    facts = [("ambiguity degree", found.degree), ("confidence interval", f"{low:.2f}–{high:.2f}")]
    if found.eta.size:
        facts += [
            ("median of eta around x", float(np.median(found.eta))),
            ("rows with eta = 0", f"{np.mean(found.eta == 0):.0%}"),
        ]
    parts = [h.verdict(found.verdict_for(name), STYLES[found.can_tell]), h.tiles(facts)]
    if found.questions:
        parts += [h.head("Cheapest questions"), _questions(found, name)]
    if found.choices.mask.shape[-1] > 1:
        parts.append(figure(
            lambda: found.plot().figure_, "identifiability",
            "Left: how often z is possible if y is probably true. Right: eta around the rows.",
        ))  # fmt: skip
    parts += [h.head("Pairs of options"), _pairs(found), _method(found)]
    return h.markup(*parts)


def _questions(found: Identifiability, name: Callable[[int], str]) -> h.Markup:
    rows = [
        [asked.format(name), blind.format(asked.options), blind.rows, blind.bound, asked.answers]
        for blind, asked in zip(found.blind, found.questions)
    ]
    columns = ["question", "reason", "rows", "fraction at most", "answers"]
    more = f" {len(found.blind) - len(rows)} more are not shown." if len(found.blind) > len(rows) else ""
    return h.table(
        columns, rows,
        "Options that no row separates, the number of rows that allow them, and a question about the most typical row"
        " that would separate them. Fraction at most: an upper bound on the fraction of rows that separate them, at"
        f" {found.level:.0%} confidence. Answers: the smallest number that is needed.{more}",
    )  # fmt: skip


def _pairs(found: Identifiability) -> h.Markup:
    choice = len(found.choices.names) > 1
    counts = ["together", "a without b", "b without a", "P(b in S | a)", "P(a in S | b)"]
    columns = [*(["choice"] if choice else []), "a", "b", *counts]
    rows = [[row[column] for column in columns] for row in found.pairs]
    return h.table(columns, rows, "Pairs of options; those that are hardest to distinguish come first.")


def _method(found: Identifiability) -> h.Markup:
    some = ", ".join(found.rare[:8]) + (" …" if len(found.rare) > 8 else "")
    rare = f" Options with too few rows for their own degree: {some}." if some else ""
    return h.tag(
        "details",
        h.tag("summary", "How this is estimated"),
        h.para(
            "No method can distinguish two options that are always in the same sets. The ambiguity degree is the"
            " largest P(z in S | y) over z ≠ y. Below 1, only the true output attains the smallest set risk. The true"
            " output is unknown, so every row counts for y with its probability by disambiguation. The interval is that"
            " of Clopper and Pearson for the effective number of rows, simultaneously for all pairs. A few exact rows"
            " (--truth) check it."
        ),
        h.para(
            f"eta is 1 minus the second largest P(z in S | x), from the {found.n_neighbors} nearest rows. It is also"
            f" small at the boundary between two classes.{rare}"
        ),
    )
