"""Composition: a principle, a reading, weights and a solver; and how they are fitted to rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .. import solvers
from ..loss import Loss, SetLoss
from ..outputs.base import PRINCIPLES, OutputSpace, Sets
from ..problem import Problem, target_of
from ..reductions import Disambiguation, JointReading, Reduction, Resolved, doubled, of_principle
from ..rows import Rows
from ..weights import Weights, by_name, split
from ..weights.base import Target
from .judge import Judge, SetTarget

READINGS = ("inside", "joint")
AUTO = "auto"


class Fitted(NamedTuple):
    """The fitted parts of a model."""

    output: OutputSpace
    weights: Weights
    solver: solvers.Solver
    resolved: Resolved | None

    def predict(self, X: Any) -> NDArray:
        """f(x) for every row of X, (q, *z)."""
        return self.solver.argmin(self.weights(X))


@dataclass(frozen=True)
class Composition:
    """What a model is made of, beside its space."""

    principle: Any
    reading: str = "inside"
    weights: Any = None
    solver: Any = "auto"

    def checked(self) -> Composition:
        """Itself, or an error that says what a part may be."""
        known = (*PRINCIPLES, "disambiguation", AUTO)
        if not isinstance(self.principle, Disambiguation) and not _is_among(self.principle, known):
            names = ", ".join(map(repr, known))
            raise ValueError(f"principle must be one of {names}, or a Disambiguation. Got {self.principle!r} instead.")
        if not _is_among(self.reading, (*READINGS, AUTO)):
            raise ValueError(f"negative_weights must be 'inside', 'joint' or 'auto'. Got {self.reading!r} instead.")
        if not _is_among(self.weights, (AUTO,)):
            by_name(self.weights)
        solvers.check(self.solver)
        return self

    @property
    def is_open(self) -> bool:
        """Whether a part is still to be chosen."""
        return any(_is_among(part, (AUTO,)) for part in (self.principle, self.reading, self.weights))

    @property
    def family(self) -> Weights:
        return by_name(self.weights)

    @property
    def adapts(self) -> bool:
        """Whether the weights learn from what became of the sets, so that no shortcut stands for a fit."""
        return self.family.supervised and of_principle(self.principle) is not None

    def quick(self) -> Composition:
        """The same, without what predictions do not need: nobody will ask which sets miss the truth."""
        found = of_principle(self.principle)
        return self if found is None else replace(self, principle=found.set_params(threshold=None))

    def reductions(self) -> list[Reduction]:
        """What is done to a problem before it is solved."""
        found = of_principle(self.principle)
        if found is not None:  # fully supervised from there on: both readings are the same
            return [found]
        return [JointReading()] if self.reading == "joint" else []

    def problem(self, rows: Rows, output: OutputSpace, sets: Sets) -> Problem:
        """The problem as it is given, with weights that are still to be fitted."""
        principle = "infimum" if of_principle(self.principle) is not None else self.principle
        loss = SetLoss(output, sets, principle)
        return Problem(rows, loss, clone(self.family), self._target(rows, output, sets, loss))

    def _target(self, rows: Rows, output: OutputSpace, sets: Sets, loss: SetLoss) -> Target:
        if not rows.in_memory:
            return Target(np.empty((0, 0)))
        return SetTarget(Judge(self, output, sets, rows.w), target_of(loss), ~output.unknown(sets))

    def fit(self, rows: Rows, output: OutputSpace, sets: Sets) -> Fitted:
        """Reduce, fit the weights, fit the solver."""
        problem = self.problem(rows, output, sets)
        for reduction in self.reductions():
            problem = reduction.reduce(problem)
        solver = solvers.choose(self.solver, problem.checked().loss)
        weights = problem.weights if problem.resolved is not None else problem.fitted()
        solver = solver.fit(problem.loss, weights)
        weights.release(summed=solver.summed)
        return Fitted(problem.output, weights, solver, problem.resolved)

    def solvable(self, loss: SetLoss) -> tuple[Loss, solvers.Solver]:
        """The loss as this reading has it, and the solver for it."""
        L = self.read(loss)
        return L, solvers.choose(self.solver, L)

    def read(self, loss: SetLoss) -> Loss:
        """The loss as this reading has it: doubled, or the same."""
        joint = self.reading == "joint" and self.family.signed and JointReading.matters(loss)
        return doubled(loss) if joint else loss

    @staticmethod
    def split(alpha: Any) -> NDArray:
        """The weights for a doubled loss."""
        return split(alpha)


def _is_among(value: Any, names: tuple) -> bool:
    return isinstance(value, str) and value in names
