"""SetLoss: L(z, S), from a space, its sets and the principle that says which point of S answers for S."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import gen_batches

from .outputs.base import PRINCIPLES, Embedding, OutputSpace, Sets
from .rows.blocks import Block, Blocks

ROWS = 64  # rows whose L(z_i, S_j) are computed together, of which the diagonal is wanted


def infimum(sets: Sets, c: NDArray) -> NDArray:
    """The point of S that suits z best."""
    return sets.argmin(c)


def supremum(sets: Sets, c: NDArray) -> NDArray:
    """The point of S that suits z worst."""
    return sets.argmin(-c)


def average(sets: Sets, c: NDArray) -> NDArray:
    """The center of S, whatever z."""
    return np.broadcast_to(sets.center(), c.shape)


ANSWERS: dict[str, Callable[[Sets, NDArray], NDArray]] = dict(zip(PRINCIPLES, (infimum, average, supremum)))
OPPOSITE = {"infimum": "supremum", "average": "average", "supremum": "infimum"}


class SetLoss:
    """L(z, S_i) = inf, mean or sup over y in S_i of <psi(z), phi(y)>.

    `L(z)` is the loss of outputs z on every row, of shape (n_z, n).

    Examples
    --------
    >>> from infimum.outputs import Labels
    >>> space = Labels().fit(["a", "b", "c"])
    >>> L = SetLoss(space, space.read(["a|b", "c"]))
    >>> L(space.outputs())
    array([[0., 1.],
           [0., 1.],
           [1., 0.]])
    """

    def __init__(self, output: OutputSpace, sets: Sets, principle: str = "infimum"):
        if principle not in PRINCIPLES:
            raise ValueError(f"principle must be one of {', '.join(map(repr, PRINCIPLES))}. Got {principle!r} instead.")
        self.output = output
        self.sets = sets
        self.principle = principle

    @property
    def parts(self) -> list[SetLoss]:
        """The losses this one is stacked from: itself."""
        return [self]

    def __len__(self) -> int:
        return len(self.sets)

    def __call__(self, z: NDArray) -> NDArray:
        return self.sets.loss(self.output.psi(z), self.principle)

    def each(self, z: NDArray) -> NDArray:
        """L(z_i, S_i), of output i on row i, (n,)."""
        psi = self.output.psi(z)
        if self.embedding is not None:
            phi, constant = self.embedding
            own = phi.multiply(psi).sum(axis=1) if sparse.issparse(phi) else np.einsum("nd,nd->n", psi, phi)
            return np.asarray(own).ravel() + constant
        blocks = gen_batches(len(self), ROWS)
        return np.concatenate([np.diagonal(self.sets[b].loss(psi[b], self.principle)) for b in blocks])

    def answer(self, psi: NDArray) -> NDArray:
        """phi(y_i) for the y_i of S_i that answers for S_i at z: (n_z, d) -> (n_z, n, d)."""
        return ANSWERS[self.principle](self.sets, np.broadcast_to(psi[:, None, :], (len(psi), len(self), psi.shape[1])))

    def start(self) -> NDArray:
        """Where alternation starts, (n, d)."""
        return self.sets.center() if self.principle == "average" else self.sets.start()

    @cached_property
    def embedding(self) -> Embedding | None:
        """phi(S_i), where L is linear in psi(z)."""
        return self.sets.embed(self.principle)

    def __repr__(self) -> str:
        return f"<{self.principle} loss over {self.sets!r}>"


class PointLoss:
    """l(z, y_i) for points that a reduction has put in place of the sets: L(z) = <psi(z), phi_i>, fully supervised."""

    principle = "average"  # one point, or the mean of several

    def __init__(self, output: OutputSpace, phi: NDArray):
        self.output = output
        self.embedding = Embedding(phi, np.zeros(len(phi)))

    @property
    def parts(self) -> list[PointLoss]:
        return [self]

    def __len__(self) -> int:
        return len(self.embedding.phi)

    def __call__(self, z: NDArray) -> NDArray:
        return self.output.psi(z) @ self.embedding.phi.T

    def answer(self, psi: NDArray) -> NDArray:
        return np.repeat(self.embedding.phi[None], len(psi), axis=0)

    def start(self) -> NDArray:
        return self.embedding.phi

    def __repr__(self) -> str:
        return f"<loss at the points of {len(self)} rows>"


class JointLoss:
    """The loss over doubled rows that reads negative weights jointly.

    inf over y_i of sum_i alpha_i l(z, y_i) = sum_i alpha_i^+ inf l + sum_i alpha_i^- sup l: the sets once with
    their principle, once with the opposite one, for the weights (alpha^+, alpha^-) of `weights.SplitSigns`.
    """

    def __init__(self, loss: SetLoss):
        self.output = loss.output
        self.principle = loss.principle
        self.parts = [loss, SetLoss(loss.output, loss.sets, OPPOSITE[loss.principle])]

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def __call__(self, z: NDArray) -> NDArray:
        return np.hstack([part(z) for part in self.parts])

    def answer(self, psi: NDArray) -> NDArray:
        return np.concatenate([part.answer(psi) for part in self.parts], axis=1)

    def start(self) -> NDArray:
        return np.concatenate([part.start() for part in self.parts])

    @cached_property
    def embedding(self) -> Embedding | None:
        both = [part.embedding for part in self.parts]
        if any(e is None for e in both):
            return None
        phis = [e.phi for e in both if e is not None]
        stacked = sparse.vstack(phis, format="csr") if any(map(sparse.issparse, phis)) else np.vstack(phis)
        return Embedding(stacked, np.concatenate([e.constant for e in both if e is not None]))

    def __repr__(self) -> str:
        return f"<joint reading of the {self.parts[0]!r}>"


class BlockLoss:
    """The loss over rows in blocks, of which only sums are formed: for losses that are linear in psi(z)."""

    def __init__(self, output: OutputSpace, blocks: Blocks, principle: str = "infimum"):
        self.output = output
        self.principle = principle
        self.embedding = _BlockEmbedding(blocks.map(partial(_embedded, output, principle)))

    def __repr__(self) -> str:
        return f"<{self.principle} loss over rows in blocks>"


class _BlockEmbedding:
    def __init__(self, blocks: Blocks):
        self.blocks = blocks

    def columns(self) -> tuple:
        """As `Embedding.columns`, block by block."""
        return (self.blocks,)


def _embedded(output: OutputSpace, principle: str, block: Block) -> Block:
    L = SetLoss(output, output.read(block.y), principle)
    if L.embedding is None:
        raise ValueError(f"Rows in blocks need a loss that is linear in psi(z); the {L!r} is not. Fit on arrays.")
    return Block(block.X, L.embedding.columns(), block.w)
