"""Sets of items as the bits of an integer, compiled: one instruction each."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


def _bit_count(typing_context: Any, x: Any) -> Any:
    """How many items the set x holds."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), emit


def _lowest(typing_context: Any, x: Any) -> Any:
    """The smallest item of the set x."""

    def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), emit


bit_count: Any = intrinsic(_bit_count)
lowest: Any = intrinsic(_lowest)
