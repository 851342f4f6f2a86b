"""Alternating minimisation: choose a point of each set for fixed z, then decode z for fixed points."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state, gen_batches

from ..data.checks import check_number
from ..data.errors import InfimumWarning
from ..loss import Loss
from ..weights.base import Weights
from .base import Minimum, Solver

CELLS = 2**24  # entries of the chosen points (z, n, d) held at a time: 128 MiB
CHEAP = 4  # iterations of the cheaper variant that model selection uses


class Alternate(Solver):
    """Local search that supports all bilinear losses.

    Each iteration sets z to argmin_z <psi(z), sum_i alpha_i phi(y_i)> and then y_i to the point of S_i that attains
    the loss at z (paper, Sec. 5.2 and App. B.2). With weights alpha_i >= 0, or with ``negative_weights="joint"``, the
    infimum objective never increases. The best z of all iterations is returned.

    Parameters
    ----------
    max_iter : int, default 300
        Largest number of iterations. The supremum may cycle, in which case a warning is raised.
    n_starts : int, optional
        Number of starting points; by default `Sets.n_starts`. The first one is `Sets.start`, the others are the
        points that minimise random objectives.
    random_state : int, default 0
        Seed of the random objectives.
    tol : float, default 1e-8
        A query stops when an iteration improves it by less than this share of its first objective.
    """

    exact = False

    def __init__(self, max_iter: int = 300, n_starts: int | None = None, random_state: Any = 0, tol: float = 1e-8):
        self.max_iter = max_iter
        self.n_starts = n_starts
        self.random_state = random_state
        self.tol = tol

    def accepts(self, L: Loss) -> bool:
        return L.output.bilinear and L.in_memory and all(term.principle.alternates for term in L.terms)

    def needs(self) -> str:
        return "a loss that is bilinear, <psi(z), phi(y)>, of rows in memory"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        check_number(self, "max_iter", 0, integer=True)
        check_number(self, "n_starts", 1, 10**6, integer=True, optional=True)
        check_number(self, "tol", 0)
        self.loss_ = L
        random = check_random_state(self.random_state)
        start = L.start()
        self.starts_ = [start]
        n_starts = L.n_starts if self.n_starts is None else self.n_starts
        for _ in range(n_starts - 1):
            self.starts_.append(L.attaining(L.output.probe(random, start.shape[1]))[0])
        return self

    def cheap(self, L: Loss) -> Alternate:
        return clone(self).set_params(max_iter=min(self.max_iter, CHEAP), n_starts=1)

    @property
    def width(self) -> int:
        return len(self.loss_) + 4 * self.starts_[0].shape[1]

    def minimise(self, alpha: Any) -> Minimum:
        weights = np.asarray(self._alpha(alpha))
        best = self._search(weights)
        if any(term.principle.sign is None for term in self.loss_.terms):  # no bound is known
            return best
        bound = self.loss_.output.lower_bound(self.loss_, weights, best.z)
        return best._replace(bound=np.minimum(bound, best.value))

    def argmin(self, alpha: Any) -> NDArray:
        return self._search(np.asarray(self._alpha(alpha))).z

    def _search(self, weights: NDArray) -> Minimum:
        best: Minimum | None = None
        moving = np.zeros(len(weights), dtype=bool)
        for start in self.starts_:
            found, still = self._descend(weights, start, None if best is None else best.z)
            moving |= still
            if best is None:
                best = found
            else:
                better = found.value < best.value
                best.z[better], best.value[better] = found.z[better], found.value[better]
        assert best is not None
        if moving.any():
            warnings.warn(
                f"{moving.sum()} of {len(moving)} predictions did not converge in max_iter = {self.max_iter} rounds"
                " (with the supremum, they may cycle). The best output found is returned. Increase max_iter, or use an"
                " exact solver.",
                InfimumWarning,
                stacklevel=4,
            )
        return best

    def _descend(self, weights: NDArray, y: NDArray, earlier: NDArray | None) -> tuple[Minimum, NDArray]:
        """Alternate from the points y; return the best outputs and which queries had not converged.

        A query stops at the best output of an earlier start, because the iterations from there have been made.
        """
        output = self.loss_.output
        z = output.decode(weights @ y)
        c, value = self._answers(weights, z)
        best = Minimum(z.copy(), value, np.full(len(z), -np.inf))
        scale = np.abs(value)
        moving = np.ones(len(z), dtype=bool) if earlier is None else ~_same(z, earlier)
        cycling, mark = np.zeros(len(z), dtype=bool), z.copy()
        for turn in range(self.max_iter):
            active = np.flatnonzero(moving)
            if not len(active):
                break
            new = output.decode(c[active])
            same = _same(new, z[active])
            if earlier is not None:
                same |= _same(new, earlier[active])
            # z determines all later iterations, so a repeated z is a cycle (Brent: marks at turns 1, 2, 4, …)
            back = _same(new, mark[active]) & ~same
            # if the objective never increases, a repeated z means convergence and not a cycle
            cycling[active[back]] = not self.loss_.principle.descends
            z[active] = new
            if turn & (turn + 1) == 0:
                mark[active] = new
            moving[active[same | back]] = False
            active = active[~(same | back)]
            if not len(active):
                break
            c[active], now = self._answers(weights[active], z[active])
            stuck = now >= best.value[active] - self.tol * scale[active]
            if self.loss_.principle.descends:
                moving[active[stuck]] = False
            better = active[~stuck]
            best.z[better], best.value[better] = z[better], now[~stuck]
        return best, moving | cycling

    def _answers(self, weights: NDArray, z: NDArray) -> tuple[NDArray, NDArray]:
        """Return sum_i alpha_i phi(y_i) for the points that attain the loss at z, (q, d), and the objective, (q,)."""
        L = self.loss_
        unique, which = np.unique(z.reshape(len(z), -1), axis=0, return_inverse=True)
        unique = unique.reshape(-1, *z.shape[1:])
        psi = L.output.psi(unique)
        c = np.empty((len(z), psi.shape[1]))
        order = np.argsort(which.ravel(), kind="stable")
        ends = np.cumsum(np.bincount(which.ravel(), minlength=len(unique)))
        for batch in gen_batches(len(unique), max(1, CELLS // max(1, len(L) * psi.shape[1]))):
            for k, y in zip(range(batch.start, batch.stop), L.attaining(psi[batch])):
                rows = order[(ends[k - 1] if k else 0) : ends[k]]
                c[rows] = weights[rows] @ y
        return c, np.einsum("qd,qd->q", psi[which.ravel()], c)


def _same(a: NDArray, b: NDArray) -> NDArray:
    """Return which outputs are equal, (q, *z) -> (q,)."""
    return np.asarray(np.reshape(a == b, (len(a), -1)).all(axis=1))
