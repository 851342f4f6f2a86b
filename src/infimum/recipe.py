"""Recipe: a principle, a rule for negative weights, weights and a solver; and how they are fitted to rows."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from . import solvers
from .data import Rows
from .data.errors import InfimumWarning
from .disambiguation import Disambiguation, DisambiguationResult
from .loss import PRINCIPLES, Infimum, Loss, Principle, SetLoss, doubled
from .outputs.base import OutputSpace, Sets
from .weights import BY_NAME, SplitSigns, Weights, by_name
from .weights.base import Target

AUTO = "auto"
NEGATIVE_WEIGHTS = ("inside", "joint", AUTO)


class Fitted(NamedTuple):
    """The fitted parts of a model."""

    output: OutputSpace
    weights: Weights
    solver: solvers.Solver
    disambiguation: DisambiguationResult | None

    def predict(self, X: Any) -> NDArray:
        """Predict f(x) for each row of X, (q, *z)."""
        return self.solver.argmin(self.weights(X))


@dataclass(frozen=True)
class Problem:
    """The problem of a fit: minimise over z the sum of alpha_i(x) L(z, S_i)."""

    rows: Rows
    """Inputs and sample weights."""
    loss: Loss
    """L(z, S_i): the output space, the sets and the principle."""
    weights: Weights
    """The base learner that yields alpha; fitted if disambiguation needed it."""
    target: Target
    """What supervised weights learn from."""
    disambiguation: DisambiguationResult | None = None
    """The estimated labels, if disambiguation has replaced the sets by points."""

    def fit_weights(self) -> Weights:
        """Fit the weights to the rows, unless disambiguation has done it already."""
        if self.disambiguation is not None:
            return self.weights
        return self.weights.fit(self.rows.X, self.target, self.rows.w)


@dataclass(frozen=True)
class Recipe:
    """What a model is made of, apart from its output space.

    Names are parsed when the recipe is created. Its parts are objects, or "auto" if they are still to be selected. The
    name of a family of weights stays a name: its scaling and hyperparameters are still to be selected.
    """

    principle: Any
    negative_weights: str = "inside"
    weights: Any = None
    solver: Any = AUTO
    noise: Any = None
    """The share of sets that miss the true label: None, "auto", "estimate" or a number; see `Disambiguation`."""

    def __post_init__(self) -> None:
        if not isinstance(self.negative_weights, str) or self.negative_weights not in NEGATIVE_WEIGHTS:
            raise ValueError(
                f"negative_weights must be 'inside', 'joint' or 'auto'. Got {self.negative_weights!r} instead."
            )
        object.__setattr__(self, "principle", with_noise(parse_principle(self.principle), self.noise))
        object.__setattr__(self, "weights", parse_weights(self.weights))
        solvers.check(self.solver)

    @property
    def is_complete(self) -> bool:
        """Whether no part is to be selected, apart from the solver, which the loss determines."""
        return not (is_auto(self.principle) or is_auto(self.negative_weights) or self.selects_weights)

    @property
    def selects_weights(self) -> bool:
        """Whether weights are to be selected, among all families ("auto") or within the one that is named."""
        return isinstance(self.weights, str)

    @property
    def disambiguation(self) -> Disambiguation | None:
        """The principle if it replaces sets by estimated labels, otherwise None."""
        return self.principle if isinstance(self.principle, Disambiguation) else None

    @property
    def refits_on_labels(self) -> bool:
        """Whether the weights are fitted again to the labels that disambiguation found."""
        return self.weights.supervised and self.disambiguation is not None

    @property
    def is_joint(self) -> bool:
        """Whether rows of negative weight have the opposite loss: inf over (y_i) of sum_i alpha_i l(z, y_i)."""
        joint = self.negative_weights == "joint" and self.weights.signed and self.disambiguation is None
        return joint and self.principle.opposite() is not self.principle

    def read(self, rows: Rows, output: OutputSpace) -> Sets:
        """Parse y as sets, with the constraints on groups of rows that disambiguation is given."""
        found = self.disambiguation
        if found is None or not found.constraints:
            return rows.read(output)
        if not rows.in_memory:
            raise ValueError("Constraints on groups of rows need all rows at once. Fit on arrays instead of chunks.")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Every row of y allows every class", InfimumWarning)  # constraints do
            return found.constrain(output, rows.read(output))

    def cheap(self) -> Recipe:
        """Return the recipe without the search for label errors, which predictions do not need."""
        found = self.disambiguation
        return self if found is None else replace(self, principle=clone(found).set_params(threshold=None))

    def loss(self, output: OutputSpace, sets: Sets, result: DisambiguationResult | None = None) -> Loss:
        """Return the loss that a fitted model minimises: of the sets, or of the labels that disambiguation found."""
        if result is not None and self.disambiguation is not None:
            return self.disambiguation.loss(output, sets, result)
        loss = SetLoss(output, sets, self.principle)
        return doubled(loss) if self.is_joint else loss

    def problem(self, rows: Rows, output: OutputSpace, sets: Sets) -> Problem:
        """Return the problem as it is given, with weights that are still to be fitted."""
        loss = SetLoss(output, sets, self.principle if self.disambiguation is None else Infimum())
        if rows.in_memory:
            learns = self.weights.supervised  # others do not use the target
            phi, choice = (loss.target(), sets.single_choice()) if learns else (np.empty((len(sets), 0)), None)
            target = Target(phi, ~output.is_unlabelled(sets), rows.groups, sets.is_exact, choice)
        else:
            target = Target(np.empty((0, 0)))
        return Problem(rows, loss, clone(self.weights), target)

    def reduced(self, problem: Problem) -> Problem:
        """Replace the sets by estimated labels, or list them twice for the joint loss of negative weights."""
        loss = problem.loss.terms[0]
        if self.disambiguation is not None:  # fully supervised from here on, so negative weights need no rule
            loss, weights, result = self.disambiguation.replace_sets(
                problem.rows, loss, problem.weights, problem.target
            )
            return replace(problem, loss=loss, weights=weights, disambiguation=result)
        if self.is_joint:
            return replace(problem, loss=doubled(loss), weights=SplitSigns(problem.weights))
        return problem

    def fit(self, rows: Rows, output: OutputSpace, sets: Sets) -> Fitted:
        """Build the problem, disambiguate if asked, fit the weights and the solver."""
        problem = self.reduced(self.problem(rows, output, sets))
        problem.weights.check_rows(rows)
        solver = solvers.choose(self.solver, problem.loss)
        weights = problem.fit_weights()
        solver = solver.fit(problem.loss, weights)
        weights.release(sums_only=solver.needs_sums_only)
        return Fitted(problem.loss.output, weights, solver, problem.disambiguation)


def sets_noise(noise: Any) -> bool:
    """Whether a share of sets that miss the true label is to be estimated in any case, or is given."""
    return not (noise is None or is_auto(noise) or noise == 0)


def with_noise(principle: Any, noise: Any) -> Any:
    """Return a principle with the share of sets that miss the true label; only disambiguation has one."""
    if sets_noise(noise) and not (is_auto(principle) or isinstance(principle, Disambiguation)):
        raise ValueError(
            f"noise requires disambiguation. Got noise={noise!r} and principle={principle.name!r}, which does not"
            " estimate the labels of the rows. Pass principle='disambiguation' or principle='auto', or leave out noise."
        )
    if noise is None or is_auto(noise) or not isinstance(principle, Disambiguation) or principle.noise is not None:
        return principle
    return clone(principle).set_params(noise=noise)


def is_auto(value: Any) -> bool:
    """Whether a part is to be selected."""
    return isinstance(value, str) and value == AUTO


def parse_weights(value: Any) -> Weights | str:
    """Return weights as they are given, or the name of what is to be selected: "auto" or a family."""
    if isinstance(value, Weights) or value is None:
        return by_name(value)
    names = (AUTO, *BY_NAME)
    if not isinstance(value, str) or value not in names:
        raise ValueError(
            f"weights must be one of {', '.join(map(repr, names))}, or a Weights such as weights.KernelRidge(). Got"
            f" {value!r} instead."
        )
    return value


def parse_principle(value: Any) -> Principle | Disambiguation | str:
    """Return the principle that a user's value stands for, or "auto"."""
    if isinstance(value, Principle | Disambiguation):
        return value
    allowed: dict[str, Any] = {**PRINCIPLES, "disambiguation": Disambiguation(), AUTO: AUTO}
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(
            f"principle must be one of {', '.join(map(repr, allowed))}, a Disambiguation or a Principle. Got {value!r}"
            " instead."
        )
    return allowed[value]
