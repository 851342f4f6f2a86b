"""Several models side by side on one table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from ..outputs import OutputSpace, Sets
from ..outputs.summary import SummaryTable
from ..selection.scores import is_below
from . import _page as h
from .actions import scores
from .facts import SCHEMA, Contents, percent, plain
from .markdown import Section, markdown
from .scores import Compared, scored

MOST_LISTED = 200  # rows on which the models differ


@dataclass
class Comparison:
    """The scores of several models on one table, and the rows on which they differ.

    Attributes
    ----------
    title : str
        The title.
    summary : list of str
        Three sentences: what is there, which model is best, where they differ.
    scores : list of dict
        The scores of the best constant and of each model.
    differences : list of dict
        Rows on which the predictions differ: row, name, set, cells, and the prediction of each model.
    n_differences : int
        The number of these rows.
    """

    title: str
    summary: list[str]
    scores: list[dict[str, Any]]
    differences: list[dict[str, Any]]
    n_differences: int

    def to_json(self) -> dict[str, Any]:
        """Return the comparison as plain values."""
        found = plain({"schema": SCHEMA, **vars(self)})
        assert isinstance(found, dict)
        return found

    def _sections(self) -> list[Section]:
        models = [one["name"] for one in self.scores[1:]]  # the best constant is the first
        differ = [
            [one["name"], " · ".join(one["cells"].values())[:200], one["set"], *one["predictions"].values()]
            for one in self.differences
        ]
        more = f" {self.n_differences:,} in all." if self.n_differences > len(differ) else ""
        listed = SummaryTable(
            f"Rows on which the models predict different outputs.{more}", ["row", "contents", "label", *models], differ
        )
        table = scores(self.scores, "Scores on the labelled rows of the table, beside the best constant.")
        found = [Section("Scores", "scores", table)]
        if len(models) > 1:
            found.append(Section("Rows on which the models differ", "differences", listed, self.n_differences))
        return found

    @property
    def html(self) -> str:
        """The comparison as one HTML file."""
        parts = [(o.title, o.name, h.table(o.table.columns, o.table.rows, o.table.title)) for o in self._sections()]
        return h.page(self.title, h.summary(self.summary), parts)

    @property
    def markdown(self) -> str:
        """The comparison as Markdown."""
        return markdown(self.title, self.summary, self._sections())


def compare(
    title: str, predictions: dict[str, NDArray], output: OutputSpace, sets: Sets, name: Callable[[int], str],
    contents: Contents,
) -> Comparison:  # fmt: skip
    """Compare models by their predictions for the rows of a table.

    Parameters
    ----------
    title : str
        The title of the page.
    predictions : dict
        Name of a model -> its predictions, (n, *z).
    output, sets
        The output space and the labels of the table.
    name : callable
        Row number -> name of the row.
    contents : Contents
        The cells of the rows.
    """
    found = scored(output, sets, predictions)
    texts = {each: output.format(z) for each, z in predictions.items()}
    rows = [row for row in range(len(sets)) if len({text[row] for text in texts.values()}) > 1]
    labels = output.format_sets(sets, rows[:MOST_LISTED]) if rows else []
    differences = [
        {"row": row, "name": name(row), "set": label, "cells": contents.cells(row),
         "predictions": {each: text[row] for each, text in texts.items()}}
        for row, label in zip(rows, labels)
    ]  # fmt: skip
    summary = _summary(found, len(sets), len(rows))
    named = [{**one.as_dict(), "name": one.name} for one in found]
    return Comparison(title, summary, named, differences, len(rows))


def _summary(found: list[Compared], n: int, n_differences: int) -> list[str]:
    constant, *models = found
    order = sorted(models, key=lambda one: one.risk)
    first = order[0]
    if not is_below(first.losses, constant.losses, constant.weight):
        verdict = f"No model is better than the best constant ({constant.text})."
    elif len(order) == 1:
        shares = f"{percent(first.covering)} against {percent(constant.covering)}"
        verdict = f"{first.name} is better than the best constant: covering rate {shares}."
    elif is_below(first.losses, order[1].losses, first.weight):
        verdict = f"{first.name} is better than the others: its set risk is {first.risk:.3g}, that of {order[1].name}"
        verdict += f" {order[1].risk:.3g}."
    else:
        verdict = f"{first.name} has the smallest set risk, {first.risk:.3g}, but the difference may be due to chance."
    differ = f"The models differ on {n_differences:,} of {n:,} rows; review these first." if len(models) > 1 else (
        "Compare it with a second model: infimum report a.skops b.skops data.csv."
    )  # fmt: skip
    note = "The scores are too optimistic for rows that a model was fitted on."
    return [f"The table has {n:,} rows, of which {first.n_labelled:,} are labelled. {note}", verdict, differ]
