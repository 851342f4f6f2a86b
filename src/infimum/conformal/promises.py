"""Radii for other promises about labels than the plain one: under a bound on ambiguity, and for every class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .base import rank_of


def between(table: NDArray, mask: NDArray, level: float, ambiguity: float) -> tuple[float, int]:
    """A radius and a largest size for which P(Y in C) >= level, where P(z in S | x, Y) <= ambiguity for z != Y.

    If C misses Y, the candidates hide that with probability at most ambiguity |C|, so that

        P(Y not in C) <= E[1[C and S are disjoint] / (1 - ambiguity |C|)].

    Sets are kept to the K best classes, the most for which 1 - ambiguity K >= 1/4. The right side is then estimated on
    calibration rows, made to fall in the radius, and brought below 1 - level as in conformal risk control
    (Angelopoulos, Bates, Fisch, Lei and Schuster, 2024). Where even K classes do not suffice the radius is infinite.
    """
    m = table.shape[1]
    most = m if ambiguity * m <= 0.75 else int(0.75 / ambiguity + 1e-9)
    scores = np.where(capped(table, most), table, np.inf)
    first = np.where(mask, scores, np.inf).min(axis=1)
    before = (scores < first[:, None]).sum(axis=1)  # the largest size at which C and S are still disjoint
    weight = 1 / (1 - ambiguity * np.minimum(before, most))
    allowed = (1 - level) * (len(table) + 1) - 1 / (1 - ambiguity * most)
    order = np.argsort(first)
    left = np.concatenate([np.cumsum(weight[order][::-1])[::-1], [0.0]])  # what is lost below the k-th
    if allowed < 0:
        return np.inf, most
    k = int(np.argmax(left <= allowed + 1e-9))
    return (float(first[order][k - 1]) if k else -np.inf), most


def capped(table: NDArray, most: int) -> NDArray:
    """The `most` smallest scores of every row, (n, m) boolean; of equals, the first."""
    rank = np.argsort(np.argsort(table, axis=1, kind="stable"), axis=1, kind="stable")
    return rank < most


def by_class(table: NDArray, mask: NDArray, level: float) -> NDArray:
    """A radius for every class such that P(Y in C | Y = y) >= level, from sets: (n, m) scores and candidates -> (m,).

    Of the N_y rows of class y, conformal prediction may leave e(N_y) = N_y - ceil((N_y + 1) level) outside. N_y is not
    known, but at least n_y, the number of rows that are exactly {y}, and e grows with it; all rows of class y are among
    those that have y as a candidate. So the radius that leaves e(n_y) of the candidates outside is large enough.
    """
    exact = mask & (mask.sum(axis=1, keepdims=True) == 1)
    radius = np.full(mask.shape[1], np.inf)
    for y, n_y in enumerate(exact.sum(axis=0)):
        outside = n_y - np.ceil((n_y + 1) * level - 1e-9)
        if outside >= 0:
            scores = table[mask[:, y], y]
            radius[y] = rank_of(scores, len(scores) - outside)
    return radius
