"""The experiments of the paper by name; `infimum reproduce` runs them.

Needs the extras ``cli`` and ``plot``: ``pip install "infimum[cli,plot]"``.
"""

from __future__ import annotations

from importlib import import_module

from .base import Comparison, Experiment, reference
from .report import index
from .runner import reproduce

# in the order of the paper: module, class
_ALL = {
    "pointwise": ("pointwise", "Pointwise"),
    "calibration": ("calibration", "Calibration"),
    "bad-calibration": ("calibration", "BadCalibration"),
    "signed": ("signed", "Signed"),
    "recovery": ("recovery", "Recovery"),
    "comparison": ("comparison", "Inequality"),
    "rates": ("rates", "Rates"),
    "classification-skewed": ("classification", "Skewed"),
    "classification-uniform": ("classification", "Uniform"),
    "data-sets": ("tables", "DataSets"),
    "complexity": ("tables", "Complexity"),
    "ranking-setting": ("ranking_figures", "Setting"),
    "ranking-corruption": ("ranking_corruption", "Corruption"),
    "ranking-exact": ("ranking_corruption", "Exact"),
    "ranking-reconstruction": ("ranking_figures", "Reconstruction"),
    "ilp-relaxation": ("relaxation", "Relaxation"),
    "multilabel-balls": ("multilabel", "Balls"),
    "partial-tags": ("tags", "PartialTagsAgree"),
    "positive-tags": ("tags", "PositiveOnly"),
    "interval-regression": ("regression", "IntervalRegression"),
    "segmentation": ("segmentation", "Segmentation"),
}

NAMES = tuple(_ALL)


def by_name(name: str) -> Experiment:
    """Return the experiment with this name.

    >>> by_name("pointwise").place
    'Sec. 4.1, Fig. 1'
    """
    if name not in _ALL:
        raise ValueError(f"There is no experiment {name!r}. Names: {', '.join(NAMES)}.")
    module, cls = _ALL[name]
    return getattr(import_module(f"{__package__}.{module}"), cls)()


__all__ = ["NAMES", "Comparison", "Experiment", "by_name", "index", "reference", "reproduce"]
