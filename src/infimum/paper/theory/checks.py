"""Exact or floating-point arithmetic, and checks of weak distributions."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_fraction = np.frompyfunc(Fraction, 1, 1)


def fractions(a: ArrayLike) -> NDArray[np.object_]:
    """Return the same numbers as fractions; a float becomes the fraction that it represents."""
    return np.asarray(_fraction(np.asarray(a).astype(object)), dtype=object)


def numbers(*arrays: ArrayLike) -> tuple[NDArray[Any], ...]:
    """Return all arrays as fractions if one of them holds Python numbers, otherwise all as floats."""
    given = [np.asarray(a) for a in arrays]
    if any(a.dtype == object for a in given):
        return tuple(fractions(a) for a in given)
    return tuple(a.astype(np.float64) for a in given)


def weak(sets: ArrayLike, *arrays: ArrayLike) -> tuple[NDArray[Any], ...]:
    """Return the checked (k, m) membership, followed by `numbers` of the arrays."""
    members = np.asarray(sets)
    if members.ndim != 2 or members.dtype != bool:
        raise ValueError(f"sets must be a (k, m) array of booleans. Got shape {members.shape} of {members.dtype}.")
    empty = np.flatnonzero(~members.any(axis=1))
    if empty.size:
        raise ValueError(f"Every set must have a member. Set {empty[0]} is empty. Remove the row.")
    return members, *numbers(*arrays)


def check_square(cost: NDArray) -> None:
    """Raise an error unless the loss is an (m, m) array."""
    if cost.ndim != 2 or cost.shape[0] != cost.shape[1] or len(cost) < 2:
        raise ValueError(f"cost must be an (m, m) array with m >= 2. Got shape {cost.shape}.")


def check_size(m: int, limit: int, what: str) -> None:
    """Raise an error if Y is too large for an enumeration."""
    if m > limit:
        raise ValueError(f"{what}: at most {limit} outputs are supported. Got {m}.")
