"""Squared or absolute distance of a number to a union of intervals, for every principle."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ._common import (
    REDUCTIONS,
    all_finite,
    at_least_float32,
    compiling,
    one_of,
    raise_for_rows,
    raise_if_not_finite,
    reduced,
    same_rows,
)
from .tensors import batch

PRINCIPLES = ("infimum", "average", "supremum")
LOSSES = ("squared", "absolute")


class IntervalLoss(nn.Module):
    """Squared or absolute loss for unions of points and intervals, which may be one-sided.

    The loss is the infimum, mean or supremum over y in S of (z - y)² or abs(z - y). The mean is weighted by length, or
    uniform if S is a set of points.

    Parameters
    ----------
    principle : {"infimum", "average", "supremum"}, default "infimum"
    loss : {"squared", "absolute"}, default "squared"
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one.
    check : bool, default True
        Whether invalid rows raise an error, such as one-sided intervals under the average or supremum.
        Set it to False for speed.

    Examples
    --------
    >>> z = torch.tensor([3., 3., 3.])
    >>> sets = torch.tensor([[1., 2.], [5., torch.inf], [0., 4.]])
    >>> IntervalLoss(reduction="none")(z, sets)
    tensor([1., 4., 0.])
    >>> IntervalLoss(loss="absolute")(z[:1], torch.tensor([[[-2., -1.], [1., 2.]]]))
    tensor(1.)
    """

    def __init__(
        self, principle: str = "infimum", *, loss: str = "squared", reduction: str = "mean", check: bool = True
    ):
        super().__init__()
        self.principle = one_of("principle", principle, PRINCIPLES)
        self.loss = one_of("loss", loss, LOSSES)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.check = check

    def forward(self, z: torch.Tensor, sets: Any) -> torch.Tensor:
        """Return the loss of numbers z, (b,) or (b, 1); sets are (b,) values, (b, 2), (b, k, 2) or `Intervals`.

        The last axis has the lower and the upper bound. Pieces must not overlap; rows with fewer than k pieces are
        padded with NaN.
        """
        z = at_least_float32(z, "predictions")
        z = z.flatten() if z.ndim == 2 and z.shape[1] == 1 else z
        if z.ndim != 1:
            raise ValueError(f"Predictions must have shape (b,) or (b, 1). Got {tuple(z.shape)}.")
        low, high = _pieces(batch(sets, z).to(z.dtype), len(z))
        checked = self.check and not compiling()
        if checked:
            _check_sets(low, high, bounded=self.principle != "infimum", principle=self.principle)
        far = {"infimum": _nearest, "supremum": _farthest}.get(self.principle)
        if far is not None:
            losses = far(z, low, high)
            losses = losses.square() if self.loss == "squared" else losses
        else:
            losses = _mean(z, low, high, self.loss)
        if checked and not all_finite(losses):
            raise_if_not_finite(z, "prediction")
        return reduced(losses, self.reduction)

    def extra_repr(self) -> str:
        return f"{self.principle!r}, loss={self.loss!r}, reduction={self.reduction!r}"


def _pieces(sets: torch.Tensor, b: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return lower and upper bounds, (b, k)."""
    same_rows(b, len(sets), "sets", "predictions")
    sets = sets[:, None].expand(-1, 2) if sets.ndim == 1 else sets
    sets = sets[:, None] if sets.ndim == 2 else sets
    if sets.ndim != 3 or sets.shape[2] != 2:
        raise ValueError(
            f"Sets must have shape (b,), (b, 2) or (b, k, 2), the last axis lower and upper bounds. Row 0 has shape"
            f" {tuple(sets.shape[1:])}."
        )
    return sets[..., 0], sets[..., 1]


def _check_sets(low: torch.Tensor, high: torch.Tensor, bounded: bool, principle: str) -> None:
    """Raise ValueError for empty rows, lower bounds above upper ones, or unbounded rows if they must be bounded."""
    padding = low.isnan() & high.isnan()
    fine = (low <= high) & (low != torch.inf) & (high != -torch.inf)
    bad = ~(fine | padding).all(dim=1) | padding.all(dim=1)
    endless = (low == -torch.inf) | (high == torch.inf)
    if bool(bad.any()):
        rows = bad.nonzero().flatten()
        ends = torch.stack([low, high], dim=-1)
        raise_for_rows(
            rows,
            ("an empty set" if padding[r].all() else f"expected lower <= upper, got {ends[r].tolist()}" for r in rows),
            "Swap the two bounds. An unlabelled row is (-inf, inf).",
        )
    if bounded and bool(endless.any()):
        rows = endless.any(dim=1).nonzero().flatten()
        raise_for_rows(
            rows,
            (f"[{low[r].min():g}, {high[r].nan_to_num(-torch.inf, torch.inf).max():g}] is unbounded" for r in rows),
            f"The {principle} is not finite there. Use principle='infimum', or clip the sets to the range of z.",
        )


def _nearest(z: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    """Return the distance of z to the nearest piece, (b,)."""
    # an unbounded side has distance 0, and infinite numbers must not enter the gradient
    below = torch.where(low == -torch.inf, 0.0, torch.where(low.isfinite(), low, 0.0) - z[:, None])
    above = torch.where(high == torch.inf, 0.0, z[:, None] - torch.where(high.isfinite(), high, 0.0))
    distance = torch.maximum(below, above).clamp(min=0)
    return torch.where(low.isnan(), torch.inf, distance).amin(dim=1)


def _farthest(z: torch.Tensor, low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    """Return the distance of z to the farthest point, (b,), which is a bound of S."""
    lowest = torch.where(low.isnan(), torch.inf, low).amin(dim=1)
    highest = torch.where(high.isnan(), -torch.inf, high).amax(dim=1)
    return torch.maximum(z - lowest, highest - z)


def _mean(z: torch.Tensor, low: torch.Tensor, high: torch.Tensor, loss: str) -> torch.Tensor:
    """Return the mean of (z - y)² or |z - y| over S, (b,)."""
    there = ~low.isnan()
    low, high = low.nan_to_num(0.0), high.nan_to_num(0.0)
    length = high - low
    total = length.sum(dim=1, keepdim=True)
    number = there.sum(dim=1, keepdim=True)
    share = torch.where(total > 0, length / torch.where(total > 0, total, 1.0), there / number)
    away = z[:, None] - (low + high) / 2
    if loss == "squared":
        return (share * (away.square() + length.square() / 12)).sum(dim=1)
    # |z - middle|, plus (length / 2 - |z - middle|)² / length inside a piece
    inside = (length / 2 - away.abs()).clamp(min=0)
    return (share * (away.abs() + inside.square() / torch.where(length > 0, length, 1.0))).sum(dim=1)
