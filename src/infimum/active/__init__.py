"""Active learning with partial questions: questions, strategies that choose them, and a simulation.

A question is an object with a row, a text, a cost and, for each answer, the set of outputs that the answer leaves.
"""

from ..outputs.labels.questions import NONE_OF_THESE, Is, OneOf, Which
from ..outputs.numbers.questions import Below
from ..outputs.prices import Price, Seconds
from ..outputs.question_model import Belief, QuestionGroup, QuestionModel
from ..outputs.questions import Contradiction, FullLabel, Option, Question, from_dict
from ..outputs.rankings.questions import Before, First
from ..outputs.tags.questions import Has
from .asker import QuestionSelector
from .simulation import Curve, simulate
from .strategies import STRATEGIES

__all__ = [
    "NONE_OF_THESE",
    "STRATEGIES",
    "Before",
    "Belief",
    "Below",
    "Contradiction",
    "Curve",
    "First",
    "FullLabel",
    "Has",
    "Is",
    "OneOf",
    "Option",
    "Price",
    "Question",
    "QuestionGroup",
    "QuestionModel",
    "QuestionSelector",
    "Seconds",
    "Which",
    "from_dict",
    "simulate",
]  # fmt: skip
