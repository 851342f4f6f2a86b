"""Output spaces Y with their losses, and the sets that rows of y can be: one structure, one file."""

from .base import Embedding, OutputSpace, Sets
from .costs import Taxonomy
from .labels import Labels, Not, Subsets
from .tags import HammingBalls, PartialTags, Tags

__all__ = [
    "Embedding", "HammingBalls", "Labels", "Not", "OutputSpace", "PartialTags", "Sets", "Subsets", "Tags", "Taxonomy",
]  # fmt: skip
