"""Questions about labels: is it one of these, is it this one, which of these is it?"""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..question_model import Belief, QuestionGroup, QuestionModel, binary_entropy
from ..questions import Option, Question, join_words, positions
from ..soft_labels import soft_update
from .sets import CandidateLabels
from .space import Labels

MOST_SHOWN = 8  # labels that one question lists at most; more take long to read
NONE_OF_THESE = "none of these"


def _candidates(space: Any, at: list[int], negated: bool = False) -> CandidateLabels:
    listed = sparse.csr_matrix((np.ones(len(at), bool), (np.zeros(len(at), int), sorted(at))), (1, len(space.classes_)))
    return CandidateLabels.of(listed, space.classes_, np.array([negated]), space.cost_)


class OneOf(Question):
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
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> question = OneOf(1, {"cat", "dog"}, space)
    >>> question.text(), question.cost
    ('Is it cat or dog?', 1.0)
    >>> question.apply_answer([None, None], False).format(1)
    'owl'
    """

    def __init__(self, row: int, labels: Any, space: Labels, cost: float | None = None):
        self.at = sorted(positions(space.classes_, list(labels), "class"))
        self._set(row, space, cost)

    @property
    def about(self) -> list:
        return self.space.classes_[self.at].tolist()

    @property
    def n_shown(self) -> int:
        return len(self.at)

    def text(self) -> str:
        return f"Is it {join_words(self.about)}?"

    def consistent_set(self, answer: Any) -> CandidateLabels:
        if answer is None:
            return _candidates(self.space, [], True)
        return _candidates(self.space, self.at, not self._yes(answer))

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
        By default log2 of the number of answers.

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


class Which(Question):
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
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl", "cow"]).fit([])
    >>> question = Which(0, ["dog", "cat"], space)
    >>> [option.text for option in question.options()], round(question.cost, 2)
    (['dog', 'cat', 'none of these'], 1.58)
    >>> question.apply_answer([None], NONE_OF_THESE).format(0)
    'owl | cow'
    """

    def __init__(self, row: int, labels: Any, space: Labels, cost: float | None = None):
        self.at = positions(space.classes_, list(labels), "class")
        self._set(row, space, cost)

    @property
    def about(self) -> list:
        return self.space.classes_[self.at].tolist()

    @property
    def n_answers(self) -> float:
        return float(min(len(self.at) + 1, len(self.space.classes_)))

    @property
    def n_shown(self) -> int:
        return len(self.at)

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
            return _candidates(self.space, [], True)
        if isinstance(answer, str) and answer == self.none:
            if len(self.at) == len(self.space.classes_):
                raise self._invalid(answer)
            return _candidates(self.space, self.at, True)
        if answer not in self.about and str(answer) not in map(str, self.about):
            raise self._invalid(answer)
        return _candidates(self.space, positions(self.space.classes_, [answer], "class"))

    def true_answer(self, z: Any) -> Any:
        return self.space.classes_.tolist()[int(z)] if int(z) in self.at else self.none


