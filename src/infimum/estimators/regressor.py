"""PartialRegressor: regression from intervals, unions of intervals and sets of vectors."""

from __future__ import annotations

from typing import Any

from sklearn.base import RegressorMixin

from ..metrics import r2
from ..outputs import OutputSpace, Reals, Vectors
from ..outputs.vectors import VectorSets
from ..selection import SearchConfig
from ..selection.scores import labelled_weight, scored_by
from .base import PartialModel


class PartialRegressor(RegressorMixin, PartialModel):
    """Regression from intervals, one-sided intervals, unions of intervals and sets of vectors.

    f(x) = argmin over z of sum_i alpha_i(x) inf over y in S_i of (z - y)² (paper, Sec. 5.3), exact on R.

    Parameters
    ----------
    loss : {"squared", "absolute"}, default "squared"
        The loss between a prediction and a value. The absolute loss is less sensitive to outliers.
    principle : str, Principle or Disambiguation, default "auto"
        How a candidate set is turned into a loss: "infimum", "average", "supremum" or "disambiguation". One-sided
        intervals and unlabelled rows have no average, unless `bounds` are set. "disambiguation" estimates the
        distribution of the true value in each set (`labels_` are the means); it needs the squared loss.
    negative_weights : {"auto", "inside", "joint"}, default "auto"
        How set losses are combined if a weight is negative, as some weights of kernel ridge and linear ridge are:
        sum_i alpha_i inf_y l(z, y) ("inside"), or inf over (y_i) of sum_i alpha_i l(z, y_i) ("joint"). "auto" selects
        one of them by cross-validation. It rarely has to be set.
    weights : {"auto", "kernel", "nystrom", "linear", "neighbors", "forest", "laplacian"} or Weights, default "auto"
        The base learner, which determines how much each training row counts at x. With the name of a family, features
        are scaled and hyperparameters are selected within the family. A `Weights` object is used exactly as given.
        "auto" compares the families by cross-validation on the partial labels.
    solver : "auto" or Solver, default "auto"
        How the minimum over outputs is computed. "auto" takes the first solver that supports the loss. Set another one
        for a different compromise between speed and optimality.
    bounds : (low, high), optional
        The known range of y. Intervals and predictions are limited to it; None leaves a side unbounded. By default,
        predictions stay within the range of the finite endpoints of y. After disambiguation this range is extended if
        y contains one-sided intervals.
    budget : float, optional
        Time limit of the model selection in seconds. When it is over, the best candidate so far is fitted, with a
        warning. There is no limit by default.
    n_jobs : int, optional
        The number of threads. By default, that of BLAS for model selection, and one for predictions.
    random_state : int, default 0
        Seed of forests and of Nyström centres.
    verbose : int, default 0
        If 1, a progress bar is shown.
    search_config : SearchConfig, optional
        Constants of the model selection, such as numbers of rows and folds; see
        :class:`infimum.selection.SearchConfig`.
    noise : {"auto", "estimate"}, None or float, default None
        The share of intervals that do not contain the true value. "estimate" estimates it, and "auto" does so if this
        increases the likelihood of held-out intervals. None assumes that every interval contains the true value. It is
        the default, because errors with heavy tails look like intervals that miss the value. Only disambiguation of
        numbers uses it.

    Attributes
    ----------
    selection_ : SelectionResult or None
        The candidates of the model selection with their scores, the selected one first. None if nothing was "auto".
    labels_ : (n,), or (n, m) for vectors
        The most likely member of the set of each training row. Like the following attributes up to `noise_`, it is
        available after disambiguation, which the default mostly selects.
    confidence_ : (n,) or None
        The probabilities of `labels_`; None if they are not defined.
    deviation_ : (n,)
        The standard deviation of the true value of each training row, given its interval.
    suspects_ : (k,)
        Row numbers of likely label errors: rows whose set probably does not contain the true output.
    tied_ : (k,)
        Row numbers of rows with two almost equally likely members.
    label_errors_ : (n,)
        All row numbers, the most likely label error first.
    noise_ : Noise
        The estimated share of sets that do not contain the true output.
    n_features_in_ : int
        The number of columns of X.
    output_, weights_, solver_, recipe_
        The fitted output space, base learner and solver, and the recipe that combines them.
    sets_ : Sets
        The parsed training labels, for `explain`. Not stored for chunked data.

    Notes
    -----
    y contains values, (n, 2) bounds, (n, k, 2) unions, two columns of a DataFrame, or a list of mixed rows. Vectors are
    given as `Boxes`, `Balls`, `Annuli` or `CandidatePoints`. For prediction intervals, see
    :class:`infimum.Conformal`.

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
        *,
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
        noise: Any = None,
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
        self.noise = noise

    def _output(self, y: Any) -> OutputSpace:
        if not isinstance(y, VectorSets):
            return Reals(self.loss, self.bounds)
        if self.loss != "squared":
            raise ValueError(f"Vectors support only loss='squared'. Got loss={self.loss!r}.")
        return Vectors(self.bounds)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R² from sets: 1 - sum_i d(f(x_i), S_i)² relative to the best constant; R² if y contains values.

        Unlabelled rows do not count.
        """
        z, sets = self.predicted(X, y)
        return r2(sets, z, labelled_weight(self.output_, sets, scored_by(sample_weight, len(z))))
