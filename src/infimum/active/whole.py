"""Whole: what is the output? The question of the usual active learning, for every structure."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..outputs import Labels, OutputSpace, Rankings, Reals, Tags
from .question import Option, Question


class Whole(Question):
    """What is it? The answer is a whole label, all tags, a whole order or a number, in any form that the space reads.

    Parameters
    ----------
    row : int
        The row of X and y.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> question = Whole(0, space)
    >>> question.told([{"cat", "owl"}], "owl").format(0), round(question.cost, 2)
    ('owl', 1.58)
    """

    def __init__(self, row: int, space: OutputSpace, cost: float | None = None):
        self.space = space
        self._keep(row, space, cost)

    @property
    def about(self) -> None:
        return None

    @property
    def choices(self) -> float:
        space = self.space
        if isinstance(space, Labels):
            return float(len(space.classes_))
        if isinstance(space, Tags):
            return 2.0 ** min(len(space.tags_), 1000)
        if isinstance(space, Rankings):
            return float(math.factorial(min(len(space.items_), 150)))
        return 100.0  # a number, read off to a hundredth of its range

    @property
    def shown(self) -> int:
        space = self.space
        for names in ("classes_", "tags_", "items_"):
            if hasattr(space, names):
                return len(getattr(space, names))
        return 1

    def text(self) -> str:
        if isinstance(self.space, Tags):
            return "Which tags has it?"
        if isinstance(self.space, Rankings):
            return "What is the order, best first?"
        return "What number is it?" if isinstance(self.space, Reals) else "What is it?"

    def options(self) -> list[Option]:
        if isinstance(self.space, Labels):
            return [Option(name, str(name)) for name in self.space.classes_.tolist()]
        return []

    def leaves(self, answer: Any) -> Any:
        if isinstance(self.space, Labels) and answer is not None:
            known = self.space.classes_.tolist()
            if answer not in known and str(answer) in map(str, known):
                answer = known[list(map(str, known)).index(str(answer))]
        if isinstance(answer, np.generic):
            answer = answer.item()
        if isinstance(self.space, Tags) and isinstance(answer, list | tuple):
            answer = {tag: tag in answer for tag in self.space.tags_.tolist()}
        return self.space.read([answer])

    def truth(self, z: Any) -> Any:
        if isinstance(self.space, Labels):
            return self.space.classes_[int(z)].item()
        if isinstance(self.space, Tags):
            return {tag: bool(v > 0) for tag, v in zip(self.space.tags_.tolist(), z)}
        if isinstance(self.space, Rankings):
            return " > ".join(str(item) for item in self.space.items_[np.asarray(z)])
        return float(z)
