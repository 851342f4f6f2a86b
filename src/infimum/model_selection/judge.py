"""Scores of predictions that leave rows out, for any principle, from one set of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import solvers, weights
from ..estimators import PartialModel
from ..loss import JointLoss, SetLoss
from ..outputs import OutputSpace, Sets
from ..reductions import held_out, of_principle, probabilities, soft
from ..weights.left_out import HeldOut, blocks_of
from .scores import beyond_chance, covered, log_likelihood, risk

READINGS = {
    "disambiguation": ("disambiguation", "inside"),
    "infimum": ("infimum", "inside"),
    "joint": ("infimum", "joint"),
    "average": ("average", "inside"),
    "supremum": ("supremum", "inside"),
}
"""name -> (principle, negative_weights)."""

Scores = dict[str, float]


class Judge:
    """Scores of what is predicted without each row, or without the block of each row.

    Parameters
    ----------
    output, sets
        The space and the rows.
    readings : list of str
        Among `READINGS`.
    solver : "auto" or Solver
        For the principles that answer set by set.
    """

    def __init__(self, output: OutputSpace, sets: Sets, readings: list[str], solver: Any = "auto"):
        unknown = [name for name in readings if name not in READINGS]
        if unknown:
            raise ValueError(f"principles must be among {list(READINGS)}. Got {unknown[0]!r}.")
        self.output, self.sets, self.mask = output, sets, sets.candidates()
        if "disambiguation" in readings and self.mask is None:
            raise ValueError(f"{sets!r} have no candidates to weigh: name other principles than 'disambiguation'.")
        self.solvers = {name: self._solver(name, solver) for name in readings if name != "disambiguation"}

    def _solver(self, name: str, solver: Any) -> solvers.Solver:
        principle, negative = READINGS[name]
        loss = SetLoss(self.output, self.sets, principle)
        L = JointLoss(loss) if negative == "joint" else loss
        return solvers.choose(solver, L).fit(L)

    def by_weights(self, name: str, alpha: NDArray) -> Scores:
        """Scores of the principle `name` by weights alpha (n, n) that leave rows out."""
        if READINGS[name][1] == "joint":
            alpha = np.hstack([np.maximum(alpha, 0), np.minimum(alpha, 0)])
        return self._scores(self.solvers[name].argmin(alpha))

    def by_probabilities(self, P: NDArray) -> Scores:
        """Scores of probabilities (n, g, c) of the options."""
        assert self.mask is not None
        scores = self._scores(self.output.decode(self.sets.expected(P)))
        return {**scores, "log_likelihood": log_likelihood(P, self.mask)}

    def by_blocks(self, name: str, operator: HeldOut) -> Scores:
        """Scores of the principle `name` without blocks of rows."""
        if name == "disambiguation":
            assert self.mask is not None
            return self.by_probabilities(held_out(operator, self.mask))
        return self.by_weights(name, operator.weights())

    def _scores(self, z: NDArray) -> Scores:
        return {
            "covering_rate": covered(self.sets, z),
            "chance_corrected": beyond_chance(self.sets, z),
            "neg_set_risk": -risk(self.output, self.sets, z),
            "log_likelihood": np.nan,
        }


def left_out_scores(model: Any, X: Any, y: Any, n_blocks: int | None = None) -> Scores:
    """Scores of a model from its own training sets: what it predicts at every row without that row, or its block.

    No true label is used, and kernel ridge is factored once. A pipeline is fitted to X up to its last step.

    Parameters
    ----------
    model : PartialModel, or a Pipeline that ends in one
        Its principle must be "disambiguation", "infimum", "average" or "supremum"; it is not changed.
    n_blocks : int, optional
        None leaves out single rows; a number holds out that many blocks of rows. Take blocks for disambiguation: the
        other rows have adapted to S_i by the time row i is left out.

    Returns
    -------
    dict
        "covering_rate", "chance_corrected", "neg_set_risk" and, for disambiguation, "log_likelihood". Larger is better.

    Examples
    --------
    >>> from infimum import PartialClassifier
    >>> X = np.array([[0.], [.1], [.2], [1.], [1.1], [1.2]])
    >>> left_out_scores(PartialClassifier(), X, ["a", "a|b", "a|c", "c", "c|b", "c|a"])["covering_rate"]
    1.0
    """
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            X = clone(step).fit_transform(X)
        return left_out_scores(model.steps[-1][1], X, y, n_blocks)
    if not isinstance(model, PartialModel):
        raise ValueError(f"left_out_scores is for the library's models. Got {model!r}.")
    X = np.asarray(X, dtype=float) if not hasattr(X, "tocsr") else X.tocsr()
    output = clone(model._output()).fit(y)
    sets = output.read(y)
    name = reading_of(model)
    judge = Judge(output, sets, [name], model.solver)
    family = clone(weights.by_name(model.weights))
    L = SetLoss(output, sets)
    target = model._fit_weights(X, L, family, solvers.choose("auto", L), None)
    if n_blocks is not None:
        return judge.by_blocks(name, family.held_out(X, target, None, blocks_of(X, n_blocks)))
    if name != "disambiguation":
        return judge.by_weights(name, family.left_out()(np.eye(len(sets))))
    mask, settings = judge.mask, of_principle(model.principle)
    assert mask is not None
    assert settings is not None
    left_out = family.left_out()
    q = soft(left_out, mask, settings.ramp, settings.cap, settings.max_iter, settings.tol).q
    return judge.by_probabilities(probabilities(left_out(q.reshape(len(sets), -1)).reshape(mask.shape)))


def reading_of(model: PartialModel) -> str:
    """The name in `READINGS` of a model's principle."""
    if of_principle(model.principle) is not None:
        return "disambiguation"
    return "joint" if (model.principle, model.negative_weights) == READINGS["joint"] else model.principle
