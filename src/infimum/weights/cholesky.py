"""Cholesky factors by LAPACK, in place and without the global interpreter lock.

SciPy's functions of the same names hold the lock while LAPACK computes, so the threads of model selection would wait
for each other. Therefore LAPACK is called through SciPy's interface for Cython. Matrices are in C order, and only the
entries on and below the diagonal of symmetric matrices are read.

>>> A = np.array([[4.0, 0.0], [2.0, 2.0]])
>>> L = factor(A.copy())
>>> inverse(L)
array([[ 0.5, -0.5],
       [-0.5,  1. ]])
>>> solve(L, np.array([[2.0], [0.0]]))
array([[ 1.],
       [-1.]])
>>> half_solve(L, np.array([[2.0], [0.0]]))
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

BLOCK = 128  # rows copied at a time, few enough to stay in the cache
SIGNATURES = {
    "dpotrf": "void (char *, int *, double *, int *, int *)",
    "dpotri": "void (char *, int *, double *, int *, int *)",
    "dpotrs": "void (char *, int *, int *, double *, int *, double *, int *, int *)",
    "dtrtrs": "void (char *, char *, char *, int *, int *, double *, int *, double *, int *, int *)",
}


def factor(A: NDArray) -> NDArray:
    """Return L with A = L L', in the memory of A; the entries above its diagonal are undefined."""
    if _of_square("dpotrf", A):
        raise LinAlgError("The matrix is not positive definite.")
    return A


def inverse(L: NDArray) -> NDArray:
    """Return (L L')^{-1}, with both triangles."""
    out = L.copy()
    if _of_square("dpotri", out):
        raise LinAlgError("The matrix is singular.")
    mirror(out)
    return out


def solve(L: NDArray, B: NDArray) -> NDArray:
    """Return (L L')^{-1} B in Fortran order, in the memory of B if B is in Fortran order."""
    return _solve("dpotrs", L, B, b"U")


def half_solve(L: NDArray, B: NDArray) -> NDArray:
    """Return L^{-1} B in Fortran order, in the memory of B if B is in Fortran order."""
    return _solve("dtrtrs", L, B, b"U", b"T", b"N")


def _solve(name: str, L: NDArray, B: NDArray, *flags: bytes) -> NDArray:
    B = np.asfortranarray(B)
    _check(L)
    _check(B.T)
    routine = _routine(name)
    if routine is None:
        options = {"lower": 0, "overwrite_b": 1} | ({"trans": 1} if name == "dtrtrs" else {})
        return getattr(lapack, name)(L.T, B, **options)[0]
    n, d, info = c_int(len(L)), c_int(B.shape[1]), c_int()
    routine(*flags, byref(n), byref(d), L.ctypes.data, byref(n), B.ctypes.data, byref(n), byref(info))
    return B


def mirror(A: NDArray) -> None:
    """Copy the lower triangle of A to the upper one, by blocks that stay in the cache."""
    above = ~np.tri(min(len(A), BLOCK), dtype=bool)
    for start in range(0, len(A), BLOCK):
        rows = slice(start, start + BLOCK)
        block = A[rows, rows]
        np.copyto(block, block.T, where=above[: len(block), : len(block)])
        A[rows, rows.stop :] = A[rows.stop :, rows].T


def _of_square(name: str, A: NDArray) -> int:
    """Run a routine on A in place and return its status; the lower triangle in C order is the upper one for LAPACK."""
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
    """Raise an error unless LAPACK can work on A in place."""
    if A.dtype != np.float64 or A.ndim != 2 or not A.flags.c_contiguous:
        raise TypeError(f"Expected a matrix of doubles, row by row. Got {A.dtype} of shape {A.shape}.")


@cache
def _routine(name: str) -> Callable[..., None] | None:
    """Return a LAPACK routine, which ctypes calls without the lock; None if it has another signature."""
    get_name: Any = ctypes.PYFUNCTYPE(c_char_p, py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    get_pointer: Any = ctypes.PYFUNCTYPE(c_void_p, py_object, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))
    capsule = cython_lapack.__pyx_capi__[name]
    signature = get_name(capsule)
    if re.sub(r"__pyx_t_\w+_d\b", "double", signature.decode()) != SIGNATURES[name]:
        return None  # for example 64-bit integers
    kinds = [c_char_p if kind == "char *" else c_void_p for kind in SIGNATURES[name][6:-1].split(", ")]
    return ctypes.CFUNCTYPE(None, *kinds)(get_pointer(capsule, signature))
