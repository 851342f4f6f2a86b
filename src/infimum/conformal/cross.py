"""CV+: each row is predicted by a model that was fitted without its fold.

With R_i the score of row i under the model without its fold, and s_k(x, y) the score of y at x under the model without
fold k, C(x) = {y : #{i : R_i < s_k(i)(x, y)} < level (n + 1)} (Barber, Candès, Ramdas and Tibshirani, 2021). With as
many folds as rows, this is the jackknife+.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ..data.inputs import some_rows
from ..outputs.of_model import space_of
from .models import ModelPredictor, fit_with_score, fitted_copy, score_for
from .units import Units


class CrossValidated:
    """One model per fold, with the scores of the rows that it has not seen.

    Parameters
    ----------
    model : estimator
        The unfitted model.
    score : "auto", str or Score
        The conformal score.
    covers : {"truth", "set"}
        What is covered.
    cv : int
        The number of folds.
    random : RandomState
        Determines the folds.

    Attributes
    ----------
    model : estimator
        Fitted to all rows; used by `predict`.
    score : Score
        The score of the first fold.
    space : OutputSpace
        The output space of the model.
    scores : list of arrays
        R_i of the rows of each fold; of its units if rows are exchangeable only together.
    drawn : bool
        Whether the labels of the held-out rows were drawn from the answers of several annotators.
    excess : float
        By how much the guarantee falls short of 2 level - 1.
    """

    def __init__(self, model: Any, score: Any, covers: str, cv: int, random: np.random.RandomState):
        self.template, self.named, self.covers, self.cv, self.random = model, score, covers, cv, random

    def fit(self, X: Any, sets: Any, w: NDArray | None) -> Self:
        """Fit a model without each fold, and one to all rows."""
        units = Units(self.template, X)
        n = len(units)
        if n < self.cv:
            raise ValueError(
                f"Cross-validation with {self.cv} folds requires at least {self.cv} {units.name}. Got {n}."
            )
        folds = [units.rows(part) for part in np.array_split(self.random.permutation(n), self.cv)]
        fitted = []
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(sets)), fold)
            weight = None if w is None else w[rest]
            fitted.append(
                fit_with_score(self.template, self.named, some_rows(X, rest), sets[rest], self.random, weight)
            )
        if self.named == "auto":  # the folds may have selected models that offer different quantities
            common = score_for("auto", *(predictor for predictor, _ in fitted))
            fitted = [(predictor, common) for predictor, _ in fitted]
        self.models, self.scores = [], []
        for fold, (predictor, score) in zip(folds, fitted):
            held = some_rows(X, fold)
            own, self.drawn = predictor.calibration_sets(held, sets[fold], self.covers, self.random)
            forecast = score.randomise(score.forecast(predictor, held), self.random)
            over = score.largest if self.covers == "truth" else score.smallest
            self.models.append((predictor.model, score))
            self.scores.append(Units(predictor.model, held).largest(over(forecast, own, predictor.space)))
        self.model = fitted_copy(self.template, X, sets, w)
        self.score, self.space = self.models[0][1], space_of(self.model)
        m, K = n / self.cv, self.cv
        self.excess = min(2 * (1 - 1 / K) / (m + 1), (1 - K / n) / (K + 1))
        return self

    def predict_set(self, X: Any, level: float) -> Any:
        """Return C(x) for every row of X."""
        rank = level * (sum(map(len, self.scores)) + 1)
        form = self.score.by_count if self.covers == "truth" else self.score.by_union
        return form(self.forecasts(X), self.scores, rank, self.space)

    def forecasts(self, X: Any) -> list[NDArray]:
        """Return the forecast of the model of each fold at the queries."""
        return [score.forecast(ModelPredictor(model), X) for model, score in self.models]
