"""The conformal score of masks: the margins of their pixels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..tags.conformal import Margin
from .space import Scribbles


class PixelMargin(Margin):
    """The largest score of a wrong pixel.

    s(x, y) = max over pixels p of -y_p g_p(x), at least 0.

    g_p(x) = sum_i alpha_i(x) y_ip, without the smoothness term. Pixels with \\|g_p(x)\\| > r are decided. The others
    stay open, as if there were no scribble.
    """

    constants = 2

    def of_signs(self, values: NDArray, like: Any) -> Scribbles:
        return Scribbles(values.astype(np.int8), like.tie)
