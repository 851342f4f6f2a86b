"""Vectors: a point of R^m, with the squared loss; the sets are boxes, balls, annuli or candidate points."""

from __future__ import annotations

from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.errors import Form, InputError, listed
from ..base import OutputSpace
from ..numbers import Reals
from ..numbers.space import Facts as Range
from .base import VectorSets
from .boxes import Boxes
from .cells import VectorCells
from .forms import LIMIT, Facts, clipped, read

LISTED = 8  # coordinates that are shown


class Vectors(VectorCells, OutputSpace):
    """Vectors in a box, with the squared Euclidean distance.

    Y = [low, high]^m and l(z, y) = |z - y|², with phi(y) = (1, t, |t|²) and psi(z) = unit² (|t|², -2t, 1).

    Parameters
    ----------
    bounds : (low, high), optional
        Numbers or (m,) arrays; by default the box of the finite ends of y.

    Examples
    --------
    >>> space = Vectors().fit([[0., 1.], [4., 3.], [np.nan, 2.]])
    >>> space.low_, space.high_
    (array([0., 1.]), array([4., 3.]))
    >>> y = space.read([[1., 2.], [2., 2.]])
    >>> space.decode(np.array([[.5, .5]]) @ y.center())
    array([[1.5, 2. ]])
    """

    kind = "vector"

    def __init__(self, bounds: Any = None):
        self.bounds = bounds

    @staticmethod
    def unscaled(y: Any, columns: tuple | None = None) -> Any:
        """Return y as unscaled sets; `columns` are the names of the coordinates, if they are known."""
        return y if isinstance(y, VectorSets) else read(y, columns)[0]

    def summarise(self, y: Any) -> Facts:
        """Return the box of the finite ends, within bounds, and the names of the coordinates."""
        sets, columns = (y, None) if isinstance(y, VectorSets) else read(y, None)
        bounds = self._bounds(sets.m)
        sets = clipped(sets, *bounds)
        corners = np.concatenate(sets.box()).reshape(-1, sets.m)
        finite = np.isfinite(corners)
        low = np.where(finite, corners, np.inf).min(axis=0, initial=np.inf)
        high = np.where(finite, corners, -np.inf).max(axis=0, initial=-np.inf)
        return Facts(low, high, columns)

    def merge(self, a: Facts, b: Facts) -> Facts:
        if len(a.low) != len(b.low):
            raise InputError(f"Vectors must have equally many coordinates. Got {len(a.low)} and {len(b.low)}.")
        if a.columns and b.columns and set(a.columns) != set(b.columns):
            raise InputError(f"Coordinates must have the same names. Got {listed(a.columns)}; {listed(b.columns)}.")
        if a.columns and b.columns and a.columns != b.columns:
            order = [b.columns.index(name) for name in a.columns]
            b = Facts(b.low[order], b.high[order], a.columns)
        return Facts(np.minimum(a.low, b.low), np.maximum(a.high, b.high), a.columns or b.columns)

    def fit_summary(self, summary: Facts) -> Self:
        low, high = self._bounds(len(summary.low))
        low, high = np.where(np.isfinite(low), low, summary.low), np.where(np.isfinite(high), high, summary.high)
        bad = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high) & (low <= high)))
        if len(bad):
            raise InputError(
                f"The range of y is unknown in the coordinates {bad.tolist()}. Pass bounds=(low, high)."
            )
        unit = float(((high - low) / 2).max(initial=0.0)) or 1.0
        if not 1 / LIMIT <= unit <= LIMIT or max(np.abs(low).max(), np.abs(high).max()) > LIMIT:
            raise InputError(
                f"y spans {2 * unit:g}: squares of such numbers overflow or underflow. Rescale y."
            )
        names = "" if summary.columns is None else ", coordinates by name"
        self.form_ = Form("vectors", f"vectors of {len(low)} coordinates{names}", summary.columns)
        self.low_, self.high_ = low, high
        self.origin_, self.unit_ = (low + high) / 2, unit
        return self

    def read(self, y: Any, strict: bool = True) -> Any:
        sets = self.unscaled(y, self.form_.columns)
        if sets.m != len(self.origin_):
            raise InputError(f"y has {sets.m} coordinates; {len(self.origin_)} were expected.")
        if strict:
            sets = clipped(sets, *self._bounds(sets.m))
        return sets.scaled(self.origin_, self.unit_)

    def is_unlabelled(self, sets: Any) -> NDArray:
        """Return which boxes contain all of Y; with bounds, sets are clipped to them."""
        if not isinstance(sets, Boxes):
            return sets.is_unlabelled
        low, high = self._bounds(sets.m)
        return ((sets.lower <= low) & (sets.upper >= high)).all(axis=1)

    def _bounds(self, m: int) -> tuple[NDArray, NDArray]:
        """Return the lower and upper ends of Y, (m,), infinite if they are not given."""
        if self.bounds is None:
            return np.full(m, -np.inf), np.full(m, np.inf)
        if not isinstance(self.bounds, list | tuple | np.ndarray) or len(self.bounds) != 2:
            raise ValueError(f"bounds must be a pair (low, high). Got {self.bounds!r} instead.")
        sides = []
        for side, open_side in zip(self.bounds, (-np.inf, np.inf)):
            value = np.asarray(open_side if side is None else side)
            if value.dtype.kind not in "iuf" or value.shape not in ((), (m,)):
                raise ValueError(
                    f"bounds must be numbers or one number for each of the {m} coordinates. Got {self.bounds!r}."
                )
            sides.append(np.broadcast_to(value.astype(float), (m,)).copy())
        if not (sides[0] <= sides[1]).all():
            raise ValueError(f"bounds must have low <= high. Got {self.bounds!r} instead.")
        return sides[0], sides[1]

    def psi(self, z: Any) -> NDArray:
        t = (np.asarray(z, dtype=float) - self.origin_) / self.unit_
        square, one = np.sum(t**2, axis=-1, keepdims=True), np.ones((*t.shape[:-1], 1))
        return self.unit_**2 * np.concatenate([square, -2 * t, one], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        # c_0 |t|² - 2 <c_1, t>, one coordinate at a time: the vertex brought into Y, or the better end
        c0, c1 = c[..., :1], c[..., 1:-1]
        low, high = (self.low_ - self.origin_) / self.unit_, (self.high_ - self.origin_) / self.unit_
        vertex = np.clip(c1 / np.where(c0 > 0, c0, 1), low, high)
        end = np.where(low * (c0 * low - 2 * c1) <= high * (c0 * high - 2 * c1), low, high)
        return np.clip(self.origin_ + self.unit_ * np.where(c0 > 0, vertex, end), self.low_, self.high_)

    def expanded_to(self, low: NDArray, high: NDArray) -> Vectors:
        """Return the same space with Y enlarged to the box [low, high] in t, as far as the bounds allow."""
        found = copy(self)
        first, last = self._bounds(len(self.low_))
        found.low_ = np.minimum(self.low_, np.maximum(first, self.origin_ + self.unit_ * low))
        found.high_ = np.maximum(self.high_, np.minimum(last, self.origin_ + self.unit_ * high))
        return found

    def coordinates(self) -> list[OutputSpace]:
        ends = zip(self.low_.tolist(), self.high_.tolist())
        return [Reals(bounds=(low, high)).fit_summary(Range(low, high)) for low, high in ends]

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        return self.psi(random.uniform(self.low_, self.high_)[None])

    def format(self, z: NDArray) -> list[str]:
        return [f"[{', '.join(f'{v:.4g}' for v in row[:LISTED])}{', …' * (len(row) > LISTED)}]" for row in z.tolist()]

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import ScaledVectorDistance, VectorDistance

        return {score.name: score for score in (VectorDistance, ScaledVectorDistance)}
