"""Questions about sequences: one question about the label of one token, or all labels of a sequence."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ..base import OutputSpace
from ..labels.question_model import LabelQuestions
from ..question_model import Belief, QuestionGroup, QuestionModel
from ..questions import Contradiction, PartQuestion, Question, from_dict
from .sets import Lattices

MOST_OUTPUTS = 1e300
"""The largest number of sequences that is counted, so that costs stay finite."""


class OfToken(PartQuestion):
    """Ask a question about the label of one token.

    Parameters
    ----------
    row : int
        The sequence of X and y.
    token : int
        The position of the token, from 0.
    question : Question
        The question about its label.
    space : Sequences
        The fitted output space.
    length : int
        The number of tokens of the sequence.
    context : str, optional
        The token in its sequence, as a person reads it.
    cost : float, optional
        By default the cost of the question.

    Examples
    --------
    >>> from infimum.active import Is
    >>> from infimum.outputs import Sequences
    >>> space = Sequences(classes=["LOC", "O", "PER"]).fit([["PER", "O", "LOC"]])
    >>> question = OfToken(0, 2, Is(0, "LOC", space.labels_), space, 3, "Ann likes [Rome]")
    >>> question.text(), question.apply_answer([[None, "O", None]], False).format(0)
    ('Ann likes [Rome]: Is it LOC?', '? O O|PER')
    """

    def __init__(
        self, row: int, token: int, question: Question, space: OutputSpace, length: int, context: str = "",
        cost: float | None = None,
    ):  # fmt: skip
        if not 0 <= token < length:
            raise InputError(f"The sequence has the tokens 0 to {length - 1}. Got token {token!r}.")
        self.token, self.question, self.length, self.context = int(token), question, int(length), context
        self._set(row, space, question.cost if cost is None else cost)

    @classmethod
    def of(cls, row: int, about: Any, space: OutputSpace, cost: float | None = None) -> Self:
        if not isinstance(about, dict) or not {"token", "length", "question"} <= set(about):
            raise InputError(f'A question about a token has {{"token": …, "length": …, "question": …}}. Got {about!r}.')
        question = from_dict(about["question"], space.labels_)
        return cls(row, about["token"], question, space, about["length"], about.get("context", ""), cost)

    @property
    def about(self) -> dict[str, Any]:
        return {
            "token": self.token, "length": self.length, "context": self.context, "question": self.question.as_dict()
        }  # fmt: skip

    def text(self) -> str:
        return f"{self.context or f'Token {self.token}'}: {self.question.text()}"

    def consistent_set(self, answer: Any) -> Lattices:
        every = self.space.lattices(np.ones((self.length, len(self.space.classes_)), dtype=bool), [self.length])
        return self._restricted(every, self.question.consistent_set(answer).mask[0])

    def restrict(self, one: Any, answer: Any) -> Any:
        if answer is None:
            return one
        left = self._restricted(one, self.question.consistent_set(answer).mask[0])
        if left.is_empty[0]:
            raise Contradiction(self, answer, one.format(0), self.consistent_set(answer).format(0))
        return left

    def _restricted(self, one: Any, candidates: NDArray) -> Lattices:
        if one.lengths[0] != self.length:
            raise InputError(f"The question is about a sequence of {self.length} tokens. Got one of {one.lengths[0]}.")
        mask = one.mask.copy()
        mask[self.token] &= candidates
        return one.with_mask(mask, one.lengths)

    def true_answer(self, z: Any) -> Any:
        return self.question.true_answer(np.asarray(z)[self.token])

    @staticmethod
    def _about_repr(about: Any) -> str:
        return f"token {about['token']}: {about['question']['type']}"


class SequenceQuestions(QuestionModel):
    """The questions about each token of a sequence. E, T and F have m columns per token, 0 beyond the last token.

    Parameters
    ----------
    space : Sequences
        The fitted output space.
    contexts : list of list of str, optional
        Each token of each sequence, with the words around it.
    """

    question_types = (OfToken,)
    full_text = "What are the labels of all tokens?"
    calibrations = LabelQuestions.calibrations
    predicts = True

    def __init__(self, space: OutputSpace, contexts: list[list[str]] | None = None):
        super().__init__(space)
        self.labels, self.contexts = LabelQuestions(self.space.labels_), contexts
        self.prior = np.tile(self.labels.prior, self.space.width_)

    @property
    def unlabelled(self) -> NDArray:
        return np.ones((1, len(self.prior)), dtype=bool)

    def encode(self, sets: Any) -> NDArray:
        return sets.embedded(sets.mask) > 0

    def _per_token(self, values: NDArray) -> NDArray:
        return np.reshape(values, (len(values), -1, self.labels.m))

    def _n_candidates(self, E: NDArray) -> NDArray:
        """Return the number of candidates of each token, (n, width), 0 beyond the last one."""
        return self._per_token(E).sum(axis=2)

    def is_labelled(self, E: NDArray) -> NDArray:
        some = self._n_candidates(E)
        return np.asarray(((some > 0) & (some < self.labels.m)).any(axis=1))

    def is_open(self, E: NDArray) -> NDArray:
        return np.asarray((self._n_candidates(E) > 1).any(axis=1))

    def n_outputs(self, E: NDArray) -> NDArray:
        with np.errstate(over="ignore"):
            return np.minimum(np.maximum(self._n_candidates(E), 1.0).prod(axis=1), MOST_OUTPUTS)

    def n_shown(self, E: NDArray) -> NDArray:
        return np.full(len(E), float(self.labels.m))

    def posterior_mean(self, E: NDArray, F: NDArray, spread: Any, calibration: Any) -> NDArray:
        own = [self._per_token(values).reshape(-1, self.labels.m) for values in (E, F)]
        return np.reshape(self.labels.posterior_mean(own[0], own[1], spread, calibration), F.shape)

    def log_likelihoods(self, before: NDArray, after: NDArray, F: NDArray) -> NDArray:
        inside = self._n_candidates(before) > 0
        return self.labels.log_likelihoods(*(self._per_token(values)[inside] for values in (before, after, F)))

    def predict(self, F: NDArray) -> NDArray:
        return self.space.decode(1 - F)

    def parse_answer(self, answer: Any) -> Any:
        """Return the labels of all tokens; text lists them with spaces in between, or is JSON."""
        is_list = isinstance(answer, str) and not answer.lstrip().startswith("[")
        return super().parse_answer(answer.split() if is_list else answer)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        """Return the group of all labels of a sequence; `best_questions` chooses among questions about tokens."""
        T = belief.T
        bits = -np.sum(T * np.log2(np.where(T > 0, T, 1.0)), axis=1)
        tokens = (self._n_candidates(belief.E) > 0).sum(axis=1)
        return [self.full_group(belief.E, tokens - np.square(T).sum(axis=1), bits)]

    def _tokens(self, belief: Belief) -> tuple[Belief, NDArray]:
        """Return the belief about the labels of all tokens, and the places of tokens, (n, width) boolean."""
        inside = self._n_candidates(belief.E) > 0
        E, T, F = (self._per_token(values)[inside] for values in belief[:3])
        return Belief(E, T, F, None), inside

    def _utilities(self, kinds: Any, belief: Belief, price: Any) -> tuple[NDArray, NDArray]:
        """Return the gain per cost of the best question about each token, (n, width), and of all labels, (n,)."""
        tokens, inside = self._tokens(belief)
        found, full = np.zeros(inside.shape), np.zeros(len(inside))
        if OfToken.__name__ in kinds:
            found[inside] = self.labels.utility(self.labels.kinds, tokens, price)
        if "FullLabel" in kinds:
            full = self.groups(belief)[-1].rates(price)[:, 0]
        return found, full

    def utility(self, kinds: Any, belief: Belief, price: Any) -> NDArray:
        found, full = self._utilities(kinds, belief, price)
        return np.maximum(found.max(axis=1), full)

    def best_questions(self, rows: list[int], kinds: Any, belief: Belief, price: Any) -> list[Question]:
        """Return the best question about the most useful token of each sequence, or about all labels if that is more.

        Labels that are written at once share nothing except the time to look at the sequence.
        """
        found, full = self._utilities(kinds, belief, price)
        made: list[Question] = []
        for i, row in enumerate(rows):
            one, token = belief.take([i]), int(np.argmax(found[i]))
            if full[i] > found[i, token]:
                made.append(self.full_question(row, one.E, price))
                continue
            best = self.labels.best_questions([row], self.labels.kinds, self._token(one, token), price)[0]
            made.append(self._about(one.E, token, best))
        return made

    def _token(self, belief: Belief, token: int) -> Belief:
        """Return the belief about one token, from that about its sequence."""
        E, T, F = (self._per_token(values)[:, token] for values in belief[:3])
        return Belief(E, T, F, None)

    def _about(self, E: NDArray, token: int, question: Question) -> OfToken:
        """Return a question about a token of a sequence whose set is E, (1, k)."""
        row, length = question.row, int((self._n_candidates(E) > 0).sum())
        context = "" if self.contexts is None else self.contexts[row][token]
        return OfToken(row, token, question, self.space, length, context, question.cost)

    def random_question(self, row: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        token = int(rng.choice(np.flatnonzero(self._n_candidates(E[None])[0] > 1)))
        own = self.labels.random_question(row, self._per_token(E[None])[0, token], rng, price)
        return self._about(E[None], token, own)

    def halving_question(self, row: int, belief: Belief, price: Any) -> Question:
        """Halve the candidates of the token whose label is least certain."""
        T = self._per_token(belief.T)[0]
        token = int(np.argmax(-np.sum(T * np.log2(np.where(T > 0, T, 1.0)), axis=1)))
        return self._about(belief.E, token, self.labels.halving_question(row, self._token(belief, token), price))
