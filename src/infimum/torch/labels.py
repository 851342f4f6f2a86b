"""Losses on class logits and sets of candidates: cross-entropy by principle, and the expected value of any cost.

Every principle of the cross-entropy is a cross-entropy against weights q on S, and its gradient is p - q: the infimum
puts q on the best candidate, the supremum on the worst, the average evenly, the likelihood in proportion to p.
"""

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
from .tensors import batch

PRINCIPLES = ("infimum", "average", "supremum", "likelihood", "disambiguation")
TINY = 1e-30  # a smaller mass of S is summed in logarithms
REMEDY = "Every set must contain the true label: give a row of which nothing is known all True."


class SetCrossEntropy(nn.Module):
    """The cross-entropy -log p(y), p = softmax(logits), over the y of a set.

    ==================  =====================================================  ===============================
    principle           L(logits, S)                                           weights q on S
    ==================  =====================================================  ===============================
    ``infimum``         min over S of -log p(y)                                on the most probable y
    ``average``         mean over S of -log p(y)                               all alike
    ``supremum``        max over S of -log p(y)                                on the least probable y
    ``likelihood``      -log P(S) = -log of the sum of p over S (the CC risk)  p / P(S)
    ``disambiguation``  -sum over S of q(y) log p(y), with q held fixed        p^power / sum of p^power over S
    ==================  =====================================================  ===============================

    The gradient is p - q in every case: at power 1, likelihood and disambiguation train the same net. Weights that are
    remembered from earlier epochs, which PRODEN has, are those of :class:`SoftDisambiguation`.

    Parameters
    ----------
    principle : {"infimum", "average", "supremum", "likelihood", "disambiguation"}, default "likelihood"
    power : float, default 1
        For disambiguation: above 1, weights decide faster.
    reduction : {"mean", "sum", "none"}, default "mean"
    check : bool, default True
        Look at the values: an empty set or a logit that is no number is an error that names the row. It costs one look
        at a (b,) tensor. Compiled code has no such look.

    References
    ----------
    Feng et al. (2020), Provably consistent partial-label learning: CC. Lv et al. (2020), Progressive identification of
    true labels for partial-label learning: PRODEN.

    Examples
    --------
    >>> logits = torch.tensor([[2., 1., 0.], [0., 0., 3.]])
    >>> sets = torch.tensor([[True, True, False], [True, True, True]])
    >>> SetCrossEntropy("likelihood", reduction="none")(logits, sets)
    tensor([0.0943, 0.0000])
    >>> SetCrossEntropy("infimum", reduction="none")(logits, sets)
    tensor([0.4076, 0.0949])
    """

    def __init__(
        self, principle: str = "likelihood", *, power: float = 1.0, reduction: str = "mean", check: bool = True
    ):
        super().__init__()
        self.principle = one_of("principle", principle, PRINCIPLES)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        if not power > 0:
            raise ValueError(f"power must be a number > 0. Got {power!r}.")
        self.power = float(power)
        self.check = check

    def forward(self, logits: torch.Tensor, sets: Any) -> torch.Tensor:
        """The loss of logits (b, m) on sets: (b, m) boolean, b rows of `CandidateLabels`, or (b,) known classes."""
        x = full(logits, "logits")
        mask = candidates(sets, x)
        if compiling():
            return reduced(_plain(x, mask, self.principle, self.power), self.reduction)
        losses = _Fast.apply(x, mask, self.principle, self.power)
        if not finite(losses):
            # tiny masses and infinite logits need logarithms throughout; what is bad stays bad
            losses = _plain(x, mask, self.principle, self.power)
            if self.check and not finite(losses):
                _refuse(x, mask)
        return reduced(losses, self.reduction)

    def extra_repr(self) -> str:
        return f"{self.principle!r}, reduction={self.reduction!r}"


class SetCost(nn.Module):
    """inf, mean or sup over y in S of the expected cost sum_z p(z) cost[z, y], p = softmax(logits).

    The relaxation of any finite loss l(z, y) = cost[z, y] from outputs z to probabilities of them; where p is sure of
    z it is the library's L(z, S).

    Parameters
    ----------
    cost : (m, m) array or tensor
        cost[z, y] of saying z where y is true; 1 - identity is the 0-1 loss.
    principle : {"infimum", "average", "supremum"}, default "infimum"
    reduction, check
        As in :class:`SetCrossEntropy`.

    Examples
    --------
    >>> ordinal = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    >>> SetCost(ordinal)(torch.tensor([[50., 0., 0.]]), torch.tensor([[False, True, True]]))
    tensor(1.)
    """

    cost: torch.Tensor

    def __init__(self, cost: Any, principle: str = "infimum", *, reduction: str = "mean", check: bool = True):
        super().__init__()
        cost = torch.as_tensor(cost)
        cost = cost if cost.is_floating_point() else cost.to(torch.get_default_dtype())
        if cost.ndim != 2 or cost.shape[0] != cost.shape[1] or not bool(torch.isfinite(cost).all()):
            raise ValueError(f"cost must be a square matrix of finite numbers. Got shape {tuple(cost.shape)}.")
        self.register_buffer("cost", cost)
        self.principle = one_of("principle", principle, PRINCIPLES[:3])
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        self.check = check

    def forward(self, logits: torch.Tensor, sets: Any) -> torch.Tensor:
        """The loss of logits (b, m) on sets, as in :class:`SetCrossEntropy`."""
        x = full(logits, "logits")
        mask = candidates(sets, x)
        same_width(self.cost.shape[0], x.shape[1], "The cost matrix", "logits")
        with torch.autocast(x.device.type, enabled=False):
            expected = torch.softmax(x, dim=1) @ self.cost.to(x.dtype)  # (b, y)
        if self.principle == "average":
            losses = torch.where(mask, expected, 0.0).sum(dim=1) / mask.sum(dim=1)
        elif self.principle == "infimum":
            losses = torch.where(mask, expected, torch.inf).amin(dim=1)
        else:
            losses = torch.where(mask, expected, -torch.inf).amax(dim=1)
        if self.check and not compiling() and not finite(losses):
            _refuse(x, mask)
        return reduced(losses, self.reduction)

    def extra_repr(self) -> str:
        return f"{self.principle!r} over {len(self.cost)} classes, reduction={self.reduction!r}"


