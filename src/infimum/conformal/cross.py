"""CV+ and jackknife+: every row is predicted by a model that was fitted without its fold, or without itself.

With R_i the score of row i under the model without it, and s_k(x, y) the score of y at x under the model without fold
k, C(x) = {y : #{i : R_i < s_k(i)(x, y)} < level (n + 1)} (Barber, Candès, Ramdas and Tibshirani, 2021).
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import gen_batches

from ..data.memory import require
from ..estimators import PartialModel
from ..solvers import choose
from ..weights import split
from .base import Score, score_of
from .models import before_last, last_of, learned, number_of, some, space_of

NUMBERS = 2**24  # weights formed at a time for a batch of queries: 128 MiB


class Cross:
    """What the two share: forecasts at queries and scores of the rows, one entry a fold."""

    model: Any
    """Fitted to all rows: what `predict` asks."""
    score: Score
    space: Any
    scores: list[dict[str, NDArray]]
    excess: float = 0.0
    """How much less than 2 level - 1 is promised."""

    def __init__(self, model: Any, score: Any, cv: int, random: np.random.RandomState):
        self.template, self.named, self.cv, self.random = model, score, cv, random

    def fit(self, X: Any, sets: Any) -> Self:
        raise NotImplementedError

    def forecasts(self, X: Any) -> list[NDArray]:
        """The forecast of every fold's model at the queries."""
        raise NotImplementedError

    def batch(self, n: int) -> int:
        """How many queries are taken at a time."""
        return max(1, n)

    def predict_set(self, X: Any, level: float, covers: str, space: Any) -> Any:
        n = sum(len(R[covers]) for R in self.scores)
        rank = level * (n + 1)
        R = [scores[covers] for scores in self.scores]
        how = self.score.counted if covers == "truth" else self.score.kept
        queries = number_of(X)
        parts = []
        for rows in gen_batches(queries, self.batch(queries)):
            some_X = X if rows.stop - rows.start == queries else some(X, np.arange(queries)[rows])
            parts.append(how(self.forecasts(some_X), R, rank, space))
        return parts[0] if len(parts) == 1 else self.score.joined(parts)


class CrossValidated(Cross):
    """CV+: one model a fold."""

    def fit(self, X: Any, sets: Any) -> Self:
        n = len(sets)
        if n < 2 * self.cv:
            raise ValueError(f"{n} rows are too few for {self.cv} folds.")
        folds = np.array_split(self.random.permutation(n), self.cv)
        self.models, self.scores = [], []
        for fold in folds:
            rest = np.setdiff1d(np.arange(n), fold)
            model, score = learned(self.template, self.named, some(X, rest), sets[rest], self.random)
            last, space = last_of(model), space_of(model)
            forecast = score.drawn(score.forecast(last, before_last(model, some(X, fold))), self.random)
            inside = space.read(sets[fold])
            self.models.append((model, score))
            self.scores.append({"truth": score.largest(forecast, inside), "set": score.smallest(forecast, inside)})
        self.model = clone(self.template).fit(X, sets)
        self.score, self.space = self.models[0][1], space_of(self.model)
        m, K = n / self.cv, self.cv
        self.excess = min(2 * (1 - 1 / K) / (m + 1), (1 - K / n) / (K + 1))
        return self

    def forecasts(self, X: Any) -> list[NDArray]:
        return [score.forecast(last_of(model), before_last(model, X)) for model, score in self.models]


class Jackknife(Cross):
    """Jackknife+ in closed form, for ridges: without row i is the same as with what is predicted there without it.

    alpha^{(-i)}_j(x) = alpha_j(x) + alpha_i(x) alpha^{(-i)}_j(x_i) for j != i, and 0 for j = i: no model is fitted
    again. The kernel's width and the ridge n lam are those of all rows.
    """

    def fit(self, X: Any, sets: Any) -> Self:
        last = last_of(self.template)
        if not isinstance(last, PartialModel) or last is not self.template:
            raise ValueError(
                f"jackknife+ has a closed form for the library's estimators alone. Got {self.template!r}."
                " Use method='cv+'."
            )
        self.model = clone(last).fit(X, sets)
        made, _, rows, output, sets = last.prepare(X, sets)
        if made.disambiguation is not None or not made.weights.loo_by_substitution:
            raise ValueError(
                "jackknife+ has a closed form for weights.KernelRidge, Nystrom and LinearRidge under infimum, average"
                f" and supremum. Got {made.weights!r}, {made.principle!r}. Use method='cv+'."
            )
        n = len(sets)
        require(4 * 8 * n**2, f"The weights of {n} rows at {n} rows", "Use method='cv+'.")
        self.space, self.score = output, score_of(self.named, self.model, output, closed=True)
        self.weights = made.problem(rows, output, sets).fit_weights()
        self.alone = self.weights.leave_one_out(np.eye(n))
        L = made.loss(output, sets)
        self.solver, self.split = choose(made.solver, L).fit(L), split if made.is_joint else None
        forecast = self._of(self.alone)
        inside = self.space.read(sets)
        R = {"truth": self.score.largest(forecast, inside), "set": self.score.smallest(forecast, inside)}
        self.scores = [{name: values[i : i + 1] for name, values in R.items()} for i in range(n)]
        return self

    def _of(self, alpha: NDArray) -> NDArray:
        found = self.score.of_weights(self.solver, alpha if self.split is None else self.split(alpha), self.space)
        if found is None:
            raise ValueError(f"jackknife+ has no closed form for the score {self.score.name!r}. Use method='cv+'.")
        return found

    def batch(self, n: int) -> int:
        return max(1, NUMBERS // len(self.alone) ** 2)

    def forecasts(self, X: Any) -> list[NDArray]:
        n = len(self.alone)
        alpha = np.asarray(self.weights(self.model._validated(X)))  # (q, n)
        without = alpha[:, None, :] + alpha[:, :, None] * self.alone  # (q, i, j)
        without[:, np.arange(n), np.arange(n)] = 0
        found = self._of(without.reshape(-1, n))
        found = found.reshape(len(alpha), n, *found.shape[1:])
        return [found[:, i] for i in range(n)]
