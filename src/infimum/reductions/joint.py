"""The joint reading of negative weights, as the inside reading over doubled rows."""

from __future__ import annotations

from ..loss import Loss
from ..loss import doubled as doubled
from ..problem import Problem
from ..weights.signs import SplitSigns
from .base import Reduction


class JointReading(Reduction):
    """inf over (y_i) of sum_i alpha_i l(z, y_i) = sum_i alpha_i^+ inf l + sum_i alpha_i^- sup l.

    The sets are listed twice, with the principle and with its opposite, for the weights (alpha^+, alpha^-). Where no
    weight is negative, and for the average, which is its own opposite, both readings are the same.
    """

    def reduce(self, problem: Problem) -> Problem:
        if not problem.weights.signed or not self.matters(problem.loss):
            return problem
        loss = problem.loss.terms[0]
        return problem.but(loss=doubled(loss), weights=SplitSigns(problem.weights))

    @staticmethod
    def matters(loss: Loss) -> bool:
        """Whether the opposite principle is another one."""
        return loss.principle != "average"
