"""Segments: minima of `Piecewise` for kernel weights without forming alpha; a few rows of it decide."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from threadpoolctl import threadpool_limits

from ..loss import Loss
from ..weights.base import Weights

KNOWN = 4  # rows before those of a segment: F, F'/2 and F''/2 at the left knot, and at least sum_i |alpha_i|
CELLS = 2**21  # entries of L(z, S_i) held at a time
MOST = 0.4  # of the rows: where more would be needed, all are
EACH = 1.2  # segments, as a multiple of the root of the number of breakpoints: the two products cost about the same


class Curves(NamedTuple):
    """h_1 … h_n: start (3, n) has h, h'/2 and h''/2 at at[0]; h' / 2 or h'' / 2 of row[e] jumps at at[e]."""

    start: NDArray
    at: NDArray
    row: NDArray
    bend: NDArray
    kink: NDArray


class Segment(NamedTuple):
    """The part of the curves between two knots; of F, what is known at the left one are its first three rows."""

    rows: NDArray
    """I, those with a breakpoint inside."""
    curves: Curves
    hull: NDArray
    """(k, m): the Bézier points of r."""


class Segments:
    """min over t of F(t) = sum_i alpha_i(x) h_i(t), alpha(x) = v(x) M, from v(x).

    Some breakpoints are knots a_0 < … < a_G. Folded into M once, the columns h(a_j), h'(a_j+)/2 and h''(a_j+)/2 give F,
    F'/2 and F''/2 at every knot for 3 G products of v(x), where alpha takes n. On a segment [a, b] let q_i be the
    quadratic with q_i(a) = h_i(a), q_i'(a) = h_i'(a+) and q_i(b) = h_i(b). It is h_i itself but for the rows I that
    have a breakpoint inside; with the remainders r_i = h_i - q_i

        F(t) = q(t) + sum_{i in I} alpha_i(x) r_i(t) >= q(t) - |r(t)|,      q = sum_i alpha_i(x) q_i,

    where the knots tell q, and |r|, `weights.bound`, is a norm, at least |sum_i alpha_i(x) r_i| for every x. Between
    two breakpoints r(t) is a quadratic curve in R^I, in the hull of its three Bézier points: the largest of their norms
    serves the whole segment. Where the bound is above a value of F there is no minimum. For the one or two segments
    that are left, alpha_I(x) = v(x) M_I is formed, and swept from a to b.

    Nothing is approximate: what is cut is proved to be larger. Where F is flat at its minimum, the flat part may go on
    beyond a segment: such queries are handed back, to be swept from end to end; so are those that need many rows.

    Parameters
    ----------
    loss : Loss
        L(z, S_i) of n rows.
    curves : Curves
        The same as functions of t.
    weights : Weights
        Fitted, with a `norm`.
    makers : (n, r)
        The transpose of M, `weights.explicit()`.
    rounding : float
        What counts as equal, of sum_i |alpha_i|.
    """

    def __init__(self, loss: Loss, curves: Curves, weights: Weights, makers: NDArray, rounding: float):
        self.weights, self.makers, self.rounding = weights, makers, rounding
        self.size = (weights.norm or 0.0) * len(makers) ** 0.5  # at least sum_i |alpha_i|
        last = len(curves.at) - 1
        chosen = np.linspace(0, last, max(1, round(EACH * last**0.5)) + 1).round().astype(int)
        self.knots = np.unique(curves.at[chosen])
        slopes, curvatures, self.parts = cut(curves, self.knots)
        self.counts = np.array([len(part.rows) for part in self.parts])
        with threadpool_limits(1, "blas"):  # for small products, a second thread is more often waited for than of use
            self.off = np.array([weights.bound(part.rows, part.hull).max(initial=0.0) for part in self.parts])
        self.folded = weights.project(np.hstack([_values(loss, self.knots), slopes, curvatures]))

    def minimise(self, v: NDArray, jobs: int = 1) -> tuple[NDArray, NDArray, NDArray]:
        """t and F(t), (q,), and which of them are surely the middle of all the minimisers; v is (q, r)."""
        v = np.ascontiguousarray(v, dtype=float)
        G = len(self.parts)
        known = v @ self.folded
        F, slope = known[:, : G + 1], known[:, G + 1 : 2 * G + 1]
        left = self.survivors(F, slope)
        sure = left @ self.counts <= MOST * len(self.makers)
        left &= sure[:, None]
        slack = self.rounding * self.size
        t, best = np.full(len(v), np.nan), np.full(len(v), np.inf)
        places = np.flatnonzero(left.any(axis=0))
        with ThreadPoolExecutor(jobs) as threads:
            each = threads.map if jobs > 1 else map
            for j, found in zip(places, each(lambda j: self._swept(v, known, left[:, j], j), places.tolist())):
                q, (where, value, flat) = np.flatnonzero(left[:, j]), found
                # from left to right: of equal minima the first is taken, as in a sweep; the last knot is no minimum yet
                better = value < best[q] - np.where(t[q] < self.knots[j], slack, 0.0)
                equal = value <= best[q] + slack
                sure[q] = np.where(better, flat == 0, sure[q] & ((flat == 0) | ~equal))
                t[q[better]], best[q[better]] = where[better], value[better]
        return t, best, sure

    def _swept(self, v: NDArray, known: NDArray, chosen: NDArray, j: int) -> NDArray:
        """The minimiser, the minimum and the width of the flat part on segment j, (3, k), for the queries chosen."""
        from ._sweep import products, sweep

        part, q, G = self.parts[j], np.flatnonzero(chosen), len(self.parts)
        alpha = np.empty((len(q), KNOWN + len(part.rows)))
        alpha[:, : KNOWN - 1] = known[q[:, None], [j, G + 1 + j, 2 * G + 1 + j]]
        alpha[:, KNOWN - 1] = self.size
        products(v, q, self.makers, part.rows, alpha[:, KNOWN:])
        found = np.empty((3, len(q)))
        sweep(alpha, *part.curves, self.rounding, self.rounding, *found)
        return found

    def survivors(self, F: NDArray, slope: NDArray) -> NDArray:
        """Which segments may hold a minimum: (q, G + 1) values and (q, G) slopes at the knots -> (q, G)."""
        a, b, g = F[:, :-1], F[:, 1:], 2 * slope * np.diff(self.knots)
        c = b - a - g  # q(a + u w) = F(a) + g u + c u²
        with np.errstate(divide="ignore", invalid="ignore"):
            vertex = np.where((g < 0) & (2 * c > -g), a - g * g / (4 * c), np.inf)
        low = np.minimum(np.minimum(a, b), vertex)
        least = np.minimum(F.min(axis=1), (low + self.off).min(axis=1))
        return low - self.off <= least[:, None] + 4 * self.rounding * self.size


def cut(curves: Curves, knots: NDArray) -> tuple[NDArray, NDArray, list[Segment]]:
    """h'(a+)/2 and h''(a+)/2 of every row at the left knots, (n, G), and the segments."""
    _, at, row, bend, kink = curves
    state = curves.start.copy()  # of all rows, at the left knot
    slopes, curvatures = np.empty((2, state.shape[1], len(knots) - 1))
    parts = []
    first = 1
    for j, (a, b) in enumerate(pairwise(knots)):
        last, after = np.searchsorted(at[:-1], b, "left"), np.searchsorted(at[:-1], b, "right")
        slopes[:, j], curvatures[:, j] = state[1], state[2]
        inside, passed = slice(first, last), slice(first, after)
        here = state.copy()
        _move(state, b - a)
        back = b - at[passed]
        jumps = back * (2 * kink[passed] + back * bend[passed]), kink[passed] + back * bend[passed], bend[passed]
        for k, jump in enumerate(jumps):
            np.add.at(state[k], row[passed], jump)
        rows, own = np.unique(row[inside], return_inverse=True)
        # the first three rows are F, F'/2 and F''/2 at a; the fourth only tells how much the weights sum up to
        inner = Curves(
            np.eye(3, len(rows) + KNOWN), *_framed(a, b, at[inside], own + KNOWN, bend[inside], kink[inside])
        )
        parts.append(Segment(rows, inner, hull(here[:, rows], state[0, rows], inner)))
        first = after
    return slopes, curvatures, parts


