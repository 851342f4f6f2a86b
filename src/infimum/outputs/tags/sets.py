"""PartialTags and HammingBalls: the sets of tags."""

from __future__ import annotations

from copy import copy
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from ...data.containers import ValueTable
from ...data.errors import BadRows, InputError, shown
from ..base import Embedding, OutputSpace, Sets, rows_of
from ..signs import PartialSigns, format_signs
from .forms import parse, signs


class _TagSets(Sets):
    """The embedding of sets over {-1, 1}^m, which depends on the tag_cost of the loss."""

    kind = "tags"
    tag_cost: float
    m: int

    def _phi(self, y: Any) -> NDArray:
        """Return the embedding phi(y) = ((y - tag_cost) / 2, m (1 + tag_cost) / 2)."""
        y = np.asarray(y, dtype=float)
        last = np.full((*y.shape[:-1], 1), self.m * (1 + self.tag_cost) / 2)
        return np.concatenate([(y - self.tag_cost) / 2, last], axis=-1)

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        return np.where(2 * phi[..., :-1] + self.tag_cost > 0, 1, -1)

    def with_tag_cost(self, tag_cost: float) -> Self:
        """Return the same sets with another cost of a tag."""
        found = copy(self)
        found.tag_cost = tag_cost
        return found

    def _check_tags(self, other: Any, *kinds: type) -> None:
        self._check_pair(other, *kinds)
        if self.m != other.m:
            raise InputError(f"Sets must be over the same tags. Got {self.m} tags and {other.m} tags.")


class PartialTags(_TagSets, PartialSigns):
    """Tags of which some are known.

    S_i = {y : y_j = values_ij wherever that is not 0}.

    Parameters
    ----------
    values : (n, m) in {-1, 0, 1}
        1 for a tag that is present, -1 for an absent one, 0 for unknown.
    tag_cost : float, default 0
        The cost of each predicted tag, between 0 and 1. Set it if only present tags are known.

    Examples
    --------
    >>> PartialTags([[1, -1, 0], [0, 0, 0]])
    <PartialTags of 3 tags: 2 rows, 33 % known>
    """

    size_unit = "unknown tags"

    def __init__(self, values: Any, *, tag_cost: float = 0.0):
        self.values = signs(values)
        self.tag_cost = tag_cost
        n, self.m = self.values.shape
        self.shape = (n,)

    def argmin(self, c: NDArray) -> NDArray:
        best = np.where(c[..., :-1] < 0, 1, -1)
        return self._phi(np.where(self.values == 0, best, self.values))

    def _check_comparable(self, other: Any) -> None:
        self._check_tags(other, PartialTags)

    def meets(self, other: Any) -> NDArray:
        return other.meets(self) if isinstance(other, HammingBalls) else super().meets(other)

    def contains_set(self, other: Any) -> NDArray:
        if not isinstance(other, HammingBalls):
            return super().contains_set(other)
        self._check_tags(other, HammingBalls)
        fixed = (other.radius == 0)[:, None]
        return ((self.values == 0) | (fixed & (self.values == other.centers))).all(axis=1)

    def format(self, row: int, names: Any = None) -> str:
        return format_signs(self.values[row], range(self.m) if names is None else names)


