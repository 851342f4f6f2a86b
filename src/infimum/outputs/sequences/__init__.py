"""Sequences: one label per token; the sets are lattices of candidate labels with allowed transitions."""

from .sets import Lattices
from .space import Sequences
from .transitions import bio_transitions

__all__ = ["Lattices", "Sequences", "bio_transitions"]
