"""Explain why a metric of scikit-learn does not apply to partial labels, before a cross-validation runs.

scikit-learn fits every fold first and then reports a failed score as a traceback per fold and nan. A set that is text,
such as "cat|dog", would count as a wrong prediction without any message. A model does not know its
scorer, so the scorer is looked up in the calls that led to its fit.
"""

from __future__ import annotations

import sys
from typing import Any

from ..data.errors import InputError
from ..outputs import OutputSpace

CALLER = ("sklearn.model_selection._validation", "_fit_and_score")
"""Module and name of the function by which scikit-learn fits and scores one fold."""
DEPTH = 20
"""Calls that are searched: pipelines and other estimators that contain a model add a few."""


def refuse_exact_metrics(output: OutputSpace) -> None:
    """Raise an error if a metric of exact outputs will score this fold, and the rows of its test set are partial."""
    fold = _fold()
    if fold is None:
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


def _fold() -> dict[str, Any] | None:
    """Return the variables of the cross-validation that called the fit; None if there is none."""
    frame = sys._getframe(1)
    for _ in range(DEPTH):
        if frame.f_back is None:
            return None
        frame = frame.f_back
        if (frame.f_globals.get("__name__"), frame.f_code.co_name) == CALLER:
            return frame.f_locals if frame.f_locals.get("y_test") is not None else None
    return None


def _exact_metric(scorer: Any) -> str | None:
    """Return the name of the metric of scikit-learn that a scorer computes; None for others, such as model.score."""
    metric: Any = getattr(scorer, "_score_func", None)
    return metric.__name__ if getattr(metric, "__module__", "").startswith("sklearn.") else None
