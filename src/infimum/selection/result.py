"""SelectionResult: what was compared and what was chosen."""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import Any

from ..recipe import Recipe

SHOWN = 12


class SelectionResult:
    """What was compared and what was chosen; `rows` is the table, the best first.

    Attributes
    ----------
    rows : list of dict
        One a (weights, principle, reading) that was judged, with its scores on held-out blocks of rows; none where
        there were too few rows to hold any out.
    best : dict
        The row that was chosen.
    recipe : Recipe
        The same as parts of a model.
    refused : list of str
        What could not be judged, and why.
    complete : bool
        False where an interrupt or the budget ended the comparison early.
    score : str
        The column by which principles were compared: "log_likelihood" where all of them have one, else "neg_set_risk".
    """

    def __init__(self, rows: list[dict], best: dict, recipe: Recipe, refused: list[str], complete: bool):
        self.score = compared_by(row["log_likelihood"] for row in rows)
        self.rows = sorted(rows, key=lambda row: (row is not best, -row["n"], -row[self.score]))
        self.best, self.recipe, self.refused, self.complete = best, recipe, refused, complete

    def frame(self) -> Any:
        """The table as a pandas frame."""
        import pandas as pd

        return pd.DataFrame(self.rows)

    def plot(self, ax: Any = None) -> Any:
        """Held-out scores of the settings, one row of points a principle; the chosen one is circled."""
        from ..plotting import SelectionDisplay

        return SelectionDisplay.from_selection(self, ax)

    def _lines(self) -> list[tuple]:
        head = ("weights", "principle", "negative weights", "rows", "set risk", "covered", "log P(S)")
        body = [
            (said(row), str(row["principle"]), row["negative_weights"], str(row["n"]), f"{-row['neg_set_risk']:.4g}",
             f"{row['covering_rate']:.3f}", "" if isnan(row["log_likelihood"]) else f"{row['log_likelihood']:.4g}")
            for row in self.rows[:SHOWN]
        ]  # fmt: skip
        has = any(line[-1] for line in body)  # nothing to show where no set has a likelihood
        return [line if has else line[:-1] for line in (head, *body)]

    def __repr__(self) -> str:
        if not self.rows:
            made = self.recipe
            parts = f"{made.principle}, {made.negative_weights}, {made.weights!r}"
            return f"Nothing was compared: {parts}. {' '.join(self.refused)}"
        lines = self._lines()
        widths = [max(len(line[k]) for line in lines) for k in range(len(lines[0]))]
        text = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
        more = len(self.rows) - SHOWN
        tail = [f"… and {more} more"] if more > 0 else []
        return "\n".join([f"Chosen from {len(self.rows)} by sets that were held out: the first line", *text, *tail])

    def _repr_html_(self) -> str:
        from html import escape

        if not self.rows:
            return f"<p>{escape(repr(self))}</p>"
        head, *body = self._lines()
        rows = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line) + "</tr>" for line in body)
        top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
        return f"<table><thead><tr>{top}</tr></thead><tbody>{rows}</tbody></table>"


def compared_by(likelihoods: Iterable[float]) -> str:
    """The score that principles go by: the likelihood where all of them have one, else the set risk."""
    return "neg_set_risk" if any(map(isnan, likelihoods)) else "log_likelihood"


def said(row: dict) -> str:
    """The weights of a row in a few words."""
    if row["weights"] == "linear":
        return f"linear, lam {row['lam']:.0e}, {row['scaling']}"
    if row["weights"] != "kernel":
        return f"{row['weights']}{', ' + row['kernel'] if row['kernel'] else ''}"
    return f"{row['kernel']} {row['gamma']:g}, lam {row['lam']:.0e}, {row['scaling']}"
