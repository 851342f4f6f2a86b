"""Masks as cells: rows of pixels, 1 inside, -1 outside and 0 unknown; as text JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from ...data.errors import InputError
from ...data.limits import parse_json
from ..cells import CellFormat


class MaskCells(CellFormat):
    """Cells of partly labelled masks.

    >>> from infimum.outputs import Masks
    >>> masks = Masks.for_cells([[[1, 0], [0, -1]]])
    >>> masks.shape, masks.cells_to_text([[[1, 0], [0, -1]], None])
    ((2, 2), ['[[1, 0], [0, -1]]', None])
    """

    shape: tuple[int, int]

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        first: Any = next((cell for cell in cells if cell is not None), None)
        is_text = isinstance(first, str) and first.lstrip().startswith("[")
        shape = np.shape(parse_json(first, "the first mask") if is_text else first)
        if len(shape) != 2:
            raise InputError(
                "The shape of the masks is unknown. Write each row as a list of rows of pixels, [[1, 0], [0, -1]]."
            )
        return cls(shape)  # type: ignore[call-arg]

    def to_cells(self, sets: Any) -> list:
        unlabelled = self.is_unlabelled(sets)  # type: ignore[attr-defined]
        return [None if gone else row for gone, row in zip(unlabelled, self.outputs_to_cells(np.asarray(sets)))]

    def outputs_to_cells(self, z: NDArray) -> list:
        return np.reshape(z, (-1, *self.shape)).tolist()

    def from_cells(self, cells: list) -> Any:
        """Return the cells with zeros for unlabelled rows."""
        return [np.zeros(self.shape) if cell is None else cell for cell in cells]
