"""Model selection: evaluate candidates by cross-validation on candidate sets, and select one."""

from .candidates import Candidate
from .config import SearchConfig
from .evaluate import OutOfFold, out_of_fold
from .rank import select
from .result import Result, SelectionResult
from .scorers import SCORERS, get_scorer, left_out_scores
from .search import select_recipe

__all__ = [
    "SCORERS",
    "Candidate",
    "OutOfFold",
    "Result",
    "SearchConfig",
    "SelectionResult",
    "get_scorer",
    "left_out_scores",
    "out_of_fold",
    "select",
    "select_recipe",
]
