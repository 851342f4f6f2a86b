"""Linear extensions of partial orders: how many there are, and how often i comes before j in a uniform one."""

from __future__ import annotations

from dataclasses import dataclass

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
        Their number; None where they were sampled.
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
        return self.count is not None


def linear_extensions(
    precedes: ArrayLike, n_samples: int | None = None, random_state: int | np.random.Generator | None = None
) -> LinearExtensions:
    """Count the linear extensions of partial orders, by dynamic programming over their ideals, or sample them.

    Parameters
    ----------
    precedes : boolean array of shape (..., m, m)
        True at (i, j) when i must come before j; closed transitively here. Equal orders are solved once.
    n_samples : int, optional
        Sample that many instead of counting. By default orders of at most 20 items are counted, and 1000 extensions
        of each larger one are sampled.
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
    if n_samples is None and m <= MAX_EXACT:
        count, probability = _counted(distinct)
        return LinearExtensions(count[inverse], probability[inverse], np.zeros(before.shape))
    n = 1000 if n_samples is None else n_samples
    rng = np.random.default_rng(random_state)
    estimates = [_share(sample_linear_extensions(order, n, rng)) for order in distinct]
    probability = np.array(estimates).reshape(distinct.shape)
    # pairs seen n times in n still carry an error: Laplace's (k + 1) / (n + 2) in sqrt(p (1 - p) / n)
    smooth = (n * probability + 1) / (n + 2)
    free = ~(distinct | distinct.swapaxes(-1, -2) | np.eye(m, dtype=bool))
    error = np.where(free, np.sqrt(smooth * (1 - smooth) / n), 0.0)
    return LinearExtensions(None, probability[inverse], error[inverse])


def _counted(before: Bool) -> tuple[Int, Float]:
    from infimum.feedback_arc.extension_kernels import count_extensions
    from infimum.feedback_arc.subset_dp import bitmasks

    counts, pairs = np.ones(len(before), dtype=np.int64), np.zeros(before.shape, dtype=np.int64)
    count_extensions(bitmasks(before), counts, pairs)
    return counts, pairs / counts[:, None, None]


def _share(orders: Int) -> Float:
    """The share of `orders` (n, m) with i before j."""
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
        raise ValueError(f"precedes must be one partial order of shape (m, m), got {before.shape}. Sample row by row.")
    m = len(before)
    order = sort_by(np.zeros(m), before)
    samples = np.tile(order, (n_samples, 1))
    if m > 1:
        steps = int(np.ceil(4 / np.pi**2 * m**3 * np.log(m)))
        seed = np.random.default_rng(random_state).integers(1, 2**63)
        walk_extensions(order, before, steps, seed, samples)
    return samples
