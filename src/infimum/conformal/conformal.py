"""Conformal: prediction sets with a coverage guarantee, from a model and partially labelled rows it has not seen."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import betabinom
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from ..data.checks import check_number, check_one_of, check_run, is_number
from ..data.chunks import n_rows
from ..data.containers import materialise
from ..data.errors import BadRows, InputError, check_lengths
from ..data.inputs import some_rows
from ..outputs.of_model import space_of
from ..outputs.score import upto
from ..selection.scores import weight_array
from .cross import CrossValidated
from .guarantee import (
    Coverage,
    best_classes,
    guarantee,
    radius_by_class,
    radius_of,
    radius_with_ambiguity,
    warn_if_everything,
    warn_if_mostly_everything,
)
from .models import ModelPredictor, fit_with_score, groups_of, prepared, score_for
from .selective import RiskCoverage, risk_coverage
from .units import Units

METHODS = ("split", "cv+")
COVERS = ("truth", "set")


class Conformal(MetaEstimatorMixin, BaseEstimator):
    """Prediction sets with guaranteed coverage, calibrated on partial labels.

    A score s(x, y) measures how unusual y is at x. Let (x_i, S_i) be calibration rows that the model has not seen,
    exchangeable with the new one, and r the ceil((n + 1) c)-th smallest of the following, with c = `confidence_level`:

    - max over y in S_i of s(x_i, y) for ``covers="truth"``: C(x) = {y : s(x, y) <= r} contains the true value with
      probability at least c, if the sets contain it. Wide candidate sets make C(x) wide. For `Votes`, y is drawn from
      the probabilities of the classes given x and the answers.
    - min over y in S_i of s(x_i, y) for ``covers="set"``: C(x) shares a member with the set of the new row with
      probability at least c. This can be checked without true values. It does not say which member is true.

    The probability is over calibration rows and the new row together, not at each x. `guarantee_` states in a sentence
    what holds for the settings. If rows are tokens of sequences, whole sequences are held out, and a new sequence is
    covered if all its tokens are.

    Parameters
    ----------
    estimator : estimator
        An estimator of this library, a pipeline or a search that ends in one, `DisambiguationClassifier`, or, with
        `prefit`, any classifier or regressor of scikit-learn.
    confidence_level : float, default 0.9
        The probability of covering, between 0 and 1.
    covers : {"truth", "set"}, default "truth"
        What is covered: the true value, or at least one member of the candidate set.
    score : "auto", str or Score, default "auto"
        Labels: "lac", "aps", "regret"; tags and masks: "margin", "loss"; rankings: "pairs", "kendall"; numbers and
        vectors: "distance", "scaled"; other output types: "loss". "auto" is the first one that the model supports.
    method : {"split", "cv+"}, default "split"
        "split" holds rows out of the fit. "cv+" predicts every row without its fold and uses all rows; it guarantees
        2 c - 1 instead of c. With `cv` as large as the number of rows, it is the jackknife+.
    prefit : bool, default False
        Whether the model is fitted already. If so, give rows that it has not seen to `conformalize`.
    exact_only : bool, default False
        Calibrate only on rows with exact labels. This is valid if these rows were *chosen at random*, and not if they
        are the easy ones.
    groups : None, "class", callable or column, optional
        Coverage in every group: groups(X) returns the group of each row, or a column of X contains it. "class" covers
        every class of labels.
    ambiguity : float, optional
        For labels: a bound on P(z in S | x, true class) for every other class z. Sets are then smaller than without it.
    noise : float, default 0
        A bound on the probability that a candidate set misses the true value, such as ``model.noise_.high``. The radius
        is then that of `confidence_level` + `noise`, because P(Y in C) >= P(S within C) - P(Y not in S).
    holdout : float, default 0.3
        The share of rows that "split" holds out of the fit.
    cv : int, default 5
        The number of folds of "cv+".
    random_state : int or RandomState, default 0
        Determines the split, the folds and the random numbers of "aps".

    Attributes
    ----------
    estimator_ : estimator
        The fitted estimator.
    score_ : Score
        The score in use.
    space_ : OutputSpace
        The output space of the model.
    n_calibration_ : int
        The number of rows, or sequences, that determine the radius.
    unit_ : str
        What is held out and covered as a whole: "rows", or "sequences" if the rows are tokens of sequences.
    drawn_ : bool
        Whether the labels of the calibration rows were drawn from the answers of several annotators.
    guarantee_ : str
        What is guaranteed, and under which assumption.

    Examples
    --------
    >>> from infimum import PartialClassifier
    >>> from infimum.conformal import Conformal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 1))
    >>> y = [{"low"} if x < -1 else {"high"} if x > 1 else {"low", "high"} for x in X[:, 0]]
    >>> model = Conformal(PartialClassifier(principle="average"), confidence_level=.8, covers="set").fit(X, y)
    >>> model.predict_set([[-2.], [2.]]).mask.tolist(), model.predict_set([[0.]])
    ([[False, True], [True, False]], <CandidateLabels of 2 classes: 1 rows, 100 % exact, 1 candidates on average>)
    >>> print(model.guarantee_)
    With probability at least 0.8 the prediction set shares a member with the set of a new row, if calibration rows and
    new rows are exchangeable; it does not say which member of that set is the true value.
    """

    cross_: CrossValidated | None
    table_: Any

    def __init__(
        self,
        estimator: Any,
        confidence_level: float = 0.9,
        covers: str = "truth",
        score: Any = "auto",
        method: str = "split",
        *,
        prefit: bool = False,
        exact_only: bool = False,
        groups: Any = None,
        ambiguity: Any = None,
        noise: float = 0.0,
        holdout: float = 0.3,
        cv: Any = 5,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.confidence_level = confidence_level
        self.covers = covers
        self.score = score
        self.method = method
        self.prefit = prefit
        self.exact_only = exact_only
        self.groups = groups
        self.ambiguity = ambiguity
        self.noise = noise
        self.holdout = holdout
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the model to some rows, or without each fold, and calibrate on the rows that it has not seen.

        Parameters
        ----------
        X, y : (n, d) features and n partial labels
            In any format of the estimator.
        sample_weight : (n,), optional
            Used to fit the model. Every calibration row counts once, as the guarantee requires.
        """
        self._check()
        if self.prefit:
            raise ValueError(
                "prefit=True means that the model is already fitted. Call conformalize(X, y) with data that was"
                " not used in fit."
            )
        model, sets = prepared(self.estimator, y)
        n, units = n_rows(X), self._units(self.estimator, X)
        check_lengths(n, len(sets))
        random = check_random_state(self.random_state)
        w = None if sample_weight is None else weight_array(sample_weight)
        if w is not None and w.shape != (n,):
            raise InputError(f"X has {n} rows and sample_weight has shape {w.shape}: give one number per row.")
        if self.method != "split":
            cross = CrossValidated(model, self.score, self.covers, self.cv, random).fit(X, sets, w)
            self.estimator_, self.score_, self.space_ = cross.model, cross.score, cross.space
            self.cross_, self.drawn_, self.n_calibration_, self.unit_ = cross, cross.drawn, len(units), units.name
            warn_if_everything(np.concatenate(cross.scores), self._level(None), cross.space, units.name)
            return self
        held = max(1, round(self.holdout * len(units)))
        if len(units) - held < 2:
            few = f"{len(units)} {units.name} are too few to fit a model and to hold {units.name} out"
            raise ValueError(f"{few}. Use method='cv+'.")
        order = random.permutation(len(units))
        test, train = units.rows(order[:held]), units.rows(order[held:])
        w = None if w is None else w[train]
        predictor, score = fit_with_score(model, self.score, some_rows(X, train), sets[train], random, w)
        return self._calibrate(predictor, score, some_rows(X, test), sets[test], random)

    def conformalize(self, X: Any, y: Any) -> Self:
        """Calibrate a fitted model on rows that it has not seen: features X, (n, d), and n partial labels y."""
        self._check()
        if self.method != "split":
            raise ValueError(f"method={self.method!r} fits the model itself. Call fit(X, y).")
        if not self.prefit and "estimator_" not in vars(self):
            raise ValueError("The model is not fitted. Call fit(X, y), or pass a fitted model and prefit=True.")
        model = self.estimator if self.prefit else self.estimator_
        predictor = ModelPredictor(model, space_of(model, y))
        sets = predictor.space.read(materialise(y))
        check_lengths(n_rows(X), len(sets))
        rows, units = np.arange(len(sets)), self._units(model, X)
        random = check_random_state(self.random_state)
        score = score_for(self.score, predictor) if self.prefit else self.score_
        if score.learns and self.prefit:
            n = len(units)
            if n < 4:
                raise ValueError(
                    f"The score {score.name!r} is fitted to half of the calibration rows and needs at least 4. Got {n}."
                )
            order = random.permutation(n)
            taken, rows = (units.rows(part) for part in (order[: n // 2], np.sort(order[n // 2 :])))
            score = clone(score).learn(predictor, some_rows(X, taken), sets[taken])
        return self._calibrate(predictor, score, some_rows(X, rows), sets[rows], random)

    def _calibrate(self, predictor: ModelPredictor, score: Any, X: Any, sets: Any, random: Any) -> Self:
        sets, self.drawn_ = predictor.calibration_sets(X, sets, self.covers, random)
        if self.drawn_ and (self.noise or self.exact_only or self.ambiguity is not None):
            raise ValueError(
                "noise, exact_only and ambiguity describe candidate sets, but y contains Votes, from whose answers the"
                " calibration labels are drawn. Leave them out, or pass candidate sets or known labels to calibrate."
            )
        plain = score.forecast(predictor, X)
        forecast, groups = score.randomise(plain, random), groups_of(self.groups, X)
        units = Units(predictor.model, X)
        if self.exact_only:
            rows = units.rows(np.flatnonzero(units.all(sets.is_exact)))
            if not len(rows):
                raise InputError(
                    "exact_only=True requires calibration rows with an exact label. Pass some, or exact_only=False."
                )
            sets, forecast, plain, units = sets[rows], forecast[rows], plain[rows], units.take(rows)
            groups = None if groups is None else groups[rows]
        over = score.largest if self.covers == "truth" else score.smallest
        scores = over(forecast, sets, predictor.space)
        bad = BadRows("the calibration rows")
        for row in np.flatnonzero(np.isnan(scores)):
            bad.add(row, "the score is NaN, because the prediction of the model is NaN")
        bad.raise_if_any("Check the predictions of the model for these rows.")
        table = None
        if self.ambiguity is not None or self.by_class:
            if not score.per_class:
                raise ValueError(f"ambiguity and groups='class' are for labels. Got the score {score.name!r}.")
            table = (score.calibration_table(forecast) if self.by_class else score.table(plain), sets.mask)
        self.estimator_, self.score_, self.space_, self.cross_ = predictor.model, score, predictor.space, None
        self.scores_, self.groups_, self.table_ = units.largest(scores), groups, table
        self.n_calibration_, self.unit_ = len(units), units.name
        if table is None and groups is None:
            warn_if_everything(self.scores_, self._level(None), predictor.space, units.name)
            if self.covers == "truth" and units.single:
                warn_if_mostly_everything(score, plain, radius_of(self.scores_, self._level(None)), self.space_)
        return self

    def predict_set(self, X: Any, confidence_level: float | None = None) -> Any:
        """Return the prediction set of each row of X.

        Parameters
        ----------
        X : (q, d) array, sparse matrix or DataFrame
            The features.
        confidence_level : float, optional
            Replaces that of the constructor, without another fit.

        Returns
        -------
        Sets
            q sets of the output type, such as `CandidateLabels` with `mask`, (q, m), or `Intervals` with `lower` and
            `upper`, (q,). They can be the y of an estimator unless one is empty.
        """
        check_is_fitted(self, "estimator_")
        level = self._level(confidence_level)
        if self.cross_ is not None:
            return self.cross_.predict_set(X, level)
        score: Any = self.score_
        forecast = score.forecast(self._predictor(), X)
        if self.ambiguity is not None:
            table, (held_out, mask) = score.table(forecast), self.table_
            radius, most = radius_with_ambiguity(held_out, mask, level, self.ambiguity)
            inside = (table <= upto(np.array(radius))) & (best_classes(table, most) | np.isinf(radius))
            return score.of_mask(inside, self.space_)
        return score.within(forecast, self._radius(X, len(forecast), level), self.space_)

    def _predictor(self) -> ModelPredictor:
        return ModelPredictor(self.estimator_, self.space_)

    def _radius(self, X: Any, n: int, level: float) -> NDArray:
        """Return the radius of each row, (n,), or (n, m) if each class has its own."""
        if self.by_class:
            table, mask = self.table_
            return np.tile(radius_by_class(table, mask, level), (n, 1))
        if self.groups_ is None:
            return np.full(n, radius_of(self.scores_, level))
        groups: Any = groups_of(self.groups, X)
        radius = np.full(n, np.inf)  # a group without calibration rows gets all outputs
        for name in np.unique(groups):
            inside = self.groups_ == name
            if inside.any():
                radius[groups == name] = radius_of(self.scores_[inside], level)
        return radius

    def predict(self, X: Any, reject: float | None = None, confidence_level: float | None = None) -> NDArray:
        """Return the predictions of the model; with `reject`, a masked array that hides those with a larger set.

        Parameters
        ----------
        X : (q, d) features
            In any format of the estimator.
        reject : float, optional
            The largest size of an accepted set: a number of labels, unknown tags or undecided pairs, the width of an
            interval or the radius of a ball. Rows with an empty set of labels are rejected, too.
        confidence_level : float, optional
            Replaces that of the constructor.
        """
        check_is_fitted(self, "estimator_")
        z = np.asarray(self.estimator_.predict(X))
        if reject is None:
            return z
        if not is_number(reject, infinite=True):
            raise ValueError(f"reject must be a number, the largest size of an accepted set, or None. Got {reject!r}.")
        found = self.predict_set(X, confidence_level)
        hide = (found.size > reject) | ((found.size == 0) & ~found.is_exact)
        return np.ma.masked_array(z, mask=np.broadcast_to(hide.reshape(len(z), *[1] * (z.ndim - 1)), z.shape))

    def check(self, X: Any, y: Any, confidence_level: float | None = None) -> Coverage:
        """Return how often prediction sets meet, and contain, the sets of other rows. No true values are needed."""
        check_is_fitted(self, "estimator_")
        found = self.predict_set(X, confidence_level)
        sets = self.space_.read(materialise(y))
        check_lengths(n_rows(X), len(sets))
        units = Units(self.estimator_, X)
        n, meets, holds = len(units), units.all(found.meets(sets)), units.all(found.contains_set(sets))
        p = np.nan
        if self.cross_ is None and self.groups_ is None and self.ambiguity is None and not self.by_class:
            a = np.ceil((self.n_calibration_ + 1) * self._level(confidence_level) - 1e-9)
            b = self.n_calibration_ + 1 - a
            p = float(betabinom.cdf(meets.sum(), n, a, b)) if b > 0 else 1.0  # coverage is Beta(a, b) or larger
        return Coverage(float(meets.mean()), float(holds.mean()), float(found.size.mean()), n, p)

    def risk_coverage(self, X: Any, y: Any, confidence_level: float | None = None, doubt: Any = None) -> RiskCoverage:
        """Return bounds on the loss among accepted rows as `reject` grows; the loss itself on exact rows.

        `doubt`, one number per row, orders the rows instead of the sizes of their prediction sets.
        """
        found = self.predict_set(X, confidence_level)
        sets = self.space_.read(materialise(y))
        return risk_coverage(found.size if doubt is None else doubt, self.space_, sets, self._predictor().outputs(X))

    def _units(self, model: Any, X: Any) -> Units:
        units = Units(model, X)
        if not units.single and (self.groups is not None or self.ambiguity is not None):
            raise ValueError("groups and ambiguity require rows that are exchangeable. Got rows that form sequences.")
        return units

    @property
    def guarantee_(self) -> str:
        """What is guaranteed for these settings, and under which assumption."""
        check_is_fitted(self, "estimator_")
        return guarantee(self)

    @property
    def by_class(self) -> bool:
        """Whether every class has its own radius."""
        return isinstance(self.groups, str) and self.groups == "class"

    def _level(self, level: float | None) -> float:
        level = self.confidence_level if level is None else level
        if not is_number(level, 0, 1, above=True, below=True):
            raise ValueError(f"confidence_level must be between 0 and 1. Got {level!r} instead.")
        if level + self.noise >= 1:
            raise ValueError(
                f"confidence_level + noise must be below 1. Got {level!r} + {self.noise!r}. Use a smaller one, or"
                " calibrate on rows with fewer wrong sets."
            )
        return float(level + self.noise)

    def _check(self) -> None:
        check_number(self, "noise", 0, 1, below=True)
        self._level(None)
        check_run(self)
        check_one_of(self, "covers", COVERS)
        check_one_of(self, "method", METHODS)
        check_number(self, "holdout", 0, 1, above=True, below=True)
        check_number(self, "cv", 2, integer=True)
        check_number(self, "ambiguity", 0, 1, below=True, optional=True)
        if self.covers == "set" and (self.exact_only or self.ambiguity is not None or self.by_class):
            raise ValueError("exact_only, ambiguity and groups='class' require covers='truth'.")
        if self.noise and (self.covers == "set" or self.method != "split"):
            raise ValueError("noise requires covers='truth' and method='split'.")
        if self.noise and (self.exact_only or self.groups is not None or self.ambiguity is not None):
            raise ValueError("noise cannot be combined with exact_only, groups or ambiguity.")
        if self.ambiguity is not None and (self.exact_only or self.groups is not None):
            raise ValueError("ambiguity cannot be combined with exact_only or groups.")
        if self.method != "split" and (self.exact_only or self.groups is not None or self.ambiguity is not None):
            raise ValueError(f"exact_only, groups and ambiguity require method='split'. Got {self.method!r}.")
