"""Several outputs per row, each with its own kind of partial label."""

from .sets import ProductSets
from .space import Product

__all__ = ["Product", "ProductSets"]
