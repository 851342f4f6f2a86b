"""Evaluation by cross-validation: predict each row without its fold, and score the prediction by the row's set."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.parallel import Parallel, delayed

from ..data import Table
from ..data.hashes import hashed
from ..data.progress import track
from ..disambiguation import SetPosterior, held_out_sums, posterior_of
from ..loss import Average, Loss, SetLoss
from ..outputs.base import OutputSpace, Sets
from ..recipe import Recipe
from ..solvers import choose
from ..weights import split
from ..weights.base import Alpha, PrecomputedWeights
from ..weights.holdout import Holdout, folds_of
from .candidates import Candidate, by_learner
from .config import SearchConfig
from .independence import dependence
from .kernel_cache import KernelCache
from .result import Result
from .row_scores import RowScores
from .scores import Scores, beyond_chance, compare_with_constant, covered, is_labelled, labelled_weight, losses


class OutOfFold(NamedTuple):
    """Predictions for rows by a model that was fitted without their fold."""

    z: NDArray
    """(n, *z): the outputs."""
    log_likelihood: NDArray | None = None
    """(n,): log P_i(S_i), after soft disambiguation."""
    miss: float = 0.0
    """The estimated share of sets that miss the true label."""
    F: NDArray | None = None
    """(n, *e): the predicted states, after disambiguation."""


class OutOfFoldAlpha(Alpha):
    """Weights at the training rows, each without its fold; the matrix is formed only if a solver needs it."""

    def __init__(self, holdout: Holdout):
        self.holdout = holdout
        self.weights = PrecomputedWeights()
        self.weights.n_rows_ = holdout.n

    @property
    def shape(self) -> tuple[int, int]:
        return self.holdout.n, self.holdout.n

    def __len__(self) -> int:
        return self.holdout.n

    def sum(self, folded: Any) -> NDArray:
        return self.holdout.predict(folded)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.holdout.weights(), dtype=dtype)


def out_of_fold(
    recipe: Recipe, X: Any, output: OutputSpace, sets: Sets, sample_weight: Any = None,
    cv: int | list[NDArray] | None = None, **shared: Any,
) -> OutOfFold:  # fmt: skip
    """Predict each row by a model that was fitted without it, or without its fold.

    Parameters
    ----------
    recipe : Recipe
        The model, without "auto" parts.
    X : (n, d)
        Inputs, as numbers.
    output, sets
        The output space and the candidate sets of the rows.
    sample_weight : (n,), optional
        How much rows count.
    cv : int or list of index arrays, optional
        The number of folds, or the folds. None leaves out one row at a time.
    **shared
        Further arguments of `predict_held_out`.
    """
    folds = folds_of(X, cv, sample_weight=sample_weight) if isinstance(cv, int) else cv
    if folds is not None and len(folds) < 2:
        raise ValueError("All rows of X are the same, so models cannot be evaluated. Pass other features.")
    table = Table(X, None, sample_weight)
    if folds is not None and recipe.refits_on_labels:
        return OutOfFold(refit_folds(recipe.cheap(), table, output, sets, folds))
    holdout = fit_holdout(recipe, table, output, sets, folds)
    return predict_held_out(recipe, holdout, output, sets, sample_weight, **shared)


def fit_holdout(recipe: Recipe, table: Table, output: OutputSpace, sets: Sets, folds: list[NDArray] | None) -> Holdout:
    """Fit the weights of a recipe; return the operator that leaves out folds, or single rows if there are none."""
    problem = recipe.problem(table, output, sets)
    return problem.fit_weights().held_out(table.X, problem.target, table.w, folds)


def refit_folds(
    recipe: Recipe, table: Table, output: OutputSpace, sets: Sets, folds: list[NDArray],
    predict: Callable[[Any, Alpha], NDArray] | None = None,
) -> NDArray:  # fmt: skip
    """Fit a recipe without each fold, and predict the fold; for models without a closed form.

    `predict` maps a fitted solver and the weights at new rows to predictions; the outputs by default.
    """
    parts = []
    for fold in folds:
        rest = np.delete(np.arange(len(sets)), fold)
        fitted = recipe.fit(table.take(rest), output, sets[rest])
        alpha = fitted.weights(table.X[fold])
        parts.append(fitted.solver.argmin(alpha) if predict is None else predict(fitted.solver, alpha))
    return np.concatenate(parts)[np.argsort(np.concatenate(folds), kind="stable")]


def predict_held_out(
    recipe: Recipe, holdout: Holdout, output: OutputSpace, sets: Sets, sample_weight: Any = None,
    posterior: SetPosterior | None = None, loss: Loss | None = None, cheap: bool = False, rounds: int | None = None,
) -> OutOfFold:  # fmt: skip
    """Predict all rows by weights that leave out their fold.

    Soft labels are updated in `rounds`, by default those of the posterior. `posterior` and `loss` are those of the
    sets, if they are computed already. With `cheap`, iterative solvers stop after a few rounds, which is enough to rank
    candidates.
    """
    found = recipe.disambiguation
    if found is not None and found.decision == "sets":
        return OutOfFold(solve_held_out(recipe, holdout, SetLoss(output, sets) if loss is None else loss, cheap=cheap))
    if found is not None:
        posterior = found.posterior(sets, sample_weight) if posterior is None else posterior
        return OutOfFold(*found.outputs(output, sets, holdout, posterior, sample_weight, rounds))
    if sets.options() is not None and isinstance(recipe.principle, Average) and not recipe.is_joint:
        # the mean over candidates is disambiguation without updates, so sets have a likelihood
        posterior = posterior_of(sets, sample_weight) if posterior is None else posterior
        if posterior is not None:
            return OutOfFold(*posterior.outputs(held_out_sums(holdout, posterior, rounds=0), output))
    return OutOfFold(solve_held_out(recipe, holdout, recipe.loss(output, sets) if loss is None else loss, cheap=cheap))


def solve_held_out(
    recipe: Recipe, holdout: Holdout, loss: Loss, predict: Callable[[Any, Any], NDArray] | None = None,
    cheap: bool = False,
) -> NDArray:  # fmt: skip
    """Minimise a loss at each row by weights that leave out its fold; `predict` as in `refit_folds`."""
    solver = choose(recipe.solver, loss)
    solver = (solver.cheap(loss) if cheap else solver).fit(loss)
    alpha: Any = OutOfFoldAlpha(holdout)
    alpha = split(alpha) if recipe.is_joint else alpha
    return solver.argmin(alpha) if predict is None else predict(solver, alpha)


def row_scores(
    output: OutputSpace, sets: Sets, found: OutOfFold, sample_weight: Any = None, posterior: SetPosterior | None = None
) -> RowScores:
    """Score out-of-fold predictions row by row; `posterior` is that of the sets, if it is computed already."""
    likelihood = found.log_likelihood
    if likelihood is None:
        posterior = posterior_of(sets, sample_weight) if posterior is None else posterior
        likelihood = None if posterior is None else posterior.log_likelihood_at(output.psi(found.z))
    if not output.is_product:  # the likelihood ignores that the tags of an output depend on each other
        likelihood = None
    compared = output.compared_losses(sets, found.z)
    return RowScores(losses(output, sets, found.z), likelihood, sample_weight, compared, found.miss)


def mean_scores(sets: Sets, found: OutOfFold, rows: RowScores, w: NDArray | None = None, chance: bool = True) -> Scores:
    """Return the means of all scores over rows of weights w; larger is better.

    With `chance`, all predictions are compared with all rows.
    """
    return {
        "covering_rate": covered(sets, found.z, w),
        "chance_corrected": beyond_chance(sets, found.z, w) if chance else nan,
        "neg_set_risk": -float(np.average(rows.losses, weights=w)),
        "log_likelihood": nan if rows.log_likelihood is None else float(np.average(rows.log_likelihood, weights=w)),
    }


class Evaluation(NamedTuple):
    """A candidate with its result, and the scores of single rows that standard errors need."""

    candidate: Candidate
    result: Result
    rows: RowScores
    preview: bool = False
    """Whether feature relevances have seen the held-out rows."""
    z: NDArray = np.empty(0)
    """(n, *z): the out-of-fold predictions."""
    dependence: float = 0.0
    """For constants, how clearly sets depend on X, in standard errors; see `independence.dependence`."""


class NotEvaluated(NamedTuple):
    """A candidate that cannot be evaluated, and why."""

    candidate: Candidate
    reason: str


@dataclass
class EvaluationData:
    """The rows on which candidates are compared, with everything that the candidates share."""

    recipe: Recipe
    """Its solver, and its weights unless they are to be selected, are those of all candidates."""
    principles: dict[str, Any]
    """The principles by name."""
    kernels: KernelCache
    """The rows, their folds and the distances between them."""
    config: SearchConfig
    exhaustive: bool = False
    """Whether solvers run to their end, all scores are computed, and errors are raised."""

    def __post_init__(self) -> None:
        self.output = self.kernels.output if self.exhaustive else self.kernels.output.cheap()
        self.sets, self.w = self.kernels.sets, self.kernels.w
        self._posteriors: dict[str, SetPosterior | None] = {}
        # weights of the rows in the means of scores; a sample without labelled rows has no such means
        counts = is_labelled(self.output, self.sets) * (1.0 if self.w is None else self.w)
        self.scored = labelled_weight(self.output, self.sets, self.w) if counts.any() else self.w
        self._losses: dict[tuple[str, bool], Loss] = {}
        kernels, pairwise = self.kernels, self.has_given_weights and self.recipe.weights.pairwise
        codes = hashed(kernels.X, pairwise) if kernels.groups is None else kernels.groups
        found, which = np.unique(codes, return_inverse=True)
        self.clusters = which.ravel() if len(found) < len(self) else None

    def __len__(self) -> int:
        return self.kernels.n

    @cached_property
    def dependence(self) -> float:
        """How clearly candidate sets depend on X, in standard errors; 0 if weights are given."""
        return 0.0 if self.has_given_weights else dependence(self.kernels, self.clusters)

    @property
    def has_given_weights(self) -> bool:
        """Whether the user has set the weights."""
        return not self.recipe.selects_weights

    def recipe_of(self, candidate: Candidate) -> Recipe:
        """Return the recipe of a candidate."""
        given = self.has_given_weights
        weights = self.recipe.weights if given else candidate.build(len(self), self.config)
        principle = self.principles[candidate.principle]
        return Recipe(principle, candidate.negative_weights, weights, self.recipe.solver)

    def posterior_of(self, recipe: Recipe, grown: bool = False) -> SetPosterior | None:
        """Return the posterior of the labels, which all base learners share; that of plain sets by default.

        With `grown`, return that of the labels on which forests are grown: numbers are inside of their intervals.
        """
        found = recipe.disambiguation if self.sets.options() is not None or not grown else None
        noise = None if found is None else found.noise  # no other parameter changes the posterior
        key = str(noise)
        if key not in self._posteriors:
            self._posteriors[key] = posterior_of(self.sets, self.w, noise)
        return self._posteriors[key]

    def loss_of(self, recipe: Recipe) -> Loss | None:
        """Return the loss of a recipe, which all base learners share; None after disambiguation."""
        if recipe.disambiguation is not None:
            return None
        key = recipe.principle.name, recipe.is_joint
        if key not in self._losses:
            self._losses[key] = recipe.loss(self.output, self.sets)
        return self._losses[key]


def evaluate(
    candidates: Iterable[Candidate],
    data: EvaluationData,
    previews: Iterable[Candidate] = (),
    is_over: Callable[[bool], bool] = lambda has_result: False,
) -> Iterator[Evaluation | NotEvaluated]:
    """Evaluate candidates by cross-validation, and yield the results in the order of the candidates.

    Candidates that share a base learner are evaluated together, and its weights are computed once. The feature
    relevances of `previews` have seen the held-out rows. Once `is_over` is true, the remaining candidates are left out;
    its argument is whether there is a result for the same base learner.
    """
    work = [*((group, False) for group in by_learner(candidates)), *((group, True) for group in by_learner(previews))]
    label = f"candidates on {len(data)} rows"
    jobs = (delayed(_evaluate)(*one, data, is_over) for one in track(work, label, len(work), data.config.verbose))
    for found in Parallel(n_jobs=data.kernels.n_jobs, prefer="threads", return_as="generator")(jobs):
        yield from found


def _evaluate(
    candidates: list[Candidate], preview: bool, data: EvaluationData, is_over: Callable[[bool], bool]
) -> list[Evaluation | NotEvaluated]:
    """Evaluate candidates that share a base learner."""
    found: list[Evaluation | NotEvaluated] = []
    holdout: Holdout | None = None
    for candidate in candidates:
        if is_over(any(isinstance(one, Evaluation) for one in found)):
            break
        start, recipe = time.perf_counter(), data.recipe_of(candidate)
        loss = data.loss_of(recipe)
        posterior = data.posterior_of(recipe)
        shared: dict[str, Any] = {"posterior": posterior, "loss": loss, "cheap": not data.exhaustive}
        shared["rounds"] = 0 if candidate.rows else None  # exact labels are not updated
        try:
            if data.has_given_weights:
                kernels = data.kernels
                z = out_of_fold(recipe, kernels.X, data.output, data.sets, data.w, kernels.folds, **shared)
            else:
                grown_on = data.posterior_of(recipe, grown=True) if recipe.refits_on_labels else None
                F = None if grown_on is None else data.kernels.predict_grown(candidate, grown_on)
                if grown_on is not None and F is not None:
                    z = OutOfFold(*grown_on.outputs(F, data.output), grown_on.miss_share(F), F)
                else:
                    holdout = data.kernels.holdout(candidate, preview, grown_on) if holdout is None else holdout
                    z = predict_held_out(recipe, holdout, data.output, data.sets, data.w, **shared)
            rows = row_scores(data.output, data.sets, z, data.w, posterior)._replace(clusters=data.clusters)
            if data.sets.comparisons() is not None:
                rows = rows._replace(dependence=comparison_gains(data.output, data.sets, z, data.kernels.folds))
            scores = mean_scores(data.sets, z, rows, data.scored, chance=data.exhaustive)
            listed = holdout is not None and data.sets.options() is not None
            fewer = holdout.with_fewer_trees(data.config.n_trees) if holdout is not None and listed else None
            if fewer is not None:  # a third of the trees predict an out-of-bag row, which is worse with many classes
                half = predict_held_out(recipe, fewer[0], data.output, data.sets, data.w, **shared)
                rows = rows.extrapolated(row_scores(data.output, data.sets, half, data.w, posterior), fewer[1])
                gain = fewer[1] * (scores["covering_rate"] - covered(data.sets, half.z, data.scored))
                rate = float(np.clip(scores["covering_rate"] + gain, 0.0, 1.0))
                scores = mean_scores(data.sets, z, rows, data.scored, chance=data.exhaustive)
                scores |= {"covering_rate": rate, "neg_set_risk": min(scores["neg_set_risk"], 0.0)}
        except (ValueError, MemoryError) as error:
            if data.exhaustive:
                raise
            found.append(NotEvaluated(candidate, str(error).splitlines()[0]))
            continue
        result = Result.of(candidate, len(data), scores, time.perf_counter() - start)
        dependent = data.dependence if candidate.weights == "constant" else 0.0
        found.append(Evaluation(candidate, result, rows, preview, _compact(z.z), dependent))
    return found


def comparison_gains(output: OutputSpace, rankings: Any, found: OutOfFold, folds: list[NDArray]) -> NDArray:
    """Return how much better the comparisons of each row are predicted for it than for other rows of its fold, (n,).

    The mean over rows is 0 up to chance if comparisons are independent of X.
    """
    predicted = -output.psi(found.z) if found.F is None else rankings.phi_of_scores(found.F)
    known, labelled = rankings.start(), np.asarray(~rankings.is_unlabelled)
    gains = np.zeros(len(known))
    for fold in folds:
        rows = fold[labelled[fold]]
        if len(rows) > 1:
            here = ((predicted[rows] - predicted[rows].mean(axis=0)) * (known[rows] - known[rows].mean(axis=0))).sum(
                axis=1
            )
            gains[rows] = here * len(rows) / (len(rows) - 1)
    return gains


def scores_of_selected(best: Evaluation, data: EvaluationData) -> tuple[Result, dict[str, Any]]:
    """Return the result of the selected candidate, and its scores beside those of the best constant prediction."""
    z = best.z if best.z.dtype.kind == "f" else best.z.astype(int)
    scores = compare_with_constant(data.output, data.sets, z, data.scored)
    if not scores:
        return best.result, scores
    if best.candidate.weights == "forest" and data.sets.options() is not None:  # of all trees
        scores |= {"covering_rate": best.result.covering_rate, "set_risk": -best.result.neg_set_risk}
    return replace(best.result, chance_corrected=scores["chance_corrected"]), scores


def _compact(z: NDArray) -> NDArray:
    """Return outputs in the smallest signed type, because a search keeps those of all candidates."""
    if z.dtype.kind not in "iu" or not z.size:
        return z
    return z.astype(np.min_scalar_type(-1 - int(np.abs(z).max())))
