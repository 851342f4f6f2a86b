"""How the weak problem bounds the fully supervised one: non-ambiguity, discrepancy, comparison constants."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import check_square, numbers, weak
from .risk import set_risk


class Calibration(NamedTuple):
    """Constants of the comparison inequality.

    R(z; rho*) - R(f*; rho*) <= C (R_S(z) - R_S(f*)) for every z.

    Attributes
    ----------
    y : int
        The only element of S_x, the prediction f*(x).
    eta : number
        Strict non-ambiguity, see `eta`.
    ratio, nu : number, float
        Discrepancy of the loss, e^nu and nu, see `discrepancy`.
    constant : number
        C = e^nu / eta, for this eta and any tau.
    refined : number
        C = max_z l(z, y) / R_S(z) over the z with l(z, y) > 0, the best constant for this tau.
    """

    y: int
    eta: Any
    ratio: Any
    nu: float
    constant: Any
    refined: Any


def intersection(sets: ArrayLike, p: ArrayLike) -> NDArray[np.bool_]:
    """Return the intersection S_x of all sets that have positive probability, (m,) booleans.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Def. 2 (non-ambiguity).

    Examples
    --------
    >>> from infimum.paper.theory import intersection
    >>> intersection([[True, True, False], [False, True, True]], [0.5, 0.5])
    array([False,  True, False])
    """
    members, weights = weak(sets, p)
    return members[weights != 0].all(axis=0)


def eta(sets: ArrayLike, p: ArrayLike) -> Any:
    """Return the strictness of non-ambiguity.

    It is the largest eta with P(z in S) <= 1 - eta for every z outside S_x.

    It is 0 if S_x is not a singleton.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Def. 2 (strict non-ambiguity).

    Examples
    --------
    >>> from infimum.paper.theory import eta, pointwise_example
    >>> example = pointwise_example()
    >>> print(eta(example.sets, example.p))
    1/4
    """
    members, weights = weak(sets, p)
    certain = intersection(members, weights)
    if certain.sum() != 1:
        return 0 * weights.sum()
    present = weights @ members.astype(weights.dtype)
    return 1 - max(present[~certain], default=0)


def discrepancy(cost: ArrayLike) -> Any:
    """Return the discrepancy of a loss, e^nu.

    It is the maximum over z, y and z' != z of l(z, y) / l(z, z'), infinite if some l(z, z') is 0, and 1 for the 0-1
    loss. The paper's nu is its logarithm.

    Parameters
    ----------
    cost : (m, m)
        The loss l(z, y), prediction in rows.

    References
    ----------
    Def. 3 (discrepancy of the loss).

    Examples
    --------
    >>> from infimum.paper.theory import discrepancy
    >>> float(discrepancy([[0, 1, 1], [1, 0, 2], [1, 2, 0]]))
    2.0
    """
    (loss,) = numbers(cost)
    check_square(loss)
    nearest = np.array([np.delete(row, z).min() for z, row in enumerate(loss)], dtype=loss.dtype)
    return _largest_ratio(loss.max(axis=1), nearest)


def calibration(cost: ArrayLike, sets: ArrayLike, p: ArrayLike) -> Calibration:
    """Return the constants of the comparison inequality for a non-ambiguous tau.

    Parameters
    ----------
    cost : (m, m) array
        The loss l(z, y), prediction in rows; zero on the diagonal and only there, or constants may be infinite.
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    Returns
    -------
    Calibration

    References
    ----------
    Prop. 2 (comparison inequality) and Prop. 3 (bound refinement), Fig. simplex-calibration; R_S(b) = R(b)/4 in its
    caption should be 3/16 · R(b).

    Examples
    --------
    >>> from infimum.paper.theory import calibration, pointwise_example
    >>> constants = calibration(*pointwise_example()[:3])
    >>> print(constants.eta, constants.ratio, constants.constant, constants.refined)
    1/4 2 8 16/3
    """
    members, loss, weights = weak(sets, cost, p)
    check_square(loss)
    certain = np.flatnonzero(intersection(members, weights))
    if len(certain) != 1:
        raise ValueError(f"calibration requires exactly one y that is in all sets. Got {certain.tolist()}.")
    y = int(certain[0])
    strict, ratio = eta(members, weights), discrepancy(loss)
    wrong = loss[:, y] > 0
    refined = _largest_ratio(loss[wrong, y], set_risk(loss, members, weights)[wrong])
    return Calibration(y, strict, ratio, math.log(ratio), ratio / strict, refined)


def _largest_ratio(above: NDArray, below: NDArray) -> Any:
    return math.inf if (below == 0).any() else (above / below).max()
