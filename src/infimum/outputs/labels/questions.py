"""Questions about labels: is it one of these, is it this one, which of these is it?"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from ..prices import Price
from ..questions import Option, Question, join_words, positions
from .sets import CandidateLabels
from .space import Labels

NONE_OF_THESE = "none of these"


class LabelQuestion(Question):
    """A question about some of the classes."""

    at: list[int]
    """The numbers of the classes."""

    @property
    def about(self) -> Any:
        return self.space.classes_[self.at].tolist()

    @property
    def n_shown(self) -> int:
        return len(self.at)

    def _candidates(self, at: Any, negated: bool = False) -> CandidateLabels:
        """Return one set that contains, or excludes, some classes."""
        listed = sparse.csr_matrix(np.isin(np.arange(len(self.space.classes_)), at)[None])
        return CandidateLabels.of(listed, self.space.classes_, np.array([negated]), self.space.cost_)


class OneOf(LabelQuestion):
    """Ask whether the label is one of several.

    Parameters
    ----------
    row : int
        The row of X and y.
    labels : set or list
        Names of classes.
    space : Labels
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> question = OneOf(1, {"cat", "dog"}, space)
    >>> question.text()
    'Is it cat or dog?'
    >>> question.apply_answer([None, None], False).format(1)
    'owl'
    """

    def __init__(self, row: int, labels: Any, space: Labels, cost: float | None = None):
        self.at = sorted(positions(space.classes_, list(labels), "class"))
        self._set(row, space, cost)

    def text(self) -> str:
        return f"Is it {join_words(self.about)}?"

    def consistent_set(self, answer: Any) -> CandidateLabels:
        return self._candidates([], True) if answer is None else self._candidates(self.at, not self._yes(answer))

    def true_answer(self, z: Any) -> bool:
        return int(z) in self.at


class Is(OneOf):
    """Ask whether it is this label, or a label below this node of the taxonomy.

    Parameters
    ----------
    row : int
        The row of X and y.
    label : label
        A class, or an inner node of the taxonomy.
    space : Labels
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> Is(0, "cat", space).apply_answer([{"cat", "dog"}], False).format(0)
    'dog'
    """

    def __init__(self, row: int, label: Any, space: Labels, cost: float | None = None):
        self.label = label[0] if isinstance(label, list) and len(label) == 1 else label
        names = space.classes_.tolist()
        if self.label in names or str(self.label) in map(str, names):
            self.at = positions(names, [self.label], "class")
        else:
            sets = space.read([self.label])  # a node, or an error that lists the classes
            self.at = np.flatnonzero(sets.mask[0]).tolist()
        self._set(row, space, cost)

    @property
    def about(self) -> Any:
        return self.space.classes_.tolist()[self.at[0]] if len(self.at) == 1 else self.label

    @property
    def n_shown(self) -> int:
        return 1

    def text(self) -> str:
        return f"Is it {self.about}?"


class Which(LabelQuestion):
    """Ask which of these labels it is, or whether it is none of them.

    Parameters
    ----------
    row : int
        The row of X and y.
    labels : list
        Names of classes, in the order in which they are shown.
    space : Labels
        The fitted output space.
    cost : float, optional
        By default the seconds of `Price`.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl", "cow"]).fit([])
    >>> question = Which(0, ["dog", "cat"], space)
    >>> [option.text for option in question.options()]
    ['dog', 'cat', 'none of these']
    >>> question.apply_answer([None], NONE_OF_THESE).format(0)
    'owl | cow'
    """

    def __init__(self, row: int, labels: Any, space: Labels, cost: float | None = None):
        self.at = positions(space.classes_, list(labels), "class")
        self._set(row, space, cost)

    @property
    def n_answers(self) -> float:
        return float(min(len(self.at) + 1, len(self.space.classes_)))

    def n_read(self, answer: Any) -> float:
        names = list(map(str, self.about))
        return names.index(str(answer)) + 1 if str(answer) in names else len(names)

    def answer_cost(self, answer: Any, price: Price) -> float:
        return float(price("Which", self.n_answers, self.n_shown, self.n_read(answer)))

    @property
    def none(self) -> str:
        """The answer that it is none of these; in parentheses if a class has this name."""
        return f"({NONE_OF_THESE})" if NONE_OF_THESE in map(str, self.space.classes_.tolist()) else NONE_OF_THESE

    def text(self) -> str:
        return "Which of these is it?"

    def options(self) -> list[Option]:
        found = [Option(name, str(name)) for name in self.about]
        return found if len(found) == len(self.space.classes_) else [*found, Option(self.none, self.none)]

    def consistent_set(self, answer: Any) -> CandidateLabels:
        if answer is None:
            return self._candidates([], True)
        none_is_offered = len(self.at) < len(self.space.classes_)
        if none_is_offered and isinstance(answer, str) and answer == self.none:
            return self._candidates(self.at, True)
        if answer not in self.about and str(answer) not in map(str, self.about):
            raise self._invalid(answer)
        return self._candidates(positions(self.space.classes_, [answer], "class"))

    def true_answer(self, z: Any) -> Any:
        return self.space.classes_.tolist()[int(z)] if int(z) in self.at else self.none
