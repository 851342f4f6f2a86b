"""Chunks on the workers of a Dask cluster, where functions are applied and results are combined."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .chunks import Chunk, Chunks

ARITY = 8  # partial results that one task of a cluster combines


class DaskChunks(Chunks):
    """The partitions of Dask collections X, y and sample_weight."""

    def __init__(self, parts: list):
        self.parts = parts
        self.n_chunks = len(parts)

    @classmethod
    def partitions(cls, X: Any, y: Any = None, w: Any = None) -> DaskChunks:
        import dask

        columns = [_parts(a, name) for a, name in ((X, "X"), (y, "y"), (w, "sample_weight")) if a is not None]
        sizes = {len(c) for c in columns}
        if len(sizes) > 1:
            raise ValueError(
                f"X, y and sample_weight must have the same partitions. They have {sorted(sizes)} of them;"
                " rechunk or repartition one like the other."
            )
        given = [name for name, a in zip(Chunk._fields, (X, y, w)) if a is not None]
        return cls([dask.delayed(_chunk)(given, k, *row) for k, row in enumerate(zip(*columns))])

    def __iter__(self) -> Iterator[Chunk]:
        return (part.compute() for part in self.parts)

    def map(self, function: Callable[[Chunk], Chunk]) -> DaskChunks:
        import dask

        node = dask.delayed(function)  # one node of the graph, which is sent once and not with each chunk
        return DaskChunks([node(part) for part in self.parts])

    def reduce(self, function: Callable[[Chunk], Any], combine: Callable, label: str = "", verbose: int = 0) -> Any:
        import dask

        parts = self.map(function).parts
        together = dask.delayed(_combine)
        while len(parts) > 1:
            parts = [together(combine, parts[i : i + ARITY]) for i in range(0, len(parts), ARITY)]
        return parts[0].compute()


def is_dask(X: Any) -> bool:
    """Return whether X is a Dask array, DataFrame or Series, without importing Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "to_delayed")


def map_rows(function: Callable[[Any], NDArray], X: Any, n_features: int) -> Any:
    """Apply a function to each partition of a Dask array or DataFrame, and return a Dask array."""
    zeros: Any = np.zeros((1, n_features))
    if hasattr(X, "columns"):
        import pandas as pd

        zeros = pd.DataFrame(zeros, columns=list(X.columns))
    meta = function(zeros)[:0]  # for its type and number of axes
    if hasattr(X, "rechunk"):
        X = X.rechunk({1: -1})
        if meta.ndim == 1:
            return X.map_blocks(function, drop_axis=1, meta=meta)
        return X.map_blocks(function, chunks=(X.chunks[0], (meta.shape[1],)), meta=meta)
    import dask
    import dask.array as da

    # the partitions of a DataFrame keep their column names; their lengths are unknown
    tail = meta.shape[1:]
    parts = [da.from_delayed(p, (np.nan, *tail), meta=meta) for p in map(dask.delayed(function), _delayed(X))]
    return da.concatenate(parts)


def _parts(column: Any, name: str) -> list:
    """Return the delayed partitions of a Dask array or DataFrame."""
    if not is_dask(column):
        raise ValueError(f"X is a Dask collection: {name} must be one too, with the same partitions.")
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "rechunk"):
        column = column.rechunk({1: -1})
    return list(np.ravel(np.asarray(_delayed(column), dtype=object)))


def _delayed(column: Any) -> Any:
    """Return the partitions unchanged; optimised, Dask would join more partitions of y than of X."""
    if hasattr(column, "simplify"):  # of a DataFrame, only the columns that are used are read
        return column.simplify().to_delayed(optimize_graph=False)
    return column.to_delayed()


def _chunk(names: list[str], k: int, *columns: Any) -> Chunk:
    return Chunk(**dict(zip(names, columns)), where=f"partition {k}")


def _combine(combine: Callable, parts: Iterable) -> Any:
    return reduce(combine, parts)