def candidates(sets: Any, x: torch.Tensor) -> torch.Tensor:
    """The sets of a batch as a (b, m) boolean mask beside the logits x."""
    if x.ndim != 2:
        raise ValueError(f"Logits must have shape (b, m), one row for each set. Got {tuple(x.shape)}.")
    mask = batch(sets, x)
    same_rows(len(x), len(mask), "sets", "logits")
    if mask.ndim == 1 and mask.dtype == torch.int64:
        return torch.nn.functional.one_hot(mask, x.shape[1]).bool()
    if mask.dtype != torch.bool or mask.ndim != 2:
        raise ValueError(
            f"Sets must be a (b, m) boolean mask, rows of CandidateLabels, or (b,) known classes. Got {mask.dtype} of"
            f" shape {tuple(mask.shape)}. A mask of 0 and 1 becomes boolean by `mask == 1`."
        )
    same_width(mask.shape[1], x.shape[1], "The sets", "logits")
    return mask


def _refuse(x: torch.Tensor, mask: torch.Tensor) -> None:
    """Say which rows of a batch have a loss that is no number, and why."""
    empty = (~mask.any(dim=1)).nonzero().flatten()
    refuse(empty, ["an empty set of candidates"] * len(empty), REMEDY)
    x = x.detach()
    # -inf may rule a class out, but not one that the set holds
    refuse_unreal(torch.where(mask | (x != -torch.inf), x, 0.0), "logit")


def _plain(x: torch.Tensor, mask: torch.Tensor, principle: str, power: float) -> torch.Tensor:
    """The losses (b,) by their definition, in logarithms throughout."""
    if principle == "likelihood":
        (most, total), (best, mass) = _total(x), _total(torch.where(mask, x, -torch.inf))
        return (most - best) + (total.log() - mass.log())
    logp = torch.log_softmax(x, dim=1)
    if principle == "infimum":
        return -torch.where(mask, logp, -torch.inf).amax(dim=1)
    if principle == "supremum":
        return -torch.where(mask, logp, torch.inf).amin(dim=1)
    if principle == "average":
        q = mask / mask.sum(dim=1, keepdim=True)
    else:
        q = torch.softmax(torch.where(mask, power * logp.detach(), -torch.inf), dim=1)
    return -(q * torch.where(mask, logp, 0.0)).sum(dim=1)


def _total(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The maximum a of x, and the sum of exp(x - a): kept apart, since a + log(sum) rounds away what gradients need."""
    shift = x.detach().amax(dim=1)
    return shift, (x - shift[:, None]).exp().sum(dim=1)


class _Fast(torch.autograd.Function):
    """The same losses in few passes: softmax once, no branch per entry, and p - q left behind for the gradient.

    Masks become numbers, since adding and multiplying are vectorised and choosing by a boolean is not. What this
    cannot hold comes out as infinite or NaN, and is then computed by `_plain`.
    """

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, mask: torch.Tensor, principle: str, power: float) -> torch.Tensor:
        p = torch.softmax(x, dim=1)
        extreme = principle in ("infimum", "supremum")
        if extreme:
            best, w = _best(p, mask, principle)
            losses = 0 - torch.where(best < TINY, torch.nan, best).clamp_(max=1).log_()
        else:
            w = mask.view(torch.uint8).to(x.dtype)
            w = w if principle == "average" else w.mul_(p)
            w = w.pow_(power) if principle == "disambiguation" and power != 1 else w
        mass = w.sum(dim=1)
        mass = torch.where(mass < TINY, torch.nan, mass)
        if principle == "likelihood":
            losses = 0 - mass.clamp(max=1).log_()
        elif not extreme:
            total = x.amax(dim=1) - p.amax(dim=1).log_()  # log of the sum of exp(x): the largest p is never small
        if ctx.needs_input_grad[0]:
            ctx.save_for_backward(p.addcmul_(w, mass.reciprocal()[:, None], value=-1))  # p - q, q = w / mass
        return losses if extreme or principle == "likelihood" else total - w.mul_(x).sum(dim=1) / mass

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor | None, None, None, None]:
        (difference,) = ctx.saved_tensors
        return difference * g[:, None], None, None, None


def _best(p: torch.Tensor, mask: torch.Tensor, principle: str) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest p over S (the smallest, for the supremum), and a 1 where it is attained."""
    if principle == "infimum":
        w = mask.view(torch.uint8).to(p.dtype).mul_(p)
        best = w.amax(dim=1)
    else:
        w = (~mask).view(torch.uint8).to(p.dtype)
        torch.add(p, w, alpha=2, out=w)  # beyond every probability outside of S
        best = w.amin(dim=1)
        best = torch.where(best < 2, best, torch.nan)
    w.eq_(best[:, None])
    return best, w
