"""Output spaces Y with their losses, and the sets that rows of y can be: one structure, one file."""

from .base import Embedding, OutputSpace, Sets
from .costs import Taxonomy
from .intervals import Intervals
from .labels import Labels, Not, Subsets
from .reals import Reals
from .tags import HammingBalls, PartialTags, Tags

__all__ = [
    "Embedding", "HammingBalls", "Intervals", "Labels", "Not", "OutputSpace", "PartialTags", "Reals", "Sets", "Subsets", "Tags", "Taxonomy",
]  # fmt: skip
