"""Soft disambiguation: weights on the candidates, moved towards what the other rows predict."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..weights.left_out import HeldOut, LeftOut

MASS = 0.25  # shared by all options before predictions are read as probabilities, however many there are


class Settled(NamedTuple):
    """Where the weights came to rest."""

    q: NDArray
    """(..., n, g, c): weights on the candidates."""
    rounds: int
    settled: bool
    """False where `max_iter` rounds were not enough."""


def uniform(mask: NDArray) -> NDArray:
    """The same weight on every candidate; 0 where there is none."""
    return mask / np.maximum(mask.sum(axis=-1, keepdims=True), 1)


def soft(
    left_out: LeftOut,
    mask: NDArray,
    ramp: float = 20,
    cap: float = 2.0,
    max_iter: int = 50,
    tol: float = 2e-3,
    sample_weight: NDArray | None = None,
) -> Settled:
    """q_i(y) proportional to max(F_i(y), 0)^p on S_i, where F_i is predicted from the weights of the *other* rows.

    Leaving row i out of its own update is what stops the loop from confirming its first guess. The exponent
    p = min(cap, 1 + t / ramp) grows with the rounds t: q stays undecided while little is known, and sharpens later.

    Parameters
    ----------
    left_out : callable
        q -> F, linear, of the shape of q with its last two axes flattened: (..., n, g c).
    mask : (..., n, g, c) boolean
        The candidates. Where a row has none, q stays 0 (rows that are held out).
    ramp, cap : float
        How fast, and up to where, the exponent grows.
    sample_weight : (n,), optional
        How much rows count.
    max_iter, tol
        Rounds at most; the loop ends when, at p = cap, the rows move by less than tol on average.

    Examples
    --------
    Two candidates, of which the neighbours favour the first:

    >>> mask = np.array([[[True, True]], [[True, False]]])
    >>> found = soft(lambda q: np.array([[.6, .4], [.5, .5]]), mask)
    >>> found.q[:, 0].round(2)
    array([[0.69, 0.31],
           [1.  , 0.  ]])
    """
    shape = mask.shape
    flat = (*shape[:-2], shape[-2] * shape[-1])
    q = uniform(mask)
    for t in range(max_iter):
        p = min(cap, 1 + t / ramp)
        F = left_out(q.reshape(flat)).reshape(shape)
        new = sharpened(F, mask, q, p)
        steps = np.abs(new - q).sum(axis=(-2, -1))
        moved = np.average(steps, axis=-1, weights=sample_weight).max() / shape[-2]
        q = new
        if p == cap and moved < tol:
            return Settled(q, t + 1, True)
    return Settled(q, max_iter, False)


def sharpened(F: NDArray, mask: NDArray, q: NDArray, p: float) -> NDArray:
    """max(F, 0)^p on the candidates, summing to one; q where all of it is 0."""
    new = np.where(mask, np.maximum(F, 0), 0)
    # powers of numbers up to 1: a row of tiny scores is not lost to underflow
    new /= np.maximum(new.max(axis=-1, keepdims=True), 1e-300)
    new **= p
    total = new.sum(axis=-1, keepdims=True)
    return np.where(total > 0, new / np.where(total > 0, total, 1), q)


def held_out(operator: HeldOut, mask: NDArray, ramp: float = 5, cap: float = 2.0, max_iter: int = 8) -> NDArray:
    """P_i(y) of every option, for every row by a disambiguation that never saw the sets of its block: (n, g, c).

    A shorter schedule than that of `soft`: it ranks settings as well, at half the cost.
    """
    return probabilities(held_out_sums(operator, mask, ramp, cap, max_iter))


def held_out_sums(operator: HeldOut, mask: NDArray, ramp: float = 5, cap: float = 2.0, max_iter: int = 8) -> NDArray:
    """F_i(y), what `held_out` reads as probabilities: (n, g, c)."""
    n, g, c = mask.shape
    live = operator.live(mask)
    q = soft(operator, live, ramp, cap, max_iter, tol=0.0).q
    return operator.own(operator(q.reshape(len(live), n, g * c))).reshape(n, g, c)


def probabilities(F: NDArray) -> NDArray:
    """(max(F, 0) + eps) / sum: predictions of a linear operator, read as probabilities.

    eps is the same mass in all, 0.25, whatever the number of options: what is certain stays above 0.8.
    """
    P = np.maximum(F, 0) + MASS / F.shape[-1]
    return P / P.sum(axis=-1, keepdims=True)


def support(P: NDArray, mask: NDArray) -> NDArray:
    """P_i(S_i), (n,): the probability of the candidates; of the least supported choice where there are several."""
    return (P * mask).sum(axis=-1).min(axis=-1)
