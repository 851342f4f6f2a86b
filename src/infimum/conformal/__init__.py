"""Sets of predictions with a guarantee, from sets alone: split conformal prediction, CV+ and jackknife+.

One file a structure: a score, its largest and its smallest value over a set, and what is within a radius as a set.
"""

from .base import SCORES, Score, radius_of, register
from .conformal import Conformal, Coverage
from .labels import APS, LAC, CostBall, Node, Regret, smallest_nodes
from .masks import PixelMargin
from .numbers import Distance, LocalQuantiles, ScaledDistance
from .rankings import Kendall, Pairs
from .selective import RiskCoverage, risk_coverage
from .tags import Hamming, Margin
from .vectors import ScaledVectorDistance, VectorDistance

__all__ = [
    "APS", "LAC", "SCORES", "Conformal", "CostBall", "Coverage", "Distance", "Hamming", "Kendall", "LocalQuantiles",
    "Margin", "Node", "Pairs", "PixelMargin", "Regret", "RiskCoverage", "ScaledDistance", "ScaledVectorDistance",
    "Score", "VectorDistance", "radius_of", "register", "risk_coverage", "smallest_nodes",
]  # fmt: skip
