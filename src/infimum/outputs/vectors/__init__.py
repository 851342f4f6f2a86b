"""Vectors: a point of R^m; the sets are boxes, balls, annuli or candidate points."""

from .balls import Annuli, Balls
from .base import VectorSets
from .boxes import Boxes
from .candidates import CandidatePoints
from .space import Vectors

__all__ = ["Annuli", "Balls", "Boxes", "CandidatePoints", "VectorSets", "Vectors"]
