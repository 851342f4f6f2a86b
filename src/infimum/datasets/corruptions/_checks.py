"""Checks of the arguments of corruptions."""

from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_array, check_random_state, column_or_1d

Seed = int | RandomState | None


def vector(y: ArrayLike) -> NDArray[Any]:
    return column_or_1d(y)


def matrix(Y: ArrayLike, **kwargs: Any) -> NDArray[Any]:
    return check_array(Y, **kwargs)


def level(c: float) -> float:
    if not 0 <= c <= 1:
        raise ValueError(f"the corruption level must be in [0, 1], got {c}")
    return c


def lost(shape: tuple[int, ...], share: float, random_state: Seed) -> NDArray[np.bool_]:
    """Draw independent booleans, True with probability `share`; with one seed, they grow with `share`."""
    return check_random_state(random_state).uniform(size=shape) < level(share)
