"""PartialRegressor: a number or a vector, when a row gives only a set that contains it."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin

from ..metrics import r2
from ..outputs import OutputSpace, Reals, Vectors
from ..outputs.vectors import VectorSets
from ..selection import SearchConfig
from .base import PartialModel


class PartialRegressor(RegressorMixin, PartialModel):
    """Regression from intervals, half-lines, unions and lost phases.

    f(x) = argmin over z of sum_i alpha_i(x) inf over y in S_i of (z - y)² (paper, Sec. 5.3), exact on R.

    Parameters
    ----------
    loss : {"squared", "absolute"}, default "squared"
        l(z, y); the absolute loss is less moved by outliers.
    principle : {"auto", "infimum", "average", "supremum", "disambiguation"} or Disambiguation, default "auto"
        Which point answers for a set. Half-lines and unknown rows have no average, unless `bounds` end them.
        "disambiguation" weighs the numbers of a set by what the other rows predict, again and again (`labels_` are
        their means then); for the squared loss.
    negative_weights : {"auto", "inside", "joint"}, default "auto"
        How rows with a negative weight are read; see the user guide.
    weights : Weights or str, default "auto"
        alpha(x). What is left "auto" is chosen from the sets, by rows that are held out: `selection_` says how.
    solver : "auto" or Solver, default "auto"
        How the minimum over z is found: in closed form, by `Piecewise`, or by `Alternate` for vectors.
    bounds : (low, high), optional
        Where predictions, and the truth, lie; by default predictions stay within the finite endpoints of y, and after
        disambiguation within those of half-lines, which then end where the law of all rows has them end.
    budget, n_jobs, random_state, verbose, search_config
        As for :class:`PartialClassifier`.

    Attributes
    ----------
    output_, weights_, solver_
        The fitted parts.

    Notes
    -----
    y holds values, (n, 2) bounds, (n, k, 2) unions, two columns of a frame, or a list of mixed rows. For vectors, give
    `Boxes`, `Balls`, `Annuli` or `CandidatePoints`.

    Examples
    --------
    >>> from math import inf
    >>> from infimum import PartialRegressor
    >>> X = [[0.], [1.], [2.], [3.], [4.], [5.]]
    >>> y = [3.5, (1, 2), (5, inf), "<0.1", [(-2, -1), (1, 2)], None]
    >>> PartialRegressor.paper().fit(X, y).predict([[0.], [4.]]).round(2)
    array([3.12, 0.93])
    """

    def __init__(
        self,
        loss: str = "squared",
        principle: Any = "auto",
        negative_weights: str = "auto",
        weights: Any = "auto",
        solver: Any = "auto",
        bounds: Any = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        search_config: SearchConfig | None = None,
    ) -> None:
        self.loss = loss
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.bounds = bounds
        self.budget = budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.search_config = search_config

    def _output(self, y: Any) -> OutputSpace:
        if not isinstance(y, VectorSets):
            return Reals(self.loss, self.bounds)
        if self.loss != "squared":
            raise ValueError(f"Vectors have the squared loss only. Got loss={self.loss!r}.")
        return Vectors(self.bounds)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² from sets: 1 - sum_i d(f(x_i), S_i)² over that of the best constant; on values, R²."""
        z, sets = self.predicted(X, y)
        return r2(sets, z, sample_weight)
