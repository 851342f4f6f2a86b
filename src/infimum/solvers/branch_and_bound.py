"""An exact solver for tags whose loss depends on the Hamming distance to a center."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..loss import Loss
from ..weights.base import Weights
from .base import Minimum, Solver

NODES = 256  # subtrees bounded at a time


class BranchAndBound(Solver):
    """Exact minimiser of losses that depend on the Hamming distance to a center.

    The outputs are {-1, 1}^m.

    It supports `HammingBalls`. The objective is the sum over i of alpha_i h_i(d(z, c_i)), where d is the Hamming
    distance. Tags are fixed one after the other. Below a node, d_i lies between the number a_i of fixed tags that
    differ and a_i plus the number of free tags. In this range alpha_i h_i lies above a line in d_i, its chord lowered
    until it touches. The sum of these lines is minimised tag by tag, which bounds the whole subtree from below.
    """

    exact = True

    def accepts(self, L: Loss) -> bool:
        return L.output.is_product and all(term.principle.profiles(term.sets) is not None for term in L.terms)

    def needs(self) -> str:
        return "sets whose loss is a function of the Hamming distance to a center, and no k="

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        profiles = [found for term in L.terms if (found := term.principle.profiles(term.sets)) is not None]
        self.centers_ = np.vstack([found.centers for found in profiles])
        self.h_ = np.vstack([found.h for found in profiles])
        self.price_ = profiles[0].price
        return self

    @property
    def width(self) -> int:
        return self.h_.size

    def minimise(self, alpha: Any) -> Minimum:
        found = [_Tree(a, self.centers_, self.h_, self.price_).search() for a in np.asarray(self._alpha(alpha))]
        z = np.array([z for z, _ in found], dtype=int).reshape(len(found), self.centers_.shape[1])
        value = np.array([v for _, v in found])
        return Minimum(z, value, value)


class _Tree:
    """The search tree of one query; `epsilon` is the cost of each tag that is present."""

    def __init__(self, alpha: NDArray, centers: NDArray, h: NDArray, epsilon: float):
        rows = np.flatnonzero(alpha)
        self.order = np.argsort(-np.abs(alpha @ centers), kind="stable")  # the tags that decide most come first
        self.centers = centers[rows][:, self.order]
        self.h = alpha[rows, None] * h[rows]
        self.i = np.arange(len(rows))
        self.price = epsilon * alpha.sum()
        # an upper bound of the rounding errors, relative to the weights
        self.rounding = 1e-14 * (np.abs(self.h).max(axis=1, initial=0).sum() + abs(self.price) * centers.shape[1])
        self.cache: dict[int, tuple[NDArray, NDArray]] = {}

    def search(self) -> tuple[NDArray, float]:
        m = len(self.order)
        best, value = self._descend()
        stack = [(np.empty((1, 0)), np.zeros((1, len(self.i)), dtype=int))]
        while stack:
            z, a = stack.pop()
            k = z.shape[1]
            if k == m:
                values = self.h[self.i, a].sum(axis=1) + self.price * (z > 0).sum(axis=1)
                if values.min() < value:
                    best, value = z[values.argmin()], values.min()
                continue
            signs = np.tile([-1.0, 1.0], len(z))
            z = np.column_stack([np.repeat(z, 2, axis=0), signs])
            a = np.repeat(a, 2, axis=0) + (signs[:, None] != self.centers[:, k])
            bound = self._bound(z, a)
            keep = np.flatnonzero(bound < value - self.rounding)
            keep = keep[np.argsort(-bound[keep], kind="stable")]  # the most promising on top of the stack
            parts = [keep[start : start + NODES] for start in range(0, len(keep), NODES)]
            stack += [(z[part], a[part]) for part in parts]
        out = np.empty(m)
        out[self.order] = best
        return out, float(value)

    def lines(self, left: int) -> tuple[NDArray, NDArray]:
        """Return level and slope, (n, m + 1 - left), with h_i(a + t) >= level_ia + slope_ia t for t = 0, …, left."""
        if left not in self.cache:
            self.cache[left] = self._lines(left)
        return self.cache[left]

    def _lines(self, left: int) -> tuple[NDArray, NDArray]:
        windows = np.lib.stride_tricks.sliding_window_view(self.h, left + 1, axis=1)
        slope = (windows[..., -1] - windows[..., 0]) / max(left, 1)
        level = (windows - slope[..., None] * np.arange(left + 1)).min(axis=-1)
        return level, slope

    def _bound(self, z: NDArray, a: NDArray) -> NDArray:
        """Return lower bounds of the objective below the nodes (z, a), (nodes,)."""
        free = self.centers[:, z.shape[1] :]
        level, slope = self.lines(free.shape[1])
        slopes = slope[self.i, a]
        lean = 0.5 * slopes @ free
        half = 0.5 * slopes.sum(axis=1, keepdims=True)
        # a free tag costs half - lean + price if it is present, half + lean if not
        rest = np.minimum(half - lean + self.price, half + lean).sum(axis=1)
        return level[self.i, a].sum(axis=1) + self.price * (z > 0).sum(axis=1) + rest

    def _descend(self) -> tuple[NDArray, float]:
        """Return a first solution: the best single flips, starting from the signs of the linear objective."""

        def objective(z: NDArray) -> NDArray:
            d = (z[:, None, :] != self.centers).sum(axis=-1)
            return self.h[self.i, d].sum(axis=1) + self.price * (z > 0).sum(axis=1)

        z = np.where((self.h[:, -1] - self.h[:, 0]) @ self.centers > 0, 1.0, -1.0)
        value = objective(z[None])[0]
        while True:
            flips = np.where(np.eye(len(z), dtype=bool), -z, z)
            values = objective(flips)
            if values.min() >= value - self.rounding:
                return z, value
            z, value = flips[values.argmin()], values.min()
