"""PartialEstimator: a model for any output space."""

from __future__ import annotations

from typing import Any

from ..outputs import OutputSpace
from ..selection import SearchConfig
from .base import PartialModel
from .docs import MODEL


@MODEL
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

    def __init__(
        self,
        output: OutputSpace,
        principle: Any = "auto",
        negative_weights: str = "auto",
        weights: Any = "auto",
        solver: Any = "auto",
        max_search_time: float | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
        verbose: int = 0,
        search_config: SearchConfig | None = None,
    ) -> None:
        super().__init__(
            principle, negative_weights, weights, solver, max_search_time, n_jobs, random_state, verbose, search_config
        )
        self.output = output

    def _output(self, y: Any) -> OutputSpace:
        if not isinstance(self.output, OutputSpace):
            raise ValueError(f"output must be an OutputSpace. Got {self.output!r} instead.")
        return self.output
