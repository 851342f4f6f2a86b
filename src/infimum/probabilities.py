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
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from .judging.composition import Composition
from .judging.judge import LeftOutAlpha
from .loss import SetLoss
from .outputs.base import OutputSpace, Sets
from .reductions import of_principle
from .reductions.soft import MASS, held_out_sums
from .rows import Table
from .weights.left_out import blocks_of, rounded

LEAST = 1e-6  # no P_i(S_i) counts for less, as in the scores
N_BLOCKS = 5
ROUNDS = 20
MOST_ROWS = 5000


def shared(F: NDArray) -> NDArray:
    """F with sums of one: what they lack is shared by all options."""
    return F + (1 - F.sum(axis=-1, keepdims=True)) / F.shape[-1]


class Temperature:
    """P(y) proportional to (max(F_y, 0) + e / c)^(1 / T): T and e have the largest likelihood of the sets.

    Before `fit`, T = 1 and e = 0.25, the plain reading of F. The same two numbers serve all options: the order of the
    options stays.

    Examples
    --------
    >>> F = np.array([[[.9, .1]], [[.9, .1]], [[.9, .1]], [[.1, .9]]])
    >>> mask = np.array([[[True, False]], [[True, False]], [[False, True]], [[False, True]]])
    >>> Temperature().fit(F, mask)(F)[0, 0].round(2)  # right in three rows of four
    array([0.75, 0.25])
    """

    def __init__(self) -> None:
        self.temperature_, self.mass_ = 1.0, MASS

    def fit(self, F: NDArray, mask: NDArray, sample_weight: Any = None) -> Self:
        """From left-out predictions F (n, g, c) and the candidates (n, g, c)."""

        F, mask, sample_weight = _thinned(F, mask, sample_weight)
        seen: dict[tuple[int, int], float] = {}

        def value(at: tuple[int, int]) -> float:
            if at not in seen:
                seen[at] = likelihood(_powered(F, *_settings(at)), mask, sample_weight)
            return seen[at]

        best = max([(0, 0), (-16, -50), (-50, 60)], key=value)
        for step in (32, 16, 8, 4, 2, 1):
            while True:
                around = [(best[0] + i * step, best[1] + j * step) for i in (-1, 0, 1) for j in (-1, 0, 1)]
                new = max([best, *around], key=value)
                if value(new) <= value(best) + 1e-12:
                    break
                best = new
        self.temperature_, self.mass_ = _settings(best)
        return self

    def __call__(self, F: NDArray) -> NDArray:
        return _powered(F, self.temperature_, self.mass_)

    def __repr__(self) -> str:
        return f"Temperature(T = {self.temperature_:.3g}, e = {self.mass_:.3g})"


def _thinned(F: NDArray, mask: NDArray, w: Any) -> tuple[NDArray, NDArray, Any]:
    """At most some thousand rows, at equal steps: two numbers need no more."""
    rows = np.linspace(0, len(F) - 1, min(len(F), MOST_ROWS)).astype(int)
    return F[rows], mask[rows], None if w is None else np.asarray(w)[rows]


def _settings(at: tuple[int, int]) -> tuple[float, float]:
    """T and e, on a lattice of steps of 5 %, so that rounding does not move them."""
    return float(np.clip(1.05 ** at[0], 0.01, 50)), float(np.clip(MASS * 1.05 ** at[1], 1e-4, 100))


def _powered(F: NDArray, temperature: float, mass: float) -> NDArray:
    log = np.log(np.maximum(F, 0) + mass / F.shape[-1]) / temperature
    P = np.exp(log - log.max(axis=-1, keepdims=True))
    return P / P.sum(axis=-1, keepdims=True)


