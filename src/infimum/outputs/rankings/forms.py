"""Formats of partial orders: text, pairs, top-k lists, buckets, ranks, Kendall codes.

A row is parsed into the pairs that it states, `stated[i, j]` if i comes before j. The sets close them transitively.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...data.blanks import stripped
from ...data.containers import Column, distinct, is_number, is_row
from ...data.errors import BadRows, InputError, is_missing, listed, shown
from ...data.memory import require
from ...data.names import Names
from ...feedback_arc.relations import transitive_reduction
from ..merging import UnknownNames, variants_of

FORMS = (
    'A row of y is text "a>b>c, d>e" with ties "a>{b,c}>d" or "a>b~c>d", pairs [("a", "b"), ("b", "c")], the'
    ' top of the order ["a", "b"], ranks {"a": 1, "b": 2}, or None for an unlabelled row; or y is an array:'
    " (n, m) ranks with NaN, or (n, m(m-1)/2) codes in {-1, 0, 1}."
)

MARKS = re.compile("[{}<=]")
NUMBERED = re.compile(r"\s*1[.):]\s*\S.*\s2[.):]\s*\S", re.DOTALL)
"""A numbered list, such as "1. tea 2. coffee"."""
Buckets = list[list]
"""Items best first, those of one bucket in no order."""


def items_in_codes(columns: int) -> int | None:
    """Return the m with m(m-1)/2 = columns, or None.

    >>> items_in_codes(6), items_in_codes(5)
    (4, None)
    """
    m = (1 + math.isqrt(1 + 8 * columns)) // 2
    return m if m * (m - 1) // 2 == columns else None


class Places:
    """Indices of items, found by their name or, in text, by how they print."""

    def __init__(self, items: Names):
        self.items = items
        self.prints = {str(item): k for k, item in enumerate(items.list)}

    def find(self, item: Any) -> int | None:
        k = self.items.find(item)
        return self.prints.get(item) if k is None and isinstance(item, str) else k

    def __contains__(self, item: Any) -> bool:
        return self.find(item) is not None


class Stated(NamedTuple):
    """The comparisons that one row states."""

    row: int
    blocks: list[tuple[list[int], list[int]]]
    """Every item of the first list comes before every item of the second."""
    is_closed: bool
    """Whether the row is a single chain of buckets, so that it implies no other pairs and cannot contradict itself."""


def stated_pairs(y: Column, items: Names, strict: bool) -> NDArray:
    """Return (n, m, m) counts, how often a row states that items[i] comes before items[j].

    With ``strict=False``, items that are not among `items` are ignored, with a warning.
    """
    n, m = y.n, len(items)
    require(2.0 * n * m * m, f"the pairs of {m} items in {n} rows", "Pass fewer items, or chunked data.")
    stated = np.zeros((n, m, m), dtype=np.uint8)
    for row, blocks, _ in stated_rows(y, items, strict):
        for i, j in blocks:
            stated[row, np.array(i, dtype=int)[:, None], np.array(j, dtype=int)] += 1
    return stated


def stated_rows(y: Column, items: Names, strict: bool) -> list[Stated]:
    """Return the comparisons of all labelled rows; one error lists all rows that cannot be parsed."""
    places, bad, ignored = Places(items), BadRows("y"), UnknownNames("items", items.list)
    cells, which = equal = distinct(y)
    stated: dict[int, Stated] = {}
    wrong: list[Any] = []
    for c, cell in enumerate(cells[1:], start=1):  # the first one is missing
        try:
            chains = chains_in(cell, places)
        except InputError as error:
            bad.add_all(equal.rows(c), str(error))
            continue
        unknown = [item for chain in chains for bucket in chain for item in bucket if item not in places]
        if unknown and strict:
            bad.add_all(equal.rows(c), f"unknown item {shown(unknown[0])}")
            wrong += unknown
            continue
        if unknown:
            ignored.add(equal.rows(c), *unknown)
        known = [[[k for item in bucket if (k := places.find(item)) is not None] for bucket in c] for c in chains]
        blocks = list(_pairs(known))
        if is_top(cell, places):
            top = [k for chain in known for bucket in chain for k in bucket]
            blocks.append((top, np.setdiff1d(np.arange(len(items)), top).tolist()))
        stated[c] = Stated(0, blocks, len(chains) < 2)
    bad.raise_if_any(f"{variants_of(wrong, items.list, 'ranking')}The items are {listed(items.list)}. {FORMS}")
    ignored.warn("Comparisons with them")
    return [stated[c]._replace(row=row) for row, c in enumerate(which.tolist()) if c]


def comparisons(cell: Any, known: Places | None) -> Iterator[tuple[list, list]]:
    """Yield (better, worse): all items of the first come before those of the second; (bucket, []) for a lone bucket."""
    return _pairs(chains_in(cell, known))


def _pairs(chains: list[Buckets]) -> Iterator[tuple[list, list]]:
    for chain in chains:
        for k, bucket in enumerate(chain):
            yield bucket, [item for later in chain[k + 1 :] for item in later]


def chains_in(cell: Any, known: Places | None) -> list[Buckets]:
    """Return the chains of a cell, each of them buckets, best first; an item occurs once in a chain."""
    if is_missing(cell):
        return []
    if isinstance(cell, str):
        chains = [_buckets(chain, known) for chain in _chains(cell) if stripped(chain)]
        _check_compares(cell, chains, known)
    elif isinstance(cell, Mapping):
        ranks = {item: _rank(rank, cell) for item, rank in cell.items() if not is_missing(rank)}
        chains = [[[item for item in ranks if ranks[item] == rank] for rank in sorted(set(ranks.values()))]]
    elif _are_pairs(cell, known):
        chains = [[[better], [worse]] for better, worse in cell]
    elif is_top(cell, known):
        chains = [[_bucket(entry, cell, known) for entry in cell if not is_missing(entry)]]
    elif isinstance(cell, tuple):
        raise InputError(
            f"got the tuple {shown(cell)}; write [('a', 'b')] for a comparison, or ['a', 'b'] for a top-2 list"
        )
    else:
        raise InputError(f"expected an order, got {shown(cell)}")
    for chain in chains:
        chain[:] = [[_item(item, known) for item in bucket] for bucket in chain]
        place: dict = {}
        for item, k in ((item, k) for k, bucket in enumerate(chain) for item in bucket):
            if not _is_name(item):
                raise InputError(f"expected items that can be hashed, got {shown(item)}")
            if item in place:
                between = [bucket[0] for bucket in chain[place[item] + 1 : k]]
                circle = " > ".join(map(str, [item, *between, item]))
                raise InputError(f"an item must occur at most once, got {circle} in {shown(cell)}")
            place[item] = k
    return chains


def _check_compares(text: str, chains: list[Buckets], known: Places | None) -> None:
    """Raise an error if a text lists items and compares none of them: "a, b, c" or "1. a 2. b"."""
    lone = [chain[0][0] for chain in chains if len(chain) == 1 and len(chain[0]) == 1]
    numbered = len(lone) == 1 and NUMBERED.match(text) and not (known is not None and lone[0] in known)
    if len(lone) == len(chains) > 1 or numbered:
        raise InputError(
            f"no item is compared with another in {shown(text)}; write a>b>c if the items are in order, best first (a"
            " table with commas is read by --meaning order --separator ,)"
        )


def _item(item: Any, known: Places | None) -> Any:
    """Return an item: text without blanks around it, unless it is known as it is."""
    return item if known is not None and _is_name(item) and item in known else stripped(item)


def _is_name(item: Any) -> bool:
    try:
        hash(item)
    except TypeError:
        return False
    return True


def _rank(rank: Any, cell: Any) -> float:
    if not is_number(type(rank)):
        raise InputError(f"expected ranks that are numbers, got {shown(cell)}")
    try:
        return float(rank)
    except OverflowError:
        raise InputError(f"expected ranks that a float can hold, got {shown(cell)}") from None


def _bucket(entry: Any, cell: Any, known: Places | None) -> list:
    """Return the items of an entry of a list: one item, or a set of items in no order."""
    if known is not None and _is_name(entry) and entry in known:
        return [entry]
    if isinstance(entry, set | frozenset):
        return list(entry)
    if isinstance(entry, tuple):
        raise InputError(f"a tuple is a pair beside pairs only, or an item that items=[…] lists, got {shown(cell)}")
    return [entry]


def _chains(text: str) -> list[str]:
    """Return the parts of a text between commas, semicolons and line ends, apart from those inside braces."""
    cuts, inside = [len(text)], False
    for found in reversed(list(re.finditer(r"[,;\n{}]", text))):
        if found[0] in "{}":
            inside = found[0] == "}"
        elif not inside:
            cuts.append(found.start())
    cuts.append(-1)
    return [text[start + 1 : end] for start, end in pairwise(reversed(cuts))]


def _buckets(chain: str, known: Places | None) -> Buckets:
    """Split text into buckets: a>{b,c}>d is [[a], [b, c], [d]]; ties may be b~c or b=c, and ≻ is the same as >."""
    buckets = []
    for part in re.split("[>≻]", chain):
        text = stripped(part)
        braces = text.startswith("{") and text.endswith("}")
        ties = [text] if known is not None and text in known else re.split("[~=]", text)
        bucket = [stripped(item) for item in (text[1:-1].split(",") if braces else ties)]
        if not all(bucket) or any(MARKS.search(item) and not (known and item in known) for item in bucket):
            raise InputError(f"expected items between '>', ties as b~c or in braces, got {shown(chain.strip())}")
        buckets.append(bucket)
    return buckets


def _are_pairs(cell: Any, known: Places | None) -> bool:
    """Return whether a cell is a list or set of 2-tuples that are not items themselves."""
    return (
        isinstance(cell, list | set | frozenset)
        and len(cell) > 0
        and all(isinstance(entry, tuple) and len(entry) == 2 for entry in cell)
        and not (known is not None and all(_is_name(entry) and entry in known for entry in cell))
    )


def is_top(cell: Any, known: Places | None) -> bool:
    """Return whether a cell lists the first items of the order, best first; all others come after them."""
    return is_row(cell) and not isinstance(cell, tuple) and not _are_pairs(cell, known)


def pairs_in_codes(codes: NDArray) -> NDArray:
    """Return the stated pairs (n, m, m) of codes (n, m(m-1)/2) in {-1, 0, 1}, in which NaN stands for 0."""
    filled = codes
    if codes.dtype.kind == "f":
        filled = np.nan_to_num(codes, nan=0.0, posinf=np.inf, neginf=-np.inf)
        wrong = ~np.isin(filled, (-1, 0, 1))
        bad = BadRows("y")
        for row in np.flatnonzero(wrong.any(axis=1)):
            bad.add(row, f"expected codes 1, -1 or 0, got {codes[row][wrong[row]][0]:g}")
        bad.raise_if_any(
            "The column of the pair i < j contains 1 if i comes before j, -1 if it comes after, 0 if it is unknown."
        )
    m = items_in_codes(codes.shape[1])
    if m is None:
        raise InputError(f"Kendall codes have m(m-1)/2 columns: 1, 3, 6, 10, … Got {codes.shape[1]}.")
    i, j = np.triu_indices(m, 1)
    stated = np.zeros((len(codes), m, m), dtype=bool)
    stated[:, i, j], stated[:, j, i] = filled == 1, filled == -1
    return stated


def pairs_in_ranks(ranks: NDArray) -> NDArray:
    """Return the stated pairs (n, m, m) of ranks (n, m), 1 = first, NaN unknown; a tie states no pair."""
    # a comparison with NaN is False
    return ranks[:, :, None] < ranks[:, None, :]


def format_order(items: NDArray, before: NDArray) -> str:
    """Return a partial order as chains of its covering pairs.

    >>> format_order(np.array(["a", "b", "c", "d"]), np.triu(np.ones((4, 4), bool), 1))
    'a > b > c > d'
    """
    left = {(int(i), int(j)) for i, j in np.argwhere(transitive_reduction(before))}
    chains = []
    while left:
        start = min(left, key=lambda pair: (any(p[1] == pair[0] for p in left), pair))
        chain = [start[0], start[1]]
        left.discard(start)
        while step := min(((i, j) for i, j in left if i == chain[-1]), default=None):
            left.discard(step)
            chain.append(step[1])
        chains.append(" > ".join(str(items[k]) for k in chain))
    return ", ".join(chains)
