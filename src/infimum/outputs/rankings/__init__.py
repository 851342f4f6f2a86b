"""Rankings: orders of m items; the sets are partial orders."""

from .sets import PartialOrders
from .space import Rankings

__all__ = ["PartialOrders", "Rankings"]
