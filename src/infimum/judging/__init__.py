"""What a model is made of, and the judge of such compositions: held-out rows, scored by their sets."""

from .choice import Choice, choose
from .composition import Composition, Fitted
from .judge import Judge, Left
from .scores import NAMES, Scores, beyond_chance, covered, log_likelihood, risk

__all__ = [
    "NAMES", "Choice", "Composition", "Fitted", "Judge", "Left", "Scores", "beyond_chance", "choose", "covered",
    "log_likelihood", "risk",
]  # fmt: skip
