"""Cholesky factors by LAPACK: in place, and without the interpreter's lock, so that threads compute side by side.

SciPy's functions of the same names hold that lock while LAPACK computes; here its interface for Cython is called.
Matrices are row by row in memory, and of symmetric ones only what is on and below the diagonal is read.

>>> A = np.array([[4.0, 0.0], [2.0, 2.0]])
>>> L = factor(A.copy())
>>> inverse(L)
array([[ 0.5, -0.5],
       [-0.5,  1. ]])
>>> solve(L, np.array([[2.0], [0.0]]))
array([[ 1.],
       [-1.]])
"""

from __future__ import annotations

import ctypes
import re
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_void_p, py_object
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cython_lapack, lapack

BLOCK = 128  # rows that stay in the cache
SIGNATURES = {
    "dpotrf": "void (char *, int *, double *, int *, int *)",
    "dpotri": "void (char *, int *, double *, int *, int *)",
    "dpotrs": "void (char *, int *, int *, double *, int *, double *, int *, int *)",
}


def factor(A: NDArray) -> NDArray:
    """L with A = L L', in the memory of A; what is above its diagonal means nothing."""
    if _of_square("dpotrf", A):
        raise LinAlgError("The matrix is not positive definite.")
    return A


def inverse(L: NDArray) -> NDArray:
    """(L L')^{-1}, all of it."""
    out = L.copy()
    if _of_square("dpotri", out):
        raise LinAlgError("The matrix is singular.")
    mirror(out)
    return out


def solve(L: NDArray, B: NDArray) -> NDArray:
    """(L L')^{-1} B, column by column in memory; in that of B where it is so already."""
    B = np.asfortranarray(B)
    _check(L)
    _check(B.T)
    routine = _routine("dpotrs")
    if routine is None:
        return lapack.dpotrs(L.T, B, lower=0, overwrite_b=1)[0]
    n, d, info = c_int(len(L)), c_int(B.shape[1]), c_int()
    routine(b"U", byref(n), byref(d), L.ctypes.data, byref(n), B.ctypes.data, byref(n), byref(info))
    return B


def mirror(A: NDArray) -> None:
    """The lower triangle of A is copied to the upper one, by blocks that stay in the cache."""
    above = ~np.tri(min(len(A), BLOCK), dtype=bool)
    for start in range(0, len(A), BLOCK):
        rows = slice(start, start + BLOCK)
        block = A[rows, rows]
        np.copyto(block, block.T, where=above[: len(block), : len(block)])
        A[rows, rows.stop :] = A[rows.stop :, rows].T


def _of_square(name: str, A: NDArray) -> int:
    """Run a routine on A itself; what it says. The lower triangle by rows is the upper one by columns."""
    _check(A)
    routine = _routine(name)
    if routine is None:
        out, info = getattr(lapack, name)(A.T, lower=0)
        A[:] = out.T
        return info
    n, info = c_int(len(A)), c_int()
    routine(b"U", byref(n), A.ctypes.data, byref(n), byref(info))
    return info.value


def _check(A: NDArray) -> None:
    """Memory that is not what LAPACK takes it for would be overwritten."""
    if A.dtype != np.float64 or A.ndim != 2 or not A.flags.c_contiguous:
        raise TypeError(f"Expected a matrix of doubles, row by row. Got {A.dtype} of shape {A.shape}.")


@cache
def _routine(name: str) -> Callable[..., None] | None:
    """A routine by its address, which ctypes calls without the lock; None where it is not what it should be."""
    get_name: Any = ctypes.PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    get_pointer: Any = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    capsule = cython_lapack.__pyx_capi__[name]
    signature = get_name(capsule)
    if re.sub(r"__pyx_t_\w+_d\b", "double", signature.decode()) != SIGNATURES[name]:
        return None  # integers of 64 bits, say
    kinds = [c_char_p if kind == "char *" else c_void_p for kind in SIGNATURES[name][6:-1].split(", ")]
    return ctypes.CFUNCTYPE(None, *kinds)(get_pointer(capsule, signature))
