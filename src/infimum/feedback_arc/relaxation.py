"""The relaxation of App. C: the linear program over the transitivity polytope, exact where its solution is integral."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from infimum.feedback_arc.relations import Bool, Float, Int, as_costs, as_partial_orders, sort_by

INTEGRAL = 1e-5


@dataclass(frozen=True)
class Relaxation:
    """A solution of the relaxation.

    Attributes
    ----------
    x : ndarray of shape (m, m)
        In [-1, 1], antisymmetric; x[i, j] = 1 puts i before j.
    value : float
        Its cost, sum_{i<j} cost[i, j] (1 + x_ij) / 2 + cost[j, i] (1 - x_ij) / 2: never above that of an order.
    integral : bool
        Whether max(1 - |x|) <= 1e-5, when `order` is an optimal order.
    order : ndarray of shape (m,)
        Items by their row sums of x, within the partial order.
    """

    x: Float
    value: float
    integral: bool
    order: Int


def relaxed(cost: ArrayLike, precedes: ArrayLike | None = None) -> Relaxation:
    """Minimise the cost over the canonical polytope of the paper (App. C).

    The polytope is |x| <= 1, |x_ij + x_jk - x_ik| <= 1.

    Parameters
    ----------
    cost : array of shape (m, m)
        cost[i, j] is paid when i comes before j.
    precedes : boolean array of shape (m, m), optional
        True at (i, j) when i must come before j.

    Examples
    --------
    >>> solution = relaxed([[0, 1, 3], [2, 0, 1], [1, 4, 0]])
    >>> solution.integral, solution.value, solution.order
    (True, 4.0, array([1, 2, 0]))
    """
    from infimum.feedback_arc.three_cycles import ThreeCycleLP

    c = as_costs(cost)
    m = len(c)
    before: Bool = as_partial_orders(precedes, m)
    lp = ThreeCycleLP(c, before)
    while lp.solve() and lp.cut():
        pass
    x = 2.0 * lp.u - 1.0
    np.fill_diagonal(x, 0.0)
    off_diagonal = x[lp.rows, lp.cols]
    value = lp.constant + float(lp.w @ (1.0 + off_diagonal) / 2.0)
    integral = bool((1.0 - np.abs(off_diagonal)).max(initial=0.0) <= INTEGRAL)
    return Relaxation(x, value, integral, sort_by(-x.sum(axis=1), before))
