"""Kendall codes of orders.

The column of the pair i < j is 1 if item i comes before item j, -1 if after, and 0 if that is unknown. There are
P = m(m-1)/2 columns, in the order of ``np.triu_indices(m, 1)``.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.memory import require
from .forms import items_in_codes


class Comparisons(NamedTuple):
    """The comparisons of m items in n rows, one entry per comparison."""

    n: int
    m: int
    row: NDArray
    """(e,): the row of each comparison."""
    better: NDArray
    """(e,): the item that comes first."""
    worse: NDArray
    """(e,): the item that comes after it."""
    weight: NDArray
    """(e,): how much the comparison counts; the weights of a chain of k items sum to (k - 1) / 2."""


@cache
def pairs(m: int) -> tuple[NDArray, NDArray]:
    """Return the items i < j of every column of codes."""
    require(9.0 * m * m, f"the list of pairs of {m} items", "Pass fewer items.")
    i, j = np.triu_indices(m, 1)
    return i, j


def codes_of(orders: Any) -> NDArray:
    """Return the codes of full orders: (..., m) items best first -> (..., m(m-1)/2) in {-1, 1}.

    >>> codes_of([2, 0, 1])
    array([ 1, -1, -1], dtype=int8)
    """
    position = np.argsort(orders, axis=-1).astype(np.int16)
    i, j = pairs(position.shape[-1])
    return (position[..., i] < position[..., j]).view(np.int8) * np.int8(2) - np.int8(1)


def table_places(codes: NDArray) -> NDArray:
    """Return the places, in the tables of all orders, of the orders with these codes."""
    from .tables import rank_orders

    return rank_orders(orders_of(-codes))


def orders_of(codes: NDArray) -> NDArray:
    """Return the orders of full codes, (n, P) -> (n, m)."""
    before = costs_of(codes) > 0
    return np.argsort(before.sum(axis=-2), axis=-1, kind="stable")


def costs_of(c: NDArray) -> NDArray:
    """Return <c, code(y)> as a cost of orders: (..., P) -> (..., m, m), c_ij at (i, j) and -c_ij at (j, i)."""
    m = items_in_codes(c.shape[-1]) or 1
    i, j = pairs(m)
    cost = np.zeros((*c.shape[:-1], m, m))
    cost[..., i, j], cost[..., j, i] = c, -c
    return cost


def codes_of_scores(u: NDArray) -> NDArray:
    """Return P(i before j) - P(j before i) for P(i before j) = sigma(u_i - u_j): (..., m) scores -> (..., P)."""
    i, j = pairs(u.shape[-1])
    return np.tanh((u[..., i] - u[..., j]) / 2)


def codes_of_pairs(before: NDArray) -> NDArray:
    """Return the codes of relations, (n, m, m) -> (n, P)."""
    i, j = pairs(before.shape[-1])
    return before[:, i, j].astype(np.int8) - before[:, j, i].astype(np.int8)


def known_codes(n: int, m: int, row: NDArray, better: NDArray, worse: NDArray) -> sparse.csr_matrix:
    """Return the codes of comparisons, (n, m(m-1)/2)."""
    require(20.0 * len(row), f"{len(row)} comparisons of {m} items", "Give fewer rows or items.")
    i, j = np.minimum(better, worse), np.maximum(better, worse)
    column = i * (2 * m - i - 1) // 2 + j - i - 1
    sign = np.where(better < worse, 1, -1).astype(np.int8)
    return sparse.csr_matrix((sign, (row, column)), (n, m * (m - 1) // 2), dtype=np.int8)


def mean_codes(c: NDArray, m: int) -> NDArray:
    """Return the sums over j of c_ij, (n, P) -> (n, m): how often item i comes before others rather than after."""
    i, j = pairs(m)
    columns = np.arange(len(i))
    signs = sparse.csr_matrix((np.repeat([1.0, -1.0], len(i)), (np.tile(columns, 2), np.r_[i, j])), (len(i), m))
    return np.asarray((signs.T @ np.asarray(c, dtype=float).T).T)
