"""Cells: a row of y as a Python object and as text, for files and the command line.

Every output space inherits `CellFormat`. Its defaults suit any output type; the folder of a type overrides what it can
write more shortly, in its own `cells.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from ..data.errors import InputError, each_cell, is_missing, shown
from ..data.limits import parse_json
from ..data.lookalikes import LookAlike, look_alikes

if TYPE_CHECKING:
    from .base import Sets

COMBINATIONS = ("intersect", "union", "vote")


class Conflict(ValueError):
    """No output agrees with all the answers for one row."""


class CellFormat:
    """How an output space writes rows of y as Python objects and as text, and combines several answers for one row.

    A cell is one entry of a list that `fit` and `read` accept. None is the cell of an unlabelled row.
    """

    has_candidates = False
    """Whether a cell may list several names of which one is right, or names that are excluded."""

    name_words: ClassVar[tuple[str, ...]] = ()
    """What a name is called, and the parameter that lists all names; empty for output types without names."""

    text_of_all_outputs = ""
    """How a prediction set that contains every output is written."""

    reads_text = False
    """Whether `read` parses the text of cells itself, such as ``cat|dog``."""

    lists_need_meaning = False
    """Whether a list in a cell of a file could mean several things, as names do: one of them, all of them, an order."""

    @classmethod
    def for_cells(cls, cells: Iterable, names: Any = None) -> Self:
        """Return an unfitted space for rows of y.

        Parameters
        ----------
        cells : list
            Rows of y, from which settings may be inferred, such as the shape of images.
        names : list, optional
            All the classes, tags or items; only for spaces that have names.
        """
        return cls()

    def for_files(self) -> Self:
        """Return the space that parses the cells of a file; it keeps rows about which the model is to decide."""
        return self

    def class_names(self) -> list:
        """Return the classes or tags of a fitted space; an empty list for types without them."""
        return []

    def to_cells(self, sets: Sets) -> list:
        """Return each set as a Python object, None if the row is unlabelled."""
        unlabelled = self.is_unlabelled(sets)  # type: ignore[attr-defined]
        return [None if gone else row for gone, row in zip(unlabelled, sets.to_list())]

    def outputs_to_cells(self, z: NDArray) -> list:
        """Return outputs (k, *z), as the user names them, as cells."""
        return np.asarray(z).tolist()

    def from_cells(self, cells: list) -> Any:
        """Return y as `fit` and `read` accept it."""
        return cells

    def cells_to_text(self, cells: list) -> list[str | None]:
        """Return each cell in the notation of CSV files, None if the row is unlabelled."""
        return each_cell(
            cells, lambda cell: None if cell is None else self._to_text(cell),
            "Rename it, or pass y on as Python objects.",
        )  # fmt: skip

    def text_to_cells(self, cells: list) -> list:
        """Return the cells that texts stand for; others, and text that `read` parses itself, are returned unchanged."""
        if self.reads_text:
            return cells

        def read(cell: Any) -> Any:
            if not isinstance(cell, str):
                return cell
            return None if is_missing(cell) else self._from_text(cell)

        return each_cell(cells, read, "See the page Label formats for the text of each output type.")

    def names_in(self, cells: list, known: Any = ()) -> dict[str, list[int]]:
        """Return the names of classes, tags or items that are text, and the rows in which each occurs.

        Parameters
        ----------
        cells : list
            Rows of y, as text or as Python objects. The space need not be fitted.
        known : list, optional
            Names that are never taken apart, such as a class that contains "|".
        """
        return {}

    def look_alikes(self, counts: Mapping[str, int], known: Any = ()) -> list[LookAlike]:
        """Return the names that look like variants of others and that `rename_cells` can replace.

        Parameters
        ----------
        counts : mapping of str to int
            How often each name occurs.
        known : list, optional
            Names that are right, however often they occur.
        """
        found = look_alikes(counts, known)
        return found if self.has_candidates else [one for one in found if len(one.means) == 1 and not one.negated]

    def rename_cells(self, cells: list, found: Sequence[LookAlike], known: Any = ()) -> list:
        """Return the cells with look-alikes replaced by the names that they stand for."""
        return cells

    def split_cells(self, cells: list, separator: str, known: Any = ()) -> list:
        """Return the cells with another separator between candidates besides "|"; names of `known` are not split."""
        raise InputError(f"A separator of candidates applies to labels only. Got cells of {type(self).__name__}.")

    def _to_text(self, cell: Any) -> str:
        """Return the text of one labelled cell: JSON."""
        return json.dumps(cell, ensure_ascii=False)

    def _from_text(self, text: str) -> Any:
        """Return the cell that a text stands for: JSON."""
        try:
            return parse_json(text)
        except ValueError:
            raise InputError(f"expected JSON, such as [1, 2], got {shown(text)}") from None

    def intersect_cells(self, cells: list) -> Any:
        """Return the cell of the outputs that every answer allows; raise `Conflict` if there are none.

        Parameters
        ----------
        cells : list
            The answers of several annotators for one row, none of them None. The space need not be fitted.
        """
        y = self.from_cells(cells)
        sets: Any = self.fit(y).read(y)  # type: ignore[attr-defined]
        left = sets[:1]
        for row in range(1, len(sets)):
            other = sets[row : row + 1]
            if not left.meets(other)[0]:
                raise Conflict("no output is left")
            left = left.intersect(other)
        return self.to_cells(left)[0]

    def union_cells(self, cells: list) -> Any:
        """Return the smallest cell that allows whatever some answer allows."""
        raise ValueError(f"{type(self).__name__} have no union of answers. Pass each answer as a row of its own.")

    def vote_cells(self, cells: list) -> Any:
        """Return the cell that most answers support; a tie keeps all that are tied."""
        raise ValueError(f"{type(self).__name__} have no vote on answers. Pass each answer as a row of its own.")


def rows_of_names(names: Iterable[Iterable]) -> dict[str, list[int]]:
    """Return the rows in which each name that is text occurs, from the names in each row.

    >>> rows_of_names([["cat", 3], ["cat", "dog"]])
    {'cat': [0, 1], 'dog': [1]}
    """
    found: dict[str, list[int]] = {}
    for row, some in enumerate(names):
        for name in some:
            if isinstance(name, str):
                found.setdefault(name, []).append(row)
    return found
