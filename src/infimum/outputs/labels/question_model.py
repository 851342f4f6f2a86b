"""What can be asked about labels, and which question is expected to be cheapest until the label is known."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..question_model import Belief, QuestionGroup, QuestionModel, binary_entropy
from ..questions import Option, Question
from ..soft_labels import soft_update
from .questions import Is, OneOf, Which
from .space import Labels

MOST_SHOWN = 9  # labels that "which of these?" lists at most, one per key
INSIDE = 1e-12, 1 - 1e-12  # probabilities of answers, so that logarithms and quotients are finite
MOST_NAMES = 4  # labels in a yes-or-no question at most; more are hard to keep in mind


class LabelQuestions(QuestionModel):
    """Questions about labels; targets are class probabilities q, (n, m), and E is the candidate mask."""

    question_types = (Is, OneOf, Which)
    calibrations = tuple(itertools.product((1.0, 1.5, 2.0, 3.0), (0.03, 0.1, 0.3, 1.0)))  # powers and floors
    predicts = finish_started = lists_outputs = True
    full_preference = 1.02  # one full label instead of several questions that are cheaper by 2 % at most

    def __init__(self, space: Labels):
        super().__init__(space)
        self.m = len(space.classes_)
        self.prior = np.full(self.m, 1 / self.m)

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
        found = []
        for calibration in self.calibrations:
            P = self.posterior_mean(np.ones(F.shape, dtype=bool), F, None, calibration)
            share = (P * after).sum(axis=1) / (P * before).sum(axis=1)
            found.append(np.log(np.maximum(share, 1e-12)).sum())
        return np.array(found)

    def predict(self, F: NDArray) -> NDArray:
        return np.argmax(F, axis=1)

    def groups(self, belief: Belief) -> list[QuestionGroup]:
        """Ask about the k most probable labels for every k, about nodes of the taxonomy, or for the label."""
        E, q = belief.E, belief.T
        m = q.shape[1]
        order = np.argsort(-q, axis=1, kind="stable")
        s = np.take_along_axis(q, order, axis=1)
        left, total, terms = E.sum(axis=1)[:, None], (s**2).sum(axis=1, keepdims=True), _entropy_terms(s)

        def yes_no(mass: NDArray, square: NDArray, possible: NDArray) -> tuple[NDArray, NDArray]:
            """Return the gain and the entropy of "is it one of these?", from their sums of q and of q²."""
            mass = np.clip(mass, *INSIDE)
            gain = square / mass + np.maximum(total - square, 0) / (1 - mass) - total
            return np.where(possible, gain, 0.0), np.where(possible, binary_entropy(mass), 0.0)

        k = np.arange(1, m)
        mass, square, read, bits = (np.cumsum(x, axis=1)[:, :-1] for x in (s, s**2, s * np.arange(1, m + 1), terms))
        mass = np.clip(mass, *INSIDE)
        gain, entropy = yes_no(mass, square, k < left)
        # after "yes" to one label nothing is left to ask
        found = [QuestionGroup("Is", gain[:, :1], entropy[:, :1], 2.0, 1.0, self._maker(Is, order), 1 - mass[:, :1])]
        if self.nodes:
            members = np.array([inside for _, inside in self.nodes]).T
            inside = E.astype(int) @ members
            parts = yes_no(q @ members, q**2 @ members, (inside > 0) & (inside < left))
            found.append(QuestionGroup("Is", *parts, 2.0, 1.0, self._about_node))
        if m > 2:
            some, top = slice(1, min(MOST_NAMES, m - 1)), slice(1, min(MOST_SHOWN, m - 1))
            parts = gain[:, some], entropy[:, some]
            found.append(QuestionGroup("OneOf", *parts, 2.0, k[some], self._maker(OneOf, order)))
            gain = np.where(k < left, mass + np.maximum(total - square, 0) / (1 - mass) - total, 0.0)
            entropy = np.where(k < left, bits - (1 - mass) * np.log2(1 - mass), 0.0)
            found.append(QuestionGroup(
                "Which", gain[:, top], entropy[:, top], np.minimum(k + 1.0, left)[:, top], k[top],
                self._maker(Which, order), (1 - mass)[:, top], (read + k * (1 - mass))[:, top],
            ))  # fmt: skip
        return [*found, self.full_group(E, 1 - total[:, 0], terms.sum(axis=1))]

    def _about_node(self, row: int, node: int, cost: float) -> Is:
        return Is(row, self.nodes[node][0], self.space, cost)

    def _maker(self, kind: Any, order: NDArray) -> Any:
        """Return a function that asks about the most probable labels: one, or f + 2 of them."""
        if kind is Is:
            return lambda i, f, cost: Is(i, self._named(order[i, :1])[0], self.space, cost)
        return lambda i, f, cost: kind(i, self._named(order[i, : f + 2]), self.space, cost)

    def _named(self, at: NDArray) -> list:
        return self.space.classes_[at].tolist()

    def utility(self, kinds: Any, belief: Belief, price: Any) -> NDArray:
        """Return the drop of uncertainty when a label becomes known, over the expected cost of all its questions, (n,).

        The whole sequence of questions counts because a partly known label is of little use.
        """
        cost = np.min([total.min(axis=1) for _, total in self._totals(kinds, belief, price)], axis=0)
        return (1 - (belief.T**2).sum(axis=1)) / cost

    def best_questions(self, rows: list[int], kinds: Any, belief: Belief, price: Any) -> list[Question]:
        """Return the questions with the smallest expected cost until the label is known."""
        totals = self._totals(kinds, belief, price)
        factors = [1 / self.full_preference if group.kind == "FullLabel" else 1.0 for group, _ in totals]
        best = np.argmin([factor * total.min(axis=1) for factor, (_, total) in zip(factors, totals)], axis=0)
        found = []
        for i, row in enumerate(rows):
            group, total = totals[best[i]]
            at = int(np.argmin(total[i]))
            found.append(group.question(i, at, row, price))
        return found

    def _totals(self, kinds: Any, belief: Belief, price: Any) -> list[tuple[QuestionGroup, NDArray]]:
        """Return each group with the expected cost until the label is known, (n, f), if its question comes first.

        What an answer leaves is finished by the cheaper of the full label and of yes-or-no questions, one for each bit.
        Questions whose answer is known in advance cost infinitely much.
        """
        left = belief.E.sum(axis=1)[:, None].astype(float)
        bits = _entropy_terms(belief.T).sum(axis=1, keepdims=True)
        found = []
        for group in self.groups(belief):
            if group.kind not in kinds:
                continue
            cost = group.costs(price)
            if group.kind == "FullLabel":
                found.append((group, cost))
                continue
            # the entropy that is left on average; one answer of "which of these?" is a label already
            rest = np.maximum(bits - group.entropy, 0.0)
            share = np.clip(group.open, 1e-9, 1.0)
            finish = share * self._finish(kinds, rest / share, np.maximum(left - group.n_shown, 2.0), price)
            found.append((group, np.where(group.entropy > 0, cost + np.where(left > 2, finish, 0.0), np.inf)))
        return found

    def _finish(self, kinds: Any, bits: NDArray, left: NDArray, price: Any) -> NDArray:
        """Return the expected cost of the questions that complete a label with some bits of entropy."""
        costs = []
        if set(kinds) & {"Is", "OneOf"}:
            costs.append(np.maximum(bits, 1.0) * price("Is", 2.0, 1.0))
        elif "Which" in kinds:
            costs.append(np.maximum(bits, 1.0) * price("Which", 4.0, 3.0) / 2)
        if "FullLabel" in kinds:
            costs.append(price("FullLabel", left, left) * np.ones_like(bits))
        return np.min(costs, axis=0)

    def random_question(self, row: int, E: NDArray, rng: np.random.Generator, price: Any) -> Question:
        """Ask about a random half of the candidates, or four of them if that is less."""
        left = np.flatnonzero(E)
        n = min(MOST_NAMES, max(1, len(left) // 2))
        some = np.sort(rng.choice(left, n, replace=False))
        return self.priced(OneOf(row, self._named(some), self.space), price)

    def halving_question(self, row: int, belief: Belief, price: Any) -> Question:
        """Ask about probable labels, at most four, whose probabilities sum to at most one half."""
        E, q = belief.E[0], belief.T[0]
        probable = [int(k) for k in np.argsort(-q, kind="stable") if E[k]]
        some = probable[:1]
        for k in probable[1:]:
            if len(some) < min(MOST_NAMES, len(probable) - 1) and q[[*some, k]].sum() <= 0.5:
                some.append(k)
        names = self._named(np.array(some))
        found = Is(row, names[0], self.space) if len(some) == 1 else OneOf(row, names, self.space)
        return self.priced(found, price)

    def candidate_question(self, row: int, E: NDArray, inside: NDArray, price: Any) -> Question | None:
        some = np.flatnonzero(E & inside)
        if not 0 < len(some) <= MOST_SHOWN:
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
