"""Conformal: sets of predictions with a guarantee, from a model and rows of sets that it has not seen."""

from __future__ import annotations

from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import betabinom
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..data.checks import check_number, is_number
from ..data.containers import materialise
from ..data.errors import BadRows, InputError
from ..outputs.base import Sets
from .base import Score, radius_of, score_of, upto
from .cross import Cross, CrossValidated, Jackknife
from .guarantee import guarantee
from .labels import LabelScore, subsets
from .models import before_last, groups_of, last_of, learned, number_of, outputs_of, ready, some, space_of
from .promises import between, by_class, capped
from .selective import RiskCoverage, rejected, risk_coverage

METHODS = ("split", "cv+", "jackknife+")
COVERS = ("truth", "set")


class Coverage(NamedTuple):
    """How predicted sets fare on rows of sets: the truth is in at least a share `holds` of them, at most `meets`."""

    meets: float
    """The share of rows whose set has a point in common with the predicted one."""
    holds: float
    """The share of rows whose set lies within the predicted one; with exact rows, the same as `meets`."""
    size: float
    """The mean size of the predicted sets."""
    n: int
    p_value: float
    """The chance of so few rows, or fewer, if the promise holds: of `meets`, after a split; otherwise NaN."""


class Conformal(MetaEstimatorMixin, BaseEstimator):
    """Sets of predictions that cover a new row with at least the probability asked for, from sets alone.

    A score s(x, y) says how strange y is at x. With (x_i, S_i) rows that the model has not seen, exchangeable with the
    new one, and r the ceil((n + 1) level)-th smallest of

    - max over y in S_i of s(x_i, y), ``covers="truth"``: C(x) = {y : s(x, y) <= r} contains the truth with probability
      at least `level`, whatever the sets are, as long as they contain it. Wide sets make it wide.
    - min over y in S_i of s(x_i, y), ``covers="set"``: C(x) meets the set of the new row with probability at least
      `level`. That can be checked without any truth, and says nothing about where in its set the truth is.

    The probability is over calibration rows and the new row together, not at each x. `guarantee_` says in a sentence
    what holds for the settings that were taken.

    Parameters
    ----------
    model : estimator
        One of the library's, a pipeline or a search that ends in one, `Disambiguated`, or, with `prefit`, any
        classifier or regressor of scikit-learn.
    level : float, default 0.9
        The probability of covering.
    covers : {"truth", "set"}, default "truth"
        What is covered.
    score : "auto", str or Score, default "auto"
        Labels: "lac", "aps", "regret", "cost", "node"; tags: "margin", "hamming"; rankings: "pairs", "kendall";
        numbers: "distance", "scaled", "quantiles"; vectors: "distance", "scaled". The first that the model can serve is
        "auto".
    method : {"split", "cv+", "jackknife+"}, default "split"
        "split" holds rows out of the fit; the others predict every row without it, or its fold, waste none, and promise
        2 level - 1 instead of level.
    prefit : bool, default False
        The model is fitted: give rows that it has not seen to `conformalize`.
    exact_only : bool, default False
        Calibrate on rows whose set is a single point, alone: right if the rows that are known exactly were *chosen at
        random*, and wrong if they are the easy ones.
    groups : None, "class", callable or column, optional
        Coverage in every group: groups(X) gives their names, or a column of X does. "class" covers every class of
        labels.
    ambiguity : float, optional
        For labels: a bound on P(z in S | x, truth) for every z that is not the truth. Sets are then between the two.
    holdout : float, default 0.3
        The share of rows that "split" holds out of the fit.
    cv : int, default 5
        The folds of "cv+".
    random_state : int or RandomState, default 0
        Of the split, the folds and the draws of "aps".

    Attributes
    ----------
    model_ : the fitted model
    score_ : Score
    n_calibration_ : int
        How many rows the radius is taken from.
    guarantee_ : str
        What holds, and under which assumption.

    Examples
    --------
    >>> from infimum import PartialClassifier
    >>> from infimum.conformal import Conformal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = [{"low"} if x < -1 else {"high"} if x > 1 else {"low", "high"} for x in X[:, 0]]
    >>> model = Conformal(PartialClassifier(principle="average"), level=.8, covers="set").fit(X, y)
    >>> model.predict_set([[-2.], [2.]]).mask.tolist(), model.predict_set([[0.]])
    ([[False, True], [True, False]], <CandidateLabels of 2 classes: 1 rows, 100 % exact, 1 candidates on average>)
    >>> print(model.guarantee_)
    With probability at least 0.8 the predicted set meets the set of a new row, if calibration rows and new rows are
    exchangeable; it says nothing about where in its set the truth is.
    """

    cross_: Cross | None
    table_: Any

    def __init__(
        self,
        model: Any,
        level: float = 0.9,
        covers: str = "truth",
        score: Any = "auto",
        method: str = "split",
        *,
        prefit: bool = False,
        exact_only: bool = False,
        groups: Any = None,
        ambiguity: Any = None,
        holdout: float = 0.3,
        cv: Any = 5,
        random_state: Any = 0,
    ) -> None:
        self.model = model
        self.level = level
        self.covers = covers
        self.score = score
        self.method = method
        self.prefit = prefit
        self.exact_only = exact_only
        self.groups = groups
        self.ambiguity = ambiguity
        self.holdout = holdout
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to some rows, or to all but each fold, and calibrate on those that it has not seen."""
        self._check()
        if self.prefit:
            raise ValueError(
                "prefit=True: the model is fitted. Call conformalize(X, y) with rows that it has not seen."
            )
        model, sets = ready(self.model, y)
        n = _same_number(X, sets)
        random = check_random_state(self.random_state)
        if self.method != "split":
            kind = CrossValidated if self.method == "cv+" else Jackknife
            cross: Cross = kind(model, self.score, self.cv, random).fit(X, sets)
            self.model_, self.score_, self.space_ = cross.model, cross.score, cross.space
            self.cross_, self.n_calibration_ = cross, n
            return self
        held = max(1, round(self.holdout * n))
        if n - held < 2:
            raise ValueError(f"{n} rows are too few to fit a model and to hold rows out. Use method='cv+'.")
        order = random.permutation(n)
        model, score = learned(model, self.score, some(X, order[held:]), sets[order[held:]], random)
        return self._calibrate(model, score, space_of(model), some(X, order[:held]), sets[order[:held]], random)

    def conformalize(self, X: Any, y: Any) -> Self:
        """Calibrate a model that is fitted, on rows that it has not seen: (n, d) inputs and n sets."""
        self._check()
        if self.method != "split":
            raise ValueError(f"method={self.method!r} fits the model by itself: call fit(X, y).")
        if not self.prefit and "model_" not in vars(self):
            raise ValueError("The model is not fitted: call fit(X, y), or give prefit=True and a fitted model.")
        model = self.model if self.prefit else self.model_
        space = space_of(model, y)
        sets = space.read(materialise(y))
        n = _same_number(X, sets)
        random = check_random_state(self.random_state)
        score = score_of(self.score, last_of(model), space) if self.prefit else self.score_
        rows = np.arange(n)
        if score.learns and self.prefit:
            if n < 4:
                raise ValueError(f"The score {score.name!r} learns from half of the calibration rows: {n} are too few.")
            order = random.permutation(n)
            taken, rows = order[: n // 2], np.sort(order[n // 2 :])
            score = clone(score).learn(last_of(model), before_last(model, some(X, taken)), sets[taken])
        return self._calibrate(model, score, space, some(X, rows), sets[rows], random)

    def _calibrate(self, model: Any, score: Score, space: Any, X: Any, sets: Any, random: Any) -> Self:
        sets = space.read(sets)
        plain = score.forecast(last_of(model), before_last(model, X))
        forecast, groups = score.drawn(plain, random), groups_of(self.groups, X)
        if self.exact_only:
            rows = np.flatnonzero(score.exact(sets))
            if not len(rows):
                raise InputError(
                    "exact_only=True, and no calibration row is known exactly. Give such rows, or leave it out."
                )
            sets, forecast, plain = sets[rows], forecast[rows], plain[rows]
            groups = None if groups is None else groups[rows]
        found = {"truth": score.largest(forecast, sets), "set": score.smallest(forecast, sets)}
        bad = BadRows("the calibration rows")
        for row in np.flatnonzero(np.isnan(found["truth"]) | np.isnan(found["set"])):
            bad.add(row, "the score is not a number, for the forecast of the model is not")
        bad.refuse("Look at what the model predicts there.")
        table = None
        if self.ambiguity is not None or self._by_class:
            if not isinstance(score, LabelScore):
                raise ValueError(f"ambiguity and groups='class' are for labels. Got the score {score.name!r}.")
            table = (score.drawn_table(forecast) if self._by_class else score.table(plain), sets.mask)
        self.model_, self.score_, self.space_, self.cross_ = model, score, space, None
        self.scores_, self.groups_, self.table_, self.n_calibration_ = found, groups, table, len(sets)
        return self

    def predict_set(self, X: Any, level: float | None = None) -> Any:
        """C(x) for every row of X, as sets: `CandidateLabels`, `PartialTags`, `PartialOrders`, `Intervals` or `Balls`.

        They print, split by row and can be given to an estimator as y, but for empty sets of labels. `level` stands for
        the one of the constructor.
        """
        check_is_fitted(self, "model_")
        level = self._level(level)
        if self.cross_ is not None:
            return self.cross_.predict_set(X, level, self.covers, self.space_)
        forecast = self.score_.forecast(last_of(self.model_), before_last(self.model_, X))
        if self.ambiguity is not None:
            table: Any = self.score_.table(forecast)
            radius, most = between(self.table_[0], self.table_[1], level, self.ambiguity)
            return subsets((table <= upto(np.array(radius))) & (capped(table, most) | np.isinf(radius)), self.space_)
        return self.score_.within(forecast, self._radius(X, len(forecast), level), self.space_)

    def _radius(self, X: Any, n: int, level: float) -> NDArray:
        """The radius of every row, (n,); (n, m) where every class has its own."""
        scores = self.scores_[self.covers]
        if self._by_class:
            table, mask = self.table_
            return np.tile(by_class(table, mask, level), (n, 1))
        if self.groups_ is None:
            return np.full(n, radius_of(scores, level))
        groups: Any = groups_of(self.groups, X)
        radius = np.full(n, np.inf)  # a group that calibration has not seen promises nothing less than everything
        for name in np.unique(groups):
            inside = self.groups_ == name
            if inside.any():
                radius[groups == name] = radius_of(scores[inside], level)
        return radius

    def predict(self, X: Any, reject: float | None = None, level: float | None = None) -> NDArray:
        """What the model predicts; with `reject`, a masked array, hidden where the predicted set is larger than that.

        Sizes are numbers of labels, of unknown tags or of unsure pairs, widths of intervals, radii of balls. An empty
        set of labels, which says that no label suits, is rejected too.
        """
        check_is_fitted(self, "model_")
        z = np.asarray(self.model_.predict(X))
        return z if reject is None else rejected(z, self.size(self.predict_set(X, level)), reject, self.score_)

    def size(self, found: Any) -> NDArray:
        """The sizes of predicted sets, (n,)."""
        return np.asarray(self.score_.size(found), dtype=float)

    def check(self, X: Any, y: Any, level: float | None = None) -> Coverage:
        """How often predicted sets meet, and hold, the sets of other rows: what can be known without any truth."""
        check_is_fitted(self, "model_")
        found = self.predict_set(X, level)
        sets = self.space_.read(materialise(y))
        if len(sets) != len(found):
            raise InputError(f"X has {len(found)} rows and y has {len(sets)}: they must have the same number.")
        meets, holds = self.score_.meets(found, sets), self.score_.holds(found, sets)
        n, p = len(sets), np.nan
        if self.cross_ is None and self.groups_ is None and self.ambiguity is None and not self._by_class:
            a = np.ceil((self.n_calibration_ + 1) * self._level(level) - 1e-9)
            b = self.n_calibration_ + 1 - a
            # given calibration, coverage is Beta(a, b) or larger
            p = float(betabinom.cdf(meets.sum(), n, a, b)) if b > 0 else 1.0
        return Coverage(float(meets.mean()), float(holds.mean()), float(self.size(found).mean()), n, p)

    def risk_coverage(self, X: Any, y: Any, level: float | None = None, doubt: Any = None) -> RiskCoverage:
        """The loss among the rows that are accepted, as `reject` grows: bounds from the sets, exact on exact rows.

        `doubt`, one number a row, orders the rows instead of the sizes of their sets.
        """
        found = self.predict_set(X, level)
        last = last_of(self.model_)
        sets = self.space_.read(materialise(y))
        z = outputs_of(last, before_last(self.model_, X), self.space_)
        return risk_coverage(self.size(found) if doubt is None else doubt, self.space_, sets, z)

    @property
    def guarantee_(self) -> str:
        """What holds for these settings, and under which assumption."""
        check_is_fitted(self, "model_")
        return guarantee(self)

    @property
    def _by_class(self) -> bool:
        return isinstance(self.groups, str) and self.groups == "class"

    def _level(self, level: float | None) -> float:
        level = self.level if level is None else level
        if not is_number(level, 0, 1, above=True, below=True):
            raise ValueError(f"level must be between 0 and 1. Got {level!r} instead.")
        return float(level)

    def _check(self) -> None:
        self._level(None)
        for name, allowed in (("covers", COVERS), ("method", METHODS)):
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be {_either(allowed)}. Got {getattr(self, name)!r} instead.")
        check_number(self, "holdout", 0, 1, above=True, below=True)
        check_number(self, "cv", 2, integer=True)
        check_number(self, "ambiguity", 0, 1, below=True, optional=True)
        if self.covers == "set" and (self.exact_only or self.ambiguity is not None or self._by_class):
            raise ValueError("exact_only, ambiguity and groups='class' are about the truth: give covers='truth'.")
        if self.ambiguity is not None and (self.exact_only or self.groups is not None):
            raise ValueError("ambiguity goes with neither exact_only nor groups.")
        if self.method != "split" and (self.exact_only or self.groups is not None or self.ambiguity is not None):
            raise ValueError(f"exact_only, groups and ambiguity are for method='split'. Got {self.method!r}.")


def _same_number(X: Any, sets: Sets) -> int:
    n = number_of(X)
    if n != len(sets):
        raise InputError(f"X has {n} rows and y has {len(sets)}: they must have the same number.")
    return n


def _either(names: tuple) -> str:
    return f"{', '.join(map(repr, names[:-1]))} or {names[-1]!r}"
