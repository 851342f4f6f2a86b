"""The conformal score of sequences: the least probable label among the tokens."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..score import Score, upto
from .paths import Packed
from .sets import Lattices


class TokenScore(Score):
    """One minus the probability of the least probable label of a sequence.

    s(x, y) = max over tokens t of 1 - P(y_t | x).

    A prediction set lists candidates for each token; with the given probability it contains the labels of all tokens of
    a sequence at once.
    """

    name = "token"
    requires = "probabilities"

    def largest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        worst = np.where(sets.mask, 1 - known(forecast), -np.inf).max(axis=1)
        return np.maximum.reduceat(worst, sets.starts)

    def smallest(self, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        packed = Packed(sets.lengths)
        least = np.where(sets.mask, 1 - known(forecast), np.inf)[packed.order]
        for now, before in packed.blocks():
            reached: Any = least[before].min(axis=1, keepdims=True)
            if sets.allowed is not None:
                reached = np.where(sets.allowed.follow, least[before][:, :, None], np.inf).min(axis=1)
            least[now] = np.maximum(least[now], reached)
        found = np.empty(len(sets))
        found[packed.sequence[packed.final]] = least[packed.final].min(axis=1)
        return found

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> Lattices:
        lengths = np.sum(~np.isnan(forecast[:, :, 0]), axis=1)
        mask = 1 - known(forecast) <= upto(np.repeat(radius, lengths))[:, None]
        return space.lattices(mask, lengths, strict=False)

    def union(self, parts: list) -> Lattices:
        return parts[0].with_mask(np.any([part.mask for part in parts], axis=0), parts[0].lengths)


def known(forecast: NDArray) -> NDArray:
    """Return the probabilities of the tokens, (n, width, m) with NaN beyond the ends -> (N, m)."""
    return forecast[~np.isnan(forecast[:, :, 0])]
