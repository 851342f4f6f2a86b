"""min over the orders z of m items of sum_i infimum_i inf_{y in S_i} l(z, y) + supremum_i sup_{y in S_i} l(z, y)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from .search import solve
from .state import new_state
from .terms import MAX_ITEMS, split

ROUNDS = 20
LOOKS = 16  # ends of orders that a round may look at
TOGETHER = 256  # queries that share minorants
EPS = float(np.finfo(float).eps)


def minimise_orders(
    before: NDArray,
    infimum: NDArray,
    supremum: NDArray,
    *,
    nodes: int = 10**6,
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Return the best order found for each row of weights, its objective, and a lower bound for all orders.

    l(z, y) is twice the number of discordant pairs. Weights may have any sign, so both rules for negative
    weights are supported, and the supremum as well. Queries that are near each other share work.

    Parameters
    ----------
    before : boolean (k, m, m)
        Closed relations, True at (i, j) where i comes before j; S_i is the set of their linear extensions.
    infimum, supremum : (q, k)
        Weights on the loss to the nearest and to the farthest linear extension of each relation.
    nodes : int, default 10**6
        Ends of orders that a proof looks at before it gives up, for one query.

    Returns
    -------
    z : (q, m), best first
    value, bound : (q,)
        bound <= the minimum <= value, up to the rounding of `value` itself; see `certain`.

    Examples
    --------
    >>> before = np.zeros((2, 3, 3), dtype=bool)
    >>> before[0, 0, 1] = before[1, 2, 0] = True
    >>> z, value, bound = minimise_orders(before, np.array([[1.0, 1.0], [1.0, -1.0]]), np.zeros((2, 2)))
    >>> z, value
    (array([[2, 0, 1],
           [0, 1, 2]]), array([ 0., -4.]))
    """
    before = np.asarray(before, dtype=bool)
    infimum, supremum = np.asarray(infimum, dtype=float), np.asarray(supremum, dtype=float)
    _check(before, infimum, supremum)
    q, m = len(infimum), before.shape[-1]
    z = np.tile(np.arange(m), (q, 1))
    values, bounds = np.zeros(q), np.zeros(q)
    relations, objectives = split(before, infimum, supremum)
    if len(relations.hard) and m > 1 and q:
        tol = _rounding(m, len(relations.hard))
        # the terms that no linear cost stands for, heaviest first
        size = np.where(relations.hard, np.abs(objectives.v), 0.0)
        heavy, counts = np.argsort(-size, axis=1, kind="stable"), np.count_nonzero(size, axis=1)

        for batch in gen_batches(q, TOGETHER):
            rows = batch.start + near_each_other(objectives.v[batch])
            terms, found = (objectives.v[rows], heavy[rows], counts[rows]), (z[rows], values[rows], bounds[rows])
            solve(relations, *terms, tol, ROUNDS, LOOKS, nodes, new_state(relations), *found)
            z[rows], values[rows], bounds[rows] = found
        bounds -= 3 * tol * objectives.v.any(axis=1)
    values, bounds = (objectives.constant + np.ldexp(x, objectives.exponent + 1) for x in (values, bounds))
    return z, values, bounds


def near_each_other(v: NDArray) -> NDArray[np.int64]:
    """Return the queries (q, terms) in an order in which each is followed by the nearest one that is left."""
    order, far = np.zeros(len(v), dtype=np.int64), np.zeros(len(v))
    for k in range(1, len(v)):
        far[order[k - 1]] = np.inf
        order[k] = np.argmin(far + np.square(v - v[order[k - 1]]).sum(axis=1))
    return order


def certain(value: NDArray, bound: NDArray, infimum: NDArray, supremum: NDArray, m: int) -> NDArray[np.bool_]:
    """Return which minima are proved, (q,): those whose gap is below the rounding error of sums of so many weights."""
    size = np.abs(infimum).sum(axis=1) + np.abs(supremum).sum(axis=1)
    return np.asarray(value - bound <= 2 * size * 8 * _rounding(m, 2 * infimum.shape[1]))


def _rounding(m: int, terms: int) -> float:
    """Return a bound on the rounding error of a sum of minorants over the pairs, if the |v_t| sum to at most 1.

    The means of the majorants have been moved once a round, by every query that came before.
    """
    pairs = m * (m - 1) // 2
    return 2 * EPS * pairs * (pairs + terms + ROUNDS * TOGETHER)


def _check(before: NDArray, infimum: NDArray, supremum: NDArray) -> None:
    k, m = before.shape[0], before.shape[-1]
    for name, weights in (("infimum", infimum), ("supremum", supremum)):
        if weights.ndim != 2 or weights.shape[1] != k:
            raise ValueError(f"{name} must have a column for each of the {k} relations. Got shape {weights.shape}.")
        if not np.isfinite(weights).all():
            row, column = np.argwhere(~np.isfinite(weights))[0]
            raise ValueError(f"{name} must be finite. Got {weights[row, column]} at row {row}, relation {column}.")
    if len(infimum) != len(supremum):
        raise ValueError(
            f"infimum and supremum must have the same number of rows. Got {len(infimum)} and {len(supremum)}."
        )
    if m > MAX_ITEMS:
        raise ValueError(
            f"The search holds 2^m sums and is for at most {MAX_ITEMS} items. Got m = {m}. Use alternation."
        )
