"""Masks: the pixels that are sure, by their margins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..outputs import Masks, Scribbles
from .base import register
from .tags import Margin


class PixelMargin(Margin):
    """s(x, y) = max over pixels p of -y_p g_p(x), at least 0; g_p(x) = sum_i alpha_i(x) y_ip, without the ties.

    The pixels with \\|g_p(x)\\| > r are sure, the others are as if nothing was scribbled there.
    """

    def needs(self) -> str:
        return "a model of masks whose loss is linear (solvers.ClosedForm)"

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return 2 * solver.sums(alpha)[:, :-2]

    def made(self, values: NDArray, space: Any) -> Scribbles:
        return Scribbles(values.astype(np.int8), space.tie)

    def again(self, values: NDArray, part: Any) -> Scribbles:
        return Scribbles(values, part.tie)


register(Masks, PixelMargin)
