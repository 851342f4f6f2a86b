"""Conformal scores of rankings, from the scores of pairs or from Kendall's distance to the prediction."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...feedback_arc.relations import transitive_closure
from ..score import Predictor, Score, upto
from .codes import codes_of, costs_of, pairs
from .sets import PartialOrders


class OrderScore(Score):
    """What scores of rankings share: prediction sets are partial orders."""

    def union(self, parts: list) -> PartialOrders:
        """Return the pairs on which all parts agree."""
        first = parts[0].codes
        same = np.all([part.codes == first for part in parts], axis=0)
        return PartialOrders(np.where(same, first, 0), parts[0].items)


def possible_orders(sets: Any) -> Any:
    """Return the sets, with every order possible in rows whose comparisons contradict each other."""
    if not len(sets.votes.row):
        return sets
    codes = sets.codes
    codes[sets.votes.rows] = 0
    return type(sets)._of(codes, sets.items if sets.named else None, sets.m)


class Pairs(OrderScore):
    """The largest score of a reversed pair.

    s(x, y) is the maximum of |g_ij(x)| over the pairs that y orders against g, at least 0.

    g_ij(x) = sum_i alpha_i(x) code_ij(S_i) estimates P(i before j) - P(j before i). Pairs with |g_ij(x)| > r are
    decided by the sign of g. If these pairs form a cycle, no order is within r; then r is increased at that x until
    there is one.
    """

    name = "pairs"
    requires = "sums"

    def forecast(self, predictor: Predictor, X: Any) -> NDArray:
        space: Any = predictor.space
        return space.pair_sums(predictor.sums(X))

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        # an unknown pair occurs in either order in some linear extension
        codes = possible_orders(sets).codes
        against = np.where(codes == 0, np.abs(forecast), -codes * forecast)
        return np.maximum(against.max(axis=1), 0)

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return bottleneck(forecast, costs_of(sets.codes) > 0)

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> PartialOrders:
        m = len(space.items_)
        least = bottleneck(forecast, np.zeros((len(forecast), m, m), dtype=bool))
        decided = np.abs(forecast) > upto(np.maximum(radius, least))[:, None]
        return PartialOrders(np.where(decided, np.sign(forecast), 0), space.items_)


def bottleneck(g: NDArray, before: NDArray) -> NDArray:
    """Return the minimum, over the linear extensions y of a relation, of the largest |g_ij| that y reverses.

    (n, P), (n, m, m) -> (n,): the smallest t such that the relation and the pairs with |g_ij| > t, ordered by g, form
    no cycle. It is found by bisection.

    >>> g, free = np.array([[3., -1., 2.]]), np.zeros((1, 3, 3), bool)  # a cycle, which breaks at its weakest pair
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
    """Return whether a relation has no cycle: (n, m, m) -> (n,)."""
    if not len(relation):
        return np.zeros(0, dtype=bool)
    return ~np.asarray(np.diagonal(transitive_closure(relation), axis1=-2, axis2=-1).any(axis=-1))


class Kendall(OrderScore):
    """The number of pairs that y orders differently from the prediction.

    An order within r of f(x) can reverse two items that are g places apart only if r >= g. Pairs more than r places
    apart are therefore decided, and no others.
    """

    name = "kendall"

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return discordant(forecast, possible_orders(sets), "supremum")

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        return discordant(forecast, sets, "infimum")

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> PartialOrders:
        place = np.argsort(forecast, axis=1)
        i, j = pairs(forecast.shape[1])
        gap = place[:, j] - place[:, i]
        return PartialOrders(np.where(np.abs(gap) > upto(radius)[:, None], np.sign(gap), 0), space.items_)


def discordant(z: NDArray, sets: Any, principle: str) -> NDArray:
    """Return how many pairs z_i orders differently from the closest, or the farthest, member of S_i, (n,)."""
    codes = codes_of(z)
    psi = np.concatenate([-codes, np.ones((len(codes), 1))], axis=1)
    return np.rint(sets.rowwise_loss(psi.astype(float), principle) / 2)
