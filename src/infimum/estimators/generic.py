"""PartialEstimator: any output space."""

from __future__ import annotations

from typing import Any

from ..outputs import OutputSpace
from ..selection import SearchConfig
from .base import PartialModel


class PartialEstimator(PartialModel):
    """The generic estimator: any output space, one of the library's or your own.

    Parameters
    ----------
    output : OutputSpace
        Y with its loss.
    principle : {"auto", "infimum", "average", "supremum", "disambiguation"} or Disambiguation, default "auto"
        Which point of a set answers for it; "disambiguation" first settles on one for every set (`labels_`).
    negative_weights : {"auto", "inside", "joint"}, default "auto"
        How negative weights are read: sum_i alpha_i inf_y l(z, y), or inf over (y_i) of sum_i alpha_i l(z, y_i).
    weights : Weights or str, default "auto"
        alpha(x). What is left "auto" is chosen from the sets, by rows that are held out: `selection_` says how.
    solver : "auto" or Solver, default "auto"
        How the minimum over z is found.
    budget, n_jobs, random_state, verbose, search_config
        As for :class:`PartialClassifier`.

    Attributes
    ----------
    selection_ : SelectionResult or None
        What was compared and what was chosen; None where all is named.
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
