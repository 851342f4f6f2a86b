"""prefetch: ask for a number of an array before it is needed, in compiled code."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic


def _prefetch(typingctx, array, i, j):
    """Bring the cache line of array[i, j] into the cache, without waiting for it: LLVM's `llvm.prefetch`."""

    def generate(context, builder, signature, arguments):
        kind = signature.args[0]
        found = context.make_array(kind)(context, builder, arguments[0])
        place = cgutils.get_item_pointer(context, builder, kind, found, list(arguments[1:]), wraparound=False)
        byte, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        form = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        call = builder.module.declare_intrinsic("llvm.prefetch", (byte,), form)
        # to be read, kept in every cache, data
        builder.call(call, [builder.bitcast(place, byte), *(ir.Constant(number, k) for k in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, i, j), generate


prefetch: Any = intrinsic(_prefetch)
