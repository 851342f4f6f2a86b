"""Learn from sets of possible answers instead of exact labels.

One formula serves every output structure: f(x) = argmin_z sum_i alpha_i(x) inf_{y in S_i} l(z, y).
"""

from . import disambiguation, metrics, model_selection, outputs, solvers, weights
from ._warnings import InfimumWarning
from .blocks import Blocks
from .cleaning import Disambiguated, disambiguate
from .disambiguation import Disambiguation
from .estimators import PartialClassifier, PartialEstimator, PartialMultilabelClassifier, PartialRanker
from .loss import SetLoss
from .model_selection import PartialSearch, tune
from .outputs import (
    Annuli,
    Balls,
    Boxes,
    Candidates,
    HammingBalls,
    Intervals,
    Not,
    PartialOrders,
    PartialTags,
    Subsets,
    Taxonomy,
)
from .regressor import PartialRegressor

__version__ = "0.1.0"

__all__ = [
    "Annuli",
    "Balls",
    "Blocks",
    "Boxes",
    "Candidates",
    "Disambiguated",
    "Disambiguation",
    "HammingBalls",
    "InfimumWarning",
    "Intervals",
    "Not",
    "PartialClassifier",
    "PartialEstimator",
    "PartialMultilabelClassifier",
    "PartialOrders",
    "PartialRanker",
    "PartialRegressor",
    "PartialSearch",
    "PartialTags",
    "SetLoss",
    "Subsets",
    "Taxonomy",
    "disambiguate",
    "disambiguation",
    "metrics",
    "model_selection",
    "outputs",
    "solvers",
    "tune",
    "weights",
]
