"""Partial tags and Hamming balls from exact tags."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_random_state

from ._checks import Seed, lost


def hamming_ball(Y: ArrayLike, c: float, *, random_state: Seed = None) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Replace tags by Hamming balls that contain them.

    The ball is B(center, r) = {y : Hamming(center, y) <= r}. The radius is r = floor(c (m + 1) U) with U uniform on
    [0, 1). To get the center, r coordinates of y are drawn with replacement, and each drawn coordinate is flipped once.

    Parameters
    ----------
    Y : (n, m) in {-1, 1}
    c : float >= 0
        At 1 the radius is uniform on 0 … m. The paper's figure goes up to 10, where most balls contain all outputs.
    random_state : int, RandomState or None

    Returns
    -------
    centers : (n, m) in {-1, 1}
    radii : (n,) integers

    References
    ----------
    App. B.3.3, Fig. mulan.

    Examples
    --------
    >>> centers, radii = hamming_ball([[1, 1, -1], [-1, 1, 1]], 0.5, random_state=0)
    >>> centers
    array([[ 1, -1, -1],
           [-1, -1,  1]])
    >>> radii
    array([1, 1])
    """
    y = _tags(Y)
    if not c >= 0:
        raise ValueError(f"the corruption level c must be at least 0, got {c}")
    n, m = y.shape
    rng = check_random_state(random_state)
    radii = np.floor(c * (m + 1) * rng.uniform(size=n)).astype(np.int64)
    flipped = np.zeros(y.shape, dtype=bool)
    rows = np.repeat(np.arange(n), radii)
    flipped[rows, rng.randint(m, size=len(rows))] = True
    return np.where(flipped, -y, y), radii


def lose_tags(
    Y: ArrayLike, share: float, *, positive_only: bool = False, random_state: Seed = None
) -> NDArray[np.int64]:
    """Set each tag to unknown, 0, with probability `share`.

    Parameters
    ----------
    Y : (n, m) in {-1, 1}
    share : float in [0, 1]
    positive_only : bool, default=False
        Annotators who mention only relevant tags: every -1 becomes unknown as well.
    random_state : int, RandomState or None

    Returns
    -------
    tags : (n, m) in {-1, 0, 1}

    References
    ----------
    App. B.3, S = {y : y_i = 1 on P, y_i = -1 on N}, and "Tackling positive bias" for N empty.

    Examples
    --------
    >>> lose_tags([[1, 1, -1], [-1, 1, 1]], 0.5, random_state=0)
    array([[ 1,  1, -1],
           [-1,  0,  1]])
    >>> lose_tags([[1, 1, -1], [-1, 1, 1]], 0.5, positive_only=True, random_state=0)
    array([[1, 1, 0],
           [0, 0, 1]])
    """
    tags = _tags(Y)
    unknown = lost(tags.shape, share, random_state) | (positive_only & (tags < 0))
    return np.where(unknown, 0, tags)


def _tags(Y: ArrayLike) -> NDArray[np.int64]:
    tags = check_array(Y)
    rows = np.flatnonzero((np.abs(tags) != 1).any(axis=1))
    if rows.size:
        row = rows[0]
        raise ValueError(f"row {row}: tags must be -1 or 1, got {tags[row].tolist()}; for 0/1 tags give 2 * Y - 1")
    return tags.astype(np.int64)
