"""Second section of the report: whether the candidate sets can distinguish the outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.errors import shortened
from ..diagnostics import Identifiability
from ..plotting import COLOURS
from . import _page as h
from ._figures import axes, figure

SHOWN = 12  # pairs in the chart
WIDTH = 28  # characters of a name in the chart
STYLES = {True: "good", False: "bad", None: "warn"}


def section(found: Identifiability | None, reason: str, name: Callable[[int], str]) -> h.Markup:
    """Return the section about identifiability, or why there is none; `name` maps a row to its name."""
    if found is None:
        return h.soft(reason)
    low, high = found.degree_interval
    facts = [("ambiguity degree", found.degree), ("confidence interval", f"{low:.2f}–{high:.2f}")]
    if found.eta.size:
        facts += [
            ("median local separation", float(np.median(found.eta))),
            ("rows with local separation 0", f"{np.mean(found.eta == 0):.0%}"),
        ]
    parts = [h.verdict(found.verdict_for(name), STYLES[found.is_identifiable]), h.tiles(facts)]
    charts = [figure(lambda: _draw_degrees(found), "degrees", "How often another option is also possible, for the pairs"
                     " that are hardest to separate. At 1 they are never separated.")]  # fmt: skip
    if found.eta.size:
        charts.append(figure(lambda: _draw_eta(found), "eta", "Local separation around the rows."))
    if found.choices.mask.shape[-1] > 1:
        parts.append(h.tag("div", *charts, class_="charts"))
    parts += [h.head("Pairs of options"), _pairs(found), _method(found)]
    return h.markup(*parts)


def _draw_degrees(found: Identifiability) -> Any:
    """Draw the largest probabilities that an option is possible beside the true one; a dozen bars fit every screen."""
    several = len(found.choices.names) > 1
    bars = []
    for row in found.pairs:
        before = f"{row['choice']}: " if several else ""
        for a, b in (("a", "b"), ("b", "a")):
            value = row[f"P({b} in S | {a})"]
            if np.isfinite(value):
                bars.append((value, before + "\nbeside ".join(shortened(str(row[k]), WIDTH) for k in (b, a))))
    bars = sorted(bars, reverse=True)[:SHOWN]
    drawn, ax = axes(0.42 * max(len(bars), 3) + 0.8, xlim=(0, 1), xlabel="probability")
    ax.barh(range(len(bars)), [value for value, _ in bars], color=COLOURS[0])
    ax.set_yticks(range(len(bars)), [name for _, name in bars])
    ax.invert_yaxis()
    return drawn


def _draw_eta(found: Identifiability) -> Any:
    drawn, ax = axes(xlabel="local separation", ylabel="rows", xlim=(0, 1))
    ax.hist(found.eta.ravel(), np.linspace(0, 1, 21).tolist(), color=COLOURS[0])
    return drawn


def _pairs(found: Identifiability) -> h.Markup:
    choice = len(found.choices.names) > 1
    counts = ["together", "a without b", "b without a", "P(b in S | a)", "P(a in S | b)"]
    keys = [*(["choice"] if choice else []), "a", "b", *counts]
    ordered = sorted(found.pairs, key=lambda row: -np.nanmax([*(row[key] for key in counts[-2:]), -1.0]))
    rows = [[row[key] for key in keys] for row in ordered]
    caption = (
        "Pairs of options; those that are hardest to separate come first. The last two columns are the"
        " probabilities that an option is possible if the other one is true."
    )
    columns = [*keys[:-2], "b if a is true", "a if b is true"]
    return h.table(columns, rows, caption)


def _method(found: Identifiability) -> h.Markup:
    some = ", ".join(found.rare[:8]) + (" …" if len(found.rare) > 8 else "")
    rare = f" Options with too few rows for their own degree: {some}." if some else ""
    return h.tag(
        "details",
        h.tag("summary", "How this is estimated"),
        h.para(
            "No method can distinguish two options that are always in the same sets. The ambiguity degree is the"
            " largest probability that another option is possible beside the true one. Below 1, only the true output"
            " has the smallest set risk. The true output is unknown, so a row counts for each of its options with the"
            " probability that disambiguation assigns to it. The interval is that"
            " of Clopper and Pearson for the effective number of rows, simultaneously for all pairs. A few exact rows"
            " (--truth) check it."
        ),
        h.para(
            f"The local separation is 1 minus the second largest share of rows that allow an option, among the"
            f" {found.n_neighbors} nearest rows. It is also small at the boundary between two classes.{rare}"
        ),
    )
