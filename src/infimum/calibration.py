"""Monotone maps that read left-out predictions as probabilities, fitted to the likelihood of sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

MASS = 0.25  # shared by all options before predictions are read as probabilities, however many there are
LEAST = 1e-6  # no P_i(S_i) counts for less, as in the scores
ROUNDS = 20
MOST_ROWS, MOST_NUMBERS = 5000, 400_000  # two numbers need no more


def probabilities(F: NDArray) -> NDArray:
    """(max(F, 0) + eps) / sum: predictions of a linear operator, read as probabilities.

    eps is the same mass in all, 0.25, whatever the number of options: what is certain stays above 0.8.
    """
    P = np.maximum(F, 0) + MASS / F.shape[-1]
    return P / P.sum(axis=-1, keepdims=True)


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

    def fit(self, F: NDArray, mask: NDArray, sample_weight: Any = None, finest: int = 1, rows: int = MOST_ROWS) -> Self:
        """From left-out predictions F (n, g, c) and the candidates (n, g, c).

        The two numbers move by steps of 5 %, or of `finest` of them at once, and are fitted to at most so many rows.
        """
        F, mask, sample_weight = _thinned(F, mask.astype(float), sample_weight, rows)
        F, mask = (np.ascontiguousarray(part.transpose(2, 1, 0)) for part in (F, mask))  # sums over options are short
        n = F.shape[-1]
        w = np.full(n, 1 / n) if sample_weight is None else np.asarray(sample_weight) / np.sum(sample_weight)
        seen: dict[tuple[int, int], float] = {}
        logs: dict[float, NDArray] = {}  # one a mass, whatever the temperature

        def value(at: tuple[int, int]) -> float:
            if at not in seen:
                temperature, mass = _settings(at)
                if mass not in logs:
                    logs[mass] = _logs(F, mass, axis=0)
                E = np.exp(logs[mass] / temperature)
                total = E.sum(axis=0)
                E *= mask
                seen[at] = float((np.log(np.maximum(E.sum(axis=0) / total, LEAST)) @ w).mean())
            return seen[at]

        best = max([(0, 0), (-16, -50), (-50, 60)], key=value)
        for step in (32, 16, 8, 4, 2, 1):
            while step >= finest:
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


def _thinned(F: NDArray, mask: NDArray, w: Any, rows: int) -> tuple[NDArray, NDArray, Any]:
    """At most so many rows, at equal steps."""
    most = min(len(F), rows, max(200, MOST_NUMBERS // (F.shape[1] * F.shape[2])))
    at = np.linspace(0, len(F) - 1, most).astype(int)
    return F[at], mask[at], None if w is None else np.asarray(w)[at]


def _settings(at: tuple[int, int]) -> tuple[float, float]:
    """T and e, on a lattice of steps of 5 %, so that rounding does not move them."""
    return min(max(1.05 ** at[0], 0.01), 50.0), min(max(MASS * 1.05 ** at[1], 1e-4), 100.0)


def _logs(F: NDArray, mass: float, axis: int = -1) -> NDArray:
    """log(max(F, 0) + e / c), less the largest of the options."""
    log = np.log(np.maximum(F, 0) + mass / F.shape[axis])
    log -= log.max(axis=axis, keepdims=True)
    return log


def _powered(F: NDArray, temperature: float, mass: float) -> NDArray:
    P = np.exp(_logs(F, mass) / temperature)
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


def log_likelihoods(P: NDArray, mask: NDArray) -> NDArray:
    """log P_i(S_i), no P_i(S_i) below 1e-6, (n,); the mean over choices where there are several."""
    return np.log(np.maximum((P * mask).sum(axis=-1), LEAST)).mean(axis=-1)


def likelihood(P: NDArray, mask: NDArray, sample_weight: Any = None) -> float:
    """(1/n) sum_i log P_i(S_i)."""
    return float(np.average(log_likelihoods(P, mask), weights=sample_weight))


def fitted_map(kind: str, F: NDArray, mask: NDArray, sample_weight: Any = None) -> Any:
    """A map by its name, fitted to left-out predictions and candidates, (n, g, c); rows of weight 0 do not count."""
    if sample_weight is not None:
        keep = np.asarray(sample_weight) > 0
        F, mask, sample_weight = F[keep], mask[keep], np.asarray(sample_weight)[keep]
    return MAPS[kind]().fit(F, mask, sample_weight)


def outweighed(P: NDArray, mask: NDArray) -> NDArray:
    """P(S) over that of the most probable options, as many as S has: 1 where no such set is more probable, (n, g)."""
    number = np.maximum(mask.sum(axis=-1, keepdims=True), 1)
    sums = np.cumsum(-np.sort(-P, axis=-1), axis=-1)
    best = np.take_along_axis(sums, number - 1, axis=-1)[..., 0]
    return (P * mask).sum(axis=-1) / best
