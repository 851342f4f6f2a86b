"""Tags: any number of m tags, with the Hamming loss."""

from __future__ import annotations

import math
import warnings
from itertools import combinations, product
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import comb

from ..._warnings import InfimumWarning
from ..base import OutputSpace, Sets
from ..forms import BadRows
from .forms import FORMS, _array_of, _cell, _is_boolean, _tags_of, signs
from .sets import HammingBalls, PartialTags


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
    >>> space.read(["+red", None]).values
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

    def read(self, y: Any, strict: bool = True) -> Sets:
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

    @property
    def free(self) -> bool:  # type: ignore[override]
        return self.k is None

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
            return signs(array)
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
