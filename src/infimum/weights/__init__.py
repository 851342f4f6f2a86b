"""Weights alpha(x): how much every training row counts at x."""

from .base import Alpha, Given, SplitSigns, Weights, as_alpha
from .kernel import KernelRidge

__all__ = ["Alpha", "Given", "KernelRidge", "SplitSigns", "Weights", "as_alpha", "by_name"]

BY_NAME: dict[str, type[Weights]] = {"kernel": KernelRidge}


def by_name(weights: object) -> Weights:
    """A Weights from one, from its short name, or from None (kernel ridge).

    >>> by_name("kernel")
    KernelRidge()
    """
    if weights is None:
        return KernelRidge()
    if isinstance(weights, str):
        if weights not in BY_NAME:
            raise ValueError(f"weights must be a Weights or one of {sorted(BY_NAME)}. Got {weights!r} instead.")
        return BY_NAME[weights]()
    if not isinstance(weights, Weights):
        raise ValueError(f"weights must be a Weights or one of {sorted(BY_NAME)}. Got {weights!r} instead.")
    return weights
