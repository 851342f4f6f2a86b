"""Tags: any number of m tags; the sets are partial tags or Hamming balls."""

from .sets import HammingBalls, PartialTags
from .space import Tags

__all__ = ["HammingBalls", "PartialTags", "Tags"]
