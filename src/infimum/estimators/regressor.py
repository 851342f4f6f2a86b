"""PartialRegressor: regression from intervals, unions of intervals and sets of vectors."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin

from ..metrics import r2
from ..outputs import OutputSpace, Reals, Vectors
from ..outputs.vectors import VectorSets
from ..selection import SearchConfig
from .base import PartialModel


class PartialRegressor(RegressorMixin, PartialModel):
    """Regression from intervals, one-sided intervals, unions of intervals and sets of vectors.

    f(x) = argmin over z of sum_i alpha_i(x) inf over y in S_i of (z - y)² (paper, Sec. 5.3), exact on R.

    Parameters
    ----------
    loss : {"squared", "absolute"}, default "squared"
        l(z, y); the absolute loss is less sensitive to outliers.
    principle : str, Principle or Disambiguation, default "auto"
        How a candidate set is turned into a loss: "infimum", "average", "supremum" or "disambiguation". One-sided
        intervals and unlabelled rows have no average, unless `bounds` are set. "disambiguation" estimates the
        distribution of the true value in each set (`labels_` are the means); it needs the squared loss.
    negative_weights : {"auto", "inside", "joint"}, default "auto"
        The loss for rows of negative weight; see the user guide.
    weights : {"auto", "kernel", "nystrom", "linear", "neighbors", "forest", "laplacian"} or Weights, default "auto"
        The base learner, which yields alpha(x). The name of a family stands for scaled features and hyperparameters
        that are selected within the family; a `Weights` object is used exactly as given. Everything that is "auto" is
        selected by cross-validation on the candidate sets; see `selection_`.
    solver : "auto" or Solver, default "auto"
        How the minimum over z is found: in closed form, by `Piecewise`, or by `Alternate` for vectors.
    bounds : (low, high), optional
        Bounds of predictions and true values. By default predictions stay within the finite endpoints of y; after
        disambiguation, one-sided intervals are truncated where the distribution of all rows has no mass.
    budget, n_jobs, random_state, verbose, search_config
        As for :class:`PartialClassifier`.

    Attributes
    ----------
    output_, weights_, solver_
        The fitted parts.

    Notes
    -----
    y contains values, (n, 2) bounds, (n, k, 2) unions, two columns of a DataFrame, or a list of mixed rows. Vectors are
    given as `Boxes`, `Balls`, `Annuli` or `CandidatePoints`. For prediction intervals, see
    :class:`infimum.conformal.Conformal`.

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
        """Return R² from sets: 1 - sum_i d(f(x_i), S_i)² relative to the best constant; R² if y contains values."""
        z, sets = self.predicted(X, y)
        return r2(sets, z, sample_weight)
