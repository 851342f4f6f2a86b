"""OrderSearch: the proved minimum over orders, for sums of losses to partial orders of any sign."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from ..data.checks import check_number
from ..loss import Loss
from ..weights.base import Weights
from .alternate import Alternate
from .base import Minimum, Solver

MOST_ITEMS = 16
QUICK = 3000  # ends of orders that a proof looks at beyond PROVED items
PROVED = 10  # items up to which every minimum is proved


class OrderSearch(Solver):
    """min over the orders z of sum_i alpha_i L(z, S_i), by a branch and bound over the ends of orders.

    The loss to a partial order lies above linear functions of the pairs that z decides, found by exact dynamic programs
    over its down-closed sets and raised step by step; their sum is minimised over prefixes. Queries that are near each
    other share this work. Serves partial orders of up to 16 items, both principles and both readings.

    Parameters
    ----------
    nodes : int, optional
        Ends of orders that a proof looks at before it gives up on a query; by default 10**6 up to 10 items, where
        every minimum has been proved so far, and 3000 beyond. What is not proved has a bound below its value.
    memory : int, default 2**28
        Bytes for the down-closed sets of all relations.
    n_jobs : int, optional
        Threads over which queries are spread; None is one, -1 all processors.

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

    exact = False  # beyond 10 items a proof may be given up; `Minimum.gap` says where

    def __init__(self, nodes: int | None = None, memory: int = 2**28, n_jobs: int | None = None):
        self.nodes = nodes
        self.memory = memory
        self.n_jobs = n_jobs

    def brief(self) -> Solver:
        """Alternation from one start, which proves nothing and finds nearly the same, in a hundredth of the time."""
        return Alternate(n_starts=1).brief()

    def accepts(self, L: Loss) -> bool:
        found = [term.sets.relations() for term in L.terms]
        plain = all(term.principle.sign in (1, -1) for term in L.terms)
        return plain and all(one is not None and one[0].shape[-1] <= MOST_ITEMS for one in found)

    def needs(self) -> str:
        return f"partial orders of at most {MOST_ITEMS} items, under the infimum or the supremum"

    def fit(self, L: Loss, weights: Weights | None = None) -> Self:
        check_number(self, "nodes", 1, integer=True, optional=True)
        check_number(self, "memory", 1, integer=True)
        terms = [(term.principle.sign, *found) for term in L.terms if (found := term.sets.relations()) is not None]
        # the terms of a joint reading are about the same sets: their relations are listed once
        stacked = np.concatenate([before for _, before, _ in terms])
        _, first, back = np.unique(stacked.reshape(len(stacked), -1), axis=0, return_index=True, return_inverse=True)
        self.before_ = stacked[first]
        shift = np.cumsum([0, *(len(before) for _, before, _ in terms)])
        self.parts_ = [(sign, back.ravel()[which + s]) for (sign, _, which), s in zip(terms, shift)]
        m = self.before_.shape[-1]
        self.nodes_ = self.nodes if self.nodes is not None else 10**6 if m <= PROVED else QUICK
        return self

    @property
    def width(self) -> int:
        return sum(len(which) for _, which in self.parts_) + 2 * len(self.before_)

    def minimise(self, alpha: Any) -> Minimum:
        from ..feedback_arc.order_search import certain, minimise_orders  # numba is loaded when orders are searched

        infimum, supremum = self._summed(np.asarray(self._alpha(alpha), dtype=float))
        z, value, bound = minimise_orders(
            self.before_,
            infimum,
            supremum,
            nodes=self.nodes_,
            memory=self.memory,
            n_jobs=effective_n_jobs(self.n_jobs),
        )
        proved = certain(value, bound, infimum, supremum, self.before_.shape[-1])
        return Minimum(z, value, np.where(proved, value, np.minimum(bound, value)))

    def _summed(self, alpha: NDArray) -> tuple[NDArray, NDArray]:
        """The weights of every distinct relation under the infimum and under the supremum, (q, k)."""
        out: dict[Any, NDArray] = {sign: np.zeros((len(self.before_), len(alpha))) for sign in (1, -1)}
        end = 0
        for sign, which in self.parts_:
            rows = slice(end, end := end + len(which))
            np.add.at(out[sign], which, alpha[:, rows].T)
        return out[1].T, out[-1].T
