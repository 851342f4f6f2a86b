"""Chunked (out-of-core) data: files larger than memory, a cluster, or slices of arrays.

A fit is a sum over chunks, which `Blocks.reduce` computes in this process or on the workers of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial, reduce
from typing import Any, NamedTuple

from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed

from .progress import track

NOTHING = object()
ROWS = 4096  # rows per chunk of an array in memory


class Block(NamedTuple):
    """A chunk of rows: inputs, targets and sample weights; the last two may be None."""

    X: Any
    y: Any = None
    w: NDArray | None = None
    where: str = ""
    """The chunk and its file, for error messages."""


class Blocks:
    """Chunked data: a sequence of chunks (X, y) or (X, y, sample_weight) that can be read several times.

    Parameters
    ----------
    source : list, or function without arguments
        The chunks, or a function that returns a new iterator over them. A fit reads them more than once, so pass a
        generator function and not a generator.
    n_blocks : int, optional
        Number of chunks, to show progress.

    Examples
    --------
    >>> import numpy as np
    >>> blocks = Blocks([(np.zeros((2, 3)), ["a", "b"]), (np.ones((1, 3)), ["a"])])
    >>> blocks.reduce(lambda block: len(block.X), lambda a, b: a + b)
    3
    """

    def __init__(self, source: Any, n_blocks: int | None = None):
        if not callable(source) and not isinstance(source, list | tuple):
            raise ValueError(
                "The source of Blocks must be a list of (X, y) or a function that returns a new iterator over them,"
                f" because fit reads them more than once. Got {type(source).__name__}."
            )
        self.source = source
        self.n_blocks = len(source) if isinstance(source, list | tuple) else n_blocks

    @classmethod
    def of(cls, X: Any, y: Any = None, sample_weight: Any = None, rows: int = ROWS) -> Blocks:
        """Cut arrays or memory maps into chunks.

        Parameters
        ----------
        X : (n, d) array
            Inputs.
        y : n targets, optional
            Targets.
        sample_weight : (n,), optional
            Weights of the rows.
        rows : int, default 4096
            Number of rows per chunk.

        Examples
        --------
        >>> import numpy as np
        >>> [block.where for block in Blocks.of(np.zeros((5, 1)), list("abcab"), rows=3)]
        ['rows 0 to 2', 'rows 3 to 4']
        """
        return cls(partial(_slices, X, y, sample_weight, rows), -(-X.shape[0] // rows))

    @classmethod
    def of_columns(cls, X: Any, columns: tuple | None = None, w: Any = None) -> Blocks:
        """Cut arrays into chunks whose y is a tuple of the slices of some columns."""
        return cls(partial(_slices, X, columns, w, ROWS, several=True), -(-X.shape[0] // ROWS))

    @classmethod
    def parquet(cls, paths: Any, target: str | None = None, weight: str | None = None, rows: int = 2**16) -> Blocks:
        """Read Parquet files in chunks.

        `target` is the column of y, `weight` that of sample_weight, and the other columns are X. Without `target`, the
        chunks have no y, which is enough for `predict`. A row index that pandas has saved is left out.
        """
        from .parquet import ParquetSource

        return cls(ParquetSource(paths, target, weight, rows))

    def __iter__(self) -> Iterator[Block]:
        source = self.source() if callable(self.source) else self.source
        if callable(self.source) and iter(source) is not source and not isinstance(source, list | tuple):
            source = iter(source)
        for k, block in enumerate(source):
            if not isinstance(block, Block):
                if not isinstance(block, tuple | list) or not 1 <= len(block) <= 3:
                    raise ValueError(f"block {k} must be (X, y) or (X, y, sample_weight). Got {type(block).__name__}.")
                block = Block(*block)
            yield block if block.where else block._replace(where=f"block {k}")

    def inputs(self) -> Blocks:
        """Return the chunks for `predict`, for which files may lack the columns of targets and weights."""
        inputs = getattr(self.source, "inputs", None)
        return self if inputs is None else Blocks(inputs(), self.n_blocks)

    def map(self, function: Callable[[Block], Block]) -> Blocks:
        """Apply a function to each chunk when it is read."""
        return Blocks(lambda: map(function, self), self.n_blocks)

    def reduce(self, function: Callable[[Block], Any], combine: Callable, label: str = "", verbose: int = 0) -> Any:
        """Apply a function to each chunk and combine the results, in threads if joblib is configured so."""
        blocks = track(self, label, self.n_blocks, verbose)
        if self.n_blocks == 1:  # one chunk needs no threads
            return self._reduced(map(function, blocks), combine)
        # threads over chunks and threads within products at the same time would wait for each other
        with single_blas() if effective_n_jobs(None) > 1 else nullcontext():
            found = Parallel(prefer="threads", return_as="generator")(delayed(function)(one) for one in blocks)
            return self._reduced(iter(found), combine)

    @staticmethod
    def _reduced(found: Iterator, combine: Callable) -> Any:
        first = next(found, NOTHING)
        if first is NOTHING:
            raise ValueError(
                "Blocks contains no chunk. Pass one or more. If the source is a function, it must return a new iterator"
                " at every call (a generator that was used up gives nothing)."
            )
        return reduce(combine, found, first)

    def first(self) -> Block:
        """Return the first chunk that has rows."""
        for block in self:
            if n_rows(block.X):
                return block
        raise ValueError(
            "Blocks contains no rows. Pass at least one. If the source is a function, it must return a new"
            " iterator at every call (a generator that was used up gives nothing)."
        )


def single_blas() -> Any:
    """Return a context in which BLAS uses one thread."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, "blas")


def n_rows(column: Any) -> int:
    """Return the number of rows of an array, a DataFrame or a list, or of the columns of a mapping."""
    if isinstance(column, Mapping):
        return n_rows(next(iter(column.values()), ()))
    return int(column.shape[0]) if hasattr(column, "shape") else len(column)


def _slices(X: Any, y: Any, w: Any, size: int, several: bool = False) -> Iterator[Block]:
    for rows in gen_batches(X.shape[0], size):
        some = None if y is None else tuple(column[rows] for column in y) if several else y[rows]
        yield Block(X[rows], some, None if w is None else w[rows], f"rows {rows.start} to {rows.stop - 1}")
