"""Facets of the linear ordering polytope of few items, violated by a fractional order of many.

On k items let P be the convex hull of the orders, shifted to have its centre at 0, and t the fractional order there.
The polar problem

    maximise <a, t>   subject to   <a, p> <= 1  for the k! vertices p of P

has a value above 1 where t lies outside P, and its vertices a are then facets that cut t off (target cuts: Buchheim,
Liers and Oswald, Operations Research Letters, 2008). Its dual is solved by the revised simplex with a dense inverse;
dynamic programming over subsets finds the vertex that enters. A facet found on some items is moved to others by
exchanging one item at a time while the violation grows, which is far cheaper.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from infimum.feedback_arc.relations import Float, Int
from infimum.feedback_arc.rows import Rows

MAX_LOCAL = 8
PIVOTS = 400
VIOLATED = 1e-3
ROUNDING = 1e-8  # of the simplex, on the side where the row stays valid
LIBRARY = 4000


@njit(cache=True, nogil=True)
def _longest(a, k, f, sums, position):
    """The order of k items with the largest sum of a[i, j] over i before j: the position of every item."""
    full = 1 << k
    sums[0, :k] = 0.0
    f[0] = 0.0
    low = 0
    for I in range(1, full):
        if I >> (low + 1):
            low += 1
        # sums[I, i] = sum of a[j, i] over j in I, by the highest bit of I
        rest = I ^ (1 << low)
        f[I] = -np.inf
        best = -np.inf
        for i in range(k):
            sums[I, i] = sums[rest, i] + a[low, i]
            # no branch: an i outside I leads to f[I], infinite so far
            best = max(best, f[I & ~(1 << i)] + sums[I, i])
        f[I] = best
    I = full - 1
    for p in range(k - 1, -1, -1):
        for i in range(k):
            if (I >> i) & 1 and f[I ^ (1 << i)] + sums[I, i] >= f[I]:
                position[i] = p
                I ^= 1 << i
                break


@njit(cache=True, nogil=True, fastmath={"reassoc", "contract"})
def target_cut(t, k, a, f, sums):
    """A facet a (k, k), antisymmetric, with <a, p> <= 1 on P, and <a, t> over the pairs i < j; 0 if t is not cut off.

    The unit vectors, at price 2, are the first basis: they stand for 0 <= u_ij <= 1, which are facets too.
    """
    n = k * (k - 1) // 2
    inverse, x, c, entering, moves = np.zeros((n, n)), np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    position = np.empty(k, dtype=np.int64)
    value, p = 0.0, 0
    for i in range(k):
        for j in range(i + 1, k):
            inverse[p, p] = 1.0 if t[i, j] >= 0 else -1.0
            x[p], c[p] = abs(t[i, j]), 2.0 * inverse[p, p]
            value += 2.0 * x[p]
            p += 1
    for _ in range(PIVOTS):
        if value <= 1.0 + VIOLATED:
            return 0.0
        p = 0
        for i in range(k):
            for j in range(i + 1, k):
                a[i, j], a[j, i] = c[p], -c[p]
                p += 1
        _longest(a, k, f, sums, position)
        p, top = 0, 0.0
        for i in range(k):
            for j in range(i + 1, k):
                entering[p] = 0.5 if position[i] < position[j] else -0.5
                top += c[p] * entering[p]
                p += 1
        if top <= 1.0 + 1e-9:
            return value
        leaving, ratio, pivot = -1, np.inf, 0.0
        for r in range(n):
            move = 0.0
            for q in range(n):
                move += inverse[r, q] * entering[q]
            moves[r] = move
            if moves[r] > 1e-9:
                candidate = x[r] / moves[r]
                if candidate < ratio - 1e-12 or (candidate < ratio + 1e-12 and moves[r] > pivot):
                    leaving, ratio, pivot = r, candidate, moves[r]
        if leaving < 0:
            return 0.0
        for q in range(n):
            inverse[leaving, q] /= pivot
            c[q] += (1.0 - top) * inverse[leaving, q]
        for r in range(n):
            if r != leaving:
                x[r] -= ratio * moves[r]
                for q in range(n):
                    inverse[r, q] -= moves[r] * inverse[leaving, q]
        x[leaving] = ratio
        value += ratio * (1.0 - top)
    return 0.0


@njit(cache=True, nogil=True)
def tight_triples(u, tolerance):
    """The triples i < j < k of undecided pairs whose row u_ij + u_jk - u_ik is within `tolerance` of 0 or 1."""
    m, count = len(u), 0
    triples = np.empty((1024, 3), dtype=np.int64)
    undecided = np.minimum(u, 1.0 - u) > tolerance
    for i in range(m):
        for j in range(i + 1, m):
            if not undecided[i, j]:
                continue
            for k in range(j + 1, m):
                if undecided[i, k] and undecided[j, k]:
                    row = u[i, j] + u[j, k] - u[i, k]
                    if row < tolerance or row > 1.0 - tolerance:
                        if count == len(triples):
                            triples = np.concatenate((triples, np.empty_like(triples)))
                        triples[count] = i, j, k
                        count += 1
    return triples[:count]


@njit(cache=True, nogil=True)
def _grow(items, size, triples, start, member, rng, closes, touches, inside):
    """Add items that close many tight triples, at random, from a random one; returns how many there are."""
    closes[:], touches[:], inside[:] = 0.0, 0.0, False
    seed = triples[rng.integers(0, len(triples))]
    for count in range(size):
        item = seed[count] if count < 3 else -1
        if item < 0:
            best = 0.0
            for i in range(len(inside)):
                if not inside[i] and touches[i] > 0:
                    score = (closes[i] + 0.05 * touches[i]) * (0.6 + rng.random())
                    if score > best:
                        item, best = i, score
            if item < 0:
                return count
        items[count], inside[item] = item, True
        for e in range(start[item], start[item + 1]):
            triple = triples[member[e]]
            known = 0
            for q in range(3):
                known += inside[triple[q]]
            for q in range(3):
                if not inside[triple[q]]:
                    if known == 2:
                        closes[triple[q]] += 1.0
                    else:
                        touches[triple[q]] += 1.0
    return size


@njit(cache=True, nogil=True)
def find_facets(u, triples, start, member, tries, sizes, rng):
    """Facets a (n, MAX_LOCAL, MAX_LOCAL) on items (n, MAX_LOCAL) that cut u off, from `tries` groups of items."""
    m = len(u)
    facets, groups = np.zeros((tries, MAX_LOCAL, MAX_LOCAL)), np.full((tries, MAX_LOCAL), -1)
    f, sums = np.empty(1 << MAX_LOCAL), np.empty((1 << MAX_LOCAL, MAX_LOCAL))
    closes, touches, inside = np.empty(m), np.empty(m), np.empty(m, dtype=np.bool_)
    t = np.empty((MAX_LOCAL, MAX_LOCAL))
    count = 0
    for _ in range(tries):
        items = groups[count]
        items[:] = -1
        k = _grow(items, sizes[rng.integers(0, len(sizes))], triples, start, member, rng, closes, touches, inside)
        if k < 6:
            continue
        for p in range(k):
            for q in range(k):
                t[p, q] = u[items[p], items[q]] - 0.5
        facets[count] = 0.0
        if target_cut(t, k, facets[count], f, sums) > 1.0:
            count += 1
    return facets[:count], groups[:count]


@njit(cache=True, nogil=True)
def move_facets(u, facets, groups, rng):
    """Exchange an item of each facet at random, then one at a time while it cuts u off deeper; returns the depths."""
    m = len(u)
    depths = np.empty(len(facets))
    inside = np.zeros(m, dtype=np.bool_)
    for g in range(len(facets)):
        a, items = facets[g], groups[g]
        k = 0
        while k < MAX_LOCAL and items[k] >= 0:
            inside[items[k]] = True
            k += 1
        p, item = rng.integers(0, k), rng.integers(0, m)
        if not inside[item]:
            inside[items[p]], inside[item] = False, True
            items[p] = item
        while True:
            gain, where, which = 1e-9, -1, -1
            for p in range(k):
                here = 0.0
                for q in range(k):
                    here += a[p, q] * (u[items[p], items[q]] - 0.5)
                for i in range(m):
                    if not inside[i]:
                        there = 0.0
                        for q in range(k):
                            there += a[p, q] * (u[items[q], i] - 0.5)
                        if -there - here > gain:
                            gain, where, which = -there - here, p, i
            if where < 0:
                break
            inside[items[where]], inside[which] = False, True
            items[where] = which
        depths[g] = -1.0
        for p in range(k):
            inside[items[p]] = False
            for q in range(p + 1, k):
                depths[g] += a[p, q] * (u[items[p], items[q]] - 0.5)
    return depths


class LocalCuts:
    """The facets found so far, and the search for more that a fractional order violates."""

    def __init__(self, m: int):
        self.rng = np.random.default_rng(0)
        self.facets, self.groups = np.zeros((0, MAX_LOCAL, MAX_LOCAL)), np.zeros((0, MAX_LOCAL), dtype=np.int64)
        self.sizes = np.arange(6, min(m, MAX_LOCAL) + 1)

    def add(self, rows: Rows, u: Float, searches: int, moves: int) -> int:
        """Add to `rows` facets that u (m, m) violates: new ones from `searches` groups of items, and moved ones."""
        triples = tight_triples(u, 0.01)
        if not len(triples) or not len(self.sizes):
            return 0
        items = triples.ravel()
        start = np.concatenate([[0], np.cumsum(np.bincount(items, minlength=len(u)))])
        member = np.argsort(items, kind="stable") // 3
        facets, groups = find_facets(u, triples, start, member, searches, self.sizes, self.rng)
        count = self.keep(rows, facets, groups)
        if len(self.facets):
            pick = self.rng.integers(0, len(self.facets), moves)
            facets, groups = self.facets[pick], self.groups[pick]
            deep = move_facets(u, facets, groups, self.rng) > VIOLATED
            count += self.keep(rows, facets[deep], groups[deep])
        return count

    def keep(self, rows: Rows, facets: Float, groups: Int) -> int:
        fresh = rows.add(*as_rows(rows, facets, groups))
        self.facets = np.concatenate([self.facets, facets[fresh]])[-LIBRARY:]
        self.groups = np.concatenate([self.groups, groups[fresh]])[-LIBRARY:]
        return len(fresh)


def as_rows(rows: Rows, facets: Float, groups: Int) -> tuple[Int, Float, Int, Float, Float]:
    """Facets sum_{p<q} a_pq (u_pq - 1/2) <= 1 on groups of items as the rows that `Rows.add` takes."""
    p, q = np.triu_indices(MAX_LOCAL, 1)
    first, second = groups[:, p], groups[:, q]
    a = np.where(np.abs(facets[:, p, q]) < 1e-10, 0.0, facets[:, p, q])
    # u_ji = 1 - u_ij, so that u_ji - 1/2 = -(u_ij - 1/2)
    a = np.where(first > second, -a, a)
    index = rows.pair[np.minimum(first, second), np.maximum(first, second)]
    entries_first = np.argsort(a == 0.0, axis=1, kind="stable")
    index, a = np.take_along_axis(index, entries_first, axis=1), np.take_along_axis(a, entries_first, axis=1)
    return index, a, (a != 0.0).sum(axis=1), np.full(len(a), -np.inf), 1.0 + ROUNDING + 0.5 * a.sum(axis=1)
