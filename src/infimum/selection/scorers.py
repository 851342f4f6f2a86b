"""Scores from sets, as scorers for scikit-learn's searches and as a judgement of a model's own rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..calibration import likelihood
from ..outputs import Labels, OutputSpace, Sets
from .evaluate import mean_scores, out_of_fold, row_scores
from .scores import Scores, beyond_chance, covered, risk, scored_by


def predicted(model: Any, X: Any, y: Any) -> tuple[OutputSpace, Sets, NDArray]:
    """The space of a fitted model, y as sets in it, and the outputs that it predicts for X.

    The model is one of the library, a search or a pipeline that ends in one, or any classifier of scikit-learn.
    """
    if hasattr(model, "best_estimator_"):
        return predicted(model.best_estimator_, X, y)
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            X = step.transform(X)
        return predicted(model.steps[-1][1], X, y)
    if hasattr(model, "predicted"):
        z, sets = model.predicted(X, y)
        return model.output_, sets, z
    if not hasattr(model, "classes_"):
        raise ValueError(f"Scores from sets are for the library's models and for classifiers. Got {model!r}.")
    space = Labels(classes=model.classes_).fit([])
    z = np.argmax(np.asarray(model.predict(X))[:, None] == space.classes_, axis=1)
    sets = space.read(y, strict=False)
    if len(sets) != len(z):
        raise ValueError(f"X has {len(z)} rows and y has {len(sets)}: they must have the same number.")
    return space, sets, z


def covering_rate(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """The share of predictions that are in their set.

    Parameters
    ----------
    model : estimator
        A fitted model of this library.
    X : (n, d)
        Rows that were not used to fit it.
    y : n sets
        In any form that the model reads.
    sample_weight : (n,), optional
        How much rows count.
    """
    _, sets, z = predicted(model, X, y)
    return covered(sets, z, scored_by(sample_weight, len(z)))


def chance_corrected(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """The covering rate beyond that of the same predictions given to rows at random; 1 at best, 0 for no skill.

    Parameters
    ----------
    model : estimator
        A fitted model of this library.
    X : (n, d)
        Rows that were not used to fit it.
    y : n sets
        In any form that the model reads.
    sample_weight : (n,), optional
        How much rows count.
    """
    _, sets, z = predicted(model, X, y)
    return beyond_chance(sets, z, scored_by(sample_weight, len(z)))


def neg_set_risk(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """Minus the mean of inf over y in S_i of l(z_i, y): the score for every output structure.

    Parameters
    ----------
    model : estimator
        A fitted model of this library.
    X : (n, d)
        Rows that were not used to fit it.
    y : n sets
        In any form that the model reads.
    sample_weight : (n,), optional
        How much rows count.
    """
    output, sets, z = predicted(model, X, y)
    return -risk(output, sets, z, scored_by(sample_weight, len(z)))


def set_log_likelihood(model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
    """The mean of log P(S_i | x_i), for models of labels with `predict_proba`.

    It compares settings of one kind of model. Probabilities of different kinds are on different scales: compare those
    by the covering rate.

    Parameters
    ----------
    model : estimator
        A fitted model of this library.
    X : (n, d)
        Rows that were not used to fit it.
    y : n sets
        In any form that the model reads.
    sample_weight : (n,), optional
        How much rows count.
    """
    _, sets, _ = predicted(model, X, y)
    mask = sets.options()
    if mask is None or not hasattr(model, "predict_proba"):
        raise ValueError(f"set_log_likelihood needs predict_proba, as with principle='disambiguation'. Got {model!r}.")
    return likelihood(model.predict_proba(X)[:, None, :], mask, scored_by(sample_weight, len(sets)))


SCORERS: dict[str, Callable[..., float]] = {
    "covering_rate": covering_rate,
    "chance_corrected": chance_corrected,
    "neg_set_risk": neg_set_risk,
    "set_log_likelihood": set_log_likelihood,
}


def get_scorer(name: str) -> Callable[..., float]:
    """A scorer by name, for ``GridSearchCV(scoring=…)``; `SCORERS` itself serves where several are wanted.

    Parameters
    ----------
    name : str
        One of the keys of `SCORERS`.

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


def left_out_scores(model: Any, X: Any, y: Any, cv: int | None = None, sample_weight: Any = None) -> Scores:
    """Scores of a model from its own training sets: what it predicts at every row without that row, or its block.

    No true label is used, and kernel ridge is factored once. A pipeline is fitted to X up to its last step.

    Parameters
    ----------
    model : PartialModel, or a Pipeline that ends in one
        Judged as it is: with its own principle, reading of negative weights, weights and solver. It is not changed.
    X : (n, d)
        Rows.
    y : n sets
        In any form that the model reads.
    cv : int, optional
        None leaves out single rows; a number holds out that many blocks of rows. Take blocks for disambiguation: the
        other rows have adapted to S_i by the time row i is left out.
    sample_weight : (n,), optional
        How much rows count, in the weights and in the scores.

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
        return left_out_scores(model.steps[-1][1], X, y, cv, sample_weight)
    if not hasattr(model, "prepare"):
        raise ValueError(f"left_out_scores is for the library's models. Got {model!r}.")
    recipe, _, rows, output, sets = model.prepare(X, y, sample_weight)
    if not rows.in_memory:
        raise ValueError("Leaving rows out compares them with each other: give arrays instead of rows in blocks.")
    found = out_of_fold(recipe, rows.X, output, sets, rows.w, cv)
    return mean_scores(sets, found, row_scores(output, sets, found, rows.w))
