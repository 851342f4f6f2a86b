"""The estimators: an output space, a principle, weights and a solver, under scikit-learn's interface."""

from .base import PartialModel
from .classifier import PartialClassifier
from .generic import PartialEstimator
from .multilabel import PartialMultilabelClassifier
from .ranker import PartialRanker
from .regressor import PartialRegressor

__all__ = [
    "PartialClassifier",
    "PartialEstimator",
    "PartialModel",
    "PartialMultilabelClassifier",
    "PartialRanker",
    "PartialRegressor",
]
