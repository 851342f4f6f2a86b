"""Part 3: rows to look at again, and which rows made a prediction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..diagnostics.audit import Audit
from ..estimators.explanation import Explanation
from ..outputs import Labels
from . import _page as h


def content(found: Audit, cases: Sequence[tuple[str, int, Explanation]], name: Callable[[int], str]) -> h.Markup:
    """The third part of the page; `name` calls a row by what the user knows it by."""
    facts = [
        ("suspect", len(found.suspects)), ("in conflict", len(found.conflicts)), ("impossible", len(found.impossible)),
        ("principles disagree", len(found.disagreements)),
    ]  # fmt: skip
    parts = [h.tiles(facts)]
    if found.impossible:
        rows = [[name(row), why] for row, why in found.impossible.items()]
        parts += [
            h.head("Impossible rows"),
            h.table(["row", "what is wrong"], rows, "No output satisfies these: they were set aside as unknown."),
        ]
    parts += [h.head("Sets that probably miss the truth"), _suspects(found, name)]
    parts += [h.head("Neighbours that contradict each other"), _conflicts(found, name)]
    parts += [h.head("Where the principles disagree"), _disagreements(found, name)]
    parts += [h.head("Which rows made a prediction"), *_cases(cases, name)]
    return h.markup(*parts)


def _suspects(found: Audit, name: Callable[[int], str]) -> h.Markup:
    if not found.suspects:
        return h.soft("None.")
    rows = [[name(s["row"]), s["set"], s["others say"], s["support"]] for s in found.suspects]
    caption = "Support is how probable the set is by the other rows: 0 says that it misses the truth."
    return h.table(["row", "its set", "the other rows say", "support"], rows, caption)


def _conflicts(found: Audit, name: Callable[[int], str]) -> h.Markup:
    if not found.conflicts:
        return h.soft("None.")
    rows = [[name(c["row"]), c["set"], name(c["other"]), c["its set"], c["distance"]] for c in found.conflicts]
    caption = "Rows that are the same (distance 0) or nearly so, with sets that have nothing in common."
    return h.table(["row", "its set", "other row", "its set", "distance"], rows, caption)


def _disagreements(found: Audit, name: Callable[[int], str]) -> h.Markup:
    if not found.disagreements:
        return h.soft("Nowhere.")
    names = list(found.predictions)
    rows = [[name(d["row"]), d["set"], *(d[each] for each in names), d["difference"]] for d in found.disagreements]
    caption = "What each principle predicts for a row from the others, the farthest apart first."
    if found.refused:
        caption += " Not asked: " + "; ".join(f"{each} ({why})" for each, why in found.refused.items())
    return h.table(["row", "its set", *names, "difference"], rows, caption, 50)


def _cases(cases: Sequence[tuple[str, int, Explanation]], name: Callable[[int], str]) -> list[h.Markup]:
    parts = [
        h.para(
            "A prediction is the z of least Σ αᵢ(x) L(z, Sᵢ). The sum is over rows, so the difference between two"
            " outputs is, too: what every row contributes to it is exact, and all contributions sum to the margin."
        )
    ]
    for why, row, made in cases:
        rows = [
            [name(line["row"]), line["set"], line["weight"], line["contribution"], line["supports"]]
            for line in made.table(8)
        ]
        rest = made.margin - sum(line["contribution"] for line in made.table(8))
        caption = (
            f"{name(row)}, {why}: {made.text}, not {made.text_against}. Margin {made.margin:.4g}; all other rows"
            f" together {rest:+.4g}."
        )
        parts.append(h.table(["training row", "its set", "weight", "contribution", "supports"], rows, caption))
    return parts


def cases_of(model: Any, X: Any, audit: Audit) -> list[tuple[str, int, Explanation]]:
    """A handful of training rows: the surest, the narrowest, a suspect, one on which the principles disagree."""
    chosen: dict[int, str] = {}
    margins = _margins(model, X)
    order = np.argsort(-margins, kind="stable")[: int(np.isfinite(margins).sum())]  # those unknown come last
    some = {"the surest": order[0], "the narrowest": order[-1], "a middling one": order[len(order) // 2]}
    for why, row in some.items():
        chosen.setdefault(int(row), why)
    for listed, why in ((audit.suspects, "a suspect"), (audit.disagreements, "where the principles disagree")):
        if listed:
            chosen.setdefault(listed[0]["row"], why)
    return [(why, row, model.explain(X[[row]])) for row, why in chosen.items()]


def _margins(model: Any, X: Any) -> np.ndarray:
    """Margins of the training rows; where they are searched for one by one, of a dozen of them, NaN elsewhere."""
    if isinstance(model.output_, Labels) and model.solver_.listed:
        risks = np.sort(model._each(X, lambda alpha: model.solver_.risks(alpha)), axis=1)
        return risks[:, 1] - risks[:, 0] if risks.shape[1] > 1 else np.zeros(len(risks))
    out = np.full(X.shape[0], np.nan)
    for row in np.unique(np.linspace(0, X.shape[0] - 1, 12).astype(int)):
        out[row] = model.explain(X[[row]]).margin
    return out
