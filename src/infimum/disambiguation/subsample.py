"""Soft disambiguation of many rows: some are weighed by each other, and teach the others."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import gen_batches

from ..data.chunks import Block, Blocks
from ..data.hashes import hash_of
from ..outputs.base import OutputSpace, Sets
from ..outputs.chunked import EmbeddingInBlocks, read_block
from ..weights.base import Weights
from .posterior import SetPosterior
from .soft import soft

MANY = 20_000  # rows, beyond which not all of them are weighed by each other
SETTLED = 10_000  # rows that are
BATCH = 8192  # rows that are taught at a time


class Teacher:
    """x -> F(x), what rows whose weights have come to rest predict: (n, *e).

    Parameters
    ----------
    weights : Weights
        Fitted to these rows.
    q : (n, *e)
        What is known of them.
    weighing : SetPosterior
        How other rows are weighed by F.
    cap : float
        The sharpness of their weights.
    own : (n,), optional
        What these rows are known by, so that they keep their own weights where they come again.
    """

    def __init__(self, weights: Weights, q: NDArray, weighing: SetPosterior, cap: float, own: NDArray | None = None):
        self.weights, self.weighing, self.cap, self.shape = weights, weighing, cap, q.shape[1:]
        self.folded = weights.project(q.reshape(len(q), -1))
        weights.release(sums_only=True)
        self.codes, at = np.unique(np.empty(0, np.uint64) if own is None else own, return_index=True)
        self.q = q[at]

    def __call__(self, X: Any) -> NDArray:
        return self.weights(X).sum(self.folded).reshape(-1, *self.shape)

    def weighed(self, X: Any, sets: Sets) -> tuple[NDArray, NDArray]:
        """q of rows that had no say in F, and F, (n, *e) both."""
        weighing = self.weighing.like(sets)
        F, even = self(X), weighing.even()
        q = weighing.moved(F, even, self.cap)
        if len(self.codes):
            code = codes(X, even)
            at = np.minimum(np.searchsorted(self.codes, code), len(self.codes) - 1)
            mine = self.codes[at] == code
            q[mine] = self.q[at[mine]]
        return q, F

    def phi(self, X: Any, sets: Sets) -> NDArray:
        """The mean of phi over every set, (n, d)."""
        weighing = self.weighing.like(sets)
        return weighing.phi(self.weighed(X, sets)[0] if len(sets) else weighing.even())


def codes(X: Any, even: NDArray) -> NDArray:
    """What a row and its set are known by, (n,)."""
    return hash_of(X, 0) ^ hash_of(even.reshape(len(even), -1), 1)


class Few(NamedTuple):
    """Rows that were weighed by each other."""

    teacher: Teacher
    q: NDArray
    """(n, *e)."""
    F: NDArray
    """(n, *e), by all rows but the i-th."""


def settled(
    weights: Weights, X: Any, w: NDArray | None, target: Any, weighing: SetPosterior, schedule: dict[str, Any]
) -> Few:
    """Rows weighed by each other, and what they teach."""
    fitted = clone(weights).fit(X, target, w)
    left_out = fitted.loo_operator()
    assert left_out is not None  # weights that take blocks have one
    q = weighing.full(soft(left_out, weighing, **schedule, sample_weight=w).q)
    F = left_out(q.reshape(len(q), -1)).reshape(q.shape)
    own = codes(X, weighing.full(weighing.even()))
    return Few(Teacher(fitted, q, weighing.fitted(F), schedule["cap"], own), q, F)


def taught(teacher: Teacher, X: Any, sets: Sets) -> tuple[NDArray, NDArray]:
    """q and F of all rows, (n, *e) both, a batch at a time."""
    q, F = (np.empty((len(sets), *teacher.shape)) for _ in range(2))
    for rows in gen_batches(len(sets), BATCH):
        q[rows], F[rows] = teacher.weighed(X[rows], sets[rows])
    return q, F


class TaughtInBlocks(Sets):
    """Rows in blocks, each set replaced by the mean of its members under what a teacher predicts."""

    in_memory = False

    def __init__(self, output: OutputSpace, blocks: Blocks, teacher: Teacher):
        self.output, self.blocks, self.teacher = output, blocks, teacher

    def embed(self, principle: str) -> Any:
        return EmbeddingInBlocks(self.blocks.map(partial(_embedded, self.output, self.teacher)))

    def table(self, psi: NDArray, principle: str) -> Blocks:
        """L(z, S_i) of some outputs, as columns that the blocks carry."""
        return self.blocks.map(partial(_tabled, self.output, self.teacher, psi))

    def _refuse(self, *args: Any) -> NoReturn:
        raise ValueError("Rows in blocks are only summed, never asked one by one. Fit on arrays.")

    __len__ = __getitem__ = argmin = contains = center = _refuse  # type: ignore[assignment]

    def __repr__(self) -> str:
        return "<sets in blocks, disambiguated>"


def _embedded(output: OutputSpace, teacher: Teacher, block: Block) -> Block:
    phi = teacher.phi(block.X, read_block(output, block))
    return block._replace(y=(phi, np.column_stack([np.zeros(len(phi)), np.ones(len(phi))])))


def _tabled(output: OutputSpace, teacher: Teacher, psi: NDArray, block: Block) -> Block:
    return block._replace(y=(teacher.phi(block.X, read_block(output, block)) @ psi.T,))
