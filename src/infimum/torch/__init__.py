"""Losses for PyTorch on partial labels: ``loss(net(x), sets).backward()``. Requires ``infimum[torch]``."""

try:
    from torch import nn as _nn  # noqa: F401
except ImportError as error:
    raise ImportError("infimum.torch requires PyTorch. Install it with: pip install 'infimum[torch]'") from error

from .intervals import IntervalLoss
from .labels import SetCost, SetCrossEntropy
from .memory import SoftDisambiguation
from .signs import PartialOrderLoss, TagLoss
from .tensors import tensors

__all__ = [
    "IntervalLoss",
    "PartialOrderLoss",
    "SetCost",
    "SetCrossEntropy",
    "SoftDisambiguation",
    "TagLoss",
    "tensors",
]
