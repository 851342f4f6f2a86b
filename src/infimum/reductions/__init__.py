"""Reductions: a problem becomes a plainer one."""

from .disambiguation import Disambiguation, Resolved, Tells, of_principle
from .hard import Points, best_of, hard
from .soft import Settled, held_out, probabilities, soft, support

__all__ = [
    "Disambiguation",
    "Points",
    "Resolved",
    "Settled",
    "Tells",
    "best_of",
    "hard",
    "held_out",
    "of_principle",
    "probabilities",
    "soft",
    "support",
]
