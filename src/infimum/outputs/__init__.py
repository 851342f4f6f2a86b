"""Output spaces Y with their losses, and the sets that rows of y can be: one structure, one file."""

from .balls import Annuli, Balls
from .base import Decoded, Embedding, OutputSpace, Sets
from .boxes import Boxes
from .candidates import Candidates
from .costs import Taxonomy
from .intervals import Intervals
from .labels import Labels, Not, Subsets
from .partial_orders import PartialOrders
from .rankings import Rankings
from .reals import Reals
from .tags import HammingBalls, PartialTags, Tags
from .vectors import Vectors

__all__ = [
    "Annuli", "Balls", "Boxes", "Candidates", "Decoded", "Embedding", "HammingBalls", "Intervals", "Labels", "Not",
    "OutputSpace", "PartialOrders", "PartialTags", "Rankings", "Reals", "Sets", "Subsets", "Tags", "Taxonomy",
    "Vectors",
]  # fmt: skip
