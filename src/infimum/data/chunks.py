"""Chunked (out-of-core) data: files larger than memory, a cluster, or slices of arrays.

A fit is a sum over chunks, which `Chunks.reduce` computes in this process or on the workers of a cluster.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches
from sklearn.utils.parallel import Parallel, delayed

from .hashes import hash_of
from .inputs import is_frame
from .progress import track

NO_VALUE = object()
ROWS = 4096  # rows per chunk of an array in memory


class Chunk(NamedTuple):
    """A chunk of rows: inputs, targets and sample weights; the last two may be None."""

    X: Any
    y: Any = None
    w: NDArray | None = None
    where: str = ""
    """The chunk and its file, for error messages."""


class Chunks:
    """Chunked data: a sequence of chunks (X, y) or (X, y, sample_weight) that can be read several times.

    Parameters
    ----------
    source : list, or function without arguments
        The chunks, or a function that returns a new iterator over them. A fit reads them more than once, so pass a
        generator function and not a generator.
    n_chunks : int, optional
        Number of chunks, to show progress.

    Examples
    --------
    >>> import numpy as np
    >>> chunks = Chunks([(np.zeros((2, 3)), ["a", "b"]), (np.ones((1, 3)), ["a"])])
    >>> chunks.reduce(lambda chunk: len(chunk.X), lambda a, b: a + b)
    3
    """

    def __init__(self, source: Any, n_chunks: int | None = None):
        if not callable(source) and not isinstance(source, list | tuple):
            raise ValueError(
                "The source of Chunks must be a list of (X, y) or a function that returns a new iterator over them,"
                f" because fit reads them more than once. Got {type(source).__name__}."
            )
        self.source = source
        self.n_chunks = len(source) if isinstance(source, list | tuple) else n_chunks

    @classmethod
    def of(cls, X: Any, y: Any = None, sample_weight: Any = None, rows: int = ROWS) -> Chunks:
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
        >>> [chunk.where for chunk in Chunks.of(np.zeros((5, 1)), list("abcab"), rows=3)]
        ['rows 0 to 2', 'rows 3 to 4']
        """
        return cls(partial(_slices, X, y, sample_weight, rows), -(-X.shape[0] // rows))

    @classmethod
    def of_columns(cls, X: Any, columns: tuple | None = None, w: Any = None) -> Chunks:
        """Cut arrays into chunks whose y is a tuple of the slices of some columns."""
        return cls(partial(_slices, X, columns, w, ROWS, several=True), -(-X.shape[0] // ROWS))

    @classmethod
    def parquet(cls, paths: Any, target: str | None = None, weight: str | None = None, rows: int = 2**16) -> Chunks:
        """Read Parquet files in chunks.

        `target` is the column of y, `weight` that of sample_weight, and the other columns are X. Without `target`, the
        chunks have no y, which is enough for `predict`. A row index that pandas has saved is left out.
        """
        return cls(ParquetSource(paths, target, weight, rows))

    def __iter__(self) -> Iterator[Chunk]:
        source = self.source() if callable(self.source) else self.source
        for k, chunk in enumerate(source):
            if not isinstance(chunk, Chunk):
                if not isinstance(chunk, tuple | list) or not 1 <= len(chunk) <= 3:
                    raise ValueError(f"chunk {k} must be (X, y) or (X, y, sample_weight). Got {type(chunk).__name__}.")
                chunk = Chunk(*chunk)
            yield chunk if chunk.where else chunk._replace(where=f"chunk {k}")

    def inputs(self) -> Chunks:
        """Return the chunks for `predict`, for which files may lack the columns of targets and weights."""
        inputs = getattr(self.source, "inputs", None)
        return self if inputs is None else Chunks(inputs(), self.n_chunks)

    def map(self, function: Callable[[Chunk], Chunk]) -> Chunks:
        """Apply a function to each chunk when it is read."""
        return Chunks(lambda: map(function, self), self.n_chunks)

    def reduce(self, function: Callable[[Chunk], Any], combine: Callable, label: str = "", verbose: int = 0) -> Any:
        """Apply a function to each chunk and combine the results, in threads if joblib is configured so."""
        chunks = track(self, label, self.n_chunks, verbose)
        in_threads = self.n_chunks != 1 and effective_n_jobs(None) > 1
        total: Any = NO_VALUE
        # threads over chunks and threads within products at the same time would wait for each other
        with single_blas() if in_threads else nullcontext():
            parts: Any = map(function, chunks)
            if in_threads:
                parts = Parallel(prefer="threads", return_as="generator")(delayed(function)(one) for one in chunks)
            for part in parts:
                total = part if total is NO_VALUE else combine(total, part)
        if total is NO_VALUE:
            raise ValueError(
                "Chunks contains no chunk. Pass one or more. If the source is a function, it must return a new iterator"
                " at every call (a generator that was used up gives nothing)."
            )
        return total

    def first(self) -> Chunk:
        """Return the first chunk that has rows."""
        for chunk in self:
            if n_rows(chunk.X):
                return chunk
        raise ValueError(
            "Chunks contains no rows. Pass at least one. If the source is a function, it must return a new"
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


def _slices(X: Any, y: Any, w: Any, size: int, several: bool = False) -> Iterator[Chunk]:
    for rows in gen_batches(X.shape[0], size):
        some = None if y is None else tuple(column[rows] for column in y) if several else y[rows]
        yield Chunk(X[rows], some, None if w is None else w[rows], f"rows {rows.start} to {rows.stop - 1}")


INDEX = "__index_level_"  # prefix of a row index that pandas has saved


class ParquetSource:
    """A function that starts a new iteration over the rows of some files; a file that has changed raises an error."""

    def __init__(self, paths: Any, target: str | None, weight: str | None, rows: int, inputs_only: bool = False):
        given = list(paths) if isinstance(paths, list | tuple) else [paths]
        self.paths = [Path(path) for path in given]
        if not self.paths:
            raise ValueError("Chunks.parquet needs at least one path. Got an empty list.")
        missing = [str(path) for path in self.paths if not path.exists()]
        if missing:
            raise FileNotFoundError(f"There is no file {missing[0]} ({len(missing)} of {len(self.paths)} are missing).")
        self.target, self.weight, self.rows, self.inputs_only = target, weight, rows, inputs_only
        self._seen: dict[Path, tuple[int, int]] = {}

    def inputs(self) -> ParquetSource:
        """Return the same files for `predict`, without the columns of targets and weights, which may be missing."""
        return ParquetSource(self.paths, self.target, self.weight, self.rows, inputs_only=True)

    def __call__(self) -> Iterator[Chunk]:
        from pyarrow.parquet import ParquetFile

        for path in self.paths:
            self._same(path)
            first = 0
            for batch in ParquetFile(path).iter_batches(batch_size=self.rows):
                where = f"{path.name}, rows {first} to {first + len(batch) - 1}"
                first += len(batch)
                yield self._chunk(path, batch, where)

    def _same(self, path: Path) -> None:
        state = path.stat()
        found = (state.st_size, state.st_mtime_ns)
        if self._seen.setdefault(path, found) != found:
            raise ValueError(
                f"{path} changed during fit, which reads its rows more than once. Fit again, on a file"
                " that nothing writes to."
            )

    def _chunk(self, path: Path, batch: Any, where: str) -> Chunk:
        import pyarrow as pa

        names = [name for name in batch.schema.names if not name.startswith(INDEX)]
        roles = {} if self.inputs_only else {"target": self.target, "weight": self.weight}
        for role, name in roles.items():
            if name is not None and name not in names:
                raise ValueError(
                    f"{path} has no {role} column {name!r}. Its columns are {names}."
                    f"{' Leave target= out to predict.' if role == 'target' else ''}"
                )
        inputs = [name for name in names if name not in (self.target, self.weight)]
        y, w = (batch.column(name) if (name := roles.get(role)) is not None else None for role in ("target", "weight"))
        return Chunk(
            pa.Table.from_batches([batch.select(inputs)]), None if y is None else y.to_pylist(),
            None if w is None else w.to_numpy(zero_copy_only=False), where,
        )  # fmt: skip


class ChunkSample(NamedTuple):
    """The rows of positive weight with the smallest hashes, and the number of all rows."""

    n: int
    total: float
    """sum of weights."""
    keys: NDArray
    X: Any
    y: Any
    w: NDArray | None


def sample(chunks: Chunks, size: int) -> ChunkSample:
    """Draw `size` of the rows, in one pass.

    >>> found = sample(Chunks([(np.arange(4.)[:, None], list("abcd")), (np.arange(4., 6.)[:, None], ["e", "f"])]), 3)
    >>> found.n, len(found.y), sorted(found.y) == sorted("abcdef"[int(x)] for x in found.X[:, 0])
    (6, 3, True)
    """
    return chunks.reduce(partial(_of, size=size), partial(_merge, size=size), "sample")


def _of(chunk: Chunk, size: int) -> ChunkSample:
    n = chunk.X.shape[0]
    there = np.arange(n) if chunk.w is None else np.flatnonzero(chunk.w > 0)
    keys = hash_of(chunk.X[there], 0)
    at = np.argsort(keys, kind="stable")[:size]
    rows = there[at]
    w = None if chunk.w is None else np.asarray(chunk.w, dtype=float)[rows]
    total = float(n if chunk.w is None else np.sum(chunk.w))
    return ChunkSample(n, total, keys[at], chunk.X[rows], _taken(chunk.y, rows), w)


def _merge(a: ChunkSample, b: ChunkSample, size: int) -> ChunkSample:
    keys = np.concatenate([a.keys, b.keys])
    at = np.argsort(keys, kind="stable")[:size]
    X = sparse.vstack([a.X, b.X]).tocsr()[at] if sparse.issparse(a.X) else np.concatenate([a.X, b.X])[at]
    w = None if a.w is None or b.w is None else np.concatenate([a.w, b.w])[at]
    return ChunkSample(a.n + b.n, a.total + b.total, keys[at], X, _taken(_joined(a.y, b.y), at), w)


def is_parsed(y: Any) -> bool:
    """Return whether y has been parsed into sets already."""
    return hasattr(y, "contains") and hasattr(y, "join")


def _taken(y: Any, rows: NDArray) -> Any:
    """Return some rows of a column of any container."""
    if is_parsed(y):
        return y[rows]
    if is_frame(y) or (hasattr(y, "dtype") and not isinstance(y, np.ndarray)):
        import narwhals.stable.v1 as nw

        return nw.from_native(y, allow_series=True)[rows.tolist()].to_native()
    return y[rows] if isinstance(y, np.ndarray) else [y[i] for i in rows]


def _joined(a: Any, b: Any) -> Any:
    if is_parsed(a):
        return a.join(b)
    if isinstance(a, list):
        return [*a, *b]
    if isinstance(a, np.ndarray):
        return np.concatenate([a, b])
    import narwhals.stable.v1 as nw

    parts = [nw.from_native(part, allow_series=True) for part in (a, b)]
    if isinstance(parts[0], nw.Series):
        if parts[0].name is None:  # a column of a DataFrame needs a name; a Series of pandas may have none
            parts = [part.alias("y") for part in parts]
        return nw.concat([part.to_frame() for part in parts])[parts[0].name].to_native()
    return nw.concat([part.select(parts[0].columns) for part in parts]).to_native()  # columns are matched by name
