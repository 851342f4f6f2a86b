"""Output spaces Y with their losses, and the sets that rows of y can be: one structure, one folder."""

from .base import Decoded, Embedding, OutputSpace, Sets
from .labels import CandidateLabels, Labels, Not, Taxonomy
from .masks import Masks, Scribbles
from .numbers import Intervals, Reals
from .rankings import PartialOrders, Rankings
from .tags import HammingBalls, KnownBalls, PartialTags, Tags
from .vectors import Annuli, Balls, Boxes, CandidatePoints, Vectors

OUTPUT_TYPES: dict[str, type[OutputSpace]] = {
    space.kind: space for space in (Labels, Tags, Rankings, Reals, Vectors, Masks)
}
"""The output types of the library by name, as in files and on the command line: "labels", "tags", "ranking", …"""

__all__ = [
    "OUTPUT_TYPES",
    "Annuli",
    "Balls",
    "Boxes",
    "CandidateLabels",
    "CandidatePoints",
    "Decoded",
    "Embedding",
    "HammingBalls",
    "Intervals",
    "KnownBalls",
    "Labels",
    "Masks",
    "Not",
    "OutputSpace",
    "PartialOrders",
    "PartialTags",
    "Rankings",
    "Reals",
    "Scribbles",
    "Sets",
    "Tags",
    "Taxonomy",
    "Vectors",
]  # fmt: skip
