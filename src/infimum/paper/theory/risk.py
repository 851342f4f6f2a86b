"""Risks and set losses on a finite Y, for the three principles."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import numbers, weak


def set_loss(cost: ArrayLike, sets: ArrayLike, principle: str = "infimum") -> NDArray[Any]:
    """Return L(z, S), the minimum, mean or maximum of l(z, y) over y in S, for every z and S.

    Parameters
    ----------
    cost : (m, m) array
        The loss l(z, y), prediction in rows.
    sets : (k, m) booleans
        The sets S, one per row.
    principle : {"infimum", "average", "supremum"}, default "infimum"
        Which of the three.

    Returns
    -------
    (m, k) array

    References
    ----------
    Thm. 1, Eq. (infimum-loss), and Sec. 4.

    Examples
    --------
    >>> from infimum.paper.theory import set_loss
    >>> set_loss([[0, 1, 1], [1, 0, 2], [1, 2, 0]], [[True, False, True]])
    array([[0.],
           [1.],
           [0.]])
    """
    members, loss = weak(sets, cost)
    # (m, 1, m) against (k, m): elements outside S get a value that never decides alone
    if principle == "infimum":
        return np.where(members, loss[:, None, :], loss.max()).min(axis=2)
    if principle == "supremum":
        return np.where(members, loss[:, None, :], loss.min()).max(axis=2)
    if principle == "average":
        return loss @ _uniform(members, loss.dtype).T
    raise ValueError(f"principle must be 'infimum', 'average' or 'supremum'. Got {principle!r}.")


_OPPOSITE = {"infimum": "supremum", "supremum": "infimum", "average": "average"}


def set_risk(
    cost: ArrayLike, sets: ArrayLike, p: ArrayLike, principle: str = "infimum", *, negative_weights: str = "inside"
) -> NDArray[Any]:
    """Return the set risk of every output.

    R_S(z) = sum_S tau(S) L(z, S).

    Parameters
    ----------
    cost : (m, m) array
        The loss l(z, y), prediction in rows.
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,) array
        Probabilities or signed weights.
    principle : {"infimum", "average", "supremum"}, default "infimum"
        How a set is turned into a loss.
    negative_weights : {"inside", "joint"}, default "inside"
        The loss for negative weights. "inside" is the formula above. "joint" is the minimum (maximum for
        the supremum) over all choices of y_S in S of sum_S tau(S) l(z, y_S): a negative weight then takes the supremum
        (infimum) over its set.

    Returns
    -------
    (m,) array

    References
    ----------
    Eq. (set-risk); the pointwise example is that of Sec. 4.1, where R_sp(c) = 13/8, not 3/2 as printed.

    Examples
    --------
    >>> from infimum.paper.theory import pointwise_example, set_risk
    >>> cost, sets, p, y = pointwise_example()
    >>> print(*set_risk(cost, sets, p), sep="  ")
    1/4  3/8  0
    >>> print(*set_risk(cost, sets, p, "supremum"), sep="  ")
    1  2  13/8
    """
    members, loss, weights = weak(sets, cost, p)
    if negative_weights == "inside":
        return set_loss(loss, members, principle) @ weights
    if negative_weights == "joint":
        negative = weights < 0
        plus = set_loss(loss, members, principle) @ np.where(negative, 0 * weights, weights)
        return plus + set_loss(loss, members, _OPPOSITE[principle]) @ np.where(negative, weights, 0 * weights)
    raise ValueError(f"negative_weights must be 'inside' or 'joint'. Got {negative_weights!r}.")


def average_distribution(sets: ArrayLike, p: ArrayLike) -> NDArray[Any]:
    """Return the distribution whose plain risk is the average set risk.

    rho_ac(y) = sum_S tau(S) 1[y in S] / |S|.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Sec. 4, average loss.

    Examples
    --------
    >>> from infimum.paper.theory import average_distribution, pointwise_example
    >>> example = pointwise_example()
    >>> print(*average_distribution(example.sets, example.p))
    13/48 13/48 11/24
    """
    members, weights = weak(sets, p)
    return weights @ _uniform(members, weights.dtype)


def _uniform(members: NDArray[np.bool_], dtype: np.dtype) -> NDArray[Any]:
    """Return 1[y in S] / |S|, (k, m)."""
    (inside,) = numbers(members.astype(dtype))
    return inside / inside.sum(axis=1, keepdims=True)
