"""Weights alpha(x): how much every training row counts at x."""

from .base import Alpha, Given, Target, Weights, as_alpha
from .forest import Forest
from .kernel_ridge import KernelRidge
from .known import Known
from .laplacian import Laplacian
from .linear import LinearRidge
from .neighbors import Neighbors
from .nystrom import Nystrom
from .relevant import relevance
from .scaled import Scaled
from .selection import RidgeCV
from .signs import SplitSigns, split

__all__ = [
    "Alpha",
    "Forest",
    "Given",
    "KernelRidge",
    "Known",
    "Laplacian",
    "LinearRidge",
    "Neighbors",
    "Nystrom",
    "RidgeCV",
    "Scaled",
    "SplitSigns",
    "Target",
    "Weights",
    "as_alpha",
    "by_name",
    "relevance",
    "split",
]

BY_NAME: dict[str, type[Weights]] = {
    "kernel": KernelRidge,
    "nystrom": Nystrom,
    "linear": LinearRidge,
    "neighbors": Neighbors,
    "forest": Forest,
    "laplacian": Laplacian,
    "ridge-cv": RidgeCV,
}


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
