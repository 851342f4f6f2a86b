"""Prediction sets with a coverage guarantee, without true labels: split conformal prediction and CV+.

The scores of an output type are defined in its own folder, :mod:`infimum.outputs`.
"""

from ..outputs.labels.conformal import APS, LAC, Regret
from ..outputs.loss_score import LossBalls, LossScore
from ..outputs.masks.conformal import PixelMargin
from ..outputs.numbers.conformal import Distance, ScaledDistance
from ..outputs.rankings.conformal import Kendall, Pairs
from ..outputs.score import Score
from ..outputs.tags.conformal import Margin
from ..outputs.vectors.conformal import ScaledVectorDistance, VectorDistance
from .conformal import Conformal
from .guarantee import Coverage, radius_of
from .selective import RiskCoverage, risk_coverage

__all__ = [
    "APS", "LAC", "Conformal", "Coverage", "Distance", "Kendall", "LossBalls", "LossScore", "Margin",
    "Pairs", "PixelMargin", "Regret", "RiskCoverage", "ScaledDistance", "ScaledVectorDistance", "Score",
    "VectorDistance", "radius_of", "risk_coverage",
]  # fmt: skip
