"""ProbabilityMixin: classifiers whose probabilities are calibrated by the likelihood of candidate sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..data import Table
from ..disambiguation import Categorical, held_out_sums
from ..evidence.calibration import TemperatureScaling, fit_temperature, with_unit_sum
from ..outputs.base import OutputSpace, Sets
from ..recipe import Recipe
from ..selection.evaluate import fit_holdout, refit_folds, solve_held_out
from ..weights.holdout import folds_of, rounded
from .base import PartialModel

MAX_ROWS = 3000  # rows that the default model is calibrated on; a temperature needs no more
N_FOLDS = 5  # folds of out-of-fold scores, if single rows cannot be left out in closed form


class ProbabilityMixin(PartialModel):
    """Base of the classifiers of labels and of tags: a calibrated map from scores to probabilities.

    Attributes
    ----------
    calibrator_ : TemperatureScaling or None
        The map; None if the model has no probabilities.
    """

    probabilities: Any

    def _option_scores(self, solver: Any, alpha: Any) -> NDArray:
        """Return the scores F of all options, (q, g, c), which sum to one for each choice."""
        raise NotImplementedError

    def _has_option_scores(self) -> bool:
        """Whether the fitted solver gives these scores."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        if self.probabilities is not None and self.probabilities != "temperature":
            raise ValueError(f"probabilities must be None or 'temperature'. Got {self.probabilities!r} instead.")
        super()._fit(X, y, sample_weight, groups)
        self.calibrator_: TemperatureScaling | None = self._fit_calibrator(X, y, sample_weight, groups)

    def _fit_calibrator(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> TemperatureScaling | None:
        """Fit the map if it is requested, or if it costs little; disambiguation has fitted it already."""
        recipe, requested = self._resolved_recipe(), self.probabilities is not None
        found = self.disambiguation_ if self.disambiguation_ is not None and self.disambiguation_.soft else None
        if found is not None and found.calibrator is not None:
            return found.calibrator
        if not requested and recipe.disambiguation is None and (
            self.principle != "auto" or not self._has_option_scores()
        ):  # fmt: skip
            return None
        if not requested and (recipe.disambiguation is not None or not (self.selection_ and self.selection_.results)):
            return TemperatureScaling()  # no row was held out
        rows = self._unfitted_copy()._rows(X, y, sample_weight, groups)
        rows = rows if requested else self._subsample(rows)
        if not isinstance(rows, Table):
            raise ValueError(
                "probabilities= holds out rows, which is not supported for chunked data. Pass arrays, or call"
                " calibrate(X_cal, y_cal)."
            )
        sets: Any = self.output_.read(rows.y)  # these rows have been checked and warned about
        options = sets.options()
        if found is not None and found.out_of_fold is not None:
            return fit_temperature(with_unit_sum(found.out_of_fold), options, rows.w)
        if options is None and not requested:
            return None
        table = Table(rows.X, None, rows.w)
        return fit_temperature(
            out_of_fold_scores(recipe, self._option_scores, table, self.output_, sets), options, rows.w
        )

    def _subsample(self, rows: Any) -> Any:
        """Return at most `MAX_ROWS` rows, which do not depend on the order of the rows."""
        if not isinstance(rows, Table):
            found = rows.sample(MAX_ROWS)
            return Table(found.X, found.y, found.w)
        if rows.X.shape[0] <= MAX_ROWS:
            return rows
        at = rows.first(MAX_ROWS)
        return Table(rows.X[at], self.output_.read(rows.y)[at], None if rows.w is None else rows.w[at])

    def calibrate(self, X: Any, y: Any) -> Self:
        """Calibrate the probabilities on data that was not used in `fit`.

        Parameters
        ----------
        X : (n, d) array
            Features.
        y : n candidate sets, in any form that `fit` accepts
            For a multilabel classifier, partly known tags.

        Returns
        -------
        self
            With a new `calibrator_`. See :mod:`infimum.evidence.calibration` for the likelihood that it maximises.
        """
        check_is_fitted(self)
        F = self.map_weights(X, lambda alpha: self._option_scores(self.solver_, alpha))
        mask = self.output_.read(y).options()
        if mask is None or len(mask) != len(F):
            raise ValueError(f"y must contain labels or known tags, one entry for each of the {len(F)} rows of X.")
        self.calibrator_ = fit_temperature(F, mask)
        return self

    def _probabilities(self, X: Any) -> NDArray:
        """Return calibrated probabilities of all options, (q, g, c)."""
        check_is_fitted(self)
        F = self.map_weights(X, lambda alpha: self._option_scores(self.solver_, alpha))
        assert self.calibrator_ is not None  # predict_proba is not available otherwise
        return self.calibrator_(F)


def check_calibrator(model: Any) -> None:
    """Raise an error unless a model has probabilities, or will have them once it is fitted."""
    if model.probabilities is not None or vars(model).get("calibrator_") is not None:
        return
    if "calibrator_" not in vars(model) and model.principle == "auto":
        return
    recipe = model._resolved_recipe()
    if recipe.disambiguation is None:
        raise AttributeError(
            f"predict_proba requires calibrated probabilities, which principle={str(recipe.principle)!r} does not"
            f" provide. Use {type(model).__name__}(probabilities='temperature'), or call calibrate(X_cal, y_cal) with"
            " data that was not used in fit."
        )


def out_of_fold_scores(
    recipe: Recipe, scores: Callable[[Any, Any], NDArray], table: Table, output: OutputSpace, sets: Sets
) -> NDArray:
    """Compute the scores of each training row by a model that did not use its set, (n, g, c).

    Single rows are left out if that has a closed form. Whole folds are held out for other weights, and after
    disambiguation, because the soft labels of the other rows depend on S_i. `scores` computes the scores of the
    options from a fitted solver and weights alpha.
    """
    mask = sets.options()
    if mask is None:
        raise ValueError(f"Probabilities require labels or tags, whose options can be listed. Got {sets!r}.")
    disambiguation = recipe.disambiguation
    folds = folds_of(rounded(table.X), N_FOLDS, sample_weight=table.w, groups=table.groups)
    if len(folds) < 2:
        raise ValueError(
            "All rows of X are the same, so probabilities cannot be learned from them. Pass other features."
        )
    soft = disambiguation is not None and disambiguation.is_soft(sets)
    if recipe.refits_on_labels or (disambiguation is not None and not soft):
        return refit_folds(recipe, table, output, sets, folds, scores)
    if soft:
        return with_unit_sum(held_out_sums(fit_holdout(recipe, table, output, sets, folds), Categorical(mask)))
    problem = recipe.problem(table, output, sets)
    weights = problem.fit_weights()
    single = weights.loo_operator() is not None
    holdout = weights.held_out(table.X, problem.target, table.w, None if single else folds)
    return solve_held_out(recipe, holdout, recipe.loss(output, sets), scores)
