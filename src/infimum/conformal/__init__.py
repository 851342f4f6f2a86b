"""Sets of predictions with a guarantee, from sets alone: split conformal prediction, CV+ and jackknife+."""

from .base import SCORES, Score, radius_of, register
from .conformal import Conformal, Coverage
from .labels import APS, LAC, CostBall, Node, Regret, smallest_nodes
from .selective import RiskCoverage, risk_coverage

__all__ = [
    "APS", "LAC", "SCORES", "Conformal", "CostBall", "Coverage", "Node", "Regret", "RiskCoverage", "Score", "radius_of",
    "register", "risk_coverage", "smallest_nodes",
]  # fmt: skip
