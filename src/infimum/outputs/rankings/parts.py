"""Rows as weighted sums of partial orders, which they are if each comparison of contradictory rows counts by itself."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ...data.errors import InfimumWarning
from ...feedback_arc import linear_extensions
from .codes import codes_of_pairs, known_codes, pairs
from .contradictions import ComparisonVotes
from .forms import pairs_in_codes

COUNTED = 20  # compared items up to which linear extensions are counted; they are sampled beyond
SAMPLES = 100


class Parts(NamedTuple):
    """Rows as weighted sums of partial orders: L(z, S_i) is the sum of share_ik L(z, S_k) over the parts k."""

    before: NDArray
    """(k, m, m): the distinct partial orders."""
    which: NDArray
    """(p,): the partial order of each part."""
    row: NDArray
    """(p,): the row of each part."""
    weight: NDArray
    """(p,): 1 for the partial order of a row; for each comparison of a contradictory row, its weight."""
    share: sparse.csr_matrix
    """(n, k): the weight of each partial order in each row."""

    def sum_parts(self, values: NDArray) -> NDArray:
        """Return the weighted sum over the parts of each row, (p, d) -> (n, d)."""
        n, p = self.share.shape[0], len(self.row)
        return sparse.csr_matrix((self.weight, (self.row, np.arange(p))), (n, p)) @ values


def parts_of(codes: NDArray, votes: ComparisonVotes, m: int) -> Parts:
    """Return the distinct partial orders of rows: equal ones are solved once."""
    n = len(codes)
    whole = np.setdiff1d(np.arange(n), votes.row)
    singles = known_codes(len(votes.row), m, np.arange(len(votes.row)), votes.better, votes.worse).toarray()
    unique, which = np.unique(np.vstack([codes[whole], singles]), axis=0, return_inverse=True)
    row, weight = np.concatenate([whole, votes.row]), np.concatenate([np.ones(len(whole)), votes.weight])
    share = sparse.csr_matrix((weight, (row, which.ravel())), (n, len(unique)))
    return Parts(pairs_in_codes(unique), which.ravel(), row, weight, share)


def centers(before: NDArray, weak: NDArray) -> NDArray:
    """Return the mean code over the linear extensions of each partial order, (k, P)."""
    mean = codes_of_pairs(before).astype(float)
    i, j = pairs(before.shape[-1])
    hard = np.flatnonzero(~weak)  # in buckets, an order and its mirror image average to 0
    active = (before[hard].any(axis=1) | before[hard].any(axis=2)).sum(axis=1)
    error = 0.0
    for rows, samples in ((hard[active <= COUNTED], None), (hard[active > COUNTED], SAMPLES)):
        if len(rows):
            found = linear_extensions(before[rows], samples, random_state=0)
            mean[rows] = (found.probability - found.probability.swapaxes(-1, -2))[:, i, j]
            error = max(error, 2 * float(found.standard_error.max()))
    if error:
        warnings.warn(
            f"The average over linear extensions is exact for rows that compare up to {COUNTED} items; for others it is"
            f" estimated from {SAMPLES} samples, with a standard error of at most {error:.2g} on codes in [-1, 1].",
            InfimumWarning,
            stacklevel=5,
        )
    return mean
