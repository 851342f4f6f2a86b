"""Partial orders from what users write: text, pairs, top-k lists, buckets, ranks, Kendall codes.

Here a row becomes the pairs that it states, `stated[i, j]` where i comes before j; closing them is left to the sets.
"""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..forms import BadRows, is_missing

FORMS = (
    'A row of y is text "a>b>c, d>e" with buckets "a>{b,c}>d", pairs [("a", "b"), ("b", "c")], the top of the order'
    ' ["a", "b"], ranks {"a": 1, "b": 2}, or None where nothing is known; or y is an array: (n, m) ranks with NaN, or'
    " (n, m(m-1)/2) codes in {-1, 0, 1}."
)
OUTSIDE_BRACES = r"(?![^{]*\})"

Buckets = list[list]
"""Items best first, those of one bucket in no order."""


def items_in_codes(columns: int) -> int | None:
    """The m with m(m-1)/2 = columns, or None.

    >>> items_in_codes(6), items_in_codes(5)
    (4, None)
    """
    m = (1 + math.isqrt(1 + 8 * columns)) // 2
    return m if m * (m - 1) // 2 == columns else None


def are_codes(array: NDArray, m: int | None) -> bool:
    """Whether columns are pairs (Kendall codes) and not items (ranks).

    The number of items decides where it is known; otherwise, and for m = 3, entries all in {-1, 0, 1} are codes.
    """
    columns = array.shape[1]
    pairs = items_in_codes(columns)
    if pairs is None or (m is not None and pairs != m):
        return False
    if m is not None and columns != m:
        return True
    return bool(np.isin(array, (-1, 0, 1)).all())


