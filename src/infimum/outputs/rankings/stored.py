"""StoredOrders: the comparisons of each row, and what they state; losses are defined by subclasses."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.errors import InputError
from ...data.memory import require
from ...feedback_arc.relations import transitive_closure
from ..base import Sets, rows_of
from ..sets import ANYTHING, same_names
from .codes import Comparisons, codes_of, codes_of_pairs, known_codes, pairs
from .contradictions import ComparisonVotes
from .facts import item_names
from .forms import format_order, pairs_in_codes

CELLS = 2**21  # pairs of items that are held at a time
BATCHED = 14  # up to here alternation starts six times


class StoredOrders(Sets):
    """The comparisons of n rows: known pairs as codes, closed transitively, and votes of contradictory rows."""

    size_unit = "unknown pairs"

    @classmethod
    def _of(
        cls, closed: Any, items: Any, m: int, contradictory: NDArray | None = None, votes: ComparisonVotes | None = None
    ) -> Self:
        sets = cls.__new__(cls)
        sets._keep(closed, items, m, contradictory, votes)
        return sets

    @classmethod
    def of(cls, sets: StoredOrders) -> Self:
        """Return the same rows as sets of this class."""
        return cls._of(sets._codes, sets.items if sets.named else None, sets.m, sets.contradictory, sets.votes)

    def _keep(
        self, codes: Any, items: Any, m: int, contradictory: NDArray | None = None, votes: ComparisonVotes | None = None
    ) -> None:
        self._codes = sparse.csr_matrix(codes, dtype=np.int8)
        self.m, self.items = m, item_names(items, m)
        self.named = items is not None
        """Whether the items have names; otherwise they go by position."""
        n, self.n_pairs = self._codes.shape
        self.shape = (n,)
        self.contradictory = np.zeros(n, dtype=bool) if contradictory is None else contradictory
        self.n_contradictory = int(self.contradictory.sum())
        self.votes = ComparisonVotes.none() if votes is None else votes
        """The comparisons of contradictory rows, if each counts by itself."""
        self.n_starts = 6 if self.m <= BATCHED and self.exact_argmin else 1

    @property
    def codes(self) -> NDArray:
        """(n, m(m-1)/2) in {-1, 0, 1}, which are computed at each call."""
        return self.codes_of_rows(slice(None))

    def codes_of_rows(self, rows: Any) -> NDArray:
        """Return the codes of some rows, (k, m(m-1)/2) in {-1, 0, 1}."""
        some = self._codes[rows]
        require(float(np.prod(some.shape)), f"the codes of {self.m} items in {some.shape[0]} rows", "Take fewer rows.")
        return some.toarray()

    def _like(self, codes: Any, contradictory: NDArray | None = None, votes: ComparisonVotes | None = None) -> Self:
        """Return orders of the same items."""
        return self._of(codes, self.items if self.named else None, self.m, contradictory, votes)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> Self:
        rows = self._row_numbers(rows)
        return self._like(self._codes[rows], self.contradictory[rows], self.votes.take(rows))

    def _row_numbers(self, rows: Any) -> NDArray:
        return np.arange(len(self))[rows_of(rows, len(self))]

    def renamed(self, items: NDArray) -> Self:
        """Return the same orders with these names of the items."""
        return self._of(self._codes, items, self.m, self.contradictory, self.votes)

    def arranged(self, order: list[int]) -> Self:
        """Return the same orders with the items rearranged: item k is then the former item order[k]."""
        place = np.argsort(order)
        row, better, worse = self.known_pairs()
        codes = known_codes(len(self), self.m, row, place[better], place[worse])
        return self._of(codes, self.items[order], self.m, self.contradictory, self.votes.renumbered(place))

    def comparisons(self) -> Comparisons:
        """Return the known pairs; in a row that compares k items, each has the weight 1 / k."""
        known = self.known_pairs()
        kept = ~self._has_votes[known[0]]
        row, better, worse = (np.concatenate([a[kept], b]) for a, b in zip(known, self.votes[:3]))
        active = np.zeros((len(self), self.m), dtype=bool)
        active[row, better] = active[row, worse] = True
        number = active.sum(axis=1)
        weight = 1 / np.maximum(number, 1)[row]
        of_votes = slice(len(row) - len(self.votes.row), None)
        weight[of_votes] = self.votes.weight * (number[self.votes.row] - 1) / 2
        return Comparisons(len(self), self.m, row, better, worse, weight)

    @property
    def n_known(self) -> NDArray:
        """The number of known pairs of each row, (n,)."""
        return np.diff(self._codes.indptr)

    def known_pairs(self) -> tuple[NDArray, NDArray, NDArray]:
        """Return the row, the better and the worse item of each known pair, in the order of the rows."""
        i, j = pairs(self.m)
        first, column = self._codes.data > 0, self._codes.indices
        row = np.repeat(np.arange(len(self)), self.n_known)
        return row, np.where(first, i[column], j[column]), np.where(first, j[column], i[column])

    def _n_right(self, z: NDArray) -> NDArray:
        """Return the number of known pairs that z_i has right, (n,)."""
        codes = self.codes
        return ((codes != 0) & (codes == codes_of(z))).sum(axis=-1)

    @property
    def _has_votes(self) -> NDArray:
        """Which rows are comparisons that count by themselves, (n,) boolean."""
        return np.isin(np.arange(len(self)), self.votes.row)

    @property
    def is_unlabelled(self) -> NDArray:
        return (self.n_known == 0) & ~self._has_votes

    def contains(self, z: NDArray) -> NDArray:
        return (self._n_right(z) == self.n_known) & ~self._has_votes

    def agreement(self, z: NDArray) -> NDArray:
        """Return the share of the known pairs that z_i has right; 1 for unlabelled rows."""
        known = self.n_known
        out = np.where(known > 0, self._n_right(z) / np.maximum(known, 1), 1.0)
        row, better, worse, _ = self.votes
        if len(row):
            place = np.argsort(z, axis=-1)
            right = self.votes.weight * (place[row, better] < place[row, worse])
            out[self.votes.rows] = np.bincount(row, right, minlength=len(self))[self.votes.rows]
        return out

    def _shared(self, other: Any) -> tuple[NDArray, NDArray]:
        """Return the closure of both relations, (n, m, m), and which rows no order satisfies, (n,)."""
        from .sets import PartialOrders

        self._check_pair(other, PartialOrders)
        if self.m != other.m:
            raise InputError(f"Both must rank the same number of items. Got {self.m} and {other.m}.")
        same_names(self.items if self.named else None, other.items if other.named else None, "items")
        stated = pairs_in_codes(self.codes) | pairs_in_codes(other.codes)
        closed = transitive_closure(stated)
        return closed, np.asarray(np.diagonal(closed, axis1=-2, axis2=-1).any(axis=-1))

    def meets(self, other: Any) -> NDArray:
        return ~self._shared(other)[1] | self._has_votes | other._has_votes  # such comparisons exclude no order

    def intersect(self, other: Any) -> Self:
        """Return the orders that satisfy both: the closure of both relations.

        >>> from infimum import PartialOrders
        >>> PartialOrders([[1, 0, 0]]).intersect(PartialOrders([[0, 0, 1]])).codes
        array([[1, 1, 1]], dtype=int8)
        """
        closed, cyclic = self._shared(other)
        self._check_not_empty(other, cyclic)
        return self._like(codes_of_pairs(closed), self.contradictory | other.contradictory)

    def join(self, other: Any) -> Self:
        contradictory = np.concatenate([self.contradictory, other.contradictory])
        votes = self.votes.followed_by(other.votes, len(self))
        return self._like(sparse.vstack([self._codes, other._codes]), contradictory, votes)

    def contains_set(self, other: Any) -> NDArray:
        from .sets import PartialOrders

        self._check_pair(other, PartialOrders)
        codes = self.codes
        return ((codes == 0) | (codes == other.codes)).all(axis=1)

    @property
    def is_exact(self) -> NDArray:
        return (self.size == 0) & ~self._has_votes

    @property
    def size(self) -> NDArray:
        """The number of unknown pairs."""
        return (self.n_pairs - self.n_known).astype(float)

    def format(self, row: int) -> str:
        _, better, worse, _ = self.votes.take(np.array([row]))
        if len(better):
            return ", ".join(f"{self.items[a]} > {self.items[b]}" for a, b in zip(better, worse))
        if not self.n_known[row]:
            return ANYTHING
        return format_order(self.items, pairs_in_codes(self.codes_of_rows([row]))[0])

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.codes, dtype=dtype)

    def __repr__(self) -> str:
        known = 100 * self.n_known.sum() / max(len(self) * self.m * (self.m - 1) / 2, 1)
        return f"<{type(self).__name__} of {self.m} items: {len(self)} rows, {known:.0f} % of the pairs known>"
