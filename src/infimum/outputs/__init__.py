"""Output spaces with their losses, and the sets that the rows of y can be: one folder per output type."""

from .base import Decoded, Embedding, OutputSpace, Sets, SetStatistics
from .constraints import AtLeast, Balanced, Constraint, Exactly, Share
from .labels import CandidateLabels, Groups, Labels, Not, Taxonomy
from .masks import Masks, Scribbles
from .merging import merge_classes
from .numbers import Intervals, Reals
from .product import Product, ProductSets
from .rankings import PartialOrders, Rankings
from .sequences import Lattices, Sequences, bio_transitions
from .tags import HammingBalls, PartialTags, Tags
from .vectors import Annuli, Balls, Boxes, CandidatePoints, Vectors

OUTPUT_TYPES: dict[str, type[OutputSpace]] = {
    space.kind: space for space in (Labels, Tags, Rankings, Reals, Vectors, Masks, Product, Sequences)
}
"""The output types by `OutputSpace.kind`, the name that files and the command line use. Add your own type here."""

__all__ = [
    "OUTPUT_TYPES",
    "Annuli",
    "AtLeast",
    "Balanced",
    "Balls",
    "Boxes",
    "CandidateLabels",
    "CandidatePoints",
    "Constraint",
    "Decoded",
    "Embedding",
    "Exactly",
    "Groups",
    "HammingBalls",
    "Intervals",
    "Labels",
    "Lattices",
    "Masks",
    "Not",
    "OutputSpace",
    "PartialOrders",
    "PartialTags",
    "Product",
    "ProductSets",
    "Rankings",
    "Reals",
    "Scribbles",
    "Sequences",
    "SetStatistics",
    "Sets",
    "Share",
    "Tags",
    "Taxonomy",
    "Vectors",
    "bio_transitions",
    "merge_classes",
]  # fmt: skip


def has_names(kind: object) -> bool:
    """Whether the outputs of a kind consist of names: classes, tags or items."""
    return isinstance(kind, str) and kind in OUTPUT_TYPES and bool(OUTPUT_TYPES[kind].name_words)
