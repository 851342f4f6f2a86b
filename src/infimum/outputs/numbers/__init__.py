"""Reals: a number; the sets are unions of intervals."""

from .sets import Intervals
from .space import Reals

__all__ = ["Intervals", "Reals"]
