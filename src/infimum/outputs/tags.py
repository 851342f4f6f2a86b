"""Tags: any number of m tags, with the Hamming loss; the sets are partly known tags or Hamming balls."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import cached_property
from itertools import combinations, product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import comb

from .._rows import BadRows
from .._warnings import InfimumWarning
from .base import Embedding, OutputSpace, Sets, rows_of
from .labels import _is_missing

FORMS = (
    'A row of y is {"red": True, "round": False}, "+red -round", or a row of an (n, m) array with 1 (has the tag),'
    " -1 (has it not), 0 or NaN (unknown); None where nothing is known."
)


class Tags(OutputSpace):
    """Y = {-1, 1}^m with l(z, y) = #{j : z_j != y_j} + epsilon #{j : z_j = 1}.

    psi(z) = (-z, 1), phi(y) = ((y - epsilon) / 2, m (1 + epsilon) / 2).

    Parameters
    ----------
    tags : int or list, optional
        How many tags, or their names; by default those of y.
    k : int, optional
        Predict exactly k tags: the k best scores (App. B.3.1).
    epsilon : float, default 0
        What it costs to give a tag: scores are compared with epsilon instead of 0 (App. B.3.1). With `k`, one of the
        two remedies for positive-only tags, where giving every tag would cost nothing.

    Examples
    --------
    >>> space = Tags().fit(["+red -round", "+round"])
    >>> space.as_sets(["+red", None]).values
    array([[1, 0],
           [0, 0]], dtype=int8)
    """

    def __init__(self, tags: Any = None, k: int | None = None, epsilon: float = 0.0):
        self.tags = tags
        self.k = k
        self.epsilon = epsilon

    def fit(self, y: Any) -> Self:
        if self.tags is not None:
            self.tags_ = np.arange(self.tags) if isinstance(self.tags, int | np.integer) else np.asarray(self.tags)
        else:
            self.tags_ = _tags_of(y)
        m = len(self.tags_)
        if m == 0:
            raise ValueError("y names no tag at all. Give tags=[…].")
        if self.k is not None and not 0 <= self.k <= m:
            raise ValueError(f"k must be between 0 and the number of tags, {m}. Got {self.k!r}.")
        if not self.epsilon >= 0:
            raise ValueError(f"epsilon must be a number >= 0. Got {self.epsilon!r}.")
        self.boolean_ = _is_boolean(y)
        self.size = comb(m, self.k, exact=True) if self.k is not None else 2.0**m if m < 1024 else math.inf
        return self

    def as_sets(self, y: Any, strict: bool = True) -> Sets:
        m = len(self.tags_)
        if isinstance(y, PartialTags | HammingBalls):
            if y.m != m:
                raise ValueError(f"The sets have {y.m} tags; {m} were expected: {self.tags_.tolist()[:10]}.")
            return y.with_epsilon(self.epsilon)
        return PartialTags(self._read(y, strict), epsilon=self.epsilon)

    def check(self, sets: Sets) -> None:
        """Warn where tags are only ever confirmed, or only ever ruled out."""
        if self.k is not None or self.epsilon or not isinstance(sets, PartialTags):
            return
        for sign, given, missing in ((1, "present", "absent"), (-1, "absent", "present")):
            if (sets.values == sign).any() and not (sets.values == -sign).any():
                warnings.warn(
                    f"No tag of y is ever said to be {missing}: calling every tag {given} then costs nothing, and that"
                    " is what will be learned. Predict a fixed number of tags with k=, make tags cost something with"
                    " epsilon=, or say which tags are absent (0 means unknown here: if your 0 means absent, pass a"
                    " boolean array).",
                    InfimumWarning,
                    stacklevel=4,
                )

    def psi(self, z: Any) -> NDArray:
        z = np.asarray(z, dtype=float)
        return np.concatenate([-z, np.ones((*z.shape[:-1], 1))], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        c = c[..., :-1]
        if self.k is None:
            return np.where(c > 0, 1, -1)
        z = np.full(c.shape, -1)
        np.put_along_axis(z, np.argsort(-c, axis=-1, kind="stable")[..., : self.k], 1, axis=-1)
        return z

    def outputs(self) -> NDArray:
        m = len(self.tags_)
        if self.k is None:
            return np.array(list(product((-1, 1), repeat=m)))
        z = np.full((int(self.size), m), -1)
        for row, positive in enumerate(combinations(range(m), self.k)):
            z[row, list(positive)] = 1
        return z

    def readable(self, z: NDArray) -> NDArray:
        return z > 0 if self.boolean_ else z

    def _read(self, y: Any, strict: bool) -> NDArray:
        """(n, m) in {-1, 0, 1}."""
        array = _array_of(y)
        if array is not None:
            if array.ndim != 2 or array.shape[1] != len(self.tags_):
                raise ValueError(
                    f"y must have one column for each of the {len(self.tags_)} tags. Got shape {array.shape}. {FORMS}"
                )
            return _signs(array)
        where = {tag: k for k, tag in enumerate(self.tags_.tolist())}
        values = np.zeros((len(y), len(where)), dtype=np.int8)
        bad = BadRows("y")
        for row, cell in enumerate(y):
            try:
                known = _cell(cell)
            except ValueError as error:
                bad.add(row, str(error))
                continue
            for tag, positive in known.items():
                if tag in where:
                    values[row, where[tag]] = 1 if positive else -1
                elif strict:
                    bad.add(row, f"unknown tag {tag!r}")
        bad.refuse(f"The tags are {self.tags_.tolist()[:10]}. {FORMS}")
        return values


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

    >>> PartialTags([[1, -1, 0], [0, 0, 0]])
    <PartialTags of 3 tags: 2 rows, 33 % known>
    """

    def __init__(self, values: Any, *, epsilon: float = 0.0):
        self.values = _signs(np.asarray(values))
        self.epsilon = epsilon
        n, self.m = self.values.shape
        self.shape = (n,)

    def __getitem__(self, rows: Any) -> PartialTags:
        return PartialTags(self.values[rows_of(rows, len(self))], epsilon=self.epsilon)

    def with_epsilon(self, epsilon: float) -> PartialTags:
        return PartialTags(self.values, epsilon=epsilon)

    def argmin(self, c: NDArray) -> NDArray:
        best = np.where(c[..., :-1] < 0, 1, -1)
        return self._phi(np.where(self.values == 0, best, self.values))

    def center(self) -> NDArray:
        return self._phi(self.values)

    def candidates(self) -> NDArray:
        """Two options a tag: absent, present."""
        return np.stack([self.values <= 0, self.values >= 0], axis=-1)

    def expected(self, q: NDArray) -> NDArray:
        return self._phi(q[..., 1] - q[..., 0])

    @property
    def is_unknown(self) -> NDArray:
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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.values, dtype=dtype)

    def __repr__(self) -> str:
        known = 100 * np.mean(self.values != 0) if self.values.size else 0
        return f"<PartialTags of {self.m} tags: {len(self)} rows, {known:.0f} % known>"


