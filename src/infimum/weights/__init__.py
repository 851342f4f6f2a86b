"""Weights alpha(x), which determine how much each training row counts for the prediction at x."""

from .base import Alpha, PrecomputedWeights, Target, Weights, as_alpha
from .families.boosting import Boosting
from .families.constant import Constant
from .families.forest import Forest
from .families.kernel_ridge import KernelRidge
from .families.laplacian import Laplacian
from .families.linear import LinearRidge
from .families.logistic import Logistic
from .families.neighbors import Neighbors
from .families.nystrom import Nystrom
from .mixture import Mixture
from .relevance import relevance
from .split_signs import SplitSigns, split
from .wrappers import LabelledRowsOnly, Scaled

__all__ = [
    "Alpha",
    "Boosting",
    "Constant",
    "Forest",
    "KernelRidge",
    "LabelledRowsOnly",
    "Laplacian",
    "LinearRidge",
    "Logistic",
    "Mixture",
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
    "logistic": Logistic,
    "neighbors": Neighbors,
    "forest": Forest,
    "boosting": Boosting,
    "laplacian": Laplacian,
}


def by_name(weights: object) -> Weights:
    """Return weights from their short name; None is kernel ridge, and weights are returned unchanged.

    >>> by_name("kernel")
    KernelRidge()
    """
    if weights is None:
        return KernelRidge()
    if isinstance(weights, str) and weights in BY_NAME:
        return BY_NAME[weights]()
    if not isinstance(weights, Weights):
        raise ValueError(f"weights must be a Weights or one of {sorted(BY_NAME)}. Got {weights!r} instead.")
    return weights
