"""Sets that are parsed chunk by chunk, for solvers that need only sums over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..data.chunks import Chunk, Chunks, n_rows
from .base import Embedding, OutputSpace, Sets


class SetsInChunks(Sets):
    """Sets in chunks. They support only `embed` and `table`, which are formed chunk by chunk."""

    in_memory = False

    def __init__(self, output: OutputSpace, chunks: Chunks):
        self.output, self.chunks = output, chunks
        self.sample = output.read(chunks.first().y)  # for the kind of sets

    def parts(self) -> Iterator[Sets]:
        """Yield the sets of each chunk."""
        return (read_chunk(self.output, chunk) for chunk in self.chunks)

    def embed(self, principle: str) -> Any:
        if self.sample.embed(principle) is None:
            return None
        return EmbeddingInChunks(self.chunks.map(partial(_embedded, self.output, principle)))

    def table(self, psi: NDArray, principle: str) -> Chunks:
        """Return chunks whose targets are L(z, S_i) of some outputs."""
        return self.chunks.map(partial(_tabled, self.output, psi, principle))

    def _not_in_chunks(self, *args: Any) -> NoReturn:
        raise ValueError("Chunked data support sums over rows only. Fit on arrays.")

    __len__ = __getitem__ = argmin = contains = center = _not_in_chunks  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self.sample).__name__} in chunks>"


class EmbeddingInChunks:
    """An `Embedding` in chunks."""

    def __init__(self, chunks: Chunks):
        self.chunks = chunks

    def columns(self) -> tuple:
        return (self.chunks,)


def read_chunk(output: OutputSpace, chunk: Chunk) -> Sets:
    """Parse the sets of a chunk; errors contain the name of the chunk."""
    try:
        sets = output.read(chunk.y)
    except ValueError as error:
        raise ValueError(f"{chunk.where}: {error}") from error
    if len(sets) != n_rows(chunk.X):
        raise ValueError(f"{chunk.where}: X has {n_rows(chunk.X)} rows and y has {len(sets)}.")
    return sets


def as_sets(output: OutputSpace, chunk: Chunk) -> Chunk:
    """Return the chunk with its sets instead of y."""
    return chunk._replace(y=read_chunk(output, chunk))


def _embedded(output: OutputSpace, principle: str, chunk: Chunk) -> Chunk:
    embedding: Embedding | None = read_chunk(output, chunk).embed(principle)
    if embedding is None:
        raise ValueError(
            f"{chunk.where}: the {principle} loss of its sets is not linear, unlike that of the first chunk. Fit"
            " on arrays, or use solver=solvers.Enumerate() if there are few possible outputs."
        )
    return chunk._replace(y=embedding.columns())


def _tabled(output: OutputSpace, psi: NDArray, principle: str, chunk: Chunk) -> Chunk:
    return chunk._replace(y=(np.asarray(read_chunk(output, chunk).loss(psi, principle)).T,))
