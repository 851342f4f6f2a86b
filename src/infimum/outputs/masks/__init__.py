"""Masks: binary images; the sets are scribbles."""

from .space import Masks, Scribbles

__all__ = ["Masks", "Scribbles"]