class LabelQuestions(QuestionModel):
    """Questions about labels; targets are class probabilities q, (n, m), and E is the candidate mask."""

    question_types = (Is, OneOf, Which)
    powers, floors = (1.0, 1.5, 2.0, 3.0), (0.03, 0.1, 0.3, 1.0)
    calibrations = tuple(itertools.product(powers, floors))
    predicts = finish_started = lists_outputs = True
    full_preference = 1.02  # one full label instead of several questions that are cheaper by 2 % at most

    def __init__(self, space: Labels):
        super().__init__(space)
        self.m = len(space.classes_)
        self.prior = np.full(self.m, 1 / self.m)

    @property
    def names(self) -> list:
        return self.space.classes_.tolist()

    @cached_property
    def nodes(self) -> list[tuple[Any, NDArray]]:
        """Inner nodes of a taxonomy with several classes, but not all, and their members as a mask (m,)."""
        below = getattr(self.space.cost, "under", None) or {}
        found = [(node, self.space.read([node]).mask[0]) for node in below]
        return [(node, members) for node, members in found if 1 < members.sum() < self.m]

    @property
    def unlabelled(self) -> NDArray:
        return np.ones((1, self.m), dtype=bool)

    def encode(self, sets: Any) -> NDArray:
        return sets.mask

    def is_labelled(self, E: NDArray) -> NDArray:
        return np.asarray(~E.all(axis=1))

    def is_open(self, E: NDArray) -> NDArray:
        return E.sum(axis=1) > 1

    def n_outputs(self, E: NDArray) -> NDArray:
        return E.sum(axis=1).astype(float)

    def n_shown(self, E: NDArray) -> NDArray:
        return self.n_outputs(E)

    def posterior_mean(self, E: NDArray, F: NDArray, spread: Any, calibration: Any) -> NDArray:
        """Return max(F, 0)^p / Σ max(F, 0)^p + floor / m on the candidates, normalised."""
        p, floor = calibration
        return soft_update(F, E, p, floor=floor)

    def log_likelihoods(self, before: NDArray, after: NDArray, F: NDArray) -> NDArray:
        """Return Σ_i log P(S'_i | S_i) under all calibrations at once; the floor adds floor · |S| / m to P(S)."""
        positive = np.maximum(F, 0)
        P = np.stack([positive if p == 1 else positive**p for p in self.powers])
        P /= np.maximum(P.sum(axis=2, keepdims=True), 1e-300)
        floors = np.array(self.floors)[:, None]

        def mass(E: NDArray) -> NDArray:
            return np.einsum("knm,nm->kn", P, E)[:, None] + floors * (E.sum(axis=1) / self.m)

        return np.log(np.maximum(mass(after) / mass(before), 1e-12)).sum(axis=2).ravel()

    def spread(self, scale: Any, variance: NDArray) -> None:
        return None

    def predict(self, F: NDArray) -> NDArray:
        return np.argmax(F, axis=1)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        """Ask about the k most probable labels for every k, about nodes of the taxonomy, or for the label."""
        E, q = belief.E, belief.T
        n, m = q.shape
        order = np.argsort(-q, axis=1, kind="stable")
        s = np.take_along_axis(q, order, axis=1)
        terms = _entropy_terms(s)
        left = E.sum(axis=1)[:, None]
        k = np.arange(1, m)
        mass = np.clip(np.cumsum(s, axis=1)[:, :-1], 1e-12, 1 - 1e-12)
        square, total = np.cumsum(s**2, axis=1)[:, :-1], (s**2).sum(axis=1, keepdims=True)
        rest = np.maximum(total - square, 0) / (1 - mass)
        possible = k < left
        gain = np.where(possible, square / mass + rest - total, 0.0)
        entropy = np.where(possible, binary_entropy(mass), 0.0)
        one, two = np.ones((n, 1)), np.full((n, m - 1), 2.0)
        found = [QuestionGroup("Is", gain[:, :1], entropy[:, :1], two[:, :1], one, self._maker(Is, order))]
        found += self._node_groups(E, q, total)
        if m > 2:
            shown = np.broadcast_to(k[1:], (n, m - 2))
            maker = self._maker(OneOf, order)
            found.append(QuestionGroup("OneOf", gain[:, 1:], entropy[:, 1:], two[:, 1:], shown, maker))
            top = min(MOST_SHOWN, m - 1)
            gain = np.where(possible, mass + rest - total, 0.0)[:, 1:top]
            entropy = np.cumsum(terms, axis=1)[:, :-1] - (1 - mass) * np.log2(1 - mass)
            entropy = np.where(possible, entropy, 0.0)[:, 1:top]
            answers = np.minimum(k[1:top] + 1.0, left)
            found.append(QuestionGroup("Which", gain, entropy, answers, shown[:, : top - 1], self._maker(Which, order)))
        return [*found, self.full_group(E, 1 - total[:, 0], terms.sum(axis=1))]

    def _node_groups(self, E: NDArray, q: NDArray, total: NDArray) -> list[QuestionGroup]:
        if not self.nodes:
            return []
        members = np.array([inside for _, inside in self.nodes])
        mass = np.clip(q @ members.T, 1e-12, 1 - 1e-12)
        square = q**2 @ members.T
        possible = (E @ members.T.astype(int) > 0) & (E @ (~members).T.astype(int) > 0)
        gain = np.where(possible, square / mass + np.maximum(total - square, 0) / (1 - mass) - total, 0.0)
        entropy = np.where(possible, binary_entropy(mass), 0.0)
        two, one = np.full(mass.shape, 2.0), np.ones(mass.shape)
        return [QuestionGroup("Is", gain, entropy, two, one, lambda i, f, c: Is(i, self.nodes[f][0], self.space, c))]

    def _maker(self, kind: Any, order: NDArray) -> Any:
        """Return a function that asks about the most probable labels: one, or f + 2 of them."""
        if kind is Is:
            return lambda i, f, cost: Is(i, self._named(order[i, :1])[0], self.space, cost)
        return lambda i, f, cost: kind(i, self._named(order[i, : f + 2]), self.space, cost)

    def _named(self, at: NDArray) -> list:
        return self.space.classes_[at].tolist()

    def utility(self, kinds: Any, belief: Belief, price: Any, measure: str) -> NDArray:
        """Return the drop of uncertainty when a label becomes known, over the expected cost of all its questions, (n,).

        Yes-or-no questions take about as many bits as the entropy of the label, and one more for a row that was not
        asked about before. The whole sequence of questions counts because a partly known label is of little use.
        """
        E, q = belief.E, belief.T
        left = E.sum(axis=1).astype(float)
        bits = _entropy_terms(q).sum(axis=1)
        costs = []
        if set(kinds) & {"Is", "OneOf", "Which"}:
            one = price("Is", 2.0, 1.0) if set(kinds) & {"Is", "OneOf"} else price("Which", 4.0, 3.0) / 2
            costs.append(np.maximum(bits + ~self.is_labelled(E), 1e-3) * one)
        if "FullLabel" in kinds:
            costs.append(price("FullLabel", left, left))
        return (1 - (q**2).sum(axis=1) if measure == "squares" else bits) / np.min(costs, axis=0)

    def best_questions(self, rows: list[int], kinds: Any, belief: Belief, price: Any, measure: str) -> list[Question]:
        """Return the questions with the most bits per cost, whatever the measure: all bits of a label are needed."""
        return super().best_questions(rows, kinds, belief, price, "entropy")

    def random_question(self, row: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        """Ask about a set that has each candidate with probability 1/2, neither all of them nor none."""
        left = np.flatnonzero(E)
        while True:
            some = left[rng.random(len(left)) < 0.5]
            if 0 < len(some) < len(left):
                return self.priced(OneOf(row, self._named(some), self.space), price)

    def halving_question(self, row: int, belief: Belief, price: Any) -> Question:
        """Ask about probable labels whose probabilities sum to at most one half."""
        E, q = belief.E[0], belief.T[0]
        some: list[int] = []
        total = 0.0
        for k in np.argsort(-q, kind="stable"):
            if E[k] and (total + q[k] <= 0.5 or not some) and len(some) + 1 < E.sum():
                some.append(int(k))
                total += q[k]
        names = self._named(np.array(some))
        found = Is(row, names[0], self.space) if len(some) == 1 else OneOf(row, names, self.space)
        return self.priced(found, price)

    def candidate_question(self, row: int, E: NDArray, inside: NDArray, price: Any) -> Question | None:
        some = np.flatnonzero(E & inside)
        if not len(some):
            return None
        if len(some) == 1:
            return self.priced(Is(row, self._named(some)[0], self.space), price)
        cost = price("Which", min(len(some) + 1, int(E.sum())), len(some))
        return Which(row, self._named(some), self.space, float(cost))

    def full_options(self) -> list[Option]:
        return [Option(name, str(name)) for name in self.names]

    def parse_answer(self, answer: Any) -> Any:
        """Return the class; text that is how a class prints stands for it, because JSON has no other types."""
        names = self.names
        if answer is not None and answer not in names and str(answer) in map(str, names):
            return names[list(map(str, names)).index(str(answer))]
        return super().parse_answer(answer)


def _entropy_terms(q: NDArray) -> NDArray:
    """Return -q log2 q, 0 for q = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(q > 0, -q * np.log2(q), 0.0)
