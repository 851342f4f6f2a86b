"""Rows that come in blocks: from files larger than memory, from a Dask cluster, or slices of arrays.

Whatever the source, a fit is a sum over blocks: `Blocks.reduce` computes it here or where the blocks are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_array, gen_batches
from sklearn.utils.parallel import Parallel, delayed

from .._progress import track

ROWS = 4096  # rows of an in-memory array taken at a time
ARITY = 8  # partial sums added by one task of a cluster


class Block(NamedTuple):
    """Some rows: inputs, targets and weights, the last two None where there are none."""

    X: Any
    y: Any = None
    w: NDArray | None = None


class Blocks:
    """A sequence of blocks (X, y) or (X, y, sample_weight), read as often as needed.

    Parameters
    ----------
    source : list, or function without arguments
        The blocks, or a function that starts a new iteration over them (a fit reads them more than once, so a
        generator will not do; the function that makes it will).
    n_blocks : int, optional
        How many there are, to show progress.

    Examples
    --------
    >>> blocks = Blocks([(np.zeros((2, 3)), ["a", "b"]), (np.ones((1, 3)), ["a"])])
    >>> blocks.reduce(lambda block: len(block.X), lambda a, b: a + b)
    3
    """

    def __init__(self, source: Any, n_blocks: int | None = None):
        if not callable(source) and not isinstance(source, list | tuple):
            raise ValueError(
                "The source of Blocks must be a list of (X, y) or a function that returns a new iterator over them,"
                f" for a fit reads them more than once. Got {type(source).__name__}."
            )
        self.source = source
        self.n_blocks = len(source) if isinstance(source, list | tuple) else n_blocks

    @classmethod
    def of(cls, X: Any, y: Any = None, w: Any = None) -> Blocks:
        """Blocks from themselves, from Dask collections, or as slices of arrays and memory maps."""
        if isinstance(X, Blocks):
            if y is not None or w is not None:
                raise ValueError("Blocks carry y and sample_weight themselves, as (X, y, sample_weight).")
            return X
        if is_dask(X):
            return DaskBlocks.of(X, y, w)
        return cls(partial(_slices, X, y, w), -(-X.shape[0] // ROWS))

    @classmethod
    def parquet(cls, paths: Any, target: str, weight: str | None = None, rows: int = 2**16) -> Blocks:
        """Blocks of Parquet files: `target` is the column of y, `weight` that of sample_weight, the others are X."""
        paths = [paths] if not isinstance(paths, list | tuple) else list(paths)
        return cls(partial(_parquet, paths, target, weight, rows))

    def __iter__(self) -> Iterator[Block]:
        return (Block(*block) for block in (self.source() if callable(self.source) else self.source))

    def map(self, function: Callable[[Block], Block]) -> Blocks:
        """The blocks function(block), when they are asked for."""
        return Blocks(lambda: map(function, self), self.n_blocks)

    def reduce(self, function: Callable[[Block], Any], combine: Callable, label: str = "", verbose: int = 0) -> Any:
        """combine(… combine(f(block_1), f(block_2)) …, f(block_k)), in threads if joblib is so configured."""
        work = (delayed(function)(block) for block in track(self, label, self.n_blocks, verbose))
        return reduce(combine, Parallel(prefer="threads", return_as="generator")(work))


class DaskBlocks(Blocks):
    """Blocks that stay on the workers of a Dask cluster: functions go to them, what they return is combined there."""

    def __init__(self, parts: list):
        self.parts = parts
        self.n_blocks = len(parts)

    @classmethod
    def of(cls, X: Any, y: Any = None, w: Any = None) -> DaskBlocks:
        import dask

        columns = [_parts(a, name) for a, name in ((X, "X"), (y, "y"), (w, "sample_weight")) if a is not None]
        sizes = {len(c) for c in columns}
        if len(sizes) > 1:
            raise ValueError(
                f"X, y and sample_weight must have the same partitions. They have {sorted(sizes)} of them;"
                " rechunk or repartition one like the other."
            )
        given = [name for name, a in zip(Block._fields, (X, y, w)) if a is not None]
        return cls([dask.delayed(_block)(given, *row) for row in zip(*columns)])

    def __iter__(self) -> Iterator[Block]:
        return (part.compute() for part in self.parts)

    def map(self, function: Callable[[Block], Block]) -> DaskBlocks:
        import dask

        node = dask.delayed(function)  # one node of the graph: sent once, not with every block
        return DaskBlocks([node(part) for part in self.parts])

    def reduce(self, function: Callable[[Block], Any], combine: Callable, label: str = "", verbose: int = 0) -> Any:
        import dask

        parts = self.map(function).parts
        together = dask.delayed(_combine)
        while len(parts) > 1:
            parts = [together(combine, parts[i : i + ARITY]) for i in range(0, len(parts), ARITY)]
        return parts[0].compute()


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array, frame or series, without importing Dask."""
    return type(X).__module__.partition(".")[0] in ("dask", "dask_expr") and hasattr(X, "to_delayed")


