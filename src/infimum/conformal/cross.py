"""CV+ and jackknife+: each row is predicted by a model that was fitted without its fold, or without the row.

With R_i the score of row i under the model without it, and s_k(x, y) the score of y at x under the model without fold
k, C(x) = {y : #{i : R_i < s_k(i)(x, y)} < level (n + 1)} (Barber, Candès, Ramdas and Tibshirani, 2021).
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import gen_batches

from ..data.chunks import n_rows
from ..data.memory import require
from ..estimators import PartialModel
from ..estimators.base import validated
from ..outputs.of_model import space_of
from ..outputs.score import Score, joined
from ..solvers import choose
from ..weights import split
from .models import ModelPredictor, fit_with_score, fitted_copy, named_score, score_for, some_rows


class Cross:
    """What CV+ and jackknife+ share: forecasts at queries and scores of the rows, one entry per fold."""

    model: Any
    """Fitted to all rows; used by `predict`."""
    score: Score
    space: Any
    scores: list[NDArray]
    excess: float = 0.0
    """By how much the guarantee falls short of 2 level - 1."""

    def __init__(self, model: Any, score: Any, covers: str, cv: int, random: np.random.RandomState):
        self.template, self.named, self.covers, self.cv, self.random = model, score, covers, cv, random

    def fit(self, X: Any, sets: Any, w: NDArray | None) -> Self:
        raise NotImplementedError

    def forecasts(self, X: Any) -> list[NDArray]:
        """Return the forecast of the model of each fold at the queries."""
        raise NotImplementedError

    def batch(self, n: int) -> int:
        """Return how many of n queries are taken at a time."""
        return max(1, n)

    def scored(self, score: Score, forecast: NDArray, sets: Any, space: Any) -> NDArray:
        """Return R_i, the largest or the smallest score over each set, (n,)."""
        return (score.largest if self.covers == "truth" else score.smallest)(forecast, sets, space)

    def predict_set(self, X: Any, level: float) -> Any:
        rank = level * (sum(map(len, self.scores)) + 1)
        form = self.score.by_count if self.covers == "truth" else self.score.by_union
        n = n_rows(X)
        parts = []
        for rows in gen_batches(n, self.batch(n)):
            part = X if rows.stop - rows.start == n else some_rows(X, np.arange(n)[rows])
            parts.append(form(self.forecasts(part), self.scores, rank, self.space))
        return joined(parts)


class CrossValidated(Cross):
    """CV+: one model per fold."""

    def fit(self, X: Any, sets: Any, w: NDArray | None) -> Self:
        n = len(sets)
        if n < 2 * self.cv:
            raise ValueError(f"{n} rows are too few for {self.cv} folds.")
        folds = np.array_split(self.random.permutation(n), self.cv)
        fitted = []
        for fold in folds:
            rest = np.setdiff1d(np.arange(n), fold)
            weight = None if w is None else w[rest]
            fitted.append(
                fit_with_score(self.template, self.named, some_rows(X, rest), sets[rest], self.random, weight)
            )
        if self.named == "auto":  # the folds may have selected models that offer different quantities
            common = score_for("auto", *(predictor for predictor, _ in fitted))
            fitted = [(predictor, common) for predictor, _ in fitted]
        self.models, self.scores = [], []
        for fold, (predictor, score) in zip(folds, fitted):
            forecast = score.randomise(score.forecast(predictor, some_rows(X, fold)), self.random)
            self.models.append((predictor.model, score))
            self.scores.append(self.scored(score, forecast, predictor.space.read(sets[fold]), predictor.space))
        self.model = fitted_copy(self.template, X, sets, w)
        self.score, self.space = self.models[0][1], space_of(self.model)
        m, K = n / self.cv, self.cv
        self.excess = min(2 * (1 - 1 / K) / (m + 1), (1 - K / n) / (K + 1))
        return self

    def forecasts(self, X: Any) -> list[NDArray]:
        return [score.forecast(ModelPredictor(model), X) for model, score in self.models]


class WeightsPredictor(ModelPredictor):
    """A model as a :class:`~infimum.outputs.score.Predictor` whose inputs are weights of the training rows, (q, n)."""

    def __init__(self, model: Any, space: Any, solver: Any, split: Any):
        super().__init__(model, space)
        self.solver, self.split = solver, split

    def provides(self, quantity: str) -> bool:
        return quantity != "probabilities" and super().provides(quantity)

    def _alpha(self, alpha: NDArray) -> NDArray:
        return alpha if self.split is None else self.split(alpha)

    def outputs(self, alpha: Any) -> NDArray:
        return self.solver.argmin(self._alpha(alpha))

    def risks(self, alpha: Any) -> NDArray:
        return self.solver.risks(self._alpha(alpha))

    def sums(self, alpha: Any) -> NDArray:
        return self.solver.sums(self._alpha(alpha))


class Jackknife(Cross):
    """Jackknife+ in closed form, for ridge weights: no model is fitted again.

    alpha^{(-i)}_j(x) = alpha_j(x) + alpha_i(x) alpha^{(-i)}_j(x_i) for j != i, and 0 for j = i. The width of the kernel
    and the ridge n lam are those of all rows.
    """

    batch_cells: ClassVar[int] = 2**24
    """Weights formed at a time for a batch of queries: 128 MiB."""

    def fit(self, X: Any, sets: Any, w: NDArray | None) -> Self:
        if w is not None:
            raise ValueError(
                "jackknife+ has no closed form with sample_weight, because only one copy of a row is left out. Use"
                " method='cv+'."
            )
        if not isinstance(self.template, PartialModel):
            raise ValueError(
                f"jackknife+ has a closed form only for the estimators of this library. Got {self.template!r}."
                " Use method='cv+'."
            )
        self.model = clone(self.template).fit(X, sets)
        recipe, _, rows, self.space, sets = self.template.prepare(X, sets)
        if recipe.disambiguation is not None or not recipe.weights.loo_by_substitution:
            raise ValueError(
                "jackknife+ has a closed form for weights.KernelRidge, Nystrom and LinearRidge under infimum, average"
                f" and supremum. Got {recipe.weights!r}, {recipe.principle!r}. Use method='cv+'."
            )
        n = len(sets)
        require(4 * 8 * n**2, f"The weights of {n} rows at {n} rows", "Use method='cv+'.")
        self.weights = recipe.problem(rows, self.space, sets).fit_weights()
        self.alone = self.weights.leave_one_out(np.eye(n))
        L = recipe.loss(self.space, sets)
        solver = choose(recipe.solver, L).fit(L)
        self.predictor = WeightsPredictor(self.model, self.space, solver, split if recipe.is_joint else None)
        self.score = self._closed_form_score()
        R = self.scored(self.score, self.score.forecast(self.predictor, self.alone), sets, self.space)
        self.scores = list(R[:, None])
        return self

    def _closed_form_score(self) -> Score:
        """The score, which may require neither probabilities nor rows of its own."""
        is_auto = named_score(self.named, self.space) is None
        score = score_for(self.named, self.predictor if is_auto else ModelPredictor(self.model, self.space))
        if score.learns or not self.predictor.provides(score.requires):
            raise ValueError(f"jackknife+ has no closed form for the score {score.name!r}. Use method='cv+'.")
        return score

    def batch(self, n: int) -> int:
        return max(1, self.batch_cells // len(self.alone) ** 2)

    def forecasts(self, X: Any) -> list[NDArray]:
        n = len(self.alone)
        alpha = np.asarray(self.weights(validated(self.model, X)))  # (q, n)
        without = alpha[:, None, :] + alpha[:, :, None] * self.alone  # (q, i, j)
        without[:, np.arange(n), np.arange(n)] = 0
        found = self.score.forecast(self.predictor, without.reshape(-1, n))
        found = found.reshape(len(alpha), n, *found.shape[1:])
        return [found[:, i] for i in range(n)]
