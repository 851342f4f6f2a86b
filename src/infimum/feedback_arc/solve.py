"""Minimum feedback arc sets: the cheapest order of m items, under a partial order, one problem or many."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from infimum.feedback_arc.components import components
from infimum.feedback_arc.relations import Bool, Float, Int, as_costs, as_partial_orders, order_value

Method = Literal["auto", "dp", "cutting_planes"]
DP_ITEMS = 16  # a component that the subset DP solves in a few milliseconds
BATCH_ITEMS = 14  # below this the subset DP is faster than looking for components


@dataclass(frozen=True)
class FeedbackArcResult:
    """A cheap order with its certificate; for a batch of problems every attribute but `method` is an array.

    Attributes
    ----------
    order : integer array of shape (..., m)
        The items, best first.
    value : float, or array of shape (...)
        The sum of cost[i, j] over the pairs where i comes before j.
    bound : float, or array of shape (...)
        No order costs less; equal to `value` when proved.
    proved : bool, or array of shape (...)
        Whether the order is optimal.
    method : str
        What solved it; "components" when the majority alone decides every pair.
    """

    order: Int
    value: Any
    bound: Any
    proved: Any
    method: str


def minimum_feedback_arc(
    cost: ArrayLike, precedes: ArrayLike | None = None, method: Method = "auto", time_limit: float | None = None,
    max_steps: int | None = None,
) -> FeedbackArcResult:  # fmt: skip
    """Return the order of minimum cost.

    The cost is the sum of cost[i, j] over the pairs in which i comes before j.

    Every method works on the strongly connected components of the majority relation, which loses nothing.

    Parameters
    ----------
    cost : array of shape (m, m)
        cost[i, j] is paid when i comes before j; the diagonal is ignored.
    precedes : boolean array of shape (m, m), optional
        True at (i, j) when i must come before j; closed transitively here.
    method : {"auto", "dp", "cutting_planes"}
        "dp" is dynamic programming over subsets, exact to about 20 items in a component; "cutting_planes" is exact
        given time; "auto" is "dp" for components of up to 16 items and "cutting_planes" beyond.
    time_limit : float, optional
        Seconds after which cutting planes return the best order so far and its bound.
    max_steps : int, optional
        Steps of the linear programs after which they do the same, with the same result in every run. 0 is scores and
        insertion moves, with the bound of the cheaper directions.

    Examples
    --------
    >>> cost = [[0, 1, 3], [2, 0, 1], [1, 4, 0]]
    >>> result = minimum_feedback_arc(cost)
    >>> result.order, result.value, result.proved
    (array([1, 2, 0]), 4.0, True)
    >>> minimum_feedback_arc(cost, precedes=[[0, 1, 0], [0, 0, 0], [0, 0, 0]]).order
    array([0, 1, 2])
    """
    _check(method, time_limit, max_steps)
    c = as_costs(cost)
    if c.ndim != 2:
        raise ValueError(
            f"cost must have shape (m, m). Got shape {c.shape}. For several problems, use minimum_feedback_arcs."
        )
    before = as_partial_orders(precedes, len(c))
    if before.ndim != 2:
        raise ValueError(
            f"precedes must have shape (m, m). Got {before.shape}. For several problems, use minimum_feedback_arcs."
        )
    deadline = None if time_limit is None else time.perf_counter() + time_limit
    blocks = components(c, before)
    order = np.concatenate([*blocks, np.empty(0, dtype=np.int64)]).astype(np.int64)
    starts = np.cumsum([0] + [len(block) for block in blocks])
    used, loss, proved = {"components"}, 0.0, True
    # small components first: time that runs out is missed on the largest only
    for b in sorted((b for b, block in enumerate(blocks) if len(block) > 1), key=lambda b: len(blocks[b])):
        inside = np.ix_(blocks[b], blocks[b])
        remaining = None if deadline is None else deadline - time.perf_counter()
        part = _solve_component(c[inside], before[inside], method, remaining, max_steps)
        order[starts[b] : starts[b + 1]] = blocks[b][part.order]
        used.add(part.method)
        loss, proved = loss + part.value - part.bound, proved and part.proved
    value = order_value(c, order)
    name = next(name for name in ("cutting_planes", "dp", "components") if name in used)
    return FeedbackArcResult(order, value, value if proved else value - loss, proved, name)


def _solve_component(
    cost: Float, before: Bool, method: Method, time_limit: float | None, max_steps: int | None
) -> FeedbackArcResult:
    if method == "dp" or (method == "auto" and len(cost) <= DP_ITEMS):
        from infimum.feedback_arc.subset_dp import subset_orders

        orders, values = subset_orders(cost[None], before[None], np.zeros(1, dtype=int), np.zeros(1, dtype=int))
        return FeedbackArcResult(orders[0], values[0], values[0], True, "dp")
    from infimum.feedback_arc.cutting_planes import Branching

    search = Branching(cost, before, time_limit, max_steps).run()
    return FeedbackArcResult(search.order, search.value, search.bound, search.proved, "cutting_planes")


def minimum_feedback_arcs(
    costs: ArrayLike, precedes: ArrayLike | None = None, method: Method = "auto", time_limit: float | None = None,
    max_steps: int | None = None,
) -> FeedbackArcResult:  # fmt: skip
    """Solve many problems at once; the leading axes of `costs` and `precedes` broadcast against each other.

    Parameters
    ----------
    costs : array of shape (..., m, m)
        costs[..., i, j] is paid if item i comes before item j.
    precedes : boolean array of shape (..., m, m), optional
        True at (i, j) if item i must come before item j.
    method : {"auto", "dp", "cutting_planes"}
        "dp" is exact for few items, and "cutting_planes" uses linear programs. "auto" is one compiled loop of "dp" up
        to 14 items.
    time_limit : float, optional
        Seconds per problem.
    max_steps : int, optional
        Steps of the linear programs per component. The result is then the same in every run.

    Examples
    --------
    One objective under n partial orders, and q objectives under each of them:

    >>> rng = np.random.default_rng(0)
    >>> orders = np.triu(rng.random((6, 4, 4)) < 0.5, 1)
    >>> minimum_feedback_arcs(rng.normal(size=(4, 4)), orders).order.shape
    (6, 4)
    >>> minimum_feedback_arcs(rng.normal(size=(3, 1, 4, 4)), orders).value.shape
    (3, 6)
    """
    _check(method, time_limit, max_steps)
    c = as_costs(costs)
    m = c.shape[-1]
    before = as_partial_orders(precedes, m)
    shape = np.broadcast_shapes(c.shape[:-2], before.shape[:-2])
    c, which_cost = _rows(c, shape)
    before, which_order = _rows(before, shape)
    if method == "dp" or (method == "auto" and m <= BATCH_ITEMS):
        from infimum.feedback_arc.subset_dp import subset_orders

        orders, value = subset_orders(c, before, which_cost, which_order)
        bound, proved, name = value, np.ones(shape, dtype=bool), "dp"
    else:
        each = zip(which_cost, which_order)
        results = [minimum_feedback_arc(c[k], before[p], method, time_limit, max_steps) for k, p in each]
        orders = np.array([r.order for r in results], dtype=np.int64).reshape(len(results), m)
        value, bound = np.array([r.value for r in results]), np.array([r.bound for r in results])
        proved, name = np.array([r.proved for r in results], dtype=bool), method
    return FeedbackArcResult(
        orders.reshape(*shape, m), value.reshape(shape), bound.reshape(shape), proved.reshape(shape), name
    )


def _rows(stack: np.ndarray, shape: tuple[int, ...]) -> tuple[np.ndarray, Int]:
    """Return the matrices of `stack` along one axis, and for each problem of `shape` the number of its matrix."""
    lead = stack.shape[:-2]
    number = np.arange(int(np.prod(lead))).reshape(lead)
    return stack.reshape(number.size, *stack.shape[-2:]), np.broadcast_to(number, shape).ravel()


def _check(method: str, time_limit: float | None, max_steps: int | None) -> None:
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(map(repr, get_args(Method)))}. Got {method!r} instead.")
    if time_limit is not None and not time_limit >= 0:
        raise ValueError(f"time_limit must be a number of seconds >= 0, or None. Got {time_limit!r} instead.")
    if max_steps is not None and not max_steps >= 0:
        raise ValueError(f"max_steps must be a number >= 0, or None. Got {max_steps!r} instead.")
