"""Sec. 5.2: orders of items by scores that are linear in x, learned from partial orders."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InfimumWarning
from ..datasets import drop_pairs
from ..loss import SetLoss, doubled
from ..outputs import PartialOrders, Rankings
from ..solvers import Alternate, Solver, choose
from ..weights import KernelRidge, split


class Problem(NamedTuple):
    """Scores v_i(x) = slope_i x + intercept_i for x in [-1, 1]; the items are ordered by them, the largest first."""

    slope: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def scores(self, x: NDArray) -> NDArray[np.float64]:
        return np.outer(x, self.slope) + self.intercept

    def codes(self, x: NDArray) -> NDArray[np.int8]:
        """Return the codes of the true orders, (n, m(m-1)/2)."""
        return drop_pairs(self.scores(x), 0.0)


FOUR = Problem(np.array([0.5, 0.0, 1.0, -0.75]), np.array([0.75, 0.5, 0.5, 0.75]))
"""The four items of Figs. rk:setting and ranking_reconstruction."""


def random_problem(m: int, rng: np.random.RandomState) -> Problem:
    return Problem(rng.standard_normal(m), rng.standard_normal(m))


class Stated(PartialOrders):
    """Partial orders whose alternation starts from the pairs that were stated, as the paper's does, not from all that
    they imply."""

    def __init__(self, codes: Any):
        super().__init__(codes)
        self.stated = np.asarray(codes)

    def start(self) -> NDArray:
        return self._phi(self.stated)


def solvers(codes: NDArray, m: int, methods: tuple[str, ...], rounds: int = 50) -> dict[str, tuple[Solver, bool]]:
    """Return a solver for each method, and whether it needs the doubled weights of the joint loss."""
    space, closed, stated = Rankings(m).fit(None), PartialOrders(codes), Stated(codes)
    alternate = Alternate(max_iter=rounds, n_starts=1)
    made: dict[str, tuple[Any, Any]] = {
        "IL, alternation": (doubled(SetLoss(space, stated)), alternate),
        "IL, from the closure": (doubled(SetLoss(space, closed)), alternate),
        "IL, exact": (doubled(SetLoss(space, closed)), "auto"),
        "IL, exact, inside": (SetLoss(space, closed), "auto"),
        "AC": (SetLoss(space, closed, "average"), "auto"),
        "SP, alternation": (doubled(SetLoss(space, stated, "supremum")), alternate),
        "SP, exact": (doubled(SetLoss(space, closed, "supremum")), "auto"),
    }
    out = {}
    for name in methods:
        L, solver = made[name]
        out[name] = choose(solver, L).fit(L), len(L) > len(codes)
    return out


def predictions(codes: NDArray, alphas: list[NDArray], m: int, methods: tuple[str, ...]) -> dict[str, list[NDArray]]:
    """Return the orders that each method predicts for each weight matrix (q, n)."""
    with warnings.catch_warnings():
        # that alternation cycles on the supremum is what the figures show
        warnings.simplefilter("ignore", InfimumWarning)
        alpha, ends = np.vstack(alphas), np.cumsum([len(a) for a in alphas])[:-1]
        return {
            name: np.split(solver.argmin(split(alpha) if doubled else alpha), ends)
            for name, (solver, doubled) in solvers(codes, m, methods).items()
        }


def errors(
    codes: NDArray, truth: NDArray, alphas: list[NDArray], m: int, methods: tuple[str, ...]
) -> dict[str, list[float]]:
    """Return the share of wrong pairs of each method, for each weight matrix (q, n)."""
    found = predictions(codes, alphas, m, methods)
    return {name: [float((codes_of(z) != truth).mean()) for z in orders] for name, orders in found.items()}


def codes_of(orders: NDArray) -> NDArray[np.int8]:
    """Return the codes of full orders, best first: (n, m) -> (n, m(m-1)/2)."""
    return PartialOrders.from_orders(orders).codes


def weights(x: NDArray, queries: NDArray, sigma: float, lam: float) -> NDArray[np.float64]:
    """Return alpha(x) at the queries, (q, n), for a Gaussian kernel."""
    return np.asarray(KernelRidge(lam=lam, sigma=sigma).fit(x[:, None])(queries[:, None]))
