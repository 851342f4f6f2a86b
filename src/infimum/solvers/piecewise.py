"""An exact solver for sets of real numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ..data.checks import check_number
from ..loss import Loss
from ..weights.base import Alpha, Weights
from .base import Minimum, Solver

ROUNDING = 1e-12  # error of a sweep as a share of sum_i |alpha_i|, in units in which Y is [-1, 1]
CELLS = 2**22  # entries of L(z, S_i) held at a time: 32 MiB


class Piecewise(Solver):
    """Exact minimiser of piecewise quadratic losses on the real line.

    It supports `Intervals`. The objective F(z) = sum_i alpha_i L(z, S_i) is continuous and quadratic between
    breakpoints, which are the ends of the pieces and the middles of the gaps. The breakpoints are sorted once. Each
    query is then one pass from left to right that updates F, F' and F''. The minimum is global for every principle and
    for weights of any sign. If F is flat at its minimum, z is the middle of the flat part. Of several minima that are
    equal up to rounding, the first is returned.

    Parameters
    ----------
    tol : float, default 0
        Tolerance for a flat minimum. The prediction is the middle of the outputs around the minimiser for which F
        exceeds the minimum by at most tol sum_i |alpha_i| (half the width of Y)². Values above 0 return outputs that
        are not the exact minimiser, but that rows of very small weight do not move. Tune it like `lam`.

    Examples
    --------
    >>> from infimum import SetLoss
    >>> from infimum.outputs import Reals
    >>> y = ["[-2,-1]|[1,2]", (1.5, 4), 3]
    >>> space = Reals().fit(y)
    >>> Piecewise().fit(SetLoss(space, space.read(y))).minimise(np.array([[.5, .25, .25]]))
    Minimum(z=array([2.33333333]), value=array([0.16666667]), bound=array([0.16666667]))
    """

    exact = True

    def __init__(self, tol: float = 0.0):
        self.tol = tol

    def accepts(self, L: Loss) -> bool:
        return all(term.principle.curves(term.sets) is not None for term in L.terms)

    def needs(self) -> str:
        return "sets of real numbers whose loss is piecewise quadratic in z"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        check_number(self, "tol", 0)
        self.output_: Any = L.output
        self.loss_ = L
        low, high = L.output.ends()
        curves = [curve for term in L.terms if (curve := term.principle.curves(term.sets)) is not None]
        shift = np.cumsum([0, *(len(term) for term in L.terms)])
        slope, curvature, at, bend, kink = (
            np.concatenate([getattr(c, name) for c in curves]) for name in ("slope", "curvature", "at", "bend", "kink")
        )
        row = np.concatenate([c.row + s for c, s in zip(curves, shift)])
        # breakpoints up to the left end are added to the start; those beyond the right end are not needed
        before = at <= low
        slope = slope + curvature * low
        np.add.at(slope, row[before], kink[before] + bend[before] * (low - at[before]))
        np.add.at(curvature, row[before], bend[before])
        inside = np.flatnonzero((at > low) & (at < high))
        inside = inside[np.argsort(at[inside], kind="stable")]
        self.start_ = np.vstack([L(L.output.at(np.array([low])))[0] / L.output.scale_, slope, curvature])
        self.at_ = np.concatenate([[low], at[inside], [high]])
        self.row_, self.bend_, self.kink_ = (np.concatenate([[0], x[inside], [0]]) for x in (row, bend, kink))
        return self

    @property
    def width(self) -> int:
        return self.start_.shape[1] * (2 if self.tol else 1)

    def minimise(self, alpha: Any) -> Minimum:
        weights = _array(self._alpha(alpha))
        t, least = self._sweep(weights)
        z, least = self.output_.at(t), least * self.output_.scale_
        if not self.tol:
            return Minimum(z, least, least)
        batches = gen_batches(len(z), max(1, CELLS // max(1, len(self.loss_))))
        value = [np.einsum("qn,qn->q", weights[rows], self.loss_(z[rows])) for rows in batches]
        return Minimum(z, np.maximum(np.concatenate(value), least) if value else least, least)

    def argmin(self, alpha: Any) -> NDArray:
        return self.output_.at(self._sweep(_array(self._alpha(alpha)))[0])

    def _sweep(self, alpha: NDArray) -> tuple[NDArray, NDArray]:
        """Return the minimiser t and the minimum, in units in which Y is [-1, 1], for each query."""
        from ._sweep import sweep  # imports numba, which is slow

        t, best = np.empty((2, len(alpha)))
        tol, steep = max(self.tol, ROUNDING), np.inf if self.tol else ROUNDING
        sweep(alpha, self.start_, self.at_, self.row_, self.bend_, self.kink_, tol, steep, t, best)
        return t, best


def _array(alpha: Alpha) -> NDArray:
    return np.ascontiguousarray(np.asarray(alpha), dtype=float)
