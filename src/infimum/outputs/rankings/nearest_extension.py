"""The linear extension of a partial order that is nearest to a given order.

Dynamic programming finds it for partial orders that compare few items (see `infimum.feedback_arc.nearest`). For others
it is a minimum feedback arc set under the partial order.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InfimumWarning
from ...feedback_arc import minimum_feedback_arc
from .codes import codes_of, costs_of

PROVED = 20  # items up to which the nearest linear extension is always proved
MAX_STEPS = 12  # of the search for more items


class NearestExtensions:
    """The linear extensions of k partial orders that are nearest to given orders.

    Parameters
    ----------
    before : (k, m, m) booleans
        Closed relations.
    """

    def __init__(self, before: NDArray):
        self.before, self.m = before, before.shape[-1]

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
        q, k = len(orders), len(self.before)
        found, _ = self.orders(orders, np.repeat(np.arange(q), k), np.tile(np.arange(k), q))
        return codes_of(found).reshape(q, k, self.m * (self.m - 1) // 2)

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
            code, steps = codes_of(orders[which_order[p]]), None if self.m <= PROVED else MAX_STEPS
            found = minimum_feedback_arc(-costs_of(code), self.before[which_relation[p]], max_steps=steps)
            out[p], distance[p] = found.order, (codes_of(found.order) != code).sum()
            unproved += not found.proved
        if unproved:
            warnings.warn(
                f"{unproved} of {len(out)} nearest linear extensions of {self.m} items come from a short search and may"
                " not be optimal. Objectives are then estimates. Their lower bounds remain valid.",
                InfimumWarning,
                stacklevel=2,
            )
        return out, distance
