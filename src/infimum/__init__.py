"""Machine learning from partial labels, with a scikit-learn API.

One formula covers every output type: f(x) = argmin_z sum_i alpha_i(x) inf_{y in S_i} l(z, y).
"""

from . import metrics, outputs, selection, solvers, weights
from .data import Blocks
from .data.errors import InfimumWarning, InputError
from .data.features import Features
from .disambiguation import Disambiguation
from .estimators import (
    Disambiguated,
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialMultiOutput,
    PartialRanker,
    PartialRegressor,
    PartialSearch,
    PartialSequenceTagger,
    clean_labels,
)
from .evidence import Votes
from .loss import SetLoss
from .outputs import (
    Annuli,
    Balls,
    Boxes,
    CandidateLabels,
    CandidatePoints,
    HammingBalls,
    Intervals,
    Masks,
    Not,
    PartialOrders,
    PartialTags,
    Scribbles,
    Taxonomy,
    merge_classes,
)

__version__ = "0.2.0.dev0"

__all__ = [
    "Annuli",
    "Balls",
    "Blocks",
    "Boxes",
    "CandidateLabels",
    "CandidatePoints",
    "Disambiguated",
    "Disambiguation",
    "Features",
    "HammingBalls",
    "InfimumWarning",
    "InputError",
    "Intervals",
    "Masks",
    "Not",
    "PartialClassifier",
    "PartialEstimator",
    "PartialMultiOutput",
    "PartialMultilabelClassifier",
    "PartialOrders",
    "PartialRanker",
    "PartialRegressor",
    "PartialSearch",
    "PartialSequenceTagger",
    "PartialTags",
    "Scribbles",
    "SetLoss",
    "Taxonomy",
    "Votes",
    "clean_labels",
    "merge_classes",
    "metrics",
    "outputs",
    "selection",
    "solvers",
    "weights",
]
