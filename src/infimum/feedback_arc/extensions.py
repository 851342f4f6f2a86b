"""Linear extensions of partial orders: how many there are, and how often i comes before j in a uniform one."""

from __future__ import annotations

from dataclasses import dataclass
from math import factorial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from infimum.feedback_arc.relations import Bool, Float, Int, as_partial_orders, sort_by

MAX_EXACT = 20  # 20! is the last factorial below 2^63


@dataclass(frozen=True)
class LinearExtensions:
    """The linear extensions of partial orders of leading shape (...).

    Attributes
    ----------
    count : integer array of shape (...), or None
        Their number; None for more than 20 items, and if extensions were sampled.
    probability : array of shape (..., m, m)
        The share of them that puts i before j; 0 on the diagonal.
    standard_error : array of shape (..., m, m)
        Of `probability`: 0 where it was counted.
    """

    count: NDArray[np.int64] | None
    probability: Float
    standard_error: Float

    @property
    def exact(self) -> bool:
        return not self.standard_error.any()


def linear_extensions(
    precedes: ArrayLike, n_samples: int | None = None, random_state: int | np.random.Generator | None = None
) -> LinearExtensions:
    """Count the linear extensions of partial orders, by dynamic programming over their ideals, or sample them.

    Items that are compared with no other take every place in the order of the others equally often, so the dynamic
    program needs only the compared items.

    Parameters
    ----------
    precedes : boolean array of shape (..., m, m)
        True at (i, j) when i must come before j; closed transitively here. Equal orders are solved once.
    n_samples : int, optional
        Sample that many instead of counting. By default orders that compare at most 20 items are counted, and 1000
        extensions of each of the others are sampled.
    random_state : int, Generator or None
        Of the sampler.

    Examples
    --------
    The three orders of a, b, c with a before b:

    >>> extensions = linear_extensions([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    >>> int(extensions.count)
    3
    >>> extensions.probability.round(3)
    array([[0.   , 1.   , 0.667],
           [0.   , 0.   , 0.333],
           [0.333, 0.667, 0.   ]])
    """
    given = np.asarray(precedes)
    m = given.shape[-1]
    before = as_partial_orders(given, m)
    lead = before.shape[:-2]
    distinct, inverse = np.unique(before.reshape(int(np.prod(lead)), m * m), axis=0, return_inverse=True)
    distinct, inverse = distinct.reshape(len(distinct), m, m), inverse.reshape(lead)
    active = np.asarray(distinct.any(axis=-1) | distinct.any(axis=-2))
    counted = np.flatnonzero(active.sum(axis=-1) <= (MAX_EXACT if n_samples is None else -1))
    count = np.ones(len(distinct), dtype=np.int64)
    probability, error = np.zeros(distinct.shape), np.zeros(distinct.shape)
    for number in np.unique(active[counted].sum(axis=-1)):
        rows = counted[active[counted].sum(axis=-1) == number]
        count[rows], probability[rows] = _counted(distinct[rows], active[rows])
    n = 1000 if n_samples is None else n_samples
    rng = np.random.default_rng(random_state)
    for row in np.setdiff1d(np.arange(len(distinct)), counted):
        probability[row] = _share(sample_linear_extensions(distinct[row], n, rng))
        # pairs seen n times in n still carry an error: Laplace's (k + 1) / (n + 2) in sqrt(p (1 - p) / n)
        smooth = (n * probability[row] + 1) / (n + 2)
        unknown = ~(distinct[row] | distinct[row].T | np.eye(m, dtype=bool))
        error[row] = np.where(unknown, np.sqrt(smooth * (1 - smooth) / n), 0.0)
    all_counted = len(counted) == len(distinct) and m <= MAX_EXACT
    return LinearExtensions(count[inverse] if all_counted else None, probability[inverse], error[inverse])


def _counted(before: Bool, active: Bool) -> tuple[Int, Float]:
    """Count extensions of orders (k, m, m) with the same number a of compared items; (k,) and (k, m, m).

    A free item has a + 1 places among the compared ones, equally often. It comes before the one at place p in p of
    them.
    """
    from infimum.feedback_arc.extension_kernels import count_extensions
    from infimum.feedback_arc.subset_dp import bitmasks

    k, m = active.shape
    a = int(active[0].sum())
    items = np.argsort(~active, axis=1, kind="stable")  # the compared ones first
    rows, inner = np.arange(k)[:, None, None], items[:, :a]
    counts, pairs = np.ones(k, dtype=np.int64), np.zeros((k, a, a), dtype=np.int64)
    if a:
        count_extensions(bitmasks(before[rows, inner[:, :, None], inner[:, None, :]]), counts, pairs)
    share = pairs / counts[:, None, None]
    arranged = np.full((k, m, m), 0.5)
    arranged[:, :a, :a] = share
    arranged[:, a:, :a] = ((1 + share.sum(axis=1)) / (a + 1))[:, None, :]
    arranged[:, :a, a:] = 1 - arranged[:, a:, :a].swapaxes(1, 2)
    arranged[:, np.arange(m), np.arange(m)] = 0.0
    probability = np.empty_like(arranged)
    probability[rows, items[:, :, None], items[:, None, :]] = arranged
    # m! / a! ways to insert the free items; beyond 20 items the number is not returned
    return counts * (factorial(m) // factorial(a) if m <= MAX_EXACT else 1), probability


def _share(orders: Int) -> Float:
    """Return the share of `orders` (n, m) in which i comes before j, (m, m)."""
    position = np.argsort(orders, axis=1)
    m = orders.shape[1]
    return np.array([(position[:, [i]] < position).mean(axis=0) for i in range(m)]).reshape(m, m)


def sample_linear_extensions(
    precedes: ArrayLike, n_samples: int = 1000, random_state: int | np.random.Generator | None = None
) -> Int:
    """Draw linear extensions of one partial order.

    They are (n_samples, m), items best first, nearly uniform and nearly independent.

    The chain of Karzanov and Khachiyan swaps adjacent items; (4 / pi^2) m^3 log m of its steps, the order of its mixing
    time (Wilson, Annals of Applied Probability, 2004), lie before the first sample and between two samples.

    Parameters
    ----------
    precedes : boolean array of shape (m, m)
        True at (i, j) when i must come before j.
    n_samples : int
        How many orders are drawn.
    random_state : int, RandomState or None
        The generator.

    Examples
    --------
    >>> sample_linear_extensions([[0, 1], [0, 0]], n_samples=2)
    array([[0, 1],
           [0, 1]])
    """
    from infimum.feedback_arc.extension_kernels import walk_extensions

    given = np.asarray(precedes)
    before = as_partial_orders(given, given.shape[-1])
    if before.ndim != 2:
        raise ValueError(
            f"precedes must have shape (m, m). Got shape {before.shape}. Pass one partial order at a time."
        )
    m = len(before)
    order = sort_by(np.zeros(m), before)
    samples = np.tile(order, (n_samples, 1))
    if m > 1:
        steps = int(np.ceil(4 / np.pi**2 * m**3 * np.log(m)))
        seed = np.random.default_rng(random_state).integers(1, 2**63)
        walk_extensions(order, before, steps, seed, samples)
    return samples
