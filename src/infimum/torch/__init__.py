"""Losses for PyTorch on the library's sets: ``loss(net(x), sets).backward()``. Needs the extra ``infimum[torch]``."""

try:
    from torch import nn as _nn  # noqa: F401
except ImportError as error:
    raise ImportError("infimum.torch needs PyTorch, which is not installed: pip install 'infimum[torch]'.") from error

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
