"""Choosing models where no true label exists: scores from sets alone, and a search by them."""

from .scores import (
    SCORERS,
    chance_corrected,
    covering_rate,
    get_scorer,
    left_out_scores,
    neg_set_risk,
    set_log_likelihood,
)
from .search import PartialSearch, tune

__all__ = [
    "SCORERS",
    "PartialSearch",
    "chance_corrected",
    "covering_rate",
    "get_scorer",
    "left_out_scores",
    "neg_set_risk",
    "set_log_likelihood",
    "tune",
]
