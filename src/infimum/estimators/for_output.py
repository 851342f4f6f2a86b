"""The estimator for an output space."""

from __future__ import annotations

from typing import Any

from ..outputs import OUTPUT_TYPES, OutputSpace
from .base import PartialModel
from .classifier import PartialClassifier
from .generic import PartialEstimator
from .multilabel import PartialMultilabelClassifier
from .multioutput import PartialMultiOutput
from .ranker import PartialRanker
from .regressor import PartialRegressor

ESTIMATORS: dict[str, type[PartialModel]] = {
    "labels": PartialClassifier,
    "tags": PartialMultilabelClassifier,
    "ranking": PartialRanker,
    "number": PartialRegressor,
    "product": PartialMultiOutput,
}
"""Estimators by output type; all others are fitted by `PartialEstimator`."""


def estimator_for(output: OutputSpace, **settings: Any) -> PartialModel:
    """Return an unfitted estimator for an output space, one of the library's or your own.

    Parameters
    ----------
    output : OutputSpace
        An unfitted space; its parameters become those of the estimator.
    **settings
        Other parameters of the estimator, such as ``weights="forest"``.

    Examples
    --------
    >>> from infimum.outputs import Labels, Vectors
    >>> estimator_for(Labels(classes=["cat", "dog"]), weights="forest")
    PartialClassifier(classes=['cat', 'dog'], weights='forest')
    >>> estimator_for(Vectors())
    PartialEstimator(output=Vectors())
    """
    made = ESTIMATORS.get(output.kind)
    if made is None or type(output) is not OUTPUT_TYPES[output.kind]:  # a subclass keeps its own methods
        return PartialEstimator(output, **settings)
    return made(**output.get_params(deep=False), **settings)
