"""Labels: sets of classes by probabilities, by risks, by a cost around the prediction, or a node of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from ..estimators import PartialModel
from ..outputs import CandidateLabels, Labels, OutputSpace, Taxonomy
from .base import Score, register, upto


class LabelScore(Score):
    """A score that gives every class a number: `table`, (n, m)."""

    def table(self, forecast: NDArray) -> NDArray:
        """s(x, y) for every class y, (n, m), as it is compared with the radius."""
        return forecast

    def drawn_table(self, forecast: NDArray) -> NDArray:
        """The same for calibration rows, where random numbers may come in."""
        return self.table(forecast)

    def largest(self, forecast: NDArray, sets: Any) -> NDArray:
        return np.where(sets.mask, self.drawn_table(forecast), -np.inf).max(axis=1)

    def smallest(self, forecast: NDArray, sets: Any) -> NDArray:
        return np.where(sets.mask, self.drawn_table(forecast), np.inf).min(axis=1)

    def within(self, forecast: NDArray, radius: NDArray, space: Any) -> CandidateLabels:
        radius = radius[:, None] if np.ndim(radius) == 1 else radius  # one a row, or one a row and class
        return subsets(self.table(forecast) <= upto(radius), space)

    def counted(self, forecasts: list[NDArray], scores: list[NDArray], rank: float, space: Any) -> CandidateLabels:
        beyond = np.zeros(self.table(forecasts[0]).shape, dtype=int)
        for forecast, R in zip(forecasts, scores):
            table = self.table(forecast)
            beyond += np.searchsorted(np.sort(upto(R)), table, side="left")  # how many R_i are smaller
        return subsets(beyond < rank, space)

    def union(self, parts: list) -> CandidateLabels:
        mask = np.any([part.mask for part in parts], axis=0)
        return CandidateLabels.of(
            sparse.csr_matrix(mask), parts[0].classes, np.zeros(len(mask), bool), parts[0].cost, False
        )

    def meets(self, found: Any, sets: Any) -> NDArray:
        return (found.mask & sets.mask).any(axis=1)

    def holds(self, found: Any, sets: Any) -> NDArray:
        return ~(~found.mask & sets.mask).any(axis=1)

    def joined(self, parts: list) -> CandidateLabels:
        mask = np.concatenate([part.mask for part in parts])
        return CandidateLabels.of(
            sparse.csr_matrix(mask), parts[0].classes, np.zeros(len(mask), bool), parts[0].cost, False
        )

    def void(self, size: NDArray) -> NDArray:
        return size == 0

    def exact(self, sets: Any) -> NDArray:
        return sets.sizes == 1

    def size(self, found: Any) -> NDArray:
        """The number of classes."""
        return found.sizes


def subsets(mask: NDArray, space: Any) -> CandidateLabels:
    """Sets of the classes of a space; they may be empty."""
    return CandidateLabels.of(
        sparse.csr_matrix(mask), space.classes_, np.zeros(len(mask), bool), space.cost_, strict=False
    )


class LAC(LabelScore):
    """s(x, y) = 1 - P(y | x): the smallest sets on average (Sadinle, Lei and Wasserman, 2019); they may be empty."""

    name = "lac"

    def usable(self, model: Any, space: OutputSpace) -> bool:
        return hasattr(model, "predict_proba")

    def needs(self) -> str:
        return "a model with predict_proba"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return np.asarray(model.predict_proba(X), dtype=float)

    def table(self, forecast: NDArray) -> NDArray:
        return 1 - forecast


class APS(LAC):
    """s(x, y) = sum of the P(z | x) above P(y | x), plus U P(y | x) with U uniform (Romano, Sesia and Candès, 2020).

    Sets are larger where x is harder. A class is in the set where its score would be within the radius at U = 0, so
    that sets are never empty for a positive radius and cover more than asked; with ``randomized=True`` U is drawn there
    too, the coverage is exact and sets may be empty.

    Parameters
    ----------
    randomized : bool, default False
        Whether U is drawn for new rows as well.
    random_state : int, default 0
        Seed of these draws; those of calibration rows come from `Conformal`.
    """

    name = "aps"

    def __init__(self, randomized: bool = False, random_state: int = 0):
        self.randomized = randomized
        self.random_state = random_state

    def drawn(self, forecast: NDArray, random: np.random.RandomState) -> NDArray:
        return np.column_stack([forecast, 1 - random.uniform(size=len(forecast))])

    def drawn_table(self, forecast: NDArray) -> NDArray:
        P, U = forecast[:, :-1], forecast[:, -1:]
        return above(P) + U * P

    def table(self, forecast: NDArray) -> NDArray:
        if not self.randomized:
            return above(forecast)
        U = 1 - np.random.RandomState(self.random_state).uniform(size=(len(forecast), 1))
        return above(forecast) + U * forecast


def above(P: NDArray) -> NDArray:
    """sum of the P_z that are larger than P_y, for every y: equal classes are alike, (n, m) -> (n, m).

    >>> above(np.array([[.5, .25, .25]]))
    array([[0. , 0.5, 0.5]])
    """
    order = np.argsort(-P, axis=1, kind="stable")
    ranked = np.take_along_axis(P, order, axis=1)
    before = np.cumsum(ranked, axis=1) - ranked
    first = np.concatenate([np.ones((len(P), 1), bool), ranked[:, 1:] < ranked[:, :-1]], axis=1)
    # of equal classes, all have what lies before the first
    at = np.maximum.accumulate(np.where(first, np.arange(P.shape[1]), 0), axis=1)
    out = np.empty_like(before)
    np.put_along_axis(out, order, np.take_along_axis(before, at, axis=1), axis=1)
    return out


class Regret(LabelScore):
    """s(x, y) = R(y) - min over z of R(z), R(z) = sum_i alpha_i(x) L(z, S_i): for every principle and any cost."""

    name = "regret"

    def usable(self, model: Any, space: OutputSpace) -> bool:
        if isinstance(model, PartialModel):
            return isinstance(model.solver, str) or model.solver.scores_all_outputs
        return hasattr(model, "decision_function")

    def needs(self) -> str:
        return "a model with decision_function"

    def forecast(self, model: Any, X: Any) -> NDArray:
        if isinstance(model, PartialModel):
            return model._each(X, lambda alpha: self.of_weights(model.solver_, alpha, model.output_))
        return regrets(two_columns(np.asarray(model.decision_function(X), dtype=float)))

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return regrets(-solver.risks(alpha))


def regrets(scores: NDArray) -> NDArray:
    return scores.max(axis=1, keepdims=True) - scores


def two_columns(scores: NDArray) -> NDArray:
    """The scores of every class; of two, scikit-learn gives the difference for the second."""
    return np.column_stack([np.zeros(len(scores)), scores]) if scores.ndim == 1 else scores


class CostBall(LabelScore):
    """s(x, y) = l(f(x), y): the classes that cost little where f(x) is predicted; with `cost="ordinal"`, a range."""

    name = "cost"

    def usable(self, model: Any, space: OutputSpace) -> bool:
        return isinstance(model, PartialModel) and getattr(space, "cost", None) is not None

    def needs(self) -> str:
        return "a model with a cost between classes"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return model._each(X, lambda alpha: self.of_weights(model.solver_, alpha, model.output_))

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return space.cost_[solver.argmin(alpha)]


class Node(LabelScore):
    """The nodes of a taxonomy on the way from the predicted leaf to the root: the smallest that reaches the radius.

    With v_0 = {f(x)}, v_1 its parent, … and y first in v_k, s(x, y) = k. Sets are nodes; `smallest_nodes` names them.
    """

    name = "node"

    def usable(self, model: Any, space: OutputSpace) -> bool:
        return isinstance(model, PartialModel) and isinstance(getattr(space, "cost", None), Taxonomy)

    def needs(self) -> str:
        return "a model with cost=Taxonomy(…)"

    def forecast(self, model: Any, X: Any) -> NDArray:
        return model._each(X, lambda alpha: self.of_weights(model.solver_, alpha, model.output_))

    def of_weights(self, solver: Any, alpha: Any, space: Any) -> NDArray:
        return climbed(space)[solver.argmin(alpha)]


def climbed(space: Any) -> NDArray:
    """How many steps up from leaf z the first node is that holds leaf y, (m, m); infinite under another root."""
    paths = [space.cost.ancestors[name] for name in space.classes_.tolist()]
    steps = np.full((len(paths), len(paths)), np.inf)
    for z, path in enumerate(paths):
        for y, other in enumerate(paths):
            shared = sum(a == b for a, b in zip(path, other))
            if shared:
                steps[z, y] = len(path) - shared
    return steps


def smallest_nodes(tree: Taxonomy, sets: CandidateLabels) -> list:
    """The name of the smallest node that holds every class of a set; None where the set is empty or no node does.

    Parameters
    ----------
    tree : Taxonomy
        Its leaves are the classes.
    sets : CandidateLabels
        With named classes.

    Examples
    --------
    >>> tree = Taxonomy({"mammal": ["cat", "dog"], "bird": ["owl"]})
    >>> sets = CandidateLabels([[1, 1, 0], [0, 0, 1], [1, 0, 1]], classes=["cat", "dog", "owl"])
    >>> smallest_nodes(tree, sets)
    ['mammal', 'owl', None]
    """
    names = sets.classes
    if names is None:
        raise ValueError("The sets must name their classes, as those of predict_set do.")
    found = []
    for row in sets.mask:
        paths = [tree.ancestors[name] for name in names[row].tolist()]
        shared = None
        for nodes in zip(*paths):
            if len(set(nodes)) > 1:
                break
            shared = nodes[0]
        found.append(shared)
    return found


register(Labels, LAC, APS, Regret, CostBall, Node)
