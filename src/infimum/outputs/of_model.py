"""The output space of a fitted model, of this library or of scikit-learn."""

from __future__ import annotations

from typing import Any

from sklearn.base import is_classifier, is_regressor
from sklearn.exceptions import NotFittedError

from .base import OutputSpace
from .labels import Labels
from .numbers import Reals


def last_of(model: Any) -> Any:
    """Return the step that predicts, of a pipeline or of the best estimator of a search."""
    if hasattr(model, "best_estimator_"):
        return last_of(model.best_estimator_)
    return last_of(model.steps[-1][1]) if hasattr(model, "steps") else model


def before_last(model: Any, X: Any) -> Any:
    """Return X as the last step sees it."""
    if hasattr(model, "best_estimator_"):
        return before_last(model.best_estimator_, X)
    if hasattr(model, "steps"):
        for _, step in model.steps[:-1]:
            X = step.transform(X)
        return before_last(model.steps[-1][1], X)
    return X


def space_of(model: Any, y: Any = None) -> OutputSpace:
    """Return the output space of a fitted model of this library, or of any classifier or regressor of scikit-learn.

    A regressor of scikit-learn has no range of outputs; it is then taken from calibration rows `y`.
    """
    last = last_of(model)
    if hasattr(last, "output_"):
        return last.output_
    if hasattr(last, "classes_"):
        return Labels(classes=last.classes_).fit([])
    if is_regressor(last):
        return Reals().fit(y)
    if hasattr(last, "fit") and (hasattr(last, "output_space") or is_classifier(last)):
        raise NotFittedError(
            f"{type(last).__name__} is not fitted. Call model.fit(X_train, y_train) before you calibrate or compare it."
        )
    raise ValueError(f"Expected a model of this library, a classifier or a regressor. Got {model!r}.")
