"""Weights alpha(x): how much every training row counts at x."""

from .base import Alpha, PrecomputedWeights, Target, Weights, as_alpha
from .families.forest import Forest
from .families.kernel_ridge import KernelRidge
from .families.laplacian import Laplacian
from .families.linear import LinearRidge
from .families.neighbors import Neighbors
from .families.nystrom import Nystrom
from .known import LabelledRowsOnly
from .relevance import relevance
from .scaled import Scaled
from .signs import SplitSigns, split

__all__ = [
    "Alpha",
    "Forest",
    "KernelRidge",
    "LabelledRowsOnly",
    "Laplacian",
    "LinearRidge",
    "Neighbors",
    "Nystrom",
    "PrecomputedWeights",
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
