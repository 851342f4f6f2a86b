"""Model selection: evaluate candidates by cross-validation on candidate sets, and pick one."""

from .evaluate import Judge, Left
from .result import SelectionResult
from .scorers import (
    SCORERS,
    chance_corrected,
    covering_rate,
    get_scorer,
    left_out_scores,
    neg_set_risk,
    set_log_likelihood,
)
from .scores import NAMES, Scores, beyond_chance, covered, risk
from .search import Comparison, Plan, choose

__all__ = [
    "NAMES",
    "SCORERS",
    "Comparison",
    "Judge",
    "Left",
    "Plan",
    "Scores",
    "SelectionResult",
    "beyond_chance",
    "chance_corrected",
    "choose",
    "covered",
    "covering_rate",
    "get_scorer",
    "left_out_scores",
    "neg_set_risk",
    "risk",
    "set_log_likelihood",
]  # fmt: skip
