"""The report as Markdown, for pull requests and wikis."""

from __future__ import annotations

import re
from typing import Any

from ..selection.scores import error_name, shown_range
from ._page import number
from .facts import Facts, Reviewed, chance

SHOWN = 20  # rows of a table
SPECIAL = re.compile(r"([\\`*_{}\[\]()#+!|<>~])")


def markdown(facts: Facts) -> str:
    """Return the summary, what to act on and the scores; names and cells are escaped."""
    parts = [f"# {escaped(facts.title)}", *(escaped(text) for text in facts.summary)]
    if facts.review:
        parts += ["## Rows to review", _review(facts)]
    if facts.merge:
        lines = [[one["name"], one["count"], one["means"], one["reason"]] for one in facts.merge]
        parts += ["## Names to merge", table(["name", "rows", "probably means", "reason"], lines)]
    if facts.inseparable:
        lines = [[one["reason"], one["rows"], one["question"]] for one in facts.inseparable]
        parts += ["## Options that the data cannot separate", table(["options", "rows", "question"], lines)]
    if facts.annotators:
        lines = [
            [one["annotator"], int(one["answers"]), one["reliability"], f"{one['low']:.2f} to {one['high']:.2f}"]
            for one in facts.annotators
        ]
        parts += ["## Annotators", table(["annotator", "answers", "reliability", "95 % interval"], lines)]
    parts += ["## Scores on held-out rows", _scores(facts)]
    for one in facts.tables:
        parts += [f"## {one['title']}", table(one["columns"], one["rows"])]
    parts.append(f"Made by infimum {escaped(facts.version)}.")
    return "\n\n".join(parts) + "\n"


def _review(facts: Facts) -> str:
    def cells(one: Reviewed) -> str:
        return " · ".join([*one.cells.values(), *one.images])[:160]

    lines = [
        [one.name, cells(one), one.set, one.proposed, "" if one.probability is None else chance(one.probability),
         " ".join(one.reasons)]
        for one in facts.review
    ]  # fmt: skip
    return table(["row", "contents", "label", "proposed", "probability", "reason"], lines, facts.n_review)


def _scores(facts: Facts) -> str:
    errors = list(facts.scores[0]["errors"])
    lines = [
        [one["name"], f"{one['covering_rate']:.1%}", one["set_risk"],
         *(shown_range(low, high) for low, high in one["errors"].values())]
        for one in facts.scores
    ]  # fmt: skip
    return table(["model", "covering rate", "set risk", *map(error_name, errors)], lines)


def table(columns: list[str], rows: list[list[Any]], total: int | None = None) -> str:
    """Return a table of Markdown with at most 20 rows."""
    total = len(rows) if total is None else total
    lines = [columns, ["---"] * len(columns), *([number(cell) for cell in row] for row in rows[:SHOWN])]
    text = "\n".join(
        "| " + " | ".join(cell if k == 1 else escaped(cell) for cell in line) + " |" for k, line in enumerate(lines)
    )
    return text if total <= SHOWN else f"{text}\n\n{SHOWN} of {total:,} are shown."


def escaped(text: str) -> str:
    """Return text without what Markdown or HTML would interpret, in one line.

    >>> escaped("a|b <i>")
    'a\\\\|b \\\\<i\\\\>'
    """
    return SPECIAL.sub(r"\\\1", " ".join(str(text).split()))
