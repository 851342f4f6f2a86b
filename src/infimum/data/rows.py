"""Rows: inputs, targets and sample weights, in memory or in chunks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from .chunks import Chunk, Chunks, ChunkSample, is_parsed, n_rows, sample
from .cluster import DaskChunks, is_dask
from .errors import check_lengths
from .hashes import hashed
from .inputs import as_numbers, in_order, names_of


class Rows(ABC):
    """The training data: `X` and `w` as weights take them, and y to be parsed by an output space."""

    X: Any
    y: Any
    """All of y, or that of the first chunk."""
    w: NDArray | None
    groups: NDArray | None = None
    """A code for each row; rows with the same code are held out together. None if there are no groups."""
    in_memory: bool
    n_features: int
    names: list[str] | None
    """Names of the features, if they have names."""

    @abstractmethod
    def fitted(self, space: Any) -> Any:
        """Return a copy of an output space that is fitted to y."""

    @abstractmethod
    def read(self, output: Any) -> Any:
        """Return y as sets."""


class Table(Rows):
    """Rows in memory; X is an array or a sparse matrix."""

    in_memory = True

    def __init__(
        self, X: Any, y: Any, w: NDArray | None = None, names: list[str] | None = None, groups: NDArray | None = None
    ):
        self.X, self.y, self.w, self.names, self.groups = X, y, w, names, groups
        self.n_features = X.shape[1]

    def take(self, rows: NDArray) -> Table:
        """Return some of the rows, without y."""
        w, groups = (None if one is None else one[rows] for one in (self.w, self.groups))
        return Table(self.X[rows], None, w, self.names, groups)

    def first(self, size: int) -> NDArray:
        """Return the indices of some rows, which depend neither on the order of rows nor on units."""
        code = hashed(self.X)
        absent = np.zeros(len(code), dtype=bool) if self.w is None else self.w == 0
        return np.sort(np.lexsort((code, absent))[: min(size, int((~absent).sum()))])

    def fitted(self, space: Any) -> Any:
        return clone(space).fit(self.y)

    def read(self, output: Any) -> Any:
        sets = output.read(self.y)
        if not hasattr(sets, "__len__"):
            raise ValueError(f"{type(output).__name__}.read must return Sets. Got {type(sets).__name__}.")
        check_lengths(self.X.shape[0], len(sets))
        output.check([sets])
        return sets


class InChunks(Rows):
    """Rows in chunks; `X` are the chunks, which contain X, y and sample weights."""

    in_memory = False
    w = None

    def __init__(self, chunks: Chunks):
        first = chunks.first()
        self.y = first.y
        self.names = names_of(first.X)
        self.n_features = int(first.X.shape[1])
        self.sparse = hasattr(first.X, "tocsr")
        self.X = chunks.map(partial(checked, names=self.names, n_features=self.n_features, sparse=self.sparse))

    def fitted(self, space: Any) -> Any:
        space = clone(space)
        if not space.mergeable:
            raise ValueError(
                f"{type(space).__name__} learns from all of y at once. For chunked data it must define `summarise`,"
                " `merge` and `fit_summary` instead of `fit`."
            )
        return space.fit_summary(self.X.reduce(partial(_summarise, space), space.merge))

    def read(self, output: Any) -> Any:
        sets = output.read_chunks(self.X)
        output.check(sets.parts())
        return sets

    def sample(self, size: int) -> ChunkSample:
        """Return some of the rows, independently of the chunks and of the order of rows."""
        return sample(self.X.map(_unread), size)


def group_codes(groups: Any, n: int) -> NDArray | None:
    """Return the groups of n rows as numbers 0, 1, …, in the order of their names; None without groups."""
    if groups is None:
        return None
    found = np.asarray(groups)
    if found.shape != (n,):
        raise ValueError(f"groups must contain one entry for each of the {n} rows. Got the shape {found.shape}.")
    return np.unique(found, return_inverse=True)[1].ravel()


def is_chunked(X: Any) -> bool:
    """Return whether X are `Chunks` or a Dask collection."""
    return isinstance(X, Chunks) or is_dask(X)


def rows_in_chunks(X: Any, y: Any = None, w: Any = None, groups: Any = None) -> InChunks | None:
    """Return rows in chunks, from `Chunks` or Dask collections; None if X is in memory."""
    if groups is not None and is_chunked(X):
        raise ValueError("groups are not supported for chunked data. Pass arrays, or leave out groups.")
    if isinstance(X, Chunks):
        if y is not None or w is not None:
            raise ValueError("Chunks carry y and sample_weight themselves, as (X, y, sample_weight).")
        return InChunks(X)
    return InChunks(DaskChunks.partitions(X, y, w)) if is_dask(X) else None


def _unread(chunk: Chunk) -> Chunk:
    """Return the chunk, or raise an error if y is parsed, because other chunks may have other classes."""
    if is_parsed(chunk.y):
        raise ValueError(
            f"{chunk.where}: sets that are parsed already cannot be combined over chunks, which 'auto' requires. Pass"
            " y as lists or arrays, or set principle, negative_weights and weights."
        )
    return chunk


def checked(chunk: Chunk, names: list[str] | None, n_features: int, sparse: bool) -> Chunk:
    """Return the chunk as numbers, with its columns in the order of the first chunk; empty chunks are not checked."""
    where = chunk.where
    X = in_order(chunk.X, names, f"{where}: X")
    if n_rows(X) == 0:
        return Chunk(np.empty((0, n_features)), chunk.y, None if chunk.w is None else np.empty(0), where)
    if X.shape[1] != n_features:
        raise ValueError(f"{where}: X has {X.shape[1]} features; the first chunk has {n_features}.")
    if hasattr(X, "tocsr") != sparse:
        raise ValueError(f"{where}: X is {'dense' if sparse else 'sparse'}, unlike the first chunk. Pass one kind.")
    try:
        X = as_numbers(X)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from error
    w = None if chunk.w is None else np.asarray(chunk.w, dtype=float).ravel()
    for name, column in (("y", chunk.y), ("sample_weight", w)):
        if column is not None and n_rows(column) != X.shape[0]:
            raise ValueError(f"{where}: X has {X.shape[0]} rows and {name} has {n_rows(column)}.")
    if w is not None and not (np.isfinite(w) & (w >= 0)).all():
        row = int(np.argmin(np.isfinite(w) & (w >= 0)))
        raise ValueError(f"{where}: sample_weight must be finite numbers >= 0. Row {row} has {w[row]:g}.")
    return Chunk(X, chunk.y, w, where)


def _summarise(space: Any, chunk: Chunk) -> Any:
    if chunk.y is None:
        raise ValueError(f"{chunk.where} has no y: to fit, chunks are (X, y) or (X, y, sample_weight).")
    return space.summarise(chunk.y)
