"""Scores of orders, against full or partial truth.

They take y in any form that the ranker takes, so that they serve in ``sklearn.metrics.make_scorer``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .outputs import PartialOrders, Rankings

__all__ = ["kendall_tau", "wrong_pairs"]


def wrong_pairs(y: Any, z: Any, *, items: Any = None, sample_weight: Any = None) -> float:
    """The mean share of the pairs known in y that the orders z have wrong; rows that know no pair are left out.

    Parameters
    ----------
    y : rows of partial or full orders
        In any form that :class:`~infimum.PartialRanker` reads.
    z : (n, m) array
        Orders, best first, as `predict` gives them.
    items : list, optional
        The items in the order of the columns of y, where y is an array of ranks or codes; sorted by default.
    sample_weight : (n,) array, optional

    Examples
    --------
    >>> wrong_pairs(["a>b>c", "c>b", None], [["a", "c", "b"], ["b", "a", "c"], ["a", "b", "c"]])
    0.666...
    """
    sets, orders = _read(y, z, items)
    known = (sets.codes != 0).any(axis=1)
    if not known.any():
        raise ValueError("No row of y knows any pair of items: there is nothing to score.")
    weights = None if sample_weight is None else np.asarray(sample_weight, dtype=float)[known]
    return float(np.average(1 - sets.agreement(orders)[known], weights=weights))


def kendall_tau(y: Any, z: Any, *, items: Any = None, sample_weight: Any = None) -> float:
    """Kendall's tau, (right - wrong) / known pairs, averaged over the rows that know a pair; in [-1, 1].

    Parameters are those of :func:`wrong_pairs`.

    >>> kendall_tau(["a>b>c"], [["a", "c", "b"]])
    0.333...
    """
    return 1 - 2 * wrong_pairs(y, z, items=items, sample_weight=sample_weight)


def _read(y: Any, z: Any, items: Any) -> tuple[PartialOrders, NDArray]:
    """y as sets, and z as orders of 0 … m-1."""
    z = np.asarray(z)
    if z.ndim != 2 or not len(z):
        raise ValueError(f"z must hold orders of m items, shape (n, m). Got shape {z.shape}.")
    names = sorted(z[0].tolist()) if items is None else list(items)
    where = {item: k for k, item in enumerate(names)}
    for row, order in enumerate(z.tolist()):
        if len(order) != len(where) or set(order) != set(where):
            raise ValueError(f"Row {row} of z must hold every item once: {names[:10]}. Got {order[:10]}.")
    sets = Rankings(names).fit(y).as_sets(y)
    if len(sets) != len(z):
        raise ValueError(f"y has {len(sets)} rows and z has {len(z)}: they must have the same number.")
    return sets, np.array([[where[item] for item in order] for order in z.tolist()])
