"""Hamming balls some of whose tags are known: what is left of a ball when tags are confirmed or ruled out."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from ..base import Embedding, rows_of
from ..pairs import refuse_empty, refuse_shape, signs_text
from .sets import HammingBalls, PartialTags, _same_tags, _TagSets


class KnownBalls(_TagSets):
    """{y : y_j = known_ij where that is not 0, and at most radius_i of the other tags differ from center_i}.

    Parameters
    ----------
    known : (n, m) in {-1, 0, 1}
        Signs; 0 is unknown.
    centers : (n, m) in {-1, 1}
        The centers.
    radius : (n,)
        How many of the unknown tags may differ.
    epsilon : float, default 0
        The price of a tag.

    Examples
    --------
    >>> left = HammingBalls([[1, 1, 1]], 1).intersect(PartialTags([[-1, 0, 0]]))
    >>> left, left.contains(np.array([[-1, 1, 1]])), left.contains(np.array([[-1, -1, 1]]))
    (<KnownBalls of 3 tags: 1 rows, 33 % known, mean radius 0>, array([ True]), array([False]))
    """

    def __init__(self, known: NDArray, centers: NDArray, radius: NDArray, *, epsilon: float = 0.0):
        self.values = np.asarray(known, dtype=np.int8)
        self.centers = np.where(self.values != 0, self.values, centers).astype(np.int8)
        self.free = self.values == 0
        self.radius = np.minimum(np.asarray(radius, dtype=float), self.free.sum(axis=1))
        self.epsilon = epsilon
        n, self.m = self.values.shape
        self.shape = (n,)

    def __getitem__(self, rows: Any) -> KnownBalls:
        rows = rows_of(rows, len(self))
        return KnownBalls(self.values[rows], self.centers[rows], self.radius[rows], epsilon=self.epsilon)

    def with_epsilon(self, epsilon: float) -> KnownBalls:
        """The same sets at another price of a tag."""
        return KnownBalls(self.values, self.centers, self.radius, epsilon=epsilon)

    @property
    def is_unlabelled(self) -> NDArray:
        return self.radius == self.m

    def argmin(self, c: NDArray) -> NDArray:
        # as for balls, but that known tags are never flipped
        gain = np.where(self.free, c[..., :-1] * self.centers, -np.inf)
        rank = np.argsort(np.argsort(-gain, axis=-1, kind="stable"), axis=-1, kind="stable")
        flip = (gain > 0) & (rank < self.radius[:, None])
        return self._phi(np.where(flip, -self.centers, self.centers))

    @cached_property
    def _shrink(self) -> NDArray:
        """E[y_j] / center_j over the ball of the free tags, (n,)."""
        k = np.arange(self.m + 1)
        out = np.ones(len(self))
        for f in np.unique(self.free.sum(axis=1)):
            rows = np.flatnonzero(self.free.sum(axis=1) == f)
            members, flips = np.cumsum(comb(f, k)), np.cumsum(comb(f - 1, k - 1)) if f else np.zeros(self.m + 1)
            out[rows] = (1 - 2 * flips / members)[self.radius[rows].astype(int)]
        return out

    def center(self) -> NDArray:
        return self._phi(np.where(self.free, self.centers * self._shrink[:, None], self.centers))

    def contains(self, z: NDArray) -> NDArray:
        wrong = self.centers != z
        return ((wrong & self.free).sum(axis=-1) <= self.radius) & ~(wrong & ~self.free).any(axis=-1)

    def embed(self, principle: str) -> Embedding | None:
        if principle == "average" or not self.radius.any():
            return Embedding(self.center(), np.zeros(len(self)))
        return None

    def _others(self, other: Any) -> KnownBalls:
        _same_tags(self, other, KnownBalls, HammingBalls, PartialTags)
        if isinstance(other, PartialTags):
            free = (other.values == 0).sum(axis=1)
            return KnownBalls(other.values, np.where(other.values == 0, self.centers, other.values), free)
        return other if isinstance(other, KnownBalls) else other.known()

    def _told(self, values: NDArray) -> tuple[KnownBalls, NDArray]:
        """The ball once these tags are known too, and where nothing is left, (n,)."""
        new = self.free & (values != 0)
        spent = (new & (values != self.centers)).sum(axis=1)
        against = (self.values * values < 0).any(axis=1) | (spent > self.radius)
        known = np.where(self.free, values, self.values)
        return KnownBalls(known, self.centers, np.maximum(self.radius - spent, 0), epsilon=self.epsilon), against

    def _shared(self, other: Any) -> tuple[KnownBalls, NDArray, NDArray]:
        """The intersection, where it is empty, and where it is no ball, (n,) each."""
        theirs = self._others(other)
        a, empty = self._told(theirs.values)
        b, void = theirs._told(self.values)
        apart = (a.free & (a.centers != b.centers)).sum(axis=1)
        empty |= void | (apart > a.radius + b.radius)
        free = a.free.sum(axis=1)
        first = (apart + a.radius <= b.radius) | (b.radius >= free)  # a lies in b
        second = (apart + b.radius <= a.radius) | (a.radius >= free)
        one = (first & ~(b.radius < a.radius) | ~second)[:, None]
        centers, radius = np.where(one, a.centers, b.centers), np.where(one[:, 0], a.radius, b.radius)
        left = KnownBalls(a.values, centers, radius, epsilon=self.epsilon)
        return left, empty, ~empty & ~first & ~second

    def meets(self, other: Any) -> NDArray:
        return ~self._shared(other)[1]

    def intersect(self, other: Any) -> KnownBalls:
        left, empty, shapeless = self._shared(other)
        refuse_empty(self, other, empty)
        if shapeless.any():
            refuse_shape(self, other, shapeless, "ball")
        return left

    def join(self, other: Any) -> KnownBalls:
        parts = [self, self._kind(other)]
        known, centers = (np.vstack([getattr(p, name) for p in parts]) for name in ("values", "centers"))
        return KnownBalls(known, centers, np.concatenate([p.radius for p in parts]), epsilon=self.epsilon)

    @staticmethod
    def _kind(other: Any) -> Any:
        return other.known() if isinstance(other, HammingBalls) else other

    def format(self, row: int) -> str:
        ball = f"a ball of radius {self.radius[row]:g} around {self.centers[row].tolist()}"
        return f"{ball} with {signs_text(self.values[row], 'tag')}" if self.values[row].any() else ball

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        """(n, 2 m + 1): known tags, centers, radius."""
        return np.column_stack([self.values, self.centers, self.radius])

    def __repr__(self) -> str:
        known = 100 * np.mean(self.values != 0) if self.values.size else 0
        mean = self.radius.mean() if len(self) else 0
        return f"<KnownBalls of {self.m} tags: {len(self)} rows, {known:.0f} % known, mean radius {mean:.3g}>"
