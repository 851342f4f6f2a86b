"""What a model is made of, and the judge of such compositions: held-out rows, scored by their sets."""

from .composition import Composition, Fitted
from .judge import Judge, Left
from .scores import NAMES, Scores, beyond_chance, covered, log_likelihood, risk

__all__ = [
    "NAMES", "Composition", "Fitted", "Judge", "Left", "Scores", "beyond_chance", "covered", "log_likelihood", "risk",
]  # fmt: skip
