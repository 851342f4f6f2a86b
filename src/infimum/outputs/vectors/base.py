"""What sets of R^m share under the squared loss: embedding, projections, distances."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import gen_batches

from ...data.errors import InputError, shown
from ..base import Embedding, Sets
from ..numbers.sets import Intervals

CELLS = 2**22  # coordinates of projections held at a time: 32 MiB


class VectorSets(Sets):
    """Sets of R^m under l(z, y) = |z - y|²; with t = (y - origin) / unit, phi(y) = (1, t, |t|²).

    A kind of set gives its projection `nearest`, the minimiser `extreme` of concave objectives, its `moments`, and the
    box around it.
    """

    kind = "vector"
    size_unit = "radius"
    """Half the diagonal of the smallest box around S_i, or the radius of a ball."""
    m: int
    origin: Any = 0.0
    unit: float = 1.0

    @abstractmethod
    def nearest(self, z: NDArray) -> NDArray:
        """Return the point of S_i nearest to z_i: (..., n, m) -> (..., n, m)."""

    @abstractmethod
    def extreme(self, a: NDArray, b: NDArray) -> NDArray:
        """Return argmin over y in S_i of a_i |y|² + <b_i, y>, for a_i <= 0: (..., n), (..., n, m) -> (..., n, m)."""

    @abstractmethod
    def moments(self) -> tuple[NDArray, NDArray]:
        """Return the means of y, (n, m), and of |y - mean|², (n,), over S_i."""

    @abstractmethod
    def box(self) -> tuple[NDArray, NDArray]:
        """Return the smallest box that contains S_i: lower and upper corners, (n, m)."""

    def middle(self) -> NDArray:
        """Return the points from which alternation starts, (n, m)."""
        return self.moments()[0]

    def scaled(self, origin: NDArray, unit: float) -> Any:
        """Return the same sets, with the loss embedded in these units."""
        out = self[:]
        out.origin, out.unit = origin, unit
        return out

    def _like(self, other: Any) -> Any:
        self.origin, self.unit = other.origin, other.unit
        return self

    def __len__(self) -> int:
        return self.shape[0]

    def phi(self, y: NDArray) -> NDArray:
        """Return the embedding of the squared loss, (1, t, |t|²) with t = (y - origin) / unit."""
        t = (y - self.origin) / self.unit
        return np.concatenate([np.ones((*t.shape[:-1], 1)), t, np.sum(t**2, axis=-1, keepdims=True)], axis=-1)

    def argmin(self, c: NDArray) -> NDArray:
        # a |t|² + <b, t>: the projection of the vertex -b / 2a where a > 0, otherwise an extreme point
        a, b = c[..., -1], c[..., 1:-1]
        convex = a > 0
        y = self.nearest(self.origin - self.unit * b / np.where(convex, 2 * a, 1.0)[..., None])
        if not convex.all():
            flat = np.minimum(a, 0) / self.unit**2
            y = np.where(convex[..., None], y, self.extreme(flat, b / self.unit - 2 * flat[..., None] * self.origin))
        return self.phi(y)

    def distance(self, z: Any) -> NDArray:
        """Return the distance of z_i to S_i, (n,)."""
        z = np.asarray(z, dtype=float)
        return np.linalg.norm(z - self.nearest(z), axis=-1)

    def farthest(self, z: Any) -> NDArray:
        """Return the distance of z_i to the farthest point of S_i, (n,)."""
        z = np.asarray(z, dtype=float)
        return np.linalg.norm(z - self.extreme(np.full(z.shape[:-1], -1.0), 2 * z), axis=-1)

    def contains(self, z: NDArray) -> NDArray:
        # a projection is rounded: what it gives is in the set
        z = np.asarray(z, dtype=float)
        return self.distance(z) <= self._rounding(z)

    def _rounding(self, z: NDArray) -> NDArray:
        """Return the rounding error of a distance to z, (n,)."""
        return 32 * np.finfo(float).eps * (self.unit + np.abs(self.origin).max() + np.abs(z).max(axis=-1))

    def center(self) -> NDArray:
        mean, spread = self.moments()
        out = self.phi(mean)
        out[:, -1] += spread / self.unit**2
        return out

    def start(self) -> NDArray:
        return self.phi(self.middle())

    def contains_set(self, other: Any) -> NDArray:
        from .candidates import CandidatePoints

        self._check_pair(other, VectorSets)
        if isinstance(other, CandidatePoints):
            return np.bincount(other.row[~self[other.row].contains(other.points)], minlength=len(self)) == 0
        return self._contains_set(other)

    def _contains_set(self, other: VectorSets) -> NDArray:
        """Return the same as `contains_set`, for sets other than candidate points."""
        raise InputError(f"{type(self).__name__} cannot be compared with {type(other).__name__}. Use Boxes or Balls.")

    @property
    def is_bounded(self) -> NDArray:
        low, high = self.box()
        return np.isfinite(low).all(axis=1) & np.isfinite(high).all(axis=1)

    @property
    def size(self) -> NDArray:
        low, high = self.box()
        return np.linalg.norm((high - low) / 2, axis=1)

    def bits(self) -> NDArray:
        """Return the sum over coordinates of the bits of the smallest box around S_i."""
        low, high = self.box()
        sides = [Intervals(np.column_stack(side)).bits() for side in zip(low.T, high.T)]
        return np.sum(sides, axis=0) if sides else np.zeros(len(self))

    @property
    def is_exact(self) -> NDArray:
        low, high = self.box()
        return (low == high).all(axis=-1)

    @property
    def is_unlabelled(self) -> NDArray:
        """Rows that allow all of R^m."""
        return np.zeros(len(self), dtype=bool)

    def embed(self, principle: str) -> Embedding | None:
        if principle == "average":
            return Embedding(self.center(), np.zeros(len(self)))
        unlabelled = self.is_unlabelled if principle == "infimum" else np.zeros(len(self), dtype=bool)
        if (self.is_exact | unlabelled).all():
            return Embedding(np.where(unlabelled[:, None], 0.0, self.start()), np.zeros(len(self)))
        return None

    def rowwise_loss(self, psi: NDArray, principle: str) -> NDArray:
        if principle == "average":
            return super().rowwise_loss(psi, principle)
        far = self.distance if principle == "infimum" else self.farthest
        return far(self.origin - psi[:, 1:-1] / (2 * self.unit)) ** 2

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        if principle == "average":
            return super().loss(psi, principle)
        z = self.origin - psi[:, 1:-1] / (2 * self.unit)
        far = self.distance if principle == "infimum" else self.farthest
        out = np.empty((len(z), len(self)))
        for rows in gen_batches(len(z), max(1, CELLS // max(1, len(self) * self.m))):
            out[rows] = far(np.repeat(z[rows, None, :], len(self), axis=1)) ** 2
        return out


def numbers(values: Any, name: str) -> NDArray:
    """Return a new array of numbers; raise an error that names the argument otherwise."""
    try:
        return np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise InputError(f"{name} must be an array of numbers. Got {shown(values)}.") from None