def _move(state: NDArray, w: float) -> None:
    """h, h'/2 and h''/2 a step of w further on, where nothing jumps."""
    state[0] += w * (2 * state[1] + w * state[2])
    state[1] += w * state[2]


def _framed(a: float, b: float, at: NDArray, row: NDArray, bend: NDArray, kink: NDArray) -> tuple[NDArray, ...]:
    """The breakpoints of a segment between its two ends, where nothing jumps."""
    return np.concatenate([[a], at, [b]]), *(np.concatenate([[0], x, [0]]) for x in (row, bend, kink))


def hull(start: NDArray, end: NDArray, inner: Curves) -> NDArray:
    """The Bézier points of r, (k, m): `start` (3, k) has h, h'/2, h''/2 at a+, and `end` (k,) has h at b."""
    at, events = inner.at, np.arange(1, len(inner.at) - 1)
    d, w = np.diff(at), at[-1] - at[0]
    own = inner.row[events] - KNOWN
    bend, kink = np.zeros((2, len(end), len(d)))
    bend[own, events], kink[own, events] = inner.bend[events], inner.kink[events]
    # r = h - q has r(a) = r'(a+) = r(b) = 0; by steps from one breakpoint to the next
    q = (end - start[0] - 2 * w * start[1]) / w**2
    curvature = (start[2] - q)[:, None] + np.cumsum(bend, axis=1)
    slope = np.cumsum(kink, axis=1)
    slope[:, 1:] += np.cumsum(curvature * d, axis=1)[:, :-1]
    value = np.cumsum(d * (2 * slope + d * curvature), axis=1)
    before = np.concatenate([np.zeros((len(q), 1)), value[:, :-1]], axis=1)
    return np.hstack([value, before + d * slope])


def _values(loss: Loss, t: NDArray) -> NDArray:
    """h_i(t) for every row i, (n, len(t))."""
    blocks = gen_batches(len(t), max(1, CELLS // max(1, len(loss))))
    return np.vstack([loss(loss.output.at(t[block])) for block in blocks]).T / loss.output.scale_
