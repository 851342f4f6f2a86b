"""Checks of the arguments of corruptions."""

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.utils import check_random_state

Seed = int | RandomState | None


def level(c: float) -> float:
    if not 0 <= c <= 1:
        raise ValueError(f"the corruption level must be in [0, 1], got {c}")
    return c


def lost(shape: tuple[int, ...], share: float, random_state: Seed) -> NDArray[np.bool_]:
    """Draw independent booleans, True with probability `share`; with one seed, they grow with `share`."""
    return check_random_state(random_state).uniform(size=shape) < level(share)
