"""Piecewise: exact on R, where every loss is piecewise quadratic in z."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_even_slices

from ..weights.base import Weights
from .base import Minimum, Solver


class Piecewise(Solver):
    """min over z in [low, high] of F(z) = sum_i alpha_i L(z, S_i), for sets of R; serves `Intervals`.

    F is continuous and quadratic between breakpoints: the ends of the pieces and the middles of the gaps. They are
    sorted once; a query is then one pass from left to right that carries F, F' and F'' along. The minimum is global,
    for every principle and for weights of any sign.

    Parameters
    ----------
    n_jobs : int, optional
        Threads over which queries are spread; None is one, -1 all processors.

    Examples
    --------
    >>> from infimum import SetLoss
    >>> from infimum.outputs import Reals
    >>> y = ["[-2,-1]|[1,2]", (1.5, 4), 3]
    >>> space = Reals().fit(y)
    >>> Piecewise().fit(SetLoss(space, space.as_sets(y))).minimise(np.array([[.5, .25, .25]]))
    Minimum(z=array([2.33333333]), value=array([0.16666667]), bound=array([0.16666667]))
    """

    exact = True

    def __init__(self, n_jobs: int | None = None):
        self.n_jobs = n_jobs

    def accepts(self, L: Any) -> bool:
        return all(hasattr(part.sets, "curves") for part in L.parts)

    def needs(self) -> str:
        return "sets of R whose loss is piecewise quadratic in z"

    def fit(self, L: Any, weights: Weights | None = None) -> Self:
        self.output_ = L.output
        low, high = L.output.ends()
        curves = [part.sets.curves(part.principle) for part in L.parts]
        shift = np.cumsum([0, *(len(part) for part in L.parts)])
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
        self.start_ = np.column_stack([L(L.output.at(np.array([low])))[0] / L.output.scale_, slope, curvature])
        self.at_ = np.concatenate([[low], at[inside], [high]])
        self.row_, self.bend_, self.kink_ = (np.concatenate([[0], x[inside], [0]]) for x in (row, bend, kink))
        return self

    def minimise(self, alpha: Any) -> Minimum:
        t, value = self._sweep(np.ascontiguousarray(np.asarray(self._alpha(alpha)), dtype=float))
        value = value * self.output_.scale_
        return Minimum(self.output_.at(t), value, value)

    def _sweep(self, alpha: NDArray) -> tuple[NDArray, NDArray]:
        from ._sweep import sweep  # numba is loaded when an objective is swept

        t, best = np.empty(len(alpha)), np.empty(len(alpha))
        value, slope, curvature = np.ascontiguousarray((alpha @ self.start_).T)

        def part(rows: slice) -> None:
            sweep(
                alpha[rows], value[rows], slope[rows], curvature[rows],
                self.at_, self.row_, self.bend_, self.kink_, t[rows], best[rows],
            )  # fmt: skip

        jobs = min(effective_n_jobs(self.n_jobs), max(len(alpha), 1))
        if jobs == 1:
            part(slice(None))
        else:
            with ThreadPoolExecutor(jobs) as threads:
                list(threads.map(part, gen_even_slices(len(alpha), jobs)))
        return t, best
