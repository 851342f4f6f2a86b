"""Masks: binary images whose loss prices contours; the sets are scribbles."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from ...data.errors import InputError, raise_for_rows, shown
from ...data.limits import parse_json
from ..base import OutputSpace
from ..choices import Choices
from ..signs import PartialSigns

UNIT = 2**20  # capacities are integers for scipy: costs are rounded to one part in a million of the largest


class Masks(OutputSpace):
    """Binary masks of h x w pixels, with the number of wrong pixels plus a price for contours as the loss.

    Y = {-1, 1}^(h w) and l(z, y) = #{p : z_p != y_p} + tie · cut(z), cut(z) = #{neighbours p ~ q : z_p != z_q}.
    psi(z) = (-z, 1, cut(z)) and phi(y) = (y / 2, h w / 2, tie). The price prefers masks with short contours, similar to
    epsilon in the paper's loss for tags (App. B.3.1).

    Parameters
    ----------
    shape : (h, w)
        Height and width; z is the flattened mask.
    tie : float >= 0, default 0
        The price of a unit of contour, in wrong pixels.

    Examples
    --------
    >>> space = Masks((1, 5), tie=0.5).fit(None)
    >>> c = space.read([[1, 1, -1, 1, 1]]).embed("infimum").phi
    >>> space.decode(c)  # a contour of length 2 costs 1, as much as the wrong pixel: ties go to -1
    array([[ 1,  1, -1,  1,  1]])
    >>> Masks((1, 5), tie=0.6).fit(None).decode(c + [0, 0, 0, 0, 0, 0, 0.1])
    array([[1, 1, 1, 1, 1]])
    >>> masks = Masks.for_cells([[[1, 0], [0, -1]]])  # a cell contains rows of pixels, 0 if unknown; its text is JSON
    >>> masks.shape, masks.cells_to_text([[[1, 0], [0, -1]], None])
    ((2, 2), ['[[1, 0], [0, -1]]', None])
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
                f"Masks of {self.shape[0]} x {self.shape[1]} have {pixels} pixels."
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

    def neighbours(self, z: NDArray) -> NDArray:
        """Return the masks that differ in one pixel."""
        return np.where(np.eye(len(z), dtype=bool), -z, z)

    def format(self, z: NDArray) -> list[str]:
        return [f"{int((row > 0).sum())} of {len(row)} pixels in" for row in np.asarray(z)]

    def _minimum_cut(self, lean: NDArray, tie: float) -> NDArray:
        """Return argmin_z -<z, lean> + tie · cut(z), exact up to rounding, as a minimum cut between 1 and -1.

        A negative tie rewards contours. The grid is a chessboard: flipping its black fields turns cut edges into uncut
        ones, and the reward into a price.
        """
        h, w = self.shape
        board = np.where(np.add.outer(np.arange(h), np.arange(w)).ravel() % 2, -1, 1) if tie < 0 else np.ones(h * w)
        lean, tie = lean * board, abs(tie)
        scale = UNIT / max(2 * np.abs(lean).max(initial=0.0), tie, 1e-300)
        pull, bond = np.rint(2 * scale * np.abs(lean)).astype(np.int32), np.int32(np.rint(scale * tie))
        # the source stands for 1: a pixel that leans to 1 has an edge from the source, another one an edge to the sink
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

    def choices(self, sets: Any) -> Choices:
        mask = sets.options()
        names = [f"pixel {p}" for p in range(mask.shape[1])]
        return Choices(
            mask, names, [["background", "object"]] * len(names),
            "Every pixel is object in some rows and background in others", "is {name} part of the object?",
            with_name=True,
        )  # fmt: skip

    def conformal_scores(self) -> dict[str, Any]:
        from .conformal import PixelMargin

        return {PixelMargin.name: PixelMargin, **super().conformal_scores()}

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        first: Any = next((cell for cell in cells if cell is not None), None)
        is_text = isinstance(first, str) and first.lstrip().startswith("[")
        shape = np.shape(parse_json(first, "the first mask") if is_text else first)
        if len(shape) != 2:
            raise InputError(
                "The shape of the masks is unknown. Write each row as a list of rows of pixels, [[1, 0], [0, -1]]."
            )
        return cls(shape)

    def to_cells(self, sets: Any) -> list:
        unlabelled = self.is_unlabelled(sets)
        return [None if gone else row for gone, row in zip(unlabelled, self.outputs_to_cells(np.asarray(sets)))]

    def outputs_to_cells(self, z: NDArray) -> list:
        return np.reshape(z, (-1, *self.shape)).tolist()

    def from_cells(self, cells: list) -> Any:
        """Return the cells with zeros for unlabelled rows."""
        return [np.zeros(self.shape) if cell is None else cell for cell in cells]


class Scribbles(PartialSigns):
    """Masks of which some pixels are known.

    S_i = {y : y_p = scribble_ip wherever that is not 0}.

    Parameters
    ----------
    values : (n, h w) or (n, h, w) in {-1, 0, 1}
        0 or missing for unknown pixels; booleans give all pixels.
    tie : float
        The price of a unit of contour, as in the loss.
    """

    kind = "mask"
    size_unit = "unknown pixels"

    def __init__(self, values: Any, tie: float):
        self.values = scribbled(values)
        self.tie = tie
        self.shape = (len(self.values),)

    def _phi(self, y: NDArray) -> NDArray:
        ones = np.ones((*y.shape[:-1], 1))
        return np.concatenate([y / 2, ones * y.shape[-1] / 2, ones * self.tie], axis=-1)

    def argmin(self, c: NDArray) -> NDArray:
        return self._phi(np.where(self.values != 0, self.values, np.where(c[..., :-2] > 0, -1, 1)))

    def member(self, phi: NDArray, space: OutputSpace) -> NDArray:
        return np.where(phi[..., :-2] > 0, 1, -1)

    def format(self, row: int) -> str:
        counts = [int((self.values[row] == sign).sum()) for sign in (1, -1, 0)]
        return "{} pixels in, {} out, {} unknown".format(*counts)


def scribbled(values: Any) -> NDArray:
    """Return scribbles as (n, h w) in {-1, 0, 1}; raise an error about rows with other values."""
    masked = np.ma.isMaskedArray(values)
    table = np.ma.filled(np.ma.asarray(values).astype(float), np.nan) if masked else np.asarray(values)
    if table.dtype == bool:
        table = np.where(table, 1, -1)
    if table.ndim not in (2, 3) or table.dtype.kind not in "iuf":
        raise InputError(f"Scribbles are (n, h w) numbers, 1, -1 or 0 per pixel. Got {shown(values)}.")
    table = table.reshape(len(table), math.prod(table.shape[1:]))
    filled = np.where(np.isnan(table), 0, table)
    wrong = ~np.isin(filled, (-1, 0, 1))
    raise_for_rows(
        wrong.any(axis=1),
        lambda row: f"expected 1, -1 or 0 for every pixel, got {filled[row][wrong[row]][0]:g}",
        "1 is in the mask, -1 is not, 0 is unknown.",
    )
    return filled.astype(np.int8)
