"""The judge: leaves rows out, predicts them, and scores what is predicted by the sets; for every recipe."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data import Table
from ..disambiguation import SetPosterior, of_principle, weighing_of
from ..loss import Loss, SetLoss
from ..outputs.base import OutputSpace, Sets
from ..solvers import choose
from ..weights.base import Alpha, PrecomputedWeights
from ..weights.holdout import Holdout, folds_of
from .scores import Scores, beyond_chance, covered, losses

if TYPE_CHECKING:
    from ..recipe import Recipe


class Left(NamedTuple):
    """What is predicted for every row without it, or without its block."""

    z: NDArray
    """(n, *z)."""
    likely: NDArray | None = None
    """(n,): log P_i(S_i), after soft disambiguation."""


class Each(NamedTuple):
    """What becomes of every row that is left out."""

    losses: NDArray
    """(n,): inf over S_i of l(z_i, y)."""
    likely: NDArray | None
    """(n,): log P_i(S_i), after soft disambiguation; of numbers, whatever predicts them."""
    weight: NDArray | None
    """(n,): how much the row counts."""

    def costs(self, likely: bool) -> NDArray:
        """The smaller, the better."""
        return -self.likely if likely and self.likely is not None else self.losses

    def is_worse(self, than: Each, errors: float, likely: bool = False, slack: float = 1e-12) -> bool:
        """By more than so many standard errors, and `slack`: rows are drawn by chance, and one of weight 2 is two."""
        difference = self.costs(likely) - than.costs(likely)
        w = np.ones(len(difference)) if self.weight is None else self.weight
        mean = np.average(difference, weights=w)
        error = np.sqrt(np.sum(w * (difference - mean) ** 2)) / w.sum()
        return bool(mean > errors * error + slack)


class Judge:
    """Judges one recipe on the rows of one problem.

    Parameters
    ----------
    recipe : Recipe
        Principle, reading, weights and solver: predictions are those of this model and of no other.
    output, sets
        The space and the rows, which are also what predictions are scored by.
    sample_weight : (n,), optional
        How much rows count, in the scores too.
    brief : bool, default False
        Whether solvers that alternate stop after a few rounds, which ranks settings as well.
    """

    def __init__(
        self, recipe: Recipe, output: OutputSpace, sets: Sets, sample_weight: Any = None, brief: bool = False
    ):
        self.recipe, self.output, self.sets, self.sample_weight = recipe, output, sets, sample_weight
        self.brief = brief

    def left_out(self, X: Any, n_blocks: int | list[NDArray] | None = None) -> Left:
        """Predictions for the rows X of the problem, without each row or, if a number is given, without its block.

        Where weights cannot be had for all blocks from one fit, every block is predicted by a model that is fitted to
        the others.
        """
        blocks = folds_of(X, n_blocks, sample_weight=self.sample_weight) if isinstance(n_blocks, int) else n_blocks
        if blocks is not None and len(blocks) < 2:
            raise ValueError("The rows of X are all the same: there is nothing to judge a model by.")
        table = Table(X, None, self.sample_weight)
        if blocks is not None and self.recipe.refits_on_labels:
            return self._refitted(table, blocks)
        problem = self.recipe.problem(table, self.output, self.sets)
        weights = problem.fit_weights()
        return self.outputs(weights.held_out(X, problem.target, self.sample_weight, blocks))

    def _refitted(self, table: Table, blocks: list[NDArray]) -> Left:
        parts, made = [], self.recipe.cheap()
        for block in blocks:
            rest = np.delete(np.arange(len(self.sets)), block)
            fitted = made.fit(table.take(rest), self.output, self.sets[rest])
            parts.append(fitted.predict(table.X[block]))
        order = np.argsort(np.concatenate(blocks), kind="stable")
        return Left(np.concatenate(parts)[order])

    def outputs(self, operator: Holdout) -> Left:
        """Predictions by weights that leave rows out."""
        reduction = of_principle(self.recipe.principle)
        if reduction is not None:
            return Left(*reduction.outputs(self.output, self.sets, operator, self._weighing, self.sample_weight))
        L, is_doubled = self._loss
        solver = choose(self.recipe.solver, L)
        alpha: Any = LeftOutAlpha(operator)
        solver = solver.cheap() if self.brief else solver
        return Left(solver.fit(L).argmin(self.recipe.split(alpha) if is_doubled else alpha))

    @cached_property
    def _weighing(self) -> SetPosterior | None:
        return weighing_of(self.sets, self.sample_weight)

    @cached_property
    def _loss(self) -> tuple[Loss, bool]:
        """The loss as the reading has it, and whether it is doubled."""
        loss = SetLoss(self.output, self.sets, self.recipe.principle)
        L = self.recipe.stacked_loss(loss)
        return L, L is not loss

    def each(self, left: Left) -> Each:
        """What every row costs, and how likely its set is."""
        likely = left.likely
        if likely is None and self._weighing is not None:
            likely = self._weighing.around(self.output.psi(left.z))
        return Each(losses(self.output, self.sets, left.z), likely, self.sample_weight)

    def scores(self, left: Left, chance: bool = True, each: Each | None = None) -> Scores:
        """Larger is better for all of them; what goes beyond `chance` compares all predictions with all rows.

        `each` is what was found for the rows, where that is known.
        """
        w, each = self.sample_weight, self.each(left) if each is None else each
        return {
            "covering_rate": covered(self.sets, left.z, w),
            **({"chance_corrected": beyond_chance(self.sets, left.z, w)} if chance else {}),
            "neg_set_risk": -float(np.average(each.losses, weights=w)),
            "log_likelihood": np.nan if each.likely is None else float(np.average(each.likely, weights=w)),
        }


class LeftOutAlpha(Alpha):
    """The weights at the training rows, each without its own row: formed only where a solver asks for them."""

    def __init__(self, operator: Holdout):
        self.operator = operator
        self.weights = PrecomputedWeights()
        self.weights.n_rows_ = operator.n

    @property
    def shape(self) -> tuple[int, int]:
        return self.operator.n, self.operator.n

    def __len__(self) -> int:
        return self.operator.n

    def sum(self, folded: Any) -> NDArray:
        return self.operator.predict(folded)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.operator.weights(), dtype=dtype)
