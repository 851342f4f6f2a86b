"""What a method is, our own default, and the models that people would take instead."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

from infimum import InfimumWarning

OURS = "ours"
FOREST, LINEAR, BOOSTED = "forest, every candidate", "linear, every candidate", "XGBoost"
ONE_FOREST, ONE_LINEAR, NEAREST = "forest, one answer", "linear, one answer", "neighbours"
TRUE_FOREST, TRUE_OURS = "forest, true answers", "ours, true answers"
BASELINES = (FOREST, LINEAR, BOOSTED, ONE_FOREST, ONE_LINEAR, NEAREST)
CEILINGS = (TRUE_FOREST, TRUE_OURS)
K = 10
"""Neighbours that answer together."""
TREES = 100
"""Of a forest, and rounds of boosting."""


class Fitted(NamedTuple):
    predict: Callable[[NDArray], NDArray]
    said: str = ""
    """What was chosen."""


Method = Callable[[NDArray, NDArray], Fitted]
"""Learns from X (n, d) and what is given of n answers."""


class Room(NamedTuple):
    """All that is compared for one kind of answers."""

    methods: dict[str, Method]
    ceilings: dict[str, Method]
    """Methods that learn from true answers."""
    as_given: Callable[[NDArray, NDArray], NDArray]
    """Convert true labels to the form of the given ones; of the latter, only the shape is used."""
    score: Callable[[NDArray, NDArray], float]
    """The score of true labels and predictions."""
    larger: bool
    """Whether a larger score is better."""
    measure: str
    principles: Mapping[str, Method] = MappingProxyType({})
    """Our model with each principle; the best of them can be found with true labels only."""


def default(estimator: type, **settings: Any) -> Any:
    """The estimator as a first call has it: nothing is chosen by hand."""
    return estimator(**settings)


def fitted(model: Any, X: NDArray, y: Any) -> Fitted:
    """A model of ours; it warns of nothing that a benchmark could act on."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InfimumWarning)
        model.fit(X, y)
    choice = getattr(model, "selection_", None)
    return Fitted(model.predict, "" if choice is None else described(choice))


def described(choice: Any) -> str:
    """The line of a choice that was taken, with its score and those of the best of other principles."""
    lines = repr(choice).splitlines()[1:]
    return "\n".join(lines[:8])


def forest() -> RandomForestClassifier:
    return RandomForestClassifier(TREES, random_state=0)


def regression_forest() -> RandomForestRegressor:
    return RandomForestRegressor(TREES, random_state=0)


def logistic() -> Pipeline:
    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))


def ridge() -> Pipeline:
    return make_pipeline(StandardScaler(), Ridge())


def boosted() -> Any:
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=TREES, n_jobs=1, random_state=0, verbosity=0)


def boosted_regression() -> Any:
    from xgboost import XGBRegressor

    return XGBRegressor(n_estimators=TREES, n_jobs=1, random_state=0, verbosity=0)


def weighted_fit(model: Any, X: NDArray, y: NDArray, w: NDArray) -> Any:
    """A classifier, or a pipeline that ends in one, fitted with one weight a row."""
    name = f"{model.steps[-1][0]}__sample_weight" if isinstance(model, Pipeline) else "sample_weight"
    return model.fit(X, y, **{name: w})


def near(X: NDArray, queries: NDArray, k: int = K) -> NDArray:
    """(q, k): the rows nearest to each query, on features of variance 1."""
    from sklearn.neighbors import NearestNeighbors

    scaler = StandardScaler().fit(X)
    found = NearestNeighbors(n_neighbors=min(k, len(X))).fit(scaler.transform(X))
    return np.asarray(found.kneighbors(scaler.transform(queries))[1])
