"""Scores of predictions, from candidate sets and without true labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets

Scores = dict[str, float]
NAMES = ("covering_rate", "chance_corrected", "neg_set_risk", "log_likelihood")


def covered(sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """Return the share of outputs that are in their set."""
    return float(np.average(sets.contains(z), weights=sample_weight))


def beyond_chance(sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """Return the chance-corrected covering rate, (c - e) / (1 - e).

    c is the covering rate, and e = (1/n²) sum_ij 1[z_i in S_j] that of the same outputs for random rows. An output that
    is in nearly every set has a high covering rate, and 0 here.
    """
    distinct, which = np.unique(z.reshape(len(z), -1), axis=0, return_inverse=True)
    each = [covered(sets, np.broadcast_to(y.reshape(z.shape[1:]), z.shape), sample_weight) for y in distinct]
    chance = float(np.average(np.array(each)[which.ravel()], weights=sample_weight))
    return (covered(sets, z, sample_weight) - chance) / (1 - chance) if chance < 1 else 0.0


def losses(output: OutputSpace, sets: Sets, z: NDArray) -> NDArray:
    """Return inf over y in S_i of l(z_i, y), (n,)."""
    return SetLoss(output, sets).rowwise_loss(z)


def risk(output: OutputSpace, sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """Return the mean infimum loss; for the 0-1 loss, this is 1 - covering rate."""
    return float(np.average(losses(output, sets, z), weights=sample_weight))


def scored_by(sample_weight: Any, n: int) -> NDArray | None:
    """Check the sample weights of a score: n finite numbers >= 0, not all 0."""
    if sample_weight is None:
        return None
    w = weight_array(sample_weight)
    if w.shape != (n,) or not (np.isfinite(w) & (w >= 0)).all() or not w.any():
        raise ValueError(f"sample_weight must be {n} finite numbers >= 0, not all of them 0. Got shape {w.shape}.")
    return w / w.max()  # so that no sum of them overflows


def weight_array(sample_weight: Any) -> NDArray:
    try:
        return np.asarray(sample_weight, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"sample_weight must hold one number >= 0 a row. Got {sample_weight!r:.200}.") from error
