"""The objective over orders as a weighted sum of distances to linear extensions.

With d_R(z) the number of discordant pairs between z and the nearest linear extension of R, and P = m(m-1)/2,

    inf_{y in S} l(z, y) = 2 d_S(z),        sup_{y in S} l(z, y) = 2 P - 2 d_{S reversed}(z),

since a farthest extension of S is a nearest one of S reversed, turned round. So a supremum of weight w is an infimum of
weight -w over the reversed relation, and one kind of term is left:

    F(z) = constant + 2 sum_t v_t d_t(z),        d_t(z) = #{known pairs of t that z has wrong} + e_t(z),

with e_t(z) >= 0 the discordant pairs among those that t leaves open. Where the relation is buckets best first, e_t = 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from ..relations import is_weak_order
from .bits import bit_count, lowest

MAX_ITEMS = 16  # 2^16 sums are held for one query


class Relations(NamedTuple):
    """T closed relations, as sets of items in the bits of integers."""

    known: NDArray[np.float64]
    """(T, m, m): 1 at (i, j) where i comes before j."""
    above: NDArray[np.int64]
    """(T, m): the items that come after i."""
    unknown: NDArray[np.int64]
    """(T, m): the items whose order with i is open."""
    open: NDArray[np.float64]
    """(T, P): 1 on the pairs i < j whose order is open, else 0."""
    ideals: NDArray[np.int64]
    """The down-closed sets of relation t, ascending, are ideals[start[t]:start[t + 1]]."""
    last: NDArray[np.int64]
    """Beside every ideal, the items that may come last in it."""
    start: NDArray[np.int64]
    """(T + 1,)."""
    hard: NDArray[np.bool_]
    """(T,): whether some order has e_t > 0."""


class Objectives(NamedTuple):
    """F_q(z) = constant_q + 2^(exponent_q + 1) sum_t v_qt d_t(z); the |v_q| sum to [1/2, 1], or are all 0."""

    v: NDArray[np.float64]
    exponent: NDArray[np.int64]
    constant: NDArray[np.float64]


def split(before: NDArray, infimum: NDArray, supremum: NDArray) -> tuple[Relations, Objectives]:
    """Return the relations with a weight other than 0, and their weights."""
    m = before.shape[-1]
    both = np.concatenate([before, before.swapaxes(-1, -2)])
    w = np.concatenate([infimum, -supremum], axis=1)
    used = (w != 0).any(axis=0)
    w = np.ascontiguousarray(w[:, used])
    # powers of two: scaling loses nothing
    exponent = np.frexp(np.abs(w).max(axis=1, initial=0.0))[1]
    exponent = exponent + np.frexp(np.abs(np.ldexp(w, -exponent[:, None])).sum(axis=1))[1]
    v = np.ldexp(w, -exponent[:, None])
    constant = 2.0 * (m * (m - 1) // 2) * supremum.sum(axis=1)
    return relations(both[used]), Objectives(v, exponent, constant)


def relations(before: NDArray, memory: int = 2**28) -> Relations:
    """Return the form of (T, m, m) closed relations that the searches use.

    >>> relations(np.array([[[0, 1, 0], [0, 0, 0], [0, 0, 0]]], dtype=bool)).ideals
    array([0, 1, 3, 4, 5, 7])
    """
    m = before.shape[-1]
    bit = np.int64(1) << np.arange(m, dtype=np.int64)
    above = (before * bit).sum(axis=-1)
    below = (before * bit[:, None]).sum(axis=-2)
    unknown = ~(above | below | bit) & ((np.int64(1) << m) - 1)
    i, j = np.triu_indices(m, 1)
    found, held = [], 0
    for t in range(len(before)):
        found.append(_ideals(below[t], above[t]))
        held += 2 * found[-1][0].nbytes
        if held > memory:
            raise ValueError(
                f"The down-closed sets of {t + 1} of {len(before)} relations of {m} items take more than"
                f" {memory} bytes. Use solver=Alternate()."
            )
    start = np.cumsum([0, *(len(ideals) for ideals, _ in found)])
    empty = np.empty(0, dtype=np.int64)
    return Relations(
        before.astype(float, order="C"),  # one layout, one compilation
        above,
        unknown,
        (unknown[:, i] >> j & 1).astype(float, order="C"),
        np.concatenate([empty, *(ideals for ideals, _ in found)]),
        np.concatenate([empty, *(last for _, last in found)]),
        start,
        ~is_weak_order(before),
    )


@njit(cache=True, nogil=True)
def _ideals(below, above):
    """Return the down-closed sets, in ascending order, and the items of each that no other item of it must follow."""
    m, count = len(below), 0
    needed = np.zeros(1 << m, dtype=np.int64)
    for ideal in range(1, 1 << m):
        needed[ideal] = needed[ideal & (ideal - 1)] | below[lowest(ideal)]
        count += needed[ideal] & ~ideal == 0
    ideals, last = np.zeros(count + 1, dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    count = 1
    for ideal in range(1, 1 << m):
        if needed[ideal] & ~ideal:
            continue
        ideals[count] = ideal
        for i in range(m):
            if ideal >> i & 1 and above[i] & ideal == 0:
                last[count] |= 1 << i
        count += 1
    return ideals, last


@njit(cache=True, nogil=True)
def later_items(z, later):
    """Write the items that z puts after i to later[i]."""
    rest = 0
    for p in range(len(z) - 1, -1, -1):
        later[z[p]] = rest
        rest |= 1 << z[p]


@njit(cache=True, nogil=True)
def open_distance(ideals, last, unknown, later, f):
    """Return e_t(z) by dynamic programming over the ideals.

    The last item i of an ideal I pays for the open pairs that z has the other way, #{j in I : (i, j) open, z puts i
    before j}.
    """
    f[0] = 0
    for k in range(1, len(ideals)):
        ideal, rest, best = ideals[k], last[k], 1 << 20
        while rest:
            low = rest & -rest
            rest ^= low
            i = lowest(low)
            best = min(best, f[ideal ^ low] + bit_count(ideal & later[i] & unknown[i]))
        f[ideal] = best
    return f[ideals[-1]]
