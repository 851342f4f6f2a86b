"""PartialOrders: the sets of rankings, stored as Kendall codes; see :mod:`.codes`."""

from __future__ import annotations

import math
import warnings
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.containers import Column, Table, normalise_y, table_of
from ...data.errors import BadRows, InfimumWarning, InputError, shown
from ...data.names import Names
from ...feedback_arc import linear_extensions, minimum_feedback_arc, minimum_feedback_arcs
from ...feedback_arc.relations import find_cycle, is_weak_order, transitive_closure
from ..base import Embedding, Sets, rows_of
from ..sets import ANYTHING, same_names
from .codes import codes_of, codes_of_pairs, costs_of, orders_of, pairs, table_places
from .forms import format_order, items_in_codes, pairs_in_codes, pairs_in_ranks
from .nearest_extension import near_extension, nearest_extensions

LISTED = 10  # 10! orders are 36 MB
TABLED = 2**25  # distances of rows to all orders, a byte each, that are listed where some of them would do
BATCHED = 14  # up to here many orders are found at once, each in microseconds
PROVED = 20  # up to here the nearest linear extension is always proved
COUNTED, SAMPLES = 20, 100  # linear extensions are counted up to so many items; beyond, so many are sampled
BITS_COUNTED = 12  # items; beyond, counting linear extensions takes too long for a description
REMEMBERED = 2**26  # bytes of nearest extensions


