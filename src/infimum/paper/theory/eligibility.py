"""The distributions rho that are compatible with a weak distribution tau: R_tau = {rho : rho |- tau}.

rho is eligible when mass can be moved from the sets to their elements, rho = sum_S tau(S) mu_S with mu_S a distribution
on S. R_tau is therefore a Minkowski sum of dilated simplices, sum_S tau(S) Delta(S), also for a signed tau. Over a
simplex, a linear function is minimal at the element with the smallest coefficient. Both functions below use this.
"""

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import check_size, weak


def is_eligible(rho: ArrayLike, sets: ArrayLike, p: ArrayLike) -> bool:
    """Return whether the distribution rho is eligible for tau.

    By Hall's condition, rho(A) <= tau(S meets A) for every A, with equality at A = Y. For signed tau the right-hand
    side is max over R_tau of rho(A): tau(S meets A) over the positive sets plus tau(S inside A) over the negative ones.

    Parameters
    ----------
    rho : (m,) array
        A distribution on Y.
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    Returns
    -------
    bool
        Exact for fractions, up to 1e-9 for floats. All 2^m events are checked: m is at most 16.

    References
    ----------
    Def. 1 (eligibility).

    Examples
    --------
    >>> from infimum.paper.theory import is_eligible
    >>> sets = [[True, True, False], [False, False, True]]
    >>> is_eligible([0.2, 0.3, 0.5], sets, [0.5, 0.5]), is_eligible([0.2, 0.2, 0.6], sets, [0.5, 0.5])
    (True, False)
    """
    members, rho, weights = weak(sets, rho, p)
    m = members.shape[1]
    check_size(m, 16, "is_eligible checks all 2^m events")
    events = (np.arange(2**m)[:, None] >> np.arange(m)) % 2 == 1
    count = events.astype(np.int64) @ members.T
    # One in F(A) for the positive sets that meet A and for the negative ones inside A.
    counted = np.where(weights < 0, count == members.sum(axis=1), count > 0).astype(weights.dtype)
    slack = counted @ weights - events.astype(rho.dtype) @ rho
    tolerance = 0 if slack.dtype == object else 1e-9
    return bool((slack >= -tolerance).all() and abs(slack[-1]) <= tolerance)


def eligible_region(sets: ArrayLike, p: ArrayLike) -> NDArray[Any]:
    """Return all vertices of R_tau, (v, m), in lexicographic order.

    Each order of Y gives one: every set gives its mass to its first element in that order (to its last, if tau is
    negative). There are at most m! of them; m is at most 8.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Sec. 4.1, Fig. inconsistency, where the vertices (3/4, 1/8, 1/8) and (1/8, 3/4, 1/8) are missing from the drawing.

    Examples
    --------
    >>> from infimum.paper.theory import eligible_region, pointwise_example
    >>> example = pointwise_example()
    >>> for vertex in eligible_region(example.sets, example.p):
    ...     print(*vertex, sep="  ")
    0  0  1
    0  3/4  1/4
    1/8  3/4  1/8
    3/4  0  1/4
    3/4  1/8  1/8
    """
    members, weights = weak(sets, p)
    members, weights = members[weights != 0], weights[weights != 0]
    m = members.shape[1]
    check_size(m, 8, "eligible_region goes through all m! orders")
    # A vertex of a Minkowski sum is a sum of vertices in one way only: distinct choices are distinct vertices.
    choices = np.unique([receivers(members, weights, np.array(order)) for order in permutations(range(m))], axis=0)
    vertices = np.array([masses(choice, weights, m) for choice in choices], dtype=weights.dtype)
    return np.array(sorted(vertices.tolist()), dtype=weights.dtype)


def receivers(members: NDArray[np.bool_], weights: NDArray, place: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the element that receives the mass of each set, (k,), when y has the place ``place[y]`` in the order."""
    first = np.where(members, place, len(place)).argmin(axis=1)
    last = np.where(members, place, -1).argmax(axis=1)
    return np.where(weights < 0, last, first)


def masses(choice: NDArray[np.int64], weights: NDArray, m: int) -> NDArray[Any]:
    """Return rho(y), the sum of tau(S) over the sets that give their mass to y."""
    return weights @ (choice[:, None] == np.arange(m)).astype(weights.dtype)
