"""Units: the rows that are exchangeable only together, such as the tokens of a sequence."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..data.chunks import n_rows
from ..estimators.model import OutputModel
from ..outputs.of_model import last_of


class Units:
    """Rows in units that are held out together, and that count once in calibration.

    The units are those of `OutputModel.units`. If it returns None, and for other models, every row is a unit.

    Parameters
    ----------
    model : estimator
        The model, fitted or not, or a pipeline that ends in it.
    X : n rows
        The inputs, before the first step of a pipeline.
    """

    def __init__(self, model: Any, X: Any):
        last = last_of(model)
        found = last.units(X) if isinstance(last, OutputModel) else None
        self.single = found is None
        self.name = "rows" if self.single else last.unit_name
        self.of = np.arange(n_rows(X)) if found is None else np.unique(found, return_inverse=True)[1]
        self.n = int(self.of.max(initial=-1)) + 1

    def __len__(self) -> int:
        return self.n

    def rows(self, units: NDArray) -> NDArray:
        """Return the rows of some units."""
        return units if self.single else np.flatnonzero(np.isin(self.of, units))

    def take(self, rows: NDArray) -> Units:
        """Return some of the rows, with the units that they belong to."""
        found = copy(self)
        found.of = np.unique(self.of[rows], return_inverse=True)[1]
        found.n = int(found.of.max(initial=-1)) + 1
        return found

    def largest(self, scores: NDArray) -> NDArray:
        """Return the largest score of each unit: its rows are all covered if the radius is at least as large."""
        found = np.full(len(self), -np.inf)
        np.maximum.at(found, self.of, scores)
        return found

    def all(self, condition: NDArray) -> NDArray:
        """Return whether a condition holds for all rows of each unit."""
        found = np.ones(len(self), dtype=bool)
        np.logical_and.at(found, self.of, condition)
        return found
