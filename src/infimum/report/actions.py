"""The first part of the report: the summary, and what to act on."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from ..data.images import thumbnail
from . import _page as h
from .facts import Facts, Reviewed, chance


def summary(facts: Facts) -> h.Markup:
    """Return the three sentences."""
    return h.tag("div", *(h.para(text) for text in facts.summary), class_="summary", role="note")


def sections(facts: Facts, warning: str = "") -> list[tuple[str, str, h.Markup]]:
    """Return the sections with something to do; `warning` is the sentence about a model without skill."""
    found = [("Rows to review", "review", _review(facts, warning))]
    if facts.merge:
        found.append(("Names to merge", "merge", _merge(facts.merge)))
    if facts.inseparable:
        found.append(("Options that the data cannot separate", "inseparable", _inseparable(facts.inseparable)))
    return found


def _review(facts: Facts, warning: str) -> h.Markup:
    parts = [h.para(warning)] if warning else []
    if not facts.review:
        return h.markup(*parts, h.soft("None."))
    first = len(facts.review)
    shown = f" The first {first:,} are shown." if facts.n_review > first else ""
    words = "row needs" if facts.n_review == 1 else "rows need"
    parts.append(h.para(f"{facts.n_review:,} {words} review.{shown}"))
    return h.markup(*parts, h.tag("ul", *map(_card, facts.review), class_="cards long"))


def _card(one: Reviewed) -> h.Markup:
    """Return a row with its contents, its label, the proposed label and the rows that explain it."""
    parts = [h.tag("p", one.name, class_="name")]
    if one.images:
        parts.append(h.tag("div", *(_image(name, path) for name, path in one.images.items()), class_="images"))
    if one.cells:
        cells = [h.markup(h.tag("span", f"{name}: ", class_="soft"), text, " ") for name, text in one.cells.items()]
        parts.append(h.tag("p", *cells))
    label: list[Any] = ["Label ", h.tag("span", one.set, class_="label")]
    if one.support is not None and one.probability is not None:
        label.append(f" (probability {chance(one.support)})")
    if one.proposed and one.proposed != one.set:
        label += [" → proposed ", h.tag("span", one.proposed, class_="label")]
        label.append("" if one.probability is None else f" (probability {chance(one.probability)})")
    parts.append(h.tag("p", *label))
    parts.append(h.tag("p", " ".join(one.reasons), class_="soft"))
    if one.because:
        similar = [
            h.tag("li", f"{other['name']}: {other['set']}", f" — {other['text']}" if other["text"] else "")
            for other in one.because
        ]
        parts.append(h.tag("details", h.tag("summary", "Similar rows with the proposed label"),
                           h.tag("ul", *similar, class_="because")))  # fmt: skip
    return h.tag("li", *parts, class_="card")


def _image(name: str, path: str) -> h.Markup:
    """Return a small copy of an image inside the page; a text if it cannot be read."""
    try:
        data = base64.b64encode(thumbnail(Path(path))).decode()
    except (ValueError, ImportError):
        return h.tag("span", f"{name}: {Path(path).name} (cannot be shown)", class_="soft")
    return h.Markup(f'<img alt="{h.markup(name)}" src="data:image/png;base64,{data}">')


def _merge(names: list[dict[str, Any]]) -> h.Markup:
    rows = [[repr(one["name"]), one["count"], one["means"], one["reason"]] for one in names]
    caption = "Names that are probably variants of others. Merge them with --merge-classes, or list all with --classes."
    return h.table(["name", "rows", "probably means", "reason"], rows, caption)


def _inseparable(found: list[dict[str, Any]]) -> h.Markup:
    rows = [[one["reason"], one["rows"], one["question"], one["answers"]] for one in found]
    caption = "Options that no row separates, how many rows allow them, and a question about one row that would help."
    return h.table(["options", "rows", "question", "answers needed"], rows, caption)
