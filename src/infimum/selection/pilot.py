"""The pilot of the search: all kernels on few rows, under one principle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from numpy.typing import NDArray

from .candidates import Candidate
from .rank import survivors

if TYPE_CHECKING:
    from .search import Record, SearchProblem


def run_pilot(problem: SearchProblem, order: NDArray, n_first: int, record: Record, threads: int) -> list[Candidate]:
    """Return the candidates of the first comparison, which has `n_first` rows.

    Base learners with many hyperparameters are compared on the first rows of `order` under the first principle, and
    those that may be among the best go on with all principles. Forests have few hyperparameters and always go on.
    """
    candidates, config = problem.first_candidates(), problem.config
    named = problem.given or problem.costly or problem.rule.regression
    if named or n_first <= config.skip_first_ratio * config.pilot_rows:
        return candidates
    principle = problem.pairs[0][0]
    tuned = {one.learner for one in candidates if one.lam is not None or one.n_neighbors is not None}
    some = [one for one in candidates if one.principle == principle and one.learner in tuned]
    data = problem.data(order[: config.pilot_rows], threads)
    record.compare(some, data)
    found = record.on(data)
    if not found:
        return candidates
    kept = {one.candidate.learner for one in survivors(found, problem.rule, config.n_kept_pilot)}
    return [one for one in candidates if one.learner in kept or one.learner not in tuned]
