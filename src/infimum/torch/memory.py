"""Soft disambiguation with a memory: soft labels of every training row, updated by the predictions of a network."""

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
    same_width,
)
from .labels import REMEDY, TINY
from .tensors import tensors

LISTED = 4  # sets of at most m / 4 candidates are stored as lists


class SoftDisambiguation(nn.Module):
    """Cross-entropy with soft labels q_i that are kept for every training row i.

    The loss is -sum over S_i of q_i(y) log p(y). q_i is uniform on S_i at first. On every visit of row i in training
    mode, the loss uses q_i **from earlier visits**, and then

        q_i <- momentum q_i + (1 - momentum) p / P(S_i)   on S_i.

    So a network is not trained on its prediction of the same step, as the library's own disambiguation leaves a row out
    of its own update. The average over visits prevents a first guess from confirming itself. momentum=0 is the
    published rule of PRODEN.

    Parameters
    ----------
    sets : (n, m) boolean tensor, or CandidateLabels
        The candidates of all training rows. If no row has more than m / 4 of them, they are stored as lists of the
        length k of the longest.
    momentum : float in [0, 1), default 0.5
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one.
    check : bool, default True
        Whether invalid rows raise an error. Set it to False for speed.

    Attributes
    ----------
    weights : (n, k) or (n, m) tensor
        The soft labels q of the listed candidates of every row, or of all classes; part of the module's state.

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
        raise_for_rows(empty, ["an empty set of candidates"] * len(empty), REMEDY)
        if not 0 <= momentum < 1:
            raise ValueError(f"momentum must be a number in [0, 1). Got {momentum!r}.")
        self.momentum = float(momentum)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.check = check
        self.m = mask.shape[1]
        # gathering from lists is several times slower per entry than a pass over whole rows
        listed = bool(len(mask)) and LISTED * int(sizes.max()) <= self.m
        columns, there = _listed(mask, sizes) if listed else (None, mask.clone())
        self.register_buffer("columns", columns, persistent=False)
        self.register_buffer("there", there, persistent=False)
        self.register_buffer("weights", (there / sizes[:, None]).to(torch.get_default_dtype()))

    def forward(self, logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return the loss of logits (b, m) for the training rows (b,), and update their soft labels in training."""
        x = at_least_float32(logits, "logits")
        rows = torch.as_tensor(rows, device=self.weights.device)
        self._check_rows(x, rows)
        at = None if self.columns is None else self.columns.index_select(0, rows).long()
        q = self._soft_labels(rows, x)
        if compiling():
            updated = self._updated(x, rows, at, q) if self.training else None
            losses = _plain(x, at, q)
        else:
            p = torch.softmax(x.detach(), dim=1)
            updated = self._updated(x, rows, at, q, p) if self.training else None
            losses = _SoftCrossEntropy.apply(x, p, at, q)
            if not all_finite(losses):
                q = self._soft_labels(rows, x)
                losses = _plain(x, at, q)
                if self.check and not all_finite(losses):
                    used = (q if at is None else torch.zeros_like(x).scatter_add_(1, at, q)) > 0
                    raise_if_not_finite(torch.where(used | (x != -torch.inf), x.detach(), 0.0), "logit")
        if updated is not None:
            self.weights.index_copy_(0, rows, updated.to(self.weights.dtype))
        return reduced(losses, self.reduction)

    def _soft_labels(self, rows: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        """Return a copy of the soft labels of some rows, in the precision of x."""
        return self.weights.index_select(0, rows).to(x.dtype)

    @torch.no_grad()
    def _updated(
        self,
        x: torch.Tensor,
        rows: torch.Tensor,
        at: torch.Tensor | None,
        q: torch.Tensor,
        p: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Return momentum q + (1 - momentum) p / P(S), for the rows of a batch; p is computed if not given."""
        # The second term is `disambiguation.soft_update` with power 1. It is repeated here for tensors, because it runs
        # in every training step: it stays on the device of the network, works in place, and starts from logits.
        there = self.there.index_select(0, rows)
        if at is None and p is not None:
            w = there.view(torch.uint8).to(p.dtype).mul_(p)
            mass = w.sum(dim=1)
            if not bool((mass < TINY).any()):
                return w.mul_(((1 - self.momentum) / mass)[:, None]).add_(q, alpha=self.momentum)
        own = x if at is None else x.gather(1, at)
        return torch.lerp(torch.softmax(torch.where(there, own, -torch.inf), dim=1), q, self.momentum)

    def probabilities(self) -> torch.Tensor:
        """Return q for all classes, (n, m)."""
        if self.columns is None:
            return self.weights.clone()
        dense = torch.zeros(len(self.weights), self.m, dtype=self.weights.dtype, device=self.weights.device)
        return dense.scatter_add_(1, self.columns.long(), self.weights)

    def labels(self) -> torch.Tensor:
        """Return the candidate with the largest soft label, (n,); the first among equals."""
        best = self.weights.argmax(dim=1, keepdim=True)
        return (best if self.columns is None else self.columns.gather(1, best)).flatten().long()

    def _check_rows(self, x: torch.Tensor, rows: torch.Tensor) -> None:
        n = len(self.weights)
        if rows.dtype not in (torch.int64, torch.int32) or rows.ndim != 1:
            raise ValueError(f"Pass the (b,) numbers of the training rows. Got {rows.dtype} of {tuple(rows.shape)}.")
        same_rows(len(x), len(rows), "row numbers", "logits")
        same_width(self.m, x.shape[1], "The sets", "logits")
        if self.check and not compiling():
            off = ((rows < 0) | (rows >= n)).nonzero().flatten()
            messages = (f"{rows[k]} is not a training row" for k in off.tolist())
            raise_for_rows(off, messages, f"Rows are numbered 0 to {n - 1}.")

    def extra_repr(self) -> str:
        return f"{len(self.weights)} rows of {self.m} classes, momentum={self.momentum:g}"


def _listed(mask: torch.Tensor, sizes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the candidates of every row in order, (n, k), padded with column 0, and which of them are used."""
    row, column = mask.nonzero(as_tuple=True)
    first = torch.cumsum(sizes, 0) - sizes
    shape = len(mask), int(sizes.max()) if len(mask) else 1
    columns = torch.zeros(shape, dtype=torch.int32, device=mask.device)
    there = torch.zeros(shape, dtype=torch.bool, device=mask.device)
    place = torch.arange(len(row), device=mask.device) - first[row]
    columns[row, place], there[row, place] = column.to(torch.int32), True
    return columns, there


def _plain(x: torch.Tensor, at: torch.Tensor | None, q: torch.Tensor) -> torch.Tensor:
    """Return -<q, log p>, (b,); p may be 0 for entries with q = 0."""
    logp = torch.log_softmax(x, dim=1)
    logp = logp if at is None else logp.gather(1, at)
    return -(q * torch.where(q > 0, logp, 0.0)).sum(dim=1)


class _SoftCrossEntropy(torch.autograd.Function):
    """The same from p = softmax(x), with p - q saved for the gradient. It overwrites p and q."""

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
