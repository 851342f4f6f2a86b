"""Which space a query is about, and which kernel a model asks for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..outputs import Labels, OutputSpace, PartialOrders, PartialTags, Rankings, Reals, Sets, Tags
from ..outputs.labels import CandidateLabels
from ..outputs.numbers import Intervals
from ..weights import KernelRidge, Scaled
from .learner import Setting

OF_SETS: list[tuple[type, type]] = [
    (CandidateLabels, Labels), (PartialTags, Tags), (PartialOrders, Rankings), (Intervals, Reals),
]  # fmt: skip


def space_of(model: Any, output: OutputSpace | None, y: Any) -> tuple[OutputSpace, Any]:
    """Y, fitted, and y as sets over it; from a space, from a model, or from the kind of sets that y is."""
    space = output
    if space is None and model is not None:
        space = vars(model).get("output_") or (model._output(y) if hasattr(model, "_output") else None)
    if space is None:
        space = next((kind() for sets, kind in OF_SETS if isinstance(y, sets)), Labels())
    if not hasattr(space, "form_"):
        space = space.fit(y)
    return space, y if isinstance(y, Sets) and _fits(space, y) else space.read(y)


def _fits(space: Any, sets: Any) -> bool:
    """Whether sets are as the space would read them."""
    if isinstance(sets, Intervals):
        return sets.unit == space.unit_ and sets.origin == space.origin_ and sets.loss_name == space.loss
    if isinstance(sets, CandidateLabels):
        return sets.classes is not None and np.array_equal(sets.classes, space.classes_)
    if isinstance(sets, PartialOrders):
        return sets.named and np.array_equal(sets.items, space.items_)
    return isinstance(sets, PartialTags)


def setting_in(model: Any, X: Any) -> Setting | None:
    """The kernel of a model whose weights are a Gaussian kernel ridge with settings of its own; None otherwise."""
    weights = getattr(model, "weights", None)
    scaling = "none"
    if isinstance(weights, Scaled) and weights.scaling == "standard":
        weights, scaling = weights.weights, "standard"
    if not isinstance(weights, KernelRidge) or weights.kernel != "rbf" or weights.lam is None:
        return None
    if isinstance(weights.gamma, str) and weights.sigma is None:
        return None
    gamma = weights.gamma if weights.sigma is None else 1 / (2 * weights.sigma**2)
    from .learner import REFERENCE, _median, _standard

    A = np.asarray(X, dtype=float)
    A = _standard(A) if scaling == "standard" else A
    rng = np.random.default_rng(0)
    some = np.sort(rng.permutation(len(A))[:REFERENCE])
    return Setting(scaling, float(gamma) * _median(A[some]), max(float(weights.lam) * len(A) ** 0.5, 1e-6))
