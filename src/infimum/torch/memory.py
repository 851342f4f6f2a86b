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

        q_i <- momentum q_i + (1 - momentum) p / P(S_i)   on S_i.

    So a net is never taught by the prediction that it makes at this very step, as the library's own disambiguation
    leaves a row out of its own update, and the average over visits keeps a first guess from confirming itself.
    momentum=0 is the published rule of PRODEN.

    Parameters
    ----------
    sets : (n, m) boolean tensor, or Subsets
        The candidates of all training rows. They are kept as lists, of the length of the longest: (n, k) numbers.
    momentum : float in [0, 1), default 0.5
    reduction, check
        As in :class:`SetCrossEntropy`.

    Attributes
    ----------
    weights : (n, k) tensor
        q on the candidates of every row, saved and loaded with the state of the module.

    References
    ----------
    Lv et al. (2020), Progressive identification of true labels for partial-label learning.

    Examples
    --------
    >>> loss = SoftDisambiguation(torch.tensor([[True, True, False], [False, True, True]]))
    >>> logits = torch.tensor([[2., 0., 0.]])
    >>> loss(logits, torch.tensor([0]))
    tensor(1.2395)
    >>> loss.probabilities()
    tensor([[0.6904, 0.3096, 0.0000],
            [0.0000, 0.5000, 0.5000]])
    >>> loss.labels()
    tensor([0, 1])
    """

    columns: torch.Tensor
    sizes: torch.Tensor
    weights: torch.Tensor

    def __init__(self, sets: Any, *, momentum: float = 0.5, reduction: str = "mean", check: bool = True):
        super().__init__()
        mask = sets if torch.is_tensor(sets) else tensors(sets)
        if mask.dtype != torch.bool or mask.ndim != 2:
            raise ValueError(
                f"Sets must be an (n, m) boolean mask or Subsets. Got {mask.dtype} of shape {tuple(mask.shape)}."
            )
        sizes = mask.sum(dim=1)
        empty = (sizes == 0).nonzero().flatten()
        refuse(empty, ["an empty set of candidates"] * len(empty), REMEDY)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must be a number in [0, 1). Got {momentum!r}.")
        self.momentum = float(momentum)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.check = check
        self.m = mask.shape[1]
        columns, there = _listed(mask, sizes)
        self.register_buffer("columns", columns, persistent=False)
        self.register_buffer("sizes", sizes, persistent=False)
        self.register_buffer("weights", (there / sizes[:, None]).to(torch.get_default_dtype()))

    def forward(self, logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """The loss of logits (b, m) on the training rows (b,), whose weights move in training mode."""
        x = full(logits, "logits")
        rows = torch.as_tensor(rows, device=self.weights.device)
        self._refuse_rows(x, rows)
        at = self.columns.index_select(0, rows).long()
        q = self.weights.index_select(0, rows).to(x.dtype)
        if compiling():
            losses = _plain(x, at, q)
        else:
            losses = _Against.apply(x, at, q)
            if not finite(losses):
                losses = _plain(x, at, q)
                if self.check and not finite(losses):
                    used = torch.zeros_like(x, dtype=q.dtype).scatter_add_(1, at, q) > 0
                    refuse_unreal(torch.where(used | (x != -torch.inf), x.detach(), 0.0), "logit")
        if self.training:
            self._move(x.detach(), rows, at, q)
        return reduced(losses, self.reduction)

    @torch.no_grad()
    def _move(self, x: torch.Tensor, rows: torch.Tensor, at: torch.Tensor, q: torch.Tensor) -> None:
        there = torch.arange(at.shape[1], device=at.device) < self.sizes.index_select(0, rows)[:, None]
        seen = torch.softmax(torch.where(there, x.gather(1, at), -torch.inf), dim=1)
        self.weights.index_copy_(0, rows, torch.lerp(seen, q, self.momentum).to(self.weights.dtype))

    def probabilities(self) -> torch.Tensor:
        """q over all classes, (n, m)."""
        n = len(self.weights)
        dense = torch.zeros(n, self.m, dtype=self.weights.dtype, device=self.weights.device)
        return dense.scatter_add_(1, self.columns.long(), self.weights)

    def labels(self) -> torch.Tensor:
        """The candidate with the largest weight, (n,); among equals the first."""
        return self.columns.gather(1, self.weights.argmax(dim=1, keepdim=True)).flatten().long()

    def _refuse_rows(self, x: torch.Tensor, rows: torch.Tensor) -> None:
        n = len(self.weights)
        if rows.dtype not in (torch.int64, torch.int32) or rows.ndim != 1:
            raise ValueError(f"Give the (b,) numbers of the training rows. Got {rows.dtype} of {tuple(rows.shape)}.")
        same_rows(len(x), len(rows), "row numbers", "logits")
        same_width(self.m, x.shape[1], "The sets", "logits")
        if self.check and not compiling():
            off = ((rows < 0) | (rows >= n)).nonzero().flatten()
            refuse(off, (f"{rows[k]} is no training row" for k in off.tolist()), f"Rows are numbered 0 to {n - 1}.")

    def extra_repr(self) -> str:
        return f"{len(self.weights)} rows of {self.m} classes, momentum={self.momentum:g}"


def _listed(mask: torch.Tensor, sizes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The candidates of every row in order, (n, k), padded with column 0, and which of them are there."""
    row, column = mask.nonzero(as_tuple=True)
    first = torch.cumsum(sizes, 0) - sizes
    shape = len(mask), int(sizes.max()) if len(mask) else 1
    columns = torch.zeros(shape, dtype=torch.int32, device=mask.device)
    there = torch.zeros(shape, dtype=torch.bool, device=mask.device)
    place = torch.arange(len(row), device=mask.device) - first[row]
    columns[row, place], there[row, place] = column.to(torch.int32), True
    return columns, there


def _plain(x: torch.Tensor, at: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """-<q, log p>, (b,), where what has no weight may be impossible."""
    logp = torch.log_softmax(x, dim=1).gather(1, at)
    return -(q * torch.where(q > 0, logp, 0.0)).sum(dim=1)


class _Against(torch.autograd.Function):
    """The same with p - q left behind for the gradient."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, at: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
        p = torch.softmax(x, dim=1)
        losses = x.amax(dim=1) - p.amax(dim=1).log_() - (q * x.gather(1, at)).sum(dim=1)
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(p.scatter_add_(1, at, -q))
        return losses

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor | None, None, None]:
        (difference,) = ctx.saved_tensors
        return difference * g[:, None], None, None
