"""PartialEstimator: a model for any output space."""

from __future__ import annotations

from typing import Any

from ..outputs import OutputSpace
from ..selection import SearchConfig
from .base import PartialModel


class PartialEstimator(PartialModel):
    """A model for any output space, one of the library's or your own.

    Parameters
    ----------
    output : OutputSpace
        The output space with its loss.
    principle : str, Principle or Disambiguation, default "auto"
        How a candidate set is turned into a loss: "infimum", "average", "supremum" or "disambiguation", which estimates
        the label of each row first (`labels_`).
    negative_weights : {"auto", "inside", "joint"}, default "auto"
        The loss for negative weights: sum_i alpha_i inf_y l(z, y), or inf over (y_i) of sum_i alpha_i l(z, y_i).
    weights : {"auto", "kernel", "nystrom", "linear", "neighbors", "forest", "laplacian"} or Weights, default "auto"
        The base learner, which yields alpha(x). The name of a family stands for scaled features and hyperparameters
        that are selected within the family; a `Weights` object is used exactly as given. Everything that is "auto" is
        selected by cross-validation on the candidate sets; see `selection_`.
    solver : "auto" or Solver, default "auto"
        How the minimum over z is found.
    budget, n_jobs, random_state, verbose, search_config
        As for :class:`PartialClassifier`.

    Attributes
    ----------
    selection_ : SelectionResult or None
        What was compared and selected; None if all parts were given.
    recipe_ : Recipe
        The parts that were fitted.
    output_, weights_, solver_
        The fitted parts.

    Examples
    --------
    >>> from infimum import PartialEstimator, outputs
    >>> model = PartialEstimator(outputs.Labels(cost="ordinal")).fit([[0.], [1.], [2.]], [{1, 2}, 2, {2, 3}])
    >>> model.predict([[0.], [2.]])
    array([2, 2])
    """

    def __init__(
        self,
        output: OutputSpace,
        principle: Any = "auto",
        negative_weights: str = "auto",
        weights: Any = "auto",
        solver: Any = "auto",
        budget: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        search_config: SearchConfig | None = None,
    ) -> None:
        self.output = output
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.budget = budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.search_config = search_config

    def _output(self, y: Any) -> OutputSpace:
        if not isinstance(self.output, OutputSpace):
            raise ValueError(f"output must be an OutputSpace. Got {self.output!r} instead.")
        return self.output
