"""Output spaces Y with their losses, and the sets that rows of y can be: one structure, one file."""

from .base import Decoded, Embedding, OutputSpace, Sets
from .costs import Taxonomy
from .labels import Labels, Not, Subsets
from .partial_orders import PartialOrders
from .rankings import Rankings
from .tags import HammingBalls, PartialTags, Tags

__all__ = [
    "Decoded", "Embedding", "HammingBalls", "Labels", "Not", "OutputSpace", "PartialOrders", "PartialTags", "Rankings",
    "Sets", "Subsets", "Tags", "Taxonomy",
]  # fmt: skip
