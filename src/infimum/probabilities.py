"""Probabilities from sets: monotone maps of left-out predictions, fitted to the likelihood of the sets.

What a model predicts for the c options of g choices, F (n, g, c), sums to about one and may be negative. A map makes it
P (n, g, c), with P >= 0 and sums of one, such that (1/n) sum_i log P_i(S_i) is large, P_i(S_i) the mass of the
candidates.

That is the likelihood of what was observed if candidates are *coarsened at random*: given x, S is as likely for any of
its members to be the truth. Then the P of largest expected likelihood is the law of the truth given F, and P is
calibrated: among rows with P(y | x) = p, y is the truth in a share p. Where some wrong candidate comes with a class
more often than not, the likelihood cannot tell the two apart, and P shares between them what belongs to one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .calibration import LEAST, MAPS, Isotonic, Temperature, fitted_map, likelihood, outweighed, shared
from .data import Table
from .disambiguation import Options, held_out_sums
from .outputs.base import OutputSpace, Sets
from .recipe import Recipe
from .selection.evaluate import fit_holdout, refit_folds, solve_held_out
from .weights.holdout.operators import blocks_of, rounded

N_BLOCKS = 5

__all__ = [
    "MAPS", "Isotonic", "Left", "Reliability", "Temperature", "fitted_map", "left_out", "likelihood",
    "outweighed", "reliability", "shared",
]  # fmt: skip


class Left(NamedTuple):
    """Predictions for training rows that were left out, F (n, g, c), and their candidates."""

    F: NDArray
    mask: NDArray


def left_out(
    made: Recipe, read: Callable[[Any, Any], NDArray], table: Table, output: OutputSpace, sets: Sets
) -> Left:
    """F for every training row, by the composition fitted without the row, or without its block.

    `read` gives F from a solver and weights. Single rows are left out where that has a closed form; after
    disambiguation, whose other rows have adapted to S_i, and for other weights, whole blocks.
    """
    mask = sets.options()
    if mask is None:
        raise ValueError(f"Probabilities are for labels and tags, whose options can be listed; not for {sets!r}.")
    reduction, blocks = made.disambiguation, blocks_of(rounded(table.X), N_BLOCKS, sample_weight=table.w)
    if len(blocks) < 2:
        raise ValueError("The rows of X are all the same: there is nothing to learn probabilities from.")
    soft = reduction is not None and reduction.is_soft(sets)
    if made.refits_on_labels or (reduction is not None and not soft):
        return Left(refit_folds(made, table, output, sets, blocks, read), mask)
    if soft:
        operator = fit_holdout(made, table, output, sets, blocks)
        return Left(shared(held_out_sums(operator, Options(mask))), mask)
    problem = made.problem(table, output, sets)
    weights = problem.fit_weights()
    single = weights.left_out() is not None
    operator = weights.held_out(table.X, problem.target, table.w, None if single else blocks)
    return Left(solve_held_out(made, operator, made.loss(output, sets), read), mask)


class Reliability(NamedTuple):
    """How often the most probable option is right, in bins of its probability; what sets say about that."""

    confidence: NDArray
    """(k,): the mean probability of the most probable option."""
    low: NDArray
    """(k,): the share of rows where it is the only candidate: it is right there."""
    high: NDArray
    """(k,): the share of rows where it is a candidate: it is wrong elsewhere."""
    expected: NDArray
    """(k,): the mean of P(option) / P(S) where it is a candidate, else 0: the share if S is coarsened at random."""
    number: NDArray
    """(k,): how many rows, or choices, are in the bin."""


def reliability(P: NDArray, mask: NDArray, n_bins: int = 10) -> Reliability:
    """A reliability diagram from sets: P (n, c) or (n, g, c) and candidates of the same shape; bins of equal number.

    The share of rows in which the most probable option is the truth lies between `low` and `high`, whatever made the
    sets. On exact rows the two are one, and so is `expected`: the usual diagram.

    Parameters
    ----------
    P : (n, c) or (n, g, c)
        Probabilities.
    mask : booleans of the same shape
        The candidates.
    n_bins : int, default 10
        How many bins.

    Examples
    --------
    >>> found = reliability(np.array([[.8, .2], [.6, .4]]), np.array([[True, False], [True, True]]), 1)
    >>> found.confidence.round(2), found.low, found.high, found.expected.round(2)
    (array([0.7]), array([0.5]), array([1.]), array([0.8]))
    """
    c = P.shape[-1]
    P, mask = P.reshape(-1, c), np.asarray(mask).reshape(-1, c)
    if P.shape != mask.shape or not len(P):
        raise ValueError(f"Probabilities and candidates must have one shape. Got {P.shape} and {mask.shape}.")
    best = P.argmax(axis=1)
    rows = np.arange(len(P))
    confidence, inside = P[rows, best], mask[rows, best]
    alone = inside & (mask.sum(axis=1) == 1)
    share = np.where(inside, confidence / np.maximum((P * mask).sum(axis=1), LEAST), 0)
    bins = np.array_split(np.argsort(confidence, kind="stable"), max(1, min(n_bins, len(P))))
    mean = [np.array([values[bin].mean() for bin in bins]) for values in (confidence, alone, inside, share)]
    return Reliability(mean[0], mean[1], mean[2], mean[3], np.array([len(bin) for bin in bins]))
