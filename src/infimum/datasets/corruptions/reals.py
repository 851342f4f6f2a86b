"""Intervals and unions from exact numbers."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from ._checks import Seed, lost, vector


def lose_sign(
    y: ArrayLike, share: float = 0.7, *, offset: float = 1.0, scale: float = 1 / 3, random_state: Seed = None
) -> NDArray[np.float64]:
    """A sensor that gives an interval and often forgets the sign: [c - r, c + r], or its union with [-c - r, -c + r].

    The half-width is r = offset + scale · E with E exponential, the center c = y + r U with U uniform on [-1, 1], and
    the sign is lost with probability `share`.

    Parameters
    ----------
    y : (n,) array
    share : float in [0, 1], default=0.7
    offset, scale : float >= 0, default 1 and 1/3
        Both 0 leaves the points y, or {y, -y}.
    random_state : int, RandomState or None

    Returns
    -------
    pieces : (n, 2, 2) array
        Row i is the union of the intervals ``pieces[i, k]`` = (lower, upper); where the sign is known the second is
        NaN. The two pieces may overlap around 0.

    Notes
    -----
    The paper does not print the law of the intervals; offset, scale and the order of the draws are those of the
    authors' public code (github.com/VivienCabannes/partial_labelling, dataloader/synthetic/interval_regression.py).

    References
    ----------
    Sec. 5.3, Fig. interval-regression, with y = 3 + sin 10x.

    Examples
    --------
    >>> lose_sign([3.0, 2.0], offset=0.0, scale=0.0, random_state=1)
    array([[[ 3.,  3.],
            [-3., -3.]],
    <BLANKLINE>
           [[ 2.,  2.],
            [-2., -2.]]])
    >>> lose_sign([3.0], share=0.0, random_state=0).round(2)
    array([[[2.32, 4.72],
            [ nan,  nan]]])
    """
    given = vector(y).astype(np.float64)
    if not (offset >= 0 and scale >= 0):
        raise ValueError(f"offset and scale must be at least 0, got {offset} and {scale}")
    rng = check_random_state(random_state)
    r = offset - scale * np.log(rng.uniform(size=len(given)))
    center = given + r * (2 * rng.uniform(size=len(given)) - 1)
    piece = np.column_stack([center - r, center + r])
    mirrored = np.where(lost((len(given), 1), share, rng), -piece[:, ::-1], np.nan)
    return np.stack([piece, mirrored], axis=1)
