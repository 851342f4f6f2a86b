"""The estimators: thin classes with scikit-learn's interface over a recipe and an output space."""

from .base import PartialModel
from .classifier import PartialClassifier
from .clean import DisambiguationClassifier, clean_labels
from .for_output import estimator_for
from .generic import PartialEstimator
from .multilabel import PartialMultilabelClassifier
from .multioutput import PartialMultiOutput
from .partial_search import PartialSearch
from .ranker import PartialRanker
from .regressor import PartialRegressor
from .sequences import PartialSequenceTagger

__all__ = [
    "DisambiguationClassifier",
    "PartialClassifier",
    "PartialEstimator",
    "PartialModel",
    "PartialMultiOutput",
    "PartialMultilabelClassifier",
    "PartialRanker",
    "PartialRegressor",
    "PartialSearch",
    "PartialSequenceTagger",
    "clean_labels",
    "estimator_for",
]
