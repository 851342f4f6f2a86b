"""Piecewise: exact on R, where every loss is piecewise quadratic in z."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_batches, gen_even_slices

from ..data.checks import check_number
from ..loss import Loss
from ..weights.base import Alpha, Weights
from ._segments import Curves, Segments
from .base import Minimum, Solver

ROUNDING = 1e-12  # of sum_i |alpha_i|, in units where Y is [-1, 1]: what rounding may add up to over a sweep
CELLS = 2**22  # entries of L(z, S_i) held at a time: 32 MiB
ROWS = 2000  # from here on, forming alpha takes longer than all the rest
PAYS = 0.75  # queries a row after which forming alpha has taken as long as doing without it takes to prepare
LARGEST = 1e3  # sum_i |alpha_i| beyond which rounding would be seen in what the segments of a sweep say
PREPARING = Lock()


class Piecewise(Solver):
    """min over z in [low, high] of F(z) = sum_i alpha_i L(z, S_i), for sets of R; serves `Intervals`.

    F is continuous and quadratic between breakpoints: the ends of the pieces and the middles of the gaps. They are
    sorted once; a query is then one pass from left to right that carries F, F' and F'' along. The minimum is global,
    for every principle and for weights of any sign. Where F is flat at its minimum, as where all sets of weight
    meet, z is the middle of the flat part; of several minima that are equal up to rounding, the first is taken.

    Weights of a kernel take n² operations a query to form. Once 3 n / 4 queries were asked, the loss at some knots is
    folded into the weights; the pass then goes only over the few segments that a lower bound leaves, and asks for the
    weights of the rows that have breakpoints there. The minimum is the same.

    Parameters
    ----------
    tol : float, default 0
        What counts as flat: z is the middle of the outputs around the minimiser whose F exceeds the minimum by at most
        tol sum_i |alpha_i| (half the width of Y)². Beyond 0 the minimum is given up, on purpose, for outputs that rows
        of next to no weight do not move. Like lam, it is a setting to tune.
    n_jobs : int, optional
        Threads over which queries are spread; None is one, -1 all processors.

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

    def __init__(self, tol: float = 0.0, n_jobs: int | None = None):
        self.tol = tol
        self.n_jobs = n_jobs

    def accepts(self, L: Loss) -> bool:
        return all(term.principle.curves(term.sets) is not None for term in L.terms)

    def needs(self) -> str:
        return "sets of R whose loss is piecewise quadratic in z"

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
        # what happens up to the left end belongs to the start, what happens beyond the right end never comes
        before = at <= low
        slope = slope + curvature * low
        np.add.at(slope, row[before], kink[before] + bend[before] * (low - at[before]))
        np.add.at(curvature, row[before], bend[before])
        inside = np.flatnonzero((at > low) & (at < high))
        inside = inside[np.argsort(at[inside], kind="stable")]
        self.start_ = np.vstack([L(L.output.at(np.array([low])))[0] / L.output.scale_, slope, curvature])
        self.at_ = np.concatenate([[low], at[inside], [high]])
        self.row_, self.bend_, self.kink_ = (np.concatenate([[0], x[inside], [0]]) for x in (row, bend, kink))
        self._asked = 0
        self._segments: Segments | None = None
        return self

    @property
    def width(self) -> int:
        return self.start_.shape[1] * (2 if self.tol else 1)

    def minimise(self, alpha: Any) -> Minimum:
        alpha = self._alpha(alpha)
        if not self.tol:
            t, least = self._found(alpha)
            least = least * self.output_.scale_
            return Minimum(self.output_.at(t), least, least)
        weights = _array(alpha)
        t, least = self._sweep(weights)
        z, least = self.output_.at(t), least * self.output_.scale_
        blocks = gen_batches(len(z), max(1, CELLS // max(1, len(self.loss_))))
        value = [np.einsum("qn,qn->q", weights[rows], self.loss_(z[rows])) for rows in blocks]
        return Minimum(z, np.maximum(np.concatenate(value), least) if value else least, least)

    def argmin(self, alpha: Any) -> NDArray:
        return self.output_.at(self._found(self._alpha(alpha))[0])

    def _found(self, alpha: Alpha) -> tuple[NDArray, NDArray]:
        """The minimiser t and the minimum, in units, for every query."""
        segments = self._prepared(alpha)
        if segments is None:
            return self._sweep(_array(alpha))
        t, best, sure = segments.minimise(alpha.features, effective_n_jobs(self.n_jobs))
        if not sure.all():
            t[~sure], best[~sure] = self._sweep(_array(Alpha(alpha.features[~sure], alpha.weights)))
        return t, best

    def _prepared(self, alpha: Alpha) -> Segments | None:
        """What answers without alpha, prepared once it pays; None where alpha is formed."""
        weights, n = alpha.weights, self.start_.shape[1]
        if self.tol or n < ROWS or weights.norm is None or weights.norm * n**0.5 > LARGEST:
            return None
        with PREPARING:
            if self._segments is None or self._segments.weights is not weights:
                self._asked += len(alpha)
                makers = weights.explicit() if self._asked > PAYS * n and self.at_[0] < self.at_[-1] else None
                if makers is None:
                    return None
                curves = Curves(self.start_, self.at_, self.row_, self.bend_, self.kink_)
                self._segments = Segments(self.loss_, curves, weights, makers, ROUNDING)
            return self._segments

    def __getstate__(self) -> dict:
        # as large as the weights, and made from them again where it pays
        state = super().__getstate__()
        return {**state, "_asked": 0, "_segments": None} if "_segments" in state else state

    def _sweep(self, alpha: NDArray) -> tuple[NDArray, NDArray]:
        from ._sweep import sweep  # numba is loaded when an objective is swept

        t, best, flat = np.empty((3, len(alpha)))
        tol, steep = max(self.tol, ROUNDING), np.inf if self.tol else ROUNDING
        curves = self.start_, self.at_, self.row_, self.bend_, self.kink_

        def part(rows: slice) -> None:
            sweep(alpha[rows], *curves, tol, steep, t[rows], best[rows], flat[rows])

        jobs = min(effective_n_jobs(self.n_jobs), max(len(alpha), 1))
        if jobs == 1:
            part(slice(None))
        else:
            with ThreadPoolExecutor(jobs) as threads:
                list(threads.map(part, gen_even_slices(len(alpha), jobs)))
        return t, best


def _array(alpha: Alpha) -> NDArray:
    return np.ascontiguousarray(np.asarray(alpha), dtype=float)
