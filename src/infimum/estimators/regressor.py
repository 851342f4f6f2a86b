"""PartialRegressor: regression from intervals, unions of intervals and sets of vectors."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sklearn.base import RegressorMixin

from ..metrics import r2
from ..outputs import OutputSpace, Reals, Vectors
from ..outputs.vectors import VectorSets
from ..selection.scores import labelled_weight, scored_by
from .base import PartialModel
from .docs import MODEL


@MODEL
@dataclass(kw_only=True, eq=False, repr=False)
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
    negative_weights, weights, solver : shared
    bounds : (low, high), optional
        The known range of y. Intervals and predictions are limited to it; None leaves a side unbounded. By default,
        predictions stay within the range of the finite endpoints of y. After disambiguation this range is extended if
        y contains one-sided intervals.
    max_search_time, n_jobs, random_state, verbose, search_config : shared
    noise : {"auto", "estimate"}, None or float, default None
        The share of intervals that do not contain the true value. "estimate" estimates it, and "auto" does so if this
        increases the likelihood of held-out intervals. None assumes that every interval contains the true value. It is
        the default, because errors with heavy tails look like intervals that miss the value. Only disambiguation of
        numbers uses it.

    Attributes
    ----------
    selection_ : shared
    labels_ : (n,), or (n, m) for vectors
        The most likely member of the set of each training row. Like the following attributes up to `noise_`, it is
        available after disambiguation, which the default mostly selects.
    confidence_ : shared
    deviation_ : (n,)
        The standard deviation of the true value of each training row, given its interval.
    suspects_, tied_, label_errors_, noise_, n_features_in_, output_, sets_ : shared

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

    loss: str = field(default="squared", kw_only=False)
    bounds: Any = None
    noise: Any = None

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
