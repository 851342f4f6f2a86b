"""Hard disambiguation: one point a set, for every output structure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs.base import OutputSpace, Sets


class Found(NamedTuple):
    """One member of every set."""

    phi: NDArray
    """(n, d): phi(y_i), y_i in S_i."""
    objective: list[float]
    """J after every half round; it never goes up."""
    settled: bool


def hard(
    output: OutputSpace,
    sets: Sets,
    alpha: NDArray,
    start: NDArray,
    max_iter: int = 100,
    sample_weight: NDArray | None = None,
) -> Found:
    """Alternate z and y on J(z, y) = sum_ij w_i alpha_ij l(z_i, y_j), over z_i in Y and y_j in S_j, until all rests.

    l is bilinear, so that both halves of a round are exact minimisations, row by row and whatever the signs of alpha:

    * z_i <- argmin over Y of <psi(z), sum_j alpha_ij phi(y_j)>,
    * y_j <- argmin over S_j of <sum_i w_i alpha_ij psi(z_i), phi(y)>.

    J never goes up (where `decode` only finds good z, a row keeps its old one unless the new one is better), and the
    loop ends where it no longer goes down (Cabannes, Bach and Rudi, "Disambiguation of weak supervision with
    exponential convergence rates", ICML 2021).

    Parameters
    ----------
    output : OutputSpace
        Y with its loss.
    sets : Sets
        S_1, …, S_n.
    max_iter : int, default 100
        Rounds at most.
    alpha : (n, n)
        Row i holds the weights at x_i.
    start : (n, d)
        Where the first z are decoded from: phi of points, or means of them.
    sample_weight : (n,), optional
        w: 2 is a row given twice. A row of weight 0 moves no other, and has the point that suits its own z.
    """
    w = np.ones((len(sets), 1)) if sample_weight is None else np.asarray(sample_weight, dtype=float)[:, None]
    c = alpha @ start
    z = output.decode(c)
    psi = output.psi(z)
    phi = sets.argmin(_gradient(alpha, psi, w))
    objective = [float(np.sum(w * psi * (alpha @ phi)))]
    for _ in range(max_iter):
        c = alpha @ phi
        psi = _better(output, psi, c)
        objective.append(float(np.sum(w * psi * c)))
        gradient = _gradient(alpha, psi, w)
        new = sets.argmin(gradient)
        keep = np.sum(gradient * new, axis=1) >= np.sum(gradient * phi, axis=1)  # of equals, the one that is there
        phi = np.where(keep[:, None], phi, new)
        objective.append(float(np.sum((w > 0) * gradient * phi)))
        if objective[-1] >= objective[-3] - 1e-9 * (abs(objective[-3]) + 1e-300):
            return Found(phi, objective, True)
    return Found(phi, objective, False)


def best_of(
    output: OutputSpace,
    sets: Sets,
    alpha: NDArray,
    starts: list[NDArray],
    max_iter: int = 100,
    sample_weight: NDArray | None = None,
) -> Found:
    """The lowest J over several starts; the first one on a tie."""
    found = [hard(output, sets, alpha, start, max_iter, sample_weight) for start in starts]
    return min(found, key=lambda one: one.objective[-1])


def _gradient(alpha: NDArray, psi: NDArray, w: NDArray) -> NDArray:
    """sum_i w_i alpha_ij psi(z_i) for every j, (n, d); where row j has no weight, psi(z_j)."""
    return np.where(w > 0, alpha.T @ (w * psi), psi)


def _better(output: OutputSpace, psi: NDArray, c: NDArray) -> NDArray:
    """psi(z_i) of the decoded z where it is better than the old one."""
    new = output.psi(output.decode(c))
    worse = np.sum(new * c, axis=1) >= np.sum(psi * c, axis=1)
    return np.where(worse[:, None], psi, new)
