"""Disambiguation: estimate the label of each row, then train on the result."""

from .categorical import Options
from .hard import Found, best_of, hard
from .posterior import SetPosterior
from .principle import Disambiguation, DisambiguationResult
from .soft import Settled, has_laws, held_out_sums, is_weighed, soft, weighing_of
from .truncated_normal import Normal

__all__ = [
    "Disambiguation",
    "DisambiguationResult",
    "Found",
    "Normal",
    "Options",
    "SetPosterior",
    "Settled",
    "best_of",
    "hard",
    "has_laws",
    "held_out_sums",
    "is_weighed",
    "soft",
    "weighing_of",
]
