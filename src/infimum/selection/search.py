"""The search: select the parts of a recipe that are set to "auto", by cross-validation on candidate sets."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from threadpoolctl import threadpool_limits

from ..data import Rows, Table
from ..data.errors import InfimumWarning, InputError
from ..data.hashes import column_ranks
from ..disambiguation import Disambiguation, has_density, supports_soft
from ..loss import Average, Infimum
from ..outputs.base import OutputSpace, Sets
from ..recipe import AUTO, Recipe, is_auto
from ..weights import LabelledRowsOnly, by_name
from ..weights.holdout import folds_of
from .candidates import (
    Candidate,
    Pair,
    combined,
    default_weights,
    first_candidates,
    is_costly,
    principles_of,
    with_exact_rows,
)
from .config import SearchConfig
from .evaluate import EvaluationData, scores_of_selected
from .first_comparison import compare_best, compare_first, groups_to_refine
from .kernel_cache import KernelCache
from .noise import is_likelier_noisy, may_be_noisy, try_noise
from .rank import Rule, best_model, far_behind, has_likelihood, is_noisy, mixtures_of, nearest_of, select, survivors
from .record import Record
from .relevant import relevance_starts, relevant_candidates
from .result import Result, SelectionResult
from .rows import labelled_rows, n_distinct, row_order


@dataclass(frozen=True)
class SearchProblem:
    """What a search is about: the rows, and the parts of the model that are already set."""

    recipe: Recipe
    """Parts that are not "auto" are kept."""
    table: Table
    output: OutputSpace
    sets: Sets
    n: int
    """The number of rows that are fitted in the end, counted with their sample weights."""
    principles: dict[str, Any]
    """The principles that are compared, by name."""
    pairs: list[Pair]
    """The pairs (principle, negative_weights) that are compared."""
    config: SearchConfig
    rule: Rule
    """How candidates are compared."""
    costly: bool = False
    """Whether each prediction is a search."""
    chunked: bool = False
    """Whether the table is a sample of rows in chunks."""
    labelled_only: bool = False
    """Whether unlabelled rows have been left out."""

    @property
    def selects_noise(self) -> bool:
        """Whether it is to be selected if sets may miss the true label; several sources are fallible anyway."""
        auto = is_auto(self.recipe.noise) and "disambiguation" in {name for name, _ in self.pairs}
        sets = self.sets
        listed = sets.options() is not None or sets.comparisons() is not None or len(sets.lines() or []) == 1
        return auto and listed and sets.answers_of_sources() is None

    @property
    def selects_decision(self) -> bool:
        """Whether it is to be selected what predictions minimise after disambiguation of numbers."""
        auto = is_auto(self.recipe.principle) and not self.given and not self.chunked
        if not (auto and self.rule.regression) or Infimum().curves(self.sets) is None:
            return False
        # bounds in one direction only are best satisfied by the most extreme prediction
        return not self.sets.is_exact.all() and all(one.bounded_below is None for one in self.sets.lines() or [])

    @property
    def classifies(self) -> bool:
        """Whether outputs are labels or similar: neither numbers nor costly predictions."""
        return not (self.rule.regression or self.costly)

    @property
    def tries_exact_rows(self) -> bool:
        """Whether base learners are also fitted to the rows with an exact label alone."""
        sets = self.sets
        if not (self.classifies and is_auto(self.recipe.weights)) or self.chunked or sets.options() is None:
            return False
        known = sets.answers_of_sources() is None and sets.likelihood() is None and sets.group_constraints is None
        return known and self.rule.exact < 1 and int(sets.is_exact.sum()) >= self.config.min_exact_rows

    @property
    def has_plain_labels(self) -> bool:
        """Whether each row has one label, which neither several annotators nor the other rows of a group restrict."""
        sets = self.sets
        return self.rule.n_choices == 1 and sets.answers_of_sources() is None and sets.group_constraints is None

    @property
    def given(self) -> bool:
        """Whether the user has set the weights."""
        return not self.recipe.selects_weights

    @property
    def pairwise(self) -> bool:
        """Whether X contains similarities between rows instead of features."""
        return self.given and self.recipe.weights.pairwise

    def first_candidates(self) -> list[Candidate]:
        """Return the candidates with which the search begins."""
        if self.given:
            learner = Candidate(type(self.recipe.weights).__name__)
            return combined(learner, self.pairs, self.recipe.weights.signed)
        linear = "logistic" if self.has_plain_labels and not self.chunked else "linear"
        found = first_candidates(
            self.n, self.table.X, self.pairs, self.config, self.chunked, self.recipe.weights, self.rule.regression,
            linear,
        )  # fmt: skip
        return found + (with_exact_rows(found) if self.tries_exact_rows else [])

    def data(self, rows: NDArray, threads: int = 1) -> EvaluationData:
        """Return some rows with their folds, on which candidates are compared."""
        config, table = self.config, self.table.take(rows)
        if self.pairwise:
            table.X = table.X[:, rows]
        compared = self.sets.comparisons()
        narrow = compared is None or compared.m <= config.few_items
        few = len(self.sets) <= config.few_rows and narrow and supports_soft(self.sets)
        n_folds = config.n_folds_few if few else config.n_folds
        folds = folds_of(column_ranks(table.X, self.pairwise), n_folds, sample_weight=table.w, groups=table.groups)
        parallel = config.n_jobs is None and threads > 1 and len(rows) >= config.parallel_rows
        n_jobs = threads if parallel else config.n_jobs
        kernels = KernelCache(table, self.output, self.sets[rows], folds, config, n_jobs)
        return EvaluationData(self.recipe, self.principles, kernels, config)


def select_recipe(
    recipe: Recipe, rows: Rows, output: OutputSpace, sets: Sets, config: SearchConfig | None = None,
    on_result: Callable[[Result], bool] | None = None,
) -> tuple[Recipe, SelectionResult]:  # fmt: skip
    """Select the parts of a recipe that are set to "auto"; return the complete recipe and what was compared.

    Parameters
    ----------
    recipe : Recipe
        Parts that are not "auto" are kept.
    rows, output, sets
        The training rows, in memory or in chunks, the output space and the candidate sets.
    config : SearchConfig, optional
        The constants of the search.
    on_result : callable, optional
        Is called with the result of each candidate; the search ends if it returns True.
    """
    config = SearchConfig() if config is None else config
    if isinstance(rows, Table):
        problem = search_problem(recipe, rows, output, sets, config)
    else:
        problem = chunked_problem(recipe, rows, output, sets, config)
    if problem.given and len(problem.pairs) == 1:
        return paper_recipe(problem, "All parts are set explicitly.")
    order = row_order(problem.table, problem.sets, problem.pairwise)
    least = config.min_distinct_rows_regression if problem.rule.regression else config.min_distinct_rows
    if n_distinct(problem.table, problem.pairwise) < least:
        return paper_recipe(problem, f"There are fewer than {least} distinct rows: too few for cross-validation.")
    record = Record(config.max_search_time, on_result)
    # BLAS threads would wait for each other on matrices of this size; candidates are evaluated in parallel instead
    with threadpool_limits(1, user_api="blas") as limits, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a warning about one candidate among many
        data, complete = run_stages(problem, order, record, limits.get_original_num_threads()["blas"] or 1)
    if not complete and not record.stopped:
        warnings.warn(
            f"The search stopped after {len(record.evaluations)} candidates. The best of them is fitted.",
            InfimumWarning,
            stacklevel=5,
        )
    if not record.evaluations:
        reasons = " ".join(record.not_evaluated[:3])
        if not is_auto(recipe.weights):  # the fit raises the error in full
            return paper_recipe(problem, reasons)
        raise ValueError(f"No candidate model could be evaluated. {reasons}")
    best = select(record.latest(data), problem.rule)
    # the last comparison may have been interrupted before its first result
    rows_of_best = data if best.result.n == len(data) else problem.data(order[: best.result.n])
    top, scores = scores_of_selected(best, rows_of_best)
    result = SelectionResult(
        [top if one is best else one.result for one in record.evaluations], top, complete=complete, config=config,
        not_evaluated=record.not_evaluated, scores=scores,
    )  # fmt: skip
    return final_recipe(problem, best.candidate, data, order), result


def run_stages(problem: SearchProblem, order: NDArray, record: Record, threads: int) -> tuple[EvaluationData, bool]:
    """Run the stages of the search; return the rows of the last one, and whether it came to its end."""
    config, n, classifies = problem.config, len(problem.sets), problem.classifies
    (first, second), last = config.rows(problem.costly, classifies), min(n, config.last_rows)
    candidates, later, first_principle = problem.first_candidates(), list[Candidate](), problem.pairs[0][0]
    tuned = [one for one in candidates if one.is_tuned and one.principle == first_principle]
    in_two = n > config.skip_first_ratio * first and not problem.given and bool(tuned or not classifies)
    data = problem.data(order[: first if in_two else second], threads)
    if in_two and classifies:
        # few rows rank kernels; families, principles and forests are compared on more
        candidates, later = tuned, [one for one in candidates if not one.is_tuned]
    try:
        # Stage 1: compare the first candidates on few rows.
        compare_first(problem, data, record, candidates)
        # Stage 2: try the neighbours of the best ones.
        try_neighbours(problem, data, record)
        if later and record.on(data):
            best = best_model(record.on(data), problem.rule).candidate
            record.compare(combined(best, problem.pairs), data)
        # Stage 3: multiply features by their relevance, if that is likely to be better.
        starts = relevance_starts(record.on(data), problem.rule)
        record.compare(relevant_candidates(problem, data, record, starts), data)
        noisy = problem.selects_noise
        if record.evaluations and len(data) < min(n, second):
            noisy = noisy and may_be_noisy(problem, data, record)
            if noisy and classifies and is_likelier_noisy(problem, data, record):
                second = config.second_rows_noisy
            # Stage 4: compare the best ones on more rows, and the forests unless they are far behind on few rows.
            found = [one for one in record.latest(data) if not is_noisy(one)]
            forests = [one for one in later if one.weights == "forest" and one.principle == first_principle]
            record.compare(forests, data)
            behind = far_behind([one for one in record.on(data) if one.candidate in forests], found, problem.rule)
            later = [one for one in later if one.learner not in behind]
            kept = [one.candidate for one in survivors(found, problem.rule)] + later
            plain = [one for one in kept if not one.has_relevance]
            starts = [[one] for one in kept if one.has_relevance]
            data = problem.data(order[:second], threads)
            if not starts and problem.rule.regression:
                record.compare(plain, data)
                starts = relevance_starts(record.latest(data), problem.rule)
            # Stage 5: refine, with and without relevances.
            relevant = relevant_candidates(problem, data, record, starts, plain)
            try_neighbours(problem, data, record, relevant, rougher=not problem.costly)
            # Stage 6: compare the best of each family on even more rows.
            if classifies and last > config.skip_first_ratio * len(data) and record.on(data):
                if noisy:
                    try_noise(problem, data, record)
                data, noisy = compare_best(problem, record, data, problem.data(order[:last], threads)), False
        # Stage 7: average the best candidates of all families.
        if not problem.costly and is_auto(problem.recipe.weights) and not problem.chunked and record.on(data):
            record.compare(mixtures_of(record.on(data), problem.rule), data)
        # Stage 8: minimise the infimum loss to the sets instead of the loss to the estimated labels.
        if problem.selects_decision and record.on(data):
            record.compare(nearest_of(record.on(data), problem.rule), data)
        # Stage 9: allow for sets that miss the true label.
        if noisy and record.on(data):
            try_noise(problem, data, record)
    except KeyboardInterrupt:
        if not record.evaluations:
            raise
        return data, False
    return data, not record.stopped and time.perf_counter() <= record.deadline


def try_neighbours(
    problem: SearchProblem, data: EvaluationData, record: Record, also: Sequence[Candidate] = (), rougher: bool = False
) -> None:
    """Evaluate the neighbours of the best candidate of each competitive group, while the best of all improves.

    Candidates in `also` are evaluated first. Neighbours of candidates with relevances are not tried here. With
    `rougher`, only those neighbours of the best candidate and of the best kernel are tried that follow the labels more
    closely.
    """
    config = problem.config
    record.compare(also, data)
    for _ in range(1 if problem.costly else config.n_steps_second if rougher else config.n_steps):
        found = record.on(data)
        near: list[Candidate] = []
        groups = groups_to_refine(problem, found)
        if not problem.rule.regression and not problem.costly and found:
            # a candidate without a likelihood is selected only if its set risk is clearly less
            winner = select(found, problem.rule)
            own = [group for group in groups if any(one is winner for one in group)]
            families = ("kernel", "linear") if problem.rule.rankings else ("kernel",)
            soft = [group for group in groups if has_likelihood(group[0])]
            soft = [one for one in soft if one[0].candidate.weights in families] if rougher else soft
            groups = [group for group in groups if group in own or group in soft]
        for group in groups:
            best = next((one for one in group if not one.candidate.has_relevance), None)
            near += [] if best is None else best.candidate.neighbours(problem.config, rougher)
        record.compare(near, data)
        if not record.on(data) or (found and select(record.on(data), problem.rule) is select(found, problem.rule)):
            break


def search_problem(
    recipe: Recipe, table: Table, output: OutputSpace, sets: Sets, config: SearchConfig
) -> SearchProblem:
    """Return the search over rows in memory."""
    given, n_all = not recipe.selects_weights, len(sets)
    table, sets = labelled_rows(recipe, table, output, sets)
    labelled_only = len(sets) < n_all
    n = len(sets) if table.w is None else max(1, round(float(table.w.sum())))
    principles, pairs = principles_of(recipe, sets, not given or recipe.weights.signed)
    if is_auto(recipe.principle) and sets.answers_of_sources() is not None:
        pairs = [pair for pair in pairs if isinstance(principles[pair[0]], Disambiguation)]
    if n > config.exact_rows and len(pairs) > 1 and not supports_soft(sets):
        pairs = [(name, rule) for name, rule in pairs if not isinstance(principles[name], Disambiguation)]
    costly = is_costly(sets)
    if costly and is_auto(recipe.principle) and is_auto(recipe.negative_weights):
        # the two rules rarely differ, and each takes longer than all other principles
        pairs = [(name, rule) for name, rule in pairs if rule != "joint"]
    regression = has_density(sets)
    if regression and is_auto(recipe.principle) and is_auto(recipe.weights):
        pairs = pairs[:1]  # other principles are hardly ever better, and cost three times as much
    if labelled_only:  # unlabelled rows have neither an average nor a supremum
        allowed = [(name, rule) for name, rule in pairs if rule != "joint"]
        pairs = [pair for pair in allowed if not isinstance(principles[pair[0]], Average)] or pairs
    labelled = ~output.is_unlabelled(sets)
    exact = float(np.mean(sets.is_exact[labelled])) if labelled.any() else 0.0
    rankings = sets.comparisons() is not None
    # labels of more rows can be followed more closely than those that are compared
    smoothest = regression or costly or len(sets) <= config.second_rows
    rule = Rule(
        config, regression, costly, exact=exact, n_choices=_n_choices(sets), rankings=rankings, smoothest=smoothest
    )
    return SearchProblem(
        recipe, table, output, sets, n, principles, pairs, config, rule, costly,
        labelled_only=labelled_only,
    )  # fmt: skip


def chunked_problem(recipe: Recipe, rows: Any, output: OutputSpace, sets: Any, config: SearchConfig) -> SearchProblem:
    """Return the search over a sample of rows in chunks, among models that can be fitted to chunks."""
    if recipe.selects_weights and recipe.weights not in (AUTO, "kernel"):  # kernels are approximated
        by_name(recipe.weights).check_rows(rows)
    principles, pairs = principles_of(recipe, sets.sample, signed=False)
    if is_auto(recipe.principle):
        pairs = [(name, "inside") for name, _ in pairs if _needs_sums_only(principles[name], sets.sample)]
    if not pairs:
        raise ValueError(f"No principle supports {sets!r} in chunks. Fit on arrays.")
    some = rows.sample(config.chunk_rows)
    table, parsed = Table(some.X, some.y, some.w, rows.names), output.read(some.y)
    rankings = parsed.comparisons() is not None
    rule = Rule(config, has_density(parsed), n_choices=_n_choices(parsed), rankings=rankings)
    return SearchProblem(
        recipe, table, output, parsed, some.n, principles, pairs, config, rule, is_costly(parsed), chunked=True
    )


def _needs_sums_only(principle: Any, sets: Sets) -> bool:
    """Whether a principle can be used with rows in chunks, over which only sums are formed."""
    if isinstance(principle, Disambiguation):
        return supports_soft(sets)
    try:
        return principle.embed(sets) is not None
    except InputError:  # one-sided intervals have no average
        return False


def paper_recipe(problem: SearchProblem, reason: str) -> tuple[Recipe, SelectionResult]:
    """Return the paper's estimator on standardised features for the parts to be selected, if nothing is compared."""
    default = ("infimum", "inside")
    pairs = (
        principles_of(problem.recipe, problem.sets)[1] if problem.rule.regression else problem.pairs
    )  # comparing needs fewer
    name, rule = default if default in pairs else problem.pairs[0]
    weights = problem.recipe.weights
    principle = problem.principles[name]
    if not problem.given:
        constant = n_distinct(problem.table) < 2
        family = "linear" if constant else weights
        weights = default_weights(family, problem.n, problem.config, problem.chunked)
        if constant and isinstance(principle, Disambiguation):  # only the shares of the classes are predicted
            principle = clone(principle).set_params(cap=1.0)
    params = {"weights": repr(weights), "principle": name, "negative_weights": rule}
    recipe = replace(problem.recipe, principle=principle, negative_weights=rule, weights=weights)
    return recipe, SelectionResult(best_params=params, reason=reason, config=problem.config)


def final_recipe(problem: SearchProblem, best: Candidate, data: EvaluationData, order: NDArray) -> Recipe:
    """Return the recipe of the selected candidate, to be fitted to all rows."""
    weights = problem.recipe.weights
    if not problem.given:
        table = None if problem.chunked else problem.table
        weights = data.kernels.final_weights(best, problem.n, table, order)
        weights = LabelledRowsOnly(weights) if problem.labelled_only else weights
    principle = problem.principles[best.principle]
    return replace(problem.recipe, principle=principle, negative_weights=best.negative_weights, weights=weights)


def _n_choices(sets: Sets) -> int:
    """Return how many choices each row makes among listed options: one for labels, several for tags, 0 for others."""
    options = sets[:1].options()
    return 0 if options is None else options.shape[1]
