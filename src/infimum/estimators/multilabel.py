"""PartialMultilabelClassifier: multi-label classification from partly known tags."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from ..evidence import Noise
from ..outputs import Tags
from ..solvers import ClosedForm
from .conditional import available_unless
from .docs import MODEL
from .probability import ProbabilityMixin, check_calibrator


def _check_scores(model: PartialMultilabelClassifier) -> None:
    if not isinstance(vars(model).get("solver_", ClosedForm()), ClosedForm):
        raise AttributeError(
            "decision_function requires partly known tags, which have one score per tag. Leave out n_tags= and"
            " tag_cost=."
        )


def _check_probabilities(model: PartialMultilabelClassifier) -> None:
    if model.n_tags is not None:
        raise AttributeError("predict_proba requires that the number of tags is not fixed. Leave out n_tags=.")
    check_calibrator(model)
    _check_scores(model)


@MODEL
@dataclass(kw_only=True, eq=False, repr=False)
class PartialMultilabelClassifier(ProbabilityMixin):
    """Multilabel classification from partly known tags, or from Hamming balls.

    Parameters
    ----------
    n_tags : int, optional
        The number of tags of each prediction; any number by default. Set it if y contains present tags only.
    tag_cost : float, default 0
        The cost of each predicted tag, between 0 and 1. Set it, or `n_tags`, if y contains present tags only.
    tags : int or list, optional
        The number of tags, or their names; by default those that occur in y.
    probabilities : shared
    noise : {"auto", "estimate"}, None or float, default "auto"
        The share of known tags that are wrong. "estimate" estimates it for each tag, and "auto" does so if this
        increases the likelihood of held-out tags. None assumes that every known tag is right. Only disambiguation uses
        it.
    principle, negative_weights, weights, solver, max_search_time, n_jobs, random_state, verbose, search_config : shared

    Attributes
    ----------
    tags_ : (m,)
        The tags, in the order of the columns of `predict`.
    selection_, labels_, confidence_, suspects_, tied_, label_errors_, noise_, n_features_in_, output_, sets_ : shared

    Examples
    --------
    >>> from infimum import PartialMultilabelClassifier
    >>> model = PartialMultilabelClassifier().fit([[0.], [1.]], ["+red -round", "+round"])
    >>> model.tags_.tolist(), model.predict([[0.]]).tolist()
    (['red', 'round'], [[1, -1]])
    """

    n_tags: int | None = field(default=None, kw_only=False)
    tag_cost: float = field(default=0.0, kw_only=False)
    tags: Any = None
    probabilities: Any = None
    noise: Any = "auto"

    def _output(self, y: Any) -> Tags:
        return Tags(self.tags, self.n_tags, self.tag_cost)

    @property
    def tags_(self) -> NDArray:
        check_is_fitted(self)
        return self.output_.tags_

    @property
    def noise_(self) -> Noise:
        """The estimated share of known tags that are wrong, also for each tag; 0 if no such share was selected."""
        found = super().noise_
        return replace(found, by_group={str(self.tags_[int(k)]): share for k, share in found.by_group.items()})

    @available_unless(_check_scores)
    def decision_function(self, X: Any) -> NDArray:
        """Return the score of each tag, (q, m): the weights of rows with the tag minus those of rows without."""
        check_is_fitted(self)
        return self.map_weights(X, lambda alpha: 2 * self.solver_.sums(alpha)[:, :-1])

    @available_unless(_check_probabilities)
    def predict_proba(self, X: Any) -> NDArray:
        """Return the probability of each tag, (q, m), calibrated by the likelihood of the known tags of held-out rows.

        The probabilities are calibrated if, given x, it does not depend on a tag whether it is known.
        """
        return self._probabilities(X)[:, :, 1]

    def _has_option_scores(self) -> bool:
        return self.n_tags is None and isinstance(self.solver_, ClosedForm)

    def _option_scores(self, solver: Any, alpha: Any) -> NDArray:
        """Return the scores of absence and presence of each tag, (q, m, 2)."""
        g = 2 * solver.sums(alpha)[:, :-1]  # sum of alpha_i (y_ij - tag_cost)
        return np.stack([1 - g, 1 + g], axis=-1) / 2

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        return tags
