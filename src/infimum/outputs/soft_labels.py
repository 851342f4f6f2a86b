"""Soft labels: probabilities of the candidates of each row."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def soft_update(
    F: NDArray, candidates: NDArray, power: float = 1.0, previous: NDArray | None = None, floor: float = 0.0
) -> NDArray:
    """Update soft labels: probabilities proportional to a power of the prediction, on the candidates.

    q(y) is proportional to max(F(y), 0)^power for candidates y, and 0 elsewhere.

    Parameters
    ----------
    F : (..., c) array
        Predicted scores of the options. They may be negative.
    candidates : (..., c) array
        The options that are possible, as booleans or as likelihoods, which multiply the probabilities.
    power : float, default 1
        Values above 1 sharpen the probabilities.
    previous : (..., c) array, optional
        Used for rows in which no candidate has a positive score. Uniform on the candidates by default.
    floor : float, default 0
        If positive, scores are first normalised over all options, and each option gets floor / c in addition.

    Returns
    -------
    (..., c) array
        Probabilities that sum to one, or zeros in rows without candidates.

    Examples
    --------
    >>> soft_update(np.array([.6, .2, .2]), np.array([True, True, False]), power=2.0)
    array([0.9, 0.1, 0. ])
    """
    weight = np.maximum(F, 0.0) if floor else np.where(candidates, np.maximum(F, 0.0), 0.0)
    soft = candidates.dtype != bool
    # the largest score becomes 1, so that powers of tiny scores do not underflow
    weight /= np.maximum(weight.max(axis=-1, keepdims=True), 1e-300)
    weight **= power
    if floor:
        weight /= np.maximum(weight.sum(axis=-1, keepdims=True), 1e-300)
        weight = np.where(candidates, weight + floor / F.shape[-1], 0.0)
    weight = weight * candidates if soft else weight
    total = weight.sum(axis=-1, keepdims=True)
    previous = uniform(candidates) if previous is None else previous
    return np.where(total > 0, weight / np.where(total > 0, total, 1), previous)


def uniform(candidates: NDArray) -> NDArray:
    """Return equal probabilities of all candidates, (..., c); zeros in rows without candidates."""
    return candidates / np.maximum(candidates.sum(axis=-1, keepdims=True), 1)
