"""How good predictions are, judged by sets alone; and the scorers that say so in scikit-learn's searches."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..estimators import PartialModel
from ..loss import SetLoss
from ..outputs import Labels, OutputSpace, Sets


def covered(sets: Sets, z: NDArray) -> float:
    """(1/n) sum_i 1[z_i in S_i]."""
    return float(np.mean(sets.contains(z)))


def beyond_chance(sets: Sets, z: NDArray) -> float:
    """(c - e) / (1 - e): the covering rate c beyond the same outputs at random, e = (1/n²) sum_ij 1[z_i in S_j].

    An output that is in nearly every set covers much and says little: it earns nothing here.
    """
    distinct, which = np.unique(z.reshape(len(z), -1), axis=0, return_inverse=True)
    each = [np.mean(sets.contains(np.broadcast_to(y.reshape(z.shape[1:]), z.shape))) for y in distinct]
    chance = float(np.mean(np.array(each)[which.ravel()]))
    return (covered(sets, z) - chance) / (1 - chance) if chance < 1 else 0.0


def risk(output: OutputSpace, sets: Sets, z: NDArray) -> float:
    """(1/n) sum_i inf over y in S_i of l(z_i, y); for the 0-1 loss, 1 - covering rate."""
    return float(np.mean(SetLoss(output, sets).each(z)))


def log_likelihood(P: NDArray, mask: NDArray) -> float:
    """(1/n) sum_i log P_i(S_i), no P_i(S_i) below 1e-6; the mean over choices where there are several."""
    return float(np.mean(np.log(np.maximum((P * mask).sum(axis=-1), 1e-6))))


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
    if isinstance(model, PartialModel):
        z = model._each_block(X, lambda alpha: model.solver_.argmin(alpha))
        return model.output_, _sets(model.output_, y, z), z
    if not hasattr(model, "classes_"):
        raise ValueError(f"Scores from sets are for the library's models and for classifiers. Got {model!r}.")
    space = Labels(classes=model.classes_).fit([])
    z = np.argmax(np.asarray(model.predict(X))[:, None] == space.classes_, axis=1)
    return space, _sets(space, y, z), z


def _sets(space: OutputSpace, y: Any, z: NDArray) -> Sets:
    sets = space.read(y, strict=False)
    if len(sets) != len(z):
        raise ValueError(f"X has {len(z)} rows and y has {len(sets)}: they must have the same number.")
    return sets


def covering_rate(model: Any, X: Any, y: Any) -> float:
    """The share of predictions that are in their set."""
    _, sets, z = predicted(model, X, y)
    return covered(sets, z)


def chance_corrected(model: Any, X: Any, y: Any) -> float:
    """The covering rate beyond that of the same predictions given to rows at random; 1 at best, 0 for no skill."""
    _, sets, z = predicted(model, X, y)
    return beyond_chance(sets, z)


def neg_set_risk(model: Any, X: Any, y: Any) -> float:
    """Minus the mean of inf over y in S_i of l(z_i, y): the score for every output structure."""
    return -risk(*predicted(model, X, y))


def set_log_likelihood(model: Any, X: Any, y: Any) -> float:
    """The mean of log P(S_i | x_i), for models of labels with `predict_proba`.

    It compares settings of one kind of model. Probabilities of different kinds are on different scales: compare those
    by the covering rate.
    """
    _, sets, _ = predicted(model, X, y)
    mask = sets.candidates()
    if mask is None or not hasattr(model, "predict_proba"):
        raise ValueError(f"set_log_likelihood needs predict_proba, as with principle='disambiguation'. Got {model!r}.")
    return log_likelihood(model.predict_proba(X)[:, None, :], mask)


SCORERS: dict[str, Callable[[Any, Any, Any], float]] = {
    "covering_rate": covering_rate,
    "chance_corrected": chance_corrected,
    "neg_set_risk": neg_set_risk,
    "set_log_likelihood": set_log_likelihood,
}


def get_scorer(name: str) -> Callable[[Any, Any, Any], float]:
    """A scorer by name, for ``GridSearchCV(scoring=…)``; `SCORERS` itself serves where several are wanted.

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
