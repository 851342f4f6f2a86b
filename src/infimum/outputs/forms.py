"""What all structures share in reading y: missing cells, and bad rows, which are refused together."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

SHOWN = 10


class BadRows:
    """Collects what is wrong with the rows of y and raises it as one error.

    >>> bad = BadRows("y")
    >>> bad.add(3, "expected lower <= upper, got (2, 1)")
    >>> bad.refuse("Swap the two bounds.")
    Traceback (most recent call last):
    ...
    ValueError: 1 row of y cannot be used.
      row 3: expected lower <= upper, got (2, 1)
    Swap the two bounds.
    """

    def __init__(self, name: str):
        self.name = name
        self.rows: list[tuple[int, str]] = []

    def add(self, row: Any, message: str) -> None:
        self.rows.append((int(row), message))

    def refuse(self, remedy: str) -> None:
        """Raise if anything was added; `remedy` is the way out."""
        if not self.rows:
            return
        n = len(self.rows)
        lines = [f"  row {row}: {message}" for row, message in self.rows[:SHOWN]]
        if n > SHOWN:
            lines.append(f"  (and {n - SHOWN} more rows)")
        head = f"{n} row{'s' if n > 1 else ''} of {self.name} cannot be used."
        raise ValueError("\n".join([head, *lines, remedy]))


def is_missing(cell: Any) -> bool:
    """None, NaN, NaT, pandas.NA or blank text."""
    if cell is None or (isinstance(cell, str) and not cell.strip()):
        return True
    if isinstance(cell, float | np.floating):
        return math.isnan(cell)
    return type(cell).__name__ in ("NAType", "NaTType")
