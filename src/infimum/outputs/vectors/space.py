"""Vectors: a point of R^m, with the squared loss; the sets are boxes, balls, annuli or candidate points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..base import OutputSpace
from .base import VectorSets
from .boxes import Boxes
from .candidates import Candidates

if TYPE_CHECKING:
    from ...loss import Loss

FORMS = (
    "y is (n, m) values with NaN where a coordinate is unknown, (n, m, 2) bounds, a list with a point or a list of"
    " candidate points a row, or Boxes, Balls, Annuli or Candidates."
)


class Vectors(OutputSpace):
    """Y = [low, high]^m, a box, with l(z, y) = |z - y|²:  phi(y) = (1, t, |t|²), psi(z) = unit² (|t|², -2t, 1).

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

    def __init__(self, bounds: Any = None):
        self.bounds = bounds

    @staticmethod
    def unscaled(y: Any) -> Any:
        """y as sets, in units of its own."""
        if isinstance(y, VectorSets):
            return y
        if y is None:
            raise ValueError("This estimator requires y to be passed, but the target y is None.")
        if hasattr(y, "columns"):
            import narwhals.stable.v1 as nw

            y = nw.from_native(y, eager_only=True).to_numpy()
        if isinstance(y, list | tuple) and y and any(np.ndim(row) == 2 for row in y):
            return Candidates(y)
        array = np.asarray(y, dtype=float)
        if array.ndim == 2:
            unknown = np.isnan(array)
            return Boxes(np.where(unknown, -np.inf, array), np.where(unknown, np.inf, array))
        if array.ndim == 3 and array.shape[2] == 2:
            return Boxes(array[..., 0], array[..., 1])
        raise ValueError(f"Cannot read y of shape {array.shape} as vectors. {FORMS}")

    def fit(self, y: Any) -> Self:
        sets = self.unscaled(y)
        corners = np.concatenate(sets.box())
        finite = np.isfinite(corners)
        low = np.where(finite, corners, np.inf).min(axis=0, initial=np.inf)
        high = np.where(finite, corners, -np.inf).max(axis=0, initial=-np.inf)
        if self.bounds is not None:
            if len(self.bounds) != 2:
                raise ValueError(f"bounds must be a pair (low, high). Got {self.bounds!r} instead.")
            low, high = (np.broadcast_to(np.asarray(b, dtype=float), (sets.m,)).copy() for b in self.bounds)
        bad = np.flatnonzero(~(np.isfinite(low) & np.isfinite(high) & (low <= high)))
        if len(bad):
            raise ValueError(
                f"Y has no finite ends low <= high in coordinates {bad.tolist()}. Give them as bounds=(low, high)."
            )
        self.low_, self.high_ = low, high
        self.origin_ = (self.low_ + self.high_) / 2
        self.unit_ = float(((self.high_ - self.low_) / 2).max(initial=0.0)) or 1.0
        return self

    def read(self, y: Any, strict: bool = True) -> Any:
        sets = self.unscaled(y)
        if sets.m != len(self.origin_):
            raise ValueError(f"y has {sets.m} coordinates; {len(self.origin_)} were expected.")
        return sets.scaled(self.origin_, self.unit_)

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

    def probe(self, random: np.random.RandomState, d: int) -> NDArray:
        return self.psi(random.uniform(self.low_, self.high_)[None])

    def lower_bound(self, L: Loss, alpha: NDArray, z: NDArray) -> NDArray:
        """The minimum over Y of a quadratic below the objective, which touches it at z where sets are convex.

        alpha > 0: the infimum loss lies above its tangent for a convex set that holds S_i, the supremum above
        |x - y|² for the farthest y. alpha < 0: the infimum lies below |x - y|² for the nearest y, the supremum
        below (1 + R/r) |x - c|² + R² + R r for a ball (c, R) that holds S_i, r = |z - c|.
        """
        q, m = z.shape
        A, B, C = np.zeros(q), np.zeros((q, m)), np.zeros(q)
        first = 0
        if not all(isinstance(term.sets, VectorSets) for term in L.terms):
            return super().lower_bound(L, alpha, z)
        for term in L.terms:
            w = alpha[:, first : first + len(term)]
            first += len(term)
            for k in range(q):
                a, b, c = _below(term, w[k], z[k])
                A[k], B[k], C[k] = A[k] + a, B[k] + b, C[k] + c
        # A |x - z|² - 2 <B, x - z> + C over Y
        t = (z - self.origin_) / self.unit_
        u = self.unit_
        c0 = A * u**2
        c1 = B * u + c0[:, None] * t
        x = self.decode(np.column_stack([c0, c1, np.zeros(q)])) - z
        return A * (x**2).sum(axis=1) - 2 * (B * x).sum(axis=1) + C


def _below(part: Any, w: NDArray, z: NDArray) -> tuple[float, NDArray, float]:
    """a, b, c with sum_i w_i L(z + x, S_i) >= a |x|² - 2 <b, x> + c for every x."""
    sets, rows = part.sets, np.broadcast_to(z, (len(part), len(z)))
    up, down = np.maximum(w, 0), np.minimum(w, 0)
    if part.principle == "average":
        mean, spread = sets.moments()
        return w.sum(), w @ (mean - z), float(w @ (((z - mean) ** 2).sum(axis=1) + spread))
    if part.principle == "infimum":
        convex, near = sets.nearest_convex(rows) - z, sets.nearest(rows) - z
        value = up @ (convex**2).sum(axis=1) + down @ (near**2).sum(axis=1)
        return down.sum(), up @ convex + down @ near, float(value)
    far = sets.extreme(np.full(len(part), -1.0), 2 * rows) - z
    center, radius = sets.ball()
    away = center - z
    r = np.maximum(np.linalg.norm(away, axis=1), 1e-9 * np.where(radius > 0, radius, 1))
    grow = 1 + radius / r
    value = up @ (far**2).sum(axis=1) + down @ (grow * (away**2).sum(axis=1) + radius**2 + radius * r)
    return up.sum() + down @ grow, up @ far + (down * grow) @ away, float(value)
