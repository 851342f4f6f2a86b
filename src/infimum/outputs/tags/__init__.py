"""Tags: any number of m tags; the sets are partly known tags or Hamming balls."""

from .known_balls import KnownBalls
from .sets import HammingBalls, PartialTags
from .space import Tags

__all__ = ["HammingBalls", "KnownBalls", "PartialTags", "Tags"]
