"""Questions about labels: is it one of these, is it this, which of these."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..outputs import CandidateLabels, Labels
from .question import Option, Question, in_words, places
from .settling import cheapest
from .structure import Forms, Structure, binary_entropy

MOST_SHOWN = 8
NONE_OF_THESE = "none of these"


def _subset(space: Any, at: list[int], negated: bool = False) -> CandidateLabels:
    listed = sparse.csr_matrix((np.ones(len(at), bool), (np.zeros(len(at), int), sorted(at))), (1, len(space.classes_)))
    return CandidateLabels.of(listed, space.classes_, np.array([negated]), space.cost_)


class OneOf(Question):
    """Is it one of these labels? Yes or no.

    Parameters
    ----------
    row : int
        The row of X and y.
    labels : set or list
        Names of classes.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> question = OneOf(1, {"cat", "dog"}, space)
    >>> question.text(), question.cost
    ('Is it cat or dog?', 1.0)
    >>> question.told([None, None], False).format(1)
    'owl'
    """

    def __init__(self, row: int, labels: Any, space: Labels, cost: float | None = None):
        self.at = sorted(places(space.classes_, list(labels), "class"))
        self._keep(row, space, cost)

    @property
    def about(self) -> list:
        return self.space.classes_[self.at].tolist()

    @property
    def shown(self) -> int:
        return len(self.at)

    def text(self) -> str:
        return f"Is it {in_words(self.about)}?"

    def leaves(self, answer: Any) -> CandidateLabels:
        if answer is None:
            return _subset(self.space, [], True)
        return _subset(self.space, self.at, not self._yes(answer))

    def truth(self, z: Any) -> bool:
        return int(z) in self.at


class Is(OneOf):
    """Is it this label, or under this node of the taxonomy? Yes or no.

    Parameters
    ----------
    row : int
        The row of X and y.
    label : label
        A class, or an inner node of the taxonomy.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl"]).fit([])
    >>> Is(0, "cat", space).told([{"cat", "dog"}], False).format(0)
    'dog'
    """

    def __init__(self, row: int, label: Any, space: Labels, cost: float | None = None):
        self.label = label[0] if isinstance(label, list) and len(label) == 1 else label
        known = space.classes_.tolist()
        if self.label in known or str(self.label) in map(str, known):
            self.at = places(known, [self.label], "class")
        else:
            sets = space.read([self.label])  # a node, or an error that lists the classes
            self.at = np.flatnonzero(sets.mask[0]).tolist()
        self._keep(row, space, cost)

    @property
    def about(self) -> Any:
        return self.space.classes_[self.at[0]].item() if len(self.at) == 1 else self.label

    @property
    def shown(self) -> int:
        return 1

    def text(self) -> str:
        return f"Is it {self.about}?"


class Which(Question):
    """Which of these labels is it, or none of them?

    Parameters
    ----------
    row : int
        The row of X and y.
    labels : list
        Names of classes, in the order in which they are shown.
    space : OutputSpace
        Y, fitted.
    cost : float, optional
        By default log2 of the number of answers.

    Examples
    --------
    >>> space = Labels(classes=["cat", "dog", "owl", "cow"]).fit([])
    >>> question = Which(0, ["dog", "cat"], space)
    >>> [option.text for option in question.options()], round(question.cost, 2)
    (['dog', 'cat', 'none of these'], 1.58)
    >>> question.told([None], NONE_OF_THESE).format(0)
    'owl | cow'
    """

    def __init__(self, row: int, labels: Any, space: Labels, cost: float | None = None):
        self.at = places(space.classes_, list(labels), "class")
        self._keep(row, space, cost)

    @property
    def about(self) -> list:
        return self.space.classes_[self.at].tolist()

    @property
    def choices(self) -> float:
        return float(min(len(self.at) + 1, len(self.space.classes_)))

    @property
    def shown(self) -> int:
        return len(self.at)

    def text(self) -> str:
        return "Which of these is it?"

    def options(self) -> list[Option]:
        found = [Option(name, str(name)) for name in self.about]
        return found if len(found) == len(self.space.classes_) else [*found, Option(NONE_OF_THESE, NONE_OF_THESE)]

    def leaves(self, answer: Any) -> CandidateLabels:
        if answer is None:
            return _subset(self.space, [], True)
        if answer == NONE_OF_THESE and answer not in self.about:
            if len(self.at) == len(self.space.classes_):
                raise self._refuse(answer)
            return _subset(self.space, self.at, True)
        if answer not in self.about and str(answer) not in map(str, self.about):
            raise self._refuse(answer)
        return _subset(self.space, places(self.space.classes_, [answer], "class"))

    def truth(self, z: Any) -> Any:
        return self.space.classes_[int(z)].item() if int(z) in self.at else NONE_OF_THESE


class LabelStructure(Structure):
    """Labels: targets are weights on the classes, q (n, m)."""

    kinds = ("Is", "OneOf", "Which", "Whole")
    settles = True
    most_shown = MOST_SHOWN
    sharp, floors = (1.0, 1.5, 2.0, 3.0), (0.03, 0.1, 0.3, 1.0)
    powers = tuple(itertools.product(sharp, floors))

    def __init__(self, space: Labels):
        super().__init__(space)
        self.m = len(space.classes_)
        self.prior = np.full(self.m, 1 / self.m)
        self.nodes = self._nodes()

    def _nodes(self) -> list[tuple[Any, NDArray]]:
        """Inner nodes of a taxonomy that hold several classes and not all, with their members."""
        under = getattr(self.space.cost, "under", None) or {}
        found = []
        for node in under:
            members = self.space.read([node]).mask[0]
            if 1 < members.sum() < self.m:
                found.append((node, members))
        return found

    def encode(self, sets: Any) -> NDArray:
        return sets.mask

    def known(self, E: NDArray) -> NDArray:
        return np.asarray(~E.all(axis=1))

    def open(self, E: NDArray) -> NDArray:
        return E.sum(axis=1) > 1

    def narrow(self, E: NDArray, F: NDArray, spread: Any, power: Any) -> NDArray:
        """max(F, 0)^p + floor / m, on the labels that are left."""
        p, floor = power
        P = np.maximum(F, 0)
        P = P if p == 1 else P**p
        P = np.where(E, P / np.maximum(P.sum(axis=1, keepdims=True), 1e-300) + floor / self.m, 0.0)
        return P / P.sum(axis=1, keepdims=True)

    def likelihood(self, E: NDArray, F: NDArray, power: Any) -> float:
        """The mean of log P_i(S_i), from predictions that did not see row i."""
        return float(self.likelihoods(E, F)[self.powers.index(power)])

    def likelihoods(self, E: NDArray, F: NDArray) -> NDArray:
        return self.surprises(np.ones_like(E), E, F) / max(len(E), 1)

    def surprise(self, before: NDArray, after: NDArray, F: NDArray, power: Any) -> float:
        return float(self.surprises(before, after, F)[self.powers.index(power)])

    def surprises(self, before: NDArray, after: NDArray, F: NDArray) -> NDArray:
        """Σ_i log of what `narrow` leaves on the set that came; the floor adds floor · |S| / m to the mass of S."""
        some = np.maximum(F, 0)
        P = np.stack([some if p == 1 else some**p for p in self.sharp])
        P /= np.maximum(P.sum(axis=2, keepdims=True), 1e-300)
        floors = np.array(self.floors)[:, None]

        def mass(E: NDArray) -> NDArray:
            return np.einsum("knm,nm->kn", P, E)[:, None] + floors * (E.sum(axis=1) / self.m)

        return np.log(np.maximum(mass(after) / mass(before), 1e-12)).sum(axis=2).ravel()

    def output(self, F: NDArray) -> NDArray:
        return np.argmax(F, axis=1)

    def forms(self, E: NDArray, q: NDArray, spread: Any) -> list[Forms]:
        """Every prefix of the labels in the order of their weight, as a set to ask for or to choose from."""
        n, m = q.shape
        order = np.argsort(-q, axis=1, kind="stable")
        s = np.take_along_axis(q, order, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            h = np.where(s > 0, -s * np.log2(s), 0.0)
        left = E.sum(axis=1)[:, None]  # how many are still possible
        k = np.arange(1, m)
        mass = np.clip(np.cumsum(s, axis=1)[:, :-1], 1e-12, 1 - 1e-12)
        square, total = np.cumsum(s**2, axis=1)[:, :-1], (s**2).sum(axis=1, keepdims=True)
        rest = np.maximum(total - square, 0) / (1 - mass)
        possible = k < left
        cut = np.where(possible, square / mass + rest - total, 0.0)
        drop = np.where(possible, binary_entropy(mass), 0.0)
        ones, two = np.ones((n, 1)), np.full((n, m - 1), 2.0)
        found = [Forms("Is", cut[:, :1], drop[:, :1], two[:, :1], ones, self._is(order))]
        if m > 2:
            shown = np.broadcast_to(k[1:], (n, m - 2))
            found.append(Forms("OneOf", cut[:, 1:], drop[:, 1:], two[:, 1:], shown, self._one_of(order)))
            top = min(MOST_SHOWN, m - 1)
            gain = np.where(possible, mass + rest - total, 0.0)[:, 1:top]
            told = np.cumsum(h, axis=1)[:, :-1] - (1 - mass) * np.log2(1 - mass)
            told = np.where(possible, told, 0.0)[:, 1:top]
            choices = np.minimum(k[1:top] + 1.0, left)
            found.append(Forms("Which", gain, told, choices, np.broadcast_to(k[1:top], gain.shape), self._which(order)))
        found.append(Forms("Whole", 1 - total, h.sum(axis=1, keepdims=True), left * ones, left * ones, self._whole(E)))
        return found + self._node_forms(E, q, total)

    def worth(self, kinds: Any, E: NDArray, T: NDArray, spread: Any, price: Any, measure: str) -> NDArray:
        """The drop of uncertainty when a label is settled, over the expected cost of settling it, (n,).

        Yes-or-no questions in the order of a Huffman tree take about the entropy of the label, and one more where
        nothing was asked before. A label that is half settled says little: that is why not the next answer is
        counted, but all that are needed.
        """
        left = E.sum(axis=1).astype(float)
        with np.errstate(divide="ignore", invalid="ignore"):
            bits = np.where(T > 0, -T * np.log2(T), 0.0).sum(axis=1)
        costs = []
        if set(kinds) & {"Is", "OneOf", "Which"}:
            one = price("Is", 2.0, 1.0) if set(kinds) & {"Is", "OneOf"} else price("Which", 4.0, 3.0) / 2
            costs.append(np.maximum(bits + ~self.known(E), 1e-3) * one)
        if "Whole" in kinds:
            costs.append(price("Whole", left, left))
        return (1 - (T**2).sum(axis=1) if measure == "squares" else bits) / np.min(costs, axis=0)

    def plan(self, i: int, kinds: Any, E: NDArray, T: NDArray, spread: Any, price: Any, measure: str) -> Question:
        """The first question of the cheapest way to settle the label of row i."""
        return cheapest(self, i, E[0], T[0], set(kinds), price)

    def _node_forms(self, E: NDArray, q: NDArray, total: NDArray) -> list[Forms]:
        if not self.nodes:
            return []
        members = np.array([inside for _, inside in self.nodes])
        mass = np.clip(q @ members.T, 1e-12, 1 - 1e-12)
        square = q**2 @ members.T
        possible = (E @ members.T.astype(int) > 0) & (E @ (~members).T.astype(int) > 0)
        gain = np.where(possible, square / mass + np.maximum(total - square, 0) / (1 - mass) - total, 0.0)
        drop = np.where(possible, binary_entropy(mass), 0.0)
        two, one = np.full(mass.shape, 2.0), np.ones(mass.shape)
        return [Forms("Is", gain, drop, two, one, lambda i, f, c: Is(i, self.nodes[f][0], self.space, c))]

    def _names(self, at: NDArray) -> list:
        return self.space.classes_[at].tolist()

    def _is(self, order: NDArray) -> Any:
        return lambda i, f, c: Is(i, self._names(order[i, :1])[0], self.space, c)

    def _one_of(self, order: NDArray) -> Any:
        return lambda i, f, c: OneOf(i, self._names(order[i, : f + 2]), self.space, c)

    def _which(self, order: NDArray) -> Any:
        return lambda i, f, c: Which(i, self._names(order[i, : f + 2]), self.space, c)

    def random(self, i: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        """A set that holds every label that is left with probability 1/2, neither all of them nor none."""
        left = np.flatnonzero(E)
        while True:
            some = left[rng.random(len(left)) < 0.5]
            if 0 < len(some) < len(left):
                return OneOf(i, self._names(some), self.space, float(price("OneOf", 2.0, len(some))))

    def halving(self, i: int, E: NDArray, q: NDArray, spread: Any, price: Any) -> Question:
        """The labels that hold as nearly half of the weight as taking them from the heaviest down allows."""
        some: list[int] = []
        total = 0.0
        for k in np.argsort(-q, kind="stable"):
            if E[k] and (total + q[k] <= 0.5 or not some) and len(some) + 1 < E.sum():
                some.append(int(k))
                total += q[k]
        names = self._names(np.array(some))
        if len(some) == 1:
            return Is(i, names[0], self.space, float(price("Is", 2.0, 1)))
        return OneOf(i, names, self.space, float(price("OneOf", 2.0, len(some))))

    def candidates(self, i: int, E: NDArray, inside: NDArray, price: Any) -> Question | None:
        """Which of the labels inside a candidate set, in the order of the classes; None where that asks nothing."""
        some = np.flatnonzero(E & inside)
        if not len(some):
            return None
        if len(some) == 1:
            return Is(i, self._names(some)[0], self.space, float(price("Is", 2.0, 1)))
        choices = min(len(some) + 1, int(E.sum()))
        return Which(i, self._names(some), self.space, float(price("Which", choices, len(some))))
