"""OutputModel: what all models of the library provide to reports, questions and prediction sets."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..outputs import OutputSpace
from .callbacks import CallbackMixin

if TYPE_CHECKING:
    from ..outputs.question_model import Belief, QuestionModel
    from .held_out import HeldOut


class OutputModel(CallbackMixin, BaseEstimator, ABC):
    """A model with an output space.

    A subclass defines `_output` and `outputs`. The other methods are for a model whose rows are not independent, or
    whose predictions are no weighted mean over training rows. By default they return None, and the callers use the
    rows and the weights of the model.
    """

    unit_name: ClassVar[str] = "rows"
    """What is exchangeable in the data; see `units`."""

    @abstractmethod
    def _output(self, y: Any) -> OutputSpace:
        """Return the output space; `y` is the target, or its first chunk."""

    def output_space(self, y: Any) -> OutputSpace:
        """Return the output space that a fit to `y` would use, fitted to y."""
        return self._output(y).fit(y)

    @abstractmethod
    def outputs(self, X: Any) -> NDArray:
        """Return predictions in the encoding of the output space, (n, ...)."""

    def padded_probabilities(self, X: Any) -> NDArray:
        """Return `predict_proba` as one array."""
        return np.asarray(self.predict_proba(X), dtype=float)

    def units(self, X: Any) -> NDArray | None:
        """Return the unit of each row, (n,), if only whole units are exchangeable; None if rows are."""
        return None

    def beliefs(self, X: Any, y: Any) -> tuple[QuestionModel, Belief] | None:
        """Return what can be asked about X, and the probabilities of all labels given y.

        If it is None, `infimum.active.QuestionSelector` estimates the probabilities itself.
        """
        return None

    def held_out(self, X: Any) -> HeldOut | None:
        """Return predictions of the training rows by models without them, for `infimum.report.build`.

        If it is None, the report computes them.
        """
        return None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
