"""The first comparison if each prediction of some principles is a search, as for partial orders."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..disambiguation import Disambiguation
from ..loss import Average
from .evaluate import EvaluationData
from .rank import survivors

if TYPE_CHECKING:
    from .search import Record, SearchProblem


def compare_first(problem: SearchProblem, data: EvaluationData, record: Record) -> None:
    """Evaluate the first candidates; if predictions are costly, those principles last that make them so.

    They are then evaluated only with base learners that are good under the other principles.
    """
    candidates = problem.first_candidates()
    if problem.costly:
        quick = {name for name, one in problem.principles.items() if isinstance(one, Disambiguation | Average)}
        record.compare([one for one in candidates if one.principle in quick], data)
        found = record.on(data)
        if found:
            learners = {one.candidate.learner for one in survivors(found, problem.rule)}
            candidates = [one for one in candidates if one.learner in learners]
    record.compare(candidates, data)
