"""Losses for class logits and candidate sets: cross-entropy for every principle, and the expected value of any cost.

Every principle is a cross-entropy with soft labels q on S, and its gradient is p - q. The infimum puts q on the best
candidate, the supremum on the worst, the average uniformly on S, the likelihood in proportion to p.
"""

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
from .tensors import batch

PRINCIPLES = ("infimum", "average", "supremum", "likelihood", "disambiguation")
FALLIBLE = ("likelihood", "disambiguation")  # principles under which sets may miss the true label
UNIT_SUM = 0.01  # the sum of the probabilities of a soft label may differ from 1 by this much
TINY = 1e-30  # a smaller probability of S is computed in logarithms
REMEDY = "Every set must contain the true label. An unlabelled row is all True."


class SetCrossEntropy(nn.Module):
    """Cross-entropy for candidate sets.

    The loss combines -log p(y), p = softmax(logits), over the labels y of a set S.

    ==================  =====================================================  ===============================
    principle           L(logits, S)                                           soft labels q on S
    ==================  =====================================================  ===============================
    ``infimum``         min over S of -log p(y)                                on the most probable y
    ``average``         mean over S of -log p(y)                               uniform
    ``supremum``        max over S of -log p(y)                                on the least probable y
    ``likelihood``      -log P(S) = -log of the sum of p over S (the CC risk)  p / P(S)
    ``disambiguation``  -sum over S of q(y) log p(y), with q held fixed        p^power / sum of p^power over S
    ==================  =====================================================  ===============================

    The gradient is p - q in every case, so at power 1 likelihood and disambiguation train the same network. For soft
    labels that are kept from earlier epochs, as in PRODEN, see :class:`SoftDisambiguation`.

    Parameters
    ----------
    principle : {"infimum", "average", "supremum", "likelihood", "disambiguation"}, default "likelihood"
    power : float, default 1
        For disambiguation: above 1, soft labels become sharper.
    leak : float, default 0
        The share of sets that miss the true label, for likelihood and disambiguation. A set of s among m labels has
        the likelihood R(y) = 1 - g + g s / m if it contains the true label y, and g s / m otherwise, with g = leak /
        (1 - s / m). The likelihood of the set is the sum of p(y) R(y), and soft labels are proportional to p^power R.
        A wrong set then has a bounded loss.
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one.
    check : bool, default True
        Whether an empty set or a logit that is not finite raises an error that names the row. The check reads a (b,)
        tensor. Compiled code has no check.

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
        self, principle: str = "likelihood", *, power: float = 1.0, leak: float = 0.0, reduction: str = "mean",
        check: bool = True,
    ):  # fmt: skip
        super().__init__()
        self.principle = one_of("principle", principle, PRINCIPLES)
        self.reduction = one_of("reduction", reduction, REDUCTIONS)
        if not power > 0:
            raise ValueError(f"power must be a number > 0. Got {power!r}.")
        if not 0 <= leak < 1:
            raise ValueError(f"leak must be at least 0 and below 1. Got {leak!r}.")
        if leak and principle not in FALLIBLE:
            raise ValueError(f"leak requires principle='likelihood' or 'disambiguation'. Got {principle!r}.")
        self.power, self.leak = float(power), float(leak)
        self.check = check

    def forward(self, logits: torch.Tensor, sets: Any) -> torch.Tensor:
        """Return the loss of logits (b, m).

        Sets are (b, m) boolean, b rows of `CandidateLabels`, (b,) classes, or (b, m) probabilities, which are soft
        labels: their loss is the expected cross-entropy, or for likelihood and disambiguation that of R, the
        probabilities divided by the largest one.
        """
        x = at_least_float32(logits, "logits")
        if self.leak or is_soft(sets):
            R = likelihoods(sets, x, self.leak, self.check)
            return reduced(_fallible(x, R, self.principle, self.power), self.reduction)
        mask = candidates(sets, x)
        if compiling():
            return reduced(_plain(x, mask, self.principle, self.power), self.reduction)
        losses = _Fast.apply(x, mask, self.principle, self.power)
        if not all_finite(losses):
            # tiny probabilities and infinite logits need logarithms; invalid input stays invalid
            losses = _plain(x, mask, self.principle, self.power)
            if self.check and not all_finite(losses):
                _check(x, mask)
        return reduced(losses, self.reduction)

    def extra_repr(self) -> str:
        return f"{self.principle!r}, reduction={self.reduction!r}"


class SetCost(nn.Module):
    """Expected cost for candidate sets.

    The loss is the infimum, mean or supremum over y in S of sum_z p(z) cost[z, y], p = softmax(logits). If p is
    concentrated on one z, it is the set loss L(z, S).

    Parameters
    ----------
    cost : (m, m) array or tensor
        The cost[z, y] of predicting z if y is true; 1 - identity is the 0-1 loss.
    principle : {"infimum", "average", "supremum"}, default "infimum"
    reduction : {"mean", "sum", "none"}, default "mean"
        Whether the losses of the rows are averaged, summed or returned one by one.
    check : bool, default True
        Whether invalid rows raise an error. Set it to False for speed.

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
        """Return the loss of logits (b, m); sets as in :class:`SetCrossEntropy`."""
        x = at_least_float32(logits, "logits")
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
        if self.check and not compiling() and not all_finite(losses):
            _check(x, mask)
        return reduced(losses, self.reduction)

    def extra_repr(self) -> str:
        return f"{self.principle!r} over {len(self.cost)} classes, reduction={self.reduction!r}"


