"""Learn from sets of possible answers instead of exact labels.

One formula serves every output structure: f(x) = argmin_z sum_i alpha_i(x) inf_{y in S_i} l(z, y).
"""

from . import disambiguation, outputs, solvers, weights
from ._warnings import InfimumWarning
from .blocks import Blocks
from .disambiguation import Disambiguation
from .estimators import PartialClassifier, PartialEstimator, PartialMultilabelClassifier
from .loss import SetLoss
from .outputs import HammingBalls, Not, PartialTags, Subsets, Taxonomy

__version__ = "0.1.0"

__all__ = [
    "Blocks",
    "Disambiguation",
    "HammingBalls",
    "InfimumWarning",
    "Not",
    "PartialClassifier",
    "PartialEstimator",
    "PartialMultilabelClassifier",
    "PartialTags",
    "SetLoss",
    "Subsets",
    "Taxonomy",
    "disambiguation",
    "outputs",
    "solvers",
    "weights",
]
