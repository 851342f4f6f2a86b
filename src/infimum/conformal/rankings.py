"""Rankings: partial orders of the pairs that are sure, by the scores of pairs or by Kendall's distance."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..feedback_arc.relations import transitive_closure
from ..outputs import PartialOrders, Rankings
from ..outputs.rankings.codes import codes_of, costs_of, pairs
from ..solvers import ClosedForm
from .base import Score, register, upto


class OrderScore(Score):
    """What scores of orders share: predicted sets are partial orders, never a list of orders."""

    def union(self, parts: list) -> PartialOrders:
        """The pairs that are sure in all of them."""
        first = parts[0].codes
        same = np.all([part.codes == first for part in parts], axis=0)
        return PartialOrders(np.where(same, first, 0), parts[0].items)

    def joined(self, parts: list) -> PartialOrders:
        return PartialOrders(np.concatenate([part.codes for part in parts]), parts[0].items)

    def meets(self, found: Any, sets: Any) -> NDArray:
        """Whether the two relations together have no cycle."""
        return acyclic((costs_of(found.codes) > 0) | (costs_of(sets.codes) > 0))

    def holds(self, found: Any, sets: Any) -> NDArray:
        return ((found.codes == 0) | (found.codes == sets.codes)).all(axis=1)

    def exact(self, sets: Any) -> NDArray:
        return (sets.codes != 0).all(axis=1)

    def size(self, found: Any) -> NDArray:
        """How many pairs are not sure."""
        return (found.codes == 0).sum(axis=1)


class Pairs(OrderScore):
    """s(x, y) = the largest |g_ij(x)| of a pair that y has against g, 0 where there is none.

    g_ij(x) = sum_i alpha_i(x) code_ij(S_i), about P(i before j) - P(j before i). Pairs with |g_ij(x)| > r are sure and
    have the sign of g. Where these make a cycle no order is within r, and r grows at that x until there is one.
    """

    name = "pairs"

    def usable(self, model: Any, space: Any) -> bool:
        return isinstance(getattr(model, "solver_", None), ClosedForm)

    def needs(self) -> str:
        return "a ranker whose loss is linear (solvers.ClosedForm): principle='average', or rows that are buckets"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return model._each(X, lambda alpha: self.of_weights(model.solver_, alpha, model.output_))

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return solver.sums(alpha)[:, :-1]

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        # some linear extension has an unknown pair in either order
        against = np.where(sets.codes == 0, np.abs(forecast), -sets.codes * forecast)
        return np.maximum(against.max(axis=1), 0)

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        return bottleneck(forecast, costs_of(sets.codes) > 0)

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> PartialOrders:
        m = len(space.items_)
        least = bottleneck(forecast, np.zeros((len(forecast), m, m), dtype=bool))
        sure = np.abs(forecast) > upto(np.maximum(radius, least))[:, None]
        return PartialOrders(np.where(sure, np.sign(forecast), 0), space.items_)


def bottleneck(g: NDArray, before: NDArray) -> NDArray:
    """min over the linear extensions y of a relation of the largest |g_ij| that y has against g.

    (n, P), (n, m, m) -> (n,): the smallest t for which the relation and the pairs with |g_ij| > t, as g has them, make
    no cycle, by bisection.

    >>> g, free = np.array([[3., -1., 2.]]), np.zeros((1, 3, 3), bool)  # a cycle, whose weakest pair gives way
    >>> bottleneck(g, free)
    array([1.])
    """
    size = np.abs(g)
    steps = np.column_stack([np.zeros(len(g)), np.sort(size, axis=1)])
    wanted = costs_of(g) > 0
    full = np.abs(costs_of(g))
    low, high = np.zeros(len(g), dtype=int), np.full(len(g), steps.shape[1] - 1)
    rows = np.arange(len(g))
    while (low < high).any():
        middle = (low + high) // 2
        t = steps[rows, middle]
        fine = acyclic(before | (wanted & (full > t[:, None, None])))
        low, high = np.where(fine, low, np.minimum(middle + 1, high)), np.where(fine, middle, high)
    return steps[rows, high]


def acyclic(relation: NDArray) -> NDArray:
    """Whether a relation has no cycle: (n, m, m) -> (n,)."""
    if not len(relation):
        return np.zeros(0, dtype=bool)
    return ~np.asarray(np.diagonal(transitive_closure(relation), axis1=-2, axis2=-1).any(axis=-1))


class Kendall(OrderScore):
    """s(x, y) = the number of pairs that f(x) and y have in different order.

    An order within r of f(x) can turn round two items that are g places apart only if r >= g: the pairs more than r
    places apart are sure, and no more.
    """

    name = "kendall"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return model._outputs(X)

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return solver.argmin(alpha)

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        return discordant(forecast, sets, "supremum")

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        return discordant(forecast, sets, "infimum")

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> PartialOrders:
        place = np.argsort(forecast, axis=1)
        i, j = pairs(forecast.shape[1])
        gap = place[:, j] - place[:, i]
        return PartialOrders(np.where(np.abs(gap) > upto(radius)[:, None], np.sign(gap), 0), space.items_)


def discordant(z: NDArray, sets: Any, principle: str) -> NDArray:
    """The pairs that z_i has against the nearest, or the farthest, member of S_i, (n,)."""
    codes = codes_of(z)
    psi = np.concatenate([-codes, np.ones((len(codes), 1))], axis=1)
    return np.rint(sets.rowwise_loss(psi.astype(float), principle) / 2)


register(Rankings, Pairs, Kendall)
