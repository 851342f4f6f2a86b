"""Machine learning from partial labels, with a scikit-learn API.

One formula covers every output type: f(x) = argmin_z sum_i alpha_i(x) inf_{y in S_i} l(z, y).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import metrics, outputs, selection, solvers, weights
    from .conformal import Conformal
    from .data import Chunks
    from .data.errors import InfimumWarning, InputError
    from .data.features import Features
    from .disambiguation import Disambiguation
    from .estimators import (
        DisambiguationClassifier,
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
    "Boxes",
    "CandidateLabels",
    "CandidatePoints",
    "Chunks",
    "Conformal",
    "Disambiguation",
    "DisambiguationClassifier",
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

_SUBPACKAGES = (
    "active", "conformal", "data", "datasets", "diagnostics", "disambiguation", "estimators", "evidence",
    "feedback_arc", "io", "loss", "metrics", "outputs", "plotting", "recipe", "report", "selection", "solvers",
    "weights",
)  # fmt: skip
_ELSEWHERE = {
    "Chunks": "data", "InfimumWarning": "data.errors", "InputError": "data.errors", "Features": "data.features",
    "Conformal": "conformal", "Disambiguation": "disambiguation", "SetLoss": "loss", "Votes": "evidence",
}  # fmt: skip
"""Modules of the names that are neither output types nor estimators."""


def __getattr__(name: str) -> Any:
    """Import a part of the library when it is first used, so that `import infimum` takes next to no time."""
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    outputs = import_module(".outputs", __name__)
    where = _ELSEWHERE.get(name, "outputs" if hasattr(outputs, name) else "estimators")
    found = globals()[name] = getattr(import_module(f".{where}", __name__), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})
