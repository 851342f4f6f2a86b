"""Intervals and unions from exact numbers."""

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Bunch, check_random_state, column_or_1d

from ._checks import Seed, lost


def lose_sign(
    y: ArrayLike, share: float = 0.7, *, offset: float = 0.5, scale: float = 1 / 3, random_state: Seed = None
) -> NDArray[np.float64]:
    """Replace numbers by intervals whose sign is often unknown.

    The set is [c - r, c + r], or with probability `share` its union with [-c - r, -c + r]. The half-width is
    r = offset + scale · E with E exponential, and the center is c = y + r U with U uniform on [-1, 1].

    Parameters
    ----------
    y : (n,) array
    share : float in [0, 1], default=0.7
    offset, scale : float >= 0, default 1/2 and 1/3
        If both are 0, the sets are y or {y, -y}.
    random_state : int, RandomState or None

    Returns
    -------
    pieces : (n, 2, 2) array
        Row i is the union of the intervals ``pieces[i, k]`` = (lower, upper); if the sign is known the second is
        NaN. The two pieces may overlap around 0.

    Notes
    -----
    The paper does not contain the distribution of the intervals; offset and scale are those of the authors' public code
    (github.com/VivienCabannes/partial_labelling, first version of notebooks/partial_regression.ipynb).

    References
    ----------
    Sec. 5.3, Fig. interval-regression.

    Examples
    --------
    >>> lose_sign([3.0, 2.0], offset=0.0, scale=0.0, random_state=0)
    array([[[ 3.,  3.],
            [-3., -3.]],
    <BLANKLINE>
           [[ 2.,  2.],
            [nan, nan]]])
    >>> lose_sign([3.0], share=0.0, random_state=0).round(2)
    array([[[2.51, 3.74],
            [ nan,  nan]]])
    """
    given, rng = column_or_1d(y).astype(np.float64), check_random_state(random_state)
    unknown = lost(given.shape, share, rng)
    return _union(_interval(given, offset, scale, rng), unknown)


def make_lost_sign(n_samples: int = 100, *, random_state: Seed = None) -> Bunch:
    """Make the regression problem of the paper.

    y = 3 + sin 10x for x uniform on [0, 1], corrupted by `lose_sign`.

    With ``random_state=0`` these are the 100 rows of the authors' public code, draw for draw.

    Parameters
    ----------
    n_samples : int, default=100
    random_state : int, RandomState or None

    Returns
    -------
    Bunch
        `data` (n, 1), `target` (n,), the exact values, and `pieces` (n, 2, 2).

    References
    ----------
    Sec. 5.3, Fig. interval-regression.

    Examples
    --------
    >>> problem = make_lost_sign(random_state=0)
    >>> problem.pieces[:2].round(2)
    array([[[ 1.18,  2.79],
            [-2.79, -1.18]],
    <BLANKLINE>
           [[ 3.11,  4.15],
            [-4.15, -3.11]]])
    """
    rng = check_random_state(random_state)
    x = rng.uniform(size=n_samples)
    y = 3 + np.sin(10 * x)
    unknown = lost(y.shape, 0.7, rng)
    # The authors draw the intervals twice and keep the second draw.
    rng.uniform(size=2 * n_samples)
    return Bunch(data=x[:, None], target=y, pieces=_union(_interval(y, 0.5, 1 / 3, rng), unknown))


def _interval(y: NDArray, offset: float, scale: float, rng: RandomState) -> NDArray[np.float64]:
    """Return the bounds of [c - r, c + r], (n, 2), which contains y."""
    if not (offset >= 0 and scale >= 0):
        raise ValueError(f"offset and scale must be at least 0, got {offset} and {scale}")
    r = offset - scale * np.log(rng.uniform(size=len(y)))
    center = y + r * (2 * rng.uniform(size=len(y)) - 1)
    return np.column_stack([center - r, center + r])


def _union(piece: NDArray, unknown: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the interval and, if the sign is unknown, its mirror image."""
    return np.stack([piece, np.where(unknown[:, None], -piece[:, ::-1], np.nan)], axis=1)
