"""PartialSearch: a grid search over kernel ridge models, by cross-validation on candidate sets."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, clone
from sklearn.model_selection import check_cv
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from ..data import Table
from ..data.checks import check_number, check_numbers, check_one_of, check_run, check_some_of
from ..data.errors import InfimumWarning
from ..disambiguation import Disambiguation, has_density, supports_soft
from ..loss import PRINCIPLES
from ..outputs import OutputSpace, Sets
from ..recipe import AUTO, Recipe, is_auto
from ..selection import Candidate, SearchConfig, select
from ..selection.candidates import combined, first_candidates
from ..selection.evaluate import Evaluation, EvaluationData
from ..selection.kernel_cache import KernelCache
from ..selection.rank import Rule
from ..selection.record import Record
from ..selection.result import scoring_of
from ..selection.rows import labelled_rows
from ..selection.scores import NAMES
from ..weights import KernelRidge, Nystrom, Scaled, Weights
from ..weights.holdout import folds_of
from .base import PartialModel
from .callbacks import CallbackMixin
from .classifier import PartialClassifier
from .conditional import available_unless

PAIRS = {
    "disambiguation": ("disambiguation", "inside"),
    "infimum": ("infimum", "inside"),
    "joint": ("infimum", "joint"),
    "average": ("average", "inside"),
    "supremum": ("supremum", "inside"),
}
"""name -> (principle, negative_weights)."""

SCALINGS = ("none", "standard", "unit", "relevant", "relevant unit")
KERNELS = ("rbf", "laplacian")


def _check_estimator_has(name: str) -> Callable[[Any], None]:
    """Raise the error of the best estimator if it lacks a method; before `fit`, that of its class."""

    def check(self: PartialSearch) -> None:
        before = PartialClassifier if self.estimator is None else type(self.estimator)
        getattr(vars(self).get("best_estimator_", before), name)

    return check


@dataclass(eq=False, repr=False)
class PartialSearch(CallbackMixin, BaseEstimator):
    """Grid search over kernel ridge models by cross-validation on candidate sets.

    No true label is needed. Each candidate predicts the rows of each fold without their sets. For kernel ridge these
    predictions follow from one factorisation per candidate, without refitting. Parameters that are set in the
    estimator, such as its weights, are kept. For families without a kernel, such as ``weights="forest"``, the
    candidates are those of the default search.

    Parameters
    ----------
    estimator : PartialModel, optional
        The model whose "auto" parameters are selected; ``PartialClassifier()`` by default.
    scalings : list of {"none", "standard", "unit", "relevant", "relevant unit"}, default ("standard", "unit")
        How features are scaled, see `infimum.weights.Scaled`: not at all; to the same scale; and then each row to
        length 1. "relevant" multiplies each feature by its relevance.
    kernels : list of {"rbf", "laplacian"}, default both
        exp(-gamma |x - x'|_2²) and exp(-gamma |x - x'|_1).
    gammas : list of float, default (0.5, 1, 2)
        Kernel widths, in units of 1 / (median distance between training rows).
    lams : list of float, default (1e-5,)
        Regularisation strengths; the ridge is n lam.
    principles : list, optional
        Among "disambiguation", "infimum", "joint" (the infimum with ``negative_weights="joint"``), "average" and
        "supremum". By default that of the estimator. If it is "auto", disambiguation if the members of the sets can
        have probabilities (labels, tags, masks, numbers, hyperrectangles), otherwise the infimum.
    scoring : str, default "auto"
        "log_likelihood", "covering_rate", "chance_corrected" or "neg_set_risk". "auto" compares candidates with a
        likelihood (disambiguation, and all principles for regression) by the log-likelihood, others by the set risk.
        Among the best of each principle, the likeliest is taken unless its set risk is larger than the least by more
        than 1.5 standard errors; for regression, the likeliest of all.
    cv : int, splitter or iterable of (train, test), default 5
        The number of folds, or what scikit-learn's searches accept, with test folds that contain each row once. The
        folds of an integer do not depend on the order of the rows, and equal rows are in the same fold.
    verbose : int, default 0
        Whether a progress bar is shown.

    Attributes
    ----------
    best_estimator_ : PartialModel
        The estimator with the selected parts, fitted to all rows. Its weights scale the features.
    best_params_ : dict
        The parameters of the best candidate.
    best_score_ : float
        Its mean cross-validation score.
    best_index_ : int
        Its position in `cv_results_`.
    cv_results_ : dict of arrays
        "params", one array "param_…" per parameter, the scores "mean_test_…", "mean_test_score" and "rank_test_score"
        for the score in `scoring_`, "median_distance", which is the unit of 1 / gamma, and "seconds".
    scoring_ : str
        The score by which candidates were compared.

    Notes
    -----
    An interrupt (Ctrl-C) ends the search: the best candidate so far is fitted, with a warning. A callback of
    `set_callbacks` that returns True ends it without a warning.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = np.repeat([0, 1, 2], 20)
    >>> X = np.eye(3)[truth] + .3 * rng.standard_normal((60, 3))
    >>> sets = np.eye(3, dtype=bool)[truth] | (rng.random((60, 3)) < .3)
    >>> search = PartialSearch().fit(X, sets)
    >>> bool(np.mean(search.labels_ == truth) > .9), len(search.cv_results_["params"])
    (True, 12)
    """

    estimator: Any = None
    scalings: Sequence[str] = ("standard", "unit")
    kernels: Sequence[str] = ("rbf", "laplacian")
    gammas: Sequence[float] = (0.5, 1.0, 2.0)
    lams: Sequence[float] = (1e-5,)
    principles: Sequence[str] | None = None
    scoring: str = "auto"
    cv: Any = 5
    verbose: int = 0

    def output_space(self, y: Any) -> Any:
        """Return the output space that a fit to `y` would use, fitted to y."""
        return (PartialClassifier() if self.estimator is None else self.estimator).output_space(y)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, groups: Any = None) -> Self:
        """Evaluate every candidate, then fit the best one to all rows."""
        return self._fit_at_once(X, y, sample_weight, groups)

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any = None) -> None:
        model = self._check()
        recipe = model._recipe()
        rows: Any = clone(model)._rows(X, y, sample_weight, groups)
        output = rows.fitted(model._output(y))
        data = self._data(recipe, rows, output, recipe.read(rows, output))
        candidates = self._candidates(recipe, rows.X, data.sets)
        record = Record(on_result=self._on_candidate)
        try:
            record.compare(candidates, data)
        except KeyboardInterrupt:
            if not record.evaluations:
                raise
            warnings.warn(
                f"The search was interrupted after {len(record.evaluations)} of {len(candidates)} candidates; the best"
                " of them is fitted.",
                InfimumWarning,
                stacklevel=3,
            )
        best = self._best(record.evaluations, data)
        medians = [_median(one.candidate, data.kernels) for one in record.evaluations]
        fitted = self._configured(model, best.result.params, _median(best.candidate, data.kernels))
        self.best_estimator_ = fitted.fit(X, rows.y, sample_weight, groups)
        self._keep(record.evaluations, best, medians)

    def _keep(self, evaluations: list[Evaluation], best: Evaluation, medians: list[float]) -> None:
        """Keep the results in the format of scikit-learn."""
        results = [one.result for one in evaluations]
        likelihoods = [one.log_likelihood for one in results]
        self.scoring_ = scoring_of(likelihoods) if self.scoring == AUTO else self.scoring
        params = [one.params for one in results]
        names = dict.fromkeys(name for one in params for name in one)
        scores = {name: np.array([getattr(one, name) for one in results]) for name in NAMES}
        score = scores[self.scoring_]
        self.cv_results_ = {
            "params": params,
            **{f"param_{name}": np.array([getattr(one, name) for one in results]) for name in names},
            **{f"mean_test_{name}": values for name, values in scores.items()},
            "mean_test_score": score,
            "rank_test_score": rankdata(-np.nan_to_num(score, nan=-np.inf), method="min").astype(int),
            "median_distance": np.array(medians),
            "seconds": np.array([one.seconds for one in results]),
        }
        self.best_index_ = next(k for k, one in enumerate(evaluations) if one is best)
        self.best_params_, self.best_score_ = params[self.best_index_], float(score[self.best_index_])

    def _check(self) -> PartialModel:
        check_run(self)
        check_some_of(self, "scalings", SCALINGS)
        check_some_of(self, "kernels", KERNELS)
        if self.principles is not None:
            check_some_of(self, "principles", PAIRS)
        check_numbers(self, "gammas")
        check_numbers(self, "lams", above=False)
        if isinstance(self.cv, Number):
            check_number(self, "cv", 2, integer=True)
        check_one_of(self, "scoring", (AUTO, *NAMES))
        model = PartialClassifier() if self.estimator is None else self.estimator
        if not isinstance(model, PartialModel):
            raise ValueError(f"estimator must be one of this library, such as PartialClassifier(). Got {model!r}.")
        return model

    def _data(self, recipe: Recipe, table: Table, output: OutputSpace, sets: Sets) -> EvaluationData:
        """Return the rows and their folds, on which all candidates are compared."""
        if table.X.shape[0] < 2:
            raise ValueError("X has one sample, and cross-validation requires two. Pass more rows.")
        table, sets = labelled_rows(recipe, table, output, sets)
        if not isinstance(self.cv, Number):
            try:
                folds = [test for _, test in check_cv(self.cv).split(table.X, sets, table.groups)]
            except (TypeError, ValueError) as error:
                raise ValueError(
                    "cv must be an integer >= 2, a splitter such as KFold(5), or an iterable of (train, test) indices."
                    f" Got {self.cv!r:.200} instead."
                ) from error
            if not np.array_equal(np.sort(np.concatenate([[], *folds])), np.arange(len(sets))):
                raise ValueError(f"The test folds of cv must contain each row once. Got {self.cv!r}.")
        else:
            k = min(int(self.cv), max(2, len(sets)))  # type: ignore[call-overload]
            folds = folds_of(table.X, k, sample_weight=table.w, groups=table.groups)
        if len(folds) < 2:
            raise ValueError("All rows of X are the same, so models cannot be compared. Pass other features.")
        principles: dict[str, Any] = {"disambiguation": Disambiguation(), **PRINCIPLES}
        if not is_auto(recipe.principle):
            principles[recipe.principle.name] = recipe.principle
        config = SearchConfig(verbose=self.verbose)
        kernels = KernelCache(table, output, sets, folds, config)
        return EvaluationData(recipe, principles, kernels, config, exhaustive=True)

    def _candidates(self, recipe: Recipe, X: Any, sets: Sets) -> list[Candidate]:
        """Return the grid, or the weights that are set in the estimator, with each principle."""
        pairs = self._pairs(recipe, sets)
        if not recipe.selects_weights:
            return combined(Candidate(type(recipe.weights).__name__), pairs, recipe.weights.signed)
        family = "kernel" if is_auto(recipe.weights) else recipe.weights
        if family not in ("kernel", "nystrom"):  # they have no kernels: the candidates of the default search
            return first_candidates(len(sets), X, pairs, SearchConfig(), family=family)
        grid = itertools.product(self.scalings, self.kernels, self.gammas, self.lams)
        return [one for shape in grid for one in combined(Candidate(family, *shape), pairs)]

    def _pairs(self, recipe: Recipe, sets: Sets) -> list[tuple[str, str]]:
        """Return the pairs (principle, negative_weights) that are compared; those of the estimator are kept."""
        is_set, rule = not is_auto(recipe.principle), recipe.negative_weights
        if self.principles is None:
            default = "disambiguation" if supports_soft(sets) else "infimum"
            return [(recipe.principle.name if is_set else default, "inside" if rule == AUTO else rule)]
        kind = "disambiguation" if recipe.disambiguation is not None else str(recipe.principle)
        for name, negative in (PAIRS[name] for name in self.principles):
            if (is_set and name != kind) or rule not in (AUTO, negative):
                raise ValueError(
                    f"principles={list(self.principles)} would replace what is set in the estimator,"
                    f" principle={kind!r} and negative_weights={rule!r}. Leave one of the two out."
                )
        return [(recipe.principle.name if is_set else PAIRS[name][0], PAIRS[name][1]) for name in self.principles]

    def _best(self, evaluations: list[Evaluation], data: EvaluationData) -> Evaluation:
        if self.scoring == AUTO:
            return select(evaluations, Rule(data.config, regression=has_density(data.sets), smoothest=False))
        return max(evaluations, key=lambda one: np.nan_to_num(getattr(one.result, self.scoring), nan=-np.inf))

    @staticmethod
    def _configured(model: PartialModel, params: dict[str, Any], median: float) -> PartialModel:
        """Return the model of a candidate, which is not fitted; `median` is the unit of 1 / gamma."""
        candidate = Candidate(**params)
        chosen: dict[str, Any] = {"negative_weights": candidate.negative_weights}
        if is_auto(model.principle):
            chosen["principle"] = candidate.principle
        if candidate.gamma is not None:
            family = Nystrom if candidate.weights == "nystrom" else KernelRidge
            weights: Weights = family(lam=candidate.lam, kernel=candidate.kernel, gamma=candidate.gamma / median)
            chosen["weights"] = weights if candidate.scaling == "none" else Scaled(weights, candidate.scaling)
        elif isinstance(model.weights, str):
            chosen["weights"] = candidate.build(0, SearchConfig())
        return clone(model).set_params(**chosen)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(PartialClassifier() if self.estimator is None else self.estimator)
        tags.target_tags, tags.classifier_tags = inner.target_tags, inner.classifier_tags
        tags.input_tags.sparse = True
        return tags

    def predict(self, X: Any) -> NDArray:
        """Predict with the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the best estimator on new data."""
        check_is_fitted(self)
        return self.best_estimator_.score(X, y, sample_weight)

    @available_unless(_check_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray:
        """Return the probabilities of the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.predict_proba(X)

    @available_unless(_check_estimator_has("decision_function"))
    def decision_function(self, X: Any) -> NDArray:
        """Return the decision function of the best estimator."""
        check_is_fitted(self)
        return self.best_estimator_.decision_function(X)

    def __getattr__(self, name: str) -> Any:
        """Return a fitted attribute of the best estimator, or raise its error, which says what to change."""
        of_best = name in ("predict_proba", "decision_function") or (name.endswith("_") and not name.startswith("_"))
        if of_best and "best_estimator_" in self.__dict__:
            return getattr(self.best_estimator_, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}.")

    def to_frame(self) -> Any:
        """Return `cv_results_` as a pandas DataFrame, the best score first."""
        check_is_fitted(self)
        import pandas as pd

        columns = {name: values for name, values in self.cv_results_.items() if name != "params"}
        return pd.DataFrame(columns).sort_values("rank_test_score", kind="stable", ignore_index=True)


def _median(candidate: Candidate, kernels: KernelCache) -> float:
    """Return the median distance between rows, NaN for a candidate without a kernel."""
    return np.nan if candidate.gamma is None else kernels.distances(candidate.scaling, candidate.kernel)[1]
