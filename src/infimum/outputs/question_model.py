"""Structure: what asking needs to know of an output space.

Shapes: n rows, d numbers a target, f forms of a question.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..outputs import OutputSpace
from .question import Question


class Forms(NamedTuple):
    """Questions of one kind that could be asked of every row: their worth and what they are."""

    kind: str
    gain: NDArray
    """(n, f): E|T' - T|², the expected squared step of the row's target T; for labels the drop of 1 - Σ p²."""
    entropy: NDArray
    """(n, f): the entropy of the answer in bits, which is the expected drop of that of the output."""
    choices: NDArray
    """(n, f): the number of different answers."""
    shown: NDArray
    """(n, f): the number of options that are looked at."""
    make: Callable[[int, int, float], Question]
    """(row, form, cost) -> the question."""


class Structure(ABC):
    """What is believed about rows of one structure, and what can be asked.

    Every output has a target in R^d that a linear predictor F aims at: weights on classes, signs, codes, a number.
    `narrow` is the mean of the target over the set, by what the other rows predict: where the answer is known it is the
    answer, and where nothing is known it is the prediction.
    """

    kinds: ClassVar[tuple[str, ...]]
    """The names of the questions that there are, `Whole` the last of them."""
    powers: ClassVar[tuple] = (1.0,)
    """How predictions may be sharpened before they are read as probabilities; the first is the usual."""
    numbers: ClassVar[bool] = False
    """Whether outputs are numbers, whose sets have a spread."""
    settles: ClassVar[bool] = False
    """Whether a row that is known in part says little, so that what was begun is ended first."""
    prior: NDArray
    """(d,): what is predicted where nothing is known."""

    def __init__(self, space: OutputSpace):
        self.space: Any = space

    @abstractmethod
    def encode(self, sets: Any) -> NDArray:
        """The sets as numbers, (n, k): rows that differ here are different sets."""

    @abstractmethod
    def known(self, E: NDArray) -> NDArray:
        """Rows that rule something out, (n,)."""

    @abstractmethod
    def open(self, E: NDArray) -> NDArray:
        """Rows that could still be asked about, (n,)."""

    @abstractmethod
    def narrow(self, E: NDArray, F: NDArray, spread: Any, power: Any) -> NDArray:
        """E[target | S_i, prediction], (n, d)."""

    @abstractmethod
    def likelihood(self, E: NDArray, F: NDArray, power: Any) -> float:
        """How well predictions that did not see the sets fit them: larger is better."""

    def likelihoods(self, E: NDArray, F: NDArray) -> NDArray:
        """`likelihood` under every one of `powers`, (k,)."""
        return np.array([self.likelihood(E, F, power) for power in self.powers])

    @abstractmethod
    def output(self, F: NDArray) -> NDArray:
        """The output that is predicted, (n, *z), as the space has it."""

    @abstractmethod
    def forms(self, E: NDArray, T: NDArray, spread: Any) -> list[Forms]:
        """What could be asked of every row that is believed to be T."""

    @abstractmethod
    def random(self, i: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        """A random question about row i."""

    @abstractmethod
    def halving(self, i: int, E: NDArray, T: NDArray, spread: Any, price: Any) -> Question:
        """The question about row i whose two answers are as equally likely as can be."""

    def worth(self, kinds: Any, E: NDArray, T: NDArray, spread: Any, price: Any, measure: str) -> NDArray:
        """What it pays to ask about every row: the largest gain per cost of the questions that may be asked, (n,)."""
        forms = [form for form in self.forms(E, T, spread) if form.kind in kinds]
        return np.hstack([self._rates(form, price, measure) for form in forms]).max(axis=1)

    def plan(self, i: int, kinds: Any, E: NDArray, T: NDArray, spread: Any, price: Any, measure: str) -> Question:
        """The question to ask about row i, whose set and belief are (1, ...): that of the largest gain per cost."""
        best: tuple[float, Any] = (-np.inf, None)
        for form in self.forms(E, T, spread):
            if form.kind in kinds:
                rates = self._rates(form, price, measure)[0]
                at = int(np.argmax(rates))
                if rates[at] > best[0]:
                    best = (float(rates[at]), (form, at))
        form, at = best[1]
        question = form.make(0, at, float(price(form.kind, float(form.choices[0, at]), float(form.shown[0, at]))))
        question.row = i
        return question

    @staticmethod
    def _rates(form: Forms, price: Any, measure: str) -> NDArray:
        """gain / cost, (n, f)."""
        gain = form.gain if measure == "squares" else form.entropy
        return gain / price(form.kind, form.choices, form.shown)

    def surprise(self, before: NDArray, after: NDArray, F: NDArray, power: Any) -> float:
        """Σ_i log P(S'_i | S_i) of answers that came, by what was predicted before they came."""
        return 0.0

    def surprises(self, before: NDArray, after: NDArray, F: NDArray) -> NDArray:
        """`surprise` under every one of `powers`, (k,)."""
        return np.array([self.surprise(before, after, F, power) for power in self.powers])

    def candidates(self, i: int, E: NDArray, inside: NDArray, price: Any) -> Question | None:
        """Which of the outputs in a candidate set is it? None where this structure has no such question."""
        name = type(self.space).__name__
        raise ValueError(f"strategy='conformal' is for labels; {name} have no candidate sets to list.")

    def scale(self, E: NDArray, F: NDArray) -> Any:
        """How far predictions that did not see the sets are off; None where targets have a scale of their own."""
        return None

    def spread(self, scale: Any, variance: NDArray) -> Any:
        """The deviation of every row from its prediction, (n,); None as above."""
        return None

    def whole_choices(self, E: NDArray) -> NDArray:
        """How many outputs are left, (n,)."""
        return E.sum(axis=1).astype(float)

    def _whole(self, E: NDArray) -> Callable[[int, int, float], Question]:
        from .whole import Whole

        return lambda i, f, c: Whole(i, self.space, c)


def binary_entropy(p: NDArray) -> NDArray:
    """-p log2 p - (1 - p) log2 (1 - p).

    >>> binary_entropy(np.array([0., .5, 1.]))
    array([0., 1., 0.])
    """
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return np.round(-p * np.log2(p) - (1 - p) * np.log2(1 - p), 12) + 0.0
