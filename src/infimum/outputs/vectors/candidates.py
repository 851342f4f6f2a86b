"""CandidatePoints: a finite list of points per row."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data.errors import BadRows, shown
from ..base import rows_of
from ..numbers.sets import FINEST
from .base import VectorSets


class CandidatePoints(VectorSets):
    """Lists of candidate points.

    S_i = {y_i1, …, y_ik} in R^m; k may differ between rows.

    Parameters
    ----------
    points : list of n lists of points
        Each point has m coordinates.

    Examples
    --------
    >>> CandidatePoints([[[0., 0.], [2., 2.]], [[1., 1.]]]).nearest(np.array([[3., 1.], [3., 1.]]))
    array([[2., 2.],
           [1., 1.]])
    """

    def __init__(self, points: Any):
        bad = BadRows("y")
        rows = []
        for row, cell in enumerate(points):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("error")  # NumPy warns about masked entries
                    rows.append(np.atleast_2d(np.array(cell, dtype=float)))
            except (TypeError, ValueError, OverflowError, UserWarning):
                bad.add(row, f"expected points of equally many coordinates, got {shown(cell)}")
                rows.append(np.empty((0, 0)))
        m = max((p.shape[-1] for p in rows if p.size), default=0)
        for row, p in enumerate(rows):
            if row in bad:
                continue
            if not p.size:
                bad.add(row, "an empty list of candidates")
            elif p.ndim != 2 or p.shape[1] != m:
                bad.add(row, f"expected points of {m} coordinates, got shape {p.shape}")
            elif not np.isfinite(p).all():
                bad.add(row, f"expected finite points, got {p[~np.isfinite(p).all(axis=1)][0].tolist()}")
        bad.raise_if_any("A row is a point, or a list of points of the same number of coordinates.")
        self._keep(np.concatenate(rows) if rows else np.empty((0, m)), np.array([len(p) for p in rows], dtype=int))

    def _keep(self, points: NDArray, counts: NDArray) -> None:
        """Store the points (p, m) of all rows, so many in each row (n,)."""
        self.points, self.row = points, np.repeat(np.arange(len(counts)), counts)
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        self.m, self.shape = points.shape[1], (len(counts),)

    def _with(self, points: NDArray, counts: NDArray) -> CandidatePoints:
        """Return sets with other points and the same embedding."""
        found = copy(self)
        found._keep(points, counts)
        return found

    def kept(self, keep: Any) -> CandidatePoints:
        """Return the sets with some of the points, (p,) boolean."""
        return self._with(self.points[keep], np.bincount(self.row[keep], minlength=len(self)))

    def __getitem__(self, rows: Any) -> CandidatePoints:
        index = np.arange(len(self))[rows_of(rows, len(self))]
        parts = [self.points[self.starts[i] : self.starts[i + 1]] for i in index]
        return self._with(np.concatenate([self.points[:0], *parts]), np.diff(self.starts)[index])

    def _best(self, value: NDArray) -> NDArray:
        """Return the point with the smallest value in each row, the first on a tie: (..., p) -> (..., n, m)."""
        if not len(self):
            return np.empty((*value.shape[:-1], 0, self.m))
        least = np.minimum.reduceat(value, self.starts[:-1], axis=-1)[..., self.row]
        which = np.where(value == least, np.arange(len(self.row)), len(self.row))
        return self.points[np.minimum.reduceat(which, self.starts[:-1], axis=-1)]

    def nearest(self, z: NDArray) -> NDArray:
        return self._best(((z[..., self.row, :] - self.points) ** 2).sum(axis=-1))

    def extreme(self, a: NDArray, b: NDArray) -> NDArray:
        square = (self.points**2).sum(axis=-1)
        return self._best(a[..., self.row] * square + (b[..., self.row, :] * self.points).sum(axis=-1))

    def moments(self) -> tuple[NDArray, NDArray]:
        number = np.diff(self.starts)
        mean = np.add.reduceat(self.points, self.starts[:-1]) / number[:, None] if len(self) else self.points
        away = ((self.points - mean[self.row]) ** 2).sum(axis=1)
        return mean, np.bincount(self.row, away, minlength=len(self)) / number

    def box(self) -> tuple[NDArray, NDArray]:
        if not len(self):
            return self.points, self.points
        return np.minimum.reduceat(self.points, self.starts[:-1]), np.maximum.reduceat(self.points, self.starts[:-1])

    def _inside(self, other: Any) -> NDArray:
        """Return which candidates are in T_i as well, (p,)."""
        self._check_pair(other, VectorSets)
        return other[self.row].contains(self.points)

    def meets(self, other: Any) -> NDArray:
        return np.bincount(self.row[self._inside(other)], minlength=len(self)) > 0

    def intersect(self, other: Any) -> CandidatePoints:
        """Return the candidates that are also in the other set, of any kind."""
        keep = self._inside(other)
        self._check_not_empty(other, np.bincount(self.row[keep], minlength=len(self)) == 0)
        return self.kept(keep)

    def join(self, other: Any) -> CandidatePoints:
        counts = np.concatenate([np.diff(self.starts), np.diff(other.starts)])
        return self._with(np.vstack([self.points, other.points]), counts)

    def bits(self) -> NDArray:
        """Return ten bits per coordinate, less log2 of the number of candidates."""
        return np.maximum(FINEST * self.m - np.log2(np.maximum(np.diff(self.starts), 1)), 0.0)

    def format(self, row: int) -> str:
        return " | ".join(map(str, self.points[self.starts[row] : self.starts[row + 1]][:10].tolist()))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """Return the candidates as (n, k, m), padded with NaN."""
        number = np.diff(self.starts)
        out = np.full((len(self), number.max(initial=1), self.m), np.nan)
        out[self.row, np.arange(len(self.row)) - self.starts[self.row]] = self.points
        return out.astype(dtype or float)

    def __repr__(self) -> str:
        mean = len(self.row) / max(len(self), 1)
        return f"<CandidatePoints in R^{self.m}: {len(self)} rows, {mean:.3g} points on average>"