class PartialOrders(Sets):
    """Partial orders: the rankings that agree with some comparisons.

    S_i = {y : code_ij(y) = codes_ij where it is not 0}, the linear extensions of a partial order. The codes are closed
    transitively; a row that contradicts itself raises an error with the cycle.

    Parameters
    ----------
    codes : (n, m(m-1)/2) in {-1, 0, 1}
        1 where item i comes before item j > i, -1 where after, 0 or NaN where that is unknown.
    items : list of m, optional
        Their names; 0, …, m-1 by default.

    Examples
    --------
    >>> PartialOrders([[1, 0, 1], [0, 0, 0]]).codes
    array([[1, 1, 1],
           [0, 0, 0]], dtype=int8)
    >>> PartialOrders([[1, -1, 1]], items=["a", "b", "c"])
    Traceback (most recent call last):
    ...
    infimum.data.errors.InputError: 1 row of y cannot be used.
      row 0: a > b > c > a
    No order satisfies a cycle. Drop one of its pairs, or the row.
    """

    kind = "ranking"
    size_unit = "unknown pairs"

    def __init__(self, codes: Any, items: Any = None):
        values, _ = _numbers(codes, "Kendall codes", "(n, m(m-1)/2)")
        stated = pairs_in_codes(values)
        self._keep(codes_of_pairs(_closed(stated, _items(items, stated.shape[-1]))), items, stated.shape[-1])

    @classmethod
    def from_pairs(cls, stated: Any, items: Any = None) -> PartialOrders:
        """From (n, m, m) booleans, True at (i, j) if the row states that i comes before j."""
        table = np.asarray(stated)
        if table.ndim != 3 or table.shape[1] != table.shape[2]:
            raise InputError(
                f"from_pairs needs (n, m, m) booleans, True at (i, j) where i comes before j. Got shape {table.shape}."
                " Lists of pairs of items are read by Rankings(items).fit(y).read(y)."
            )
        if table.dtype != bool and not (table.dtype.kind in "iuf" and np.isin(table, (0, 1)).all()):
            raise InputError(f"from_pairs needs booleans. Got an array of {table.dtype}.")
        stated = table.astype(bool)
        return cls._of(codes_of_pairs(_closed(stated, _items(items, stated.shape[-1]))), items, stated.shape[-1])

    @classmethod
    def from_ranks(cls, ranks: Any, items: Any = None) -> PartialOrders:
        """From (n, m) ranks, the smallest first, NaN if unknown; a tie states nothing. A DataFrame names the items.

        >>> PartialOrders.from_ranks([[1, 2, np.nan], [1, 1, 2]]).codes
        array([[1, 0, 0],
               [0, 1, 1]], dtype=int8)
        """
        values, names = _numbers(ranks, "ranks", "(n, m)")
        items = names if items is None else items
        _items(items, values.shape[1])
        return cls._of(codes_of_pairs(pairs_in_ranks(values)), items, values.shape[1])

    @classmethod
    def from_orders(cls, orders: Any, items: Any = None) -> PartialOrders:
        """The singletons {y_i} of (n, m) full orders of 0, …, m-1, best first."""
        values, _ = _numbers(orders, "orders of 0, …, m-1", "(n, m)")
        bad = BadRows("y")
        for row in np.flatnonzero((np.sort(values, axis=1) != np.arange(values.shape[1])).any(axis=1)):
            bad.add(row, f"expected every item from 0 to {values.shape[1] - 1} once, got {shown(values[row])}")
        bad.refuse("Items with names, and the top of an order, are read by Rankings(items).fit(y).read(y).")
        _items(items, values.shape[1])
        return cls._of(codes_of(values.astype(int)), items, values.shape[1])

    @classmethod
    def _of(cls, closed: NDArray, items: Any, m: int) -> PartialOrders:
        sets = cls.__new__(cls)
        sets._keep(closed, items, m)
        return sets

    def _keep(self, codes: NDArray, items: Any, m: int | None = None) -> None:
        self.codes = codes
        self.m = m or items_in_codes(codes.shape[1]) or 1
        self.items = _items(items, self.m)
        self.named = items is not None
        """Whether the items have names; otherwise they go by position."""
        self.shape = (len(codes),)
        self.n_starts = 6 if self.m <= BATCHED else 1
        self._nearest: dict[bytes, NDArray] = {}

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> PartialOrders:
        return self._of(self.codes[rows_of(rows, len(self))], self.items if self.named else None, self.m)

    def renamed(self, items: NDArray) -> PartialOrders:
        """The same orders of items that go by these names."""
        return self._of(self.codes, items, self.m)

    def arranged(self, order: list[int]) -> PartialOrders:
        """The same orders, with the items in another order: the k-th is then what was the order[k]-th."""
        if order == list(range(self.m)):
            return self
        i, j = (np.array(order, dtype=int)[side] for side in pairs(self.m))
        column = np.zeros((self.m, self.m), dtype=int)
        column[pairs(self.m)] = np.arange(self.codes.shape[1])
        codes = np.where(i < j, 1, -1) * self.codes[:, column[np.minimum(i, j), np.maximum(i, j)]]
        return self._of(codes.astype(np.int8), self.items[order], self.m)

    @cached_property
    def _distinct(self) -> tuple[NDArray, NDArray]:
        """The distinct rows as (k, m, m) relations, and which of them each row is: equal rows are solved once."""
        unique, which = np.unique(self.codes, axis=0, return_inverse=True)
        return pairs_in_codes(unique.astype(float)), which.ravel()

    def relations(self) -> tuple[NDArray, NDArray]:
        return self._distinct

    def argmin(self, c: NDArray) -> NDArray:
        if not c.size:
            return np.empty(c.shape)
        before, which = self._distinct
        # the last coordinate of phi is the same for every order
        free = c[..., :-1].reshape(math.prod(c.shape[:-2]), len(self), self.codes.shape[1])
        codes = codes_of(minimum_feedback_arcs(costs_of(free), before[which]).order)
        return self._phi(codes.reshape(*c.shape[:-1], -1))

    def answers(self, c: NDArray) -> NDArray:
        return self._phi(self._answers(c[:, :-1])[:, self._distinct[1]])

    def _answers(self, c: NDArray) -> NDArray:
        """The codes of argmin <c_k, code(y)> over each distinct row, (k, P) -> (k, rows, P)."""
        before = self._distinct[0]
        near = orders_of(-c)
        if not np.array_equal(codes_of(near), -c):
            return codes_of(minimum_feedback_arcs(costs_of(c[:, None]), before).order)
        # <c, code(y)> counts the pairs against an order: its nearest linear extensions, remembered, since alternation
        # comes back to the same orders
        keys = [order.tobytes() for order in near]
        # every thread answers from its own copy: one that makes room takes nothing away from another
        known = self._nearest
        found = {key: known[key] for key in keys if key in known}
        new = [k for k, key in enumerate(keys) if key not in found]
        if new:
            found.update(zip([keys[k] for k in new], self._nearest_to(near[new], c[new])))
            full = (len(known) + len(new)) * max(before.size, 1) > REMEMBERED
            self._nearest = dict(found) if full else {**known, **found}
        return np.array([found[key] for key in keys]).reshape(len(keys), len(before), -1)

    def _nearest_to(self, near: NDArray, c: NDArray) -> NDArray:
        """The codes of the linear extensions nearest to k orders, whose codes are -c: (k, rows, P)."""
        before = self._distinct[0]
        if self.m <= BATCHED:
            return codes_of(minimum_feedback_arcs(costs_of(c[:, None]), before).order)
        found = [nearest_extensions(order, before) for order in near]
        hard = [(k, row) for k, answers in enumerate(found) for row, y in enumerate(answers) if y is None]
        for k, row in hard:
            if self.m <= PROVED:
                found[k][row] = minimum_feedback_arc(costs_of(c[k]), before[row]).order
            else:
                found[k][row] = near_extension(near[k], before[row])
        if hard and self.m > PROVED:
            warnings.warn(
                f"{len(hard)} of {len(c) * len(before)} nearest linear extensions were too hard to prove at {self.m}"
                " items: they come from local search. Objectives are then estimates; their lower bounds still hold.",
                InfimumWarning,
                stacklevel=2,
            )
        return codes_of(np.array(found).reshape(len(c), len(before), self.m))

    def _phi(self, codes: NDArray) -> NDArray:
        last = np.full((*codes.shape[:-1], 1), float(self.codes.shape[1]))
        return np.concatenate([codes, last], axis=-1)

    def pair_codes(self) -> NDArray:
        return self.codes

    @property
    def is_unlabelled(self) -> NDArray:
        return (self.codes == 0).all(axis=-1)

    def contains(self, z: NDArray) -> NDArray:
        return np.all((self.codes == 0) | (self.codes == codes_of(z)), axis=-1)

    def agreement(self, z: NDArray) -> NDArray:
        """Return the share of the known pairs that z_i has right; 1 for unlabelled rows."""
        known = (self.codes != 0).sum(axis=-1)
        right = ((self.codes != 0) & (self.codes == codes_of(z))).sum(axis=-1)
        return np.where(known > 0, right / np.maximum(known, 1), 1.0)

    def start(self) -> NDArray:
        """The transitive closure, with 0 on unknown pairs."""
        return self._phi(self.codes)

    @cached_property
    def _weak(self) -> NDArray:
        """Which distinct rows are bucket orders."""
        return is_weak_order(self._distinct[0])

    @cached_property
    def _center(self) -> NDArray:
        before, which = self._distinct
        mean = codes_of_pairs(before).astype(float)
        hard = np.flatnonzero(~self._weak)  # in buckets, an order and its mirror image average to 0
        if len(hard):
            i, j = pairs(self.m)
            found = linear_extensions(before[hard], None if self.m <= COUNTED else SAMPLES, random_state=0)
            mean[hard] = (found.probability - found.probability.swapaxes(-1, -2))[:, i, j]
            if not found.exact:
                warnings.warn(
                    f"The average over linear extensions is exact up to {COUNTED} items; for {self.m} it is estimated"
                    f" from {SAMPLES} samples, with a standard error of at most {2 * found.standard_error.max():.2g} on"
                    " codes in [-1, 1].",
                    InfimumWarning,
                    stacklevel=4,
                )
        return mean[which]

    def center(self) -> NDArray:
        """The mean code over the linear extensions: P(i before j) - P(j before i)."""
        return self._phi(self._center)

    def bracket(self) -> tuple[Embedding, Embedding]:
        """An unknown pair costs between 0 and 2; <psi(z), start> counts it as 1."""
        unknown = (self.codes == 0).sum(axis=-1).astype(float)
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

        return distance_table(self._distinct[0])

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        if self.embed(principle) is not None:
            return super().loss(psi, principle)
        which = self._distinct[1]
        count = float(self.codes.shape[1])
        # the order that y should be near: z, or its mirror image, since d(z, y) = P - d(mirror z, y)
        near = psi[:, :-1] if principle == "infimum" else -psi[:, :-1]
        if self.m <= LISTED and len(psi) * 2**self.m >= math.factorial(self.m):
            distance = self._table[:, table_places(near)].T.astype(float)
        else:
            distance = (count + np.einsum("kp,krp->kr", near, self._answers(near))) / 2
        infimum = 2 * distance[:, which]
        return infimum if principle == "infimum" else 2 * count - infimum

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        if self.embed(principle) is not None:
            return super().rowwise_loss(psi, principle)
        # rows that are compared with the same order share its nearest extensions
        unique, which = np.unique(psi, axis=0, return_inverse=True)
        if self.m <= LISTED and len(self._distinct[0]) * math.factorial(self.m) <= TABLED:
            near = unique[:, :-1] if principle == "infimum" else -unique[:, :-1]
            infimum = 2.0 * self._table[self._distinct[1], table_places(near)[which.ravel()]]
            return infimum if principle == "infimum" else 2.0 * self.codes.shape[1] - infimum
        out = np.empty(len(self))
        for k, one in enumerate(unique):
            rows = np.flatnonzero(which.ravel() == k)
            out[rows] = self[rows].loss(one[None], principle)[0]
        return out

    def _shared(self, other: Any) -> tuple[NDArray, NDArray]:
        """Return the closure of both relations, (n, m, m), and which rows no order satisfies, (n,)."""
        self._check_pair(other, PartialOrders)
        if self.m != other.m:
            raise InputError(f"Orders of {self.m} items and of {other.m} items have no intersection.")
        same_names(self.items if self.named else None, other.items if other.named else None, "items")
        stated = pairs_in_codes(self.codes.astype(float)) | pairs_in_codes(other.codes.astype(float))
        closed = transitive_closure(stated)
        return closed, np.asarray(np.diagonal(closed, axis1=-2, axis2=-1).any(axis=-1))

    def meets(self, other: Any) -> NDArray:
        return ~self._shared(other)[1]

    def intersect(self, other: Any) -> PartialOrders:
        """Return the orders that satisfy both: the closure of both relations.

        >>> PartialOrders([[1, 0, 0]]).intersect(PartialOrders([[0, 0, 1]])).codes
        array([[1, 1, 1]], dtype=int8)
        """
        closed, cyclic = self._shared(other)
        self._refuse_empty(other, cyclic)
        return self._of(codes_of_pairs(closed), self.items if self.named else None, self.m)

    def join(self, other: Any) -> PartialOrders:
        return self._of(np.vstack([self.codes, other.codes]), self.items if self.named else None, self.m)

    def contains_set(self, other: Any) -> NDArray:
        self._check_pair(other, PartialOrders)
        return ((self.codes == 0) | (self.codes == other.codes)).all(axis=1)

    @property
    def is_exact(self) -> NDArray:
        return (self.codes != 0).all(axis=1)

    @property
    def size(self) -> NDArray:
        """The number of unknown pairs."""
        return (self.codes == 0).sum(axis=1).astype(float)

    def bits(self) -> NDArray:
        """Return log2 of m! over the number of linear extensions; for more than 12 items, the known pairs."""
        if self.m > BITS_COUNTED:
            return (self.codes != 0).sum(axis=1).astype(float)
        distinct, which = self._distinct
        count = linear_extensions(distinct).count
        assert count is not None
        return (math.log2(math.factorial(self.m)) - np.log2(count.astype(float)))[which]

    def format(self, row: int) -> str:
        if not self.codes[row].any():
            return ANYTHING
        return format_order(self.items, pairs_in_codes(self.codes[[row]].astype(float))[0])

    def __getstate__(self) -> dict:
        return {**self.__dict__, "_nearest": {}}

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.codes, dtype=dtype)

    def __repr__(self) -> str:
        known = 100 * np.mean(self.codes != 0) if self.codes.size else 0
        return f"<PartialOrders of {self.m} items: {len(self)} rows, {known:.0f} % of the pairs known>"


