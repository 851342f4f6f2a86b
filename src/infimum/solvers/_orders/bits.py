"""Sets of items as the bits of an integer, compiled."""

from __future__ import annotations

from numba import njit


@njit(cache=True, nogil=True)
def bit_count(x):
    """How many items the set x holds."""
    x = x - ((x >> 1) & 0x5555555555555555)
    x = (x & 0x3333333333333333) + ((x >> 2) & 0x3333333333333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0F
    return (x * 0x0101010101010101) >> 56


@njit(cache=True, nogil=True)
def lowest(x):
    """The smallest item of the set x, which must not be empty."""
    return bit_count((x & -x) - 1)
