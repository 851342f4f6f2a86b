"""Rankings: an order of m items, with Kendall's loss; the sets are partial orders."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..._warnings import InfimumWarning
from ...feedback_arc import minimum_feedback_arcs
from ..base import Decoded, OutputSpace, Sets
from .forms import are_codes, array_of, items_in_codes, items_of, stated_pairs
from .sets import LISTED, PartialOrders, codes_of, costs_of, named

if TYPE_CHECKING:
    from ...loss import Loss


class Rankings(OutputSpace):
    """Y = the m! orders of m items, l(z, y) = P - <code(z), code(y)>, twice the number of discordant pairs.

    psi(z) = (-code(z), 1), phi(y) = (code(y), P), with P = m(m-1)/2 and the codes of :mod:`.sets`. An output
    z lists the items, best first.

    Parameters
    ----------
    items : int or list, optional
        How many items, or the items themselves, of any hashable kind; by default those that y names.
    time_limit : float, optional
        Seconds for one minimisation over orders of more than 14 items; the best order so far is then returned, and
        `bound` says how far it may be from the minimum.

    Examples
    --------
    >>> space = Rankings().fit(["a>b>c", [("c", "a")]])
    >>> space.read(["a>b>c", [("c", "a")], ["b"]]).codes
    array([[ 1,  1,  1],
           [ 0, -1,  0],
           [-1,  0,  1]], dtype=int8)
    """

    def __init__(self, items: Any = None, time_limit: float | None = None):
        self.items = items
        self.time_limit = time_limit

    def fit(self, y: Any) -> Self:
        self.items_ = named(self._items(y))
        m = len(self.items_)
        if m == 0:
            raise ValueError("y names no item at all. Give items=[…].")
        if len(set(self.items_.tolist())) < m:
            raise ValueError(f"items must differ from each other. Got {self.items_.tolist()}.")
        self.size = math.factorial(m) if m <= LISTED else math.inf
        return self

    def _items(self, y: Any) -> list:
        if self.items is not None:
            return list(range(self.items) if isinstance(self.items, int | np.integer) else self.items)
        if isinstance(y, PartialOrders):
            return y.items.tolist()
        array, names = array_of(y)
        if array is None:
            return items_of(y)
        if names is not None:
            return names
        columns = array.shape[1]
        return list(range(items_in_codes(columns) or 0 if are_codes(array, None) else columns))

    def read(self, y: Any, strict: bool = True) -> PartialOrders:
        items, m = self.items_, len(self.items_)
        if isinstance(y, PartialOrders):
            if y.m != m:
                raise ValueError(f"The sets order {y.m} items; {m} were expected: {items.tolist()[:10]}.")
            return y
        array, names = array_of(y)
        if array is None:
            return PartialOrders.from_pairs(stated_pairs(y, items.tolist(), strict), items)
        if names is not None and names != items.tolist():
            missing = [name for name in names if name not in items.tolist()]
            raise ValueError(f"The columns of y must be the items, in the same order. Got {missing or names}.")
        if names is None and are_codes(array, m):
            return PartialOrders(array, items)
        if array.shape[1] != m:
            raise ValueError(
                f"y must have a column for each of the {m} items (ranks) or of their {m * (m - 1) // 2} pairs (codes)."
                f" Got {array.shape[1]} columns."
            )
        return PartialOrders.from_ranks(array, items)

    def check(self, sets: Sets) -> None:
        """Warn where no row says anything."""
        if isinstance(sets, PartialOrders) and sets.m > 1 and len(sets) and not sets.codes.any():
            warnings.warn(
                "No row of y says anything about any pair of items: every order suits, and one of them is predicted.",
                InfimumWarning,
                stacklevel=4,
            )

    def psi(self, z: Any) -> NDArray:
        codes = codes_of(z)
        return np.concatenate([-codes, np.ones((*codes.shape[:-1], 1))], axis=-1)

    def minimise(self, c: NDArray) -> Decoded:
        """A minimum feedback arc set for every distinct objective, with its certificate."""
        # <psi(z), c> pays -c_ij where i comes before j, c_ij where after, and the last coordinate whatever z
        first: dict[bytes, int] = {}
        which = np.array([first.setdefault(row.tobytes(), len(first)) for row in c[:, :-1]], dtype=int)
        rows = np.unique(which, return_index=True)[1]
        found = minimum_feedback_arcs(costs_of(-c[rows, :-1]), time_limit=self.time_limit)
        constant = c[:, -1]
        return Decoded(found.order[which], found.value[which] + constant, found.bound[which] + constant)

    def decode(self, c: NDArray) -> NDArray:
        return self.minimise(c).z

    def bound(self, c: NDArray) -> NDArray:
        return self.minimise(c).bound

    def lower_bound(self, L: Loss, alpha: NDArray, z: NDArray) -> NDArray:
        """No order has a smaller objective, (q,).

        Every L(., S_i) is replaced by a linear function that alpha_i times keeps below it, and the sum is minimised.
        The bracket of the sets bounds the infimum from below and the supremum from above; on the other sides the loss
        of any one member of S_i does, and the members that answer at z make it tight there.
        """
        loose = np.zeros_like(alpha)
        c, end = np.zeros_like(self.psi(z)), 0
        constant = np.zeros(len(z))
        for term in L.terms:
            rows = slice(end, end := end + len(term))
            below = term.principle == "infimum"
            linear, bracket = term.embedding, term.sets.bracket()
            if linear is None:
                if bracket is None:
                    return super().lower_bound(L, alpha, z)
                linear = bracket[0 if below else 1]
                loose[:, rows] = np.minimum(alpha[:, rows], 0) if below else np.maximum(alpha[:, rows], 0)
            tight = alpha[:, rows] - loose[:, rows]
            c += tight @ linear.phi
            constant += tight @ linear.constant
        if loose.any():
            unique, which = np.unique(z, axis=0, return_inverse=True)
            for k, order in enumerate(unique):
                rows_k = np.flatnonzero(which.ravel() == k)
                c[rows_k] += loose[rows_k] @ L.answer(self.psi(order[None]))[0]
        return self.bound(c) + constant

    def outputs(self) -> NDArray:
        if self.size == math.inf:
            return super().outputs()
        from .tables import all_orders

        return all_orders(len(self.items_)).astype(np.int64)

    def readable(self, z: NDArray) -> NDArray:
        """Items, best first. Objects or text, never plain numbers: an array of numbers is read as ranks or codes."""
        items = self.items_ if self.items_.dtype.kind == "U" else self.items_.astype(object)
        return items[z]
