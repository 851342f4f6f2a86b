"""How much the weak problem says about the full one: non-ambiguity, discrepancy and the comparison constants."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._checks import numbers, weak
from .risk import set_risk


class Calibration(NamedTuple):
    """Constants C with R(z; rho*) - R(f*; rho*) <= C (R_S(z) - R_S(f*)) for every z.

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
    """S_x, the intersection of the sets of the support of tau, (m,) booleans.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one a row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Def. 2 (non-ambiguity).

    Examples
    --------
    >>> from infimum.diagnostics import intersection
    >>> intersection([[True, True, False], [False, True, True]], [0.5, 0.5])
    array([False,  True, False])
    """
    members, weights = weak(sets, p)
    return members[weights != 0].all(axis=0)


def is_non_ambiguous(sets: ArrayLike, p: ArrayLike) -> bool:
    """Whether S_x is a singleton.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one a row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Def. 2.

    Examples
    --------
    >>> from infimum.diagnostics import is_non_ambiguous
    >>> is_non_ambiguous([[True, True, False], [False, True, True]], [0.5, 0.5])
    True
    """
    return bool(intersection(sets, p).sum() == 1)


def eta(sets: ArrayLike, p: ArrayLike) -> Any:
    """The largest eta with P(z in S) <= 1 - eta for every z outside S_x; 0 where S_x is not a singleton.

    Parameters
    ----------
    sets : (k, m) booleans
        The sets S, one a row.
    p : (k,)
        Their probabilities, fractions or numbers.

    References
    ----------
    Def. 2 (strict non-ambiguity).

    Examples
    --------
    >>> from infimum.diagnostics import eta, pointwise_example
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
    """e^nu = max over z, y and z' != z of l(z, y) / l(z, z'); infinite where some l(z, z') is 0.

    It is 1 for the 0-1 loss. The paper's nu is its logarithm.

    Parameters
    ----------
    cost : (m, m)
        The loss l(z, y), prediction in rows.

    References
    ----------
    Def. 3 (discrepancy of the loss).

    Examples
    --------
    >>> from infimum.diagnostics import discrepancy
    >>> float(discrepancy([[0, 1, 1], [1, 0, 2], [1, 2, 0]]))
    2.0
    """
    (loss,) = numbers(cost)
    _check_square(loss)
    nearest = np.array([np.delete(row, z).min() for z, row in enumerate(loss)], dtype=loss.dtype)
    return _largest_ratio(loss.max(axis=1), nearest)


def calibration(cost: ArrayLike, sets: ArrayLike, p: ArrayLike) -> Calibration:
    """The constants of the comparison inequality for a non-ambiguous tau.

    Parameters
    ----------
    cost : (m, m) array
        Proper: zero on the diagonal and only there. Otherwise the constants may be infinite.
    sets : (k, m) booleans
    p : (k,) array
        Probabilities.

    Returns
    -------
    Calibration

    References
    ----------
    Prop. 2 (comparison inequality) and Prop. 3 (bound refinement), Fig. simplex-calibration; R_S(b) = R(b)/4 in its
    caption should be 3/16 · R(b).

    Examples
    --------
    >>> from infimum.diagnostics import calibration, pointwise_example
    >>> constants = calibration(*pointwise_example()[:3])
    >>> print(constants.eta, constants.ratio, constants.constant, constants.refined)
    1/4 2 8 16/3
    """
    members, loss, weights = weak(sets, cost, p)
    _check_square(loss)
    certain = np.flatnonzero(intersection(members, weights))
    if len(certain) != 1:
        raise ValueError(f"calibration needs a non-ambiguous tau, one y in all sets; here S_x = {certain.tolist()}")
    y = int(certain[0])
    strict, ratio = eta(members, weights), discrepancy(loss)
    wrong = loss[:, y] > 0
    refined = _largest_ratio(loss[wrong, y], set_risk(loss, members, weights)[wrong])
    return Calibration(y, strict, ratio, math.log(ratio), ratio / strict, refined)


def _largest_ratio(above: NDArray, below: NDArray) -> Any:
    return math.inf if (below == 0).any() else (above / below).max()


def _check_square(loss: NDArray) -> None:
    if loss.ndim != 2 or loss.shape[0] != loss.shape[1] or len(loss) < 2:
        raise ValueError(f"cost must be an (m, m) array with m >= 2, got shape {loss.shape}")
