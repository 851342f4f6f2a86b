"""Questions about tags: has it this one?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ..question_model import Belief, QuestionGroup, SignQuestions
from ..questions import Question, positions
from .sets import PartialTags
from .space import Tags


class Has(Question):
    """Ask whether the row has a tag.

    Parameters
    ----------
    row : int
        The row of X and y.
    tag : name
        One of the tags.
    space : Tags
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Tags(tags=["red", "round"]).fit([])
    >>> question = Has(0, "round", space)
    >>> question.text(), question.apply_answer(["+red"], False).values.tolist()
    ('Has it the tag round?', [[1, -1]])
    """

    def __init__(self, row: int, tag: Any, space: Tags, cost: float | None = None):
        (self.at,) = positions(space.tags_, [tag], "tag")
        self._set(row, space, cost)

    @property
    def about(self) -> Any:
        return self.space.tags_[self.at].item()

    def text(self) -> str:
        return f"Has it the tag {self.about}?"

    def consistent_set(self, answer: Any) -> PartialTags:
        values = np.zeros((1, len(self.space.tags_)), dtype=np.int8)
        if answer is not None:
            values[0, self.at] = 1 if self._yes(answer) else -1
        return PartialTags(values, tag_cost=self.space.tag_cost)

    def true_answer(self, z: Any) -> bool:
        return bool(np.asarray(z)[self.at] > 0)


class TagQuestions(SignQuestions):
    """Questions about tags; targets are the expected signs, (n, m)."""

    question_types = (Has,)
    full_text = "Which tags has it?"
    agreement_name = "Share of right tags"

    def __init__(self, space: Tags):
        super().__init__(space)
        self.prior = np.zeros(len(space.tags_))

    def encode(self, sets: Any) -> NDArray:
        if not isinstance(sets, PartialTags):
            raise InputError(
                f"Questions about tags start from PartialTags, with 0 for unknown. Got {type(sets).__name__}."
            )
        return sets.values

    def n_outputs(self, E: NDArray) -> NDArray:
        return 2.0 ** np.minimum((E == 0).sum(axis=1), 1000)

    def n_shown(self, E: NDArray) -> NDArray:
        return (E == 0).sum(axis=1).astype(float)

    def predict(self, F: NDArray) -> NDArray:
        if self.space.n_tags is not None:
            return self.space.decode(np.column_stack([F, np.zeros(len(F))]))
        return np.where(F > 0, 1, -1)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        variance, entropy = self.uncertain_signs(belief)
        return [
            QuestionGroup("Has", variance, entropy, 2.0, 1.0, self.sign_question),
            self.full_group(belief.E, variance.sum(axis=1), entropy.sum(axis=1)),
        ]

    def sign_question(self, row: int, at: int, cost: float | None = None) -> Has:
        return Has(row, self.names[at], self.space, cost)

    def parse_answer(self, answer: Any) -> Any:
        """Return signs; a list names the tags that are present, and the others are absent."""
        if isinstance(answer, list | tuple):
            return {tag: tag in answer for tag in self.names}
        return super().parse_answer(answer)

    def true_answer(self, z: Any) -> dict:
        return {tag: bool(v > 0) for tag, v in zip(self.names, z)}
