"""Section about annotators: how reliable each one is, and which labels they confuse."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..disambiguation import DisambiguationResult
from . import _page as h
from ._figures import figure
from .markdown import Section

DRAWN = 40  # annotators in the figure
CONFUSED = 20  # pairs of labels that are listed


def facts_of(resolved: DisambiguationResult | None) -> list[dict[str, Any]]:
    """Return one entry per annotator, the least reliable one first; empty if there is one source only."""
    sources = None if resolved is None else resolved.sources
    if sources is None:
        return []
    order = np.argsort(sources.reliability, kind="stable")
    columns = ("reliability", "low", "high", "accuracy", "answers", "set_size")
    return [
        {"annotator": str(sources.names[k]), **{name: float(getattr(sources, name)[k]) for name in columns}}
        for k in order
    ]


def section(resolved: DisambiguationResult, found: Section) -> h.Markup:
    """Return reliabilities with intervals, and the most frequent confusions."""
    sources = resolved.sources
    assert sources is not None
    text = (
        "Reliability is the probability that an answer contains the true label, corrected for chance. 1 is perfect, 0"
        " is a random answer, and negative values mean systematically wrong answers. It is estimated from the other"
        " annotators, the features and the known true labels. Unreliable answers count less."
    )
    parts = [h.para(text), h.table(found.table.columns, found.table.rows, found.table.title)]
    if len(sources) <= DRAWN:
        drawn = figure(lambda: sources.plot().figure, "reliability", "Reliability of each annotator, with interval.")
        parts.append(h.tag("div", drawn, class_="charts"))
    confused = _confusions(sources)
    if confused:
        heads = ["annotator", "true label", "answer", "probability"]
        parts += [h.head("Frequent confusions"), h.table(heads, confused, "How often an answer is given instead.")]
    return h.markup(*parts)


def _confusions(sources: Any) -> list[list[Any]]:
    """Return the most probable wrong answers of all annotators."""
    if sources.confusion is None:
        return []
    wrong = np.array(sources.confusion)
    m = wrong.shape[1]
    wrong[:, np.arange(m), np.arange(m)] = 0
    order = np.argsort(-wrong, axis=None, kind="stable")[:CONFUSED]
    places = [np.unravel_index(flat, wrong.shape) for flat in order]
    return [
        [str(sources.names[k]), str(sources.classes[a]), str(sources.classes[b]), float(wrong[k, a, b])]
        for k, a, b in places
        if wrong[k, a, b] > 1 / m
    ]
