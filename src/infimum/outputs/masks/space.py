"""Masks: black-and-white pictures whose neighbouring pixels are tied; the sets are scribbles.

A structure of its own in one file: nothing else in the library knows about pictures.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from ...data.errors import InputError
from ..base import Embedding, OutputSpace, Sets, rows_of
from ..pairs import check_pair, signs_shared, signs_text
from .cells import MaskCells
from .forms import scribbled

UNIT = 2**20  # capacities are integers for scipy: costs are rounded to one part in a million of the largest


class Masks(MaskCells, OutputSpace):
    """Y = {-1, 1}^(h w) with l(z, y) = #{p : z_p != y_p} + tie · cut(z), cut(z) = #{neighbours p ~ q : z_p != z_q}.

    psi(z) = (-z, 1, cut(z)) and phi(y) = (y / 2, h w / 2, tie). As in the paper's loss with epsilon (App. B.3.1), a
    price on z alone says which pictures are believed: here, those of short contours.

    Parameters
    ----------
    shape : (h, w)
        Of the pictures; z is the flattened picture.
    tie : float >= 0, default 0
        What a unit of contour costs, in wrong pixels.

    Examples
    --------
    >>> space = Masks((1, 5), tie=0.5).fit(None)
    >>> c = space.read([[1, 1, -1, 1, 1]]).embed("infimum").phi
    >>> space.decode(c)  # a contour of length 2 costs 1, as much as the wrong pixel: ties go to -1
    array([[ 1,  1, -1,  1,  1]])
    >>> Masks((1, 5), tie=0.6).fit(None).decode(c + [0, 0, 0, 0, 0, 0, 0.1])
    array([[1, 1, 1, 1, 1]])
    """

    kind = "mask"

    def __init__(self, shape: tuple[int, int], tie: float = 0.0):
        self.shape = shape
        self.tie = tie

    def fit_summary(self, summary: Any) -> Self:
        pixels = np.arange(self.shape[0] * self.shape[1]).reshape(self.shape)
        across = np.stack([pixels[:, :-1].ravel(), pixels[:, 1:].ravel()])
        down = np.stack([pixels[:-1].ravel(), pixels[1:].ravel()])
        self.edges_ = np.hstack([across, down])
        self.size = 2.0**pixels.size if pixels.size < 1024 else math.inf
        return self

    def read(self, y: Any, strict: bool = True) -> Scribbles:
        sets = y if isinstance(y, Scribbles) else Scribbles(y, self.tie)
        pixels = self.shape[0] * self.shape[1]
        if sets.values.shape[1] != pixels:
            raise InputError(
                f"Pictures of {self.shape[0]} x {self.shape[1]} have {pixels} pixels."
                f" Got {sets.values.shape[1]} in a row of y."
            )
        return sets

    def psi(self, z: Any) -> NDArray:
        z = np.asarray(z, dtype=float)
        cut = (z[..., self.edges_[0]] != z[..., self.edges_[1]]).sum(axis=-1, keepdims=True)
        return np.concatenate([-z, np.ones((*z.shape[:-1], 1)), cut], axis=-1)

    def decode(self, c: NDArray) -> NDArray:
        return np.array([self._minimum_cut(row[:-2], row[-1]) for row in np.asarray(c)])

    def outputs(self) -> NDArray:
        pixels = int(np.log2(self.size))
        return np.where((np.arange(2**pixels)[:, None] >> np.arange(pixels)) % 2, 1, -1)

    def _minimum_cut(self, lean: NDArray, tie: float) -> NDArray:
        """argmin_z -<z, lean> + tie · cut(z), exactly up to rounding, as a minimum cut between 1 and -1.

        A negative tie rewards contours. The grid is a chessboard: turning its black fields over turns cut edges into
        uncut ones, and the reward into a price.
        """
        h, w = self.shape
        board = np.where(np.add.outer(np.arange(h), np.arange(w)).ravel() % 2, -1, 1) if tie < 0 else np.ones(h * w)
        lean, tie = lean * board, abs(tie)
        scale = UNIT / max(2 * np.abs(lean).max(initial=0.0), tie, 1e-300)
        pull, bond = np.rint(2 * scale * np.abs(lean)).astype(np.int32), np.int32(np.rint(scale * tie))
        # 1 is the side of the source; a pixel that leans to 1 is held by the source, another one by the sink
        source, sink, pixels = h * w, h * w + 1, np.arange(h * w)
        heads = np.concatenate([np.where(lean > 0, source, pixels), *self.edges_])
        tails = np.concatenate([np.where(lean > 0, pixels, sink), *self.edges_[::-1]])
        capacity = np.concatenate([pull, np.full(2 * self.edges_.shape[1], bond)])
        # in 32 bits, the only indices that SciPy before 1.15 takes here
        at = heads.astype(np.int32), tails.astype(np.int32)
        graph = sparse.csr_array((capacity, at), shape=(h * w + 2, h * w + 2))
        left = graph - maximum_flow(graph, source, sink).flow
        left.eliminate_zeros()
        reached = breadth_first_order(left, source, return_predecessors=False)
        z = np.full(h * w + 2, -1)
        z[reached] = 1
        return z[: h * w] * board.astype(int)


class Scribbles(Sets):
    """S_i = {y : y_p = scribble_ip wherever it is not 0}.

    Parameters
    ----------
    values : (n, h w) or (n, h, w) in {-1, 0, 1}
        0 or missing where nothing was scribbled; booleans are whole pictures.
    tie : float
        That of the loss.
    """

    def __init__(self, values: Any, tie: float):
        self.values = scribbled(values)
        self.tie = tie
        self.shape = (len(self.values),)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Scribbles:
        return Scribbles(self.values[rows_of(rows, len(self))], self.tie)

    def _phi(self, y: NDArray) -> NDArray:
        ones = np.ones((*y.shape[:-1], 1))
        return np.concatenate([y / 2, ones * y.shape[-1] / 2, ones * self.tie], axis=-1)

    def argmin(self, c: NDArray) -> NDArray:
        return self._phi(np.where(self.values != 0, self.values, np.where(c[..., :-2] > 0, -1, 1)))

    def contains(self, z: NDArray) -> NDArray:
        return ((self.values == 0) | (self.values == z)).all(axis=-1)

    def agreement(self, z: NDArray) -> NDArray:
        known = np.maximum((self.values != 0).sum(axis=-1), 1)
        return 1 - ((self.values != 0) & (self.values != z)).sum(axis=-1) / known

    def center(self) -> NDArray:
        return self._phi(self.values.astype(float))

    def options(self) -> NDArray:
        """Two options a pixel: -1, 1."""
        return np.stack([self.values <= 0, self.values >= 0], axis=-1)

    def expected(self, q: NDArray) -> NDArray:
        return self._phi(q[..., 1] - q[..., 0])

    def option_of(self, z: NDArray) -> NDArray:
        return (np.asarray(z) > 0).astype(int)

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        return np.where(phi[..., :-2] > 0, 1, -1)

    @property
    def is_unlabelled(self) -> NDArray:
        return (self.values == 0).all(axis=-1)

    @cached_property
    def _unknown(self) -> NDArray:
        return (self.values == 0).sum(axis=1)

    def embed(self, principle: str) -> Embedding:
        # an unknown pixel costs 1/2 on average, 0 at best and 1 at worst, whatever z
        constant = {"infimum": -0.5, "average": 0.0, "supremum": 0.5}[principle] * self._unknown
        return Embedding(self.center(), constant)

    def meets(self, other: Any) -> NDArray:
        check_pair(self, other, Scribbles)
        return (self.values * other.values >= 0).all(axis=1)

    def intersect(self, other: Any) -> Scribbles:
        check_pair(self, other, Scribbles)
        return Scribbles(signs_shared(self, other, self.values, other.values), self.tie)

    def join(self, other: Any) -> Scribbles:
        return Scribbles(np.vstack([self.values, other.values]), self.tie)

    def format(self, row: int) -> str:
        return signs_text(self.values[row], "pixel")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        return np.asarray(self.values, dtype=dtype)

    def __repr__(self) -> str:
        known = 100 * np.mean(self.values != 0) if self.values.size else 0
        return f"<Scribbles of {self.values.shape[1]} pixels: {len(self)} rows, {known:.0f} % known>"
