"""Reductions: a problem becomes a plainer one."""

from .base import Reduction
from .disambiguation import Disambiguation, Resolved, of_principle
from .hard import Found, best_of, hard
from .joint import JointReading, doubled
from .soft import Settled, held_out, probabilities, soft, support

__all__ = [
    "Disambiguation",
    "Found",
    "JointReading",
    "Reduction",
    "Resolved",
    "Settled",
    "best_of",
    "doubled",
    "hard",
    "held_out",
    "of_principle",
    "probabilities",
    "soft",
    "support",
]
