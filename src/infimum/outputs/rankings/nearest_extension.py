"""The linear extension of a partial order that is nearest to a given order: exact, and quick for hundreds of items.

Dynamic programming finds it for partial orders that compare few items (see `infimum.feedback_arc.nearest`). For others
there is a best-first search over ideals (down-closed sets: the items placed so far). The pairs that the partial order
forces against z are discordant in every extension, so a state costs only what it adds to them: placing i pays for the
items that z puts before i, that are not placed, and that need not come after i. Two exchange arguments prune the
search.

- The first item of z that is left, once it may be placed, may be placed next: that puts all its pairs right.
- Let z put a before b, where a needs no item that b does not need, and b is needed by no item that does not need a.
  Then a comes before b in every nearest extension: swapping the two in another one puts the pair right, and an item
  between them is not worse off.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from heapq import heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InfimumWarning
from ...feedback_arc import minimum_feedback_arc
from ...feedback_arc.relations import sort_by
from .codes import codes_of, costs_of

STATES = 500  # ideals visited before giving up
PROVED = 20  # items up to which the nearest linear extension is always proved
REMEMBERED = 2**26  # bytes of nearest extensions


class NearestExtensions:
    """The linear extensions of k partial orders that are nearest to given orders.

    Codes are remembered, because alternation comes back to the same orders.

    Parameters
    ----------
    before : (k, m, m) booleans
        Closed relations.
    """

    def __init__(self, before: NDArray):
        self.before, self.m = before, before.shape[-1]
        self._known: dict[bytes, NDArray] = {}

    @cached_property
    def _active(self) -> Any:
        from ...feedback_arc.nearest import active_items

        return active_items(self.before)

    @cached_property
    def work(self) -> NDArray:
        """Steps of the dynamic program of each relation, (k,)."""
        from ...feedback_arc.nearest import work

        return work(self._active, self.m)

    def codes(self, orders: NDArray) -> NDArray:
        """Return the codes of the extension of each relation that is nearest to each order, (q, k, P)."""
        from ...feedback_arc.nearest import kendall_codes

        keys = [order.tobytes() for order in orders]
        # every thread answers from its own copy: one that makes room takes nothing away from another
        known = self._known
        found = {key: known[key] for key in keys if key in known}
        new = [k for k, key in enumerate(keys) if key not in found]
        if new:
            each = np.repeat(np.arange(len(new)), len(self.before)), np.tile(np.arange(len(self.before)), len(new))
            codes = kendall_codes(self.orders(orders[new], *each)[0]).reshape(len(new), len(self.before), -1)
            found.update(zip([keys[k] for k in new], codes))
            full = (len(known) + len(new)) * max(self.before.size, 1) > REMEMBERED
            self._known = dict(found) if full else {**known, **found}
        return np.array([found[key] for key in keys]).reshape(len(keys), len(self.before), self.m * (self.m - 1) // 2)

    def distances(self, orders: NDArray, which_order: NDArray, which_relation: NDArray) -> NDArray:
        """Return the number of pairs between orders and their nearest extensions, for many problems, (p,)."""
        return self.orders(orders, which_order, which_relation)[1]

    def orders(self, orders: NDArray, which_order: NDArray, which_relation: NDArray) -> tuple[NDArray, NDArray]:
        """Return the extension of a relation that is nearest to an order, for many problems, and its distance."""
        from ...feedback_arc.nearest import MAX_WORK, ActiveItems, nearest_orders

        easy = self.work <= MAX_WORK
        active = ActiveItems(self._active.items, np.where(easy, self._active.number, 0), self._active.below)
        out = np.empty((len(which_order), self.m), dtype=np.int64)
        distance = np.empty(len(which_order), dtype=np.int64)
        simple = easy[which_relation]
        out[simple], distance[simple] = nearest_orders(orders, active, which_order[simple], which_relation[simple])
        unproved = 0
        for p in np.flatnonzero(~simple):
            z, before = orders[which_order[p]], self.before[which_relation[p]]
            found = nearest_extensions(z, before[None])[0]
            if found is None and self.m <= PROVED:
                found = minimum_feedback_arc(-costs_of(codes_of(z)), before).order
            elif found is None:
                found, unproved = near_extension(z, before), unproved + 1
            out[p], distance[p] = found, (codes_of(found) != codes_of(z)).sum()
        if unproved:
            warnings.warn(
                f"{unproved} of {len(out)} nearest linear extensions of {self.m} items come from local search and may"
                " not be optimal. Objectives are then estimates. Their lower bounds remain valid.",
                InfimumWarning,
                stacklevel=2,
            )
        return out, distance

    def __getstate__(self) -> dict:
        return {"before": self.before, "m": self.m, "_known": {}}


def nearest_extensions(z: NDArray, before: NDArray) -> list[NDArray | None]:
    """For each closed relation before[k] (m, m), its linear extension with the fewest pairs against z (m,).

    None where the search gave up.

    >>> before = np.zeros((1, 4, 4), dtype=bool)
    >>> before[0, 3, 0] = True
    >>> nearest_extensions(np.array([0, 1, 2, 3]), before)
    [array([1, 2, 3, 0])]
    """
    # from here on items are named by their place in z
    before = before[:, z[:, None], z]
    weight = before.astype(np.float32)
    # needs[a, b]: a needs an item that b does not need; gives[a, b]: an item needs b and does not need a
    needs = weight.swapaxes(1, 2) @ (1 - weight) > 0
    gives = (1 - weight) @ weight.swapaxes(1, 2) > 0
    needed = before | (np.triu(~needs & ~gives, 1) & ~before.swapaxes(1, 2))
    found = [_search(_masks(n.T), _masks(b)) for n, b in zip(needed, before)]
    return [None if places is None else z[places] for places in found]


def _masks(rows: NDArray) -> list[int]:
    """Every boolean row as the bits of an integer."""
    return [int.from_bytes(row.tobytes(), "little") for row in np.packbits(rows, axis=1, bitorder="little")]


def _search(needed: list[int], after: list[int]) -> list[int] | None:
    """The places of z in the order of its nearest extension: i comes after needed[i], and before after[i]."""
    m = len(needed)
    full = (1 << m) - 1
    cost, last = {0: 0}, {0: -1}
    heap = [(0, 0, 0)]
    while heap:
        paid, size, ideal = heappop(heap)
        if ideal == full:
            return _walk_back(last, full)
        if paid > cost[ideal]:
            continue
        if len(cost) > STATES:
            return None
        left = full & ~ideal
        first = (left & -left).bit_length() - 1
        free = [first] if not needed[first] & left else [i for i in range(m) if left >> i & 1 and not needed[i] & left]
        for i in free:
            # z puts these before i, they are left, and nothing makes them come after i
            against = left & ((1 << i) - 1) & ~after[i]
            total, grown = paid + against.bit_count(), ideal | 1 << i
            if total < cost.get(grown, m * m):
                cost[grown], last[grown] = total, i
                heappush(heap, (total, size - 1, grown))
    raise AssertionError("a partial order has a linear extension")


def _walk_back(last: dict[int, int], ideal: int) -> list[int]:
    places = []
    while ideal:
        places.append(last[ideal])
        ideal ^= 1 << last[ideal]
    return places[::-1]


def near_extension(z: NDArray, before: NDArray) -> NDArray:
    """A linear extension of `before` near z, by insertion moves from the one that takes the first free item of z.

    >>> near_extension(np.array([0, 1, 2]), np.array([[0, 0, 0], [0, 0, 0], [1, 0, 0]], dtype=bool))
    array([1, 2, 0])
    """
    from ...feedback_arc.local_search import insertion_search

    place = np.argsort(z)
    cost = np.where(place[:, None] > place, 1.0, -1.0)
    return insertion_search(cost, sort_by(place.astype(float), before), before)
