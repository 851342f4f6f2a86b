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
from .labels import REMEDY
from .tensors import tensors


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
        The candidates of all training rows.
    momentum : float in [0, 1), default 0.5
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one.
    check : bool, default True
        Whether invalid rows raise an error. Set it to False for speed.

    Attributes
    ----------
    weights : (n, m) tensor
        The soft labels q; part of the module's state.

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
        self.register_buffer("there", mask.clone(), persistent=False)
        self.register_buffer("weights", (mask / sizes[:, None]).to(torch.get_default_dtype()))

    def forward(self, logits: torch.Tensor, rows: torch.Tensor) -> torch.Tensor:
        """Return the loss of logits (b, m) for the training rows (b,), and update their soft labels in training."""
        x = at_least_float32(logits, "logits")
        rows = torch.as_tensor(rows, device=self.weights.device)
        self._check_rows(x, rows)
        q, there = self.weights[rows].to(x.dtype), self.there[rows]
        losses = -torch.where(q > 0, q * torch.log_softmax(x, dim=1), 0.0).sum(dim=1)
        if self.check and not compiling() and not all_finite(losses):
            raise_if_not_finite(torch.where((q > 0) | (x != -torch.inf), x.detach(), 0.0), "logit")
        if self.training:
            # the update of `disambiguation.soft_update` with power 1, on the device of the network
            seen = torch.softmax(torch.where(there, x.detach(), -torch.inf), dim=1)
            self.weights.index_copy_(0, rows, torch.lerp(seen, q, self.momentum).to(self.weights.dtype))
        return reduced(losses, self.reduction)

    def probabilities(self) -> torch.Tensor:
        """Return a copy of q, (n, m)."""
        return self.weights.clone()

    def labels(self) -> torch.Tensor:
        """Return the candidate with the largest soft label, (n,); the first among equals."""
        return self.weights.argmax(dim=1)

    def _check_rows(self, x: torch.Tensor, rows: torch.Tensor) -> None:
        n = len(self.weights)
        if rows.dtype not in (torch.int64, torch.int32) or rows.ndim != 1:
            raise ValueError(f"Pass the (b,) numbers of the training rows. Got {rows.dtype} of {tuple(rows.shape)}.")
        same_rows(len(x), len(rows), "row numbers", "logits")
        same_width(self.weights.shape[1], x.shape[1], "The sets", "logits")
        if self.check and not compiling():
            off = ((rows < 0) | (rows >= n)).nonzero().flatten()
            messages = (f"{rows[k]} is not a training row" for k in off.tolist())
            raise_for_rows(off, messages, f"Rows are numbered 0 to {n - 1}.")

    def extra_repr(self) -> str:
        n, m = self.weights.shape
        return f"{n} rows of {m} classes, momentum={self.momentum:g}"
