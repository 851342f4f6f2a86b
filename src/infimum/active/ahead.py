"""Ahead: what rows would still say once other rows, not asked about yet, are known too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .learner import Growing


class Ahead:
    """The variance of every row, and how much it says about the rows of reference, while rows are taken for granted.

    With c(x, x') the covariance that the known rows leave, a row j that becomes known takes c(x, j) c(x', j) /
    (c(j, j) + ridge) from it. Of that only squares summed over the reference R are needed, and they follow without
    the matrix: |c(x, R) - s c(j, R)|² = |c(x, R)|² - 2 s c(x, R)·c(j, R) + s² |c(j, R)|².

    Parameters
    ----------
    ridge : Growing
        What is known so far; it is not changed.
    weights : (r,) array, optional
        Of the rows of reference; by default they all count alike.

    Examples
    --------
    >>> Z = np.array([[0.0], [0.1], [3.0]])
    >>> ahead = Ahead(Growing(Z, 1.0, 0.01, np.arange(3)))
    >>> ahead.add(0)
    >>> ahead.variance.round(2), ahead.said.round(2)
    (array([0.01, 0.03, 1.  ]), array([0.  , 0.  , 0.33]))
    """

    def __init__(self, ridge: Growing, weights: NDArray | None = None):
        self.ridge = ridge
        root = np.sqrt(np.ones(len(ridge.reference)) if weights is None else weights)
        self._root = root / np.sqrt(len(root))
        self._first = ridge.covariance * self._root
        self._squares = np.square(self._first).sum(axis=1)
        self.variance = ridge.variance.copy()
        self._columns = np.empty((0, len(self.variance)))
        """c(x, j) of every row that was added, at that time, (k, n)."""
        self._scales = np.empty(0)
        """1 / (c(j, j) + ridge), (k,)."""

    @property
    def said(self) -> NDArray:
        """The weighted mean of c(x, x')² over the reference, (n,)."""
        return np.maximum(self._squares, 0.0)

    def add(self, j: int) -> None:
        """Row j is known."""
        ridge, before, scales = self.ridge, self._columns, self._scales
        k = ridge.kernel(np.array([j]))[:, 0]
        column = k - ridge.K @ (ridge.C @ k[ridge.rows]) - (scales * before[:, j]) @ before
        there = column[ridge.reference] * self._root
        seen = before[:, ridge.reference] * self._root
        product = self._first @ there - (scales * (seen @ there)) @ before
        scale = 1 / (self.variance[j] + ridge.ridge)
        step = scale * column
        self._squares = self._squares - 2 * step * product + np.square(step) * (there @ there)
        self.variance = np.maximum(self.variance - step * column, 0.0)
        self._columns = np.vstack([before, column])
        self._scales = np.append(scales, scale)
