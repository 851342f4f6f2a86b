"""PartialOrders: the sets of rankings, stored as Kendall codes; see :mod:`.codes`."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logit
from sklearn.utils import gen_batches

from ...data.errors import BadRows, InputError, shown
from ...feedback_arc import linear_extensions, minimum_feedback_arcs
from ...feedback_arc.relations import is_weak_order, sort_by
from ..base import Embedding
from .codes import (
    codes_of,
    codes_of_pairs,
    codes_of_scores,
    costs_of,
    mean_codes,
    orders_of,
    pairs,
    table_places,
)
from .contradictions import resolve
from .facts import item_names, number_table
from .forms import pairs_in_codes, pairs_in_ranks
from .nearest_extension import NearestExtensions
from .parts import Parts, centers, parts_of
from .stored import CELLS, StoredOrders

LISTED = 10  # 10! orders are 36 MB
TABLED = 2**25  # distances of rows to all orders, a byte each, that are listed where some of them would do
BITS_COUNTED = 12  # items; beyond, counting linear extensions takes too long for a description


class PartialOrders(StoredOrders):
    """Partial orders: the rankings that agree with some comparisons.

    S_i = {y : code_ij(y) = codes_ij for all codes_ij != 0}, the linear extensions of a partial order. The codes are
    closed transitively. No order satisfies a row that contradicts itself (a > b > c > a).

    Parameters
    ----------
    codes : (n, m(m-1)/2) in {-1, 0, 1}
        1 if item i comes before item j > i, -1 if after, 0 or NaN if that is unknown.
    items : list of m, optional
        The names of the items; 0, …, m-1 by default.
    contradictions : {"error", "majority", "weigh"}, default "error"
        What happens to rows that contradict themselves. "error" raises an error with the cycles. "majority" keeps the
        pairs on which all orders that violate the fewest comparisons agree. "weigh" counts each comparison as a set of
        its own: the loss of the row is the mean of their losses.

    Attributes
    ----------
    contradictory : (n,) booleans
        Which rows contradict themselves.

    Examples
    --------
    >>> PartialOrders([[1, 0, 1], [0, 0, 0]]).codes
    array([[1, 1, 1],
           [0, 0, 0]], dtype=int8)
    >>> cycle = PartialOrders([[1, -1, 1]], items=["a", "b", "c"], contradictions="weigh")
    >>> cycle.format(0), cycle.agreement(np.array([[0, 1, 2]]))
    ('a > b, b > c, c > a', array([0.66666667]))
    """

    kind = "ranking"

    def __init__(self, codes: Any, items: Any = None, contradictions: str = "error"):
        values, _ = number_table(codes, "Kendall codes", "(n, m(m-1)/2)")
        self._resolve(pairs_in_codes(values), items, contradictions)

    @classmethod
    def from_pairs(cls, stated: Any, items: Any = None, contradictions: str = "error") -> PartialOrders:
        """Build partial orders from (n, m, m) booleans, True at (i, j) if the row states that i comes before j."""
        table = np.asarray(stated)
        if table.ndim != 3 or table.shape[1] != table.shape[2]:
            raise InputError(
                f"from_pairs needs (n, m, m) booleans, True at (i, j) where i comes before j. Got shape {table.shape}."
                " Lists of pairs of items are read by Rankings(items).fit(y).read(y)."
            )
        if table.dtype != bool and not (table.dtype.kind in "iuf" and np.isin(table, (0, 1)).all()):
            raise InputError(f"from_pairs needs booleans. Got an array of {table.dtype}.")
        return cls.from_counts(table.astype(bool), items, contradictions)

    @classmethod
    def from_counts(cls, counts: NDArray, items: Any = None, contradictions: str = "error") -> PartialOrders:
        """Build partial orders from (n, m, m) integers: how often the row states that i comes before j."""
        sets = cls.__new__(cls)
        sets._resolve(counts, items, contradictions)
        return sets

    def _resolve(self, counts: NDArray, items: Any, rule: str) -> None:
        m = counts.shape[-1]
        before, contradictory, votes = resolve(counts, item_names(items, m), rule)
        self._keep(codes_of_pairs(before), items, m, contradictory, votes)

    @classmethod
    def from_ranks(cls, ranks: Any, items: Any = None) -> PartialOrders:
        """Build partial orders from (n, m) ranks, 1 is first, NaN if unknown; the columns of a DataFrame are the items.

        >>> PartialOrders.from_ranks([[1, 2, np.nan], [1, 1, 2]]).codes
        array([[1, 0, 0],
               [0, 1, 1]], dtype=int8)
        """
        values, names = number_table(ranks, "ranks", "(n, m)")
        items = names if items is None else items
        item_names(items, values.shape[1])
        return cls._of(codes_of_pairs(pairs_in_ranks(values)), items, values.shape[1])

    @classmethod
    def from_orders(cls, orders: Any, items: Any = None) -> PartialOrders:
        """Build exact labels from (n, m) full orders of 0, …, m-1, best first."""
        values, _ = number_table(orders, "orders of 0, …, m-1", "(n, m)")
        bad = BadRows("y")
        for row in np.flatnonzero((np.sort(values, axis=1) != np.arange(values.shape[1])).any(axis=1)):
            bad.add(row, f"expected every item from 0 to {values.shape[1] - 1} once, got {shown(values[row])}")
        bad.raise_if_any("Items with names, and the top of an order, are read by Rankings(items).fit(y).read(y).")
        item_names(items, values.shape[1])
        return cls._of(codes_of(values.astype(int)), items, values.shape[1])

    @cached_property
    def _parts(self) -> Parts:
        return parts_of(self.codes, self.votes, self.m)

    def relations(self) -> tuple[NDArray, sparse.csr_matrix]:
        return self._parts.before, self._parts.share

    @cached_property
    def _nearest(self) -> NearestExtensions:
        return NearestExtensions(self._parts.before)

    def argmin(self, c: NDArray) -> NDArray:
        if not c.size:
            return np.empty(c.shape)
        before, which, row = self._parts[:3]
        # the last coordinate of phi is the same for every order
        free = c[..., row, :-1].reshape(math.prod(c.shape[:-2]), len(row), self.n_pairs)
        codes = codes_of(minimum_feedback_arcs(costs_of(free), before[which]).order)
        codes = np.stack([self._parts.sum_parts(one) for one in codes])
        return self._phi(codes.reshape(*c.shape[:-1], -1))

    def argmin_shared(self, c: NDArray) -> NDArray:
        share = self._parts.share
        return self._phi(np.stack([share @ one for one in self._answers(c[:, :-1])]))

    def _answers(self, c: NDArray) -> NDArray:
        """Return the codes of argmin <c_k, code(y)> over each distinct partial order, (k, P) -> (k, orders, P)."""
        near = orders_of(-c)
        if np.array_equal(codes_of(near), -c):  # <c, code(y)> counts the pairs against an order
            return self._nearest.codes(near)
        return codes_of(minimum_feedback_arcs(costs_of(c[:, None]), self._parts.before).order)

    def member(self, phi: NDArray, space: Any) -> NDArray:
        """Sort items by their mean code, within the partial order."""
        scores, has_votes = self.item_sums(phi), self._has_votes
        out = np.empty((len(phi), self.m), dtype=int)
        for rows in gen_batches(len(phi), max(1, CELLS // self.m**2)):
            before = pairs_in_codes(self.codes_of_rows(rows)) & ~has_votes[rows, None, None]
            out[rows] = [sort_by(-u, relation) for u, relation in zip(scores[rows], before)]
        return out

    def item_sums(self, phi: NDArray) -> NDArray:
        """Return how often each item comes before others rather than after, from points phi, (n, d) -> (n, m)."""
        return mean_codes(phi[:, :-1], self.m)

    def phi_of_scores(self, u: NDArray) -> NDArray:
        """Return the mean of phi if item a comes before item b with probability sigma(u_a - u_b), (n, m) -> (n, d)."""
        return self._phi(codes_of_scores(u))

    def phi_of_differences(self, u: NDArray) -> NDArray:
        """Return points phi whose codes are the differences of scores, (n, m) -> (n, d).

        <psi(z), phi> is twice the sum of |u_a - u_b| over the pairs that z has wrong. Sums of such points are least for
        the items sorted by the sums of their scores.
        """
        i, j = pairs(self.m)
        codes = u[:, i] - u[:, j]
        return np.column_stack([codes, np.abs(codes).sum(axis=1)])

    def least_certain(self, z: NDArray, q: NDArray) -> NDArray:
        """Return the smallest mean code of a pair that z has in this order, under scores q of the items, (n,)."""
        return (codes_of(z) * self.expected(q)[:, :-1]).min(axis=1, initial=1.0)

    def expected(self, q: NDArray, noise: float = 0.0) -> NDArray:
        """Return the mean of phi under scores of the items, (n, m), which decide the unknown pairs.

        Known pairs are wrong with probability `noise`, unless the scores are certain.
        """
        codes = self.codes
        codes[self.votes.rows] = 0  # of a contradictory row, no comparison is certain
        if not noise:
            return self._phi(np.where(codes != 0, codes, codes_of_scores(q)))
        i, j = pairs(self.m)
        return self._phi(np.tanh((q[:, i] - q[:, j] + codes * logit(1 - noise)) / 2))

    def _phi(self, codes: NDArray) -> NDArray:
        last = np.full((*codes.shape[:-1], 1), float(self.n_pairs))
        return np.concatenate([codes, last], axis=-1)

    def start(self) -> NDArray:
        """Return the transitive closure, with 0 on unknown pairs."""
        if not len(self.votes.row):
            return self._phi(self.codes)
        return self._phi(self._parts.share @ codes_of_pairs(self._parts.before).astype(float))

    @cached_property
    def _weak(self) -> NDArray:
        """Which distinct partial orders are bucket orders."""
        return is_weak_order(self._parts.before)

    @cached_property
    def _center(self) -> NDArray:
        return self._parts.share @ centers(self._parts.before, self._weak)

    def center(self) -> NDArray:
        """Return the mean code over the linear extensions: P(i before j) - P(j before i)."""
        return self._phi(self._center)

    def bracket(self) -> tuple[Embedding, Embedding]:
        """Return bounds on the loss: an unknown pair costs between 0 and 2; <psi(z), start> counts it as 1."""
        unknown = self._parts.share @ (codes_of_pairs(self._parts.before) == 0).sum(axis=-1).astype(float)
        return Embedding(self.start(), -unknown), Embedding(self.start(), unknown)

    def embed(self, principle: str) -> Embedding | None:
        if principle == "average":
            return super().embed(principle)
        if not self._weak.all():
            return None
        # buckets: every unknown pair can follow z, or go against it, whatever the others do
        return self.bracket()[0 if principle == "infimum" else 1]

    @cached_property
    def _table(self) -> NDArray:
        from .tables import distance_table

        return distance_table(self._parts.before)

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        if self.embed(principle) is not None:
            return super().loss(psi, principle)
        count = float(self.n_pairs)
        # the order that y should be near: z, or its mirror image, since d(z, y) = P - d(mirror z, y)
        near = psi[:, :-1] if principle == "infimum" else -psi[:, :-1]
        if self.m <= LISTED and len(psi) * 2**self.m >= math.factorial(self.m):
            distance = self._table[:, table_places(near)].astype(float)
        else:
            distance = (count + np.einsum("kp,krp->rk", near, self._answers(near))) / 2
        infimum = 2 * (self._parts.share @ distance).T
        return infimum if principle == "infimum" else 2 * count - infimum

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        if self.embed(principle) is not None:
            return super().rowwise_loss(psi, principle)
        unique, which = np.unique(psi[:, :-1], axis=0, return_inverse=True)
        near = unique if principle == "infimum" else -unique
        row, part = self._parts.share.nonzero()
        if self.m <= LISTED and len(self._parts.before) * math.factorial(self.m) <= TABLED:
            distance = self._table[part, table_places(near)[which.ravel()[row]]]
        else:
            distance = self._nearest.orders(orders_of(-near), which.ravel()[row], part)[1]
        weight = np.asarray(self._parts.share[row, part]).ravel()
        infimum = 2 * np.bincount(row, weight * distance, minlength=len(self))
        return infimum if principle == "infimum" else 2.0 * self.n_pairs - infimum

    def bits(self) -> NDArray:
        """Return log2 of m! over the number of linear extensions; for more than 12 items, the known pairs."""
        if self.m > BITS_COUNTED:
            return self.n_known.astype(float)
        count = linear_extensions(self._parts.before).count
        assert count is not None
        return self._parts.share @ (math.log2(math.factorial(self.m)) - np.log2(count.astype(float)))
