"""PartialClassifier: classification from candidate labels."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from ..data import is_chunked
from ..data.errors import InfimumWarning
from ..outputs import Labels, Sets
from ..outputs.labels.costs import without_frames
from .conditional import available_unless
from .docs import MODEL
from .probability import ProbabilityMixin, check_calibrator


def _check_risks(model: PartialClassifier) -> None:
    if not isinstance(model.solver, str) and not model.solver.scores_all_outputs:
        raise AttributeError(
            f"decision_function requires a solver that scores every class. Got {model.solver!r}. Use solver='auto'."
        )


def _check_probabilities(model: PartialClassifier) -> None:
    if model.cost is not None:
        raise AttributeError(
            "predict_proba requires the 0-1 loss, because risks of other costs are not probabilities. Leave out cost=."
        )
    check_calibrator(model)
    _check_risks(model)


@MODEL
@dataclass(kw_only=True, eq=False, repr=False)
class PartialClassifier(ProbabilityMixin):
    """Classification from candidate labels.

    With the 0-1 loss, f(x) = argmax_z sum_{i : z in S_i} alpha_i(x) (paper, Sec. 5.1).

    y contains candidate sets, complementary labels and empty cells, and scikit-learn's classifiers have plain labels.
    Therefore `sklearn.base.is_classifier` is False, and ``cv=5`` is ``KFold(5)``.

    Parameters
    ----------
    cost : None, "ordinal", (m, m) array, DataFrame or Taxonomy, optional
        The cost of predicting class z (rows) if class y is true (columns). None is the 0-1 loss. Set it if some
        mistakes are worse than others: "ordinal" for ordered classes, a `Taxonomy` for hierarchical ones.
    classes : list, optional
        All classes in order. Set it if some classes do not occur in y, to allow no other labels, or to give an order.
    probabilities : shared
    noise : {"auto", "estimate"}, None or float, default "auto"
        The share of sets that do not contain the true label. "estimate" estimates it, and "auto" does so if this
        increases the likelihood of held-out sets. None assumes that every set contains the true label. Only
        disambiguation uses it.
    principle, negative_weights, weights, solver, max_search_time, n_jobs, random_state, verbose, search_config : shared

    Attributes
    ----------
    classes_ : (m,)
        The classes, in the order of the columns of `predict_proba`.
    selection_, labels_, confidence_, suspects_, tied_, label_errors_, noise_ : shared
    sources_ : Sources
        The reliability of each annotator, after a fit to :class:`infimum.Votes`.
    n_features_in_, output_, sets_ : shared

    Examples
    --------
    >>> from infimum import Not, PartialClassifier
    >>> X = [[0.], [.1], [.9], [1.], [.5]]
    >>> y = [{"cat", "dog"}, "dog", Not("dog"), "cat", None]
    >>> PartialClassifier().fit(X, y).predict([[0.], [1.]])
    array(['dog', 'cat'], dtype='<U3')

    The paper's estimator, the infimum with kernel ridge weights, is `PartialClassifier.paper()`.
    """

    cost: Any = field(default=None, kw_only=False)
    classes: Any = None
    probabilities: Any = None
    noise: Any = "auto"

    def _output(self, y: Any) -> Labels:
        return Labels(self.cost, self.classes)

    def __getstate__(self) -> dict:
        return without_frames(super().__getstate__())

    @property
    def classes_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.classes_

    def predicted(self, X: Any, y: Any) -> tuple[NDArray, Sets]:
        z, sets = super().predicted(X, y)
        warn_of_unseen(sets)
        return z, sets

    @available_unless(_check_risks)
    def decision_function(self, X: Any) -> NDArray:
        """Return minus the estimated set risk of each class, (q, m); for two classes, the difference, (q,)."""
        if is_chunked(X):
            return self._by_chunks(self.decision_function, X)
        scores = -self.map_weights(X, lambda alpha: self.solver_.risks(alpha))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    @available_unless(_check_probabilities)
    def predict_proba(self, X: Any) -> NDArray:
        """Return P(y | x) of each class, (q, m), calibrated by the likelihood of candidate sets; for the 0-1 loss.

        The scores sum_i alpha_i(x) phi_i(y), which sum to one, are calibrated by temperature scaling: two parameters
        that maximise the mean of log P(S_i | x_i) over held-out rows. If a set, given x, is equally likely whichever of
        its members is the true label, then among rows with P(y | x) = p a fraction p has the label y. If a distractor
        comes with a class more often than not, both get a part of the probability.
        """
        return self._probabilities(X)[:, 0]

    def _has_option_scores(self) -> bool:
        return self.cost is None and self.solver_.scores_all_outputs

    def _option_scores(self, solver: Any, alpha: Any) -> NDArray:
        risks = solver.risks(alpha)
        # weights that do not sum to one are completed by equal shares for all classes
        return (risks.mean(axis=1, keepdims=True) - risks + 1 / risks.shape[1])[:, None]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags()  # y is not plain labels, so it is no classifier
        return tags


def warn_of_unseen(sets: Any) -> None:
    """Warn about rows whose labels did not occur at fit: every prediction for them counts as wrong."""
    unseen = np.flatnonzero(sets.sizes == 0)
    if len(unseen):
        warnings.warn(
            f"{len(unseen)} of {len(sets)} rows of y contain only labels that fit did not see (the first is row"
            f" {unseen[0]}): they count as wrong. For cross-validation, shuffle the rows with KFold(5, shuffle=True),"
            " or use StratifiedKFold(5) on plain labels.",
            InfimumWarning,
            stacklevel=4,
        )
