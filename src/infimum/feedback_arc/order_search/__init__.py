"""The order of m items that minimises a signed sum of losses to partial orders, proved."""

from .minimise import certain, minimise_orders

__all__ = ["certain", "minimise_orders"]