def _closed(stated: NDArray, items: NDArray) -> NDArray:
    """Return the transitive closures; raise one error about all rows with a cycle."""
    closed = transitive_closure(stated)
    cyclic = np.diagonal(closed, axis1=-2, axis2=-1)
    bad = BadRows("y")
    for row in np.flatnonzero(cyclic.any(axis=-1)):
        cycle = find_cycle(stated[row], int(cyclic[row].argmax()))
        bad.add(row, " > ".join(str(items[k]) for k in cycle))
    bad.refuse("No order satisfies a cycle. Drop one of its pairs, or the row.")
    return closed


def _numbers(values: Any, what: str, shape: str) -> tuple[NDArray, tuple | None]:
    """Return (n, c) numbers with NaN for missing ones, and the names of the columns of a DataFrame."""
    table = normalise_y(values, "")
    if sparse.issparse(table):
        table = Table(table.toarray(), np.zeros(table.shape, bool))
    if isinstance(table, Column):
        table = table_of(table) if not table.typed else None
        if table is None and isinstance(values, list | tuple) and not len(values):
            table = Table(np.empty((0, 1)), np.zeros((0, 1), bool))
    if not isinstance(table, Table) or table.values.dtype.kind not in "iuf":
        got = f"shape {np.shape(values)}" if isinstance(values, np.ndarray) else shown(values)
        raise InputError(f"{what} are numbers of shape {shape}. Got {got}. One row alone is [row].")
    return np.where(table.missing, math.nan, table.values).astype(float), table.names


def _items(items: Any, m: int) -> NDArray:
    if items is None:
        return np.arange(m)
    names = Names(items, "items")
    if len(names) != m:
        raise InputError(f"The sets order {m} items, and {len(names)} names were given.")
    return names.array
