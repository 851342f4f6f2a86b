"""The training rows of a model as the report sees them, and what held-out predictions say about them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from ..diagnostics import Audit, Identifiability
from ..diagnostics.audit import of_predictions as audit_of_predictions
from ..diagnostics.audit import of_sets as audit_of
from ..diagnostics.identifiability import of_sets as identifiability_of
from ..disambiguation import Disambiguation, DisambiguationResult, supports_soft
from ..estimators.base import validated
from ..estimators.generic import PartialEstimator
from ..estimators.held_out import HeldOut
from ..outputs import OutputSpace, Sets
from ..outputs.summary import SummaryTable
from ..selection import out_of_fold
from .scores import FOLDS, Compared, compared, scored

ONLY_GROUPS = "Not available, because no row has a label."
SOFT = "Not available for soft labels: probabilities separate the classes although no class is excluded."


class Training(NamedTuple):
    """The training rows of a model."""

    model: Any
    X: Any
    """(n, d): the features as numbers."""
    output: OutputSpace
    sets: Sets
    resolved: DisambiguationResult | None
    """The labels that disambiguation estimates."""
    predictions: dict[str, NDArray] | None = None
    """Held-out outputs by the name of the model, if the report does not compute them with the weights."""
    labels: Sets | None = None
    """What these predictions are compared with."""
    held_out: HeldOut | None = None
    """What the model itself provides, see `OutputModel.held_out`."""

    @property
    def weights(self) -> Any:
        """The base learner; None if predictions are no weighted mean over training rows."""
        return self.model.recipe_.weights if self.held_out is None else None

    def identifiability(self) -> tuple[Identifiability | None, str]:
        """Return the identifiability, or None and why there is none."""
        if self.predictions is not None and self.held_out is None:
            return None, ONLY_GROUPS
        if self.sets.likelihood() is not None and self.sets.answers_of_sources() is None:
            return None, SOFT
        try:
            return identifiability_of(self.X, self.output, self.sets, self.weights, resolved=self.resolved), ""
        except ValueError as error:
            return None, str(error)

    def audit(self, impossible: dict[int, str] | None) -> Audit:
        """Return the rows to review; `impossible` are rows that no output satisfies, and why."""
        if self.predictions is None:
            return audit_of(self.X, self.output, self.sets, self.weights, self.resolved, impossible)
        assert self.resolved is not None
        z = self.predictions["the model"]
        return audit_of_predictions(self.output, self.sets, z, self.resolved, impossible)

    def compared(self) -> list[Compared]:
        """Return the held-out scores of the best constant, of a simple model and of the model."""
        if self.predictions is None:
            return compared(self.model, self.X, self.output, self.sets)
        assert self.labels is not None
        return scored(self.output, self.labels, self.predictions)

    @property
    def tables(self) -> list[SummaryTable]:
        """Further scores."""
        return [] if self.held_out is None else self.held_out.tables


def training_of(model: Any, X: Any) -> Training:
    """Return the training rows of a fitted model; raise an error if X does not fit to them."""
    held_out = model.held_out(X)
    if held_out is not None:
        output, sets = held_out.output, held_out.sets
        return Training(model, held_out.X, output, sets, held_out.resolved, held_out.predictions, sets, held_out)
    sets = vars(model).get("sets_")
    if sets is None:
        raise ValueError("A report requires the training sets. Fit the model on arrays instead of chunks.")
    X = validated(model, X)
    if X.shape[0] != len(sets):
        raise ValueError(f"X has {X.shape[0]} rows; the model was fitted on {len(sets)}.")
    output = model.output_
    resolved = _disambiguated(model, X, output, sets)
    if resolved is None or not sets.is_unlabelled.all():
        return Training(model, X, output, sets, resolved)
    # only groups of rows have labels: predictions are compared with the labels that disambiguation estimated
    z = out_of_fold(model.recipe_, X, output, sets, cv=FOLDS).z
    return Training(model, X, output, sets, resolved, {"the model": z}, output.read(np.asarray(resolved.labels)))


def _disambiguated(model: Any, X: Any, output: OutputSpace, sets: Sets) -> DisambiguationResult | None:
    """Return the labels that disambiguation estimates: those of the model, or those that `infimum clean` writes.

    If the model has another principle, a disambiguation with the same parameters is fitted.
    """
    if model.disambiguation_ is not None:
        return model.disambiguation_
    if not output.bilinear or sets.is_unlabelled.all():
        return None
    weights = model.weights if supports_soft(sets) else model.recipe_.weights
    weights = clone(weights) if hasattr(weights, "get_params") else weights
    limits = {name: getattr(model, name) for name in ("max_search_time", "search_config")}
    other = PartialEstimator(output, principle=Disambiguation(), weights=weights, **limits)
    return other.fit(X, sets).disambiguation_
