"""The library's sets as tensors with one row per set, for a DataLoader."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import torch

from infimum.outputs import CandidateLabels, Intervals, PartialOrders, PartialTags

SUPPORTED = "CandidateLabels, PartialTags, Intervals or PartialOrders"


@singledispatch
def tensors(sets: Any, *, center: bool = False) -> torch.Tensor:
    """Return sets as one tensor on the CPU, with one row per set.

    =================  ==================  ==================================================================
    sets               tensor              entries
    =================  ==================  ==================================================================
    CandidateLabels    (n, m) boolean      whether y is a candidate
    PartialTags        (n, m) int8         1 present, -1 absent, 0 unknown
    PartialOrders      (n, m(m-1)/2) int8  for items i < j: 1 if i comes first, -1 if j does, 0 unknown
    Intervals          (n, k, 2) floating  lower and upper bound of every piece, padded with NaN
    =================  ==================  ==================================================================

    Numbers have PyTorch's default floating-point type.

    Parameters
    ----------
    sets : CandidateLabels, PartialTags, Intervals or PartialOrders
    center : bool, default False
        Whether partial orders become the mean code over all linear extensions, in [-1, 1]. With it, the average
        principle is exact for all partial orders.

    Examples
    --------
    >>> from infimum import Intervals, PartialOrders, CandidateLabels
    >>> tensors(CandidateLabels([[True, False, True]], negated=[True]))
    tensor([[False,  True, False]])
    >>> tensors(Intervals([(1, 2), [(-2, -1), (3, float("inf"))]]))
    tensor([[[ 1.,  2.],
             [nan, nan]],
            [[-2., -1.],
             [ 3., inf]]])
    >>> tensors(PartialOrders([[1, 0, 0]])), tensors(PartialOrders([[1, 0, 0]]), center=True)
    (tensor([[1, 0, 0]], dtype=torch.int8), tensor([[ 1.0000,  0.3333, -0.3333]]))
    """
    raise TypeError(f"Only {SUPPORTED} become tensors. Got {type(sets).__name__}. Parse y with an output space first.")


@tensors.register
def _(sets: CandidateLabels, *, center: bool = False) -> torch.Tensor:
    return torch.from_numpy(np.array(sets.mask, dtype=bool))


@tensors.register
def _(sets: PartialTags, *, center: bool = False) -> torch.Tensor:
    return torch.from_numpy(np.array(sets.values, dtype=np.int8))


@tensors.register
def _(sets: Intervals, *, center: bool = False) -> torch.Tensor:
    return torch.from_numpy(np.asarray(sets)).to(torch.get_default_dtype())


@tensors.register
def _(sets: PartialOrders, *, center: bool = False) -> torch.Tensor:
    if center:
        return torch.from_numpy(sets.center()[:, :-1].copy()).to(torch.get_default_dtype())
    return torch.from_numpy(np.array(sets.codes, dtype=np.int8))


def batch(sets: Any, like: torch.Tensor, *, center: bool = False) -> torch.Tensor:
    """Return the sets of a batch as a tensor on the device of `like`; `tensors` converts the library's sets."""
    if isinstance(sets, np.ndarray):
        sets = torch.from_numpy(sets)
    elif not torch.is_tensor(sets):
        sets = tensors(sets, center=center)
    return sets.to(like.device)
