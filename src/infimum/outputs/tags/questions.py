"""Questions about tags: has it this one?"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from ..outputs import PartialTags, Tags
from .question import Question, places
from .structure import Forms, Structure, binary_entropy

SURE = 0.98  # no sign is believed more than this before it is told


class Has(Question):
    """Has it this tag? Yes or no.

    Parameters
    ----------
    row : int
        The row of X and y.
    tag : name
        One of the tags.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Tags(tags=["red", "round"]).fit([])
    >>> question = Has(0, "round", space)
    >>> question.text(), question.told(["+red"], False).values.tolist()
    ('Has it the tag round?', [[1, -1]])
    """

    def __init__(self, row: int, tag: Any, space: Tags, cost: float | None = None):
        (self.at,) = places(space.tags_, [tag], "tag")
        self._keep(row, space, cost)

    @property
    def about(self) -> Any:
        return self.space.tags_[self.at].item()

    def text(self) -> str:
        return f"Has it the tag {self.about}?"

    def leaves(self, answer: Any) -> PartialTags:
        values = np.zeros((1, len(self.space.tags_)), dtype=np.int8)
        if answer is not None:
            values[0, self.at] = 1 if self._yes(answer) else -1
        return PartialTags(values, epsilon=self.space.epsilon)

    def truth(self, z: Any) -> bool:
        return bool(np.asarray(z)[self.at] > 0)


class SignStructure(Structure):
    """Targets are signs in [-1, 1]: what tags and pairs of items share. E holds 1, -1 or 0 for what is known."""

    powers = (1.0, 0.7, 1.5, 2.5)
    SURE = SURE

    def known(self, E: NDArray) -> NDArray:
        return (E != 0).any(axis=1)

    def open(self, E: NDArray) -> NDArray:
        return (E == 0).any(axis=1)

    def narrow(self, E: NDArray, F: NDArray, spread: Any, power: Any) -> NDArray:
        guess = np.clip(F, -SURE, SURE)
        return np.where(E != 0, E, np.tanh(power * np.arctanh(guess)))

    def likelihood(self, E: NDArray, F: NDArray, power: Any) -> float:
        P = (1 + E * self.narrow(np.zeros_like(E), F, None, power)) / 2
        told = E != 0
        return float(np.log(P[told]).mean()) if told.any() else 0.0

    def surprise(self, before: NDArray, after: NDArray, F: NDArray, power: Any) -> float:
        new = (before == 0) & (after != 0)
        P = (1 + after * self.narrow(np.zeros_like(after), F, None, power)) / 2
        return float(np.log(P[new]).sum())

    def signs(self, E: NDArray, T: NDArray) -> tuple[NDArray, NDArray]:
        """The variance of every sign that is not known, and the entropy of the answer, (n, d)."""
        variance = np.where(E == 0, 1 - T**2, 0.0)
        return variance, np.where(E == 0, binary_entropy((1 + T) / 2), 0.0)


class TagStructure(SignStructure):
    """Tags: targets are the expected signs, (n, m)."""

    kinds = ("Has", "Whole")

    def __init__(self, space: Tags):
        super().__init__(space)
        self.m = len(space.tags_)
        self.prior = np.zeros(self.m)

    def encode(self, sets: Any) -> NDArray:
        if not isinstance(sets, PartialTags):
            raise InputError(
                f"Questions about tags start from PartialTags, with 0 for unknown. Got {type(sets).__name__}."
            )
        return sets.values

    def output(self, F: NDArray) -> NDArray:
        if self.space.k is not None:
            return self.space.decode(np.column_stack([F, np.zeros(len(F))]))
        return np.where(F > 0, 1, -1)

    def forms(self, E: NDArray, T: NDArray, spread: Any) -> list[Forms]:
        variance, entropy = self.signs(E, T)
        n, m = T.shape
        choices = self.whole_choices(E)[:, None]
        unknown = (E == 0).sum(axis=1, keepdims=True)
        return [
            Forms("Has", variance, entropy, np.full((n, m), 2.0), np.ones((n, m)), self._has),
            Forms("Whole", variance.sum(axis=1, keepdims=True), entropy.sum(axis=1, keepdims=True), choices, unknown,
                  self._whole(E)),
        ]  # fmt: skip

    def whole_choices(self, E: NDArray) -> NDArray:
        return 2.0 ** np.minimum((E == 0).sum(axis=1), 1000)

    def _has(self, i: int, f: int, cost: float) -> Has:
        return Has(i, self.space.tags_[f].item(), self.space, cost)

    def random(self, i: int, E: NDArray, rng: np.random.Generator, price: Any) -> Has:
        return self._has(i, int(rng.choice(np.flatnonzero(E == 0))), float(price("Has", 2.0, 1)))

    def halving(self, i: int, E: NDArray, T: NDArray, spread: Any, price: Any) -> Has:
        best = int(np.argmin(np.where(E == 0, np.abs(T), np.inf)))
        return self._has(i, best, float(price("Has", 2.0, 1)))
