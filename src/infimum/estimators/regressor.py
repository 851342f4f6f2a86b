"""PartialRegressor: a number or a vector, when a row gives only a set that contains it."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

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

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> None:
        super()._fit(X, y, sample_weight)
        self.calibration_: dict[str, NDArray] | None = None

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """R² from sets: 1 - sum_i d(f(x_i), S_i)² over that of the best constant; on values, R²."""
        z, sets = self.predicted(X, y)
        return r2(sets, z, sample_weight)

    def calibrate(self, X: Any, y: Any) -> Self:
        """Keep the distances of predictions to the sets of rows that were not used in `fit`, for `predict_interval`."""
        check_is_fitted(self)
        if isinstance(self.output_, Vectors):
            raise ValueError("Prediction intervals are for numbers, not for vectors.")
        z = self.predict(X)
        sets: Any = self.output_.read(y)  # ended at the bounds, where the truth ends too
        if len(sets) != len(z):
            raise ValueError(f"X has {len(z)} rows and y has {len(sets)}: they must have the same number.")
        from ..conformal import Distance  # imported only when asked: what people do with a model knows the models

        score = Distance()
        self.calibration_ = {"truth": np.sort(score.largest(z, sets)), "set": np.sort(score.smallest(z, sets))}
        return self

    def predict_interval(self, X: Any, level: float = 0.9, covers: str = "truth") -> NDArray:
        """f(x) ± r, (q, 2), by split conformal prediction from the rows given to `calibrate`.

        If these rows and the new one are exchangeable, then with probability at least `level` over both, the interval

        - contains the true value (``covers="truth"``): r is a quantile of the distances to the farthest point of
          their sets. Wide sets make it wide; where more than a share 1 - level of them are half-lines it is all of R,
          for nothing in such data limits the truth; unless `bounds` do, where sets end.
        - meets the set of the new row (``covers="set"``): r is a quantile of the distances to the sets. It is narrower,
          and promises nothing about where in the set the truth is.

        The probability is over x, not at each x; r is the same everywhere. Intervals end at `bounds`. For intervals
        whose width varies with x, and for calibration without rows of its own, see
        :class:`infimum.conformal.Conformal`.
        """
        check_is_fitted(self)
        if self.calibration_ is None:
            raise ValueError("predict_interval needs distances: call calibrate(X, y) with rows that fit has not seen.")
        if covers not in self.calibration_:
            raise ValueError(f"covers must be 'truth' or 'set'. Got {covers!r} instead.")
        if not 0 < level < 1:
            raise ValueError(f"level must be between 0 and 1. Got {level!r} instead.")
        from ..conformal import Distance, radius_of

        z = self.predict(X)
        found = Distance().within(z, np.full(len(z), radius_of(self.calibration_[covers], level)), self.output_)
        return np.column_stack([found.lower, found.upper])
