"""Selective prediction: to abstain where the predicted set is large, and what that does to the error."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..loss import SetLoss
from ..outputs.base import OutputSpace, Sets
from .base import Score, known_for


class RiskCoverage(NamedTuple):
    """The loss among the rows that are accepted, when those of the smallest doubt come first.

    The truth is in its set, so that its loss lies between the smallest and the largest one over the set.
    """

    doubt: NDArray
    """(k,): the distinct doubts, ascending; rows of equal doubt are accepted together."""
    coverage: NDArray
    """(k,): the share of rows that are accepted."""
    low: NDArray
    """(k,): the mean of inf over y in S_i of l(z_i, y) among them."""
    high: NDArray
    """(k,): the mean of sup over y in S_i of l(z_i, y) among them; infinite where sets have no end."""


def risk_coverage(doubt: Any, space: OutputSpace, sets: Sets, z: NDArray) -> RiskCoverage:
    """The risk-coverage curve of outputs ``z``, one a row, as bounds from sets; exact where sets are single points.

    Parameters
    ----------
    doubt : (n,)
        How unsure every prediction is; the surest come first.
    space : OutputSpace
        Y with its loss.
    sets : Sets
        What is known of the rows.
    z : (n, ...)
        The predictions, as the space has them.

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels().fit(["a", "b"])
    >>> curve = risk_coverage([1, 2, 2], space, space.read(["a", "b", "a|b"]), np.array([0, 0, 0]))
    >>> curve.coverage.round(2), curve.low.round(2), curve.high.round(2)
    (array([0.33, 1.  ]), array([0.  , 0.33]), array([0.  , 0.67]))
    """
    doubt = np.asarray(doubt, dtype=float)
    if doubt.shape != (len(sets),) or np.isnan(doubt).any():
        raise InputError(f"doubt must be one number a row, shape ({len(sets)},). Got shape {doubt.shape}.")
    order = np.argsort(doubt, kind="stable")
    last = np.append(np.flatnonzero(np.diff(doubt[order])), len(order) - 1)  # the last row of every distinct doubt
    number = last + 1.0
    low, high = (
        np.cumsum(losses(space, sets, z, principle)[order])[last] / number for principle in ("infimum", "supremum")
    )
    return RiskCoverage(doubt[order][last], number / len(order), low, high)


def losses(space: OutputSpace, sets: Any, z: NDArray, principle: str) -> NDArray:
    """L(z_i, S_i), (n,); the supremum is infinite where S_i has no end."""
    any_score = next(iter(known_for(space).values()))()
    rows = np.flatnonzero(any_score.bounded(sets) | (principle == "infimum"))
    out = np.full(len(sets), np.inf)
    if len(rows):
        out[rows] = SetLoss(space, sets[rows], principle).rowwise_loss(z[rows])
    return out


def rejected(z: NDArray, size: NDArray, reject: float, score: Score) -> NDArray:
    """z as a masked array, hidden where the size is larger than `reject`, or where a set of labels is empty."""
    hide = (size > reject) | score.void(size)
    return np.ma.masked_array(z, mask=np.broadcast_to(hide.reshape(len(z), *[1] * (z.ndim - 1)), z.shape))
