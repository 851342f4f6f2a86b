"""The rows of a search: which of them are compared, and in which order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..data import Table
from ..data.hashes import hash_of, hashed
from ..disambiguation import has_density
from ..outputs.base import OutputSpace, Sets
from ..recipe import Recipe


def labelled_rows(recipe: Recipe, table: Table, output: OutputSpace, sets: Sets) -> tuple[Table, Sets]:
    """Return the labelled rows if weights are to be selected and outputs are numbers; all rows otherwise.

    Unlabelled rows of numbers contain no information, except for the graph of ``weights="laplacian"``.
    """
    if not recipe.selects_weights or recipe.weights == "laplacian" or not has_density(sets):
        return table, sets
    labelled = np.flatnonzero(~output.is_unlabelled(sets))
    return (table.take(labelled), sets[labelled]) if 0 < len(labelled) < len(sets) else (table, sets)


def row_order(table: Table, sets: Sets, pairwise: bool = False) -> NDArray:
    """Return an order of the rows that does not depend on how they are given: by a hash, those of weight 0 last."""
    code = hashed(table.X, pairwise)
    absent = np.zeros(len(code)) if table.w is None else table.w == 0
    if len(np.unique(code)) == len(code):
        return np.lexsort((code, absent))
    return np.lexsort((hash_of(np.asarray(sets.start(), dtype=float), 1), code, absent))  # equal rows by their sets


def n_distinct(table: Table, pairwise: bool = False) -> int:
    """Return the number of distinct rows of positive weight."""
    there = slice(None) if table.w is None else table.w > 0
    return len(np.unique(hashed(table.X[there], pairwise)))
