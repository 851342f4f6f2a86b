"""The solver for partial orders: an exact search over rankings."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..data.checks import check_number
from ..loss import Loss
from ..weights.base import Weights
from .alternate import Alternate
from .base import Minimum, Solver

MAX_ITEMS = 16
ROUNDS = 20  # of the search, each over all down-closed sets
AUTO_STEPS = 10**7  # of these rounds, about 10 ms
STEPS_PER_SECOND = 10**9
EXACT_ITEMS = 10  # up to this number of items, searches of EXACT_NODES nodes have always proved the minimum
EXACT_NODES = 10**6
MANY_ITEMS_NODES = 3000  # nodes for more items, where a proof would take too long


class OrderSearch(Solver):
    """Branch and bound over rankings, for partial orders of up to 16 items.

    It supports the infimum and the supremum, with weights of any sign. The loss to a partial order is bounded from
    below by linear functions of the pairs. They come from exact dynamic programs over the down-closed sets of the
    partial order, and are improved step by step. Similar queries share this work.

    Parameters
    ----------
    nodes : int, optional
        Largest number of nodes per query. By default 10**6 for up to 10 items, which has always been enough to prove
        the minimum, and 3000 for more items. If the search stops early, the bound is below the value.

    Examples
    --------
    >>> from infimum import SetLoss
    >>> from infimum.outputs import Rankings
    >>> y = [[("a", "b")], [("c", "a")], ["b"]]
    >>> space = Rankings().fit(y)
    >>> found = OrderSearch().fit(SetLoss(space, space.read(y))).minimise(np.array([[1., 1., -.5]]))
    >>> found.z, found.value, found.gap
    (array([[2, 0, 1]]), array([-2.]), array([0.]))
    """

    exact = False  # for more than 10 items a search may stop early; then `Minimum.gap` is positive

    def __init__(self, nodes: int | None = None):
        self.nodes = nodes

    def cheap(self, L: Loss) -> Solver:
        """Return alternating minimisation from one start, which finds nearly the same in a hundredth of the time."""
        return Alternate().cheap(L)

    def suits(self, L: Loss) -> bool:
        """Whether the bounds of a prediction take few steps, or the time limit of the output space allows them."""
        if not self.accepts(L):
            return False
        from ..feedback_arc.nearest import active_items, count_ideals

        steps = 0.0
        for term in L.terms:
            before = term.sets.relations()[0]  # type: ignore[index]
            steps += ROUNDS * before.shape[-1] * float(count_ideals(active_items(before), before.shape[-1]).sum())
        limit = getattr(L.output, "time_limit", None)
        return steps <= (AUTO_STEPS if limit is None else STEPS_PER_SECOND * limit)

    def accepts(self, L: Loss) -> bool:
        found = [term.sets.relations() for term in L.terms]
        plain = all(term.principle.sign in (1, -1) for term in L.terms)
        return plain and all(one is not None and one[0].shape[-1] <= MAX_ITEMS for one in found)

    def needs(self) -> str:
        return f"partial orders of at most {MAX_ITEMS} items, under the infimum or the supremum"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        check_number(self, "nodes", 1, integer=True, optional=True)
        terms = [(term.principle.sign or 1, *found) for term in L.terms if (found := term.sets.relations()) is not None]
        # with negative_weights="joint" the terms share their sets, so equal relations are kept once
        stacked = np.concatenate([before for _, before, _ in terms])
        _, first, back = np.unique(stacked.reshape(len(stacked), -1), axis=0, return_index=True, return_inverse=True)
        self.before_ = stacked[first]
        same = sparse.csr_matrix((np.ones(len(stacked)), (np.arange(len(stacked)), back.ravel())))
        shift = np.cumsum([0, *(len(before) for _, before, _ in terms)])
        self.parts_ = [(sign, share @ same[s : s + len(before)]) for (sign, before, share), s in zip(terms, shift)]
        m = self.before_.shape[-1]
        self.nodes_ = self.nodes if self.nodes is not None else EXACT_NODES if m <= EXACT_ITEMS else MANY_ITEMS_NODES
        return self

    @property
    def width(self) -> int:
        return sum(share.shape[0] for _, share in self.parts_) + 2 * len(self.before_)

    def minimise(self, alpha: Any) -> Minimum:
        from ..feedback_arc.order_search import certain, minimise_orders  # imports numba, which is slow

        infimum, supremum = self._summed(np.asarray(self._alpha(alpha), dtype=float))
        z, value, bound = minimise_orders(self.before_, infimum, supremum, nodes=self.nodes_)
        proved = certain(value, bound, infimum, supremum, self.before_.shape[-1])
        return Minimum(z, value, np.where(proved, value, np.minimum(bound, value)))

    def _summed(self, alpha: NDArray) -> tuple[NDArray, NDArray]:
        """Return the weights of each distinct relation under the infimum and under the supremum, (q, k)."""
        out = {sign: np.zeros((len(alpha), len(self.before_))) for sign in (1, -1)}
        end = 0
        for sign, share in self.parts_:
            rows = slice(end, end := end + share.shape[0])
            out[sign] += alpha[:, rows] @ share
        return out[1], out[-1]
