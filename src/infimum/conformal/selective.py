"""Selective prediction: abstain if the prediction set is large, and the error that remains."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..outputs.base import OutputSpace, Sets
from ..outputs.loss_score import set_losses


class RiskCoverage(NamedTuple):
    """The mean loss among accepted rows, when rows of smaller doubt are accepted first.

    The loss of a row lies between its infimum and its supremum loss, if its set contains the true value.
    """

    doubt: NDArray
    """(k,): the distinct doubts, ascending; rows of equal doubt are accepted together."""
    coverage: NDArray
    """(k,): the share of rows that are accepted."""
    low: NDArray
    """(k,): the mean infimum loss among them."""
    high: NDArray
    """(k,): the mean supremum loss among them; infinite with unbounded sets."""


def risk_coverage(doubt: Any, space: OutputSpace, sets: Sets, z: NDArray) -> RiskCoverage:
    """Return bounds on the risk-coverage curve of predictions; the curve itself if all rows are exact.

    Parameters
    ----------
    doubt : (n,)
        How uncertain each prediction is; the most certain come first.
    space : OutputSpace
        The output space with its loss.
    sets : Sets
        The partial labels of the rows.
    z : (n, ...)
        The predictions, as elements of the space.

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
        raise InputError(f"doubt must be one number per row, shape ({len(sets)},). Got shape {doubt.shape}.")
    order = np.argsort(doubt, kind="stable")
    last = np.append(np.flatnonzero(np.diff(doubt[order])), len(order) - 1)  # the last row of every distinct doubt
    number = last + 1.0
    low, high = (
        np.cumsum(set_losses(space, sets, z, principle)[order])[last] / number for principle in ("infimum", "supremum")
    )
    return RiskCoverage(doubt[order][last], number / len(order), low, high)
