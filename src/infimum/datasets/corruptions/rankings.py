"""Partial orders from scores or ranks."""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array

from ._checks import Seed, level, lost


def lose_pairs(scores: ArrayLike, c: float) -> NDArray[np.int8]:
    """Remove the comparisons of items whose scores differ most.

    These are the pairs with d_ij > 1 - c, where d_ij = |v_i - v_j| / max_kl |v_k - v_l|.

    Parameters
    ----------
    scores : (n, m) array
        Larger is preferred; give minus the ranks for ranks.
    c : float in [0, 1]
        0 removes nothing, 1 everything.

    Returns
    -------
    codes : (n, m(m-1)/2) in {-1, 0, 1}
        One column per pair i < j in the order of ``np.triu_indices(m, 1)``: 1 when i comes before j, -1 when after,
        0 when lost or tied.

    Notes
    -----
    The paper prints d_ij > c; its figure needs d_ij > 1 - c, since nothing is known at c = 1.

    References
    ----------
    App. B.2.3, Fig. rk:corruption.

    Examples
    --------
    >>> lose_pairs([[3.0, 2.0, 0.0]], 0.0)
    array([[1, 1, 1]], dtype=int8)
    >>> lose_pairs([[3.0, 2.0, 0.0]], 0.5)
    array([[1, 0, 0]], dtype=int8)
    """
    difference = _pairwise(scores)
    # max_kl |v_k - v_l|; if all scores are equal, all codes are 0
    spread = np.abs(difference).max(axis=1, keepdims=True, initial=0.0)
    distance = np.divide(np.abs(difference), spread, out=np.zeros_like(difference), where=spread > 0)
    return np.where(distance > 1 - level(c), 0, np.sign(difference)).astype(np.int8)


def lose_pairs_at_random(scores: ArrayLike, share: float = 0.5, *, random_state: Seed = None) -> NDArray[np.int8]:
    """Remove each comparison with probability `share`, independently of the scores.

    Parameters
    ----------
    scores : (n, m) array
        Larger is preferred.
    share : float in [0, 1], default=0.5
    random_state : int, RandomState or None

    Returns
    -------
    codes : (n, m(m-1)/2) in {-1, 0, 1}
        As in `lose_pairs`.

    References
    ----------
    App. B.2.3, Fig. ranking_reconstruction.

    Examples
    --------
    >>> lose_pairs_at_random([[3.0, 2.0, 0.0], [0.0, 1.0, 2.0]], random_state=0)
    array([[ 1,  1,  1],
           [-1,  0, -1]], dtype=int8)
    """
    codes = np.sign(_pairwise(scores)).astype(np.int8)
    return np.where(lost(codes.shape, share, random_state), np.int8(0), codes)


def lose_labels(ranks: ArrayLike, share: float, *, random_state: Seed = None) -> NDArray[np.float64]:
    """Remove each item from the ranking with probability `share`; its rank becomes NaN.

    Parameters
    ----------
    ranks : (n, m) array
    share : float in [0, 1]
    random_state : int, RandomState or None

    Returns
    -------
    ranks : (n, m) floats with NaN

    References
    ----------
    Cheng, Hühn and Hüllermeier (2009), the "missing at random" protocol of label ranking.

    Examples
    --------
    >>> lose_labels([[1, 2, 3], [3, 1, 2]], 0.5, random_state=0)
    array([[ 1.,  2.,  3.],
           [ 3., nan,  2.]])
    """
    given = check_array(ranks, dtype=np.float64, ensure_all_finite="allow-nan")
    return np.where(lost(given.shape, share, random_state), np.nan, given)


def _pairwise(scores: ArrayLike) -> NDArray[np.float64]:
    """Return v_i - v_j for the pairs i < j."""
    v = check_array(scores, dtype=np.float64, ensure_min_features=2)
    i, j = np.triu_indices(v.shape[1], 1)
    return v[:, i] - v[:, j]
