"""Losses for outputs that consist of signs: partly known tags, and the pairs of partial orders.

Every sign y_j in {-1, 1} has a logit x_j and the cost c(x_j, y_j). An unknown sign costs the minimum, the mean or the
maximum of its two costs, zero (likelihood), or the mean under its own probabilities (disambiguation).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.nn.functional import softplus

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
    same_width,
)
from .labels import PRINCIPLES, TINY
from .tensors import batch

FAST = ("likelihood", "infimum", "supremum")
FOLDS = 3


class _SignLoss(nn.Module):
    """Base class of both losses: a principle for unknown signs, and the cost of a sign."""

    costs: tuple[str, str]
    name: str
    scale = 1.0

    def __init__(
        self, principle: str = "likelihood", *, cost: str = "logistic", reduction: str = "mean", check: bool = True
    ):
        super().__init__()
        self.principle = one_of("principle", principle, PRINCIPLES)
        self.cost = one_of("cost", cost, self.costs)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.check = check

    def logits(self, prediction: torch.Tensor) -> torch.Tensor:
        """Return the logit of every sign."""
        return prediction

    def forward(self, prediction: torch.Tensor, sets: Any) -> torch.Tensor:
        """Return the loss of a prediction (b, m) for the sets of b rows."""
        prediction = at_least_float32(prediction, self.name)
        if prediction.ndim != 2:
            raise ValueError(f"The {self.name}s must have shape (b, m). Got {tuple(prediction.shape)}.")
        values = batch(sets, prediction, center=self.principle == "average")
        same_rows(len(prediction), len(values), "sets", f"{self.name}s")
        x = self.logits(prediction)
        if values.ndim != 2:
            raise ValueError(f"Sets must have shape (b, {x.shape[1]}). Got {tuple(values.shape)}.")
        same_width(values.shape[1], x.shape[1], "The sets", f"signs of the {self.name}s")
        if self.cost == "logistic" and self.principle in FAST and not compiling():
            losses = _LogisticLoss.apply(x, *_answers(x.detach(), values, self.principle))
        else:
            losses = _signs(x, values.to(x.dtype), self.principle, self.cost).sum(dim=1)
        if self.check and not compiling():
            self._check(prediction, values, losses)
        return reduced(self.scale * losses if self.cost == self.costs[1] else losses, self.reduction)

    def _check(self, prediction: torch.Tensor, values: torch.Tensor, losses: torch.Tensor) -> None:
        if not all_finite(losses):
            raise_if_not_finite(prediction, self.name)
        beyond = _beyond(values, self.principle == "average")
        if beyond is not None and bool(beyond.abs().sum() != 0):
            wrong = beyond != 0
            rows = wrong.any(dim=1).nonzero().flatten()
            raise_for_rows(
                rows,
                (f"expected signs 1, -1 or 0 for unknown, got {values[r][wrong[r]][0]:g}" for r in rows.tolist()),
                "Missing values become 0 by `torch.nan_to_num`.",
            )

    def extra_repr(self) -> str:
        return f"{self.principle!r}, cost={self.cost!r}, reduction={self.reduction!r}"


class TagLoss(_SignLoss):
    """Binary cross-entropy of m partly known tags, the sum over j of softplus(-x_j y_j).

    ========================  =========================================================
    principle                 cost of an unknown tag
    ========================  =========================================================
    ``likelihood`` (default)  0: a masked cross-entropy; the loss is -log P(S)
    ``infimum``               softplus(-abs(x))
    ``average``               (softplus(x) + softplus(-x)) / 2
    ``supremum``              softplus(abs(x))
    ``disambiguation``        its mean under sigmoid(x), held fixed
    ========================  =========================================================

    Parameters
    ----------
    principle : {"likelihood", "infimum", "average", "supremum", "disambiguation"}, default "likelihood"
    cost : {"logistic", "hamming"}, default "logistic"
        `hamming` is the probability of a wrong tag, sigmoid(-x y); for large logits it is the Hamming loss.
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one. The loss of a row is a sum
        over its tags.
    check : bool, default True
        Whether invalid rows raise an error. Set it to False for speed.

    Examples
    --------
    >>> TagLoss()(torch.tensor([[0., 5.]]), torch.tensor([[1, 0]]))
    tensor(0.6931)
    >>> TagLoss("supremum", cost="hamming")(torch.tensor([[100., -100.]]), torch.tensor([[-1, 0]]))
    tensor(2.)
    """

    costs = ("logistic", "hamming")
    name = "logit"


class PartialOrderLoss(_SignLoss):
    """Logistic loss of the pairs of a partial order, for scores s of m items.

    The loss is the sum over i < j of softplus(-code_ij (s_i - s_j)). code_ij is 1 if i comes before j, so the item with
    the largest score comes first. Unknown pairs (0) cost as unknown tags in :class:`TagLoss`, independently of each
    other. For bucket orders (top-k lists, ranks with ties) this is the infimum or supremum over all linear extensions.
    Otherwise it is a lower bound of the infimum and an upper bound of the supremum. The average is exact with the mean
    codes of ``tensors(sets, center=True)``, or with `PartialOrders` themselves.

    Parameters
    ----------
    principle : {"likelihood", "infimum", "average", "supremum", "disambiguation"}, default "likelihood"
    cost : {"logistic", "kendall"}, default "logistic"
        `kendall` is 2 sigmoid(-code (s_i - s_j)) per pair; for scores that are far apart it is Kendall's loss, twice
        the number of discordant pairs.
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one. The loss of a row is a sum
        over its pairs.
    check : bool, default True
        Whether invalid rows raise an error. Set it to False for speed.

    Examples
    --------
    >>> codes = torch.tensor([[1, 0, 1]])  # 0 before 1, 1 before 2; the pair (0, 2) is unknown
    >>> PartialOrderLoss()(torch.tensor([[1., 0., -1.]]), codes)
    tensor(0.6265)
    >>> PartialOrderLoss("infimum", cost="kendall")(torch.tensor([[90., 0., -90.]]), -codes)
    tensor(4.)
    """

    costs = ("logistic", "kendall")
    name = "score"
    scale = 2.0

    def logits(self, prediction: torch.Tensor) -> torch.Tensor:
        """Return s_i - s_j for the items i < j, (b, m(m-1)/2)."""
        i, j = torch.triu_indices(prediction.shape[1], prediction.shape[1], 1, device=prediction.device)
        return prediction[:, i] - prediction[:, j]


def _beyond(values: torch.Tensor, means: bool) -> torch.Tensor | None:
    """Return a tensor that is not 0 for values that are not signs (or means of signs); None for valid integers."""
    if not values.is_floating_point():
        if values.dtype == torch.bool or not values.numel():
            return None
        low, high = values.aminmax()
        if int(low) >= -1 and int(high) <= 1:
            return None
        values = values.double()
    return (values.abs() - 1).clamp(min=0) if means else (values * values - 1) * values


def _signs(x: torch.Tensor, values: torch.Tensor, principle: str, cost: str) -> torch.Tensor:
    """Return the cost of every sign, (b, m)."""
    c = softplus if cost == "logistic" else torch.sigmoid
    if principle == "average":
        # the mean under P(y = 1) = (1 + value) / 2
        return ((1 + values) * c(-x) + (1 - values) * c(x)) / 2
    # 1 if known, else 0: multiplication is vectorised, selection by a boolean is not
    is_known = values * values
    known = c(-x * values) * is_known
    if principle == "likelihood":
        return known
    if principle == "disambiguation":
        q = torch.sigmoid(x.detach())
        unknown = q * c(-x) + (1 - q) * c(x)
    else:
        unknown = c(-x.abs() if principle == "infimum" else x.abs())
    return known + unknown * (1 - is_known)


def _answers(x: torch.Tensor, values: torch.Tensor, principle: str) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Return the sign y for every logit; and 1 for unknown signs, if those cost nothing."""
    y = values.to(x.dtype)
    if principle == "likelihood":
        signs = values.to(torch.int8)
        return y, 1 - signs * signs  # on one byte: a comparison would take ten times as long
    # unknown signs are those of x (the infimum) or the other ones (the supremum)
    unknown = (y * y).neg_().add_(1)
    return torch.addcmul(y, x.sign(), unknown, value=1 if principle == "infimum" else -1), None


