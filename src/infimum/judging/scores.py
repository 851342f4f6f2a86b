"""How good predictions are, judged by sets alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets
from ..reductions.maps import Temperature

Scores = dict[str, float]
STEP, ROWS = 4, 600  # of a temperature that only serves to compare
NAMES = ("covering_rate", "chance_corrected", "neg_set_risk", "log_likelihood")


def covered(sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """(1/n) sum_i 1[z_i in S_i]."""
    return float(np.average(sets.contains(z), weights=sample_weight))


def beyond_chance(sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """(c - e) / (1 - e): the covering rate c beyond the same outputs at random, e = (1/n²) sum_ij 1[z_i in S_j].

    An output that is in nearly every set covers much and says little: it earns nothing here.
    """
    distinct, which = np.unique(z.reshape(len(z), -1), axis=0, return_inverse=True)
    each = [covered(sets, np.broadcast_to(y.reshape(z.shape[1:]), z.shape), sample_weight) for y in distinct]
    chance = float(np.average(np.array(each)[which.ravel()], weights=sample_weight))
    return (covered(sets, z, sample_weight) - chance) / (1 - chance) if chance < 1 else 0.0


def losses(output: OutputSpace, sets: Sets, z: NDArray) -> NDArray:
    """inf over y in S_i of l(z_i, y), (n,)."""
    return SetLoss(output, sets).each(z)


def risk(output: OutputSpace, sets: Sets, z: NDArray, sample_weight: Any = None) -> float:
    """(1/n) sum_i inf over y in S_i of l(z_i, y); for the 0-1 loss, 1 - covering rate."""
    return float(np.average(losses(output, sets, z), weights=sample_weight))


def tempered(P: NDArray, mask: NDArray, sample_weight: Any = None) -> NDArray:
    """P as sure as the sets allow: by the temperature of their largest likelihood, roughly."""
    if sample_weight is not None:
        there = np.asarray(sample_weight) > 0
        return Temperature().fit(P[there], mask[there], sample_weight[there], STEP, ROWS)(P)
    return Temperature().fit(P, mask, None, STEP, ROWS)(P)


def log_likelihoods(P: NDArray, mask: NDArray) -> NDArray:
    """log P_i(S_i), no P_i(S_i) below 1e-6, (n,); the mean over choices where there are several."""
    return np.log(np.maximum((P * mask).sum(axis=-1), 1e-6)).mean(axis=-1)


def log_likelihood(P: NDArray, mask: NDArray, sample_weight: Any = None) -> float:
    """(1/n) sum_i log P_i(S_i)."""
    return float(np.average(log_likelihoods(P, mask), weights=sample_weight))
