"""Recipe: a principle, a rule for negative weights, weights and a solver; and how they are fitted to rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from . import solvers
from .data import Rows
from .disambiguation import Disambiguation, DisambiguationResult, of_principle
from .loss import Loss, SetLoss, doubled
from .outputs.base import PRINCIPLES, OutputSpace, Sets
from .weights import SplitSigns, Weights, by_name, split
from .weights.base import Target

NEGATIVE_WEIGHTS = ("inside", "joint")
AUTO = "auto"


class Fitted(NamedTuple):
    """The fitted parts of a model."""

    output: OutputSpace
    weights: Weights
    solver: solvers.Solver
    disambiguation: DisambiguationResult | None

    def predict(self, X: Any) -> NDArray:
        """Predict f(x) for each row of X, (q, *z)."""
        return self.solver.argmin(self.weights(X))


@dataclass(frozen=True)
class Problem:
    """The problem of a fit: minimise over z the sum of alpha_i(x) L(z, S_i)."""

    rows: Rows
    """Inputs and sample weights."""
    loss: Loss
    """L(z, S_i): the output space, the sets and the principle."""
    weights: Weights
    """The base learner that yields alpha; fitted if disambiguation needed it."""
    target: Target
    """What supervised weights learn from."""
    disambiguation: DisambiguationResult | None = None
    """The estimated labels, if disambiguation has replaced the sets by points."""

    @property
    def output(self) -> OutputSpace:
        return self.loss.output

    def fit_weights(self) -> Weights:
        """Fit the weights to the rows, unless disambiguation has done it already."""
        if self.disambiguation is not None:
            return self.weights
        return self.weights.fit(self.rows.X, self.target, self.rows.w)


@dataclass(frozen=True)
class Recipe:
    """What a model is made of, apart from its output space."""

    principle: Any
    negative_weights: str = "inside"
    weights: Any = None
    solver: Any = AUTO

    def checked(self) -> Recipe:
        """Return the recipe, or raise an error that lists the allowed values of a part."""
        known = (*PRINCIPLES, "disambiguation", AUTO)
        if not isinstance(self.principle, Disambiguation) and not _is_among(self.principle, known):
            names = ", ".join(map(repr, known))
            raise ValueError(f"principle must be one of {names}, or a Disambiguation. Got {self.principle!r} instead.")
        if not _is_among(self.negative_weights, (*NEGATIVE_WEIGHTS, AUTO)):
            raise ValueError(
                f"negative_weights must be 'inside', 'joint' or 'auto'. Got {self.negative_weights!r} instead."
            )
        if not _is_among(self.weights, (AUTO,)):
            by_name(self.weights)
        solvers.check(self.solver)
        return self

    @property
    def is_open(self) -> bool:
        """Whether a part is set to "auto"."""
        return any(_is_among(part, (AUTO,)) for part in (self.principle, self.negative_weights, self.weights))

    @property
    def family(self) -> Weights:
        return by_name(self.weights)

    @property
    def refits_on_labels(self) -> bool:
        """Whether the weights are fitted again to the labels that disambiguation found."""
        return self.family.supervised and of_principle(self.principle) is not None

    def cheap(self) -> Recipe:
        """Return the recipe without the search for label errors, which predictions do not need."""
        found = of_principle(self.principle)
        return self if found is None else replace(self, principle=found.set_params(threshold=None))

    def problem(self, rows: Rows, output: OutputSpace, sets: Sets) -> Problem:
        """Return the problem as it is given, with weights that are still to be fitted."""
        principle = "infimum" if of_principle(self.principle) is not None else self.principle
        loss = SetLoss(output, sets, principle)
        if rows.in_memory:
            target = Target(loss.target(), ~output.is_unlabelled(sets))
        else:
            target = Target(np.empty((0, 0)))
        return Problem(rows, loss, clone(self.family), target)

    def reduced(self, problem: Problem) -> Problem:
        """Replace the sets by estimated labels, or list them twice for the joint loss of negative weights."""
        disambiguation = of_principle(self.principle)
        if disambiguation is not None:  # fully supervised from here on, so negative weights need no rule
            loss, weights, result = disambiguation.replace_sets(
                problem.rows, problem.loss.terms[0], problem.weights, problem.target
            )
            return replace(problem, loss=loss, weights=weights, disambiguation=result)
        if self.is_joint(problem.loss):
            return replace(problem, loss=doubled(problem.loss.terms[0]), weights=SplitSigns(problem.weights))
        return problem

    def fit(self, rows: Rows, output: OutputSpace, sets: Sets) -> Fitted:
        """Build the problem, disambiguate if asked, fit the weights and the solver."""
        problem = self.reduced(self.problem(rows, output, sets))
        problem.weights.check_rows(rows)
        solver = solvers.choose(self.solver, problem.loss)
        weights = problem.fit_weights()
        solver = solver.fit(problem.loss, weights)
        weights.release(summed=solver.summed)
        return Fitted(problem.output, weights, solver, problem.disambiguation)

    def is_joint(self, loss: Loss) -> bool:
        """Whether negative weights change the loss: inf over (y_i) of sum_i alpha_i l(z, y_i)."""
        return self.negative_weights == "joint" and self.family.signed and loss.principle != "average"

    def stacked_loss(self, loss: SetLoss) -> Loss:
        """Return the loss, followed by its opposite if negative weights are combined jointly."""
        return doubled(loss) if self.is_joint(loss) else loss

    def solvable(self, loss: SetLoss) -> tuple[Loss, solvers.Solver]:
        """Return the stacked loss and the solver for it."""
        L = self.stacked_loss(loss)
        return L, solvers.choose(self.solver, L)

    @staticmethod
    def split(alpha: Any) -> NDArray:
        """Split weights into positive and negative parts, as a stacked loss needs them."""
        return split(alpha)


def _is_among(value: Any, names: tuple) -> bool:
    return isinstance(value, str) and value in names