class HammingBalls(_TagSets):
    """B(center_i, radius_i) = {y : at most radius_i tags differ from center_i}.

    infimum max(0, d - r), supremum min(m, d + r), where d is the Hamming distance of z to the center; the average is
    exact over the ball.

    >>> HammingBalls([[1, -1, 1], [-1, -1, 1]], radius=[0, 1])
    <HammingBalls of 3 tags: 2 rows, mean radius 0.5>
    """

    def __init__(self, center: Any, radius: Any, *, epsilon: float = 0.0):
        center = np.asarray(center)
        if center.dtype == bool:
            center = np.where(center, 1, -1)
        self.centers = center.astype(np.int8)
        n, self.m = self.centers.shape
        bad = BadRows("y")
        for row in np.flatnonzero((np.abs(center) != 1).any(axis=1)):
            bad.add(row, f"the center of a ball must be in {{-1, 1}}, got {center[row].tolist()}")
        self.radius = np.minimum(np.floor(np.broadcast_to(np.asarray(radius, dtype=float), (n,))), self.m)
        for row in np.flatnonzero(~(self.radius >= 0)):
            bad.add(row, f"the radius of a ball must be a number >= 0, got {np.broadcast_to(radius, (n,))[row]}")
        bad.refuse("Partly known tags, with 0 for unknown, go into PartialTags.")
        self.epsilon = epsilon
        self.shape = (n,)

    def __getitem__(self, rows: Any) -> HammingBalls:
        rows = rows_of(rows, len(self))
        return HammingBalls(self.centers[rows], self.radius[rows], epsilon=self.epsilon)

    def with_epsilon(self, epsilon: float) -> HammingBalls:
        return HammingBalls(self.centers, self.radius, epsilon=epsilon)

    @property
    def is_unknown(self) -> NDArray:
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

    def of_distance(self, d: NDArray, principle: str) -> NDArray:
        """L as a function of the distance d to the center, (..., n)."""
        if principle == "infimum":
            return np.maximum(0, d - self.radius)
        if principle == "supremum":
            return np.minimum(self.m, d + self.radius)
        flipped = (1 - self._shrink) / 2
        return d * (1 - flipped) + (self.m - d) * flipped

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.column_stack([self.centers, self.radius])

    def __repr__(self) -> str:
        mean = self.radius.mean() if len(self) else 0
        return f"<HammingBalls of {self.m} tags: {len(self)} rows, mean radius {mean:.3g}>"


