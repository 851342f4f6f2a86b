"""Learn from sets of possible answers instead of exact labels.

One formula serves every output structure: f(x) = argmin_z sum_i alpha_i(x) inf_{y in S_i} l(z, y).
"""

from . import metrics, model_selection, outputs, solvers, weights
from ._warnings import InfimumWarning
from .estimators import (
    PartialClassifier,
    PartialEstimator,
    PartialMultilabelClassifier,
    PartialRanker,
    PartialRegressor,
)
from .loss import SetLoss
from .model_selection import PartialSearch, tune
from .model_selection.cleaned import Disambiguated, clean_labels
from .outputs import (
    Annuli,
    Balls,
    Boxes,
    Candidates,
    HammingBalls,
    Intervals,
    Masks,
    Not,
    PartialOrders,
    PartialTags,
    Scribbles,
    Subsets,
    Taxonomy,
)
from .outputs.forms import InputError
from .reductions import Disambiguation
from .rows import Blocks

__version__ = "0.2.0.dev0"

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
    "InputError",
    "Intervals",
    "Masks",
    "Not",
    "PartialClassifier",
    "PartialEstimator",
    "PartialMultilabelClassifier",
    "PartialOrders",
    "PartialRanker",
    "PartialRegressor",
    "PartialSearch",
    "PartialTags",
    "Scribbles",
    "SetLoss",
    "Subsets",
    "Taxonomy",
    "clean_labels",
    "metrics",
    "model_selection",
    "outputs",
    "solvers",
    "tune",
    "weights",
]
