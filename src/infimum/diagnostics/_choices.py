"""Sets of any structure as choices among options, and how often options are together, apart and alone."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs import Intervals, OutputSpace, PartialOrders, Sets
from ..outputs.labels.sets import CandidateLabels
from ..outputs.rankings.codes import pairs

BANDS = 8  # of numbers


class Choices(NamedTuple):
    """S_i as g choices among c options each, and which options are open."""

    kind: str
    """"labels", "tags", "order" or "number"."""
    names: list[str]
    """(g,): what is chosen; "" for the one choice of a label or of a number."""
    options: list[list[str]]
    """(g, c): the names of the options."""
    mask: NDArray
    """(n, g, c) boolean."""
    edges: NDArray | None = None
    """The ends of the bands, for numbers."""

    def says(self, g: int, k: int) -> str:
        """Option k of choice g in words."""
        return f"{self.names[g]} {self.options[g][k]}" if self.kind == "tags" else self.options[g][k]


def choices_of(output: OutputSpace, sets: Sets) -> Choices:
    """Labels are one choice, tags and pairs of items one choice between two each, numbers one among bands."""
    if isinstance(sets, CandidateLabels):
        classes = sets.classes if sets.classes is not None else np.arange(sets.listed.shape[1])
        return Choices("labels", [""], [[str(name) for name in classes]], sets.options())
    if isinstance(sets, PartialOrders):
        i, j = pairs(sets.m)
        items = [str(item) for item in sets.items]
        names = [f"{items[a]}, {items[b]}" for a, b in zip(i, j)]
        options = [[f"{items[a]} before {items[b]}", f"{items[b]} before {items[a]}"] for a, b in zip(i, j)]
        return Choices("order", names, options, np.stack([sets.codes >= 0, sets.codes <= 0], axis=-1))
    if isinstance(sets, Intervals):
        edges = bands(sets)
        return Choices("number", [""], [band_names(edges)], in_bands(sets, edges)[:, None, :], edges)
    mask = sets.options()
    if mask is None or mask.shape[-1] != 2:
        centers = getattr(sets, "centers", None)  # Hamming balls: a tag is open as soon as one may differ
        if centers is None:
            raise ValueError(
                f"Identifiability is for labels, tags, orders and numbers, not for {sets!r}: look at one coordinate at"
                " a time."
            )
        free = np.asarray(sets.radius)[:, None] > 0  # type: ignore[attr-defined]
        mask = np.stack([free | (centers < 0), free | (centers > 0)], axis=-1)
    tags = vars(output).get("tags_", np.arange(mask.shape[1]))
    return Choices("tags", [str(name) for name in tags], [["absent", "present"]] * mask.shape[1], mask)


def bands(sets: Intervals, n: int = BANDS) -> NDArray:
    """The inner ends of at most n bands that hold the same number of finite endpoints each."""
    ends = np.concatenate([sets.lower, sets.upper])
    ends = ends[np.isfinite(ends)]
    if not len(ends):
        return np.empty(0)
    inner = np.unique(np.quantile(ends, np.arange(1, n) / n))
    return inner[(inner > ends.min()) & (inner <= ends.max())]


def band_names(edges: NDArray) -> list[str]:
    """The bands (-inf, e_1), [e_1, e_2), … in words."""
    if not len(edges):
        return ["any number"]
    inner = [f"{a:.4g} to {b:.4g}" for a, b in pairwise(edges)]
    return [f"below {edges[0]:.4g}", *inner, f"{edges[-1]:.4g} and above"]


def in_bands(sets: Intervals, edges: NDArray) -> NDArray:
    """Whether S_i meets each band, (n, len(edges) + 1)."""
    low, high = np.concatenate([[-np.inf], edges]), np.concatenate([edges, [np.inf]])
    last = np.isposinf(high)
    meets = ((sets.lower[:, None] < high) | last) & (sets.upper[:, None] >= low)
    out = np.zeros((len(sets), len(low)), dtype=bool)
    np.logical_or.at(out, sets.row, meets)
    return out


def band_of(values: NDArray, edges: NDArray) -> NDArray:
    """The band of every number, (n,)."""
    return np.searchsorted(edges, values, side="right")


class Pairs(NamedTuple):
    """Counts over rows for every choice and pair of options, (g, c, c)."""

    together: NDArray
    """Rows that hold both a and b; on the diagonal, rows that hold a."""
    without: NDArray
    """Rows that hold a and not b, at (a, b)."""


def pairs_of(mask: NDArray) -> Pairs:
    """How often options are together, and one without the other.

    >>> mask = np.array([[[True, True, False]], [[True, False, False]]])
    >>> pairs_of(mask).without[0]
    array([[0, 1, 2],
           [0, 0, 1],
           [0, 0, 0]])
    """
    held = mask.astype(np.float64).transpose(1, 2, 0)  # (g, c, n)
    together = np.rint(held @ held.swapaxes(1, 2)).astype(np.int64)
    alone = np.einsum("gcc->gc", together)
    return Pairs(together, alone[:, :, None] - together)


def at_most(count: Any, n: Any, level: float) -> NDArray:
    """The upper end of Clopper and Pearson's one-sided interval for a share of which `count` of n were seen.

    >>> float(at_most(0, 29, 0.95).round(3))  # the rule of three
    0.098
    """
    from scipy.stats import beta

    count, n = np.broadcast_arrays(np.asarray(count, dtype=float), np.asarray(n, dtype=float))
    with np.errstate(invalid="ignore"):
        return np.where(count >= n, 1.0, beta.ppf(level, count + 1, np.maximum(n - count, 1e-12)))


def at_least(count: Any, n: Any, level: float) -> NDArray:
    """The lower end of the same interval."""
    return 1 - at_most(np.asarray(n, dtype=float) - np.asarray(count, dtype=float), n, level)