def array_of(y: Any) -> tuple[NDArray | None, list | None]:
    """y as a table of numbers and the names of its columns, where it is one; otherwise (None, None)."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if hasattr(y, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(y, eager_only=True).to_numpy().astype(float), list(y.columns)
    if not hasattr(y, "__len__") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, str) or not hasattr(y, "__len__"):
        raise ValueError(f"Expected an array-like (array or non-string sequence) of orders. Got {y!r}. {FORMS}")
    if not isinstance(y, np.ndarray) or y.dtype.kind not in "biuf":
        return None, None
    if y.ndim != 2:
        raise ValueError(f"Rankings need an (n, m) array of ranks or (n, m(m-1)/2) codes. Got shape {y.shape}. {FORMS}")
    return y.astype(float), None


def items_of(y: Any) -> list:
    """Every item that the rows of y name, sorted where they can be."""
    names: dict[Hashable, None] = {}
    for cell in y:
        try:
            for better, worse in _comparisons(cell, ()):
                names.update(dict.fromkeys([*better, *worse]))
        except ValueError:
            continue  # refused with its row number by `stated_pairs`
    try:
        return sorted(names)  # type: ignore[type-var]
    except TypeError:
        return list(names)


def stated_pairs(y: Any, items: list, strict: bool) -> NDArray:
    """stated[row, i, j] where the row says that items[i] comes before items[j], (n, m, m).

    With ``strict=False``, items that are not among `items` are passed over.
    """
    where: dict[Any, int] = {str(item): k for k, item in enumerate(items)}
    where.update({item: k for k, item in enumerate(items)})  # "1" stands for the item 1 where no item is "1"
    stated = np.zeros((len(y), len(items), len(items)), dtype=bool)
    bad = BadRows("y")
    for row, cell in enumerate(y):
        try:
            comparisons = list(_comparisons(cell, where))
        except ValueError as error:
            bad.add(row, str(error))
            continue
        top: list[int] = []
        for better, worse in comparisons:
            unknown = [item for item in (*better, *worse) if item not in where]
            if unknown and strict:
                bad.add(row, f"unknown item {unknown[0]!r}")
                break
            i, j = (np.array([where[item] for item in side if item in where], dtype=int) for side in (better, worse))
            stated[row, i[:, None], j] = True
            top += i.tolist()
        if _is_top(cell, where):
            rest = np.setdiff1d(np.arange(len(items)), top)
            stated[row, np.array(top, dtype=int)[:, None], rest] = True
    bad.refuse(f"The items are {', '.join(map(str, items[:10]))}{', …' if len(items) > 10 else ''}. {FORMS}")
    return stated


def _comparisons(cell: Any, items: Iterable) -> Iterator[tuple[list, list]]:
    """(better, worse): every item of the first comes before every item of the second; a lone bucket gives (it, [])."""
    if is_missing(cell):
        return
    if isinstance(cell, str):
        chains = [_buckets(chain) for chain in re.split(rf"[,;\n]{OUTSIDE_BRACES}", cell) if chain.strip()]
    elif isinstance(cell, Mapping):
        known = {item: float(rank) for item, rank in cell.items() if not is_missing(rank)}
        chains = [[[item for item in known if known[item] == rank] for rank in sorted(set(known.values()))]]
    elif _are_pairs(cell, items):
        chains = [[[better], [worse]] for better, worse in cell]
    elif _is_top(cell, items):
        listed = [entry for entry in cell if not is_missing(entry)]
        chains = [[list(entry) if isinstance(entry, set | frozenset) else [entry] for entry in listed]]
    else:
        raise ValueError(f"expected an order, got {cell!r}")
    for chain in chains:
        place: dict = {}
        for item, k in ((item, k) for k, bucket in enumerate(chain) for item in bucket):
            if not isinstance(item, Hashable):
                raise ValueError(f"expected items that can be hashed, got {item!r}")
            if item in place:
                between = [bucket[0] for bucket in chain[place[item] + 1 : k]]
                circle = " > ".join(map(str, [item, *between, item]))
                raise ValueError(f"{circle}: an item comes once, got {cell!r}")
            place[item] = k
        for k, bucket in enumerate(chain):
            yield bucket, [item for later in chain[k + 1 :] for item in later]


def _buckets(chain: str) -> Buckets:
    """a>{b,c}>d -> [[a], [b, c], [d]]."""
    buckets = []
    for part in chain.split(">"):
        text = part.strip()
        braces = text.startswith("{") and text.endswith("}")
        bucket = [item.strip() for item in (text[1:-1].split(",") if braces else [text])]
        if not all(bucket) or any(set(item) & set("{}<") for item in bucket):
            raise ValueError(f"expected items between '>', buckets in braces, got {chain.strip()!r}")
        buckets.append(bucket)
    return buckets


def _are_pairs(cell: Any, items: Iterable) -> bool:
    """A list or set of 2-tuples that are not items themselves."""
    return (
        isinstance(cell, list | set | frozenset)
        and len(cell) > 0
        and all(isinstance(entry, tuple) and len(entry) == 2 for entry in cell)
        and not set(cell) <= set(items)
    )


def _is_top(cell: Any, items: Iterable) -> bool:
    """The first items of the order, best first: all others come after them."""
    return isinstance(cell, list | np.ndarray) and not _are_pairs(cell, items)


def pairs_in_codes(codes: NDArray) -> NDArray:
    """(n, m(m-1)/2) codes in {-1, 0, 1}, NaN for 0 -> (n, m, m) stated pairs."""
    filled = np.nan_to_num(codes, nan=0.0, posinf=np.inf, neginf=-np.inf)
    wrong = ~np.isin(filled, (-1, 0, 1))
    bad = BadRows("y")
    for row in np.flatnonzero(wrong.any(axis=1)):
        bad.add(row, f"expected codes 1, -1 or 0, got {codes[row][wrong[row]][0]:g}")
    bad.refuse("The column of the pair i < j holds 1 where i comes before j, -1 where after, 0 where it is unknown.")
    m = items_in_codes(codes.shape[1])
    if m is None:
        raise ValueError(f"Kendall codes have m(m-1)/2 columns: 1, 3, 6, 10, … Got {codes.shape[1]}.")
    i, j = np.triu_indices(m, 1)
    stated = np.zeros((len(codes), m, m), dtype=bool)
    stated[:, i, j], stated[:, j, i] = filled == 1, filled == -1
    return stated


def pairs_in_ranks(ranks: NDArray) -> NDArray:
    """(n, m) ranks, 1 = first, NaN unknown -> (n, m, m) stated pairs; a tie says nothing."""
    # a comparison with NaN is False
    return ranks[:, :, None] < ranks[:, None, :]
