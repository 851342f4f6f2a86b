"""Soft disambiguation with a memory: weights on the candidates of every training row, moved by what the net says."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from ._common import (
    REDUCTIONS,
    compiling,
    finite,
    full,
    one_of,
    reduced,
    refuse,
    refuse_unreal,
    same_rows,
    same_width,
)
from .labels import REMEDY, TINY
from .tensors import tensors

LISTED = 4  # sets of at most m / 4 candidates are kept as lists


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
    sets : (n, m) boolean tensor, or CandidateLabels
        The candidates of all training rows. Where no row has more than m / 4 of them, they are kept as lists of the
        length k of the longest.
    momentum : float in [0, 1), default 0.5
    reduction, check
        As in :class:`SetCrossEntropy`.

    Attributes
    ----------
    weights : (n, k) or (n, m) tensor
        q on the listed candidates of every row, or on all classes. Saved and loaded with the state of the module.

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

    columns: torch.Tensor | None
    there: torch.Tensor
    weights: torch.Tensor

    def __init__(self, sets: Any, *, momentum: float = 0.5, reduction: str = "mean", check: bool = True):
        super().__init__()
        mask = sets if torch.is_tensor(sets) else tensors(sets)
        if mask.dtype != torch.bool or mask.ndim != 2:
            raise ValueError(
                f"Sets must be an (n, m) boolean mask or CandidateLabels. Got {mask.dtype} of shape"
                f" {tuple(mask.shape)}."
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
        # lists of candidates are read by gathering, whole rows by plain passes: several times faster an entry
        listed = bool(len(mask)) and LISTED * int(sizes.max()) <= self.m
        columns, there = _listed(mask, sizes) if listed else (None, mask.clone())
        self.register_buffer("columns", columns, persistent=False)
        self.register_buffer("there", there, persistent=False)
        self.register_buffer("weights", (there / sizes[:, None]).to(torch.get_default_dtype()))

    def forward(self, logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """The loss of logits (b, m) on the training rows (b,), whose weights move in training mode."""
        x = full(logits, "logits")
        rows = torch.as_tensor(rows, device=self.weights.device)
        self._refuse_rows(x, rows)
        at = None if self.columns is None else self.columns.index_select(0, rows).long()
        q = self._recall(rows, x)
        if compiling():
            moved = self._moved(x, rows, at, q) if self.training else None
            losses = _plain(x, at, q)
        else:
            p = torch.softmax(x.detach(), dim=1)
            moved = self._moved(x, rows, at, q, p) if self.training else None
            losses = _Against.apply(x, p, at, q)
            if not finite(losses):
                q = self._recall(rows, x)
                losses = _plain(x, at, q)
                if self.check and not finite(losses):
                    used = (q if at is None else torch.zeros_like(x).scatter_add_(1, at, q)) > 0
                    refuse_unreal(torch.where(used | (x != -torch.inf), x.detach(), 0.0), "logit")
        if moved is not None:
            self.weights.index_copy_(0, rows, moved.to(self.weights.dtype))
        return reduced(losses, self.reduction)

    def _recall(self, rows: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """A copy of the weights of some rows, in the precision of x."""
        return self.weights.index_select(0, rows).to(x.dtype)

    @torch.no_grad()
    def _moved(
        self,
        x: torch.Tensor,
        rows: torch.Tensor,
        at: torch.Tensor | None,
        q: torch.Tensor,
        p: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """momentum q + (1 - momentum) p / P(S), for the rows of a batch; from p where it is known."""
        there = self.there.index_select(0, rows)
        if at is None and p is not None:
            w = there.view(torch.uint8).to(p.dtype).mul_(p)
            mass = w.sum(dim=1)
            if not bool((mass < TINY).any()):
                return w.mul_(((1 - self.momentum) / mass)[:, None]).add_(q, alpha=self.momentum)
        own = x if at is None else x.gather(1, at)
        return torch.lerp(torch.softmax(torch.where(there, own, -torch.inf), dim=1), q, self.momentum)

    def probabilities(self) -> torch.Tensor:
        """q over all classes, (n, m)."""
        if self.columns is None:
            return self.weights.clone()
        dense = torch.zeros(len(self.weights), self.m, dtype=self.weights.dtype, device=self.weights.device)
        return dense.scatter_add_(1, self.columns.long(), self.weights)

    def labels(self) -> torch.Tensor:
        """The candidate with the largest weight, (n,); among equals the first."""
        best = self.weights.argmax(dim=1, keepdim=True)
        return (best if self.columns is None else self.columns.gather(1, best)).flatten().long()

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


def _plain(x: torch.Tensor, at: torch.Tensor | None, q: torch.Tensor) -> torch.Tensor:
    """-<q, log p>, (b,), where what has no weight may be impossible."""
    logp = torch.log_softmax(x, dim=1)
    logp = logp if at is None else logp.gather(1, at)
    return -(q * torch.where(q > 0, logp, 0.0)).sum(dim=1)


class _Against(torch.autograd.Function):
    """The same from p = softmax(x), with p - q left behind for the gradient. Both p and q are used up."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, p: torch.Tensor, at: torch.Tensor | None, q: torch.Tensor) -> torch.Tensor:
        total = x.amax(dim=1) - p.amax(dim=1).log_()  # log of the sum of exp(x): the largest p is never small
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(p.sub_(q) if at is None else p.scatter_add_(1, at, -q))
        return total - q.mul_(x if at is None else x.gather(1, at)).sum(dim=1)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor | None, None, None, None]:
        (difference,) = ctx.saved_tensors
        return difference * g[:, None], None, None, None
