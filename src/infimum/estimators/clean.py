"""Clean labels for any other model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.utils import ClassifierTags, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from ..disambiguation import Disambiguation, DisambiguationResult
from ..outputs import Labels, OutputSpace
from ..selection import covered
from ..selection.scorers import predicted
from ..selection.scores import scored_by
from .classifier import warn_of_unseen
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
    """Which member of its set every row probably has.

    Parameters
    ----------
    X : (n, d)
    y : n sets, in any form that the output space reads
    weights : Weights or str, optional
        alpha(x). By default, kernel ridge at the setting that :class:`~infimum.selection.PartialSearch` finds
        from the sets alone, scaling included.
    output : OutputSpace, optional
        ``outputs.Labels()`` by default.
    how : Disambiguation, optional
        The settings.
    sample_weight : (n,), optional
        How much rows count: 2 is a row given twice, 0 a row left out.

    Returns
    -------
    DisambiguationResult
        `labels`, `confidence`, `tied`, `suspects`, `support`.

    Examples
    --------
    >>> X = np.array([[0.], [.1], [.2], [.8], [.9], [1.]])
    >>> clean = clean_labels(X, ["cat", "cat|dog", "cat", "dog|owl", "dog", "dog|cat"])
    >>> clean.labels.tolist()
    ['cat', 'cat', 'cat', 'dog', 'dog', 'dog']
    """
    how = Disambiguation() if how is None else how
    model = PartialEstimator(
        Labels() if output is None else output, how, weights="auto" if weights is None else weights
    )
    if weights is not None:
        found: Any = model.fit(X, y, sample_weight)
    else:
        found = PartialSearch(model, principles=["disambiguation"]).fit(X, y, sample_weight)
    return found.disambiguation_


def _estimator_has(name: str) -> Callable[[Any], bool]:
    return lambda self: self.estimator is None or hasattr(self.estimator, name)


class Disambiguated(MetaEstimatorMixin, BaseEstimator):
    """Any classifier, fitted to the labels that disambiguation finds, each counted by its confidence.

    As for :class:`~infimum.PartialClassifier`, y holds sets: ``cv=5`` is ``KFold(5)``.

    Parameters
    ----------
    estimator : classifier, optional
        Logistic regression by default. Where its `fit` takes sample weights, these are the confidences.
    weights, how
        As in :func:`clean_labels`.
    drop_suspects : bool, default False
        Leave out the rows whose set probably misses the truth.
    classes : list, optional
        All the classes in order, where y does not name all of them.

    Attributes
    ----------
    estimator_ : the fitted classifier
    disambiguation_ : DisambiguationResult
    classes_ : (k,)
        The classes of the labels that were found.

    Examples
    --------
    >>> X = np.array([[0.], [.1], [.2], [.8], [.9], [1.]])
    >>> model = Disambiguated().fit(X, ["cat", "cat|dog", "cat", "dog|owl", "dog", "dog|cat"])
    >>> model.predict([[0.], [1.]])
    array(['cat', 'dog'], dtype='<U3')
    """

    def __init__(
        self,
        estimator: Any = None,
        weights: Any = None,
        how: Disambiguation | None = None,
        drop_suspects: bool = False,
        classes: Any = None,
    ) -> None:
        self.estimator = estimator
        self.weights = weights
        self.how = how
        self.drop_suspects = drop_suspects
        self.classes = classes

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find a label for every row, then fit the classifier; `sample_weight` counts rows in both."""
        classifier = _logistic() if self.estimator is None else clone(self.estimator)
        counts = has_fit_parameter(classifier, "sample_weight")
        if sample_weight is not None and not counts:
            raise ValueError(f"{classifier!r} takes no sample weights. Leave them out, or use another classifier.")
        found = clean_labels(X, y, self.weights, Labels(classes=self.classes), self.how, sample_weight)
        given = np.ones(len(found)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
        keep = given > 0
        if self.drop_suspects:
            keep[found.suspects] = False
        rows = np.flatnonzero(keep)
        w = given if found.confidence is None else given * found.confidence
        X = X.tocsr() if hasattr(X, "tocsr") else X
        X = X.iloc[rows] if hasattr(X, "iloc") else X[rows] if hasattr(X, "shape") else np.asarray(X)[rows]
        self.estimator_ = classifier.fit(X, found.labels[rows], **({"sample_weight": w[rows]} if counts else {}))
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
        """The number of features of X, as the classifier knows it."""
        return self.estimator_.n_features_in_

    @property
    def classes_(self) -> NDArray:
        check_is_fitted(self)
        return self.estimator_.classes_

    def predict(self, X: Any) -> NDArray:
        """What the classifier predicts."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(_estimator_has("predict_proba"))
    def predict_proba(self, X: Any) -> NDArray:
        """The probabilities of the classifier, where it has them."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy where y gives labels, covering rate where it gives sets."""
        _, sets, z = predicted(self, X, y)
        warn_of_unseen(sets)
        return covered(sets, z, scored_by(sample_weight, len(z)))


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)