def candidates(sets: Any, x: torch.Tensor) -> torch.Tensor:
    """Return the sets of a batch as a (b, m) boolean mask on the device of the logits x."""
    if x.ndim != 2:
        raise ValueError(f"Logits must have shape (b, m), one row for each set. Got {tuple(x.shape)}.")
    mask = batch(sets, x)
    same_rows(len(x), len(mask), "sets", "logits")
    if mask.ndim == 1 and mask.dtype == torch.int64:
        return torch.nn.functional.one_hot(mask, x.shape[1]).bool()
    if mask.dtype != torch.bool or mask.ndim != 2:
        raise ValueError(
            f"Sets must be a (b, m) boolean mask, rows of CandidateLabels, or (b,) classes. Got {mask.dtype} of"
            f" shape {tuple(mask.shape)}. A mask of 0 and 1 becomes boolean by `mask == 1`."
        )
    same_width(mask.shape[1], x.shape[1], "The sets", "logits")
    return mask


def is_soft(sets: Any) -> bool:
    """Return whether sets are probabilities."""
    return torch.is_tensor(sets) and sets.is_floating_point()


def likelihoods(sets: Any, x: torch.Tensor, leak: float, check: bool) -> torch.Tensor:
    """Return the likelihood R of each set if a label is true, (b, m); at most 1, and at least one entry is positive."""
    if is_soft(sets):
        R = sets.to(x)
        same_rows(len(x), len(R), "sets", "logits")
        same_width(R.shape[-1], x.shape[1], "The soft labels", "logits")
        if check and not compiling():
            bad = ~((R >= 0).all(dim=1) & ((R.sum(dim=1) - 1).abs() <= UNIT_SUM))
            rows = bad.nonzero().flatten()
            remedy = (
                "Soft labels are probabilities that are at least 0 and sum to 1. Divide each row by its sum. A mask of"
                " 0 and 1 becomes boolean by `mask == 1`."
            )
            raise_for_rows(rows, (f"the sum is {R[r].sum().item():.3g}" for r in rows.tolist()), remedy)
        R = R / R.amax(dim=1, keepdim=True)
    else:
        mask = candidates(sets, x)
        if check and not compiling():
            empty = (~mask.any(dim=1)).nonzero().flatten()
            raise_for_rows(empty, ["an empty set of candidates"] * len(empty), REMEDY)
        R = mask.to(x)
    share = R.mean(dim=1, keepdim=True)
    g = (leak / (1 - share).clamp(min=1e-9)).clamp(max=1)
    return torch.where(share < 1, (1 - g) * R + g * share, R)


def _fallible(x: torch.Tensor, R: torch.Tensor, principle: str, power: float) -> torch.Tensor:
    """Return the losses (b,) of sets with these likelihoods."""
    logp = torch.log_softmax(x, dim=1)
    if principle == "likelihood":
        return -torch.logsumexp(logp + R.log(), dim=1)
    q = R if principle not in FALLIBLE else (power * logp.detach()).softmax(dim=1) * R
    q = q / q.sum(dim=1, keepdim=True)
    return -torch.where(q > 0, q * logp, 0.0).sum(dim=1)


def _check(x: torch.Tensor, mask: torch.Tensor) -> None:
    """Raise an error that names the rows of a batch whose loss is not finite, and why."""
    empty = (~mask.any(dim=1)).nonzero().flatten()
    raise_for_rows(empty, ["an empty set of candidates"] * len(empty), REMEDY)
    x = x.detach()
    # -inf may exclude a class, unless the set contains it
    raise_if_not_finite(torch.where(mask | (x != -torch.inf), x, 0.0), "logit")


def _plain(x: torch.Tensor, mask: torch.Tensor, principle: str, power: float) -> torch.Tensor:
    """Return the losses (b,) by their definition, in logarithms."""
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
    """Return the maximum a of x and the sum of exp(x - a), because a + log(sum) loses digits of the gradient."""
    shift = x.detach().amax(dim=1)
    return shift, (x - shift[:, None]).exp().sum(dim=1)


class _Fast(torch.autograd.Function):
    """The same losses with one softmax, no branch per entry, and p - q saved for the gradient.

    Masks become numbers, because addition and multiplication are vectorised and selection by a boolean is not. If this
    overflows, the loss is infinite or NaN, and is then computed by `_plain`.
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
    """Return the largest p over S (the smallest, for the supremum), and 1 at the entries that attain it."""
    if principle == "infimum":
        w = mask.view(torch.uint8).to(p.dtype).mul_(p)
        best = w.amax(dim=1)
    else:
        w = (~mask).view(torch.uint8).to(p.dtype)
        torch.add(p, w, alpha=2, out=w)  # larger than any probability, outside of S
        best = w.amin(dim=1)
        best = torch.where(best < 2, best, torch.nan)
    w.eq_(best[:, None])
    return best, w
