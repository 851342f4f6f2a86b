"""Check the arrays that a user's own output type returns, so that a wrong shape names the method that returned it."""

from __future__ import annotations

from typing import Any

import numpy as np

from .base import OutputSpace
from .sets import Sets

N_CHECKED = 3
"""Rows on which the methods are called. More rows cost more and find no other mistakes."""


def check_shapes(output: OutputSpace, sets: Any) -> None:
    """Raise an error if a method of an output type returns something of the wrong kind or shape.

    The library's own types are not checked.

    Parameters
    ----------
    output : OutputSpace
        The fitted output space.
    sets : Sets
        What its `read` returned.
    """
    library = __name__.partition(".")[0]
    if {type(one).__module__.partition(".")[0] for one in (output, sets)} == {library}:
        return
    _check_kind(output, "read", sets)
    k = min(N_CHECKED, len(sets))
    some = sets[np.arange(k)]
    _check_kind(sets, "__getitem__", some)
    if len(some) != k:
        raise ValueError(f"{type(sets).__name__}.__getitem__ must return one set per index. Got {len(some)} for {k}.")
    try:
        phi = some.start()
    except ValueError:  # neither a start nor a center: a solver that needs one raises an error
        return
    if np.ndim(phi) != 2 or np.shape(phi)[0] != k:
        raise _wrong(some, "start", phi, f"({k}, d), one embedded point per row")
    d = np.shape(phi)[1]
    z = output.decode(phi)
    if np.ndim(z) == 0 or np.shape(z)[0] != k:
        raise _wrong(output, "decode", z, f"({k}, ...), one output per row of an array of shape {np.shape(phi)}")
    _check(some, "contains", some.contains(z), (k,), "one boolean per row")
    if not output.bilinear:
        return
    kind = type(some).__name__
    psi = output.psi(z)
    _check(output, "psi", psi, (k, d), f"one row per output, as wide as the points that {kind}.start returns")
    for c in (psi, np.stack([psi, psi])):
        _check(some, "argmin", some.argmin(c), np.shape(c), "the shape of its argument")


def _check(owner: Any, method: str, found: Any, expected: tuple[int, ...], meaning: str) -> None:
    if np.shape(found) != expected:
        raise _wrong(owner, method, found, f"{expected}, {meaning}")


def _check_kind(owner: Any, method: str, found: Any) -> None:
    if not isinstance(found, Sets):
        raise ValueError(
            f"{type(owner).__name__}.{method} must return Sets, an instance of a subclass of infimum.outputs.Sets. Got"
            f" {type(found).__name__}."
        )


def _wrong(owner: Any, method: str, found: Any, expected: str) -> ValueError:
    return ValueError(
        f"{type(owner).__name__}.{method} must return an array of shape {expected}. Got shape {np.shape(found)}."
    )
