"""The library's sets as tensors, one row a set: what a DataLoader can cut into batches."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import torch

from infimum.outputs import CandidateLabels, Intervals, PartialOrders, PartialTags

SERVED = "CandidateLabels, PartialTags, Intervals or PartialOrders"


@singledispatch
def tensors(sets: Any, *, center: bool = False) -> torch.Tensor:
    """Sets as one tensor, on the CPU, with a row for each.

    =================  ==================  ==================================================================
    sets               tensor              entries
    =================  ==================  ==================================================================
    ``CandidateLabels``        (n, m) boolean      whether y is a candidate
    ``PartialTags``    (n, m) int8         1 there, -1 not there, 0 unknown
    ``PartialOrders``  (n, m(m-1)/2) int8  for items i < j: 1 where i comes first, -1 where j does, 0 unknown
    ``Intervals``      (n, k, 2) floating  lower and upper end of every piece, padded with NaN
    =================  ==================  ==================================================================

    Numbers have PyTorch's default floating-point type.

    Parameters
    ----------
    sets : CandidateLabels, PartialTags, Intervals or PartialOrders
    center : bool, default False
        For partial orders, the mean code over all linear extensions instead, in [-1, 1]: what the average principle
        needs to be exact where a row is not made of buckets.

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
    raise TypeError(f"Only {SERVED} become tensors. Got {type(sets).__name__}. Read the column by a space first.")


@tensors.register
def _(sets: CandidateLabels, *, center: bool = False) -> torch.Tensor:
    return torch.from_numpy(np.array(sets.mask, dtype=bool))


@tensors.register
def _(sets: PartialTags, *, center: bool = False) -> torch.Tensor:
    return torch.from_numpy(np.array(sets.values, dtype=np.int8))


@tensors.register
def _(sets: Intervals, *, center: bool = False) -> torch.Tensor:
    n = len(sets)
    first = np.searchsorted(sets.row, np.arange(n + 1))  # row i has the pieces first[i], …, first[i + 1] - 1
    out = np.full((n, int(np.diff(first).max(initial=1)), 2), np.nan)
    out[sets.row, np.arange(len(sets.row)) - first[sets.row]] = np.column_stack([sets.lower, sets.upper])
    return torch.from_numpy(out).to(torch.get_default_dtype())


@tensors.register
def _(sets: PartialOrders, *, center: bool = False) -> torch.Tensor:
    if center:
        return torch.from_numpy(sets.center()[:, :-1].copy()).to(torch.get_default_dtype())
    return torch.from_numpy(np.array(sets.codes, dtype=np.int8))


def batch(sets: Any, like: torch.Tensor, *, center: bool = False) -> torch.Tensor:
    """Sets of a batch as a tensor beside `like`: a tensor or an array as it is, the library's sets by `tensors`."""
    if isinstance(sets, np.ndarray):
        sets = torch.from_numpy(sets)
    elif not torch.is_tensor(sets):
        sets = tensors(sets, center=center)
    return sets.to(like.device)
