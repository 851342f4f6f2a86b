"""Numbers as choices among bands: ranges with about the same number of finite endpoints each."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..choices import Choices
from .sets import Intervals

N_BANDS = 8


@dataclass(frozen=True)
class Bands(Choices):
    """Intervals as one choice among the bands (-inf, e_1), [e_1, e_2), …"""

    edges: NDArray = field(default_factory=lambda: np.empty(0))

    def ask(self, g: int, options: tuple[int, ...]) -> str:
        if not len(self.edges):
            return super().ask(g, options)
        return f"is it below {self.edges[min(max(options[0] - 1, 0), len(self.edges) - 1)]:.4g}?"

    def option_of(self, sets: Any, z: NDArray) -> NDArray:
        return np.searchsorted(self.edges, np.asarray(z), side="right")[:, None]


def bands_of(sets: Intervals) -> Bands:
    """Return intervals as choices among at most eight bands."""
    edges = _edges(sets)
    return Bands(
        _possible(sets, edges)[:, None, :], [""], [_names(edges)],
        "Low and high numbers are excluded in some rows", is_ordered=True, edges=edges,
    )  # fmt: skip


def _edges(sets: Intervals) -> NDArray:
    ends = np.concatenate([sets.lower, sets.upper])
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return np.empty(0)
    inner = np.unique(np.quantile(ends, np.arange(1, N_BANDS) / N_BANDS))
    return inner[(inner > ends.min()) & (inner <= ends.max())]


def _names(edges: NDArray) -> list[str]:
    if not len(edges):
        return ["any number"]
    inner = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    return [f"below {edges[0]:.4g}", *inner, f"{edges[-1]:.4g} and above"]


def _possible(sets: Intervals, edges: NDArray) -> NDArray:
    """Whether S_i meets each band, (n, len(edges) + 1)."""
    low, high = np.concatenate([[-np.inf], edges]), np.concatenate([edges, [np.inf]])
    meets = ((sets.lower[:, None] < high) | np.isposinf(high)) & (sets.upper[:, None] >= low)
    out = np.zeros((len(sets), len(low)), dtype=bool)
    np.logical_or.at(out, sets.row, meets)
    return out
