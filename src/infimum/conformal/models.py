"""What conformal prediction asks of a model: its space, its last step, some of its rows, a fit on sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_regressor
from sklearn.utils import _safe_indexing

from ..data.containers import materialise
from ..estimators import PartialClassifier, PartialModel, PartialSearch
from ..estimators.clean import Disambiguated
from ..outputs import Labels, OutputSpace, Reals, Sets, Tags
from .base import Score, named, score_of


def last_of(model: Any) -> Any:
    """The step of a pipeline, or of the best estimator of a search, that predicts."""
    if hasattr(model, "best_estimator_"):
        return last_of(model.best_estimator_)
    return last_of(model.steps[-1][1]) if hasattr(model, "steps") else model


def before_last(model: Any, X: Any) -> Any:
    """X as the last step sees it."""
    if hasattr(model, "best_estimator_"):
        return before_last(model.best_estimator_, X)
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            X = step.transform(X)
        return before_last(model.steps[-1][1], X)
    return X


def space_of(model: Any, y: Any = None) -> OutputSpace:
    """The space of a fitted model: the library's own, or that of any classifier or regressor of scikit-learn.

    A regressor of scikit-learn does not know its range, which calibration rows `y` then give.
    """
    last = last_of(model)
    if hasattr(last, "output_"):
        return last.output_
    if hasattr(last, "classes_"):
        return Labels(classes=last.classes_).fit([])
    if is_regressor(last):
        return Reals().fit(y)
    raise ValueError(f"Sets of predictions are for models of the library, classifiers and regressors. Got {model!r}.")


def space_before(model: Any, y: Any) -> OutputSpace:
    """The space of a model that is still to be fitted to y."""
    last = last_of(model)
    if isinstance(last, PartialSearch):
        last = PartialClassifier() if last.estimator is None else last.estimator
    if isinstance(last, PartialModel):
        return last._output(y).fit(y)
    if isinstance(last, Disambiguated):
        return Labels(classes=last.classes).fit(y)
    raise ValueError(
        f"{last!r} does not learn from sets. Fit it yourself, then Conformal(model, prefit=True).conformalize(X, y);"
        " or wrap a classifier as Disambiguated(classifier)."
    )


def ready(model: Any, y: Any) -> tuple[Any, Sets]:
    """A new model, not fitted, and y as its sets, read once so that all parts of y are read alike.

    Sets of tags have no names: the model is told those that y has.
    """
    y, new = materialise(y), clone(model)
    space = space_before(new, y)
    if isinstance(space, Tags) and getattr(last_of(new), "tags", ()) is None:
        last_of(new).set_params(tags=space.tags_.tolist())
    return new, space.read(y)


def learned(model: Any, score: Any, X: Any, sets: Any, random: np.random.RandomState) -> tuple[Any, Score]:
    """A new model, fitted to sets, and its score; a third of the rows is kept for a score that learns."""
    found = named(score, space_before(model, sets))
    if found is None or not found.learns:
        new = clone(model).fit(X, sets)
        return new, score_of(score, last_of(new), space_of(new))
    n = len(sets)
    if n < 6:
        raise ValueError(f"The score {found.name!r} learns from a third of the rows of the fit: {n} are too few.")
    order = random.permutation(n)
    own, rest = np.sort(order[: n // 3]), np.sort(order[n // 3 :])
    new = clone(model).fit(some(X, rest), sets[rest])
    last, space = last_of(new), space_of(new)
    score = clone(score_of(score, last, space))
    return new, score.learn(last, before_last(new, some(X, own)), space.read(sets[own]))


def outputs_of(model: Any, X: Any, space: Any) -> NDArray:
    """What the last step of a model predicts, as the space has it, (n, *z)."""
    if isinstance(model, PartialModel):
        return model._outputs(X)
    z = np.asarray(model.predict(X))
    return np.argmax(z[:, None] == space.classes_, axis=1) if isinstance(space, Labels) else z


def groups_of(groups: Any, X: Any) -> NDArray | None:
    """The group of every row of X, (n,); None where there are none, or the class is the group."""
    if groups is None or (isinstance(groups, str) and groups == "class"):
        return None
    if callable(groups):
        found = np.asarray(groups(X))
    else:
        column = X[groups] if hasattr(X, "columns") else np.asarray(X)[:, groups]
        found = np.asarray(column)
    if found.shape != (number_of(X),):
        raise ValueError(f"groups must give one name a row, shape ({number_of(X)},). Got shape {found.shape}.")
    return found


def some(X: Any, rows: NDArray) -> Any:
    """Some rows of X: an array, a sparse matrix, a frame or a list."""
    return _safe_indexing(X.tocsr() if hasattr(X, "tocsr") else X, rows)


def number_of(X: Any) -> int:
    """How many rows X has."""
    return X.shape[0] if hasattr(X, "shape") else len(X)
