"""How often options occur together and apart, and confidence intervals for shares."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray


class PairCounts(NamedTuple):
    """Numbers of rows for each choice and each pair of options, (g, c, c)."""

    together: NDArray
    """Rows in which both a and b are possible; on the diagonal, those in which a is."""
    without: NDArray
    """Rows in which a is possible and b is not, at (a, b)."""


def pairs_of(mask: NDArray) -> PairCounts:
    """Count how often two options are possible together, and one without the other.

    >>> mask = np.array([[[True, True, False]], [[True, False, False]]])
    >>> pairs_of(mask).without[0]
    array([[0, 1, 2],
           [0, 0, 1],
           [0, 0, 0]])
    """
    possible = mask.astype(np.float64).transpose(1, 2, 0)  # (g, c, n)
    together = np.rint(possible @ possible.swapaxes(1, 2)).astype(np.int64)
    alone = np.einsum("gcc->gc", together)
    return PairCounts(together, alone[:, :, None] - together)


def at_most(count: Any, n: Any, level: float) -> NDArray:
    """Return the upper end of the one-sided Clopper-Pearson interval for a share, from `count` of n rows.

    >>> float(at_most(0, 29, 0.95).round(3))  # the rule of three
    0.098
    """
    from scipy.stats import beta

    count, n = np.broadcast_arrays(np.asarray(count, dtype=float), np.asarray(n, dtype=float))
    with np.errstate(invalid="ignore"):
        return np.where(count >= n, 1.0, beta.ppf(level, count + 1, np.maximum(n - count, 1e-12)))


def at_least(count: Any, n: Any, level: float) -> NDArray:
    """Return the lower end of the same interval."""
    return 1 - at_most(np.asarray(n, dtype=float) - np.asarray(count, dtype=float), n, level)
