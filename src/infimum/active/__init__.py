"""Ask what is worth knowing: questions that leave a smaller set, strategies that choose them, and a simulation.

A question is an object with a row, a text, a cost and, for every answer, the set that it leaves.
"""

from .answers import Answers
from .asker import STRATEGIES, Asker
from .labels import NONE_OF_THESE, Is, OneOf, Which
from .numbers import Below
from .orders import Before, First
from .question import Contradiction, Option, Price, Question
from .simulation import Curve, simulate
from .structures import from_dict, structure_of
from .tags import Has
from .whole import Whole

__all__ = [
    "NONE_OF_THESE", "STRATEGIES", "Answers", "Asker", "Before", "Below", "Contradiction", "Curve", "First", "Has",
    "Is", "OneOf", "Option", "Price", "Question", "Which", "Whole", "from_dict", "simulate", "structure_of",
]  # fmt: skip
