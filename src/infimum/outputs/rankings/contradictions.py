"""Rows whose comparisons contradict each other, such as a > b > c > a: no order satisfies them all."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, InputError
from ...feedback_arc.relations import find_cycle, transitive_closure

RULES = ("error", "majority", "weigh")
MAJORITY_ITEMS = 18  # compared items in a row; the search holds 2^18 numbers


class ComparisonVotes(NamedTuple):
    """The comparisons of rows that contradict themselves, sorted by row."""

    row: NDArray
    better: NDArray
    worse: NDArray
    times: NDArray
    """How often the row states the comparison."""

    @classmethod
    def none(cls) -> ComparisonVotes:
        """Return no comparisons."""
        empty = np.empty(0, dtype=int)
        return cls(empty, empty, empty, empty)

    @property
    def weight(self) -> NDArray:
        """The share of each comparison among those of its row."""
        return self.times / np.bincount(self.row, self.times)[self.row] if len(self.row) else np.empty(0)

    @property
    def rows(self) -> NDArray:
        """The rows that contradict themselves."""
        return np.unique(self.row)

    def take(self, rows: NDArray) -> ComparisonVotes:
        """Return the comparisons of some rows, which may repeat."""
        start, end = (np.searchsorted(self.row, rows, side) for side in ("left", "right"))
        if not (end > start).any():
            return ComparisonVotes.none()
        at = np.concatenate([np.arange(a, b) for a, b in zip(start, end)])
        row = np.repeat(np.arange(len(rows)), end - start)
        return ComparisonVotes(row, self.better[at], self.worse[at], self.times[at])

    def followed_by(self, other: ComparisonVotes, n: int) -> ComparisonVotes:
        """Return the comparisons of n rows, then those of others."""
        parts = (np.concatenate([a, b]) for a, b in zip(self[1:], other[1:]))
        return ComparisonVotes(np.concatenate([self.row, other.row + n]), *parts)

    def renumbered(self, place: NDArray) -> ComparisonVotes:
        """Return the comparisons with item k renamed to place[k]."""
        return self._replace(better=place[self.better], worse=place[self.worse])


def check_rule(rule: Any) -> None:
    """Raise an error unless `rule` is one of `RULES`."""
    if not isinstance(rule, str) or rule not in RULES:
        raise ValueError(f"contradictions must be 'error', 'majority' or 'weigh'. Got {rule!r} instead.")


def resolve(
    counts: NDArray, items: NDArray, rule: str, numbers: NDArray | None = None
) -> tuple[NDArray, NDArray, ComparisonVotes]:
    """Close relations transitively, and treat the rows that contradict themselves by a rule.

    Parameters
    ----------
    counts : (n, m, m)
        How often each row states that i comes before j.
    items : (m,) or (n, m)
        The names of the items, which may differ between rows.
    rule : {"error", "majority", "weigh"}
        "error" raises one error about all rows with a cycle. "majority" keeps the pairs on which all orders that
        violate the fewest comparisons agree. "weigh" keeps all comparisons, as votes.
    numbers : (n,), optional
        The numbers of the rows in error messages.

    Returns
    -------
    before : (n, m, m) booleans
        Closed relations. For "weigh", the more frequent direction of each pair in rows that contradict themselves,
        which is not closed.
    contradictory : (n,) booleans
    votes : Votes
        The comparisons of these rows for "weigh", otherwise none.
    """
    check_rule(rule)
    stated = counts.astype(bool)
    closed = transitive_closure(stated)
    diagonal = np.diagonal(closed, axis1=-2, axis2=-1)
    contradictory = np.asarray(diagonal.any(axis=-1))
    rows = np.flatnonzero(contradictory)
    numbers = np.arange(len(counts)) if numbers is None else numbers
    if rule == "error":
        bad = BadRows("y")
        for row in rows:
            cycle = find_cycle(stated[row], int(diagonal[row].argmax()))
            names = items if items.ndim == 1 else items[row]
            bad.add(numbers[row], " > ".join(str(names[k]) for k in cycle))
        bad.raise_if_any(
            "No order satisfies a cycle. Drop one of its pairs, or the row. To keep such rows, set"
            ' contradictions="majority" (the pairs on which all orders with the fewest violations agree) or'
            ' contradictions="weigh" (each comparison counts as a row of its own).'
        )
        return closed, contradictory, ComparisonVotes.none()
    if rule == "majority":
        closed[rows] = [_majority(counts[row], int(numbers[row])) for row in rows] if len(rows) else closed[rows]
        return closed, contradictory, ComparisonVotes.none()
    at, better, worse = np.nonzero(counts[rows])
    number = counts[rows][at, better, worse].astype(int)
    closed[rows] = counts[rows] > counts[rows].swapaxes(1, 2)
    return closed, contradictory, ComparisonVotes(rows[at], better, worse, number)


def _majority(counts: NDArray, row: int) -> NDArray:
    """Return the pairs on which all orders that violate the fewest comparisons agree, (m, m) booleans."""
    from ...feedback_arc.subset_dp import agreed_pairs

    items = np.flatnonzero(counts.any(axis=0) | counts.any(axis=1))
    if len(items) > MAJORITY_ITEMS:
        raise InputError(
            f'contradictions="majority" supports rows that compare at most {MAJORITY_ITEMS} items. Row {row} compares'
            f' {len(items)} and contradicts itself. Set contradictions="weigh".'
        )
    inside = np.ix_(items, items)
    agreed = np.zeros(counts.shape, dtype=bool)
    agreed[inside] = agreed_pairs(counts[inside].T.astype(float))  # i before j violates what states j before i
    return agreed
