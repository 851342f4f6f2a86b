"""Ambiguity estimated from data."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import issparse


class Ambiguity(NamedTuple):
    """Estimates at each query: P(z in S | x), (q, m), and the strictness eta of non-ambiguity, (q,)."""

    membership: NDArray[np.float64]
    eta: NDArray[np.float64]


def ambiguity(candidates: ArrayLike, weights: Any = None) -> Ambiguity:
    """How often each label is a candidate around x, and how far the second most frequent is from certain.

        P(z in S | x) ~ sum_i alpha_i(x) 1[z in S_i] / sum_i alpha_i(x),    eta(x) ~ 1 - second largest of these.

    eta near 0 warns that two labels stay candidates almost everywhere around x: no such data can tell them apart. With
    signed weights the estimates are clipped to [0, 1].

    Parameters
    ----------
    candidates : (n, m) booleans
    weights : (q, n) array or sparse matrix, optional
        alpha(x) at q queries, for example scikit-learn's ``kneighbors_graph``; by default one query with equal weights.

    Returns
    -------
    Ambiguity

    References
    ----------
    Def. 2 (strict non-ambiguity), with tau|x replaced by its estimate of Sec. 3.

    Examples
    --------
    >>> from infimum.diagnostics import ambiguity
    >>> candidates = [[True, True, False], [True, False, False], [True, True, False], [False, True, True]]
    >>> ambiguity(candidates, [[1, 1, 0, 0], [0, 0, 1, 1]])
    Ambiguity(membership=array([[1. , 0.5, 0. ],
           [0.5, 1. , 0.5]]), eta=array([0.5, 0.5]))
    """
    members = np.asarray(candidates)
    if members.ndim != 2 or members.dtype != bool or members.shape[1] < 2:
        raise ValueError(f"candidates must be (n, m) booleans with m >= 2, got {members.shape} of {members.dtype}")
    if weights is None:
        weights = np.ones((1, len(members)))
    alpha = weights if issparse(weights) else np.asarray(weights, dtype=np.float64)
    total = np.asarray(alpha.sum(axis=1)).reshape(-1, 1)
    bad = np.flatnonzero(~(total > 0))
    if bad.size:
        raise ValueError(f"query {bad[0]}: the weights must have a positive sum, got {total[bad[0], 0]}")
    membership = np.clip(alpha @ members.astype(np.float64) / total, 0, 1)
    second = np.sort(membership, axis=1)[:, -2]
    return Ambiguity(membership, 1 - second)
