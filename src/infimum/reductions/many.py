"""Soft disambiguation of many rows: some are weighed by each other, and teach the others."""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import gen_batches

from ..outputs.base import OutputSpace, Sets
from ..rows.blocks import Block, Blocks
from ..rows.in_blocks import EmbeddingInBlocks, read_block
from ..weights.base import Weights
from .soft import sharpened, soft, uniform

MANY = 20_000  # rows, beyond which not all of them are weighed by each other
SETTLED = 10_000  # rows that are
BATCH = 8192  # rows that are taught at a time


class Teacher:
    """x -> F(x), what rows whose weights have come to rest predict of the options: (q, g, c).

    Parameters
    ----------
    weights : Weights
        Fitted to these rows.
    q : (n, g, c)
        Their weights on the options.
    cap : float
        The exponent under which other rows are weighed.
    """

    def __init__(self, weights: Weights, q: NDArray, cap: float):
        self.weights, self.cap, self.shape = weights, cap, q.shape[1:]
        self.folded = weights.fold(q.reshape(len(q), -1))
        weights.release(summed=True)

    def __call__(self, X: Any) -> NDArray:
        return self.weights(X).sum(self.folded).reshape(-1, *self.shape)

    def weighed(self, X: Any, mask: NDArray) -> tuple[NDArray, NDArray]:
        """q of rows that had no say in F, and F, (n, g, c) both."""
        F = self(X)
        return sharpened(F, mask, uniform(mask), self.cap), F


def settled(
    weights: Weights, X: Any, w: NDArray | None, target: Any, mask: NDArray, schedule: dict[str, Any]
) -> tuple[Teacher, NDArray, NDArray]:
    """Rows weighed by each other: the teacher, q, and F by all rows but the i-th."""
    fitted = clone(weights).fit(X, target, w)
    left_out = fitted.left_out()
    assert left_out is not None  # weights that take blocks have one
    found = soft(left_out, mask, **schedule, sample_weight=w)
    F = left_out(found.q.reshape(len(mask), -1)).reshape(mask.shape)
    return Teacher(fitted, found.q, schedule["cap"]), found.q, F


def taught(teacher: Teacher, X: Any, mask: NDArray) -> tuple[NDArray, NDArray]:
    """q and F of all rows, (n, g, c) both, a batch at a time."""
    q, F = np.empty(mask.shape), np.empty(mask.shape)
    for rows in gen_batches(len(mask), BATCH):
        q[rows], F[rows] = teacher.weighed(X[rows], mask[rows])
    return q, F


class TaughtInBlocks(Sets):
    """Rows in blocks, each set replaced by the mean of its options under what a teacher predicts."""

    in_memory = False

    def __init__(self, output: OutputSpace, blocks: Blocks, teacher: Teacher):
        self.output, self.blocks, self.teacher = output, blocks, teacher

    def embed(self, principle: str) -> Any:
        return EmbeddingInBlocks(self.blocks.map(partial(_embedded, self.output, self.teacher)))

    def _refuse(self, *args: Any) -> NoReturn:
        raise ValueError("Rows in blocks are only summed, never asked one by one. Fit on arrays.")

    __len__ = __getitem__ = argmin = contains = center = _refuse  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<sets in blocks, disambiguated>"


def _embedded(output: OutputSpace, teacher: Teacher, block: Block) -> Block:
    sets = read_block(output, block)
    mask: Any = sets.options()
    phi = sets.expected(teacher.weighed(block.X, mask)[0] if len(mask) else uniform(mask))
    return block._replace(y=(phi, np.column_stack([np.zeros(len(phi)), np.ones(len(phi))])))
