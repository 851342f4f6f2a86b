"""PartialEstimator: a model for any output space."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..outputs import OutputSpace
from .base import PartialModel
from .docs import MODEL


@MODEL
@dataclass(kw_only=True, eq=False, repr=False)
class PartialEstimator(PartialModel):
    """A model for any output space, one of the library's or your own.

    Parameters
    ----------
    output : OutputSpace
        The output space with its loss.
    principle, negative_weights, weights, solver, max_search_time, n_jobs, random_state, verbose, search_config : shared

    Attributes
    ----------
    selection_, labels_, confidence_, suspects_, tied_, label_errors_, noise_, n_features_in_, output_, sets_ : shared

    Examples
    --------
    >>> from infimum import PartialEstimator, outputs
    >>> model = PartialEstimator(outputs.Labels(cost="ordinal")).fit([[0.], [1.], [2.]], [{1, 2}, 2, {2, 3}])
    >>> model.predict([[0.], [2.]])
    array([2, 2])
    """

    output: OutputSpace = field(kw_only=False)

    def _output(self, y: Any) -> OutputSpace:
        if not isinstance(self.output, OutputSpace):
            raise ValueError(f"output must be an OutputSpace. Got {self.output!r} instead.")
        return self.output
