"""Details of the audit: conflicts, disagreements, and explanations of some predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..diagnostics import Audit
from ..estimators.explanation import Explanation
from . import _page as h

SHOWN = 8  # training rows of an explanation
EXPLAINED = 12  # rows whose margin is computed if each needs a search of its own

Case = tuple[str, int, Explanation]
"""Why a row was chosen, its number, and the explanation of its prediction."""


def section(found: Audit, cases: Sequence[Case], name: Callable[[int], str], warning: str = "") -> h.Markup:
    """Return what the audit found beyond the rows to review; `name` maps a row to its name.

    `warning` is the sentence about a model without skill, whose suspects are not shown.
    """
    facts: list[tuple[str, Any]] = [
        ("rows with a suspect set", "not assessed" if warning else len(found.suspects)),
        ("pairs in conflict", len(found.conflicts)), ("impossible rows", len(found.impossible)),
        ("rows on which principles disagree", len(found.disagreements)),
    ]  # fmt: skip
    conflicts = [[name(c["row"]), c["set"], name(c["other"]), c["its set"], c["distance"]] for c in found.conflicts]
    names = list(found.predictions)
    differ = [[name(d["row"]), d["set"], *(d[n] for n in names), d["difference"]] for d in found.disagreements]
    caption = "Held-out predictions of each principle, in descending order of their difference."
    if found.not_evaluated:
        caption += " Not available: " + "; ".join(f"{each} ({why})" for each, why in found.not_evaluated.items())
    none = h.soft("None.")
    return h.markup(
        h.tiles(facts),
        h.para(warning) if warning else "",
        h.head("Neighbours that contradict each other"),
        none if not conflicts else h.table(
            ["row", "set", "other row", "its set", "distance"], conflicts,
            "Rows with the same (distance 0) or similar features, and sets without a common output."),
        h.head("Rows on which the principles disagree"),
        none if not differ else h.table(["row", "set", *names, "difference"], differ, caption, 50),
        h.head("Explanations of predictions"), *_cases(cases, name),
    )  # fmt: skip


def _cases(cases: Sequence[Case], name: Callable[[int], str]) -> list[h.Markup]:
    parts = [
        h.para(
            "A prediction is a weighted vote of the training rows. The contribution of a row is how much it favours the"
            " prediction over its closest alternative. The contributions of all rows add up to the margin exactly."
        )
    ]
    for why, row, made in cases:
        lines = made.table(SHOWN)
        if not lines:  # nothing distinguishes the two outputs
            continue
        rows = [[name(x["row"]), x["set"], x["weight"], x["contribution"], x["supports"]] for x in lines]
        rest = made.margin - sum(line["contribution"] for line in lines)
        caption = (
            f"{name(row)}, {why}: {made.text}, not {made.text_against}. Margin {made.margin:.4g}; all other rows"
            f" together {rest:+.4g}."
        )
        parts.append(h.table(["training row", "set", "weight", "contribution", "supports"], rows, caption))
    return parts


def cases_of(model: Any, X: Any, audit: Audit) -> list[Case]:
    """Return a few training rows with explanations: by margin, a suspect, a disagreement of principles."""
    chosen: dict[int, str] = {}
    margins = _margins(model, X)
    order = np.argsort(-margins, kind="stable")[: int(np.isfinite(margins).sum())]  # NaN comes last
    if not len(order):
        return []
    some = {"the largest margin": order[0], "the smallest margin": order[-1], "a medium margin": order[len(order) // 2]}
    for why, row in some.items():
        chosen.setdefault(int(row), why)
    for listed, why in ((audit.suspects, "a suspect"), (audit.disagreements, "the principles disagree")):
        if listed:
            chosen.setdefault(listed[0]["row"], why)
    return [(why, row, model.explain(X[[row]])) for row, why in chosen.items()]


def _margins(model: Any, X: Any) -> NDArray:
    """Return the margins of the training rows; of a dozen of them, NaN elsewhere, if each needs a search."""
    if model.output_.kind == "labels" and hasattr(model, "decision_function"):
        scores = model.decision_function(X)
        if scores.ndim == 1:
            return np.abs(scores)
        ordered = np.sort(scores, axis=1)
        return ordered[:, -1] - ordered[:, -2] if scores.shape[1] > 1 else np.full(len(scores), np.nan)
    out = np.full(X.shape[0], np.nan)
    for row in np.unique(np.linspace(0, X.shape[0] - 1, EXPLAINED).astype(int)):
        out[row] = model.explain(X[[row]]).margin
    return out
