"""Label cleaning: estimate the label of each row, for any other model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import ClassifierTags, get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..data.inputs import some_rows
from ..disambiguation import Disambiguation, DisambiguationResult
from ..outputs import Labels, OutputSpace
from ..selection.scorers import predicted
from ..selection.scores import covered, labelled_weight, scored_by
from .classifier import warn_of_unseen
from .conditional import available_unless
from .generic import PartialEstimator
from .partial_search import PartialSearch


def clean_labels(
    X: Any,
    y: Any,
    weights: Any = None,
    output: OutputSpace | None = None,
    how: Disambiguation | None = None,
    sample_weight: Any = None,
) -> DisambiguationResult:
    """Estimate the most likely label of each row.

    Parameters
    ----------
    X : array, sparse matrix or DataFrame, (n, d)
        The features of the rows.
    y : n sets
        Candidate sets, in any format that the output space parses.
    weights : Weights or str, optional
        The base learner, or the name of a family whose hyperparameters are selected, as for
        :class:`~infimum.PartialClassifier`. By default, kernel ridge with the scaling and hyperparameters that
        :class:`~infimum.PartialSearch` finds.
    output : OutputSpace, optional
        The output space of y, ``outputs.Labels()`` by default. Pass ``outputs.Reals()`` for numbers, and so on.
    how : Disambiguation, optional
        Settings of the disambiguation algorithm, ``Disambiguation()`` by default. Change `threshold` to find more or
        fewer suspects.
    sample_weight : (n,), optional
        How much rows count: a row of weight 2 counts as two rows, one of weight 0 is left out.

    Returns
    -------
    DisambiguationResult
        With `labels` (n,), the most likely members; `confidence` (n,), their probabilities; `support` (n,), the
        held-out probability of each set; `suspects` and `tied`, the row numbers of likely label errors and of
        ambiguous rows.

    Examples
    --------
    >>> X = np.array([[0.], [.1], [.2], [.8], [.9], [1.]])
    >>> clean = clean_labels(X, ["cat", "cat|dog", "cat", "dog|owl", "dog", "dog|cat"])
    >>> clean.labels.tolist()
    ['cat', 'cat', 'cat', 'dog', 'dog', 'dog']
    """
    how = Disambiguation() if how is None else how
    output = Labels() if output is None else output
    model = PartialEstimator(output, principle=how, weights="auto" if weights is None else weights)
    if weights is not None:
        found: Any = model.fit(X, y, sample_weight)
    else:
        found = PartialSearch(model, principles=["disambiguation"]).fit(X, y, sample_weight)
    return found.disambiguation_


def _check_estimator_has_probabilities(model: DisambiguationClassifier) -> None:
    if model.estimator is not None:
        model.estimator.predict_proba  # noqa: B018 -- raises the error of the estimator


@dataclass(eq=False, repr=False)
class DisambiguationClassifier(MetaEstimatorMixin, BaseEstimator):
    """Any classifier, fitted to the labels that disambiguation finds, each weighted by its confidence.

    y contains sets, which cannot be stratified, so ``cv=5`` means ``KFold(5)``.

    Parameters
    ----------
    estimator : classifier, optional
        Logistic regression by default. If its `fit` takes sample weights, these are the confidences.
    weights : Weights or str, optional
        The base learner of the disambiguation, as in :func:`clean_labels`.
    how : Disambiguation, optional
        Settings of the disambiguation algorithm, ``Disambiguation()`` by default. Change `threshold` to find more or
        fewer suspects.
    drop_suspects : bool, default False
        Whether rows whose set probably does not contain the true label are left out.
    classes : list, optional
        All classes in order, if some of them do not occur in y.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    disambiguation_ : DisambiguationResult
        The estimated labels.
    classes_ : (k,)
        The classes of the labels that were found.

    Examples
    --------
    >>> X = np.array([[0.], [.1], [.2], [.8], [.9], [1.]])
    >>> model = DisambiguationClassifier().fit(X, ["cat", "cat|dog", "cat", "dog|owl", "dog", "dog|cat"])
    >>> model.predict([[0.], [1.]])
    array(['cat', 'dog'], dtype='<U3')
    """

    estimator: Any = None
    weights: Any = None
    how: Disambiguation | None = None
    drop_suspects: bool = False
    classes: Any = None

    def output_space(self, y: Any) -> Labels:
        """Return the output space that a fit to `y` would use, fitted to y."""
        return Labels(classes=self.classes).fit(y)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Estimate the label of each row, then fit the classifier; sample weights count in both."""
        classifier = _logistic() if self.estimator is None else clone(self.estimator)
        counts = has_fit_parameter(classifier, "sample_weight")
        if sample_weight is not None and not counts:
            raise ValueError(f"{classifier!r} does not support sample_weight. Leave it out, or use another classifier.")
        found = clean_labels(X, y, self.weights, Labels(classes=self.classes), self.how, sample_weight)
        given = np.ones(len(found)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        keep = given > 0
        if self.drop_suspects:
            keep[found.suspects] = False
        rows = np.flatnonzero(keep)
        w = given if found.confidence is None else given * found.confidence
        weight = {"sample_weight": w[rows]} if counts else {}
        self.estimator_ = classifier.fit(some_rows(X, rows), found.labels[rows], **weight)
        self.disambiguation_ = found
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.classifier_tags = ClassifierTags()
        tags.input_tags.sparse = get_tags(_logistic() if self.estimator is None else self.estimator).input_tags.sparse
        return tags

    @property
    def n_features_in_(self) -> int:
        """The number of features of X."""
        return self.estimator_.n_features_in_

    @property
    def classes_(self) -> NDArray:
        check_is_fitted(self)
        return self.estimator_.classes_

    def predict(self, X: Any) -> NDArray:
        """Predict with the classifier."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_unless(_check_estimator_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray:
        """Return the probabilities of the classifier."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the accuracy if y contains labels, the covering rate if it contains sets.

        Unlabelled rows do not count.
        """
        output, sets, z = predicted(self, X, y)
        warn_of_unseen(sets)
        return covered(sets, z, labelled_weight(output, sets, scored_by(sample_weight, len(z))))


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)
