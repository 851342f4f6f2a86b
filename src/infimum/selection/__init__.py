"""Model selection: evaluate candidates by cross-validation on candidate sets, and select one."""

from .candidates import Candidate, first_candidates
from .config import SearchConfig
from .evaluate import OutOfFold, RowScores, out_of_fold
from .rank import select
from .result import Result, SelectionResult
from .scorers import (
    SCORERS,
    chance_corrected,
    covering_rate,
    get_scorer,
    left_out_scores,
    neg_set_risk,
    set_log_likelihood,
)
from .scores import Scores, beyond_chance, covered, risk
from .search import select_recipe

__all__ = [
    "SCORERS",
    "Candidate",
    "OutOfFold",
    "Result",
    "RowScores",
    "Scores",
    "SearchConfig",
    "SelectionResult",
    "beyond_chance",
    "chance_corrected",
    "covered",
    "covering_rate",
    "first_candidates",
    "get_scorer",
    "left_out_scores",
    "neg_set_risk",
    "out_of_fold",
    "risk",
    "select",
    "select_recipe",
    "set_log_likelihood",
]
