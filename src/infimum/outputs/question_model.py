"""What can be asked about an output type, and how much an answer is expected to reduce its uncertainty.

Shapes: n rows, d numbers per target, f questions of one type per row.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError
from .base import OutputSpace, Sets
from .questions import FullLabel, Option, Question

N_OUTPUTS = 100.0  # the number of outputs that is assumed if they cannot be counted; only the cost depends on it


class Belief(NamedTuple):
    """What is known and predicted about the outputs of n rows."""

    E: NDArray
    """(n, k): the candidate sets as numbers, see `QuestionModel.encode`."""
    T: NDArray
    """(n, d): the expected target, given the set and the prediction."""
    F: NDArray
    """(n, d): the predicted target, whatever the set."""
    spread: Any
    """(n,): the standard deviation of each prediction; None if the model does not use it."""

    def take(self, rows: Any) -> Belief:
        """Return the belief about some rows."""
        spread = None if self.spread is None else self.spread[rows]
        return Belief(self.E[rows], self.T[rows], self.F[rows], spread)


class QuestionGroup(NamedTuple):
    """The questions of one type that could be asked about each row, with what their answers are expected to tell."""

    kind: str
    gain: NDArray
    """(n, f): E|T' - T|², the expected squared step of the row's target T; for labels the drop of 1 - Σ p²."""
    entropy: NDArray
    """(n, f): the entropy of the answer in bits, which is the expected drop of the entropy of the output."""
    n_answers: Any
    """(n, f), or a number: how many different answers there are."""
    n_shown: Any
    """(n, f), or a number: how many options a person reads."""
    make: Callable[[int, int, float], Question]
    """(row, number of the question, cost) -> the question."""
    open: Any = 1.0
    """(n, f): the probability that the answer leaves more to ask."""
    n_read: Any = None
    """(n, f): the expected number of options that are read up to the answer; None if all are."""

    def costs(self, price: Any) -> NDArray:
        """Return the expected costs, (n, f)."""
        return np.broadcast_to(price(self.kind, self.n_answers, self.n_shown, self.n_read), self.gain.shape)

    def rates(self, price: Any) -> NDArray:
        """Return gain / cost, (n, f)."""
        return np.asarray(self.gain / self.costs(price))

    def question(self, i: int, at: int, row: int, price: Any) -> Question:
        """Return one of the questions, with its cost, about the row that is number i here."""
        found = self.make(i, at, float(self.costs(price)[i, at]))
        found.row = row
        return found


class QuestionModel:
    """The questions about an output type; this base class asks for full labels only and works for any space.

    The default chooses rows by their features alone. A subclass that has targets in R^d (class probabilities, signs,
    a number) overrides `encode`, `posterior_mean`, `predict` and `groups`; rows are then chosen by what is predicted,
    and partial questions can be asked.

    Parameters
    ----------
    space : OutputSpace
        The fitted output space.
    """

    question_types: ClassVar[tuple[type[Question], ...]] = ()
    """The types of partial questions; `FullLabel` can always be asked."""
    full_text: ClassVar[str] = "What is it?"
    """The text of the question for the full label."""
    calibrations: ClassVar[tuple] = (1.0,)
    """Ways to turn predictions into probabilities, of which one is chosen by likelihood; the first is the default."""
    predicts: ClassVar[bool] = False
    """Whether the model has targets, so that a learner can predict outputs."""
    finite: ClassVar[bool] = True
    """Whether partial questions end at one output; numbers can be asked about for ever."""
    finish_started: ClassVar[bool] = False
    """Whether a partly known row is of little use, so that it is completed before others are asked about."""
    full_preference: ClassVar[float] = 1.0
    """Factor on the gain of the full label when questions are compared."""
    lists_outputs: ClassVar[bool] = False
    """Whether E is a mask over all outputs and T their probabilities, so that candidate sets can be listed."""
    agreement_name: ClassVar[str] = "Accuracy"
    """What `agreement` measures, for people."""
    agreement_is_share: ClassVar[bool] = True
    """Whether `agreement` is a share, of which 1 is best; otherwise it is an error in the unit of the outputs."""
    prior: NDArray = np.zeros(1)
    """(d,): what is predicted if nothing is known."""

    def __init__(self, space: OutputSpace):
        self.space: Any = space

    @property
    def kinds(self) -> tuple[str, ...]:
        """The names of the types of questions; "FullLabel" is the last one."""
        return (*(kind.__name__ for kind in self.question_types), FullLabel.__name__)

    @property
    def names(self) -> list:
        """The names that identify the outputs: classes, tags, items or the ends of a range."""
        return self.space.class_names()

    # candidate sets

    @property
    def unlabelled(self) -> NDArray:
        """An unlabelled row in the form of `encode`, (1, k)."""
        return np.array([[False, True]])

    def encode(self, sets: Any) -> NDArray:
        """Return the sets as numbers, (n, k): rows that differ here are different sets."""
        kind = type(sets)
        if kind.is_exact is Sets.is_exact and kind.start is Sets.start and sets.options() is None:
            raise InputError(
                f"{kind.__name__} does not define which rows can be asked about. Add the method start() or the property"
                " is_exact to this class."
            )
        return np.column_stack([~self.space.is_unlabelled(sets), ~sets.is_exact])

    def is_labelled(self, E: NDArray) -> NDArray:
        """Return which sets rule something out, (n,)."""
        return E[:, 0]

    def is_open(self, E: NDArray) -> NDArray:
        """Return which rows could still be asked about, (n,)."""
        return E[:, 1]

    def n_outputs(self, E: NDArray) -> NDArray:
        """Return how many outputs are left in each set, (n,)."""
        return np.full(len(E), self.space.size if np.isfinite(self.space.size) else N_OUTPUTS)

    def n_shown(self, E: NDArray) -> NDArray:
        """Return how many options a person looks at to give the full label, (n,)."""
        return np.ones(len(E))

    # predictions

    def posterior_mean(self, E: NDArray, F: NDArray, spread: Any, calibration: Any) -> NDArray:
        """Return E[target | S_i, prediction], (n, d)."""
        return np.zeros(F.shape)

    def log_likelihoods(self, before: NDArray, after: NDArray, F: NDArray) -> NDArray:
        """Return Σ_i log P(S'_i | S_i) under each of `calibrations`, (k,); the predictions F did not see S'."""
        return np.zeros(len(self.calibrations))

    def residual_scale(self, E: NDArray, F: NDArray) -> Any:
        """Return the typical distance of held-out predictions from the sets; None if targets are probabilities."""
        return None

    def spread(self, scale: Any, variance: NDArray) -> Any:
        """Return the standard deviation of each prediction, (n,), from its variance in units of the prior's.

        None for models whose targets are probabilities or signs.
        """
        return None if self.predicts else np.sqrt(variance)

    def predict(self, F: NDArray) -> NDArray:
        """Return the predicted outputs, (n, *z)."""
        raise InputError(
            f"Outputs of {type(self.space).__name__} cannot be predicted from answers. Add a method questions() that"
            " returns a QuestionModel with predict and posterior_mean."
        )

    def expected_accuracy(self, F: NDArray, calibration: Any) -> float:
        """Return the expected share of right predictions, for models that list outputs."""
        return float(self.posterior_mean(np.ones(F.shape, dtype=bool), F, None, calibration).max(axis=1).mean())

    def exact_outputs(self, sets: Any) -> NDArray:
        """Return the outputs of sets with one member, (n, *z)."""
        return self.predict(self.encode(sets).astype(float))

    def score(self, sets: Any, z: NDArray) -> float:
        """Return how well outputs agree with the true ones, given as sets with one member; 1 is perfect."""
        return float(sets.agreement(z).mean())

    def agreement(self, sets: Any, z: NDArray) -> NDArray:
        """Return how well predictions agree with the full answers about rows, (n,)."""
        return np.asarray(sets.agreement(z), dtype=float)

    # questions

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        """Return what could be asked about each row; the group of `FullLabel` is the last one."""
        gain = np.where(self.is_open(belief.E), np.square(belief.spread), 0.0)
        return [self.full_group(belief.E, gain, gain)]

    def full_group(self, E: NDArray, gain: NDArray, entropy: NDArray) -> QuestionGroup:
        """Return the group of `FullLabel`, from its gain and entropy (n,)."""
        return QuestionGroup(
            "FullLabel", gain[:, None], entropy[:, None], self.n_outputs(E)[:, None], self.n_shown(E)[:, None],
            lambda i, f, cost: FullLabel(i, self.space, cost),
        )  # fmt: skip

    def uncertainty(self, belief: Belief) -> NDArray:
        """Return the entropy of each output in bits, or its variance for outputs that are not finite, (n,)."""
        full = self.groups(belief)[-1]
        return (full.entropy if self.finite else full.gain)[:, 0]

    def utility(self, kinds: Any, belief: Belief, price: Any) -> NDArray:
        """Return the largest gain per cost of the questions that may be asked about each row, (n,)."""
        groups = [group for group in self.groups(belief) if group.kind in kinds]
        return np.hstack([group.rates(price) for group in groups]).max(axis=1)

    def best_questions(self, rows: list[int], kinds: Any, belief: Belief, price: Any) -> list[Question]:
        """Return the question with the largest gain per cost about each of some rows, which the belief is about."""
        groups = [group for group in self.groups(belief) if group.kind in kinds]
        rates = [group.rates(price) for group in groups]
        factors = [self.full_preference if group.kind == "FullLabel" else 1.0 for group in groups]
        best = np.argmax([factor * rate.max(axis=1) for factor, rate in zip(factors, rates)], axis=0)
        found = []
        for i, row in enumerate(rows):
            group, at = groups[best[i]], int(np.argmax(rates[best[i]][i]))
            found.append(group.question(i, at, row, price))
        return found

    def random_question(self, row: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        """Return a random question about a row whose set is E, (k,)."""
        return self.full_question(row, E[None], price)

    def halving_question(self, row: int, belief: Belief, price: Any) -> Question:
        """Return the question about one row whose two answers are as equally likely as possible."""
        return self.full_question(row, belief.E, price)

    def candidate_question(self, row: int, E: NDArray, inside: NDArray, price: Any) -> Question | None:
        """Return "which of these is it?" for the candidates (m,) of a row; None if nothing would be asked."""
        raise ValueError(
            f"strategy='conformal' is for labels: {type(self.space).__name__} have no candidate sets to list."
        )

    def full_question(self, row: int, E: NDArray, price: Any) -> FullLabel:
        """Return `FullLabel` for a row whose set is E, (1, k)."""
        cost = price("FullLabel", float(self.n_outputs(E)[0]), float(self.n_shown(E)[0]))
        return FullLabel(row, self.space, float(cost))

    def priced(self, question: Question, price: Any) -> Any:
        """Return the question with its cost by a price."""
        question.cost = float(price(type(question).__name__, question.n_answers, question.n_shown))
        return question

    # the answer to `FullLabel`

    def full_options(self) -> list[Option]:
        """Return the outputs that are offered; empty if the answer is typed in."""
        return []

    def parse_answer(self, answer: Any) -> Any:
        """Return the answer as a cell of y; text is parsed as in a CSV file."""
        if isinstance(answer, str):
            return self.space.text_to_cells([answer])[0]
        return answer.item() if isinstance(answer, np.generic) else answer

    def true_answer(self, z: Any) -> Any:
        """Return the answer of a person who knows that the output is z."""
        return self.space.outputs_to_cells(self.space.readable(np.asarray(z)[None]))[0]


class SignQuestions(QuestionModel):
    """Targets that are signs in [-1, 1], shared by tags and by pairs of items. E is 1, -1, or 0 for unknown."""

    calibrations = (1.0, 0.7, 1.5, 2.5)
    predicts = True
    MOST_CERTAIN: ClassVar[float] = 0.98
    """The largest expected sign of what is not known, so that its log-likelihood is finite."""

    @property
    def unlabelled(self) -> NDArray:
        return np.zeros((1, len(self.prior)), dtype=np.int8)

    def is_labelled(self, E: NDArray) -> NDArray:
        return (E != 0).any(axis=1)

    def is_open(self, E: NDArray) -> NDArray:
        return (E == 0).any(axis=1)

    def posterior_mean(self, E: NDArray, F: NDArray, spread: Any, calibration: Any) -> NDArray:
        guess = np.clip(F, -self.MOST_CERTAIN, self.MOST_CERTAIN)
        return np.where(E != 0, E, np.tanh(calibration * np.arctanh(guess)))

    def log_likelihoods(self, before: NDArray, after: NDArray, F: NDArray) -> NDArray:
        new = (before == 0) & (after != 0)
        unknown = np.zeros_like(after)
        P = [(1 + after * self.posterior_mean(unknown, F, None, power)) / 2 for power in self.calibrations]
        return np.array([np.log(p[new]).sum() for p in P])

    def uncertain_signs(self, belief: Belief) -> tuple[NDArray, NDArray]:
        """Return the variance of each unknown sign and the entropy of its answer, (n, d) each."""
        unknown = belief.E == 0
        variance = np.where(unknown, 1 - belief.T**2, 0.0)
        return variance, np.where(unknown, binary_entropy((1 + belief.T) / 2), 0.0)

    def sign_question(self, row: int, at: int, cost: float | None = None) -> Question:
        """Return the yes-or-no question about one sign."""
        raise NotImplementedError

    def random_question(self, row: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        return self.priced(self.sign_question(row, int(rng.choice(np.flatnonzero(E == 0)))), price)

    def halving_question(self, row: int, belief: Belief, price: Any) -> Question:
        at = int(np.argmin(np.where(belief.E[0] == 0, np.abs(belief.T[0]), np.inf)))
        return self.priced(self.sign_question(row, at), price)


def binary_entropy(p: NDArray) -> NDArray:
    """Return -p log2 p - (1 - p) log2 (1 - p).

    >>> binary_entropy(np.array([0., .5, 1.]))
    array([0., 1., 0.])
    """
    p = np.clip(p, 1e-15, 1 - 1e-15)
    return np.round(-p * np.log2(p) - (1 - p) * np.log2(1 - p), 12) + 0.0