def _array_of(y: Any) -> NDArray | None:
    """y as an array where it is one, or a frame, or a list of numeric rows; None where it is a list of cells."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    if not hasattr(y, "__len__") and hasattr(y, "__array__"):
        y = np.asarray(y)
    if isinstance(y, str) or not hasattr(y, "__len__"):
        raise ValueError(f"Expected an array-like (array or non-string sequence) of tags. Got {y!r}. {FORMS}")
    if sparse.issparse(y):
        return y.toarray()
    if hasattr(y, "columns"):
        import narwhals.stable.v1 as nw

        return nw.from_native(y, eager_only=True).to_numpy()
    if hasattr(y, "to_numpy"):
        y = y.to_numpy()
    if isinstance(y, np.ndarray):
        if y.dtype != object:
            return y
        if y.ndim == 2:
            return np.array([[np.nan if _is_missing(v) else v for v in row] for row in y], dtype=float)
        return None
    if len(y) and all(isinstance(row, list | tuple | np.ndarray) for row in y):
        return (
            np.array([[np.nan if _is_missing(v) else v for v in row] for row in y])
            if not _is_boolean(y)
            else np.array(y)
        )
    return None


def _signs(values: NDArray) -> NDArray:
    """{-1, 0, 1} from booleans, or from numbers with NaN for unknown."""
    if values.ndim != 2:
        raise ValueError(f"Tags need an (n, m) array, one column a tag. Got shape {values.shape}. {FORMS}")
    if values.dtype == bool:
        return np.where(values, 1, -1).astype(np.int8)
    filled = np.nan_to_num(values.astype(float), nan=0.0, posinf=np.inf, neginf=-np.inf)
    wrong = ~np.isin(filled, (-1, 0, 1))
    bad = BadRows("y")
    for row in np.flatnonzero(wrong.any(axis=1)):
        bad.add(row, f"expected 1, -1, 0 or NaN, got {values[row][wrong[row]][0]}")
    bad.refuse(FORMS)
    return filled.astype(np.int8)


def _cell(cell: Any) -> dict:
    """tag -> whether it is there, from one cell of a list."""
    if _is_missing(cell):
        return {}
    if isinstance(cell, Mapping):
        return {tag: bool(value) for tag, value in cell.items() if not _is_missing(value)}
    if isinstance(cell, set | frozenset):
        return dict.fromkeys(cell, True)
    if isinstance(cell, str):
        known: dict[str, bool] = {}
        for tag, positive in _tokens(cell):
            if known.setdefault(tag, positive) != positive:
                raise ValueError(f"the tag {tag!r} is both there and not, got {cell!r}")
        return known
    raise ValueError(f"expected tags, got {cell!r}")


def _tokens(text: str) -> list[tuple[str, bool]]:
    """The tags of "+red -round", and whether each is there."""
    return [(token.lstrip("+-"), not token.startswith("-")) for token in text.replace(",", " ").split()]


def _tags_of(y: Any) -> NDArray:
    """Every tag that y names, sorted, or 0 … m-1."""
    if isinstance(y, _TagSets):
        return np.arange(y.m)
    if hasattr(y, "columns"):
        return np.asarray(y.columns)
    array = _array_of(y)
    if array is not None:
        if array.ndim != 2:
            raise ValueError(f"Tags need an (n, m) array, one column a tag. Got shape {array.shape}. {FORMS}")
        return np.arange(array.shape[1])
    names: set = set()
    for cell in y:
        if isinstance(cell, str):
            names |= {tag for tag, _ in _tokens(cell)}
        elif isinstance(cell, Mapping | set | frozenset):
            names |= set(cell)
    return np.array(sorted(names))


def _is_boolean(y: Any) -> bool:
    if isinstance(y, list | tuple):
        return len(y) > 0 and all(isinstance(row, list | tuple) and all(isinstance(v, bool) for v in row) for row in y)
    if hasattr(y, "columns"):
        import narwhals.stable.v1 as nw

        return all(dtype == nw.Boolean for dtype in nw.from_native(y, eager_only=True).schema.values())
    return isinstance(y, np.ndarray) and y.dtype.kind == "b"
