"""The minimum variability principle and its decision regions."""

from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .checks import check_size, fractions, numbers, weak
from .eligibility import masses, receivers
from .risk import set_risk


class LeastVariability(NamedTuple):
    """The eligible distribution rho of minimum variability, its prediction z and its variability."""

    rho: NDArray[Any]
    z: int
    variability: Any


def least_variability(cost: ArrayLike, sets: ArrayLike, p: ArrayLike) -> LeastVariability:
    """Return the eligible distribution of minimum variability.

    It minimises E(rho) = min_z R(z; rho) over rho |- tau.

    By Thm. 1, min_rho E(rho) = min_z min_rho R(z; rho) = min_z R_S(z): take the best z of the infimum risk and let
    each set give its mass to its element closest to z. Ties go to the lowest index. For signed tau, R_S is the set risk
    with ``negative_weights="joint"``.

    Parameters
    ----------
    cost : (m, m) array
        The loss l(z, y), prediction in rows.
    sets : (k, m) booleans
        The sets S, one per row.
    p : (k,)
        Their probabilities, fractions or numbers.

    Returns
    -------
    LeastVariability
        `rho` (m,), the prediction `z` and `variability` = E(rho*).

    References
    ----------
    Eq. (infimum-disambiguation), Thm. 1; App. A.6 for the signed case.

    Examples
    --------
    >>> from infimum.paper.theory import least_variability, signed_example
    >>> rho, z, variability = least_variability(*signed_example()[:3])
    >>> print(*rho, "| z =", z, "| E =", variability)
    1/2 -1/4 3/4 | z = 2 | E = 0
    """
    members, loss, weights = weak(sets, cost, p)
    risks = set_risk(loss, members, weights, negative_weights="joint")
    z = int(risks.argmin())
    place = np.argsort(np.argsort(loss[z], kind="stable"))
    return LeastVariability(masses(receivers(members, weights, place), weights, members.shape[1]), z, risks[z])


def decision_regions(cost: ArrayLike) -> list[NDArray[Any]]:
    """Return the decision regions of all outputs by their vertices.

    R_z = {rho in the simplex : z in argmin R(., rho)}.

    There is one (v, m) array per z, in lexicographic order.
    A vertex solves m - 1 of the constraints rho(y) >= 0 and R(z'; rho) >= R(z; rho) as equalities and satisfies the
    rest; all choices are tried, in exact arithmetic: m is at most 6.

    Parameters
    ----------
    cost : (m, m)
        The loss l(z, y), prediction in rows.

    References
    ----------
    Sec. 4.1, Fig. inconsistency.

    Examples
    --------
    >>> from infimum.paper.theory import decision_regions
    >>> decision_regions([[0, 1, 1], [1, 0, 2], [1, 2, 0]])[0]
    array([[0. , 0.5, 0.5],
           [0.5, 0. , 0.5],
           [0.5, 0.5, 0. ],
           [1. , 0. , 0. ]])
    """
    (given,) = numbers(cost)
    loss = fractions(given)
    m = loss.shape[1]
    check_size(m, 6, "decision_regions tries all choices of m - 1 constraints")
    regions = []
    for z in range(len(loss)):
        constraints = np.vstack([fractions(np.eye(m, dtype=int)), np.delete(loss, z, axis=0) - loss[z]])
        vertices = set()
        for chosen in combinations(range(len(constraints)), m - 1):
            rho = _solve_on_simplex(constraints[list(chosen)])
            if rho is not None and (constraints @ rho >= 0).all():
                vertices.add(tuple(rho))
        regions.append(np.array(sorted(vertices), dtype=given.dtype).reshape(-1, m))
    return regions


def _solve_on_simplex(rows: NDArray[np.object_]) -> NDArray[np.object_] | None:
    """Return the rho with rows @ rho = 0 and sum(rho) = 1, by elimination on fractions; None if it is not unique."""
    m = rows.shape[1]
    system = fractions(np.vstack([np.ones(m + 1, dtype=int), np.column_stack([rows, np.zeros(m - 1, dtype=int)])]))
    for i in range(m):
        pivots = i + np.flatnonzero(system[i:, i])
        if not pivots.size:
            return None
        system[[i, pivots[0]]] = system[[pivots[0], i]]
        system[i] /= system[i, i]
        others = np.arange(m) != i
        system[others] -= system[others, i : i + 1] * system[i]
    return system[:, -1]
