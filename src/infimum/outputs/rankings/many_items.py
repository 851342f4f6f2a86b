"""SparseOrders: partial orders of many items, stored by their comparisons, with Spearman's loss."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import logit
from sklearn.utils import gen_batches

from ...data.containers import Column
from ...data.names import Names
from ...feedback_arc.relations import is_weak_order, sort_by
from ..base import Embedding
from ..sets import Sets
from .codes import codes_of_pairs, known_codes, mean_codes
from .contradictions import ComparisonVotes, resolve
from .forms import pairs_in_codes, pairs_in_ranks, stated_rows
from .parts import centers
from .sets import PartialOrders
from .stored import CELLS


def borda_of(orders: NDArray) -> NDArray:
    """Return the items after each item less those before it, (..., m) orders -> (..., m).

    >>> borda_of(np.array([2, 0, 1]))
    array([ 0., -2.,  2.])
    """
    place = np.argsort(orders, axis=-1)
    return place.shape[-1] - 1.0 - 2.0 * place


def squared_norm(m: int) -> float:
    """Return the squared norm of `borda_of` any order of m items."""
    return m * (m * m - 1) / 3


class SparseOrders(PartialOrders):
    """Partial orders of many items, with Spearman's loss; only known pairs are stored.

    phi(y) = (borda(y), m(m²-1)/3), where borda(y) counts for each item the items after it less those before it. It has
    m + 1 numbers instead of m(m-1)/2, and the best order for a sum of them is found by sorting. The linear extension
    that answers for an order z is the one nearest to z in Kendall's distance. For bucket orders it is also the nearest
    in Spearman's loss; for others the infimum loss may be overestimated.
    """

    exact_argmin = False

    @classmethod
    def from_ranks(cls, ranks: Any, items: Any = None) -> SparseOrders:
        n, m = ranks.shape
        parts = [
            sparse.csr_matrix(codes_of_pairs(pairs_in_ranks(ranks[rows])))
            for rows in gen_batches(n, max(1, CELLS // (m * m)))
        ]
        return cls._of(sparse.vstack(parts) if n else np.empty((0, m * (m - 1) // 2)), items, m)

    @classmethod
    def from_cells(cls, y: Column, items: Names, strict: bool, rule: str) -> SparseOrders:
        """Parse cells; rows of several chains are closed on the items that they compare."""
        n, m = y.n, len(items)
        entries: list[tuple[NDArray, NDArray, NDArray]] = []
        loose = []
        for stated in stated_rows(y, items, strict):
            if not stated.is_closed:
                loose.append(stated)
                continue
            for i, j in stated.blocks:
                better, worse = np.repeat(np.array(i, dtype=int), len(j)), np.tile(np.array(j, dtype=int), len(i))
                entries.append((np.full(len(better), stated.row), better, worse))
        contradictory, votes = np.zeros(n, dtype=bool), [ComparisonVotes.none()]
        inside = [np.unique(np.concatenate([np.array(a, int) for b in one.blocks for a in b])) for one in loose]
        most = max(map(len, inside), default=0)
        step = max(1, CELLS // max(most * most, 1))
        for start in range(0, len(loose), step):
            some, own = loose[start : start + step], inside[start : start + step]
            numbers, active = np.array([one.row for one in some]), np.zeros((len(some), most), dtype=int)
            counts = np.zeros((len(some), most, most), dtype=np.uint8)
            for k, (one, at) in enumerate(zip(some, own)):
                active[k, : len(at)] = at
                for i, j in one.blocks:
                    counts[k, np.searchsorted(at, i)[:, None], np.searchsorted(at, j)] += 1
            closed, cyclic, found = resolve(counts, items.array[active], rule, numbers)
            row, better, worse = np.nonzero(closed)
            entries.append((numbers[row], active[row, better], active[row, worse]))
            contradictory[numbers[cyclic]] = True
            first, second = (active[found.row, side] for side in (found.better, found.worse))
            votes.append(ComparisonVotes(numbers[found.row], first, second, found.times))
        row, better, worse = (np.concatenate([part[k] for part in entries] or [np.empty(0, int)]) for k in range(3))
        joined = ComparisonVotes(*(np.concatenate(part) for part in zip(*votes)))
        by_row = np.argsort(joined.row, kind="stable")
        joined = ComparisonVotes(*(part[by_row] for part in joined))
        return cls._of(known_codes(n, m, row, better, worse), items.array, m, contradictory, joined)

    def _n_right(self, z: NDArray) -> NDArray:
        row, better, worse = self._known
        place = np.argsort(z, axis=-1)
        return np.bincount(row, place[row, better] < place[row, worse], minlength=len(self)).astype(int)

    @cached_property
    def _known(self) -> tuple[NDArray, NDArray, NDArray]:
        return self.known_pairs()

    def relations(self) -> None:  # type: ignore[override]
        return None

    @cached_property
    def _single(self) -> tuple[SparseOrders, sparse.csr_matrix]:
        """Rows without votes, in which each comparison of a contradictory row is a row of its own; and their sums."""
        n, whole = len(self), np.setdiff1d(np.arange(len(self)), self.votes.row)
        votes = known_codes(len(self.votes.row), self.m, np.arange(len(self.votes.row)), *self.votes[1:3])
        single = self._like(sparse.vstack([self._codes[whole], votes]))
        weight = np.concatenate([np.ones(len(whole)), self.votes.weight])
        row = np.concatenate([whole, self.votes.row])
        return single, sparse.csr_matrix((weight, (row, np.arange(len(row)))), (n, len(row)))

    def _relation(self, row: Any) -> NDArray:
        return pairs_in_codes(self.codes_of_rows([row]))[0]

    @cached_property
    def _active(self) -> tuple[Any, NDArray, NDArray]:
        """The compared items of each row, which rows a dynamic program solves, and the levels of other bucket orders.

        A level is the number of items that come before; -1 in a row that is no bucket order.
        """
        from ...feedback_arc.nearest import MAX_WORK, ActiveItems, work

        row, better, worse = self._known
        keys = np.unique(np.concatenate([row * self.m + better, row * self.m + worse]))
        number = np.bincount(keys // self.m, minlength=len(self))
        quick = work(ActiveItems(keys, number, keys), self.m) <= MAX_WORK
        most = int(number[quick].max(initial=0))
        items, below = np.full((len(self), most), -1), np.zeros((len(self), most), dtype=np.int64)
        start = np.concatenate([[0], np.cumsum(number)])
        within = np.arange(len(keys)) - start[keys // self.m]
        used = quick[keys // self.m]
        items[keys[used] // self.m, within[used]] = keys[used] % self.m
        a, b = (np.searchsorted(keys, row * self.m + side) for side in (better, worse))
        used = quick[row]
        np.bitwise_or.at(below, (row[used], within[b[used]]), np.int64(1) << within[a[used]])
        levels = np.full((len(self), self.m), -1) if not quick.all() else np.empty((len(self), 0), dtype=int)
        for k in np.flatnonzero(~quick):
            before = self._relation(k)
            if is_weak_order(before):
                levels[k] = before.sum(axis=0)
        return ActiveItems(items, np.where(quick, number, 0), below), quick, levels

    def nearest(self, z: NDArray) -> NDArray:
        """Return a linear extension of each row that is near an order z_i: (n, m) -> (n, m)."""
        from ...feedback_arc.nearest import nearest_orders

        active, quick, levels = self._active
        out = np.empty((len(self), self.m), dtype=np.int64)
        rows = np.flatnonzero(quick)
        out[rows] = nearest_orders(z, active, rows, rows)[0]
        place = np.argsort(z, axis=-1)
        for k in np.flatnonzero(~quick):
            weak = levels[k, 0] >= 0
            out[k] = np.lexsort((place[k], levels[k])) if weak else sort_by(place[k].astype(float), self._relation(k))
        return out

    def argmin(self, c: NDArray) -> NDArray:
        single, share = self._single
        of_row = np.asarray(share.tocsc().indices)
        out = []
        for one in c.reshape(-1, *c.shape[-2:]):
            z = np.argsort(one[of_row, :-1], axis=-1, kind="stable")
            out.append(share @ borda_of(single.nearest(z)))
        return self._phi(np.array(out).reshape(*c.shape[:-1], self.m))

    def argmin_shared(self, c: NDArray) -> NDArray:
        return Sets.argmin_shared(self, c)

    def item_sums(self, phi: NDArray) -> NDArray:
        return phi[:, :-1]

    def phi_of_scores(self, u: NDArray) -> NDArray:
        # the sums over b of P(a before b) - P(b before a) = tanh((u_a - u_b) / 2)
        sums = np.empty(u.shape)
        for rows in gen_batches(len(u), max(1, CELLS // (self.m * self.m))):
            sums[rows] = np.tanh((u[rows, :, None] - u[rows, None, :]) / 2).sum(axis=2)
        return self._phi(sums)

    def phi_of_differences(self, u: NDArray) -> NDArray:
        ordered = np.sort(u, axis=1) @ (2.0 * np.arange(self.m) + 1 - self.m)  # the sum of |u_a - u_b| over all pairs
        return self.m * np.column_stack([u - u.mean(axis=1, keepdims=True), ordered])

    def expected(self, q: NDArray, noise: float = 0.0) -> NDArray:
        found = self.phi_of_scores(q)
        row, better, worse = self._known
        certain = ~self._has_votes[row]
        row, better, worse = row[certain], better[certain], worse[certain]
        # known pairs have the code 1, or what the noise leaves of it, instead of the expected one
        d = q[row, better] - q[row, worse]
        more = (np.tanh((d + logit(1 - noise)) / 2) if noise else 1.0) - np.tanh(d / 2)
        for items, sign in ((better, 1.0), (worse, -1.0)):
            found[:, :-1] += sparse.csr_matrix((sign * more, (row, items)), (len(self), self.m)).toarray()
        return found

    def least_certain(self, z: NDArray, q: NDArray) -> NDArray:
        """Return the smallest mean code of two neighbours in z; those that the row compares are certain."""
        u = np.take_along_axis(q, z, axis=1)
        codes = np.tanh((u[:, :-1] - u[:, 1:]) / 2)
        row, better, worse = self._known
        place = np.argsort(z, axis=1)
        at = place[row, better]
        next_to = (place[row, worse] == at + 1) & ~self._has_votes[row]
        codes[row[next_to], at[next_to]] = 1.0
        return codes.min(axis=1, initial=1.0)

    def _phi(self, sums: NDArray) -> NDArray:
        return np.concatenate([sums, np.full((*sums.shape[:-1], 1), squared_norm(self.m))], axis=-1)

    def start(self) -> NDArray:
        single, share = self._single
        row, better, worse = single._known
        ahead, behind = (
            sparse.csr_matrix((np.ones(len(row)), (row, side)), (len(single), self.m)) for side in (better, worse)
        )
        return self._phi((share @ (ahead - behind)).toarray())

    @cached_property
    def _center(self) -> NDArray:
        """The mean over the linear extensions.

        Restricted to the a items that a row compares, a random linear extension is one of these alone. The others are
        inserted at random places, which stretches the sums by (m + 1) / (a + 1).
        """
        single, share = self._single
        row, better, worse = single._known
        active = np.zeros((len(single), self.m), dtype=bool)
        active[row, better] = active[row, worse] = True
        number = active.sum(axis=1)
        out = np.zeros((len(single), self.m))
        for a in np.unique(number[number > 0]):
            rows = np.flatnonzero(number == a)
            for batch in gen_batches(len(rows), max(1, CELLS // (a * a))):
                some = rows[batch]
                items = np.nonzero(active[some])[1].reshape(len(some), a)
                at = np.isin(row, some)
                local = np.searchsorted(some, row[at])
                place = np.cumsum(active[some], axis=1) - 1
                before = np.zeros((len(some), a, a), dtype=bool)
                before[local, place[local, better[at]], place[local, worse[at]]] = True
                sums = mean_codes(centers(before, is_weak_order(before)), a)
                out[some[:, None], items] = sums * (self.m + 1) / (a + 1)
        return share @ out

    def bracket(self) -> None:  # type: ignore[override]
        return None

    def embed(self, principle: str) -> Embedding | None:
        return Sets.embed(self, principle)

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        return Sets.loss(self, psi, principle)

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        return Sets.rowwise_loss(self, psi, principle)
