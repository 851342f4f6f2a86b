"""Exact or floating arithmetic, and what a weak distribution must be."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

_fraction = np.frompyfunc(Fraction, 1, 1)


def fractions(a: ArrayLike) -> NDArray[np.object_]:
    """The same numbers as fractions; a float is the fraction that it stands for."""
    return np.asarray(_fraction(np.asarray(a).astype(object)), dtype=object)


def numbers(*arrays: ArrayLike) -> tuple[NDArray[Any], ...]:
    """All arrays as fractions when one of them holds Python numbers, all as floats otherwise."""
    given = [np.asarray(a) for a in arrays]
    if any(a.dtype == object for a in given):
        return tuple(fractions(a) for a in given)
    return tuple(a.astype(np.float64) for a in given)


def weak(sets: ArrayLike, *arrays: ArrayLike) -> tuple[NDArray[Any], ...]:
    """Checked (k, m) membership, followed by `numbers` of the arrays; empty sets are refused by row."""
    members = np.asarray(sets)
    if members.ndim != 2 or members.dtype != bool:
        raise ValueError(f"sets must be a (k, m) array of booleans, got shape {members.shape} of {members.dtype}")
    empty = np.flatnonzero(~members.any(axis=1))
    if empty.size:
        raise ValueError(f"set {empty[0]} is empty: every set must have an element, give p = 0 or drop the row")
    return members, *numbers(*arrays)


def few(m: int, limit: int, what: str) -> None:
    if m > limit:
        raise ValueError(f"{what}: Y has {m} elements, and at most {limit} are feasible")
