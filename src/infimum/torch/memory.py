"""Soft disambiguation with a memory: weights on the candidates of every training row, moved by what the net says."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ._common import REDUCTIONS, compiling, finite, full, one_of, reduced, refuse, refuse_unreal, same_rows, same_width
from .labels import REMEDY
from .tensors import tensors


class SoftDisambiguation(nn.Module):
    """-sum over S_i of q_i(y) log p(y), against weights q_i that are kept for every training row i.

    q_i is uniform on S_i at first. On every visit of row i in training mode, the loss is taken against q_i **as earlier
    visits left it**, and only then

        q_i <- momentum q_i + (1 - momentum) r_i,      r_i(y) proportional to p(y)^k on S_i,
        k = min(cap, 1 + visits / ramp).

    So a net is never taught by the prediction that it makes at this very step, as the library's own disambiguation
    leaves a row out of its own update; the average over visits keeps a first guess from confirming itself, and the
    growing exponent lets rows decide late. momentum=0 with cap=1 is the published rule of PRODEN.

    Parameters
    ----------
    sets : (n, m) boolean tensor, or Subsets
        The candidates of all training rows.
    momentum : float in [0, 1), default 0.9
    ramp, cap : float
        How fast, in visits, and up to where the exponent grows.
    reduction, check
        As in :class:`SetCrossEntropy`.

    Attributes
    ----------
    weights : (n, m) tensor
        q, saved and loaded with the state of the module.

    References
    ----------
    Lv et al. (2020), Progressive identification of true labels for partial-label learning.

    Examples
    --------
    >>> loss = SoftDisambiguation(torch.tensor([[True, True, False], [False, True, True]]), momentum=0.5)
    >>> logits = torch.tensor([[2., 0., 0.]])
    >>> loss(logits, torch.tensor([0])), loss.weights[0]
    (tensor(1.2395), tensor([0.6904, 0.3096, 0.0000]))
    >>> loss.labels()
    tensor([0, 1])
    """

    weights: torch.Tensor
    mask: torch.Tensor
    visits: torch.Tensor

    def __init__(
        self,
        sets: Any,
        *,
        momentum: float = 0.9,
        ramp: float = 20.0,
        cap: float = 2.0,
        reduction: str = "mean",
        check: bool = True,
    ):
        super().__init__()
        mask = sets if torch.is_tensor(sets) else tensors(sets)
        if mask.dtype != torch.bool or mask.ndim != 2:
            raise ValueError(
                f"Sets must be an (n, m) boolean mask or Subsets. Got {mask.dtype} of shape {tuple(mask.shape)}."
            )
        empty = (~mask.any(dim=1)).nonzero().flatten()
        refuse(empty, ["an empty set of candidates"] * len(empty), REMEDY)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must be a number in [0, 1). Got {momentum!r}.")
        if not (ramp > 0 and cap >= 1):
            raise ValueError(f"ramp must be > 0 and cap >= 1. Got ramp={ramp!r} and cap={cap!r}.")
        self.momentum, self.ramp, self.cap = float(momentum), float(ramp), float(cap)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.check = check
        self.register_buffer("mask", mask.clone(), persistent=False)
        self.register_buffer("weights", (mask / mask.sum(dim=1, keepdim=True)).to(torch.get_default_dtype()))
        self.register_buffer("visits", torch.zeros(len(mask), dtype=torch.get_default_dtype()))

    def forward(self, logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """The loss of logits (b, m) on the training rows (b,), whose weights move in training mode."""
        x = full(logits, "logits")
        rows = torch.as_tensor(rows, device=self.weights.device)
        self._refuse_rows(x, rows)
        q = self.weights.index_select(0, rows).to(x.dtype)
        if compiling():
            losses = _plain(x, q)
        else:
            losses = _Against.apply(x, q)
            if not finite(losses):
                losses = _plain(x, q)
                if self.check and not finite(losses):
                    refuse_unreal(torch.where((q > 0) | (x != -torch.inf), x.detach(), 0.0), "logit")
        if self.training:
            self._move(x.detach(), rows, q)
        return reduced(losses, self.reduction)

    @torch.no_grad()
    def _move(self, x: torch.Tensor, rows: torch.Tensor, q: torch.Tensor) -> None:
        power = (1 + self.visits[rows] / self.ramp).clamp(max=self.cap)[:, None]
        mask = self.mask.index_select(0, rows)
        seen = torch.softmax(torch.where(mask, power * x, -torch.inf), dim=1)
        self.weights.index_copy_(0, rows, torch.lerp(seen, q, self.momentum).to(self.weights.dtype))
        self.visits[rows] += 1

    def labels(self) -> torch.Tensor:
        """The candidate with the largest weight, (n,)."""
        return self.weights.argmax(dim=1)

    def _refuse_rows(self, x: torch.Tensor, rows: torch.Tensor) -> None:
        n, m = self.weights.shape
        same_rows(len(x), len(rows), "row numbers", "logits")
        same_width(m, x.shape[1], "The sets", "logits")
        if rows.dtype not in (torch.int64, torch.int32) or rows.ndim != 1:
            raise ValueError(f"Give the (b,) numbers of the training rows. Got {rows.dtype} of {tuple(rows.shape)}.")
        if self.check and not compiling():
            off = ((rows < 0) | (rows >= n)).nonzero().flatten()
            refuse(off, (f"{rows[k]} is no training row" for k in off.tolist()), f"Rows are numbered 0 to {n - 1}.")

    def extra_repr(self) -> str:
        n, m = self.weights.shape
        return f"{n} rows of {m} classes, momentum={self.momentum:g}, ramp={self.ramp:g}, cap={self.cap:g}"


def _plain(x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """-<q, log p>, (b,), where what has no weight may be impossible."""
    return -(q * torch.where(q > 0, torch.log_softmax(x, dim=1), 0.0)).sum(dim=1)


class _Against(torch.autograd.Function):
    """The same with p - q left behind for the gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
        p = torch.softmax(x, dim=1)
        losses = x.amax(dim=1) - p.amax(dim=1).log_() - (q * x).sum(dim=1)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(p.sub_(q))
        return losses

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor | None, None]:
        (difference,) = ctx.saved_tensors
        return difference * g[:, None], None
