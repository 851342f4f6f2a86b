"""Formats of scribbles: signs per pixel, booleans, images, missing pixels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, InputError, shown


def scribbled(values: Any) -> NDArray:
    """Return scribbles as (n, h w) in {-1, 0, 1}; raise an error about rows with other values."""
    if (
        isinstance(values, np.ndarray)
        and values.dtype == np.int8
        and values.ndim == 2
        and np.abs(values).max(initial=0) <= 1
    ):
        return values
    table = (
        np.ma.filled(np.ma.asarray(values).astype(float), np.nan) if np.ma.isMaskedArray(values) else np.asarray(values)
    )
    if table.dtype == bool:
        table = np.where(table, 1, -1)
    if table.ndim not in (2, 3) or table.dtype.kind not in "iuf":
        raise InputError(f"Scribbles are (n, h w) numbers, 1, -1 or 0 per pixel. Got {shown(values)}.")
    table = table.reshape(len(table), math.prod(table.shape[1:]))
    filled = np.where(np.isnan(table), 0, table)
    bad = BadRows("y")
    wrong = ~np.isin(filled, (-1, 0, 1))
    for row in np.flatnonzero(wrong.any(axis=1)):
        bad.add(row, f"expected 1, -1 or 0 for every pixel, got {filled[row][wrong[row]][0]:g}")
    bad.refuse("1 is in the mask, -1 is not, 0 is unknown.")
    return filled.astype(np.int8)
