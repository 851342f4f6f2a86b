"""Explain why a metric or a method of scikit-learn does not apply to partial labels, before a cross-validation runs.

scikit-learn fits every fold first and then reports a failed score as a traceback per fold and nan. A set that is text,
such as "cat|dog", would count as a wrong prediction without any message. A model does not know its
scorer, so the scorer is looked up in the calls that led to its fit.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from ..data.errors import InputError, shown
from ..outputs import OutputSpace

VALIDATION = "sklearn.model_selection._validation"
"""The module of the functions of scikit-learn that fit a model to each fold."""
DEPTH = 30
"""Calls that are searched: pipelines and other estimators that contain a model add a few."""


def check_scorer(output: OutputSpace) -> None:
    """Raise an error if a metric of exact outputs will score this fold, and the rows of its test set are partial."""
    fold = _caller("_fit_and_score")
    if fold is None or fold.get("y_test") is None:
        return
    scorer = fold.get("scorer")
    metrics = filter(None, map(_exact_metric, getattr(scorer, "_scorers", {"": scorer}).values()))
    name = next(metrics, None)
    if name is None:
        return
    if not output.read(fold["y_test"], strict=False).is_exact.all():
        raise InputError(  # the same text for every fold: scikit-learn then reports it once
            f"The metric {name} compares predictions with exact outputs, and some rows of y have several possible"
            " outputs. Leave out scoring=… to use model.score, which accepts sets. Or import get_scorer from"
            ' infimum.selection, and pass scoring=get_scorer("neg_set_risk").'
        )


def check_not_encoded(new_output: Callable[[Any], OutputSpace]) -> None:
    """Raise an error if cross_val_predict has turned partial labels, such as "cat|dog", into classes of their own.

    Parameters
    ----------
    new_output : callable
        Returns an unfitted output space for y.
    """
    call = _caller("cross_val_predict")
    encoder = None if call is None else call.get("le")  # scikit-learn encodes y for methods with a column per class
    if call is None or encoder is None or encoder.classes_.dtype.kind in "biuf":
        return
    cells = encoder.classes_.tolist()
    partial = np.flatnonzero(~new_output(cells).fit(cells).read(cells).is_exact)
    if len(partial):
        raise InputError(
            f"cross_val_predict(method={call['method']!r}) numbers the distinct entries of y, so a set such as"
            f" {shown(cells[partial[0]])} would be a class of its own. Fit each fold yourself: for train, test in"
            " KFold(5).split(X): p[test] = clone(model).fit(X[train], y[train]).predict_proba(X[test]). Pass"
            " classes=[…] to the model, so that every fold has the same columns."
        )


def _caller(function: str) -> dict[str, Any] | None:
    """Return the variables of a function of scikit-learn that called the fit; None if there is none."""
    frame = sys._getframe(1)
    for _ in range(DEPTH):
        if frame.f_back is None:
            return None
        frame = frame.f_back
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == (VALIDATION, function):
            return frame.f_locals
    return None


def _exact_metric(scorer: Any) -> str | None:
    """Return the name of the metric of scikit-learn that a scorer computes; None for others, such as model.score."""
    metric: Any = getattr(scorer, "_score_func", None)
    return metric.__name__ if getattr(metric, "__module__", "").startswith("sklearn.") else None
