"""Predictions at the training rows by weights that are fitted without them: cross-validation in closed form."""

from .from_inverse import FromInverse, FromWeightedInverse
from .operators import (
    BlockHoldout,
    Fold,
    FoldFit,
    Holdout,
    LeaveOneOut,
    LooOperator,
    Refitted,
    folds_of,
    identity,
    rounded,
)
from .out_of_bag import OutOfBag

__all__ = [
    "BlockHoldout",
    "Fold",
    "FoldFit",
    "FromInverse",
    "FromWeightedInverse",
    "Holdout",
    "LeaveOneOut",
    "LooOperator",
    "OutOfBag",
    "Refitted",
    "folds_of",
    "identity",
    "rounded",
]
