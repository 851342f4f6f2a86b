"""Sets that are parsed chunk by chunk, for solvers that need only sums over the rows."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..data.chunks import Block, Blocks, n_rows
from .base import Embedding, OutputSpace, Sets


class SetsInBlocks(Sets):
    """Sets in chunks. They support only `embed` and `table`, which are formed chunk by chunk."""

    in_memory = False

    def __init__(self, output: OutputSpace, blocks: Blocks):
        self.output, self.blocks = output, blocks
        self.sample = output.read(blocks.first().y)  # for the kind of sets

    def parts(self) -> Iterator[Sets]:
        """Yield the sets of each chunk."""
        return (read_block(self.output, block) for block in self.blocks)

    def embed(self, principle: str) -> Any:
        if self.sample.embed(principle) is None:
            return None
        return EmbeddingInBlocks(self.blocks.map(partial(_embedded, self.output, principle)))

    def table(self, psi: NDArray, principle: str) -> Blocks:
        """Return chunks whose targets are L(z, S_i) of some outputs."""
        return self.blocks.map(partial(_tabled, self.output, psi, principle))

    def _refuse(self, *args: Any) -> NoReturn:
        raise ValueError("Chunked data support sums over rows only. Fit on arrays.")

    __len__ = __getitem__ = argmin = contains = center = _refuse  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{type(self.sample).__name__} in blocks>"


class EmbeddingInBlocks:
    """An `Embedding` in chunks."""

    def __init__(self, blocks: Blocks):
        self.blocks = blocks

    def columns(self) -> tuple:
        return (self.blocks,)


def read_block(output: OutputSpace, block: Block) -> Sets:
    """Parse the sets of a chunk; errors contain the name of the chunk."""
    try:
        sets = output.read(block.y)
    except ValueError as error:
        raise ValueError(f"{block.where}: {error}") from error
    if len(sets) != n_rows(block.X):
        raise ValueError(f"{block.where}: X has {n_rows(block.X)} rows and y has {len(sets)}.")
    return sets


def as_sets(output: OutputSpace, block: Block) -> Block:
    """Return the chunk with its sets instead of y."""
    return block._replace(y=read_block(output, block))


def _embedded(output: OutputSpace, principle: str, block: Block) -> Block:
    embedding: Embedding | None = read_block(output, block).embed(principle)
    if embedding is None:
        raise ValueError(
            f"{block.where}: the {principle} loss of its sets is not linear, unlike that of the first chunk. Fit"
            " on arrays, or use solver=solvers.Enumerate() if there are few possible outputs."
        )
    return block._replace(y=embedding.columns())


def _tabled(output: OutputSpace, psi: NDArray, principle: str, block: Block) -> Block:
    return block._replace(y=(np.asarray(read_block(output, block).loss(psi, principle)).T,))
