"""PartialMultilabelClassifier: multi-label classification from partly known tags."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..evidence import Noise
from ..outputs import Tags
from ..selection import SearchConfig
from ..solvers import ClosedForm
from .probability import ProbabilityMixin, has_calibrator


def _has_scores(model: PartialMultilabelClassifier) -> bool:
    if isinstance(vars(model).get("solver_", ClosedForm()), ClosedForm):
        return True
    raise AttributeError(
        "decision_function requires partly known tags, which have one score per tag. Leave out n_tags= and tag_cost=."
    )


def _has_probabilities(model: PartialMultilabelClassifier) -> bool:
    if model.n_tags is not None or not has_calibrator(model):
        raise AttributeError(
            "predict_proba requires n_tags=None, and probabilities='temperature' or principle='disambiguation'. Or call"
            " calibrate(X_cal, y_cal) with data that was not used in fit."
        )
    return _has_scores(model)


class PartialMultilabelClassifier(ProbabilityMixin):
    """Multilabel classification from partly known tags, or from Hamming balls.

    Parameters
    ----------
    n_tags : int, optional
        The number of tags of each prediction; any number by default. Set it if y contains present tags only.
    tag_cost : float, default 0
        The cost of each predicted tag, between 0 and 1. Set it, or `n_tags`, if y contains present tags only.
    principle : str, Principle or Disambiguation, default "auto"
        How a set of possible outputs is turned into a loss. "infimum", "average" and "supremum" use the loss to the
        best, mean and worst member. "disambiguation" estimates the label of each row first (`labels_`). "auto" selects
        one of them by cross-validation.
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
    tags : int or list, optional
        The number of tags, or their names; by default those that occur in y.
    probabilities : {None, "temperature"}, default None
        Calibration of `predict_proba`. "temperature" fits a temperature to held-out training rows. None does the same
        if the principle is "auto" or "disambiguation"; for other principles, `predict_proba` is then not available.
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
    noise : {"auto", "estimate"}, None or float, default "auto"
        The share of known tags that are wrong. "estimate" estimates it for each tag, and "auto" does so if this
        increases the likelihood of held-out tags. None assumes that every known tag is right. Only disambiguation uses
        it.

    Attributes
    ----------
    tags_ : (m,)
        The tags, in the order of the columns of `predict`.
    selection_ : SelectionResult or None
        The candidates of the model selection with their scores, the selected one first. None if nothing was "auto".
    labels_ : (n, m)
        The most likely member of the set of each training row. Like the following attributes up to `noise_`, it is
        available after disambiguation, which the default mostly selects.
    confidence_ : (n,) or None
        The probabilities of `labels_`; None if they are not defined.
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

    Examples
    --------
    >>> from infimum import PartialMultilabelClassifier
    >>> model = PartialMultilabelClassifier().fit([[0.], [1.]], ["+red -round", "+round"])
    >>> model.tags_.tolist(), model.predict([[0.]]).tolist()
    (['red', 'round'], [[1, -1]])
    """

    def __init__(
        self,
        n_tags: int | None = None,
        tag_cost: float = 0.0,
        *,
        principle: Any = "auto",
        negative_weights: str = "auto",
        weights: Any = "auto",
        solver: Any = "auto",
        tags: Any = None,
        probabilities: Any = None,
        budget: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        search_config: SearchConfig | None = None,
        noise: Any = "auto",
    ) -> None:
        self.n_tags = n_tags
        self.tag_cost = tag_cost
        self.principle = principle
        self.negative_weights = negative_weights
        self.weights = weights
        self.solver = solver
        self.tags = tags
        self.probabilities = probabilities
        self.budget = budget
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.search_config = search_config
        self.noise = noise

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

    @available_if(_has_scores)
    def decision_function(self, X: Any) -> NDArray:
        """Return the score of each tag, (q, m): the weights of rows with the tag minus those of rows without."""
        check_is_fitted(self)
        return self.map_weights(X, lambda alpha: 2 * self.solver_.sums(alpha)[:, :-1])

    @available_if(_has_probabilities)
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
