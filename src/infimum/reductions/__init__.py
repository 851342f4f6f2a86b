"""Reductions: a problem becomes a plainer one."""

from .base import Reduction
from .disambiguation import Disambiguation, Resolved, of_principle
from .hard import Found, best_of, hard
from .joint import JointReading, doubled
from .normal import Normal
from .options import Options
from .soft import Settled, has_laws, held_out_sums, is_weighed, soft, weighing_of
from .weighing import Weighing

__all__ = [
    "Disambiguation",
    "Found",
    "JointReading",
    "Normal",
    "Options",
    "Reduction",
    "Resolved",
    "Settled",
    "Weighing",
    "best_of",
    "doubled",
    "hard",
    "has_laws",
    "held_out_sums",
    "is_weighed",
    "of_principle",
    "soft",
    "weighing_of",
]
