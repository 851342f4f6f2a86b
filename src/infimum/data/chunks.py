"""Rows that come in blocks: from files larger than memory, from a cluster, or slices of arrays.

Whatever the source, a fit is a sum over blocks: `Blocks.reduce` computes it here or where the blocks are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial, reduce
from typing import Any, NamedTuple

from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed

from .progress import track

NOTHING = object()
ROWS = 4096  # rows of an in-memory array taken at a time


class Block(NamedTuple):
    """Some rows: inputs, targets and weights, the last two None where there are none."""

    X: Any
    y: Any = None
    w: NDArray | None = None
    where: str = ""
    """Which block, of which file: for errors."""


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
    >>> import numpy as np
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
    def of(cls, X: Any, y: Any = None, sample_weight: Any = None, rows: int = ROWS) -> Blocks:
        """Slices of arrays or memory maps, so many rows at a time.

        >>> import numpy as np
        >>> [block.where for block in Blocks.of(np.zeros((5, 1)), list("abcab"), rows=3)]
        ['rows 0 to 2', 'rows 3 to 4']
        """
        return cls(partial(_cut, X, y, sample_weight, rows), -(-X.shape[0] // rows))

    @classmethod
    def sliced(cls, X: Any, y: tuple | None = None, w: Any = None) -> Blocks:
        """Slices of arrays and memory maps; y are the columns that the rows carry, one tuple a block."""
        return cls(partial(_slices, X, y, w), -(-X.shape[0] // ROWS))

    @classmethod
    def parquet(cls, paths: Any, target: str | None = None, weight: str | None = None, rows: int = 2**16) -> Blocks:
        """Blocks of Parquet files: `target` is the column of y, `weight` that of sample_weight, the others are X.

        Without `target`, the blocks have no y: that is for `predict`. A row index that pandas has written is left out.
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
        """The blocks for `predict`: files need not have the columns of targets and weights."""
        inputs = getattr(self.source, "inputs", None)
        return self if inputs is None else Blocks(inputs(), self.n_blocks)

    def map(self, function: Callable[[Block], Block]) -> Blocks:
        """The blocks function(block), when they are asked for."""
        return Blocks(lambda: map(function, self), self.n_blocks)

    def reduce(self, function: Callable[[Block], Any], combine: Callable, label: str = "", verbose: int = 0) -> Any:
        """combine(… combine(f(block_1), f(block_2)) …, f(block_k)), in threads if joblib is so configured."""
        blocks = track(self, label, self.n_blocks, verbose)
        if self.n_blocks == 1:  # nothing to share among threads
            return self._reduced(map(function, blocks), combine)
        # threads over blocks, or threads within a product: both at once wait for each other
        with single_blas() if effective_n_jobs(None) > 1 else nullcontext():
            found = Parallel(prefer="threads", return_as="generator")(delayed(function)(one) for one in blocks)
            return self._reduced(iter(found), combine)

    @staticmethod
    def _reduced(found: Iterator, combine: Callable) -> Any:
        first = next(found, NOTHING)
        if first is NOTHING:
            raise ValueError(
                "Blocks gave no block. Give at least one; where the source is a function, it must return a new iterator"
                " at every call (a generator that was used up gives nothing)."
            )
        return reduce(combine, found, first)

    def first(self) -> Block:
        """The first block that has rows, to learn what the columns are."""
        for block in self:
            if n_rows(block.X):
                return block
        raise ValueError(
            "Blocks gave no rows at all. Give at least one; where the source is a function, it must return a new"
            " iterator at every call (a generator that was used up gives nothing)."
        )


def single_blas() -> Any:
    """A context in which products of matrices take one thread."""
    from threadpoolctl import threadpool_limits

    return threadpool_limits(1, "blas")


def n_rows(column: Any) -> int:
    """How many rows an array, a frame or a list has."""
    return int(column.shape[0]) if hasattr(column, "shape") else len(column)


def _cut(X: Any, y: Any, w: Any, size: int) -> Iterator[Block]:
    for rows in gen_batches(X.shape[0], size):
        where = f"rows {rows.start} to {rows.stop - 1}"
        yield Block(X[rows], None if y is None else y[rows], None if w is None else w[rows], where)


def _slices(X: Any, y: tuple | None, w: Any) -> Iterator[Block]:
    for rows in gen_batches(X.shape[0], ROWS):
        carried = None if y is None else tuple(part[rows] for part in y)
        yield Block(X[rows], carried, None if w is None else w[rows], f"rows {rows.start} to {rows.stop - 1}")
