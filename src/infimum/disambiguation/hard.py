"""Hard disambiguation: select one member per set by alternating minimisation, for every output type."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs.base import OutputSpace, Sets


class HardResult(NamedTuple):
    """The result of hard disambiguation: one member of each set."""

    phi: NDArray
    """(n, d): the embeddings phi(y_i) of the members y_i of S_i."""
    objective: list[float]
    """J after each minimisation. It never increases."""
    converged: bool
    """Whether J no longer decreased when the loop ended."""


def hard(
    output: OutputSpace,
    sets: Sets,
    alpha: NDArray,
    start: NDArray,
    max_iter: int = 100,
    sample_weight: NDArray | None = None,
) -> HardResult:
    """Select one member per set by alternating minimisation.

    The objective is J(z, y) = sum_ij w_i alpha_ij l(z_i, y_j), over outputs z_i in Y and members y_j of S_j. The loss
    is bilinear, so both minimisations are exact and separate into rows, whatever the signs of alpha:

    * z_i <- argmin over Y of <psi(z), sum_j alpha_ij phi(y_j)>,
    * y_j <- argmin over S_j of <sum_i w_i alpha_ij psi(z_i), phi(y)>.

    J never increases, and the loop ends when it no longer decreases. If `decode` is a heuristic, a row keeps its old z
    unless the new one is better.

    Parameters
    ----------
    output : OutputSpace
        Y with its loss.
    sets : Sets
        S_1, …, S_n.
    alpha : (n, n) array
        The weights; row i holds those at x_i.
    start : (n, d) array
        Embeddings that the first z are decoded from: phi of points, or means of phi.
    max_iter : int, default 100
        The largest number of rounds.
    sample_weight : (n,) array, optional
        Sample weights w: weight 2 is a row given twice. A row of weight 0 does not influence the others, and gets the
        member that is best for its own z.

    Returns
    -------
    HardResult
        The members, the objective, and whether the loop converged.

    References
    ----------
    Cabannes, Bach and Rudi (2021), Disambiguation of weak supervision with exponential convergence rates.
    """
    w = np.ones((len(sets), 1)) if sample_weight is None else np.asarray(sample_weight, dtype=float)[:, None]
    c = alpha @ start
    z = output.decode(c)
    psi = output.psi(z)
    phi = sets.assign(_gradient(alpha, psi, w))
    objective = [float(np.sum(w * psi * (alpha @ phi)))]
    for _ in range(max_iter):
        c = alpha @ phi
        psi = _better(output, psi, c)
        objective.append(float(np.sum(w * psi * c)))
        gradient = _gradient(alpha, psi, w)
        new = sets.assign(gradient)
        keep = np.sum(gradient * new, axis=1) >= np.sum(gradient * phi, axis=1)  # the current one on a tie
        if sets.group_constraints is not None:  # rows depend on each other
            keep[:] = np.sum(gradient * new) >= np.sum(gradient * phi)
        phi = np.where(keep[:, None], phi, new)
        objective.append(float(np.sum((w > 0) * gradient * phi)))
        if objective[-1] >= objective[-3] - 1e-9 * (abs(objective[-3]) + 1e-300):
            return HardResult(phi, objective, True)
    return HardResult(phi, objective, False)


def best_of_starts(
    output: OutputSpace,
    sets: Sets,
    alpha: NDArray,
    starts: list[NDArray],
    max_iter: int = 100,
    sample_weight: NDArray | None = None,
) -> HardResult:
    """Run `hard` from several starts and return the result with the lowest J; the first one on a tie."""
    found = [hard(output, sets, alpha, start, max_iter, sample_weight) for start in starts]
    return min(found, key=lambda one: one.objective[-1])


def _gradient(alpha: NDArray, psi: NDArray, w: NDArray) -> NDArray:
    """Return sum_i w_i alpha_ij psi(z_i) for each j, (n, d); psi(z_j) if row j has weight 0."""
    return np.where(w > 0, alpha.T @ (w * psi), psi)


def _better(output: OutputSpace, psi: NDArray, c: NDArray) -> NDArray:
    """Return psi of the decoded z for rows in which it is better than the old one, and the old psi elsewhere."""
    new = output.psi(output.decode(c))
    worse = np.sum(new * c, axis=1) >= np.sum(psi * c, axis=1)
    return np.where(worse[:, None], psi, new)
