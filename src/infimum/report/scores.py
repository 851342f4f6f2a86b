"""Held-out scores of a model, of simple models and of the best constant."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs import OutputSpace, Sets
from ..recipe import Recipe
from ..selection import out_of_fold
from ..selection.scores import best_constant, beyond_chance, covered, is_below, labelled_weight, losses, risk
from ..weights import Neighbors, Scaled

FOLDS = 5
NEAREST = 10  # neighbours of the baseline, at most
TOLERANCE = 1e-9  # of equal outputs
WORST = 0.05  # share of rows whose part of the loss is measured; about 0.27 for squared Gaussian errors


class Compared(NamedTuple):
    """A model on held-out rows."""

    name: str
    z: NDArray
    covering: float
    beyond: float
    risk: float
    errors: dict[str, tuple[float, float]]
    """For regression, the ranges of the RMSE and of R² that the sets allow."""
    losses: NDArray
    """(n,): the loss for each row, 0 for unlabelled rows."""
    weight: NDArray | None
    """(n,): 0 for unlabelled rows; None if there are none."""

    @property
    def text(self) -> str:
        """What is predicted by a constant."""
        return self.name.partition(": ")[2] or self.name

    def as_dict(self) -> dict[str, Any]:
        """Return name, predicted constant and scores."""
        return {
            "name": self.name.partition(": ")[0], "output": self.text, "covering_rate": self.covering,
            "chance_corrected": self.beyond, "set_risk": self.risk, "errors": dict(self.errors),
        }  # fmt: skip

    @property
    def worst_share(self) -> float:
        """The part of the total loss that the 5 % of labelled rows with the largest loss cause."""
        each = np.sort(self.losses)[::-1]
        total = float(each.sum())
        return float(each[: max(1, round(WORST * self.n_labelled))].sum()) / total if total > 0 else 0.0

    @property
    def n_labelled(self) -> int:
        """The number of labelled rows."""
        return len(self.z) if self.weight is None else int(np.count_nonzero(self.weight))


def compared(model: Any, X: Any, output: OutputSpace, sets: Sets) -> list[Compared]:
    """Return the held-out scores of the best constant, of nearest neighbours and of the model, on labelled rows.

    If the model was selected by cross-validation on the same rows, its scores are those of the selection, which
    `infimum fit` and `infimum clean` print, too.
    """
    k = min(NEAREST, max(1, len(sets) // 4))
    neighbours = Recipe("infimum", "inside", Scaled(Neighbors(k)))
    *others, ours = scored(output, sets, {
        f"{k} nearest neighbours": out_of_fold(neighbours, X, output, sets, cv=FOLDS).z,
        "the model": out_of_fold(model.recipe_, X, output, sets, cv=FOLDS).z,
    })  # fmt: skip
    known = {} if model.selection_ is None else model.selection_.scores
    if known and known["n_labelled"] == ours.n_labelled:
        ours = ours._replace(
            covering=known["covering_rate"], beyond=known["chance_corrected"], risk=_tidy(known["set_risk"]),
            errors=known["errors"],
        )  # fmt: skip
    return [*others, ours]


def scored(output: OutputSpace, sets: Sets, predictions: dict[str, NDArray]) -> list[Compared]:
    """Return the scores of the best constant and of held-out predictions by their names, on labelled rows."""
    w = labelled_weight(output, sets)
    best = best_constant(output, sets, w)
    found = {f"the best constant: {output.format(best)[0]}": np.repeat(best, len(sets), axis=0), **predictions}
    return [
        Compared(
            name, z, covered(sets, z, w), beyond_chance(sets, z, w), _tidy(risk(output, sets, z, w)),
            output.error_ranges(sets, z, w), losses(output, sets, z), w,
        )
        for name, z in found.items()
    ]  # fmt: skip


def _tidy(risk: float) -> float:
    """Return a risk without rounding errors around 0."""
    return 0.0 if abs(risk) < TOLERANCE else risk


def beats_constant(model: Any, rows: list[Compared]) -> bool:
    """Whether the model is better than the best constant: as recorded by its selection, or by these held-out scores.

    They decide, too, if the selection has compared a sample of the rows: of a rare class it contains a few rows only.
    """
    known = {} if model.selection_ is None else model.selection_.scores
    if known and (known["beats_constant"] or known["n_labelled"] == rows[-1].n_labelled):
        return known["beats_constant"]
    return is_below(rows[-1].losses, rows[0].losses, rows[0].weight)
