"""Scores of regression from sets: how far predictions are from the sets that hold the truth.

They take y in any form that the regressor takes, so that they serve in ``sklearn.metrics.make_scorer``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .loss import SetLoss
from .outputs import Reals, Sets, Vectors
from .solvers import choose

__all__ = ["mean_squared_distance", "r2", "share_inside"]


def mean_squared_distance(y: Any, z: Any, sample_weight: Any = None) -> float:
    """mean_i d(z_i, S_i)²: the set risk of the squared loss; on values, the mean squared error.

    >>> mean_squared_distance([(0, 1), (2, float("inf")), 5.0], [1.5, 1.0, 5.0])
    0.4166...
    """
    sets, z = _sets(y, z)
    return float(np.average(sets.distance(z) ** 2, weights=sample_weight))


def share_inside(y: Any, z: Any, sample_weight: Any = None) -> float:
    """The share of predictions z_i that lie in S_i.

    >>> share_inside([(0, 1), (2, float("inf")), 5.0, None], [1.5, 3.0, 5.0, 0.0])
    0.75
    """
    sets, z = _sets(y, z)
    return float(np.average(sets.contains(z), weights=sample_weight))


def r2(y: Any, z: Any, sample_weight: Any = None) -> float:
    """1 - sum_i d(z_i, S_i)² / min_c sum_i d(c, S_i)², against the best constant c.

    On values c is their mean and this is R². Where one constant lies in every set the ratio has no value: 1 for
    predictions that all lie in their sets, 0 for others, as scikit-learn does for constant values.

    >>> r2([1.0, 2.0, 3.0], [1.0, 2.0, 2.0]), r2([(0, 1), (2, 3)], [0.5, 2.0])
    (0.5, 1.0)
    """
    sets, z = _sets(y, z)
    w = np.ones(len(sets)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    space = (Vectors() if z.ndim == 2 else Reals()).fit(sets)
    L = SetLoss(space, space.as_sets(sets))
    constant = choose("auto", L).fit(L).argmin(w[None])
    left = float(w @ sets.distance(z) ** 2)
    total = float(w @ sets.distance(np.repeat(constant, len(sets), axis=0)) ** 2)
    if total == 0:
        return float(left == 0)
    return 1 - left / total


def _sets(y: Any, z: Any) -> tuple[Any, NDArray]:
    """y as sets and z as numbers, of the same length."""
    z = np.asarray(z, dtype=float)
    if not isinstance(y, Sets):
        space = Vectors() if z.ndim == 2 else Reals()
        y = space.read(y)
    if len(y) != len(z):
        raise ValueError(f"y has {len(y)} rows and the predictions have {len(z)}: they must have the same number.")
    return y, z