class _LogisticLoss(torch.autograd.Function):
    """The sum over j of softplus(-x_j y_j) = -log prod_j s_j with s = sigmoid(x y), (b,); gradient -(1 - s) y.

    One logarithm is taken per 2^FOLDS factors. Rows with too small a product are summed one by one.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, y: torch.Tensor, free: torch.Tensor | None) -> torch.Tensor:
        s = (x * y).sigmoid_()
        products = _folded(s, torch.mul)
        small = bool(products.numel()) and not bool(products.amin() >= TINY)
        if free is not None:
            # an unknown sign has the factor sigmoid(0) = 1/2, which a power of 2 cancels exactly
            products = products * _folded(free, torch.add).to(s.dtype).exp2_()
        losses = 0 - products.log().sum(dim=1)
        if small:
            rows = (_folded(s, torch.mul).amin(dim=1) < TINY).nonzero().flatten()
            costs = softplus(-x[rows] * y[rows])
            losses[rows] = (costs if free is None else costs * (1 - free[rows])).sum(dim=1)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(torch.addcmul(y, s, y, value=-1, out=s))
        return losses

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor | None, None, None]:
        (descent,) = ctx.saved_tensors
        return descent * -g[:, None], None, None


def _folded(x: torch.Tensor, op: Callable) -> torch.Tensor:
    """Return the two halves of the columns combined by op, `FOLDS` times; a single remaining column is kept."""
    for _ in range(FOLDS):
        half = x.shape[1] // 2
        both, left = op(x[:, :half], x[:, half : 2 * half]), x[:, 2 * half :]
        x = torch.cat([both, left], dim=1) if left.shape[1] else both
    return x
