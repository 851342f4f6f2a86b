"""Sets and outputs in a few words, for tables and pages that people read."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .base import OutputSpace, Sets
from .labels.sets import CandidateLabels
from .labels.space import Labels
from .numbers.sets import Intervals
from .numbers.space import Reals
from .rankings.forms import pairs_in_codes
from .rankings.sets import PartialOrders
from .rankings.space import Rankings
from .tags.sets import HammingBalls, PartialTags
from .tags.space import Tags

ANYTHING = "anything"
MANY = 12  # names of a set that are listed


def set_words(output: OutputSpace, sets: Sets, rows: Any = None) -> list[str]:
    """S_i in words, for every row or for some of them.

    >>> space = Labels().fit(["cat|dog", "!owl", "cat", None])
    >>> set_words(space, space.read(["cat|dog", "!owl", "cat", None]))
    ['cat | dog', 'cat | dog', 'cat', 'anything']
    """
    some = sets if rows is None else sets[rows]
    unknown = output.is_unlabelled(some)
    return [ANYTHING if unknown[i] else text for i, text in enumerate(_texts(output, some))]


def _texts(output: OutputSpace, sets: Any) -> list[str]:
    if isinstance(sets, CandidateLabels):
        names = sets.classes if sets.classes is not None else np.arange(sets.listed.shape[1])
        return [_subset(names, sets[row]) for row in range(len(sets))]
    if isinstance(sets, PartialTags):
        return [tag_words(_tags(output, sets.m), row, True) for row in sets.values]
    if isinstance(sets, HammingBalls):
        texts = [tag_words(_tags(output, sets.m), row, False) for row in sets.centers]
        return [f"within {r:.0f} of {text}" for r, text in zip(sets.radius, texts)]
    if isinstance(sets, PartialOrders):
        relations = pairs_in_codes(sets.codes.astype(float))
        return [order_words(sets.items, before) for before in relations]
    if isinstance(sets, Intervals):
        return [_interval(sets, row) for row in range(len(sets))]
    return [repr(one) for one in sets]


def _subset(names: NDArray, one: CandidateLabels) -> str:
    size, m = int(one.sizes[0]), len(names)
    mask = one.mask[0]
    if m - size < min(size, 3) and size > 3:
        return "not " + " or ".join(map(str, names[~mask]))
    listed = [str(name) for name in names[mask]]
    more = f" | … ({size} in all)" if size > MANY else ""
    return " | ".join(listed[:MANY]) + more


def _tags(output: Any, m: int) -> list[str]:
    names = vars(output).get("tags_")
    return [str(name) for name in (np.arange(m) if names is None else names)]


def tag_words(names: list[str], values: NDArray, absent: bool) -> str:
    """Signs of tags in words: those that are there and, if asked, those that are not.

    >>> tag_words(["red", "round", "big"], np.array([1, -1, 0]), True)
    '+red −round'
    """
    shown = [f"+{name}" for name, v in zip(names, values) if v > 0]
    shown += [f"−{name}" for name, v in zip(names, values) if v < 0 and absent]
    return " ".join(shown) or "none"


def order_words(items: NDArray, before: NDArray) -> str:
    """A partial order as chains of its covering pairs.

    >>> order_words(np.array(["a", "b", "c", "d"]), np.triu(np.ones((4, 4), bool), 1))
    'a > b > c > d'
    """
    two = (before.astype(np.float32) @ before.astype(np.float32)) > 0
    cover = before & ~two
    left = {(int(i), int(j)) for i, j in np.argwhere(cover)}
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


def _interval(sets: Intervals, row: int) -> str:
    pieces = range(sets.indptr[row], sets.indptr[row + 1])
    return " | ".join(_piece(float(sets.lower[p]), float(sets.upper[p])) for p in pieces)


def _piece(low: float, high: float) -> str:
    if low == high:
        return f"{low:.6g}"
    if high == math.inf:
        return f"≥ {low:.6g}"
    return f"≤ {high:.6g}" if low == -math.inf else f"[{low:.6g}, {high:.6g}]"


def output_words(output: OutputSpace, z: NDArray) -> list[str]:
    """Outputs (k, *z) in words.

    >>> space = Labels().fit(["a", "b"])
    >>> output_words(space, np.array([1, 0]))
    ['b', 'a']
    """
    if isinstance(output, Labels):
        return [str(name) for name in output.readable(np.asarray(z, dtype=int))]
    if isinstance(output, Tags):
        return [tag_words(_tags(output, z.shape[-1]), row, False) for row in np.asarray(z)]
    if isinstance(output, Rankings):
        return [" > ".join(map(str, row)) for row in output.readable(z)]
    if isinstance(output, Reals):
        return [f"{float(value):.6g}" for value in np.asarray(z).ravel()]
    return [np.array2string(np.asarray(row), precision=4, threshold=8) for row in output.readable(z)]