class HammingBalls(_TagSets):
    """Balls of tags: at most radius_i tags differ from center_i.

    With d the Hamming distance of z to the center, the infimum loss is max(0, d - r) and the supremum loss
    min(m, d + r); the average is over all members of the ball.

    Parameters
    ----------
    center : (n, m) in {-1, 1}
        The centers.
    radius : (n,) or int
        How many tags may differ.
    tag_cost : float, default 0
        The cost of each predicted tag, between 0 and 1. Set it if only present tags are known.

    Examples
    --------
    >>> HammingBalls([[1, -1, 1], [-1, -1, 1]], radius=[0, 1])
    <HammingBalls of 3 tags: 2 rows, mean radius 0.5>
    """

    size_unit = "tags that may differ"

    def __init__(self, center: Any, radius: Any, *, tag_cost: float = 0.0):
        table = parse(center)
        if not isinstance(table, ValueTable) or table.values.dtype.kind not in "biuf":
            raise InputError(f"The centers of balls have shape (n, m), one column per tag. Got {shown(center)}.")
        values = np.where(table.values, 1, -1) if table.values.dtype == bool else table.values
        n, self.m = values.shape
        bad = BadRows("y")
        for row in np.flatnonzero((table.missing | (np.abs(values) != 1)).any(axis=1)):
            bad.add(row, f"the center of a ball must be in {{-1, 1}}, got {shown(table.row(row))}")
        if np.ndim(radius) and np.shape(radius) != (n,):
            raise InputError(f"radius must be a number or have shape ({n},). Got shape {np.shape(radius)}.")
        given = np.broadcast_to(np.asarray(radius, dtype=float), (n,))
        self.radius = np.minimum(np.floor(given), self.m)
        for row in np.flatnonzero(~(self.radius >= 0)):
            bad.add(row, f"the radius of a ball must be a number >= 0, got {given[row]:g}")
        bad.raise_if_any("Partly known tags, with 0 for unknown, go into PartialTags.")
        self.centers = values.astype(np.int8)
        self.tag_cost = tag_cost
        self.shape = (n,)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> HammingBalls:
        rows = rows_of(rows, len(self))
        return HammingBalls(self.centers[rows], self.radius[rows], tag_cost=self.tag_cost)

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
        penalty = self.tag_cost * (z.sum(axis=1, keepdims=True) + self.m) / 2
        distance = (self.m - z @ self.centers.T.astype(float)) / 2
        if principle == "infimum":
            return np.maximum(0, distance - self.radius) + penalty
        if principle == "supremum":
            return np.minimum(self.m, distance + self.radius) + penalty
        flipped = (1 - self._shrink) / 2
        return distance * (1 - flipped) + (self.m - distance) * flipped + penalty

    def meets(self, other: Any) -> NDArray:
        self._check_tags(other, PartialTags, HammingBalls)
        if isinstance(other, HammingBalls):
            return (self.centers != other.centers).sum(axis=1) <= self.radius + other.radius
        return self._spent(other) <= self.radius

    def contains_set(self, other: Any) -> NDArray:
        self._check_tags(other, PartialTags, HammingBalls)
        farthest = (
            self._spent(other) + other.size
            if isinstance(other, PartialTags)
            else (np.minimum((self.centers != other.centers).sum(axis=1) + other.radius, self.m))
        )
        return farthest <= self.radius

    def _spent(self, tags: PartialTags) -> NDArray:
        """Return the number of known tags that differ from the center, (n,)."""
        return (tags.values * self.centers < 0).sum(axis=1)

    def join(self, other: Any) -> HammingBalls:
        if not isinstance(other, HammingBalls):
            raise InputError(f"HammingBalls can be joined with HammingBalls only. Got {type(other).__name__}.")
        centers, radius = np.vstack([self.centers, other.centers]), np.concatenate([self.radius, other.radius])
        return HammingBalls(centers, radius, tag_cost=self.tag_cost)

    @property
    def is_exact(self) -> NDArray:
        return self.radius == 0

    @property
    def size(self) -> NDArray:
        """The radius."""
        return self.radius.astype(float)

    def bits(self) -> NDArray:
        members = np.cumsum(comb(self.m, np.arange(self.m + 1)))
        return self.m - np.log2(members[self.radius.astype(int)])

    def format(self, row: int, names: Any = None) -> str:
        center = format_signs(self.centers[row], range(self.m) if names is None else names, absent=False)
        return f"within {self.radius[row]:.0f} of {center}"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.column_stack([self.centers, self.radius])

    def __repr__(self) -> str:
        mean = self.radius.mean() if len(self) else 0
        return f"<HammingBalls of {self.m} tags: {len(self)} rows, mean radius {mean:.3g}>"
