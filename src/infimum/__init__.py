"""Learn from sets of possible answers instead of exact labels.

One formula serves every output structure: f(x) = argmin_z sum_i alpha_i(x) inf_{y in S_i} l(z, y).
"""

from . import metrics, outputs, solvers, weights
from ._warnings import InfimumWarning
from .estimators import PartialClassifier, PartialEstimator, PartialMultilabelClassifier, PartialRanker
from .loss import SetLoss
from .outputs import HammingBalls, Not, PartialOrders, PartialTags, Subsets, Taxonomy

__version__ = "0.1.0"

__all__ = [
    "HammingBalls",
    "InfimumWarning",
    "Not",
    "PartialClassifier",
    "PartialEstimator",
    "PartialMultilabelClassifier",
    "PartialOrders",
    "PartialRanker",
    "PartialTags",
    "SetLoss",
    "Subsets",
    "Taxonomy",
    "metrics",
    "outputs",
    "solvers",
    "weights",
]
