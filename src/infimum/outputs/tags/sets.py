"""Partly known tags, and Hamming balls."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from ...data.containers import Table
from ...data.errors import BadRows, InputError, shown
from ..base import Embedding, OutputSpace, Profiles, Sets, rows_of
from ..pairs import check_pair, signs_shared, signs_text
from .forms import parse, signs


class _TagSets(Sets):
    """What sets over {-1, 1}^m share: m tags and the epsilon of the loss."""

    epsilon: float
    m: int

    def _phi(self, y: Any) -> NDArray:
        """phi(y) = ((y - epsilon) / 2, m (1 + epsilon) / 2)."""
        y = np.asarray(y, dtype=float)
        last = np.full((*y.shape[:-1], 1), self.m * (1 + self.epsilon) / 2)
        return np.concatenate([(y - self.epsilon) / 2, last], axis=-1)

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        return np.where(2 * phi[..., :-1] + self.epsilon > 0, 1, -1)

    def __len__(self) -> int:
        return self.shape[0]


class PartialTags(_TagSets):
    """Some tags known to be there (1) or not (-1), the others unknown (0): {y : y_j = values_ij where known}.

    Parameters
    ----------
    values : (n, m) in {-1, 0, 1}
        Signs; 0 is unknown.
    epsilon : float, default 0
        The price of a tag.

    Examples
    --------
    >>> PartialTags([[1, -1, 0], [0, 0, 0]])
    <PartialTags of 3 tags: 2 rows, 33 % known>
    """

    def __init__(self, values: Any, *, epsilon: float = 0.0):
        self.values = signs(values)
        self.epsilon = epsilon
        n, self.m = self.values.shape
        self.shape = (n,)

    def __getitem__(self, rows: Any) -> PartialTags:
        return PartialTags(self.values[rows_of(rows, len(self))], epsilon=self.epsilon)

    def with_epsilon(self, epsilon: float) -> PartialTags:
        """The same sets at another price of a tag."""
        return PartialTags(self.values, epsilon=epsilon)

    def argmin(self, c: NDArray) -> NDArray:
        best = np.where(c[..., :-1] < 0, 1, -1)
        return self._phi(np.where(self.values == 0, best, self.values))

    def center(self) -> NDArray:
        return self._phi(self.values)

    def options(self) -> NDArray:
        """Two options a tag: absent, present."""
        return np.stack([self.values <= 0, self.values >= 0], axis=-1)

    def expected(self, q: NDArray) -> NDArray:
        return self._phi(q[..., 1] - q[..., 0])

    def option_of(self, z: NDArray) -> NDArray:
        return (np.asarray(z) > 0).astype(int)

    @property
    def is_unlabelled(self) -> NDArray:
        return (self.values == 0).all(axis=-1)

    def contains(self, z: NDArray) -> NDArray:
        return np.all((self.values == 0) | (self.values == z), axis=-1)

    def embed(self, principle: str) -> Embedding:
        # an unknown tag costs 0 (infimum), 1/2 (average) or 1 (supremum), whatever z
        unknown = (self.values == 0).sum(axis=-1)
        shift = {"infimum": -0.5, "average": 0.0, "supremum": 0.5}[principle]
        return Embedding(self.center(), shift * unknown)

    def agreement(self, z: NDArray) -> NDArray:
        known = self.values != 0
        right = (known & (self.values == z)).sum(axis=-1)
        return np.where(known.any(axis=-1), right / np.maximum(known.sum(axis=-1), 1), 1.0)

    def meets(self, other: Any) -> NDArray:
        if not isinstance(other, PartialTags):
            return other.meets(self)
        _same_tags(self, other, PartialTags)
        return (self.values * other.values >= 0).all(axis=1)

    def intersect(self, other: Any) -> Any:
        """What both say about the tags; with balls, `KnownBalls`.

        >>> PartialTags([[1, 0, 0]]).intersect(PartialTags([[0, -1, 0]])).values
        array([[ 1, -1,  0]], dtype=int8)
        """
        if not isinstance(other, PartialTags):
            return other.intersect(self)
        _same_tags(self, other, PartialTags)
        return PartialTags(signs_shared(self, other, self.values, other.values), epsilon=self.epsilon)

    def join(self, other: Any) -> PartialTags:
        return PartialTags(np.vstack([self.values, other.values]), epsilon=self.epsilon)

    def format(self, row: int) -> str:
        return signs_text(self.values[row], "tag")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.values, dtype=dtype)

    def __repr__(self) -> str:
        known = 100 * np.mean(self.values != 0) if self.values.size else 0
        return f"<PartialTags of {self.m} tags: {len(self)} rows, {known:.0f} % known>"


class HammingBalls(_TagSets):
    """B(center_i, radius_i) = {y : at most radius_i tags differ from center_i}.

    infimum max(0, d - r), supremum min(m, d + r), where d is the Hamming distance of z to the center; the average is
    exact over the ball.

    Parameters
    ----------
    center : (n, m) in {-1, 1}
        The centers.
    radius : (n,) or int
        How many tags may differ.
    epsilon : float, default 0
        The price of a tag.

    Examples
    --------
    >>> HammingBalls([[1, -1, 1], [-1, -1, 1]], radius=[0, 1])
    <HammingBalls of 3 tags: 2 rows, mean radius 0.5>
    """

    def __init__(self, center: Any, radius: Any, *, epsilon: float = 0.0):
        table = parse(center)
        if not isinstance(table, Table) or table.values.dtype.kind not in "biuf":
            raise InputError(f"The centers of balls have shape (n, m), one column a tag. Got {shown(center)}.")
        values = np.where(table.values, 1, -1) if table.values.dtype == bool else table.values
        n, self.m = values.shape
        bad = BadRows("y")
        for row in np.flatnonzero((table.missing | (np.abs(values) != 1)).any(axis=1)):
            bad.add(row, f"the center of a ball must be in {{-1, 1}}, got {shown(table.row(row))}")
        if np.ndim(radius) and np.shape(radius) != (n,):
            raise InputError(f"radius must be a number, or one a row: shape ({n},). Got shape {np.shape(radius)}.")
        given = np.broadcast_to(np.asarray(radius, dtype=float), (n,))
        self.radius = np.minimum(np.floor(given), self.m)
        for row in np.flatnonzero(~(self.radius >= 0)):
            bad.add(row, f"the radius of a ball must be a number >= 0, got {given[row]:g}")
        bad.refuse("Partly known tags, with 0 for unknown, go into PartialTags.")
        self.centers = values.astype(np.int8)
        self.epsilon = epsilon
        self.shape = (n,)

    def __getitem__(self, rows: Any) -> HammingBalls:
        rows = rows_of(rows, len(self))
        return HammingBalls(self.centers[rows], self.radius[rows], epsilon=self.epsilon)

    def with_epsilon(self, epsilon: float) -> HammingBalls:
        """The same sets at another price of a tag."""
        return HammingBalls(self.centers, self.radius, epsilon=epsilon)

    @property
    def is_unlabelled(self) -> NDArray:
        return self.radius == self.m

    def argmin(self, c: NDArray) -> NDArray:
        # flipping tag j of the center gains c_j center_j: flip the radius_i largest gains
        gain = c[..., :-1] * self.centers
        rank = np.argsort(np.argsort(-gain, axis=-1, kind="stable"), axis=-1, kind="stable")
        flip = (gain > 0) & (rank < self.radius[:, None])
        return self._phi(np.where(flip, -self.centers, self.centers))

    @cached_property
    def _shrink(self) -> NDArray:
        """E[y_j] / center_j over the ball: 1 - 2 P(tag j is flipped)."""
        k = np.arange(self.m + 1)
        members, flips = np.cumsum(comb(self.m, k)), np.cumsum(comb(self.m - 1, k - 1))
        return (1 - 2 * flips / members)[self.radius.astype(int)]

    def center(self) -> NDArray:
        return self._phi(self.centers * self._shrink[:, None])

    def contains(self, z: NDArray) -> NDArray:
        return (self.centers != z).sum(axis=-1) <= self.radius

    def embed(self, principle: str) -> Embedding | None:
        if principle == "average" or not self.radius.any():
            return Embedding(self.center(), np.zeros(len(self)))
        return None

    def loss(self, psi: NDArray, principle: str) -> NDArray:
        z = -psi[:, :-1]
        penalty = self.epsilon * (z.sum(axis=1, keepdims=True) + self.m) / 2
        distance = (self.m - z @ self.centers.T.astype(float)) / 2
        return self.of_distance(distance, principle) + penalty

    def profiles(self, principle: str) -> Profiles:
        distances = np.arange(self.m + 1.0)[:, None]
        return Profiles(self.centers.astype(float), self.of_distance(distances, principle).T, self.epsilon)

    def of_distance(self, d: NDArray, principle: str) -> NDArray:
        """L as a function of the distance d to the center, (..., n)."""
        if principle == "infimum":
            return np.maximum(0, d - self.radius)
        if principle == "supremum":
            return np.minimum(self.m, d + self.radius)
        flipped = (1 - self._shrink) / 2
        return d * (1 - flipped) + (self.m - d) * flipped

    def known(self) -> Any:
        """The same sets as `KnownBalls` in which no tag is known."""
        from .known_balls import KnownBalls

        return KnownBalls(np.zeros_like(self.centers), self.centers, self.radius, epsilon=self.epsilon)

    def meets(self, other: Any) -> NDArray:
        return self.known().meets(other)

    def intersect(self, other: Any) -> Any:
        return self.known().intersect(other)

    def join(self, other: Any) -> Any:
        if not isinstance(other, HammingBalls):
            return self.known().join(other)
        centers, radius = np.vstack([self.centers, other.centers]), np.concatenate([self.radius, other.radius])
        return HammingBalls(centers, radius, epsilon=self.epsilon)

    def format(self, row: int) -> str:
        return f"a ball of radius {self.radius[row]:g} around {self.centers[row].tolist()}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.column_stack([self.centers, self.radius])

    def __repr__(self) -> str:
        mean = self.radius.mean() if len(self) else 0
        return f"<HammingBalls of {self.m} tags: {len(self)} rows, mean radius {mean:.3g}>"


def _same_tags(a: Any, b: Any, *kinds: type) -> None:
    check_pair(a, b, *kinds)
    if a.m != b.m:
        raise InputError(f"Sets of {a.m} tags and of {b.m} tags have no intersection.")
