"""What a model is made of, and the judge of such compositions: held-out rows, scored by their sets."""

from .choice import Choice
from .comparison import Comparison, Plan, choose
from .composition import Composition, Fitted
from .judge import Judge, Left
from .scores import NAMES, Scores, beyond_chance, covered, risk

__all__ = [
    "NAMES", "Choice", "Comparison", "Composition", "Fitted", "Judge", "Left", "Plan", "Scores", "beyond_chance",
    "choose", "covered", "risk",
]  # fmt: skip
