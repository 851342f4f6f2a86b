"""Sets of items as the bits of an integer, compiled: one instruction each; and copies."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


def _bit_count(typing_context: Any, x: Any) -> Any:
    """Return the number of items in the set x."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), emit


def _lowest(typing_context: Any, x: Any) -> Any:
    """Return the smallest item of the set x."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), emit


bit_count: Any = intrinsic(_bit_count)
lowest: Any = intrinsic(_lowest)


# a[:] = b, which numba compiles with an error message for every pair of shapes: seconds each
@njit(cache=True, nogil=True)
def put(to, of):
    """Copy a vector: to[k] = of[k]."""
    for k in range(len(of)):
        to[k] = of[k]


@njit(cache=True, nogil=True)
def put_all(to, of):
    """Copy a matrix: to[k, l] = of[k, l]."""
    for k in range(of.shape[0]):
        for l in range(of.shape[1]):
            to[k, l] = of[k, l]