class Isotonic:
    """P(y) proportional to h(F_y), h increasing: fitted in turns to the shares of the candidates that P itself gives.

    r_i(y) = P_i(y) / P_i(S_i) for y in S_i; h is the isotonic regression of r on F, over all rows and options. It
    starts from `Temperature`, and the round of the largest likelihood is kept.
    """

    def fit(self, F: NDArray, mask: NDArray, sample_weight: Any = None) -> Self:
        """From left-out predictions F (n, g, c) and the candidates (n, g, c)."""
        P = Temperature().fit(F, mask, sample_weight)(F)
        best = -np.inf
        w = (
            None
            if sample_weight is None
            else np.broadcast_to(np.asarray(sample_weight)[:, None, None], F.shape).ravel()
        )
        for _ in range(ROUNDS):
            share = P * mask
            share /= np.maximum(share.sum(axis=-1, keepdims=True), 1e-300)
            h = IsotonicRegression(y_min=1e-3 / F.shape[-1], out_of_bounds="clip").fit(F.ravel(), share.ravel(), w)
            P = _normalised(h, F)
            now = likelihood(P, mask, sample_weight)
            if now <= best + 1e-6:
                break
            best, self.map_ = now, h
        return self

    def __call__(self, F: NDArray) -> NDArray:
        return _normalised(self.map_, F)

    def __repr__(self) -> str:
        return "Isotonic()"


def _normalised(h: Any, F: NDArray) -> NDArray:
    P = h.predict(F.ravel()).reshape(F.shape)
    return P / P.sum(axis=-1, keepdims=True)


MAPS: dict[str, Callable[[], Any]] = {"temperature": Temperature, "isotonic": Isotonic}


def likelihood(P: NDArray, mask: NDArray, sample_weight: Any = None) -> float:
    """(1/n) sum_i log P_i(S_i), the mean over choices where there are several."""
    each = np.log(np.maximum((P * mask).sum(axis=-1), LEAST)).mean(axis=-1)
    return float(np.average(each, weights=sample_weight))


def fitted_map(kind: str, F: NDArray, mask: NDArray, sample_weight: Any = None) -> Any:
    """A map by its name, fitted to left-out predictions and candidates, (n, g, c); rows of weight 0 do not count."""
    if sample_weight is not None:
        keep = np.asarray(sample_weight) > 0
        F, mask, sample_weight = F[keep], mask[keep], np.asarray(sample_weight)[keep]
    return MAPS[kind]().fit(F, mask, sample_weight)


class Left(NamedTuple):
    """Predictions for training rows that were left out, F (n, g, c), and their candidates."""

    F: NDArray
    mask: NDArray


def left_out(
    made: Composition, read: Callable[[Any, Any], NDArray], table: Table, output: OutputSpace, sets: Sets
) -> Left:
    """F for every training row, by the composition fitted without the row, or without its block.

    `read` gives F from a solver and weights. Single rows are left out where that has a closed form; after
    disambiguation, whose other rows have adapted to S_i, and for other weights, whole blocks.
    """
    mask = sets.options()
    if mask is None:
        raise ValueError(f"Probabilities are for labels and tags, whose options can be listed; not for {sets!r}.")
    reduction, blocks = of_principle(made.principle), blocks_of(rounded(table.X), N_BLOCKS, sample_weight=table.w)
    if len(blocks) < 2:
        raise ValueError("The rows of X are all the same: there is nothing to learn probabilities from.")
    soft = reduction is not None and reduction.is_soft(sets)
    if made.adapts or (reduction is not None and not soft):
        return Left(_refitted(made, read, table, output, sets, blocks), mask)
    problem = made.problem(table, output, sets)
    weights = problem.fitted()
    if soft:
        operator = weights.held_out(table.X, problem.target, table.w, blocks)
        return Left(shared(held_out_sums(operator, mask)), mask)
    single = weights.left_out() is not None
    operator = weights.held_out(table.X, problem.target, table.w, None if single else blocks)
    loss = SetLoss(output, sets, made.principle)
    L, solver = made.solvable(loss)
    alpha: Any = LeftOutAlpha(operator)
    return Left(read(solver.fit(L), alpha if L is loss else made.split(alpha)), mask)


def _refitted(
    made: Composition, read: Callable, table: Table, output: OutputSpace, sets: Sets, blocks: list
) -> NDArray:
    parts = []
    for block in blocks:
        rest = np.delete(np.arange(len(sets)), block)
        fitted = made.fit(table.some(rest), output, sets[rest])
        parts.append(read(fitted.solver, fitted.weights(table.X[block])))
    return np.concatenate(parts)[np.argsort(np.concatenate(blocks), kind="stable")]


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
