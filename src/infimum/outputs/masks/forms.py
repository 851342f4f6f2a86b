"""What scribbles may look like: signs a pixel, booleans, pictures, gaps."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, InputError, shown


def scribbled(values: Any) -> NDArray:
    """(n, h w) in {-1, 0, 1}; other values are refused by row."""
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
        raise InputError(f"Scribbles are (n, h w) numbers, 1, -1 or 0 a pixel. Got {shown(values)}.")
    table = table.reshape(len(table), math.prod(table.shape[1:]))
    filled = np.where(np.isnan(table), 0, table)
    bad = BadRows("y")
    wrong = ~np.isin(filled, (-1, 0, 1))
    for row in np.flatnonzero(wrong.any(axis=1)):
        bad.add(row, f"expected 1, -1 or 0 for every pixel, got {filled[row][wrong[row]][0]:g}")
    bad.refuse("1 is in the picture, -1 is not, 0 where nothing was scribbled.")
    return filled.astype(np.int8)
