"""Disambiguation: estimate the label of each row, then train on the result."""

from ..outputs.soft_labels import soft_update
from .bradley_terry import BradleyTerry
from .categorical import Categorical, SparseCategorical
from .hard import HardResult, best_of_starts, hard
from .posterior import SetPosterior
from .principle import Disambiguation
from .result import DisambiguationResult
from .soft import Schedule, SoftResult, fit_growing, has_density, held_out_sums, posterior_of, soft, supports_soft
from .truncated_normal import TruncatedNormal

__all__ = [
    "BradleyTerry",
    "Categorical",
    "Disambiguation",
    "DisambiguationResult",
    "HardResult",
    "Schedule",
    "SetPosterior",
    "SoftResult",
    "SparseCategorical",
    "TruncatedNormal",
    "best_of_starts",
    "fit_growing",
    "hard",
    "has_density",
    "held_out_sums",
    "posterior_of",
    "soft",
    "soft_update",
    "supports_soft",
]
