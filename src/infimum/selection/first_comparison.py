"""The first comparison, in an order in which the first results make others unnecessary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..disambiguation import Disambiguation
from ..loss import Average
from .candidates import Candidate
from .evaluate import Evaluation, EvaluationData
from .rank import competitive_groups, far_behind, is_noisy, select, survivors

if TYPE_CHECKING:
    from .record import Record
    from .search import SearchProblem


def compare_first(problem: SearchProblem, data: EvaluationData, record: Record, candidates: list[Candidate]) -> None:
    """Evaluate the first `candidates`; for regression and costly predictions, some of them only after others.

    If predictions are costly, those principles go last that make them so. They are evaluated only with base learners
    that are good under the other principles, and not at all if the embedded sets are large.
    """
    if problem.rule.regression:
        other_forests = [one for one in candidates if one.weights == "forest"][1:]
        record.compare([one for one in candidates if one not in other_forests], data)
        candidates = [] if is_forest_behind(problem, record.on(data)) else other_forests
    if problem.costly:
        record.compare([one for one in candidates if not is_search(problem, one)], data)
        found = record.on(data)
        if found:
            learners = {one.candidate.learner for one in survivors(found, problem.rule)}
            candidates = [one for one in candidates if one.learner in learners]
            width = data.output.psi(found[0].z[:1].astype(int)).shape[1]
            if len(data) ** 2 * width > problem.config.search_cells or not data.sets.exact_argmin:
                names = sorted({one.principle for one in candidates if is_search(problem, one)})
                record.not_evaluated += [f"{name}: too many items. Set principle={name!r} to use it." for name in names]
                return
    record.compare(candidates, data)


def is_forest_behind(problem: SearchProblem, found: list[Evaluation]) -> bool:
    """Whether the first forest is so far behind that others are unlikely to be selected.

    If intervals are one-sided, a forest with a small likelihood may have the least set risk.
    """
    one_sided = any(line.is_one_sided.any() for line in problem.sets.lines() or [])
    return bool(found) and not one_sided and "forest" in {one.weights for one in far_behind(found, found, problem.rule)}


def is_search(problem: SearchProblem, candidate: Candidate) -> bool:
    """Whether each prediction of a candidate is a search."""
    return problem.costly and not isinstance(problem.principles[candidate.principle], Disambiguation | Average)


def groups_to_refine(problem: SearchProblem, found: list[Evaluation]) -> list[list[Evaluation]]:
    """Return the competitive groups of candidates; those with costly predictions only if there are no others."""
    groups = competitive_groups(found, problem.rule) if found else []
    quick = [group for group in groups if not is_search(problem, group[0].candidate)]
    return quick or groups


def compare_best(problem: SearchProblem, record: Record, few: EvaluationData, more: EvaluationData) -> EvaluationData:
    """Compare the best candidates of each family on few rows once more, on more rows; return these."""
    found = record.on(few)
    best, plain = select(found, problem.rule), [one for one in found if not is_noisy(one)]
    kept = [*survivors(plain or found, problem.rule), *([best] if is_noisy(best) else [])]
    record.compare([one.candidate for one in kept], more)
    return more
