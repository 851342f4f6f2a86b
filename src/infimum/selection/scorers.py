"""Scorers: scores from candidate sets for scikit-learn's searches, and cross-validation scores of one model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..evidence.calibration import mean_log_likelihood
from ..outputs import Labels, OutputSpace, Sets
from ..outputs.of_model import before_last, last_of
from ..weights.holdout import folds_of
from .evaluate import mean_scores, out_of_fold, row_scores
from .scores import Scores, beyond_chance, covered, labelled_weight, risk, scored_by


def predicted(model: Any, X: Any, y: Any) -> tuple[OutputSpace, Sets, NDArray]:
    """Return the output space of a fitted model, y as sets in it, and the outputs that it predicts for X.

    The model is one of the library, a search or a pipeline that ends in one, or any classifier of scikit-learn.
    """
    X, model = before_last(model, X), last_of(model)
    if hasattr(model, "predicted"):
        z, sets = model.predicted(X, y)
        return model.output_, sets, z
    if not hasattr(model, "classes_"):
        raise ValueError(f"Scores of candidate sets require a model of this library or a classifier. Got {model!r}.")
    space = Labels(classes=model.classes_).fit([])
    z = np.argmax(np.asarray(model.predict(X))[:, None] == space.classes_, axis=1)
    sets = space.read(y, strict=False)
    if len(sets) != len(z):
        raise ValueError(f"X has {len(z)} rows and y has {len(sets)}: they must have the same number.")
    return space, sets, z


def _scored(model: Any, X: Any, y: Any, sample_weight: Any) -> tuple[OutputSpace, Sets, NDArray, NDArray | None]:
    """Return the same with the weights of the rows, which are 0 for unlabelled rows."""
    output, sets, z = predicted(model, X, y)
    return output, sets, z, labelled_weight(output, sets, scored_by(sample_weight, len(z)))


def covering_rate(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the share of predictions that are in their set, over the labelled rows."""
    _, sets, z, w = _scored(model, X, y, sample_weight)
    return covered(sets, z, w)


def chance_corrected(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the covering rate beyond that of randomly permuted predictions: 1 is perfect, 0 means no skill."""
    _, sets, z, w = _scored(model, X, y, sample_weight)
    return beyond_chance(sets, z, w)


def neg_set_risk(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return minus the mean infimum loss of the predictions, over the labelled rows."""
    output, sets, z, w = _scored(model, X, y, sample_weight)
    return -risk(output, sets, z, w)


def set_log_likelihood(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Return the mean of log P(S_i | x_i) over the labelled rows."""
    _, sets, _, w = _scored(model, X, y, sample_weight)
    mask = sets.options()
    if mask is None or not hasattr(model, "predict_proba"):
        raise ValueError(f"set_log_likelihood needs predict_proba, as with principle='disambiguation'. Got {model!r}.")
    return mean_log_likelihood(model.predict_proba(X)[:, None, :], mask, w)


SCORERS: dict[str, Callable[..., float]] = {
    "covering_rate": covering_rate,
    "chance_corrected": chance_corrected,
    "neg_set_risk": neg_set_risk,
    "set_log_likelihood": set_log_likelihood,
}
"""All scorers, for ``GridSearchCV(scoring=SCORERS)``."""


def get_scorer(name: str) -> Callable[..., float]:
    """Return a scorer by name, for ``GridSearchCV(scoring=…)``.

    A scorer is called with a fitted model, X, y and optional sample weights. Larger is better. Unlabelled rows do not
    count, and an error is raised if all rows are unlabelled.

    Parameters
    ----------
    name : {"covering_rate", "chance_corrected", "neg_set_risk", "set_log_likelihood"}
        - "covering_rate": the share of predictions that are in their set;
        - "chance_corrected": the covering rate relative to randomly permuted predictions, 0 means no skill;
        - "neg_set_risk": minus the mean infimum loss, for every output type;
        - "set_log_likelihood": the mean log-probability of the sets, for classifiers with `predict_proba`. It compares
          models of one kind only, because probabilities of different kinds are on different scales.

    Examples
    --------
    >>> from sklearn.model_selection import GridSearchCV, KFold
    >>> from infimum import PartialClassifier
    >>> grid = GridSearchCV(PartialClassifier(), {"principle": ["infimum", "disambiguation"]},
    ...                     scoring=get_scorer("covering_rate"), cv=KFold(2))
    >>> grid.fit(np.arange(8.)[:, None] % 4, ["a", "a|b", "b|c", "c", "a|b", "a", "b", "c|a"]).best_params_
    {'principle': 'infimum'}
    """
    if name not in SCORERS:
        raise ValueError(f"name must be one of {list(SCORERS)}. Got {name!r} instead.")
    return SCORERS[name]


def left_out_scores(
    model: Any, X: Any, y: Any, cv: int | None = None, sample_weight: Any = None, groups: Any = None
) -> Scores:
    """Return the cross-validation scores of a model on its own training sets, without true labels.

    Kernel ridge is factorised once. A pipeline is fitted to X up to its last step. The model is not changed. Unlabelled
    rows do not count.

    Parameters
    ----------
    model : PartialModel, or a Pipeline that ends in one
        The model, evaluated with its own principle, rule for negative weights, weights and solver.
    X : (n, d)
        Rows.
    y : n sets
        In any format that the model parses.
    cv : int, optional
        The number of folds; None leaves out one row at a time. Use folds for disambiguation: by the time a single row
        is left out, the others have adapted to its set.
    sample_weight : (n,), optional
        How much rows count, in the weights and in the scores.
    groups : (n,), optional
        Rows of the same group are held out together, if `cv` is a number of folds.

    Returns
    -------
    dict
        "covering_rate", "chance_corrected", "neg_set_risk" and, for disambiguation, "log_likelihood". Larger is better.

    Examples
    --------
    >>> from infimum import PartialClassifier
    >>> X = np.array([[0.], [.1], [.2], [1.], [1.1], [1.2]])
    >>> left_out_scores(PartialClassifier(), X, ["a", "a|b", "a|c", "c", "c|b", "c|a"])["covering_rate"]
    1.0
    """
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            X = clone(step).fit_transform(X)
        return left_out_scores(model.steps[-1][1], X, y, cv, sample_weight, groups)
    if not hasattr(model, "prepare"):
        raise ValueError(f"left_out_scores requires a model of this library. Got {model!r}.")
    recipe, _, rows, output, sets = model.prepare(X, y, sample_weight, groups)
    if not rows.in_memory:
        raise ValueError("Cross-validation requires all rows in memory. Pass arrays instead of chunks.")
    scored = labelled_weight(output, sets, rows.w)
    folds = None if cv is None else folds_of(rows.X, cv, sample_weight=rows.w, groups=rows.groups)
    found = out_of_fold(recipe, rows.X, output, sets, rows.w, folds)
    return mean_scores(sets, found, row_scores(output, sets, found, rows.w), scored)
