"""What a report lists for people to act on: rows to review, names to merge, options to separate, annotators."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Any

from ..data.images import thumbnail
from ..outputs.summary import SummaryTable
from ..selection.scores import error_name, shown_range
from . import _page as h
from .facts import ReportFacts, Reviewed, chance
from .markdown import Section


def sections(facts: ReportFacts) -> list[Section]:
    """Return the tables with something to do; the page shows rows to review as cards."""
    review = [
        [one.name, " · ".join([*one.cells.values(), *one.images])[:160], one.set, one.proposed,
         "" if one.probability is None else chance(one.probability), " ".join(one.reasons)]
        for one in facts.review
    ]  # fmt: skip
    merge = [[repr(one["name"]), one["count"], one["means"], one["reason"]] for one in facts.merge]
    blind = [[one["reason"], one["rows"], one["question"], one["answers"]] for one in facts.inseparable]
    found = [
        Section("Rows to review", "review", SummaryTable(
            "", ["row", "contents", "label", "proposed", "probability", "reason"], review), facts.n_review),
        Section("Names to merge", "merge", SummaryTable(
            "Names that are probably variants of others. Merge them with --merge-classes, or list all with --classes.",
            ["name", "rows", "probably means", "reason"], merge)),
        Section("Options that the data cannot separate", "inseparable", SummaryTable(
            "Options that no row separates, how many rows allow them, and a question about one row that would help.",
            ["options", "rows", "question", "answers needed"], blind)),
        Section("Annotators", "annotators", annotators(facts.annotators)),
    ]  # fmt: skip
    return [each for each in found if each.table.rows]


def scores(found: list[dict[str, Any]], caption: str = "") -> SummaryTable:
    """Return the scores of several models side by side."""
    columns = ["model", "covering rate", "chance-corrected", "set risk", *map(error_name, found[0]["errors"])]
    rows = [
        [one["name"], f"{one['covering_rate']:.1%}", one["chance_corrected"], one["set_risk"],
         *(shown_range(*ends) for ends in one["errors"].values())]
        for one in found
    ]  # fmt: skip
    return SummaryTable(caption, columns, rows)


def annotators(found: list[dict[str, Any]]) -> SummaryTable:
    """Return how reliable annotators are; columns in which nothing differs from the usual are left out."""
    remarks = [
        "systematically wrong" if one["high"] < 0 else "not better than chance" if one["low"] <= 0 else ""
        for one in found
    ]
    columns: dict[str, list[Any]] = {
        "annotator": [one["annotator"] for one in found], "answers": [int(one["answers"]) for one in found],
        "labels per answer": [one["set_size"] for one in found], "accuracy": [one["accuracy"] for one in found],
        "reliability": [one["reliability"] for one in found],
        "95 % interval": [f"{one['low']:.2f} to {one['high']:.2f}" for one in found], "remark": remarks,
    }  # fmt: skip
    usual = {"labels per answer": {1}, "remark": {""}}
    columns = {name: cells for name, cells in columns.items() if set(cells) != usual.get(name)}
    rows = [list(row) for row in zip(*columns.values())]
    return SummaryTable("Annotators, the least reliable first.", list(columns), rows)


def cards(facts: ReportFacts, warning: str) -> h.Markup:
    """Return the rows to review; `warning` is the sentence about a model without skill."""
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
    if one.support is not None:
        label.append(f" (probability {chance(one.support)})")
    if one.proposed and one.proposed != one.set:
        label += [" → proposed ", h.tag("span", one.proposed, class_="label")]
        label.append("" if one.probability is None else f" (probability {chance(one.probability)})")
    parts += [h.tag("p", *label), h.tag("p", " ".join(one.reasons), class_="soft")]
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
