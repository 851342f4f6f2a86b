"""Sets of sign vectors some of whose signs are known, which partial tags and scribbles on masks share."""

from __future__ import annotations

from abc import abstractmethod
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from .sets import ANYTHING, Embedding, Sets, rows_of


class PartialSigns(Sets):
    """The sets {y in {-1, 1}^m : y_j = values_ij wherever values_ij is not 0}.

    A subclass embeds sign vectors by `_phi`, linear in y up to constants.
    """

    values: NDArray
    """(n, m) in {-1, 0, 1}; 0 is unknown."""

    @abstractmethod
    def _phi(self, y: NDArray) -> NDArray:
        """Embed sign vectors: (..., m) -> (..., d)."""

    def _with(self, values: NDArray) -> Self:
        """Return sets with these values and the same loss."""
        found = copy(self)
        found.values, found.shape = values, (len(values),)
        return found

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Self:
        return self._with(self.values[rows_of(rows, len(self))])

    def contains(self, z: NDArray) -> NDArray:
        return np.all((self.values == 0) | (self.values == z), axis=-1)

    def center(self) -> NDArray:
        return self._phi(self.values.astype(float))

    def embed(self, principle: str) -> Embedding:
        # an unknown sign costs 0 (infimum), 1/2 (average) or 1 (supremum), whatever z
        shift = {"infimum": -0.5, "average": 0.0, "supremum": 0.5}[principle]
        return Embedding(self.center(), shift * (self.values == 0).sum(axis=-1))

    def options(self) -> NDArray:
        """Return which of the two options of each sign, -1 and 1, are possible."""
        return np.stack([self.values <= 0, self.values >= 0], axis=-1)

    def expected(self, q: NDArray) -> NDArray:
        return self._phi(q[..., 1] - q[..., 0])

    def option_of(self, z: NDArray) -> NDArray:
        return (np.asarray(z) > 0).astype(int)

    def intersect(self, other: Any) -> Any:
        """Return the sign vectors with the signs that are known in either."""
        self._check_comparable(other)
        self._check_not_empty(other, ~self.meets(other))
        return self._with(np.where(self.values != 0, self.values, other.values))

    def join(self, other: Any) -> Self:
        return self._with(np.vstack([self.values, other.values]))

    @property
    def size(self) -> NDArray:
        """The number of unknown signs."""
        return (self.values == 0).sum(axis=1).astype(float)

    def agreement(self, z: NDArray) -> NDArray:
        """Return the share of the known signs that z_i has, (n,); 1 if none is known."""
        known = self.values != 0
        right = (known & (self.values == z)).sum(axis=-1)
        return np.where(known.any(axis=-1), right / np.maximum(known.sum(axis=-1), 1), 1.0)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.values, dtype=dtype)

    def __repr__(self) -> str:
        known = 100 * np.mean(self.values != 0) if self.values.size else 0
        unit = self.size_unit.removeprefix("unknown ")
        return f"<{type(self).__name__} of {self.values.shape[1]} {unit}: {len(self)} rows, {known:.0f} % known>"


def format_signs(values: NDArray, names: Any, absent: bool = True) -> str:
    """Return signs as text: the names that are present, and those that are absent if `absent`.

    >>> format_signs(np.array([1, -1, 0]), ["red", "round", "big"])
    '+red −round'
    """
    shown = [f"+{name}" for name, sign in zip(names, values) if sign > 0]
    shown += [f"−{name}" for name, sign in zip(names, values) if sign < 0 and absent]
    return " ".join(shown) or (ANYTHING if absent else "none")