def is_blocked(X: Any) -> bool:
    return isinstance(X, Blocks) or is_dask(X)


def apply(function: Callable[[Any], NDArray], X: Any, n_features: int) -> Any:
    """function(X) for rows in blocks: a Dask array for a Dask collection, an iterator over the blocks otherwise."""
    if not is_dask(X):
        return (function(block.X) for block in X)
    X = X.rechunk({1: -1}) if hasattr(X, "rechunk") else X.to_dask_array()
    meta = function(np.zeros((1, n_features)))[:0]  # its type and its number of axes
    if meta.ndim == 1:
        return X.map_blocks(function, drop_axis=1, meta=meta)
    return X.map_blocks(function, chunks=(X.chunks[0], (meta.shape[1],)), meta=meta)


def joined(a: Any, b: Any) -> Any:
    """The rows of a, then those of b."""
    return a + b if isinstance(a, list) else np.concatenate([np.asarray(a), np.asarray(b)])


def read(block: Block) -> Block:
    """The block with inputs checked: two dimensions, finite numbers, as many weights as rows."""
    X = check_array(block.X, accept_sparse="csr", dtype=[np.float64, np.float32], input_name="X")
    w = None if block.w is None else np.asarray(block.w, dtype=float).ravel()
    for name, column in (("y", block.y), ("sample_weight", w)):
        if column is not None and _length(column) != X.shape[0]:
            raise ValueError(f"A block has {X.shape[0]} rows of X and {_length(column)} of {name}.")
    return Block(X, block.y, w)


def _length(column: Any) -> int:
    return column.shape[0] if hasattr(column, "shape") else len(column)


def _slices(X: Any, y: Any, w: Any) -> Iterator[tuple]:
    def cut(column: Any, rows: slice) -> Any:
        if isinstance(column, tuple):  # several targets
            return tuple(part[rows] for part in column)
        return None if column is None else column[rows]

    for rows in gen_batches(X.shape[0], ROWS):
        yield X[rows], cut(y, rows), cut(w, rows)


def _parquet(paths: list, target: str, weight: str | None, rows: int) -> Iterator[tuple]:
    from pyarrow.parquet import ParquetFile

    for path in paths:
        for batch in ParquetFile(path).iter_batches(batch_size=rows):
            columns = dict(zip(batch.schema.names, batch.columns))
            if target not in columns:
                raise ValueError(f"{path} has no column {target!r}. Its columns are {list(columns)}.")
            y = columns.pop(target).to_pylist()
            w = columns.pop(weight).to_numpy(zero_copy_only=False) if weight else None
            yield np.column_stack([c.to_numpy(zero_copy_only=False) for c in columns.values()]), y, w


def _parts(column: Any, name: str) -> list:
    """The delayed partitions of a Dask array or frame."""
    if not is_dask(column):
        raise ValueError(f"X is a Dask collection: {name} must be one too, with the same partitions.")
    if getattr(column, "ndim", 1) == 2 and hasattr(column, "rechunk"):
        column = column.rechunk({1: -1})
    return list(np.ravel(np.asarray(column.to_delayed(), dtype=object)))


def _block(names: list[str], *columns: Any) -> Block:
    return Block(**dict(zip(names, columns)))


def _combine(combine: Callable, parts: Iterable) -> Any:
    return reduce(combine, parts)
