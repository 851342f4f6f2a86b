"""Coordinatewise: exact on R^m, where the loss is a sum over coordinates."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..loss import Loss, SetLoss, Stack
from ..weights.base import Weights
from .base import Minimum, Solver
from .piecewise import Piecewise


class Coordinatewise(Solver):
    """min over z in Y_1 x … x Y_m of sum_i alpha_i sum_k L_k(z_k, S_ik), one k at a time; serves `Boxes`.

    The squared distance of z to a box, and to its farthest corner, is a sum over coordinates, each piecewise quadratic
    in z_k: m sweeps of `Piecewise` find the minimum, for every principle and for weights of any sign. Value and bound
    are one number: the minimum is proved.

    Parameters
    ----------
    n_jobs : int, optional
        Threads over which queries are spread; None is one, -1 all processors.

    Examples
    --------
    >>> from infimum import Boxes, SetLoss
    >>> from infimum.outputs import Vectors
    >>> y = Boxes([[0., 0.], [3., 1.]], [[1., 2.], [4., 5.]])
    >>> space = Vectors().fit(y)
    >>> Coordinatewise().fit(SetLoss(space, space.read(y))).minimise(np.array([[.5, .5]]))
    Minimum(z=array([[2. , 1.5]]), value=array([1.]), bound=array([1.]))
    """

    exact = True

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def accepts(self, L: Loss) -> bool:
        built_in = all(term.principle.sign is not None for term in L.terms)  # others need not be sums over coordinates
        separable = all(term.sets.coordinates() is not None for term in L.terms)
        return built_in and separable and L.output.coordinates() is not None

    def needs(self) -> str:
        return "boxes of R^m, whose loss is a sum over coordinates"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        spaces = L.output.coordinates() or []
        factors = [(term.sets.coordinates() or [], term.principle) for term in L.terms]
        self.each_ = []
        for k, space in enumerate(spaces):
            losses = [SetLoss(space, space.read(sets[k], strict=False), principle) for sets, principle in factors]
            self.each_.append(Piecewise(n_jobs=self.n_jobs).fit(losses[0] if len(losses) == 1 else Stack(losses)))
        return self

    @property
    def width(self) -> int:
        return self.each_[0].width + 3 * len(self.each_)

    def minimise(self, alpha: Any) -> Minimum:
        weights = np.asarray(self._alpha(alpha))
        found = [one.minimise(weights) for one in self.each_]
        value = np.sum([one.value for one in found], axis=0)
        return Minimum(np.column_stack([one.z for one in found]), value, value)

    def argmin(self, alpha: Any) -> NDArray:
        weights = np.asarray(self._alpha(alpha))
        return np.column_stack([one.argmin(weights) for one in self.each_])
